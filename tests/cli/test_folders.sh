#!/bin/bash
# Results folders: files of the user are kept, runs are replaced only with --overwrite, the history matches its
# checkpoint.
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
check "run with the case file in the results folder" ends 0 "$knudsen" run own/case.yaml --out own --quiet
check "the user's case file is unchanged" cmp own/case.yaml before.yaml
check "case.used.yaml is written" test -s own/case.used.yaml
check "the marker lists the files" contains own/.knudsen-results '^history.csv$'
for name in history.csv fields.h5 checkpoint-a.h5 checkpoint-b.h5 run.log summary.json case.used.yaml; do
    mkdir "with-$name" && echo mine >"with-$name/$name"
    check "an existing $name of the user is refused" ends 2 run --out "with-$name"
    check "the message names $name" contains err "with-$name/$name' was not written by this program"
    check "--overwrite does not replace $name" ends 2 run --out "with-$name" --overwrite
    check "$name is unchanged" keeps "with-$name/$name" mine
done
echo mine >own/picture.png && echo mine >own/report.html
check "run with --overwrite" ends 0 run --out own --overwrite --set time.end=5
check "the user's picture is unchanged" keeps own/picture.png mine
check "the user's report is unchanged" keeps own/report.html mine
check "the user's notes are unchanged" keeps own/notes.txt mine
check "report does not replace the user's report" ends 2 "$knudsen" report own
check "the user's report is still unchanged" keeps own/report.html mine
check "report -o replaces the user's report" ends 0 "$knudsen" report own -o own/report.html
rm own/report.html
check "report writes a new report" ends 0 "$knudsen" report own
check "report replaces its own report" ends 0 "$knudsen" report own
echo '<!-- a remark -->' >>own/report.html
check "report does not replace an edited report" ends 2 "$knudsen" report own
check "plot does not replace the user's picture" ends 2 "$knudsen" plot own
check "the user's picture is still unchanged" keeps own/picture.png mine
rm own/picture.png
check "plot writes a new picture" ends 0 "$knudsen" plot own
check "plot replaces its own picture" ends 0 "$knudsen" plot own
check "a second run" ends 0 run --out second
check "plot of two runs" ends 0 "$knudsen" plot own second
check "plot of two runs does not mark the current folder" absent .knudsen-results
check "plot of two runs does not replace a picture" ends 2 "$knudsen" plot own second
check "the message recommends -o" contains err "'compare.png' exists and is not replaced: name the picture with -o"
check "plot -o replaces the picture" ends 0 "$knudsen" plot own second -o compare.png
waits() { # for a marker that is locked by another process
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
    check "the marker contains the new picture" contains own/.knudsen-results "^picture.png $(stat -c %s compare.png) "
fi
mkfifo pipe.html
check "report refuses to write to a pipe" ends 4 "$knudsen" report own -o pipe.html
check "the pipe is not replaced" test -p pipe.html
cp -r own piped && rm piped/summary.json && mkfifo piped/summary.json
check "a pipe in place of summary.json does not block the program" ends 2 timeout -k 1 5 "$knudsen" run line.yaml --quiet --out piped

# 2. Links are not followed. Names in a marker that refer to files outside the folder are ignored.
mkdir links && echo mine >target
for name in .history.csv .fields.h5 .summary.json .case.used.yaml; do ln -s ../target "links/$name.knudsen.tmp"; done
check "a link in place of a temporary file is refused" ends 4 run --out links
check "the target of the temporary link is unchanged" keeps target mine
rm links/.*.tmp && ln -s ../target links/run.log
check "a link in place of run.log is refused" ends 2 run --out links --overwrite
check "the target of the log link is unchanged" keeps target mine
rm -r links && mkdir links && echo junk >links/.history.csv.knudsen.tmp
check "a temporary file of a killed run is replaced" ends 0 run --out links
check "the temporary file is removed" absent links/.history.csv.knudsen.tmp
mkdir forged && printf 'knudsen results, format 1\n../target\nhistory.csv\n' >forged/.knudsen-results
check "run with a forged marker" ends 0 run --out forged --overwrite
check "the file named by the forged marker is unchanged" keeps target mine
mkdir damaged && echo nonsense >damaged/.knudsen-results
check "a damaged marker is refused" ends 2 run --out damaged
mkdir -p series/fields && echo mine >series/fields/00000001.h5
check "a series of the user is refused" ends 2 run --out series --set output.fields=1
check "the series of the user is unchanged" keeps series/fields/00000001.h5 mine

# 3. A finished run is replaced only with --overwrite, after the new run has ended.
run --out done --set output.fields=5
sums done >before
check "a finished run is refused" ends 2 run --out done --set gas.delta=2
check "the message names --overwrite" contains err '--overwrite replaces it'
check "the identical command is refused" ends 2 run --out done --set output.fields=5
sums done >after
check "the refused runs have changed nothing" cmp before after
"$knudsen" run line.yaml --quiet --out done --overwrite --set gas.delta=2 --set time.end=1e7 --set output.checkpoint=0.2 &
pid=$!
for ((i = 0; i < 200; i++)); do [ -e done/.knudsen-new/checkpoint-b.h5 ] && break; sleep 0.05; done
kill -KILL $pid
wait $pid 2>/dev/null
sums done >after
check "a killed replacement leaves the earlier run unchanged" cmp before after
check "report reads the earlier run" ends 0 "$knudsen" report done -o page.html
check "a run without --resume is refused" ends 2 run --out done
check "--resume with the earlier case continues the earlier run" ends 0 run --out done --resume --set output.fields=5
check "--resume with the new case continues the replacement" ends 130 run --out done --resume --set gas.delta=2 --set time.end=1e7 --set run.walltime=0.3
check "the message names the folder of the replacement" contains err "'done' still holds the earlier run, this one is in 'done/.knudsen-new'"
steps=$(sed -n 's/^ *"steps": *\([0-9]*\).*/\1/p' done/.knudsen-new/summary.json)
check "the replacement is completed" ends 0 run --out done --resume --set gas.delta=2 --set time.end=1e7 --set "time.max_steps=$((steps + 10))"
check "the replacement is in the results folder" contains done/summary.json "\"steps\": *$((steps + 10)),"
check "the series of the earlier run is gone" absent done/fields
check "the temporary folder is removed" absent done/.knudsen-new
check "a replacement that fails" ends 3 run --out done --overwrite --set collision.method=monte-carlo --set collision.update=explicit \
    --set collision.samples=50 --set collision.estimator=paper --set gas.delta=1000 --set time.end=1e6 \
    --set velocity.grid=stretched --set velocity.nodes=12
check "a failed replacement leaves the earlier run unchanged" contains done/summary.json "\"steps\": *$((steps + 10)),"
check "run with --overwrite after the failure" ends 0 run --out done --overwrite
check "the temporary folder is removed after --overwrite" absent done/.knudsen-new
mkdir old && cp done/* old 2>/dev/null
check "results of version 0.1 without a marker are refused" ends 2 run --out old --overwrite
check "the message explains the missing marker" contains err 'results of version 0.1 have no marker'

# The next run completes an incomplete replacement.
run --out half --set output.fields=5 && mkdir half/.knudsen-new && run --out whole --set gas.delta=2 && cp -r whole/. half/.knudsen-new
touch half/.knudsen-new/.clearing
check "the next run after an incomplete replacement is refused" ends 2 run --out half
check "the incomplete replacement is completed" cmp half/fields.h5 whole/fields.h5
check "the earlier series is removed" absent half/fields
check "the temporary folder is removed after completion" absent half/.knudsen-new

# Recovery moves only files of the program, and replaces none of the user.
run --out victim --set output.fields=5
sums victim >before
mkdir -p evil/.knudsen-new && cp whole/.knudsen-results evil/.knudsen-new && echo fields/ >>evil/.knudsen-new/.knudsen-results
touch evil/.knudsen-new/.moving && ln -s ../../victim/fields evil/.knudsen-new/fields
check "a link in place of the new series is refused" ends 4 run --out evil
check "the message names the link" contains err "evil/.knudsen-new/fields' was not written by this program"
check "the link is refused with --overwrite" ends 4 run --out evil --overwrite
sums victim >after
check "the target of the link is unchanged" cmp before after
mkdir -p guest/.knudsen-new && cp -r whole/. guest/.knudsen-new && touch guest/.knudsen-new/.moving && echo mine >guest/summary.json
check "a user's file prevents recovery" ends 4 run --out guest
check "the message names the user's file" contains err "guest/summary.json' was not written by this program"
check "the user's file is unchanged" keeps guest/summary.json mine
check "the new results are kept" cmp guest/.knudsen-new/fields.h5 whole/fields.h5
cp victim/.knudsen-results guest # of the earlier run, whose files are gone by now
check "a user's file in place of an earlier result prevents recovery" ends 4 run --out guest
check "the user's file in place of a result is unchanged" keeps guest/summary.json mine
rm guest/summary.json
check "recovery continues after the file is moved" ends 2 run --out guest
check "recovery is complete" cmp guest/summary.json whole/summary.json
mkdir -p mixed/fields mixed/.knudsen-new && echo mine >mixed/fields/notes && cp -r victim/. mixed/.knudsen-new
touch mixed/.knudsen-new/.moving
one=$(cd victim/fields && ls | head -n 1)
check "recovery of a series in a folder with user's files" ends 2 run --out mixed
check "the series is moved" cmp "mixed/fields/$one" "victim/fields/$one"
check "the user's files are unchanged" keeps mixed/fields/notes mine
check "the temporary folder is removed after recovery" absent mixed/.knudsen-new

# A run with a long preparation does not replace a run that finished in the folder meanwhile.
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
check "a run whose folder was used during its preparation" meanwhile
check "the slower run is refused" contains slow.err "'shared' holds the results of a finished run"
sums shared >after
check "the slower run has changed nothing" cmp before after

# 4. The history must match the checkpoint.
stop=(--set time.end=60 --set time.max_steps=150 --set output.history=1)
goon=(--set time.end=60 --set output.history=1 --resume)
run --out cut "${stop[@]}"
check "a run with a complete history" ends 0 run --out all "${stop[@]}" --set time.max_steps=0
for what in edit drop missing thin; do
    rm -rf "cut-$what" && cp -r cut "cut-$what"
    case $what in
        edit) sed -i '50s/\([0-9]\),/\11,/5' "cut-$what/history.csv" ;;
        drop) sed -i '50d' "cut-$what/history.csv" ;;
        missing) rm "cut-$what/history.csv" ;;
        thin) sed -i '3~2d' "cut-$what/history.csv" ;;
    esac
    check "a history with $what is refused" ends 4 run --out "cut-$what" "${goon[@]}"
    check "the message names the step and --overwrite" contains err 'does not match the checkpoint: rows up to step 150 .* --overwrite'
done
echo '151,9,9' >>cut/history.csv
check "rows after the checkpoint are removed" ends 0 run --out cut "${goon[@]}"
check "the history equals that of the uninterrupted run" cmp cut/history.csv all/history.csv

# 5. The history is thinned; its rows do not depend on interruptions.
long=(--set time.end=1e6)
check "a long run" ends 0 run --out long "${long[@]}" --set time.max_steps=90004
check "the history has 1024 to 2048 rows" test "$(wc -l <long/history.csv)" -le 2050 -a "$(wc -l <long/history.csv)" -ge 1024
check "the history contains the last row" contains long/history.csv '^90004,'
check "the rows have equal intervals" /usr/bin/python3 -c '
steps = [int(float(line.split(",")[0])) for line in open("long/history.csv").readlines()[1:-1]]
assert steps[0] == 0 and {b - a for a, b in zip(steps, steps[1:])} == {80}, steps[:5]'
for stop in 10 20470 33330 90000; do
    run --out parts "${long[@]}" --set time.max_steps=$stop $([ -e parts ] && echo --resume) || echo "FAIL to step $stop"
done
check "the same run in several parts" ends 0 run --out parts "${long[@]}" --set time.max_steps=90004 --resume
check "the history has the same rows" cmp parts/history.csv long/history.csv
check "a run with a given output.history" ends 0 run --out every "${long[@]}" --set time.max_steps=30000 --set output.history=5
check "the history has all rows" test "$(wc -l <every/history.csv)" -eq 6002
swing=(--set 'walls.left.velocity=[0,0,0]' --set 'walls.left.oscillation.velocity=[0,1,0]' --set walls.left.oscillation.frequency=0.1)
check "a run with oscillating walls" ends 0 run --out swing "${long[@]}" "${swing[@]}" --set time.max_steps=90000
check "the history has at least 32 rows per period" /usr/bin/python3 -c '
from math import pi
times = [float(line.split(",")[1]) for line in open("swing/history.csv").readlines()[1:]]
rows = 2 * pi / 0.1 / (times[1] - times[0])
assert 32 <= rows < 130, rows'

# 6. Files that are removed during the run; fields of an interrupted run.
vanish() { # FOLDER REMOVED CHECKPOINT: the run ends with code 4 after REMOVED is gone
    run --out "$1" --set time.end=1e7 --set output.checkpoint="$3" 2>err &
    local pid=$! code
    for ((i = 0; i < 200; i++)); do [ -s "$1/history.csv" ] && break; sleep 0.05; done
    sleep 0.2
    # The program may rewrite the history at the same time: repeat the removal until the file is absent.
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
check "a results folder that is removed" vanish gone gone 0.3
check "the message names the folder" contains err "'gone.*\(was removed, renamed or replaced during the run\|No such file\)"
check "a history that is removed" vanish lost lost/history.csv 0.3
check "the message names the history" contains err "lost/history.csv' was removed"
check "a folder that is removed at the end" vanish late late 0
check "an interrupted run" ends 130 run --out stopped --set time.end=1e7 --set run.walltime=0.3 --set time.splitting=strang
check "the interrupted run has fields" test -s stopped/fields.h5
check "the interrupted run can be reported" ends 0 "$knudsen" report stopped
check "the summary has the outcome walltime" contains stopped/summary.json '"outcome": *"walltime"'

# 7. Kills at random times, of new runs and of replacements.
check "runs killed at random times" bash "$here/../kill.sh" "$knudsen" 6 1
exit $failed
