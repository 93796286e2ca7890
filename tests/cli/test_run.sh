#!/bin/bash
# knudsen run: the files it leaves, what it prints, how it ends.
# usage: test_run.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
. "$(dirname "$(realpath "$0")")/../check.sh"

# Valid JSON, in full where there is a Python to ask.
json_lines() {
    [ -s "$1" ] || return 1
    if command -v python3 >/dev/null; then
        python3 -c 'import json, sys
for line in open(sys.argv[1]):
    assert "event" in json.loads(line)' "$1"
    else
        ! grep -vq '^{"event": ".*}$' "$1"
    fi
}
json_keys() {
    local file=$1 key
    shift
    for key; do contains "$file" "\"$key\":" || return 1; done
    ! command -v python3 >/dev/null || python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$file"
}

cat >case.yaml <<'END'
gas:
  delta: 1
disturbance: 0.01
space:
  cells: [8, 8]
  order: 1
velocity:
  grid: gauss
  nodes: 8
collision:
  method: bgk
walls:
  top:
    velocity: [1, 0, 0]
time:
  end: 1
output:
  history: 5
  fields: 0.5
END

# 1. A plain run.
check "run ends with 0" ends 0 "$knudsen" run case.yaml --out a
cp out a.out
for file in summary.json history.csv fields.h5 fields.pvd checkpoint-a.h5 run.log; do
    check "a/$file is there" test -s "a/$file"
done
check "the series is there" test -n "$(ls a/fields/*.vtr 2>/dev/null)"
check "nothing temporary stays" test -z "$(find a -name '*.tmp*')"
check "summary.json has its keys" json_keys a/summary.json quantities D G walls steps time wall_s phase_s \
    updates_per_s drift case outcome
check "the outcome is the end time" contains a/summary.json '"outcome": *"end time"'
check "the resolved case is in it" json_keys a/summary.json delta disturbance cells nodes seed
check "history.csv names its columns" contains a/history.csv '^step,time,residual,mass,.*,D,G,.*top.stress_x'
check "history.csv begins at step 0" contains a/history.csv '^0,0,nan,'
rows=$(($(wc -l <a/history.csv) - 1))
check "history.csv has a row per 5 steps and one at the end" \
    test "$rows" -ge "$((1 + $(tail -1 a/history.csv | cut -d, -f1) / 5))"
check "the box names Kn, delta and Ma" contains a.out 'Kn 0.8885 *delta 1 *Ma'
check "the end says what to type next" contains a.out 'next: knudsen plot a'
check "plain output has no control codes" lacks a.out $'[\033\r]'
check "run.log holds the same, with dates" contains a/run.log 'T.*Z start'
check "run.log ends with the date" contains a/run.log 'T.*Z stop'

# 2. The same again gives the same; a fresh run leaves nothing of the old one.
cp a/history.csv first.csv
check "run again, with --set" ends 0 "$knudsen" run case.yaml --out a --overwrite --set output.vtk=false
check "the same history" cmp first.csv a/history.csv
check "no list of the earlier run" absent a/fields.pvd
check "no files of the earlier run" test -z "$(ls a/fields/*.vtr 2>/dev/null)"

# 3. Ways to report.
check "--quiet ends with 0" ends 0 "$knudsen" run case.yaml --out q --quiet
check "--quiet prints nothing" empty out
check "--quiet has no errors" empty err
check "--json ends with 0" ends 0 "$knudsen" run case.yaml --out j --json
check "--json prints one object per line" json_lines out
check "--json begins with start" contains out '^{"event": "start"'
check "--json ends with the outcome" contains out '^{"event": "end", "outcome": "end time"'
if command -v python3 >/dev/null; then
    # A longer run, with an operator that is not in the cache yet.
    check "--json of an operator" ends 0 env KNUDSEN_CACHE=cache "$knudsen" run case.yaml --out e --json \
        --set collision.method=operator --set disturbance=0 --set velocity.nodes=6 --set time.end=1e6 \
        --set time.residual=1e-4
    check "its events are complete" python3 -c '
import json
events = [json.loads(line) for line in open("out")]
kinds = [e["event"] for e in events]
assert kinds[0] == "assembly" and events[0]["part"] == 0, kinds[0]
assert max(e["part"] for e in events if e["event"] == "assembly") == 1
assert kinds.count("start") == 1 and kinds.count("end") == 1 and kinds[-1] == "end", kinds
start, progress, end = (next(e for e in events if e["event"] == k) for k in ("start", "progress", "end"))
for key in ("version folder backend device threads cells shape nodes memory_bytes memory_free knudsen delta mach "
            "collision time_step first_step steps residual_limit walltime_s").split():
    assert key in start, key
for key in "step steps time elapsed_s residual mass_drift D G updates_per_s bytes_per_s eta_s eta_by".split():
    assert key in progress, key
for key in "outcome verdict sentence folder step time wall_s updates_per_s".split():
    assert key in end, key
summary = json.load(open("e/summary.json"))
for key in ("outcome", "time", "updates_per_s"):
    assert summary[key] == end[key], key
assert start["cells"] == 64 and start["shape"] == [8, 8, 1] and start["walltime_s"] is None
assert end["outcome"] == "residual" and summary["phase_s"]["assemble"] > 0 and summary["phase_s"]["pilot"] == 0
assert sum(summary["phase_s"].values()) < end["wall_s"]
assert all(key in summary["quantities"] for key in "DG") and "mass" in summary["drift"]'
    check "a run that stops" ends 130 "$knudsen" run case.yaml --out stopped --quiet --set time.end=1e6 --set run.walltime=0.2
    check "a failure is an event" ends 2 "$knudsen" run case.yaml --out stopped --json
    check "with its reason" python3 -c '
import json
(end,) = [json.loads(line) for line in open("out")]
assert end["event"] == "end" and end["outcome"] == "failed" and "--resume" in end["message"], end'
fi
check "--dry-run ends with 0" ends 0 "$knudsen" run case.yaml --out d --dry-run
check "--dry-run prints the case" contains out delta
check "--dry-run writes nothing" absent d

# On a terminal: one line that is redrawn, none of it on a dumb one, colours unless NO_COLOR.
if command -v script >/dev/null; then
    on_terminal() { script -qec "$1 '$knudsen' run case.yaml --out t --overwrite --set time.end=40" /dev/null </dev/null >screen; }
    check "a terminal" on_terminal 'TERM=xterm'
    check "has a live line" contains screen $'\r.* %.*ETA .*\033\[J\r'
    check "and colours" contains screen $'\033\[1mknudsen'
    check "NO_COLOR" on_terminal 'TERM=xterm NO_COLOR=1'
    check "has none" lacks screen $'\033\[[0-9;]*m'
    check "but a live line" contains screen $'\033\[J'
    check "a dumb terminal" on_terminal 'TERM=dumb'
    check "has no codes" lacks screen $'\033'
fi

# 4. Ways to stop.
check "max_steps" ends 0 "$knudsen" run case.yaml --out m --quiet --set time.max_steps=7
check "max_steps ends at 7" contains m/history.csv '^7,'
check "max_steps is the outcome" contains m/summary.json '"outcome": *"max steps"'
check "residual" ends 0 "$knudsen" run case.yaml --out r --quiet --set time.end=1000 --set time.residual=0.5
check "residual is the outcome" contains r/summary.json '"outcome": *"residual"'
check "walltime ends with 130" ends 130 "$knudsen" run case.yaml --out w --set time.end=1e6 --set run.walltime=0.5
check "walltime is the outcome" contains w/summary.json '"outcome": *"walltime"'
check "walltime leaves a checkpoint" test -s w/checkpoint-a.h5
check "walltime says how to go on" contains out --resume

# 5. What can go wrong.
check "missing case ends with 2" ends 2 "$knudsen" run nowhere.yaml --out x
check "missing case names it" contains err nowhere.yaml
check "missing case writes nothing" absent x
check "bad value ends with 2" ends 2 "$knudsen" run case.yaml --out x --set gas.delta=-1
check "bad value names the key" contains err gas.delta
check "bad value writes nothing" absent x
check "folder that cannot be made ends with 4" ends 4 "$knudsen" run case.yaml --out case.yaml/x
check "folder that cannot be made is named" contains err case.yaml
check "resume without checkpoint ends with 4" ends 4 "$knudsen" run case.yaml --out x --resume
check "resume without checkpoint writes nothing" absent x

# 6. A machine that is not there (where it is, this is no test of it).
oscillation="--quiet --set walls.right.oscillation.velocity=[0,1,0] --set walls.right.oscillation.frequency=2"
check "an oscillating wall on the CPU" ends 0 "$knudsen" run case.yaml --out oscillation-cpu --set run.backend=cpu $oscillation
check "the same behind closed memory" ends 0 "$knudsen" run case.yaml --out oscillation-strict --set run.backend=strict $oscillation
check "gives the same history" cmp oscillation-cpu/history.csv oscillation-strict/history.csv
check "doctor ends with 0" ends 0 "$knudsen" doctor
check "it names the machine that auto takes" contains out '^auto *\(cpu\|cuda\)$'
check "bench with a size that is none" ends 2 "$knudsen" bench --paper=x
check "it says so before it measures" lacks out 'CPU'
if ! "$knudsen" run case.yaml --out g --set run.backend=cuda --quiet 2>err; then
    check "a missing GPU ends with 2" ends 2 "$knudsen" run case.yaml --out g --set run.backend=cuda --quiet
    check "and says why" contains err 'run.backend: .*GPU'
fi

# 7. Explicit samples, each far beyond stability: the run stops and says where.
unstable=(--set gas.delta=1000 --set collision.update=explicit --set collision.samples=50 --set time.end=200
    --set velocity.grid=stretched --set velocity.nodes=20 --set collision.estimator=paper --set collision.method=monte-carlo --set space.cells=[8,8])
check "unstable run ends with 3" ends 3 "$knudsen" run case.yaml --out n "${unstable[@]}" --set output.checkpoint=0
check "it names quantity, cell, step and time" contains err \
    'non-finite [a-zA-Z]* in cell [0-9]* (x [0-9]*, y [0-9]*, z [0-9]*) at step [0-9]*, t = '
check "it says that there is no checkpoint" contains err 'no checkpoint'
check "no bad checkpoint is written" absent n/checkpoint-a.h5
check "no bad row is written" lacks n/history.csv '[^,]nan\|inf\|,nan,nan'
check "no summary of a failure" absent n/summary.json
check "run.log tells of it" contains n/run.log '^error: non-finite'

# A lid beyond the velocity grid.
fast=(--out fast --set collision.method=bgk --set disturbance=5 --set time.end=0.1)
check "a lid that is too fast" ends 2 "$knudsen" run case.yaml "${fast[@]}"
check "is refused" contains err 'the velocity grid cannot represent what the top side emits'
check "unless forced" ends 0 "$knudsen" run case.yaml "${fast[@]}" --set run.force=true
check "with a warning" contains out 'warning: the velocity grid cannot represent what the top side emits'
check "and the collisions are named" contains out 'collide  *bgk$'

# Sides without a wall: gas that flows in changes the mass, a far field does not.
open='--set space.cells=10 --set collision.method=bgk --set walls.top.velocity=0 --set time.end=0.5'
check "an inflow" ends 0 "$knudsen" run case.yaml --out open $open --set walls.left.kind=inflow --set 'walls.left.velocity=[1,0,0]'
check "has no drift of mass" lacks open/history.csv mass_drift
check "nor tells of one" lacks out 'drift'
check "an inflow that is too fast" ends 2 "$knudsen" run case.yaml --out open --overwrite $open --set disturbance=1 --set walls.left.kind=inflow --set 'walls.left.velocity=[9,0,0]' --set time.max_steps=1
check "is refused, too" contains err 'the velocity grid cannot represent what the left side emits'
check "a far field" ends 0 "$knudsen" run case.yaml --out far $open --set disturbance=0 --set walls.left.kind=far-field --set 'walls.left.gradient.velocity=[0,1,0]'
check "has one" contains far/history.csv mass_drift

# 8. Noise: errors where collisions are sampled, none elsewhere, and a word where the window is too short.
check "no errors without noise" lacks a/summary.json '"errors"'
check "no errors in the report" lacks a.out '+-'
noisy=(--set collision.method=monte-carlo --set collision.samples=256 --set output.fields=0 --set output.vtk=false)
check "Monte Carlo" ends 0 "$knudsen" run case.yaml --out mc "${noisy[@]}" --set time.end=20
check "D comes with its error" contains out ' D  *0\.6[0-9]* +- 0\.000[0-9]*  *(mean of [0-9]* rows'
check "and in summary.json" json_keys mc/summary.json errors quantities_std averaged_rows
number() { sed -n "/\"$2\"/,\$p" "$1/summary.json" | grep -m1 -o '"D": *[-0-9.e]*' | sed 's/.*: *//'; }
check "an error is smaller than the deviation" \
    awk -v e="$(number mc errors)" -v s="$(number mc quantities_std)" 'BEGIN {exit !(e > s / 20 && e < s / 2)}'
check "a short window" ends 0 "$knudsen" run case.yaml --out short "${noisy[@]}" --set time.end=1
check "says that it is" contains out 'D .*too short for an error'
check "and has null for an error" test "$(grep -A1 '"errors"' short/summary.json | tail -1 | tr -d ' ')" = '"D":null,'
check "no window" ends 0 "$knudsen" run case.yaml --out none "${noisy[@]}" --set output.average=-1
check "says that too" contains out 'D .*(a single row, no error)'

# 9. Samples that the program chooses.
chosen=("${noisy[@]}" --set time.end=20 --set collision.samples=auto --set collision.error=0.005)
check "samples: auto" ends 0 "$knudsen" run case.yaml --out auto "${chosen[@]}"
check "the report tells the number, and that it was enough" contains out \
    'samples  *[0-9]* per step for a relative statistical error of 0.005: it is [0-9.e-]*, held'
check "so does summary.json" json_keys auto/summary.json samples count error_target error_of held
check "the case in it has the number" grep -qz '"collision": {[^}]*"samples": [1-9][0-9]*' auto/summary.json
check "the pilot is a phase of its own" contains out '^  pilot  *[0-9.]* s'
check "and is announced" contains out '^choosing collision.samples, by runs on a coarse grid$'
check "a pilot heeds the walltime" ends 130 "$knudsen" run case.yaml --out late "${chosen[@]}" --set collision.error=0.0005 --set run.walltime=0.01
check "it says so" contains err 'stopped by run.walltime (0.01 s) before the first step'
check "and writes nothing" absent late
check "another seed gets the same number" ends 0 "$knudsen" run case.yaml --out seed "${chosen[@]}" --set run.seed=2 --quiet
check "indeed" test "$(grep '"count"' auto/summary.json)" = "$(grep '"count"' seed/summary.json)"

exit $failed
