#!/bin/bash
# The cases: each file is valid, each folder is complete, and the results agree with the reference values.
# usage: [KNUDSEN_VERIFY="CASE..."] test_cases.sh PROGRAM SOURCE_FOLDER [CASE...]
# All cases by default. KNUDSEN_VERIFY lists the cases that are run if not all of them are.
knudsen=$(realpath "$1") && [ -x "$knudsen" ] && [ -d "$2/cases" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER [CASE...]"; exit 1; }
cases=$(realpath "$2/cases")
shift 2
[ $# -gt 0 ] || set -- $(cd "$cases" && printf '%s\n' */ | tr -d /)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMP_WAIT_POLICY=passive # other tests may share the cores
failed=0

fail() {
    echo "FAIL  $*"
    failed=1
}

chosen=()
for name; do
    folder=$cases/$name
    for file in "$folder"/*.yaml; do
        "$knudsen" run "$file" --dry-run >out 2>&1 || fail "${file#"$cases"/} is no good case: $(head -1 out)"
    done
    for file in case.yaml reference.csv README.md; do
        [ -s "$folder/$file" ] || fail "$name has no $file"
    done
    picture=$(sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$folder/README.md" | head -1)
    [ -n "$picture" ] && [ -s "$folder/$picture" ] || fail "$name: README.md has no existing picture"
    grep -q "($name/README.md)" "$cases/README.md" || fail "$name is not in cases/README.md"
    grep -q ',quick,' "$folder/reference.csv" || fail "$name: no value of reference.csv is checked"
    [[ " ${KNUDSEN_VERIFY-$name} " == *" $name "* ]] && chosen+=("$name")
done

[ ${#chosen[@]} -eq 0 ] || "$knudsen" verify "${chosen[@]}" --quick --cases "$cases" ||
    fail "knudsen verify --quick: exit code $?"
exit $failed
