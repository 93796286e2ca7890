#!/bin/bash
# knudsen reproduce: the list of topics, errors, exit codes.
# usage: test_reproduce.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
. "$(dirname "$(realpath "$0")")/../check.sh"

check "reproduce without a topic" ends 0 "$knudsen" reproduce
check "the list contains paper" contains out '^paper '
check "the list contains verification" contains out '^verification '
check "the list contains steady" contains out '^steady '
check "the list contains nothing else" test "$(wc -l <out)" -eq 3
check "an unknown topic is refused" ends 2 "$knudsen" reproduce nonsense
check "the message lists the topics" contains err "unknown topic 'nonsense' (there is paper"
check "a misspelt topic is refused" ends 2 "$knudsen" reproduce papr
check "the message suggests paper" contains err 'did you mean paper?'
check "another misspelt topic is refused" ends 2 "$knudsen" reproduce verificaton
check "the message suggests verification" contains err 'did you mean verification?'
check "two topics are refused" ends 2 "$knudsen" reproduce paper paper
check "nothing was written" absent results
touch file
check "a folder that cannot be created is an error" ends 4 "$knudsen" reproduce paper --out file/x
check "the message names the folder" contains err "file"

# interrupted TOPIC SECONDS: Ctrl-C after this time, sent to the program and all its children as by a terminal.
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
# terminated: SIGTERM to the program alone; no run of it may be left.
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
check "SIGTERM to the program alone ends its runs" terminated
check "Ctrl-C during paper" interrupted paper 1
check "no table is written" absent stopped/table1.txt
check "Ctrl-C during verification" interrupted verification 2
check "no page is written" absent stopped/verification.md

exit "$failed"
