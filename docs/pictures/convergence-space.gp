# Order in space
# gnuplot convergence-space.gp draws convergence-space.png and convergence-space.svg from convergence-space.dat, all beside this file.
here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
data = here.'convergence-space.dat'
do for [kind in 'png svg'] {
if (kind eq 'png') { set terminal pngcairo size 800,420 font 'sans,11' } else { set terminal svg size 800,420 font 'sans,12' background 'white' }
set output here.'convergence-space.'.kind
set grid lt 1 lc rgb '#e4e4e4' lw 0.6
set logscale xy
set format y '10^{%T}'
set xlabel 'width of a cell / L'
set ylabel 'relative error'
set key outside right top
set xrange [0.00600962:0.08125]
set xtics ('0.0625' 0.0625, '0.0312' 0.03125, '0.0156' 0.015625, '0.00781' 0.0078125)
plot data index 0 using 1:3 with linespoints pt 5 lw 1.5 title 'order 1, slope 0.96', data index 1 using 1:3 with linespoints pt 7 lw 1.5 title 'order 2, van Leer, slope 2.13', data index 2 using 1:3 with linespoints pt 9 lw 1.5 title 'order 2, no limiter, slope 2.10'
unset output
reset
}
