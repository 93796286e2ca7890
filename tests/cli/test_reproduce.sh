#!/bin/bash
# knudsen reproduce: what it lists, what it refuses, how it ends.
# usage: test_reproduce.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
. "$(dirname "$(realpath "$0")")/../check.sh"

check "without a topic" ends 0 "$knudsen" reproduce
check "it lists what there is" contains out '^paper '
check "all of it" contains out '^verification '
check "and nothing else" test "$(wc -l <out)" -eq 2
check "a topic that is not" ends 2 "$knudsen" reproduce nonsense
check "names those that are" contains err "unknown topic 'nonsense' (there is paper"
check "a slip of the keyboard" ends 2 "$knudsen" reproduce papr
check "is understood" contains err 'did you mean paper?'
check "another" ends 2 "$knudsen" reproduce verificaton
check "is understood too" contains err 'did you mean verification?'
check "two topics" ends 2 "$knudsen" reproduce paper paper
check "nothing was written" absent results
touch file
check "a folder that cannot be" ends 4 "$knudsen" reproduce paper --out file/x
check "is named" contains err "file"

# interrupted TOPIC SECONDS: Ctrl-C after these, which a terminal sends to the program and all its children.
interrupted() {
    local pid code
    set -m # a process group of its own, also where the caller of this script ignores signals
    "$knudsen" reproduce "$1" --out stopped >out 2>err &
    pid=$!
    set +m
    sleep "$2"
    kill -INT -- "-$pid"
    wait "$pid"
    code=$?
    [ "$code" -eq 130 ] || { echo "exit code $code instead of 130"; cat err; return 1; }
    contains err interrupted
}
# terminated: SIGTERM to the program alone ends its runs as well.
terminated() {
    local pid
    "$knudsen" reproduce paper --out stopped >out 2>err &
    pid=$!
    sleep 3
    kill -TERM "$pid"
    wait "$pid"
    [ $? -eq 130 ] || { cat err; return 1; }
    ! pgrep -f "$work/temporary"
}
mkdir temporary
export TMPDIR=$work/temporary
check "a terminated run" terminated
check "an interrupted run" interrupted paper 1
check "leaves no table" absent stopped/table1.txt
check "an interrupted study" interrupted verification 2
check "leaves no page" absent stopped/verification.md

exit "$failed"
