#!/bin/bash
# knudsen run: files, output and exit codes.
# usage: test_run.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
. "$(dirname "$(realpath "$0")")/../check.sh"

# Valid JSON; checked completely if Python is available.
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
    check "a/$file exists" test -s "a/$file"
done
check "the series exists" test -n "$(ls a/fields/*.vtr 2>/dev/null)"
check "no temporary file is left" test -z "$(find a -name '*.tmp*')"
check "summary.json has its keys" json_keys a/summary.json quantities D G walls steps time wall_s phase_s \
    updates_per_s drift case outcome
check "the outcome is the end time" contains a/summary.json '"outcome": *"end time"'
check "summary.json contains the case" json_keys a/summary.json delta disturbance cells nodes seed
check "history.csv names its columns" contains a/history.csv '^step,time,residual,mass,.*,D,G,.*top.stress_x'
check "history.csv begins at step 0" contains a/history.csv '^0,0,nan,'
rows=$(($(wc -l <a/history.csv) - 1))
check "history.csv has a row per 5 steps and one at the end" \
    test "$rows" -ge "$((1 + $(tail -1 a/history.csv | cut -d, -f1) / 5))"
check "the header contains Kn, delta and Ma" contains a.out 'Kn 0.8885 *delta 1 *Ma'
check "the last line names the next command" contains a.out 'next: knudsen plot a'
check "plain output has no control codes" lacks a.out $'[\033\r]'
check "run.log contains the start with its date" contains a/run.log 'T.*Z start'
check "run.log contains the end with its date" contains a/run.log 'T.*Z stop'

# 2. A repeated run gives the same results and removes the files of the earlier run.
cp a/history.csv first.csv
check "run again, with --set" ends 0 "$knudsen" run case.yaml --out a --overwrite --set output.vtk=false
check "the same history" cmp first.csv a/history.csv
check "fields.pvd of the earlier run is removed" absent a/fields.pvd
check "the series of the earlier run is removed" test -z "$(ls a/fields/*.vtr 2>/dev/null)"

# 3. Ways to report.
check "--quiet ends with 0" ends 0 "$knudsen" run case.yaml --out q --quiet
check "--quiet prints nothing" empty out
check "--quiet prints no errors" empty err
check "--json ends with 0" ends 0 "$knudsen" run case.yaml --out j --json
check "--json prints one object per line" json_lines out
check "--json: the first event is start" contains out '^{"event": "start"'
check "--json: the last event has the outcome" contains out '^{"event": "end", "outcome": "end time"'
if command -v python3 >/dev/null; then
    # A longer run with an operator that is not in the cache.
    check "--json with the assembly of an operator" ends 0 env KNUDSEN_CACHE=cache "$knudsen" run case.yaml --out e --json \
        --set collision.method=operator --set disturbance=0 --set velocity.nodes=6 --set time.end=1e6 \
        --set time.residual=1e-4
    check "all events are complete" python3 -c '
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
    check "a run stopped by walltime" ends 130 "$knudsen" run case.yaml --out stopped --quiet --set time.end=1e6 --set run.walltime=0.2
    check "--json: a refused run" ends 2 "$knudsen" run case.yaml --out stopped --json
    check "the event contains the reason" python3 -c '
import json
(end,) = [json.loads(line) for line in open("out")]
assert end["event"] == "end" and end["outcome"] == "failed" and "--resume" in end["message"], end'
fi
check "--dry-run ends with 0" ends 0 "$knudsen" run case.yaml --out d --dry-run
check "--dry-run prints the case" contains out delta
check "--dry-run writes nothing" absent d

# On a terminal: a live line, but not on a dumb terminal; colours unless NO_COLOR is set.
if command -v script >/dev/null; then
    on_terminal() { script -qec "$1 '$knudsen' run case.yaml --out t --overwrite --set time.end=40" /dev/null </dev/null >screen; }
    check "output on a terminal" on_terminal 'TERM=xterm'
    check "the terminal has a live line" contains screen $'\r.* %.*ETA .*\033\[J\r'
    check "the terminal has colours" contains screen $'\033\[1mknudsen'
    check "output with NO_COLOR" on_terminal 'TERM=xterm NO_COLOR=1'
    check "NO_COLOR: no colours" lacks screen $'\033\[[0-9;]*m'
    check "NO_COLOR: a live line" contains screen $'\033\[J'
    check "output on a dumb terminal" on_terminal 'TERM=dumb'
    check "a dumb terminal gets no control codes" lacks screen $'\033'
fi

# 4. Ways to stop.
check "max_steps" ends 0 "$knudsen" run case.yaml --out m --quiet --set time.max_steps=7
check "max_steps ends at 7" contains m/history.csv '^7,'
check "the outcome is max steps" contains m/summary.json '"outcome": *"max steps"'
check "residual" ends 0 "$knudsen" run case.yaml --out r --quiet --set time.end=1000 --set time.residual=0.5
check "the outcome is residual" contains r/summary.json '"outcome": *"residual"'
check "walltime ends with 130" ends 130 "$knudsen" run case.yaml --out w --set time.end=1e6 --set run.walltime=0.5
check "the outcome is walltime" contains w/summary.json '"outcome": *"walltime"'
check "walltime leaves a checkpoint" test -s w/checkpoint-a.h5
check "walltime: the message names --resume" contains out --resume

# 5. Errors.
check "missing case ends with 2" ends 2 "$knudsen" run nowhere.yaml --out x
check "the message names the missing case" contains err nowhere.yaml
check "missing case writes nothing" absent x
check "bad value ends with 2" ends 2 "$knudsen" run case.yaml --out x --set gas.delta=-1
check "the message names the key of the bad value" contains err gas.delta
check "bad value writes nothing" absent x
check "folder that cannot be created ends with 4" ends 4 "$knudsen" run case.yaml --out case.yaml/x
check "the message names the folder that cannot be created" contains err case.yaml
check "resume without checkpoint ends with 4" ends 4 "$knudsen" run case.yaml --out x --resume
check "resume without checkpoint writes nothing" absent x

# 6. A missing device (not tested if the device is present).
oscillation="--quiet --set walls.right.oscillation.velocity=[0,1,0] --set walls.right.oscillation.frequency=2"
check "an oscillating wall on the CPU" ends 0 "$knudsen" run case.yaml --out oscillation-cpu --set run.backend=cpu $oscillation
check "an oscillating wall on the strict backend" ends 0 "$knudsen" run case.yaml --out oscillation-strict --set run.backend=strict $oscillation
check "both backends give the same history" cmp oscillation-cpu/history.csv oscillation-strict/history.csv
check "doctor ends with 0" ends 0 "$knudsen" doctor
check "doctor prints the backend of auto" contains out '^auto *\(cpu\|cuda\)$'
check "bench with an invalid size ends with 2" ends 2 "$knudsen" bench --paper=x
check "bench with an invalid size measures nothing" lacks out 'CPU'
if ! "$knudsen" run case.yaml --out g --set run.backend=cuda --quiet 2>err; then
    check "a missing GPU ends with 2" ends 2 "$knudsen" run case.yaml --out g --set run.backend=cuda --quiet
    check "the message states that there is no GPU" contains err 'run.backend: .*GPU'
fi

# 7. Explicit updates beyond the stability limit: the run stops and reports the cell.
unstable=(--set gas.delta=1000 --set collision.update=explicit --set collision.samples=50 --set time.end=200
    --set velocity.grid=stretched --set velocity.nodes=20 --set collision.estimator=paper --set collision.method=monte-carlo --set space.cells=[8,8])
check "unstable run ends with 3" ends 3 "$knudsen" run case.yaml --out n "${unstable[@]}" --set output.checkpoint=0
check "the message names quantity, cell, step and time" contains err \
    'non-finite [a-zA-Z]* in cell [0-9]* (x [0-9]*, y [0-9]*, z [0-9]*) at step [0-9]*, t = '
check "the message states that there is no checkpoint" contains err 'no checkpoint'
check "no checkpoint with non-finite values is written" absent n/checkpoint-a.h5
check "no row with non-finite values is written" lacks n/history.csv '[^,]nan\|inf\|,nan,nan'
check "no summary is written" absent n/summary.json
check "run.log contains the error" contains n/run.log '^error: non-finite'

# A lid that is too fast for the velocity grid.
fast=(--out fast --set collision.method=bgk --set disturbance=5 --set time.end=0.1)
check "a lid that is too fast is refused" ends 2 "$knudsen" run case.yaml "${fast[@]}"
check "the message names the side" contains err 'the velocity grid cannot represent what the top side emits'
check "run.force runs the case" ends 0 "$knudsen" run case.yaml "${fast[@]}" --set run.force=true
check "run.force prints a warning" contains out 'warning: the velocity grid cannot represent what the top side emits'
check "the output names the collision method" contains out 'collide  *bgk$'

# Sides without a wall: an inflow changes the mass, a far field does not.
open='--set space.cells=10 --set collision.method=bgk --set walls.top.velocity=0 --set time.end=0.5'
check "a case with an inflow" ends 0 "$knudsen" run case.yaml --out open $open --set walls.left.kind=inflow --set 'walls.left.velocity=[1,0,0]'
check "the history has no mass drift" lacks open/history.csv mass_drift
check "the output has no mass drift" lacks out 'drift'
check "an inflow that is too fast is refused" ends 2 "$knudsen" run case.yaml --out open --overwrite $open --set disturbance=1 --set walls.left.kind=inflow --set 'walls.left.velocity=[9,0,0]' --set time.max_steps=1
check "the message names the side of the inflow" contains err 'the velocity grid cannot represent what the left side emits'
check "a case with a far field" ends 0 "$knudsen" run case.yaml --out far $open --set disturbance=0 --set walls.left.kind=far-field --set 'walls.left.gradient.velocity=[0,1,0]'
check "the history has a mass drift" contains far/history.csv mass_drift

# 8. Noise: statistical errors with sampled collisions only, and a note if the averaging window is too short.
check "summary.json has no statistical errors without noise" lacks a/summary.json '"errors"'
check "the output has no statistical errors without noise" lacks a.out '+-'
noisy=(--set collision.method=monte-carlo --set collision.samples=256 --set output.fields=0 --set output.vtk=false)
check "a Monte Carlo run" ends 0 "$knudsen" run case.yaml --out mc "${noisy[@]}" --set time.end=20
check "the output contains D with its error" contains out ' D  *0\.6[0-9]* +- 0\.000[0-9]*  *(mean of [0-9]* rows'
check "summary.json contains the errors" json_keys mc/summary.json errors quantities_std averaged_rows
number() { sed -n "/\"$2\"/,\$p" "$1/summary.json" | grep -m1 -o '"D": *[-0-9.e]*' | sed 's/.*: *//'; }
check "the error is smaller than the standard deviation" \
    awk -v e="$(number mc errors)" -v s="$(number mc quantities_std)" 'BEGIN {exit !(e > s / 20 && e < s / 2)}'
check "a run with a short averaging window" ends 0 "$knudsen" run case.yaml --out short "${noisy[@]}" --set time.end=1
check "the output states that the window is too short" contains out 'D .*too short for an error'
check "the error in summary.json is null" test "$(grep -A1 '"errors"' short/summary.json | tail -1 | tr -d ' ')" = '"D":null,'
check "a run without an averaging window" ends 0 "$knudsen" run case.yaml --out none "${noisy[@]}" --set output.average=-1
check "the output states that there is no error" contains out 'D .*(a single row, no error)'

# 9. collision.samples: auto.
chosen=("${noisy[@]}" --set time.end=20 --set collision.samples=auto --set collision.error=0.005)
check "a run with samples: auto" ends 0 "$knudsen" run case.yaml --out auto "${chosen[@]}"
check "the output contains the number of samples and the error" contains out \
    'samples  *[0-9]* per step for a relative statistical error of 0.005: it is [0-9.e-]*, held'
check "summary.json contains the number of samples and the error" json_keys auto/summary.json samples count error_target error_of held
check "the case in summary.json contains the number of samples" grep -qz '"collision": {[^}]*"samples": [1-9][0-9]*' auto/summary.json
check "the output lists the time of the pilot" contains out '^  pilot  *[0-9.]* s'
check "the pilot is announced" contains out '^choosing collision.samples, by runs on a coarse grid$'
check "walltime stops a pilot" ends 130 "$knudsen" run case.yaml --out late "${chosen[@]}" --set collision.error=0.0005 --set run.walltime=0.01
check "the message names run.walltime" contains err 'stopped by run.walltime (0.01 s) before the first step'
check "a stopped pilot writes nothing" absent late
check "samples: auto with another seed" ends 0 "$knudsen" run case.yaml --out seed "${chosen[@]}" --set run.seed=2 --quiet
check "the number of samples does not depend on the seed" test "$(grep '"count"' auto/summary.json)" = "$(grep '"count"' seed/summary.json)"

exit $failed
