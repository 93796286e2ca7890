#!/bin/bash
# The recipes of docs/adding.md: the patches of examples/adding are applied to a copy of the tree, which is built and
# tested. The new wall, collision method and case must give their known results.
# usage: test_adding.sh PROGRAM SOURCE_FOLDER
source=$(realpath "$2") && [ -d "$source/examples/adding" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree" && cd "$work/tree" || exit 1
export OMP_WAIT_POLICY=passive KNUDSEN_CASES=$work/tree/cases
failed=0

# check WHAT COMMAND...: prints one line per check, and the last lines of output if the command fails.
check() {
    local what=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "ok    $what"
    else
        echo "FAIL  $what"
        tail -n 20 "$work/log" | sed 's/^/      /'
        failed=1
    fi
}
contains() { grep -qF -- "$1" || { echo "no '$1'"; return 1; }; }

# ------------------------------------------------------------------- patches

tar -C "$source" --exclude=./.git --exclude='./build*' --exclude=./results -cf - . | tar -xf - || exit 1
for name in wall method case; do
    check "$name.patch applies" patch -p1 --fuzz=0 --forward --batch --no-backup-if-mismatch \
        -i "examples/adding/$name.patch"
done
[ "$failed" -eq 0 ] || { echo "      examples/adding/README.md describes how to update it"; exit 1; }

# --------------------------------------------------------------------- build

# The runs are short: a fast build is more important than fast code.
build=$work/tree/build
knudsen=$build/knudsen
check "cmake" cmake -S . -B "$build" -G Ninja -DKN_CUDA=OFF -DKN_ISAS=baseline \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0
check "build" cmake --build "$build" -j "$(nproc)" --target knudsen-program unit_backend physics_bounce_back \
    physics_maxwell_bgk
[ "$failed" -eq 0 ] || exit 1

# ---------------------------------------------------------------------- wall

check "help describes bounce-back" contains bounce-back < <("$knudsen" help walls.top.kind)
check "bounce-back agrees with the oracle" "$build/unit_backend" \
    "space.cells=[3,4] walls.left.kind=bounce-back walls.top.kind=bounce-back walls.bottom.velocity=[1,0,0]"
check "bounce-back: flow tests pass" "$build/physics_bounce_back"

# column FILE NAME ROW: one number of a history; ROW counts from 1, 0 is the last.
column() {
    awk -F, -v name="$2" -v row="$3" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == name) at = i; next}
        {value = $at} NR == row + 1 {exit} END {if (at) print value}' "$1"
}
# near VALUE EXPECTED TOLERANCE
near() {
    awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN {exit !(a != "" && (a - b)^2 <= most^2)}' ||
        { echo "$1, expected $2 within $3"; return 1; }
}

# Gas above a wall with a far-field velocity gradient of 1 V0 / lambda0: without slip u = x, with a mean of 1 over two
# lambda0. A diffuse wall adds 0.9: a slip of 1.016 (BGK, cases/viscous-slip) minus the wall layer.
cat >shear.yaml <<'END'
gas: {delta: 2}
space: {cells: 8}
velocity: {nodes: 8}
collision: {method: bgk}
walls:
  right: {kind: far-field, gradient: {velocity: [0, 1, 0]}}
time: {end: 60}
END
shear() { "$knudsen" run shear.yaml --quiet --out "$1" --set "walls.left.kind=$1" --set "run.backend=$2"; }
check "shear flow with bounce-back" shear bounce-back strict
check "shear flow with a diffuse wall" shear diffuse cpu
check "no slip at the bounce-back wall" near "$(column bounce-back/history.csv average.uy 0)" 1 0.002
check "slip at the diffuse wall" near "$(column diffuse/history.csv average.uy 0)" 1.9 0.1
check "the wall receives the stress" near "$(column bounce-back/history.csv left.stress_y 0)" -1 0.001
check "no mass flux through the wall" near "$(column bounce-back/history.csv left.mass_flux 0)" 0 1e-6
check "keys of other walls are refused" contains "walls.left.temperature: has no meaning at a side of kind bounce-back" \
    < <("$knudsen" run shear.yaml --dry-run --set walls.left.kind=bounce-back --set walls.left.temperature=1 2>&1)

# -------------------------------------------------------------------- method

check "help describes maxwell-bgk" contains maxwell-bgk < <("$knudsen" help collision.method)
check "maxwell-bgk: relaxation, conservation and limits" "$build/physics_maxwell_bgk"

# A uniform gas in motion, h = 2 v_y at eps = 0.5: T = 1 - eps^2 / 1.5, and T_y - T_x is proportional to exp(-t). With
# BGK it is proportional to exp(-sqrt(T) t).
cat >relax.yaml <<'END'
disturbance: 0.5
space: {cells: 1}
velocity: {nodes: 12}
walls: {left: {kind: periodic}, right: {kind: periodic}}
initial: {shape: shear}
time: {end: 1, step: 0.05}
END
decay() { # METHOD: what is left of the difference at time 1
    "$knudsen" run relax.yaml --quiet --out "$1" --set "collision.method=$1" >/dev/null || return 1
    local file=$1/history.csv
    awk -v a="$(column "$file" average.Pyy 1)" -v b="$(column "$file" average.Pxx 1)" \
        -v c="$(column "$file" average.Pyy 0)" -v d="$(column "$file" average.Pxx 0)" 'BEGIN {print (c - d) / (a - b)}'
}
check "maxwell-bgk relaxes at the rate n" near "$(decay maxwell-bgk)" 0.36788 0.0001
check "bgk relaxes at the rate n sqrt(T)" near "$(decay bgk)" 0.40137 0.0001

# ---------------------------------------------------------------------- case

# The page of the case contains the commands that draw its figure.
picture() {
    local commands
    commands=$(sed -n '/^    knudsen run .*--out/,/^$/p' cases/effusion/README.md) && [ -n "$commands" ] || return 1
    PATH=$build:$PATH bash -ec "$commands"
}
check "the figure of effusion is drawn" picture
mkdir -p alone/cases && cp -r cases/README.md cases/effusion alone/cases # other cases have tests of their own
check "effusion is complete and passes verify" bash tests/cli/test_cases.sh "$knudsen" alone
check "cases lists effusion" contains "effusion " < <("$knudsen" cases)
exit "$failed"
