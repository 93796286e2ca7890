# knudsen verify bkw --json | gnuplot cases/bkw/picture.gp
set terminal svg enhanced size 700,434 font 'DejaVu Sans,Helvetica,sans-serif,15' background rgb 'white' linewidth 1.2
set output 'cases/bkw/picture.svg'
set border lw 0.8
set tics nomirror out scale 0.6
set grid lc rgb '#dddddd' lw 0.6
set logscale y
set xrange [0:3.1]
set yrange [0.1:1.1]
set xlabel '{/:Italic t V}_0 / {/:Italic λ}_0'
set ylabel 'fourth moment beyond equilibrium, over that at 0'
set key top right
plot exp(-2 * x / 3) with lines lw 1.5 lc rgb '#0060a8' title 'exact: exp(–2 {/:Italic t} / 3)', \
     "< sed -n 's/.*fourth@\\([0-9]*\\)\".*\"value\": \\([^,]*\\),.*/\\1 \\2/p' /dev/stdin" \
     using 1:2 with points pt 7 ps 0.8 lc rgb '#d1495b' title 'Knudsen, 8 nodes an axis'
