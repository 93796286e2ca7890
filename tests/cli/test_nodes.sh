#!/bin/bash
# velocity.nodes: auto: the choice in info, in the stored case and in the summary, and a resumed run.
# usage: test_nodes.sh PROGRAM SOURCE_FOLDER
program=$(realpath "$1") && [ -x "$program" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
. "$(dirname "$(realpath "$0")")/../check.sh"

# knudsen CODE ARGUMENT...: output into out and err
knudsen() {
    local code=$1
    shift
    "$program" "$@" >out 2>err
    [ $? -eq "$code" ]
}

cat >channel.yaml <<'END'
gas: {delta: 0.1}
space: {cells: 8}
velocity: {nodes: auto}
collision: {method: bgk}
source: {force: [0, 1, 0]}
time: {end: 0.2}
output: {vtk: false}
END
check "info" knudsen 0 info channel.yaml
check "  prints the reason" grep -q "20 nodes along x: expect an error of 0.38 % in a flow driven by a force at delta 0.1" out
check "info --json" knudsen 0 info channel.yaml --json
check "  has the numbers" grep -q '"velocity_nodes": \[20, 8, 8\]' out
check "more accuracy" knudsen 0 info channel.yaml --json --set velocity.accuracy=0.001
check "  needs more nodes" grep -q '"velocity_nodes": \[38, 8, 8\]' out
check "one axis" knudsen 0 run channel.yaml --dry-run --set velocity.nodes=[auto,6,6]
check "  keeps the others" grep -q "nodes: \[20, 6, 6\]" out
check "a run" knudsen 0 run channel.yaml --out results --quiet
check "  stores the numbers" grep -q "nodes: \[20, 8, 8\]" results/case.used.yaml
check "  reports the numbers" bash -c 'tr -d " \n" <results/summary.json | grep -q "\"nodes\":\[20,8,8\]"'
check "the same case continues it" knudsen 0 run channel.yaml --out results --resume --set time.end=0.3
check "another accuracy does not" knudsen 2 run channel.yaml --out results --resume --set time.end=0.4 --set velocity.accuracy=0.001
check "the stretched grid is refused" knudsen 2 run channel.yaml --dry-run --set velocity.grid=stretched
check "  with the key" grep -q "velocity.nodes: auto needs velocity.grid: gauss" err
check "a number of the operator" knudsen 0 run channel.yaml --dry-run --set collision.method=operator --set gas.delta=0.01
check "  is at most 20" grep -q "nodes: \[20, 8, 8\]" out
exit $failed
