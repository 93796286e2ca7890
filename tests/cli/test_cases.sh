#!/bin/bash
# The cases: each file is a good case, and each case.yaml gives the values of its reference.csv.
# usage: test_cases.sh PROGRAM SOURCE_FOLDER
#
# A row of reference.csv with a tolerance is compared with history.csv.  Its quantity is
#   NAME            the mean of the column from output.average on, or its last value
#   NAME@T          the column at time T over the column at time 0
#   NAME.amplitude, NAME.phase    of A cos(frequency t + phase), fitted from output.average on
# and a leading minus changes the sign of the column.
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

# The last value of a key in the resolved case, which is the one summary.json ends with.
setting() { grep -o "\"$2\": *[-0-9.e]*" "$1/summary.json" | tail -1 | sed 's/.*: *//'; }
frequency() { grep -o '"frequency": *[0-9.e-]*' "$1/summary.json" | sed 's/.*: *//' | awk '$1 > 0' | head -1; }

# measure FOLDER QUANTITY
measure() {
    awk -F, -v quantity="$2" -v from="$(setting "$1" average)" -v w="$(frequency "$1")" '
        BEGIN {
            name = quantity; sign = 1; at = -1
            if (sub(/^-/, "", name)) sign = -1
            if (sub(/\.amplitude$/, "", name)) kind = "amplitude"
            else if (sub(/\.phase$/, "", name)) kind = "phase"
            else if (split(name, part, "@") == 2) { kind = "at"; name = part[1]; at = part[2] }
        }
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; if (!column) exit; next }
        { y = sign * $column; last = y; if ($2 == 0) first = y; if ($2 > at - 1e-6 && $2 < at + 1e-6) then = y }
        from >= 0 && $2 >= from && $1 > 0 {
            n++; sum += y; c = cos(w * $2); s = sin(w * $2)
            cc += c * c; cs += c * s; ss += s * s; yc += y * c; ys += y * s
        }
        END {
            if (!column) { print "nan"; exit }
            det = cc * ss - cs * cs
            if (det) { a = (yc * ss - ys * cs) / det; b = (ys * cc - yc * cs) / det }
            if (kind == "amplitude") print sqrt(a * a + b * b)
            else if (kind == "phase") print atan2(-b, a)
            else if (kind == "at") print then / first
            else printf "%.6g\n", n ? sum / n : last
        }' "$1/history.csv"
}

# compare NAME: the rows of its reference.csv that have a tolerance
compare() {
    local quantity value tolerance got rows=0
    while IFS=, read -r quantity value _ _ _ tolerance; do
        [ -n "$tolerance" ] || continue
        rows=$((rows + 1))
        got=$(measure "$1" "$quantity")
        if awk -v a="$got" -v b="$value" -v t="$tolerance" \
            'BEGIN {exit !(a ~ /^[-+0-9.]/ && a - b <= t && b - a <= t)}'; then
            echo "ok    $1: $quantity = $got, reference $value"
        else
            fail "$1: $quantity = $got, reference $value, allowed deviation $tolerance"
        fi
    done < <(tail -n +2 "$cases/$1/reference.csv")
    [ "$rows" -gt 0 ] || fail "$1: no value to compare in reference.csv"
}

for file in "$cases"/*/*.yaml; do
    "$knudsen" run "$file" --dry-run >out 2>&1 || fail "${file#"$cases"/} is no good case: $(head -1 out)"
done

for folder in "$cases"/*/; do
    name=$(basename "$folder")
    for file in case.yaml reference.csv README.md; do
        [ -s "$folder$file" ] || fail "$name has no $file"
    done
    shorter=()
    case $name in # coarser than a user would want it, to save time
    cavity) shorter=(--set 'space.cells=[32, 32]') ;;
    esac
    if "$knudsen" run "$folder/case.yaml" --out "$name" --quiet --set output.vtk=false "${shorter[@]}" >out 2>&1; then
        compare "$name"
    else
        fail "$name: exit code $?: $(head -1 out)"
    fi
done
exit $failed
