#!/bin/bash
# Messages, help and printed values: what a new user meets.
# usage: test_usability.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
source=$(realpath "$2")
here=$(dirname "$(realpath "$0")")
. "$here/../check.sh"

cat >case.yaml <<'END'
space: {cells: 8}
velocity: {nodes: 4}
collision: {method: bgk}
walls: {right: {velocity: [0, 0.001234567, 0]}}
time: {end: 1}
END
refuses() { # TEXT SETTING...
    local text=$1 settings=()
    shift
    for setting; do settings+=(--set "$setting"); done
    ends 2 timeout 20 "$knudsen" run case.yaml --dry-run "${settings[@]}" && grep -qF -- "$text" err || { cat err; return 1; }
}

# ------------------------------------------------------------------ numbers that make no run
check "a Courant number of nearly nothing" refuses 'time.courant: 4.94066e-324 makes a time step of 0' time.courant=5e-324
check "a time step of nearly nothing" refuses 'time.step: 1e-300 makes a time step of 1e-300' time.step=1e-300
check "info refuses it, too" ends 2 "$knudsen" info case.yaml --json --set time.step=1e-300
check "and prints nothing" empty out
check "info --json" ends 0 "$knudsen" info case.yaml --json
check "is JSON" python3 -c 'import json; json.load(open("out"), parse_constant=lambda word: 1 / 0)'
check "ranks beyond an int" ends 2 "$knudsen" info case.yaml --ranks 4294967298
check "are no number of ranks" contains err 'not a number of ranks (1 to 65536)'

# ------------------------------------------------------------------ long values
zeros=$(printf '0%.0s' {1..80})
argon=(--set gas.species=argon --set 'gas.temperature=300 K' --set 'gas.pressure=1 kPa')
check "80 zeros and a unit" ends 0 "$knudsen" run case.yaml --dry-run "${argon[@]}" --set "space.size=1.$zeros mm"
check "are a millimetre" contains out '"0.001 m"'
check "80 zeros" ends 0 "$knudsen" run case.yaml --dry-run --set "gas.delta=2.$zeros"
check "are that number" contains out 'delta: 2$'
check "a value of 600 characters" refuses 'is too long (at most 511 characters)' "gas.delta=1.$(printf '0%.0s' {1..600})"

# ------------------------------------------------------------------ features that are missing
missing='not supported in this version'
for setting in 'obstacles={cylinder: 1}' bodies=1 geometry=a.stl stl=a mesh=a.msh 'gas.species=[argon, helium]' gas.mixture=1 \
    walls.right.kind=cercignani-lampis walls.right.kind=vacuum walls.left.density=vacuum time.mode=steady space.axisymmetric=true \
    gas.species=oxygen gas.molecules=diatomic walls.left.kind=pressure-inlet walls.left.pressure=5; do
    check "$setting" refuses "$missing" "$setting"
done
check "how a pressure becomes a density" refuses 'n / n0 = (p / p0) / (T / T0)' walls.left.pressure=5
check "a typing error is still one" refuses 'did you mean gas.delta?' gas.detla=1
check "an inflow without gas" refuses 'leaves no gas outside the inflow' walls.left.kind=inflow walls.left.density=-1 disturbance=1

# ------------------------------------------------------------------ inflows
inflow=(--set velocity.nodes=6 "${argon[@]}" --set 'space.size=1 mm' --set walls.left.kind=inflow --set 'walls.left.temperature=330 K')
check "info with an inflow" ends 0 "$knudsen" info case.yaml "${inflow[@]}"
check "tells its pressure" contains out 'inflow left  *pressure 1.1 kPa (1.1 p0)'
check "a run with an inflow" ends 0 "$knudsen" run case.yaml --out inflow "${inflow[@]}"
check "tells it too" contains out 'left: pressure 1.1 kPa'
check "and the mass flux in SI" contains out 'left.mass_flux  *[-0-9.e]* kg m-2 s-1'
check "a run without units" ends 0 "$knudsen" run case.yaml --out pure --set walls.left.kind=inflow --set walls.left.density=1
check "has a mass flux" contains out 'left.mass_flux  *[-0-9.]*$'

# ------------------------------------------------------------------ significant digits
check "a slow wall" ends 0 "$knudsen" run case.yaml --out slow
check "has six digits" grep -qE 'right.stress_y +-?0\.000[1-9][0-9]{5}$' out

# ------------------------------------------------------------------ a pressure gradient as force
channel=("${argon[@]}" --set 'space.size=1 mm')
check "a force in Pa/m" ends 0 "$knudsen" run case.yaml --out channel "${channel[@]}" --set 'source.force=[0, 1 kPa/m]'
check "gives a mass flux" contains out 'mass flux  *[0-9.e-]* kg m-2 s-1, [0-9.e-]* kg s-1 per metre of width'
check "is kept with its unit" contains channel/case.used.yaml '"1000 Pa m-1"'
# over the density of argon at 1 kPa and 300 K, 0.0160158 kg m-3
check "the same as an acceleration" ends 0 "$knudsen" run case.yaml --out same "${channel[@]}" --set 'source.force=[0, 62438.9 m/s2]'
check "the same force" python3 - <<'END'
import json
a, b = (json.load(open(f"{folder}/summary.json"))["case"]["source"]["force"][1] for folder in ("channel", "same"))
assert a > 0 and abs(a / b - 1) < 1e-4, (a, b)
END
check "a pressure is none" refuses 'expected an acceleration or a pressure gradient' 'source.force=[0, 1 Pa]' gas.species=argon

# ------------------------------------------------------------------ help
for command in '' run info plot help verify init report; do
    check "$command -h" ends 0 "$knudsen" $command -h
    check "$command -h is the help" contains out Usage
done
first_is() { head -1 out | grep -q "$1"; }
check "help run" ends 0 "$knudsen" help run
check "begins with the command" first_is 'Usage: knudsen run'
check "has the keys of the group after it" contains out 'run.walltime'
for word in frequency oscillation accommodation inflow V0 eps delta Kn Ma lambda0 units order limiter operator octant fold \
    checkpoint residual D G G_P G_T left.stress_y bgk SI vacuum; do
    check "help $word" ends 0 "$knudsen" help $word
done
check "help of nothing" ends 2 "$knudsen" help xyzzy
check "a term nearly" ends 2 "$knudsen" help acomodation
check "is suggested" contains err 'did you mean accommodation?'

# every key and every term that the pages for users write as code
cat >words.py <<'END'
import glob, re, subprocess, sys
program, source = sys.argv[1:]
skipped = {"true", "false", "mine.yaml", "first.yaml", "compare.png", "report.html", "picture.png", "quantities_si", "paper-0.1.yaml",
           "paper-1.yaml", "paper-10.yaml"}
words = set()
for page in ["README.md", "docs/tutorial.md", "docs/input.md", "cases/README.md", *glob.glob("cases/*/README.md", root_dir=source)]:
    text = re.sub(r"```.*?```", "", open(f"{source}/{page}", encoding="utf-8").read(), flags=re.S)
    words |= {m for m in re.findall(r"`([^`\n]+)`", text) if re.fullmatch(r"[A-Za-z][\w.<>-]*", m)}
assert len(words) > 150, len(words)
unknown = [w for w in sorted(words - skipped) if subprocess.run([program, "help", w], capture_output=True).returncode]
assert not unknown, unknown
END
check "help knows every term of the documents" python3 words.py "$knudsen" "$source"
check "help prints docs/glossary.md" ends 0 "$knudsen" help fingerprint
check "the text of its row" grep -qF "| $(sed -n 's/^    //p' out | head -n 1) |" "$source/docs/glossary.md"

# ------------------------------------------------------------------ defaults, assembly, apt
printf 'gas: {delta: 1}\n' >bare.yaml
check "defaults" ends 0 "$knudsen" run bare.yaml --dry-run
check "are the operator" contains out 'method: operator'
check "on 8 nodes" contains out 'nodes: \[8, 8, 8\]'
check "info does not wait for a long assembly" ends 0 timeout 60 env KNUDSEN_CACHE=none "$knudsen" info case.yaml \
    --set collision.method=operator --set velocity.nodes=20
check "and says so" contains out '^assembly  *about .*not included in this estimate'
check "and shows progress" contains err 'assembling the collision operator .* %, [0-9]* s left'
check "packages wait for the lock" grep -q 'DPkg::Lock::Timeout=300' "$source/tools/packages"
exit $failed
