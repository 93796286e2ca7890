#!/bin/bash
# knudsen run --resume: an interrupted run gives the same bits as an uninterrupted one.
# usage: test_restart.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
. "$(dirname "$(realpath "$0")")/../check.sh"

cat >case.yaml <<'END'
gas:
  delta: 1
  reference: {temperature: 0.5}
disturbance: 0.1
space:
  cells: [16, 16]
  order: 2
velocity:
  grid: stretched
  nodes: 10
collision:
  method: monte-carlo
  samples: 1024
walls:
  top:
    velocity: [1, 0, 0]
run:
  force: true                # few nodes: the test is about bits
time:
  splitting: strang
output:
  history: 7
  fields: 0.3
  average: 0.1
END

# The run must be long enough to be interrupted on any machine: count the steps in half a second and run for about one
# second.
"$knudsen" run case.yaml --out probe --quiet --set time.end=1e6 --set run.walltime=0.5 >/dev/null 2>&1
steps=$(sed -n 's/^ *"steps": *\([0-9]*\).*/\1/p' probe/summary.json)
dt=$(sed -n 's/^ *"time_step": *\([0-9.e+-]*\).*/\1/p' probe/summary.json)
end=$(awk -v n="${steps:-0}" -v dt="${dt:-0}" 'BEGIN { printf "%.6g", 2.5 * n * dt }')
fields=$(awk -v end="$end" 'BEGIN { printf "%.6g", end / 4.5 }')
case=(case.yaml --set "time.end=$end" --set "output.fields=$fields")
check "a run that walltime stops leaves a checkpoint" test -s probe/checkpoint-a.h5
[ $failed -eq 0 ] || exit 1

check "uninterrupted run" ends 0 "$knudsen" run "${case[@]}" --out whole --quiet

# same FOLDER: all results equal those of the uninterrupted run.
same() {
    local file slot
    cmp whole/history.csv "$1/history.csv" || return 1
    h5diff whole/fields.h5 "$1/fields.h5" || return 1
    cmp whole/fields.pvd "$1/fields.pvd" || return 1
    for file in whole/fields/*; do cmp "$file" "$1/fields/${file##*/}" || return 1; done
    for slot in a b; do
        [ -e "$1/checkpoint-$slot.h5" ] && h5diff "$newest" "$1/checkpoint-$slot.h5" && return 0
    done
    echo "neither checkpoint equals $newest"
    return 1
}
newest=whole/checkpoint-a.h5

# Wait until the run has written this number of tenths of the history. The time of the interruption is counted in rows
# because the speed of a shared machine varies.
rows=$(wc -l <whole/history.csv)
wait_for() {
    local folder=$1 tenths=$2 pid=$3
    while kill -0 "$pid" 2>/dev/null; do
        # the output shows that signal handlers are installed
        [ -s out ] && [ -e "$folder/history.csv" ] && [ "$(wc -l <"$folder/history.csv")" -ge $((rows * tenths / 10)) ] && return
        sleep 0.02
    done
}

# interrupted SIGNAL FOLDER TENTHS ARGUMENTS...: run, signal, exit code 130.
interrupted() {
    local signal=$1 folder=$2 tenths=$3 pid code
    shift 3
    "$knudsen" run "${case[@]}" --out "$folder" "$@" >out 2>err &
    pid=$!
    wait_for "$folder" "$tenths" $pid
    kill "-$signal" $pid
    wait $pid
    code=$?
    [ $code -eq 130 ] && return 0
    echo "exit code $code instead of 130"
    cat err
    return 1
}

# 1. A run interrupted by two different signals, and resumed.
check "SIGINT ends with 130" interrupted INT cut 2
check "SIGINT: the message names --resume" contains out --resume
check "SIGINT: the outcome is interrupted" contains cut/summary.json '"outcome": *"interrupted"'
check "a new run into the same folder is refused" ends 2 "$knudsen" run "${case[@]}" --out cut --quiet
check "the message names --overwrite" contains err overwrite
check "SIGTERM in the resumed run ends with 130" interrupted TERM cut 4 --resume
check "resume to the end" ends 0 "$knudsen" run "${case[@]}" --out cut --resume
check "resume: the message names the checkpoint" contains out 'resuming from .*checkpoint-[ab].h5'
check "the interrupted run gives the same bits" same cut
check "run.log contains all three parts" test "$(grep -c 'Z resume' cut/run.log)" -eq 2
check "resume of a finished run" ends 0 "$knudsen" run "${case[@]}" --out cut --resume --quiet
check "resume of a finished run changes nothing" same cut

# 2. SIGUSR1 and the clock cause checkpoints; the run continues with the same results.
"$knudsen" run "${case[@]}" --out usr --set output.checkpoint=0.1 >out 2>err &
pid=$!
wait_for usr 2 $pid
kill -USR1 $pid
wait $pid
check "SIGUSR1 does not stop the run" test $? -eq 0
check "SIGUSR1 writes a checkpoint" contains out 'checkpoint on request'
check "checkpoints do not change the results" same usr

# The same where observations are evaluated beside the next steps.
check "strict: SIGTERM ends with 130" interrupted TERM beside 3 --set run.backend=strict --set output.checkpoint=0.1
check "strict: resume to the end" ends 0 "$knudsen" run "${case[@]}" --out beside --resume --quiet --set run.backend=strict
check "strict: the same bits" same beside

# 3. A killed run: the output after its last checkpoint is written again.
"$knudsen" run "${case[@]}" --out killed --quiet --set output.checkpoint=0.05 &
pid=$!
wait_for killed 5 $pid
kill -KILL $pid
wait $pid 2>/dev/null
for slot in a b; do check "checkpoint-$slot is there" test -s "killed/checkpoint-$slot.h5"; done
cp -r killed damaged
cp -r killed cutoff
cp -r killed hopeless
check "resume of a killed run" ends 0 "$knudsen" run "${case[@]}" --out killed --resume --quiet
check "the killed run gives the same bits" same killed

# 4. A damaged slot: the other one is used, with a message.
step_of() { h5dump -a step "$1" | sed -n 's/.*(0): *//p'; }
newer=a
[ "$(step_of damaged/checkpoint-b.h5)" -gt "$(step_of damaged/checkpoint-a.h5)" ] && newer=b
older=$([ $newer = a ] && echo b || echo a)
size=$(stat -c %s "damaged/checkpoint-$newer.h5")
printf '\377\377\377\377\377\377\377\377' |
    dd of="damaged/checkpoint-$newer.h5" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
check "resume with flipped bytes in the newest slot" ends 0 "$knudsen" run "${case[@]}" --out damaged --resume
check "the message names the damaged slot" contains out "checkpoint-$newer.h5.* \(damaged\|cannot be used\)"
check "the run resumes from the other slot" contains out "resuming from .*checkpoint-$older.h5"
check "the results are the same after a damaged slot" same damaged
truncate -s $((size / 3)) "cutoff/checkpoint-$newer.h5"
check "resume with a truncated newest slot" ends 0 "$knudsen" run "${case[@]}" --out cutoff --resume
check "the message names the truncated slot" contains out "checkpoint-$newer.h5.* \(damaged\|cannot be used\)"
check "the results are the same after a truncated slot" same cutoff
truncate -s 100 hopeless/checkpoint-a.h5 hopeless/checkpoint-b.h5
check "two damaged slots end with 4" ends 4 "$knudsen" run "${case[@]}" --out hopeless --resume
check "the message states that no checkpoint can be used" contains err 'no checkpoint in .* can be used'

# 5. Another case is refused without a change; a later end is not another case.
cp -r cut other
check "another case ends with 2" ends 2 "$knudsen" run "${case[@]}" --out other --resume --set gas.delta=2
check "the message names the key" contains err 'gas.delta: 2, but the run in .other. has 1 (resume with that'
check "another reference ends with 2" ends 2 "$knudsen" run "${case[@]}" --out other --resume --set gas.reference.temperature=0
check "the earlier results are unchanged" same other
check "an earlier end than the checkpoint ends with 2" \
    ends 2 "$knudsen" run "${case[@]}" --out other --resume --set time.end=0.01
later=$(awk -v end="$end" 'BEGIN { printf "%.6g", 1.1 * end }')
check "resume with a later end" ends 0 "$knudsen" run "${case[@]}" --out other --resume --set "time.end=$later"
check "the history has more rows" test "$(wc -l <other/history.csv)" -gt "$(wc -l <whole/history.csv)"

# 6. Statistical errors continue with the averages, and the resolved number of samples is kept.
errors() { sed -n '/"errors"/,/^  }/p' "$1/summary.json"; }
check "the run has statistical errors" test -n "$(errors whole)"
check "the interrupted run has the same statistical errors" test "$(errors whole)" = "$(errors cut)"
auto=(--set collision.samples=auto --set collision.error=0.02 --set output.average=5 --set time.end=20
    --set space.cells=[8,8] --set velocity.nodes=6)
check "a run with samples: auto" ends 0 "$knudsen" run "${case[@]}" --out auto "${auto[@]}"
check "the run has a pilot" contains out 'choosing collision.samples'
rows=$(wc -l <auto/history.csv)
check "SIGINT to a run with samples: auto" interrupted INT auto-cut 2 "${auto[@]}"
check "resume of a run with samples: auto" ends 0 "$knudsen" run "${case[@]}" --out auto-cut "${auto[@]}" --resume
check "resume has no second pilot" eval '! grep -q "choosing collision.samples" out'
check "the history is the same" cmp auto/history.csv auto-cut/history.csv
check "the statistical errors are the same" test "$(errors auto)" = "$(errors auto-cut)"
check "resume with another collision.error is refused" ends 2 "$knudsen" run "${case[@]}" --out auto-cut "${auto[@]}" --resume \
    --set collision.error=0.01

exit $failed
