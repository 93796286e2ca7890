# Functions for the scripts of cli/ and mpi/, which source this file. It creates a temporary folder for the test. A
# script must end with `exit $failed`.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# check WHAT COMMAND...: one line per check.
check() {
    local what=$1
    shift
    if "$@" >check.log 2>&1; then
        echo "ok    $what"
    else
        echo "FAIL  $what"
        [ -s check.log ] || cat out err >check.log 2>/dev/null
        sed 's/^/      /' check.log | head -12
        failed=1
    fi
}

# ends CODE COMMAND...: runs the command, stores its output in out and err, and compares the exit code.
ends() {
    local expected=$1 code
    shift
    "$@" >out 2>err
    code=$?
    [ "$code" -eq "$expected" ] && return 0
    echo "exit code $code instead of $expected: $*"
    cat err
    return 1
}
contains() { grep -q -- "$2" "$1" || { echo "no '$2' in $1:"; head -3 "$1"; return 1; }; }
lacks() { [ -e "$1" ] && ! grep -q -- "$2" "$1" || { echo "'$2' in $1"; return 1; }; }
absent() { [ ! -e "$1" ] || { echo "$1 exists"; return 1; }; }
empty() { [ ! -s "$1" ] || { echo "$1 holds:"; cat "$1"; return 1; }; }
