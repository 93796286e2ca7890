#!/bin/bash
# knudsen plot as a command: help, files, exit codes, and the Python that it starts.  What it draws is tested in
# tests/python/test_plot_command.py.
# usage: test_plot.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
. "$(dirname "$(realpath "$0")")/../check.sh"
unset KNUDSEN_PYTHON

cat >case.yaml <<'END'
gas: {delta: 1}
disturbance: 0
space: {cells: [8, 8]}
velocity: {grid: gauss, nodes: 4}
collision: {method: bgk}
walls: {top: {velocity: [1, 0, 0]}}
time: {end: 1}
END
check "a run" "$knudsen" run case.yaml --quiet --out plane

# 1. Help needs no library.
mkdir bare
cat >bare/python3 <<'END'
#!/bin/sh
exec /usr/bin/python3 -S "$@"
END
chmod +x bare/python3
check "help" ends 0 env PATH="$work/bare:$PATH" "$knudsen" plot --help
check "names options" contains out '^  -q, --quantity=NAME  '
check "and quantities" contains out '^Quantities: rho, speed, ux'
check "in 79 columns" test "$(awk '{ if (length > n) n = length } END { print n }' out)" -le 79
check "the short option" ends 0 "$knudsen" plot -h
check "help plot" ends 0 "$knudsen" help plot
check "is the same" contains out '^Usage: knudsen plot \[OPTION...\] DIR...$'
check "no folder" ends 2 "$knudsen" plot
check "says so" contains err '^knudsen plot: no folder of results'
check "an unknown option" ends 2 "$knudsen" plot plane --terminal
check "is named" contains err 'unrecognized arguments: --terminal'

# 2. A picture.
check "a picture" ends 0 "$knudsen" plot plane
check "says where and what" contains out '^plane/picture.png: map of speed with streamlines; profile of ux along y at x = 0.5 L; .*history of D'
check "is a PNG" test "$(head -c 4 plane/picture.png | tail -c 3)" = PNG
check "options among folders" ends 0 "$knudsen" plot plane -o two.svg plane -k history -q D
check "an SVG" contains two.svg '<svg'
check "a missing folder" ends 4 "$knudsen" plot nowhere
check "is said" contains err "^knudsen: there is no folder 'nowhere'"

# 3. The interpreter.
check "another interpreter" ends 0 env PATH="$work/bare:$PATH" "$knudsen" plot plane -o other.svg
check "none at all" ends 4 env KNUDSEN_PYTHON="$work/none" "$knudsen" plot plane -o none.svg
check "says what to install" contains err 'apt install python3 python3-numpy python3-h5py python3-matplotlib'
check "one without libraries" ends 4 env KNUDSEN_PYTHON="$work/bare/python3" "$knudsen" plot plane -o none.svg
check "says so too" contains err 'lacks at least one of them'
# Modules in the current folder are not imported, and settings of the user do not matter.
echo 'open("imported", "w")' | tee numpy.py h5py.py matplotlib.py knudsen.py >/dev/null
echo 'figure.dpi: nonsense' >matplotlibrc
check "files here are not modules" ends 0 "$knudsen" plot plane -o here.svg
check "nor with an empty entry in PYTHONPATH" ends 0 env PYTHONPATH="/nowhere:" "$knudsen" plot plane -o here.svg
check "nor with this folder in it" ends 0 env PYTHONPATH="$work/plane/..:." "$knudsen" plot plane -o here.svg
check "none was imported" absent imported

exit $failed
