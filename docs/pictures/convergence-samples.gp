# Statistical error
# gnuplot convergence-samples.gp draws convergence-samples.png and convergence-samples.svg from convergence-samples.dat, all beside this file.
here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
data = here.'convergence-samples.dat'
do for [kind in 'png svg'] {
if (kind eq 'png') { set terminal pngcairo size 800,420 font 'sans,11' } else { set terminal svg size 800,420 font 'sans,12' background 'white' }
set output here.'convergence-samples.'.kind
set grid lt 1 lc rgb '#e4e4e4' lw 0.6
set logscale xy
set format y '10^{%T}'
set xlabel 'samples a step'
set ylabel 'standard error of D / D'
set key outside right top
set xrange [98.4615:10649.6]
set xtics ('128' 128, '512' 512, '2.05e+03' 2048, '8.19e+03' 8192)
plot data index 0 using 1:3 with linespoints pt 5 lw 1.5 title 'independent samples, slope -0.52', data index 1 using 1:3 with linespoints pt 7 lw 1.5 title 'lattice, slope -0.44'
unset output
reset
}
