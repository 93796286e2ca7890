#!/bin/bash
# velocity.nodes: auto: the choice in info, in the stored case and in the summary, and a resumed run.
# usage: test_nodes.sh PROGRAM SOURCE_FOLDER
program=$(realpath "$1") && [ -x "$program" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# ok WHAT COMMAND...
ok() {
    local what=$1
    shift
    if "$@"; then
        echo "ok    $what"
    else
        echo "FAIL  $what"
        sed 's/^/      /' out err 2>/dev/null | head -12
        failed=1
    fi
}

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
ok "info" knudsen 0 info channel.yaml
ok "  prints the reason" grep -q "20 nodes along x: expect an error of 0.38 % in a flow driven by a force at delta 0.1" out
ok "info --json" knudsen 0 info channel.yaml --json
ok "  has the numbers" grep -q '"velocity_nodes": \[20, 8, 8\]' out
ok "more accuracy" knudsen 0 info channel.yaml --json --set velocity.accuracy=0.001
ok "  needs more nodes" grep -q '"velocity_nodes": \[38, 8, 8\]' out
ok "one axis" knudsen 0 run channel.yaml --dry-run --set velocity.nodes=[auto,6,6]
ok "  keeps the others" grep -q "nodes: \[20, 6, 6\]" out
ok "a run" knudsen 0 run channel.yaml --out results --quiet
ok "  stores the numbers" grep -q "nodes: \[20, 8, 8\]" results/case.used.yaml
ok "  reports the numbers" bash -c 'tr -d " \n" <results/summary.json | grep -q "\"nodes\":\[20,8,8\]"'
ok "the same case continues it" knudsen 0 run channel.yaml --out results --resume --set time.end=0.3
ok "another accuracy does not" knudsen 2 run channel.yaml --out results --resume --set time.end=0.4 --set velocity.accuracy=0.001
ok "the stretched grid is refused" knudsen 2 run channel.yaml --dry-run --set velocity.grid=stretched
ok "  with the key" grep -q "velocity.nodes: auto needs velocity.grid: gauss" err
ok "a number of the operator" knudsen 0 run channel.yaml --dry-run --set collision.method=operator --set gas.delta=0.01
ok "  is at most 20" grep -q "nodes: \[20, 8, 8\]" out
exit $failed
