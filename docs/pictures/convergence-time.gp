# Order in time
# gnuplot convergence-time.gp draws convergence-time.png and convergence-time.svg from convergence-time.dat, all beside this file.
here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
data = here.'convergence-time.dat'
do for [kind in 'png svg'] {
if (kind eq 'png') { set terminal pngcairo size 800,420 font 'sans,11' } else { set terminal svg size 800,420 font 'sans,12' background 'white' }
set output here.'convergence-time.'.kind
set grid lt 1 lc rgb '#e4e4e4' lw 0.6
set logscale xy
set format y '10^{%T}'
set xlabel 'step, lambda0 / V0'
set ylabel 'relative error'
set key outside right top
set xrange [0.0769231:1.04]
set xtics ('0.8' 0.8, '0.4' 0.4, '0.2' 0.2, '0.1' 0.1)
plot data index 0 using 1:3 with linespoints pt 5 lw 1.5 title 'Lie, slope 0.95', data index 1 using 1:3 with linespoints pt 7 lw 1.5 title 'Strang, slope 2.07'
unset output
reset
}
