#!/bin/bash
# knudsen verify: correct, wrong and invalid references.
# usage: test_verify.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] && [ -d "$2/cases" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
source=$(realpath "$2/cases")
. "$(dirname "$(realpath "$0")")/../check.sh"
export OMP_WAIT_POLICY=passive # other tests may share the cores
heading=quantity,value,uncertainty,source,conditions,settings,check,bar
bgk='"collision.method=bgk velocity.nodes=[12,8,8] space.cells=16"'

# verify CODE ARGUMENT...: output into out and err
verify() {
    local code=$1
    shift
    "$knudsen" verify --cases cases "$@" >out 2>err
    [ $? -eq "$code" ]
}

# reference ROW...: cases/couette with these rows only
reference() { printf '%s\n' "$heading" "$@" >cases/couette/reference.csv; }

says() { grep -qF -- "$1" out err; }

mkdir cases && cp -r "$source/couette" "$source/fourier" cases || exit 1
good="-right.stress_y,0.338925,0.0001,\"somebody, somewhere\",BGK; delta 1,$bgk,quick,0.3%"

reference "$good" '-right.stress_y,0.4,,somebody else,for the reader,,,'
check "a correct value passes" verify 0 couette
check "the summary counts the checks" says "1 check on"
check "the source is printed" says "[1] somebody, somewhere"
check "the conditions are printed" grep -qx 'couette: BGK; delta 1' out
long="${good/BGK; delta 1/BGK; delta 1; of which so much can be said that it fills more than one line of a table that fits on most screens}"
wide="${good/0.338925,0.0001/0.338925,0.1}"
reference "$long" "${wide/somewhere/elsewhere}"
check "a row with long conditions" verify 0 couette
check "  long conditions are not truncated" bash -c 'tr -s "\n " " " <out | grep -q "of a table that fits on most screens"'
check "  no line is longer than 80 characters" bash -c '! grep -q ".\{81\}" out'
check "a large uncertainty is printed with +-" grep -q ' 0\.339 +- 0\.10 \[2\]' out
check "a closed pipe ends the program" bash -c '"$0" verify --cases cases couette 2>err | true; [ "${PIPESTATUS[0]}" -eq 141 ]' "$knudsen"
check "  a closed pipe causes no message" test ! -s err
reference "$good" '-right.stress_y,0.4,,somebody else,for the reader,,,'
check "verify --json" verify 0 couette --json
if command -v python3 >/dev/null; then
    check "the JSON is valid" python3 -c '
import json
a, b = [json.loads(line) for line in open("out")]
assert a["case"] == "couette" and a["verdict"] == "pass" and abs(a["value"] - 0.3389) < 1e-3
parts = sum(a["error_" + k] for k in ("space", "velocity", "unsteady", "rounding")) + 3 * a["error_statistical"]
assert abs(a["tolerance"] - a["reference_error"] - parts) < 1e-9, a
assert b["checks"] == 1 and b["failed"] == 0'
fi
check "verify --set" verify 0 couette --set time.mode=unsteady --set time.tolerance=1e-3
check "verify --set without a value" verify 2 couette --set time.mode
reference "${good/right.stress_y/right.stress_y=1}"
check "a value at a time, of a steady state" verify 2 couette
check "  the message names the mode" says "needs steps in time (time.mode: unsteady)"
reference "$good" '-right.stress_y,0.4,,somebody else,for the reader,,,'
check "verify --list" verify 0 --list
check "the list contains the cases" says "couette                1 quick   1 full"

reference "${good/0.338925/0.3399}"
check "a wrong value fails" verify 3 couette
check "the failure is printed" says "FAIL"
check "the failures are counted" says "1 of 1 checks fail"
reference '-right.stress_y,0.4,,somebody else,for the reader,,,'
check "a reference without checks is an error" verify 2 couette
check "the message states that nothing is compared" says "nothing is compared"
diverges="-right.stress_y,0.338925,0.0001,somebody,diverges,\"collision.method=monte-carlo collision.update=explicit collision.samples=1 velocity.nodes=8 time.step=0.01 time.end=5 disturbance=1 walls.right.velocity=[0,40,0] gas.reference.temperature=0\",quick,0.3%"
reference "$diverges" "$good"
check "a run that diverges fails" verify 3 couette
check "the other checks are made" says "1 pass, 1 FAIL"
reference "${good/0.3%/0.0000001%}"
check "a deviation above the bar fails" verify 3 couette

check "an unknown case is refused" verify 2 couete
check "the message suggests a case" says "did you mean couette?"
check "a missing folder of cases is refused" bash -c '! "$0" verify --cases nowhere 2>err && grep -q "no folder of cases" err' "$knudsen"

# exit code 2 and a message with line 3 of the file
wrong() {
    reference "$good" "$2"
    check "$1" verify 2 couette
    check "  the message contains the line" says "couette/reference.csv:3: $3"
}
wrong "a row that is too short" 'D,1,0,somebody,,,quick' "fewer than 8 columns"
wrong "a row that is too long" 'D,1,0,some,body,,,quick,' "more than 8 columns"
wrong "a quote that is not closed" 'D,1,0,"somebody,,,quick,' "a double quote is not closed"
wrong "a value that is not a number" 'D,one,0,somebody,,,quick,' "value is no number"
wrong "no source" 'D,1,0,,,,quick,' "the source is missing"
wrong "no uncertainty" 'D,1,,somebody,,,quick,' "a value without uncertainty"
wrong "a bar that is not a number" 'D,1,0,somebody,,,quick,small' "bar is no number"
wrong "a bad quantity" 'drag,1,0,somebody,,,quick,' "'drag' is no quantity"
wrong "a quantity of another case" 'D,1,0,somebody,,velocity.nodes=8 collision.method=bgk time.end=1,quick,' "'D': this case has no D"
wrong "a bad setting" 'D,1,0,somebody,,gas.detla=1,quick,' "--set"
printf 'quantity,value\n' >cases/couette/reference.csv
check "another header is refused" verify 2 couette
check "  the message contains the header line" says "reference.csv:1: the first line is not"

# Points of a profile have the largest of their errors in common; amplitude and phase have the same error relative to
# the amplitude.
swing='"collision.method=bgk velocity.nodes=8 space.cells=16 walls.right.oscillation.velocity=[0,1,0] walls.right.velocity=[0,0,0] walls.left.velocity=[0,0,0] walls.right.oscillation.frequency=1 time.end=15"'
reference "uy(0.1),-0.2,1,somebody,BGK,$bgk,quick," "uy(0.5),0,1,somebody,BGK,$bgk,quick," "uy(0.9),0.2,1,somebody,BGK,$bgk,quick," \
    "-right.stress_y.amplitude,0.5,1,somebody,BGK,$swing,quick," "-right.stress_y.phase,0,4,somebody,BGK,$swing,quick,"
check "a profile and an oscillating wall" verify 0 couette --json
if command -v python3 >/dev/null; then
    check "points of a profile have a common error" python3 -c '
import json
a, b, c, d, e = [json.loads(line) for line in open("out")][:5]
for k in ("error_space", "error_velocity"):
    assert a[k] == b[k] == c[k] > 0, (k, a[k], b[k], c[k])
    assert e[k] > 0 and abs(d[k] / d["value"] - e[k]) < 1e-9, (k, d[k], d["value"], e[k])
assert b["error_unsteady"] < 1e-4 and a["case"] == "couette" and e["check"] == "quick"'
fi

# A full row replaces the quick row of the same quantity, conditions and source.
full="-right.stress_y,0.338925,0.0001,\"somebody, somewhere\",BGK; delta 1,\"collision.method=bgk velocity.nodes=[12,8,8] space.cells=20\",full,0.3%"
reference "$good" "$full" "${good/BGK; delta 1/the same}"
check "the list counts quick and full rows" bash -c '"$0" verify --cases cases --list >out && grep -q "couette                2 quick   2 full" out' "$knudsen"
check "verify of quick rows" verify 0 couette --json
check "  only quick rows are checked" bash -c '[ "$(grep -c "\"check\": \"quick\"" out)" -eq 2 ] && ! grep -q "\"check\": \"full\"" out'
check "verify of full rows" verify 0 couette --full --json
check "  full rows replace the quick rows" bash -c '[ "$(grep -c "\"check\": \"quick\"" out)" -eq 1 ] && [ "$(grep -c "\"check\": \"full\"" out)" -eq 1 ]'

ten=${bgk/space.cells/time.end=10 space.cells}
reference "uy(0.5)=10,0,1,somebody,BGK,$ten,quick,"
check "a field at the end" verify 0 couette
reference "$good" "uy(0.5)=9,0,1,somebody,BGK,$ten,quick,"
check "a field at another time is refused" verify 2 couette
check "  the message contains the line and the time" says "couette/reference.csv:3: 'uy(0.5)=9': fields are known at the end of the run only, t = 10"

reference "$good"
check "KNUDSEN_CASES selects the cases" bash -c 'KNUDSEN_CASES=cases "$0" verify couette >out 2>err' "$knudsen"
check "  the selected case is checked" says "1 check on"

# A build folder outside the source tree has links to the cases and to the package.
mkdir bin && cp "$knudsen" bin/knudsen && ln -s "$work/cases" bin/cases && ln -s "$source/../python" bin/python
check "cases beside the program" bash -c 'unset KNUDSEN_CASES; bin/knudsen verify --list >out 2>err'
check "the list contains couette" says "couette "

# The runs of a process that mpirun has started are no ranks of its job.
if command -v mpirun >/dev/null && "$knudsen" doctor | grep -q "Open MPI"; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    check "one rank of mpirun" bash -c 'timeout 120 mpirun -n 1 "$0" verify --cases cases couette >out 2>err' "$knudsen"
    check "its checks are done" says "1 check on"
fi

reference "${good/space.cells=16/space.cells=4000 time.mode=unsteady}"
for signal in INT TERM; do
    "$knudsen" verify --cases "$work/cases" couette >out 2>err &
    pid=$!
    sleep 3
    kill -$signal $pid && wait $pid
    check "SIG$signal to the program alone ends it with 130" test $? -eq 130
    check "no run is left" bash -c '! pgrep -f "run $0/"' "$work"
done
setsid "$knudsen" verify --cases cases couette >out 2>err &
sleep 3
kill -INT -- -$! && wait $! # as a terminal does: to the program and to those that it has started
check "Ctrl-C ends verify with 130" test $? -eq 130
check "  the summary counts the completed checks" says "interrupted after 0 of 1 checks in"
exit $failed
