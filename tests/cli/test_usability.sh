#!/bin/bash
# Messages, help and printed values for new users.
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

# ------------------------------------------------------------------ numbers that cannot be run
check "a Courant number near zero is refused" refuses 'time.courant: 4.94066e-324 makes a time step of 0' time.courant=5e-324
check "a time step near zero is refused" refuses 'time.step: 1e-300 makes a time step of 1e-300' time.step=1e-300
check "info refuses a time step near zero" ends 2 "$knudsen" info case.yaml --json --set time.step=1e-300
check "info prints nothing after an error" empty out
check "info --json" ends 0 "$knudsen" info case.yaml --json
check "the output of info --json is valid" python3 -c 'import json; json.load(open("out"), parse_constant=lambda word: 1 / 0)'
check "a number of ranks above the range of int is refused" ends 2 "$knudsen" info case.yaml --ranks 4294967298
check "the message states the range of ranks" contains err 'not a number of ranks (1 to 65536)'

# ------------------------------------------------------------------ long values
zeros=$(printf '0%.0s' {1..80})
argon=(--set gas.species=argon --set 'gas.temperature=300 K' --set 'gas.pressure=1 kPa')
check "a length with 80 zeros" ends 0 "$knudsen" run case.yaml --dry-run "${argon[@]}" --set "space.size=1.$zeros mm"
check "the length is 0.001 m" contains out '"0.001 m"'
check "a number with 80 zeros" ends 0 "$knudsen" run case.yaml --dry-run --set "gas.delta=2.$zeros"
check "the number is 2" contains out 'delta: 2$'
check "a value of 600 characters is refused" refuses 'is too long (at most 511 characters)' "gas.delta=1.$(printf '0%.0s' {1..600})"

# ------------------------------------------------------------------ unsupported features
missing='not supported in this version'
for setting in 'obstacles={cylinder: 1}' geometry=a.stl stl=a mesh=a.msh 'gas.species=[argon, helium]' gas.mixture=1 \
    walls.right.kind=vacuum walls.left.density=vacuum time.solver=implicit space.axisymmetric=true \
    gas.species=oxygen gas.molecules=diatomic walls.left.kind=pressure-inlet walls.left.pressure=5; do
    check "$setting" refuses "$missing" "$setting"
done
check "the message about a pressure mentions ports" refuses 'use a port' walls.left.pressure=5
check "a misspelt key gets a suggestion" refuses 'did you mean gas.delta?' gas.detla=1
check "an inflow without gas is refused" refuses 'leaves no gas outside the inflow' walls.left.kind=inflow walls.left.density=-1 disturbance=1

# ------------------------------------------------------------------ inflows
inflow=(--set velocity.nodes=6 "${argon[@]}" --set 'space.size=1 mm' --set walls.left.kind=inflow --set 'walls.left.temperature=330 K')
check "info of a plane flow" ends 0 "$knudsen" info case.yaml --set collision.method=bgk --set disturbance=0
check "info states which axes are reduced" contains out '^reduced  *along z: the gas is uniform'
check "info with an inflow" ends 0 "$knudsen" info case.yaml "${inflow[@]}"
check "info prints the pressure of the inflow" contains out 'inflow left  *pressure 1.1 kPa (1.1 p0)'
check "a run with an inflow" ends 0 "$knudsen" run case.yaml --out inflow "${inflow[@]}"
check "the run prints the pressure of the inflow" contains out 'left: pressure 1.1 kPa'
check "the run prints the mass flux in SI" contains out 'left.mass_flux  *[-0-9.e]* kg m-2 s-1'
check "a run without units" ends 0 "$knudsen" run case.yaml --out pure --set walls.left.kind=inflow --set walls.left.density=1
check "the run prints a mass flux without units" contains out 'left.mass_flux  *[-0-9.]*$'

# ------------------------------------------------------------------ significant digits
check "a run with small results" ends 0 "$knudsen" run case.yaml --out slow
check "small results have six digits" grep -qE 'right.stress_y +-?0\.000[1-9][0-9]{5}$' out

# ------------------------------------------------------------------ a pressure gradient as force
channel=("${argon[@]}" --set 'space.size=1 mm')
check "a force in Pa/m" ends 0 "$knudsen" run case.yaml --out channel "${channel[@]}" --set 'source.force=[0, 1 kPa/m]'
check "the run prints the mass flux" contains out 'mass flux  *[0-9.e-]* kg m-2 s-1, [0-9.e-]* kg s-1 per metre of width'
check "case.used.yaml contains the unit" contains channel/case.used.yaml '"1000 Pa m-1"'
# divided by the density of argon at 1 kPa and 300 K, 0.0160158 kg m-3
check "the same force as an acceleration" ends 0 "$knudsen" run case.yaml --out same "${channel[@]}" --set 'source.force=[0, 62438.9 m/s2]'
check "both forces are equal" python3 - <<'END'
import json
a, b = (json.load(open(f"{folder}/summary.json"))["case"]["source"]["force"][1] for folder in ("channel", "same"))
assert a > 0 and abs(a / b - 1) < 1e-4, (a, b)
END
check "a pressure as force is refused" refuses 'expected an acceleration or a pressure gradient' 'source.force=[0, 1 Pa]' gas.species=argon

# ------------------------------------------------------------------ help
for command in '' run info plot help verify init report; do
    check "$command -h" ends 0 "$knudsen" $command -h
    check "$command -h prints the help" contains out Usage
done
first_is() { head -1 out | grep -q "$1"; }
check "help run" ends 0 "$knudsen" help run
check "the help begins with the command" first_is 'Usage: knudsen run'
check "the help contains the keys of the group" contains out 'run.walltime'
for word in frequency oscillation accommodation inflow V0 eps delta Kn Ma lambda0 units order limiter operator octant fold \
    checkpoint residual D G G_P G_T left.stress_y bgk SI vacuum; do
    check "help $word" ends 0 "$knudsen" help $word
done
check "help of an unknown word is refused" ends 2 "$knudsen" help xyzzy
check "help of a misspelt term is refused" ends 2 "$knudsen" help acomodation
check "the message suggests the term" contains err 'did you mean accommodation?'

# every key and every term that the user documents write as code
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
check "help explains every term of the documents" python3 words.py "$knudsen" "$source"
check "help prints docs/glossary.md" ends 0 "$knudsen" help fingerprint
check "the text is that of the glossary" grep -qF "| $(sed -n 's/^    //p' out | head -n 1) |" "$source/docs/glossary.md"

# ------------------------------------------------------------------ defaults, assembly, apt
printf 'gas: {delta: 1}\n' >bare.yaml
check "the default case" ends 0 "$knudsen" run bare.yaml --dry-run
check "the default method is operator" contains out 'method: operator'
check "the default has 8 nodes" contains out 'nodes: \[8, 8, 8\]'
check "info does not wait for a long assembly" ends 0 timeout 60 env KNUDSEN_CACHE=none "$knudsen" info case.yaml \
    --set collision.method=operator --set velocity.nodes=20
check "info states that the assembly is not included" contains out '^assembly  *about .*not included in this estimate'
check "info shows progress" contains err 'assembling the collision operator .* %, [0-9]* s left'
check "tools/packages waits for the lock of dpkg" grep -q 'DPkg::Lock::Timeout=300' "$source/tools/packages"
exit $failed
