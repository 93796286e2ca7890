#!/bin/bash
# The command knudsen plot: help, files, exit codes and the choice of the Python interpreter.
# tests/python/test_plot_command.py tests the figures.
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
check "plot --help" ends 0 env PATH="$work/bare:$PATH" "$knudsen" plot --help
check "the help lists the options" contains out '^  -q, --quantity=NAME  '
check "the help lists the quantities" contains out '^Quantities: rho, speed, ux'
check "the help fits in 79 columns" test "$(awk '{ if (length > n) n = length } END { print n }' out)" -le 79
check "plot -h" ends 0 "$knudsen" plot -h
check "help plot" ends 0 "$knudsen" help plot
check "help plot prints the same text" contains out '^Usage: knudsen plot \[OPTION...\] DIR...$'
check "plot without a folder is refused" ends 2 "$knudsen" plot
check "the message states that no folder is given" contains err '^knudsen plot: no folder of results'
check "an unknown option is refused" ends 2 "$knudsen" plot plane --terminal
check "the message names the option" contains err 'unrecognized arguments: --terminal'

# 2. A picture.
check "plot of one run" ends 0 "$knudsen" plot plane
check "the output names the file and its panels" contains out '^plane/picture.png: map of speed with streamlines; profile of ux along y at x = 0.5 L; .*history of D'
check "the file is a PNG" test "$(head -c 4 plane/picture.png | tail -c 3)" = PNG
check "options between folders" ends 0 "$knudsen" plot plane -o two.svg plane -k history -q D
check "the file is an SVG" contains two.svg '<svg'
check "a missing folder is an error" ends 4 "$knudsen" plot nowhere
check "the message names the folder" contains err "^knudsen: there is no folder 'nowhere'"

# 3. The interpreter.
check "the first interpreter lacks the libraries" ends 0 env PATH="$work/bare:$PATH" "$knudsen" plot plane -o other.svg
check "an interpreter that does not exist" ends 4 env KNUDSEN_PYTHON="$work/none" "$knudsen" plot plane -o none.svg
check "the message names the packages" contains err 'apt install python3 python3-numpy python3-h5py python3-matplotlib'
check "an interpreter without the libraries" ends 4 env KNUDSEN_PYTHON="$work/bare/python3" "$knudsen" plot plane -o none.svg
check "the message states the missing libraries" contains err 'lacks at least one of them'
# Modules in the current folder are not imported, and settings of the user have no effect.
echo 'open("imported", "w")' | tee numpy.py h5py.py matplotlib.py knudsen.py >/dev/null
echo 'figure.dpi: nonsense' >matplotlibrc
check "plot with module names in the current folder" ends 0 "$knudsen" plot plane -o here.svg
check "an empty entry in PYTHONPATH" ends 0 env PYTHONPATH="/nowhere:" "$knudsen" plot plane -o here.svg
check "the current folder in PYTHONPATH" ends 0 env PYTHONPATH="$work/plane/..:." "$knudsen" plot plane -o here.svg
check "no module of the current folder is imported" absent imported

# The geometry of a case before a run.
cat >geometry.yaml <<'END'
gas: {delta: 1}
space: {cells: [8, 8]}
bodies:
  bar: {box: [[0.25, 0.25], [0.5, 0.5]], temperature: 0.5}
  wall: {plate: {axis: x, at: 0.75, open: [[0.25, 0.5]]}}
ports: {in: {side: left, pressure: 1}, out: {side: right, kind: reservoir}}
walls: {top: {temperature: [0, 1]}}
END
check "info --picture of two axes" ends 0 "$knudsen" info geometry.yaml --picture geometry.svg
check "the picture names the surfaces" python3 -c 'import re, sys
text = open("geometry.svg").read()
assert len(re.findall("<svg", text)) == 1
for name in ("bar: diffuse", "wall: diffuse", "in: pressure", "out: reservoir", "top: diffuse"):
    assert name in text, name'
check "info --picture of three axes" ends 0 "$knudsen" info geometry.yaml --picture cube.png --set "space.cells=[8, 8, 4]"
check "info --picture in another format is refused" ends 2 "$knudsen" info geometry.yaml --picture geometry.foo
check "the message states the formats" contains err 'must end in .png'
check "info --picture in a missing folder" ends 4 "$knudsen" info geometry.yaml --picture none/geometry.svg
check "info --picture of one axis is refused" ends 2 "$knudsen" info case.yaml --picture line.png --set space.cells=8 --set "walls.top.velocity=[0, 0, 0]"
check "the message states the number of axes" contains err 'the case has 1 axis'
exit $failed
