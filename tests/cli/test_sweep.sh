#!/bin/bash
# knudsen sweep: points, table and figure, failed points, interruptions, changed cases.
# usage: test_sweep.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] && [ -d "$2/cases" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
. "$(dirname "$(realpath "$0")")/../check.sh"
export OMP_WAIT_POLICY=passive # other tests may share the cores

# sweep CODE ARGUMENT...: output into out and err
sweep() {
    local code=$1
    shift
    "$knudsen" sweep "$@" >out 2>err
    [ $? -eq "$code" ]
}
says() { grep -qF -- "$1" out err; }

cat >plates.yaml <<'END'
space: {cells: 8}
velocity: {nodes: 8}
collision: {method: bgk}
walls:
  left: {velocity: [0, -0.5, 0]}
  right: {velocity: [0, 0.5, 0]}
time: {end: 2}
output: {vtk: false}
END

# The command line
check "help" sweep 0 --help
check "knudsen help sweep" bash -c '"$0" help sweep | grep -q -- "--vary=KEY=VALUES"' "$knudsen"
check "without --vary" sweep 2 plates.yaml
check "  the message has the form" says "KEY=from:to:number:log"
check "without a case" sweep 2 --vary gas.delta=1,2
check "a missing case" sweep 2 none.yaml --vary gas.delta=1,2
check "an unknown key" sweep 2 plates.yaml --vary gas.detla=1,2
check "  the message suggests a key" says "gas.delta"
check "  nothing was written" test ! -e results
check "a value twice" sweep 2 plates.yaml --vary gas.delta=1,2,1
check "a key twice" sweep 2 plates.yaml --vary gas.delta=1,2 --vary gas.delta=3
check "a key that is set and varied" sweep 2 plates.yaml --vary gas.delta=1,2 --set gas.delta=3
check "a range without a number" sweep 2 plates.yaml --vary gas.delta=a:2:3
check "a logarithmic range from 0" sweep 2 plates.yaml --vary gas.delta=0:2:3:log
check "ends with different prefixes" sweep 0 plates.yaml --vary 'gas.pressure=1 kPa:100 Pa:3:log' --set gas.species=argon \
    --set 'gas.temperature=300 K' --set 'space.length=1 um' --dry-run
check "  the unit is the first" says "gas.pressure = 0.1 kPa"
check "a refused point" sweep 0 plates.yaml --vary gas.delta=1,1e9 --dry-run
check "ends with different units" sweep 2 plates.yaml --vary 'gas.pressure=1 kPa:2 K:3'
check "a pipe as the case" bash -c 'mkfifo pipe; "$0" sweep pipe --vary gas.delta=1,2 2>err; [ $? -eq 2 ]' "$knudsen"
check "--dry-run" sweep 0 plates.yaml --vary gas.delta=0.1:10:3:log --vary space.cells=8,12 --dry-run
check "  lists all combinations" bash -c '[ "$(grep -c "^ *[0-9]*/6  gas.delta = " out)" -eq 6 ]'
check "  the middle of a logarithmic range" says "gas.delta = 1, space.cells = 12"
check "  wrote nothing" test ! -e results

# A sweep, and what it leaves
check "two keys" sweep 0 plates.yaml --vary gas.delta=1,2 --vary space.cells=8,12 -o two -j 2
check "  the table has a row per point" bash -c '[ "$(wc -l <two/table.csv)" -eq 5 ]'
check "  the head has keys, verdict and units" grep -q '^folder,gas.delta,space.cells,verdict,.*right.stress_y \[p0 eps\]' two/table.csv
check "  a figure" bash -c 'head -c 4 two/sweep.png | grep -q PNG'
check "  every point is a run" test -f "two/gas.delta=2,space.cells=12/summary.json"
"$knudsen" run plates.yaml --set gas.delta=2 --set space.cells=12 --out single --quiet
check "  with the bytes of a single run" cmp single/history.csv "two/gas.delta=2,space.cells=12/history.csv"
before=$(stat -c %Y.%i two/gas.delta=[12],*/summary.json)
check "the same command with another value" sweep 0 plates.yaml --vary gas.delta=1,2,3 --vary space.cells=8,12 -o two
check "  keeps finished points" test "$before" = "$(stat -c %Y.%i two/gas.delta=[12],*/summary.json)"
check "  adds the others to the table" bash -c '[ "$(wc -l <two/table.csv)" -eq 7 ]'
check "a changed case is refused" sweep 2 plates.yaml --vary gas.delta=1,2 --vary space.cells=8,12 -o two --set time.end=3
check "  the message has the key" says 'time.end: 2, but now it is 3'
check "other keys are refused" sweep 2 plates.yaml --vary gas.delta=1,2 -o two
check "--overwrite" sweep 0 plates.yaml --vary gas.delta=1 --vary space.cells=8 -o two --set time.end=1 --overwrite
check "  runs the points anew" grep -q '"end": 1' "two/gas.delta=1,space.cells=8/summary.json"
mkdir mine && echo "a,b" >mine/table.csv
check "a table of the user is refused" sweep 2 plates.yaml --vary gas.delta=1,2 -o mine
check "  it is unchanged" grep -qx "a,b" mine/table.csv
check "a file in place of the folder" sweep 4 plates.yaml --vary gas.delta=1,2 -o plates.yaml
check "  the message has the file" says "Not a directory: plates.yaml"
check "units" sweep 0 plates.yaml --vary 'gas.pressure=1 kPa,2 kPa' --set gas.species=argon --set 'gas.temperature=300 K' \
    --set 'space.length=1 um' -o units
check "  are in the head" grep -q '^folder,gas.pressure \[kPa\],verdict,.*right.stress_y \[Pa\]' units/table.csv

# A point that fails
check "a point that diverges and one that is refused" sweep 3 plates.yaml --vary 'walls.right.velocity=[0,1,0],[0,40,0],[1,0,0]' \
    --set disturbance=1 --set collision.method=monte-carlo --set collision.update=explicit --set collision.samples=1 \
    --set time.step=0.01 --set time.end=2 --set gas.reference.temperature=0 --set run.force=true -o bad
check "  are in the table with their messages" bash -c 'grep -q "failed.*finite" bad/table.csv && grep -q "failed.*normal to the wall" bad/table.csv'
check "  the other one is finished" test -f "bad/walls.right.velocity=_0,1,0_/summary.json"
check "  the message has the count" says "2 of 3 points failed"

# Steady states at a finite disturbance start from a neighbour, if its reference is the same.
check "references that differ" sweep 0 plates.yaml --vary walls.right.temperature=0.5,1,1.01 --set disturbance=1 \
    --set time.end=auto --set time.mode=steady --set run.force=true --set velocity.nodes=10 -j 1 \
    --set gas.reference.temperature=auto -o heated
check "  all points are finished" test "$(grep -c ',steady,' heated/table.csv)" -eq 3

# Interruptions
long=(plates.yaml --vary gas.delta=1,2 --set space.cells=300 --set time.end=20 -j 2)
"$knudsen" sweep "${long[@]}" -o long >out 2>err &
pid=$!
for ((i = 0; i < 300; i++)); do # until the run has begun
    [ -s "long/gas.delta=1/history.csv" ] && break
    sleep 0.1
done
sleep 0.5
kill -INT $pid && wait $pid
check "Ctrl-C ends it with 130" test $? -eq 130
check "  no run is left" bash -c '! pgrep -f "out=$0/gas"' long
check "  with checkpoints" test -f "long/gas.delta=1/checkpoint-a.h5"
check "the same command continues" sweep 0 "${long[@]}" -o long
check "  from the checkpoint" grep -q "resuming from" "long/gas.delta=1/run.log"
exit $failed
