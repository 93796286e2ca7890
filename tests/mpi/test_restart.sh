#!/bin/bash
# A run stopped on 4 ranks is resumed on 1 and on 3 ranks, and a run of one process on 4; all give the bits of the
# uninterrupted run.  If a rank is killed at any time, the job ends soon and the checkpoints are valid.
# usage: test_restart.sh PROGRAM SOURCE_FOLDER [KILLS]
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER [KILLS]"; exit 1; }
kills=${3:-6} # more of them take longer
. "$(dirname "$(realpath "$0")")/ranks.sh"

cat >case.yaml <<'END'
gas:
  delta: 1
disturbance: 0.1
space:
  cells: [16, 14]
velocity:
  nodes: 8
collision:
  method: monte-carlo
  samples: 512
walls:
  top:
    velocity: [1, 0, 0]
time:
  splitting: strang
  end: 1000
output:
  history: 7
  average: 0.1
END

# Steps for some seconds on four ranks.  Their minimum number ensures that a fast processor takes longer than the
# walltimes below, even if the machine was busy during the probe.
ranks 4 run case.yaml --out probe --quiet --set run.walltime=1 >/dev/null 2>&1
steps=$(sed -n 's/^ *"steps": *\([0-9]*\).*/\1/p' probe/summary.json)
steps=$((5 * ${steps:-100})) && [ $steps -ge 700 ] || steps=700
end="time.max_steps=$steps"
check "the uninterrupted run, one process" "$knudsen" run case.yaml --out whole --quiet --set "$end"

# --------------------------------------------------------------- resume on other numbers of ranks

check "stopped on 4 ranks" ends 130 ranks 4 run case.yaml --out four --quiet --set "$end" --set run.walltime=0.1
check "the message is printed once" test "$(grep -c '^knudsen' err)" -eq 1
for n in 1 3 2; do
    cp -r four "from4on$n"
    check "4 ranks, resumed on $n" ranks "$n" run case.yaml --out "from4on$n" --quiet --resume --set "$end"
    check "4 ranks, resumed on $n: same bits" same whole "from4on$n"
done
check "one process, stopped" ends 130 "$knudsen" run case.yaml --out alone --quiet --set "$end" --set run.walltime=0.1
check "one process, resumed on 4 ranks" ranks 4 run case.yaml --out alone --quiet --resume --set "$end"
check "one process, resumed on 4 ranks: same bits" same whole alone

# ------------------------------------------------------------------------- kills

starts() { grep -cs 'Z \(start\|resume\)' killed/run.log; }

# One rank of a running job is killed after a random time; the job must end by itself.  The time counts from the
# beginning of the run: mpirun may wait forever for a rank that ends before it has connected.
kill_one() {
    local moment=$1 job pids code begun before
    shift
    before=$(starts)
    timeout -k 5 60 "$mpirun" -n 3 "$knudsen" "$@" >out 2>err &
    job=$!
    while kill -0 $job 2>/dev/null && [ "$(starts)" = "$before" ]; do sleep 0.02; done
    sleep "$moment"
    pids=($(pgrep -f "^$knudsen run case.yaml --out killed"))
    [ ${#pids[@]} -gt 0 ] && kill -KILL "${pids[RANDOM % ${#pids[@]}]}" && echo "$moment" >>struck
    begun=$SECONDS
    wait $job
    code=$?
    echo "after the kill the job took $((SECONDS - begun)) s, exit code $code"
    [ $code -ne 124 ] && [ $((SECONDS - begun)) -lt 30 ]
}

# The newest valid checkpoint is not older than the one before the kill.
left() {
    /usr/bin/python3 - <<'END'
import glob, h5py
good = [0]
for name in glob.glob("killed/checkpoint-?.h5"):
    try:
        with h5py.File(name) as file:
            file["h"][...]
            good.append(int(file.attrs["step"]))
    except OSError:
        pass
before = int(open("last").read()) if glob.glob("last") else 0
assert max(good) >= before, f"{good} now, {before} before"
open("last", "w").write(str(max(good)))
END
}

begin_anew() { rm -rf killed last resume; }
RANDOM=20 # the same moments each time
begin_anew
i=0
: >struck
while [ "$(wc -l <struck)" -lt "$kills" ] && [ $((i += 1)) -le $((2 * kills)) ]; do
    moment=$(awk -v r=$RANDOM 'BEGIN {printf "%.3f", r / 32768}')
    check "kill $i, after $moment s" kill_one "$moment" run case.yaml --out killed --quiet $(cat resume 2>/dev/null) \
        --set "$end" --set output.checkpoint=0.05
    check "kill $i: its checkpoint or the one before is valid" left
    ls killed/checkpoint-?.h5 >/dev/null 2>&1 && echo --resume >resume
    if [ -e killed/summary.json ]; then # the end was reached between two kills
        check "kill $i: the run had ended, same bits" same whole killed
        begin_anew
    fi
done
check "$kills ranks were killed" test "$(wc -l <struck)" -eq "$kills"
check "after the last kill: the run is completed" ranks 2 run case.yaml --out killed --quiet $(cat resume 2>/dev/null) --set "$end"
check "after the last kill: same bits" same whole killed
exit $failed
