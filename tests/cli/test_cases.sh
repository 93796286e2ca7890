#!/bin/bash
# The cases: each file is a good case, each folder is whole, and what they give is what is published.
# usage: [KNUDSEN_VERIFY="CASE..."] test_cases.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] && [ -d "$2/cases" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
cases=$(realpath "$2/cases")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMP_WAIT_POLICY=passive # other tests may share the cores
failed=0

fail() {
    echo "FAIL  $*"
    failed=1
}

for file in "$cases"/*/*.yaml; do
    "$knudsen" run "$file" --dry-run >out 2>&1 || fail "${file#"$cases"/} is no good case: $(head -1 out)"
done

for folder in "$cases"/*/; do
    name=$(basename "$folder")
    for file in case.yaml reference.csv README.md; do
        [ -s "$folder$file" ] || fail "$name has no $file"
    done
    picture=$(sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$folder/README.md" | head -1)
    [ -n "$picture" ] && [ -s "$folder$picture" ] || fail "$name: README.md has no picture that is there"
    grep -q "($name/README.md)" "$cases/README.md" || fail "$name is not in cases/README.md"
    grep -q ',quick,' "$folder/reference.csv" || fail "$name: no value of reference.csv is checked"
done

# shellcheck disable=SC2086 # names of cases; none: all
"$knudsen" verify $KNUDSEN_VERIFY --quick --cases "$cases" || fail "knudsen verify --quick: exit code $?"
exit $failed
