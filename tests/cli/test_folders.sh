#!/bin/bash
# Folders of results: files of the user stay, runs are replaced only when asked, the history fits its checkpoint.
# usage: test_folders.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
here=$(dirname "$(realpath "$0")")
. "$here/../check.sh"

cat >line.yaml <<'END'
gas: {delta: 1}
space: {cells: 6}
velocity: {nodes: 4}
collision: {method: bgk}
walls: {left: {velocity: [0, 1, 0]}}
time: {end: 20, residual: 0}
run: {threads: 1}
output: {vtk: false}
END
run() { "$knudsen" run line.yaml --quiet "$@"; }
keeps() { [ "$(cat "$1")" = "$2" ] || { echo "$1 holds: $(head -c 200 "$1")"; return 1; }; }
sums() { (cd "$1" && find . -type f -not -path './.knudsen-new/*' | sort | xargs sha256sum); }

# 1. Files of the user.
mkdir own && cp line.yaml own/case.yaml && cp own/case.yaml before.yaml && echo mine >own/notes.txt
check "a case beside its results" ends 0 "$knudsen" run own/case.yaml --out own --quiet
check "the user's case stays" cmp own/case.yaml before.yaml
check "the case that was run is there" test -s own/case.used.yaml
check "the folder is marked" contains own/.knudsen-results '^history.csv$'
for name in history.csv fields.h5 checkpoint-a.h5 checkpoint-b.h5 run.log summary.json case.used.yaml; do
    mkdir "with-$name" && echo mine >"with-$name/$name"
    check "a foreign $name is refused" ends 2 run --out "with-$name"
    check "$name is named" contains err "with-$name/$name' was not written by this program"
    check "--overwrite does not replace $name" ends 2 run --out "with-$name" --overwrite
    check "$name stays" keeps "with-$name/$name" mine
done
echo mine >own/picture.png && echo mine >own/report.html
check "run again" ends 0 run --out own --overwrite --set time.end=5
check "a picture of the user stays" keeps own/picture.png mine
check "a report of the user stays" keeps own/report.html mine
check "notes stay" keeps own/notes.txt mine
check "report does not replace it" ends 2 "$knudsen" report own
check "the report stays" keeps own/report.html mine
check "-o replaces it" ends 0 "$knudsen" report own -o own/report.html
rm own/report.html
check "report writes one" ends 0 "$knudsen" report own
check "and replaces its own" ends 0 "$knudsen" report own
echo '<!-- a remark -->' >>own/report.html
check "but not one with remarks" ends 2 "$knudsen" report own
check "plot does not replace a picture" ends 2 "$knudsen" plot own
check "the picture stays" keeps own/picture.png mine
rm own/picture.png
check "plot draws one" ends 0 "$knudsen" plot own
check "and replaces its own" ends 0 "$knudsen" plot own
check "run another" ends 0 run --out second
check "plot of two runs" ends 0 "$knudsen" plot own second
check "does not mark the current folder" absent .knudsen-results
check "nor is the picture replaced" ends 2 "$knudsen" plot own second
check "unless it is named" contains err "'compare.png' exists and is not replaced: name the picture with -o"
check "with -o" ends 0 "$knudsen" plot own second -o compare.png
waits() { # for a marker that another process is changing
    exec 9<own/.knudsen-results
    flock 9
    cp compare.png own/.picture.png.knudsen.tmp
    "$knudsen" plot --adopt own 9<&- >out 2>err &
    sleep 1
    kill -0 $! || { echo "it did not wait"; exec 9<&-; return 1; }
    exec 9<&-
    wait $!
}
if command -v flock >/dev/null; then
    check "the marker is locked while it is changed" waits
    check "and has the new picture" contains own/.knudsen-results "^picture.png $(stat -c %s compare.png) "
fi
mkfifo pipe.html
check "a pipe is no place for a report" ends 4 "$knudsen" report own -o pipe.html
check "it is still a pipe" test -p pipe.html
cp -r own piped && rm piped/summary.json && mkfifo piped/summary.json
check "a summary that is a pipe does not stop the program" ends 2 timeout -k 1 5 "$knudsen" run line.yaml --quiet --out piped

# 2. Links are not followed, nor are names in a marker that lead elsewhere.
mkdir links && echo mine >target
for name in .history.csv .fields.h5 .summary.json .case.used.yaml; do ln -s ../target "links/$name.knudsen.tmp"; done
check "temporary files that are links" ends 4 run --out links
check "the target stays" keeps target mine
rm links/.*.tmp && ln -s ../target links/run.log
check "a log that is a link" ends 2 run --out links --overwrite
check "the target stays" keeps target mine
rm -r links && mkdir links && echo junk >links/.history.csv.knudsen.tmp
check "a temporary file of a killed run does not matter" ends 0 run --out links
check "it is gone" absent links/.history.csv.knudsen.tmp
mkdir forged && printf 'knudsen results, format 1\n../target\nhistory.csv\n' >forged/.knudsen-results
check "a forged marker" ends 0 run --out forged --overwrite
check "the target stays" keeps target mine
mkdir damaged && echo nonsense >damaged/.knudsen-results
check "a damaged marker" ends 2 run --out damaged
mkdir -p series/fields && echo mine >series/fields/00000001.h5
check "a foreign series" ends 2 run --out series --set output.fields=1
check "stays" keeps series/fields/00000001.h5 mine

# 3. A finished run is replaced when it is asked for, and when the new one has ended.
run --out done --set output.fields=5
sums done >before
check "a finished run is refused" ends 2 run --out done --set gas.delta=2
check "with what to do" contains err '--overwrite replaces it'
check "the identical command too" ends 2 run --out done --set output.fields=5
sums done >after
check "nothing has changed" cmp before after
"$knudsen" run line.yaml --quiet --out done --overwrite --set gas.delta=2 --set time.end=1e7 --set output.checkpoint=0.2 &
pid=$!
for ((i = 0; i < 200; i++)); do [ -e done/.knudsen-new/checkpoint-b.h5 ] && break; sleep 0.05; done
kill -KILL $pid
wait $pid 2>/dev/null
sums done >after
check "a killed replacement leaves all" cmp before after
check "report reads it" ends 0 "$knudsen" report done -o page.html
check "the replacement is named" ends 2 run --out done
check "--resume of the earlier run goes to it" ends 0 run --out done --resume --set output.fields=5
check "--resume of the replacement" ends 130 run --out done --resume --set gas.delta=2 --set time.end=1e7 --set run.walltime=0.3
check "tells where it is" contains err "'done' still holds the earlier run, this one is in 'done/.knudsen-new'"
steps=$(sed -n 's/^ *"steps": *\([0-9]*\).*/\1/p' done/.knudsen-new/summary.json)
check "to its end" ends 0 run --out done --resume --set gas.delta=2 --set time.end=1e7 --set "time.max_steps=$((steps + 10))"
check "is now in place" contains done/summary.json "\"steps\": *$((steps + 10)),"
check "the series of the earlier run is gone" absent done/fields
check "the other folder is gone" absent done/.knudsen-new
check "a failing replacement" ends 3 run --out done --overwrite --set collision.method=monte-carlo --set collision.update=explicit \
    --set collision.samples=50 --set collision.estimator=paper --set gas.delta=1000 --set time.end=1e6 \
    --set velocity.grid=stretched --set velocity.nodes=12
check "leaves the earlier run" contains done/summary.json "\"steps\": *$((steps + 10)),"
check "overwrite" ends 0 run --out done --overwrite
check "leaves one run" absent done/.knudsen-new
mkdir old && cp done/* old 2>/dev/null
check "a folder of version 0.1, without a marker" ends 2 run --out old --overwrite
check "is explained" contains err 'results of version 0.1 have no marker'

# What is half done when a run takes its place is completed by the next one.
run --out half --set output.fields=5 && mkdir half/.knudsen-new && run --out whole --set gas.delta=2 && cp -r whole/. half/.knudsen-new
touch half/.knudsen-new/.clearing
check "a replacement that was cut off" ends 2 run --out half
check "is completed" cmp half/fields.h5 whole/fields.h5
check "without the earlier series" absent half/fields
check "and leaves no other folder" absent half/.knudsen-new

# Recovery moves only files of the program, and replaces none of the user.
run --out victim --set output.fields=5
sums victim >before
mkdir -p evil/.knudsen-new && cp whole/.knudsen-results evil/.knudsen-new && echo fields/ >>evil/.knudsen-new/.knudsen-results
touch evil/.knudsen-new/.moving && ln -s ../../victim/fields evil/.knudsen-new/fields
check "a series that is a link" ends 4 run --out evil
check "is named" contains err "evil/.knudsen-new/fields' was not written by this program"
check "with --overwrite" ends 4 run --out evil --overwrite
sums victim >after
check "the other results stay" cmp before after
mkdir -p guest/.knudsen-new && cp -r whole/. guest/.knudsen-new && touch guest/.knudsen-new/.moving && echo mine >guest/summary.json
check "a file of the user in the way of recovery" ends 4 run --out guest
check "is named" contains err "guest/summary.json' was not written by this program"
check "it stays" keeps guest/summary.json mine
check "the new results stay" cmp guest/.knudsen-new/fields.h5 whole/fields.h5
cp victim/.knudsen-results guest # of the earlier run, whose files are gone by now
check "also where the earlier run had such a file" ends 4 run --out guest
check "it stays" keeps guest/summary.json mine
rm guest/summary.json
check "recovery goes on when it is moved away" ends 2 run --out guest
check "to its end" cmp guest/summary.json whole/summary.json
mkdir -p mixed/fields mixed/.knudsen-new && echo mine >mixed/fields/notes && cp -r victim/. mixed/.knudsen-new
touch mixed/.knudsen-new/.moving
one=$(cd victim/fields && ls | head -n 1)
check "a series beside files of the user" ends 2 run --out mixed
check "is there" cmp "mixed/fields/$one" "victim/fields/$one"
check "and so are they" keeps mixed/fields/notes mine
check "the other folder is gone" absent mixed/.knudsen-new

# A run that prepares for long does not replace one that came and went in the meantime.
meanwhile() {
    "$knudsen" run line.yaml --out shared "${sampled[@]}" >slow.out 2>slow.err &
    local pid=$! code
    for ((i = 0; i < 100; i++)); do grep -q samples slow.out slow.err && break; sleep 0.02; done
    kill -STOP $pid
    [ ! -e shared ] || { echo "too late"; kill -CONT $pid; wait $pid; return 1; }
    run --out shared && sums shared >before
    kill -CONT $pid
    wait $pid
    code=$?
    [ $code -eq 2 ] || { echo "exit code $code"; cat slow.err; return 1; }
}
sampled=(--set collision.method=monte-carlo --set collision.samples=auto --set output.average=10 --set time.end=20 --set velocity.nodes=12)
check "a run that began before another" meanwhile
check "is refused" contains slow.err "'shared' holds the results of a finished run"
sums shared >after
check "and changes nothing" cmp before after

# 4. The history belongs to the checkpoint.
stop=(--set time.end=60 --set time.max_steps=150 --set output.history=1)
goon=(--set time.end=60 --set output.history=1 --resume)
run --out cut "${stop[@]}"
check "history, whole" ends 0 run --out all "${stop[@]}" --set time.max_steps=0
for what in edit drop missing thin; do
    rm -rf "cut-$what" && cp -r cut "cut-$what"
    case $what in
        edit) sed -i '50s/\([0-9]\),/\11,/5' "cut-$what/history.csv" ;;
        drop) sed -i '50d' "cut-$what/history.csv" ;;
        missing) rm "cut-$what/history.csv" ;;
        thin) sed -i '3~2d' "cut-$what/history.csv" ;;
    esac
    check "a history with $what is refused" ends 4 run --out "cut-$what" "${goon[@]}"
    check "with what to do" contains err 'does not match the checkpoint: rows up to step 150 .* --overwrite'
done
echo '151,9,9' >>cut/history.csv
check "rows behind the checkpoint are dropped" ends 0 run --out cut "${goon[@]}"
check "the history is that of the whole run" cmp cut/history.csv all/history.csv

# 5. It is thinned; the rows do not depend on where a run was interrupted.
long=(--set time.end=1e6)
check "a long run" ends 0 run --out long "${long[@]}" --set time.max_steps=90004
check "has at most 2048 rows, and those before and behind" test "$(wc -l <long/history.csv)" -le 2050 -a "$(wc -l <long/history.csv)" -ge 1024
check "its last row is there" contains long/history.csv '^90004,'
check "its rows have one distance" /usr/bin/python3 -c '
steps = [int(float(line.split(",")[0])) for line in open("long/history.csv").readlines()[1:-1]]
assert steps[0] == 0 and {b - a for a, b in zip(steps, steps[1:])} == {80}, steps[:5]'
for stop in 10 20470 33330 90000; do
    run --out parts "${long[@]}" --set time.max_steps=$stop $([ -e parts ] && echo --resume) || echo "FAIL to step $stop"
done
check "in parts" ends 0 run --out parts "${long[@]}" --set time.max_steps=90004 --resume
check "has the same rows" cmp parts/history.csv long/history.csv
check "explicit spacing is kept" ends 0 run --out every "${long[@]}" --set time.max_steps=30000 --set output.history=5
check "with all rows" test "$(wc -l <every/history.csv)" -eq 6002
swing=(--set 'walls.left.velocity=[0,0,0]' --set 'walls.left.oscillation.velocity=[0,1,0]' --set walls.left.oscillation.frequency=0.1)
check "walls that oscillate" ends 0 run --out swing "${long[@]}" "${swing[@]}" --set time.max_steps=90000
check "have 32 rows a period" /usr/bin/python3 -c '
from math import pi
times = [float(line.split(",")[1]) for line in open("swing/history.csv").readlines()[1:]]
rows = 2 * pi / 0.1 / (times[1] - times[0])
assert 32 <= rows < 130, rows'

# 6. Files that vanish; an interrupted run leaves fields.
vanish() { # FOLDER REMOVED CHECKPOINT: the run ends with code 4 after REMOVED is gone
    run --out "$1" --set time.end=1e7 --set output.checkpoint="$3" 2>err &
    local pid=$! code
    for ((i = 0; i < 200; i++)); do [ -s "$1/history.csv" ] && break; sleep 0.05; done
    sleep 0.2
    # The history may be rewritten at the same moment, whole and under the same name: remove it until it stays away.
    for ((i = 0; i < 300; i++)); do
        rm -rf "$2" 2>/dev/null
        [ "$3" = 0 ] && [ $i -eq 0 ] && kill -INT $pid 2>/dev/null
        sleep 0.1
        kill -0 $pid 2>/dev/null || break
    done
    kill -KILL $pid 2>/dev/null
    wait $pid
    code=$?
    [ $code -eq 4 ] || { echo "exit code $code"; cat err; return 1; }
}
check "a folder that vanishes" vanish gone gone 0.3
check "is named" contains err "'gone.*\(was removed, renamed or replaced during the run\|No such file\)"
check "a history that vanishes" vanish lost lost/history.csv 0.3
check "is named" contains err "lost/history.csv' was removed"
check "noticed at the end" vanish late late 0
check "an interrupted run" ends 130 run --out stopped --set time.end=1e7 --set run.walltime=0.3 --set time.splitting=strang
check "has fields" test -s stopped/fields.h5
check "that can be reported" ends 0 "$knudsen" report stopped
check "and says that it is unfinished" contains stopped/summary.json '"outcome": *"walltime"'

# 7. Kills at random times, of new runs and of replacements.
check "kills" bash "$here/../kill.sh" "$knudsen" 6 1
exit $failed
