# Velocity nodes
# gnuplot convergence-velocity.gp draws convergence-velocity.png and convergence-velocity.svg from convergence-velocity.dat, all beside this file.
here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
data = here.'convergence-velocity.dat'
do for [kind in 'png svg'] {
if (kind eq 'png') { set terminal pngcairo size 800,420 font 'sans,11' } else { set terminal svg size 800,420 font 'sans,12' background 'white' }
set output here.'convergence-velocity.'.kind
set grid lt 1 lc rgb '#e4e4e4' lw 0.6
set logscale xy
set format y '10^{%T}'
set xlabel 'nodes an axis'
set ylabel 'relative error'
set key outside right top
set xrange [4.61538:20.8]
set xtics ('6' 6, '8' 8, '10' 10, '12' 12, '14' 14, '16' 16)
plot data index 0 using 1:3 with linespoints pt 5 lw 1.5 title 'viscosity', data index 1 using 1:3 with linespoints pt 7 lw 1.5 title 'Prandtl number', data index 2 using 1:3 with linespoints pt 9 lw 1.5 title 'D, operator', data index 3 using 1:3 with linespoints pt 11 lw 1.5 title 'D, BGK'
unset output
reset
}
