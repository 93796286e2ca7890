#!/bin/bash
# Kills (SIGKILL) runs at random times and resumes them; every run must give the same bits as an uninterrupted run.
# Every second run replaces a finished one, which must be complete until then.  Runs are long enough for the history
# to be thinned several times.
# usage: kill.sh PROGRAM COUNT RANKS [SEED]
[ $# -ge 3 ] && knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM COUNT RANKS [SEED]"; exit 1; }
count=$2 ranks=$3
RANDOM=${4:-1}
here=$(dirname "$(realpath "$0")")
. "$here/check.sh"
start=()
if [ "$ranks" -gt 1 ]; then
    . "$here/mpi/ranks.sh"
    start=("$mpirun" -n "$ranks")
fi

cat >case.yaml <<'END'
gas: {delta: 1}
space: {cells: 12}
velocity: {nodes: 4}
collision: {method: bgk}
walls: {left: {velocity: [0, 1, 0]}}
time: {end: 1e6, splitting: strang, residual: 0}
run: {threads: 1}
output: {vtk: false, checkpoint: 0.1}
END

# Steps for about three seconds, at least two thinnings of the history.
"${start[@]}" "$knudsen" run case.yaml --out probe --quiet --set run.walltime=1 >/dev/null 2>&1
steps=$(sed -n 's/^ *"steps": *\([0-9]*\).*/\1/p' probe/summary.json)
steps=$((3 * ${steps:-20000})) && [ $steps -lt 50007 ] && steps=50007
"$knudsen" run case.yaml --out whole --quiet --set output.checkpoint=0 --set time.max_steps=$steps || exit 1
"$knudsen" run case.yaml --out earlier --quiet --set output.checkpoint=0 --set gas.delta=2 --set time.max_steps=100 || exit 1

same() {
    cmp "$1/history.csv" "$2/history.csv" && h5diff "$1/fields.h5" "$2/fields.h5" &&
        { h5diff "$1"/checkpoint-a.h5 "$2"/checkpoint-a.h5 || h5diff "$1"/checkpoint-a.h5 "$2"/checkpoint-b.h5; } >/dev/null
}

# begin: starts a new run, or one that replaces a finished run.
begin() {
    rm -rf killed
    [ $((RANDOM % 2)) -eq 0 ] || cp -r earlier killed
    [ -e killed ] && replaces=1 || replaces=0
}

# strike: kills the run once; returns 1 if the run had ended.
strike() {
    local options=() job pid moment code
    if compgen -G 'killed/.knudsen-new/checkpoint-?.h5' >/dev/null || { [ $replaces = 0 ] && compgen -G 'killed/checkpoint-?.h5' >/dev/null; }; then
        options=(--resume)
    elif [ -e killed ]; then
        options=(--overwrite)
    fi
    "${start[@]}" "$knudsen" run case.yaml --out killed --quiet --set time.max_steps=$steps "${options[@]}" >log 2>&1 &
    job=$!
    moment=$(awk -v r=$RANDOM 'BEGIN {printf "%.3f", 0.1 + 2 * r / 32768}')
    sleep "$moment"
    if [ "$ranks" -gt 1 ]; then
        pid=($(pgrep -P $job -f "$knudsen run")) # a rank, not the launcher
        pid=${pid[RANDOM % (${#pid[@]} > 0 ? ${#pid[@]} : 1)]}
    else
        pid=$job
    fi
    [ -n "$pid" ] && kill -KILL "$pid" 2>/dev/null
    wait $job 2>/dev/null
    code=$?
    [ $code -ne 0 ]
}

struck=0 ended=0 tries=0
begin
while [ $struck -lt "$count" ] && [ $((tries += 1)) -le $((4 * count + 20)) ]; do
    if strike; then
        struck=$((struck + 1))
        grep -q '^knudsen: ' log && [ "$ranks" -eq 1 ] && { echo "FAIL  kill $struck: $(grep '^knudsen: ' log)"; failed=1; break; }
        if [ $replaces = 1 ] && [ ! -e killed/.knudsen-new/.clearing ] && [ ! -e killed/.knudsen-new/.moving ] && ! same earlier killed >differ 2>&1 && ! same whole killed >/dev/null 2>&1; then
            echo "FAIL  kill $struck: the earlier run is damaged"; cat differ; failed=1
        fi
    else
        check "run after $struck kills: same bits" same whole killed
        ended=$((ended + 1))
        begin
    fi
done
options=(--resume)
if ! compgen -G 'killed/.knudsen-new/checkpoint-?.h5' >/dev/null && { [ $replaces = 1 ] || ! compgen -G 'killed/checkpoint-?.h5' >/dev/null; }; then
    options=($([ -e killed ] && echo --overwrite))
fi
check "to the end" ends 0 "${start[@]}" "$knudsen" run case.yaml --out killed --quiet --set time.max_steps=$steps "${options[@]}"
check "same bits" same whole killed
check "$count kills" test $struck -eq "$count"
echo "$struck kills, $((ended + 1)) runs, $steps steps"
exit $failed
