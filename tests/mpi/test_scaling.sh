#!/bin/bash
# knudsen bench --scaling: both tables are printed once, with consistent numbers.
# usage: test_scaling.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
. "$(dirname "$(realpath "$0")")/ranks.sh"

once() { [ "$(grep -c -- "$2" "$1")" -eq 1 ] || { echo "'$2' is $(grep -c -- "$2" "$1") times in $1"; return 1; }; }

check "two ranks" ends 0 ranks 2 bench --scaling=bgk --quick
for part in '^Weak scaling' '^Strong scaling' '^exchange: '; do
    check "$part" once out "$part"
done

cat >numbers.py <<'END'
import json, sys
case, ranks = sys.argv[1], int(sys.argv[2])
s = json.load(sys.stdin)
near = lambda a, b: abs(a - b) <= 1e-4 * abs(b)
sizes = sorted({1, 2, ranks} if ranks > 1 else {1})
for table in "weak", "strong":
    lines = s[table]
    assert [l["ranks"] for l in lines] == sizes, lines
    for l in lines:
        cells = l["cells"][0] * l["cells"][1] * l["cells"][2]
        assert (cells == lines[0]["cells_per_rank"] * (l["ranks"] if table == "weak" else 1)), l
        assert near(l["efficiency"], lines[0]["step_s"] / l["step_s"] / (l["ranks"] if table == "strong" else 1)), l
        assert (l["messages"] == 0) == (l["ranks"] == 1), l
# a border of 64 cells: two rows of the octants that stream in, one row of the others, 4 bytes per node
if case == "bgk" and ranks > 1:
    assert s["weak"][1]["sent_bytes"] == 64 * s["nodes"] * 4 * 3 // 2, s["weak"][1]
END

# numbers CASE RANKS
numbers() {
    ends 0 ranks "$2" bench --scaling="$1" --quick --set velocity.nodes=8 --json && /usr/bin/python3 numbers.py "$@" <out
}
check "values of two ranks" numbers bgk 2
check "values of three ranks" numbers bgk 3
check "values of one rank" numbers bgk 1
check "values of the cube" numbers cube 2

check "--quick without --scaling is refused" ends 2 ranks 2 bench --quick
check "the message about --scaling is printed once" once err 'require --scaling'
check "an unknown case is refused" ends 2 ranks 2 bench --scaling=bkg
check "the message about the case is printed once" once err "there is no case 'bkg'"
check "--help" ends 0 ranks 2 bench --help
check "--help is printed once" once out '^Usage:'
exit $failed
