#!/bin/bash
# The first steps of a user: installed cases, a new case in SI units, its requirements and its results.
# usage: test_begin.sh PROGRAM SOURCE
set -u
knudsen=$(realpath "$1")
source=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

# expect CODE TEXT COMMAND...: exit code, and the text on stdout or stderr
expect() {
    local code=$1 text=$2 output status
    shift 2
    output=$(timeout 120 "$@" 2>&1 </dev/null)
    status=$?
    if [ "$status" = "$code" ] && [[ "$output" == *"$text"* ]]; then
        echo "ok      ${*:2}"
    else
        echo "FAILED  ${*:2}: exit $status, wanted $code and <$text>, got <${output:0:400}>"
        failures=$((failures + 1))
    fi
}

# cases and init
for case in "$source"/cases/*/case.yaml; do
    name=$(basename "$(dirname "$case")")
    expect 0 "$name " "$knudsen" cases
    expect 0 "$name.yaml: " "$knudsen" init "$name" --from "$name"
    cmp -s "$case" "$name.yaml" || { echo "FAILED  $name.yaml differs"; failures=$((failures + 1)); }
done
expect 0 'mine.yaml: Lid-driven square cavity' "$knudsen" init mine.yaml
expect 2 'mine.yaml exists (choose another name, or --overwrite)' "$knudsen" init mine
expect 0 'mine.yaml: ' "$knudsen" init mine --from micro-cavity --overwrite
expect 2 "unknown case 'micro-cavty' (did you mean micro-cavity?)" "$knudsen" init other --from micro-cavty
expect 2 'a name is required' "$knudsen" init
expect 4 'nowhere/mine.yaml cannot be written' "$knudsen" init nowhere/mine
expect 2 'is not a folder of cases' env KNUDSEN_CASES=/nowhere "$knudsen" cases

# info
quick="--set velocity.nodes=6 --set collision.method=bgk --set space.cells=[12,12]"
expect 0 'argon, 8.02 kPa, 300 K, viscosity 22.7 uPa s' "$knudsen" info mine.yaml $quick
expect 0 'Kn               0.8887' "$knudsen" info mine.yaml $quick
expect 0 'Ma               0.01085' "$knudsen" info mine.yaml $quick
expect 0 '= 888.7 nm' "$knudsen" info mine.yaml $quick
expect 0 '= 23 ns' "$knudsen" info mine.yaml $quick --set 'time.end=23 ns'
expect 0 'end at the latest' "$knudsen" info mine.yaml $quick --set time.mode=unsteady
expect 0 'time.mode        steady (auto' "$knudsen" info mine.yaml $quick
expect 0 'estimated time' "$knudsen" info mine.yaml $quick
expect 0 'disturbance: 1 solves the whole equation' "$knudsen" info mine.yaml $quick \
    --set 'walls.left.temperature=400 K'
expect 2 'mine.yaml:' "$knudsen" info mine.yaml --set gas.species=none
expect 0 'ranks            6, each with 6 x 4 cells' "$knudsen" info mine.yaml $quick --ranks 6
expect 0 'to 6 x 4 cells each, at most 17 % above the mean' "$knudsen" info mine.yaml $quick --ranks 7
expect 2 'are too few for 5000 ranks' "$knudsen" info mine.yaml $quick --ranks 5000
expect 2 "'six' is not a number of ranks" "$knudsen" info mine.yaml $quick --ranks six
expect 2 'a case file or the word operator is required' "$knudsen" info
"$knudsen" info mine.yaml $quick --json | python3 -c '
import json, sys
f = json.load(sys.stdin)
assert abs(f["knudsen"] * f["delta"] - 0.88846) < 1e-5 and f["mode"] == "steady" and f["estimated_s"] > 0, f
assert abs(f["si"]["length"] / 1.0002227e-6 - 1) < 1e-6, f' || failures=$((failures + 1))
"$knudsen" info mine.yaml $quick --json --ranks 7 | python3 -c '
import json, sys
ranks = json.load(sys.stdin)["ranks"]
cells = [(x, y) for b in ranks["boxes"] for x in range(b["first"][0], b["end"][0]) for y in range(b["first"][1], b["end"][1])]
assert len(ranks["boxes"]) == 7 and sorted(cells) == [(x, y) for x in range(12) for y in range(12)], ranks
assert all(b["cells"] > 15 and b["halo_bytes"] > 0 for b in ranks["boxes"]) and ranks["memory_bytes"] > 0, ranks' ||
    { echo "FAILED  info --json --ranks"; failures=$((failures + 1)); }

for name in relaxation couette; do # one cell, one axis
    "$knudsen" info $name.yaml --json --set velocity.nodes=6 --set collision.method=bgk | python3 -m json.tool >/dev/null ||
        { echo "FAILED  info --json $name"; failures=$((failures + 1)); }
done

# units of the wrong dimension, with their position
sed 's/temperature: 300 K          #/temperature: 300 m #/' mine.yaml >wrong.yaml
expect 2 "wrong.yaml:6:16: gas.temperature: '300 m' is a length, expected a temperature (such as 300 K)" \
    "$knudsen" run wrong.yaml
expect 2 "walls.top.velocity: '3 Pa' is a pressure, expected a velocity (such as 3.4 m/s)" \
    "$knudsen" run mine.yaml --set 'walls.top.velocity=[3 Pa, 0, 0]'
expect 2 "time.end: '5 MHz' is a frequency, expected a time (such as 50 ns)" "$knudsen" run mine.yaml --set 'time.end=5 MHz'
expect 2 'gas.delta: 3, but it is' "$knudsen" run mine.yaml --set gas.delta=3
expect 0 'or a velocity with its unit, such as 3.4 m/s' "$knudsen" help walls.top.velocity

# the same flow in SI units and dimensionless gives the same numbers; the files contain the conversion
run() { "$knudsen" run "$@" --quiet $quick --set time.end=1.5 --set time.residual=0; }
run mine.yaml --out si && run mine.yaml --out pure --set gas.species=none --set gas.pressure=0 --set gas.temperature=0 \
    --set space.size=1 --set gas.delta=0.99977739696764137 --set walls.bottom.temperature=0 \
    --set 'walls.top.velocity=[0.0099042786946,0,0]' || failures=$((failures + 1))
python3 - <<'PYTHON' || failures=$((failures + 1))
import json
si, pure = (json.load(open(f"{name}/summary.json")) for name in ("si", "pure"))
assert "si" not in pure and si["si"]["species"] == "argon", si["si"]
for name in ("D", "G"):
    assert abs(si["quantities"][name] / pure["quantities"][name] - 1) < 1e-5, (name, si, pure)
wall, number = si["quantities_si"]["walls"]["top"], si["quantities"]["walls"]["top"]
assert abs(wall["shear"] / (8020 * number["shear"]) - 1) < 1e-12, wall
assert abs(wall["heat_flux"] / (8020 * si["si"]["velocity"] * number["heat_flux"]) - 1) < 1e-12, wall
print("ok      SI and dimensionless runs agree")
PYTHON

[ $failures = 0 ] || echo "$failures failed"
exit $failures
