# gnuplot -e "run='results/cavity-start'" cases/cavity-start/picture.gp > cases/cavity-start/picture.svg
set terminal svg size 700,420 font 'sans,12' background 'white'
set datafile separator ','
set xlabel 't  V_0 / {/Symbol l}_0'
set ylabel 'drag D on the lid, p_0 u_w / V_0'
set grid lc rgb '#dddddd'
set key bottom right
reference = '< grep "^D=[0-9.]*,[0-9.]*,0.0" cases/cavity-start/reference.csv | sed "s/D=//" | sort -un'
plot run.'/history.csv' using (column('time')):($0 > 0 ? column('D') : NaN) with lines lw 2 title '32 x 32 cells, 12 nodes', \
     reference using 1:2:3 with yerrorbars pt 6 title 'reference', 1 / sqrt(pi) dt 2 lc rgb '#888888' title '1 / sqrt(pi)'
