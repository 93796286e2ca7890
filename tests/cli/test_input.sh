#!/bin/bash
# Invalid input: the message, exit code 2, and no file written.
# usage: test_input.sh PROGRAM SOURCE
set -u
program=$(realpath "$1")
source=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

report() { # passed? name detail
    if [ "$1" = 0 ]; then
        echo "ok      $2"
    else
        echo "FAILED  $2: $3"
        failures=$((failures + 1))
    fi
}

# expect CODE TEXT COMMAND...: exit code, and the text on stdout or stderr
expect() {
    local code=$1 text=$2 output status
    shift 2
    output=$(timeout 120 "$@" 2>&1 </dev/null)
    status=$?
    [ "$status" = "$code" ] && [[ "$output" == *"$text"* ]]
    report $? "${*:2}" "exit $status, wanted $code and <$text>, got <${output:0:300}>"
}

# refuse NAME TEXT [OPTION...]: the case NAME is refused with the text, and no file is written
refuse() {
    local name=$1 text=$2 before
    shift 2
    before=$(ls -A)
    expect 2 "$text" "$program" run "$name" "$@"
    [ "$(ls -A)" = "$before" ]
    report $? "$name leaves nothing behind" "$(ls -A | tr '\n' ' ')"
}

printf 'gas:\n  delta: 1\n' >good.yaml

# The command line itself
expect 2 'Usage' "$program"
expect 0 'Commands' "$program" --help
expect 0 'knudsen ' "$program" --version
expect 2 'did you mean run?' "$program" rnu good.yaml
expect 2 'did you mean run?' "$program" good.yaml
expect 2 'a case file is required' "$program" run
expect 2 'one case file' "$program" run good.yaml good.yaml
expect 2 'unrecognized option' "$program" run good.yaml --outt x
expect 2 'no folder of results is given' "$program" plot
expect 0 'Rarefaction parameter' "$program" help gas.delta
expect 0 'default is periodic' "$program" help walls.top.kind
expect 0 'output.checkpoint' "$program" help keys
expect 2 'did you mean gas.delta?' "$program" help gas.detla
expect 0 'Usage: knudsen verify' "$program" help verify
expect 0 'Usage: knudsen run' "$program" help run
expect 0 'run.walltime' "$program" help run
expect 2 'did you mean verify?' "$program" help verfy

# The assembled operator
expect 0 'Prandtl number' "$program" info operator good.yaml --set velocity.nodes=6
expect 0 '"viscosity"' "$program" info operator --json --set velocity.nodes=6 --set gas.molecules=maxwell
expect 2 'operator needs 6 to 20' "$program" info operator --set collision.method=bgk --set velocity.nodes=4
expect 2 'the word operator is required' "$program" info
expect 2 "opera: cannot be opened" "$program" info opera
refuse good.yaml 'operator needs 6 to 20' --set collision.method=operator --set 'velocity.nodes=[6, 6, 64]'
refuse good.yaml 'needs collision.method: operator or monte-carlo' --set gas.molecules=vhs --set collision.method=bgk
refuse good.yaml '--set gas.omega=0.8: gas.omega: 0.8, but gas.molecules: hard-sphere has 0.5' --set gas.omega=0.8
refuse good.yaml 'gas.omega: 0.5, but gas.molecules: maxwell has 1' --set gas.omega=0.5 --set gas.molecules=maxwell
expect 0 'omega: 0.81' "$program" run good.yaml --dry-run --set gas.molecules=vhs
expect 0 'omega: 1' "$program" run good.yaml --dry-run --set gas.omega=1 --set gas.molecules=maxwell

# collision.samples: auto
expect 0 'samples: auto' "$program" run good.yaml --dry-run --set collision.samples=auto
refuse good.yaml '--set collision.error=1e-6: collision.error: 1e-06 needs about' \
    --set collision.method=monte-carlo --set collision.samples=auto --set collision.error=1e-6 --set velocity.nodes=6 --set space.cells=[8,8] --set walls.top.velocity=1
refuse good.yaml '--set collision.samples=auto: collision.samples: auto controls the error of averages' \
    --set collision.method=monte-carlo --set collision.samples=auto --set output.average=-1
refuse good.yaml 'collision.samples: expected a whole number' --set collision.samples=automatic

# Files
refuse missing.yaml 'missing.yaml: cannot be opened'
: >empty.yaml
refuse empty.yaml 'empty.yaml:1:1: the file is empty'
head -c 5000 /dev/urandom >binary.yaml
printf '\0\1\2' >>binary.yaml
refuse binary.yaml 'binary.yaml:'
truncate -s 100M large.yaml
refuse large.yaml 'too large'
head -c 1000000 /dev/zero | tr '\0' '[' >deep.yaml
refuse deep.yaml 'deep.yaml:1:9: nested too deeply'
mkdir case.d
refuse case.d 'is a folder'

# Keys and values
bad() { # NAME TEXT CONTENTS
    printf "$3" >"$1.yaml"
    refuse "$1.yaml" "$1.yaml:$2"
}
bad unknown '2:3: gas.detla: unknown key (did you mean gas.delta?)' 'gas:\n  detla: 1\n'
bad type '2:10: gas.delta: expected a number' 'gas:\n  delta: thin\n'
bad range '2:10: gas.delta: -1 is out of range (1e-6 to 1000000)' 'gas:\n  delta: -1\n'
bad choice '1:21: collision.method: unknown choice' 'collision: {method: bkg}\n'
bad odd '1:19: velocity.nodes: 7 is odd' 'velocity: {nodes: 7}\n'
bad periodic '3:11: walls.left.kind: periodic against diffuse' 'walls:\n  left:\n    kind: periodic\n'
bad normal '1:25: walls.top.velocity: 1 along y' 'walls: {top: {velocity: [0, 1, 0]}}\n'
bad cold '2:28: walls.top.temperature' 'disturbance: 0.5\nwalls: {top: {temperature: -2}}\n'
bad twice '3:3: gas.delta: written twice' 'gas:\n  delta: 1\n  delta: 2\n'
bad alias '1:14: a YAML anchor' 'gas: {delta: &a 1}\n'
bad documents '2:1: a second document' 'gas: {delta: 1}\n---\ngas: {delta: 1}\n'
bad tab '2:1: not valid YAML' 'gas:\n\tdelta: 1\n'
bad memory '1:16: space.cells: the case needs' 'space: {cells: [40000, 40000]}\nvelocity: {nodes: 64}\ncollision: {method: bgk}\n'

# --set
refuse good.yaml '--set gas.detla=1: gas.detla: unknown key' --set gas.detla=1
refuse good.yaml 'walls.lid.temperature: unknown key (keys of walls: left, right, bottom, top, back, front)' --set walls.lid.temperature=1
refuse good.yaml 'expected key=value' --set gas.delta
refuse good.yaml '--set velocity.nodes=9: velocity.nodes: 9 is odd' --set velocity.nodes=9
refuse good.yaml '--set walls.left.kind=periodic: walls.left.kind' --set walls.left.kind=periodic

# ----dry-run writes no file and prints the same case
before=$(ls -A)
expect 0 'delta: 7' "$program" run good.yaml --dry-run --set gas.delta=7
expect 0 'results/good' "$program" run good.yaml --dry-run
expect 0 'cells: [20, 30, 1]' "$program" run good.yaml --dry-run --set 'space.cells=[20, 30]'
[ "$(ls -A)" = "$before" ]
report $? 'dry runs leave nothing behind' "$(ls -A | tr '\n' ' ')"
"$program" run good.yaml --dry-run --set gas.delta=0.3 >first.yaml
"$program" run first.yaml --dry-run --out results/good >second.yaml
sed -i 's/^# memory.*//' first.yaml second.yaml
sed -i 's/^# results.*//' first.yaml second.yaml
cmp -s first.yaml second.yaml
report $? 'a printed case reads back the same' "$(diff first.yaml second.yaml | head -5)"
if command -v python3 >/dev/null; then
    "$program" run good.yaml --dry-run --json |
        python3 -c 'import json, sys; d = json.load(sys.stdin); assert d["case"]["gas"]["delta"] == 1 and d["plan"]["cells"] == 1600'
    report $? '--dry-run --json is one JSON object' 'see above'
fi

# The generated documents in the repository are up to date
if [ -f "$source/docs/input.md" ]; then
    "$program" help --markdown | cmp -s - <(sed '1,/^<!-- The rest/d' "$source/docs/input.md")
    report $? 'docs/input.md is up to date' 'run make docs'
fi

echo "$failures failed"
[ "$failures" = 0 ]
