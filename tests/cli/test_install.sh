#!/bin/bash
# cmake --install: the program, the library and the files for other build systems, in a prefix that is moved after the
# installation.
# usage: test_install.sh PROGRAM SOURCE_FOLDER
program=$(realpath "$1") && [ -x "$program" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
root=$(realpath "$2")
build=$(dirname "$program")
. "$(dirname "$(realpath "$0")")/../check.sh"
unset KNUDSEN_CASES

contains() { grep -qE -- "$2" "$1" || { echo "no '$2' in $1:"; head -3 "$1"; return 1; }; }
near() {
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN {d = a - b; exit !(a != "" && b != "" && d * d <= t * t)}' ||
        { echo "'$1' is not '$2' within $3"; return 1; }
}

# --------------------------------------------------------------------------- files

install_and_move() { cmake --install "$build" --prefix "$work/first" && mv first prefix; }
check "installs" install_and_move
[ "$failed" -eq 0 ] || exit 1
prefix=$work/prefix
knudsen=$prefix/bin/knudsen
library=$(dirname "$(find "$prefix" -name libknudsen.a)")
export PKG_CONFIG_PATH=$library/pkgconfig LD_LIBRARY_PATH=$library # where libknudsen.so would be, if it was built

has_files() {
    local file
    for file; do [ -s "$prefix/$file" ] || { echo "no $file"; return 1; }; done
}
check "program, header and documents" has_files bin/knudsen include/knudsen.h share/knudsen/cases/cavity/case.yaml \
    share/doc/knudsen/{README.md,LICENSE,docs/input.md,docs/theory.md,docs/cluster.md,examples/api/coupled.c,examples/slurm/cpu.sh} \
    share/bash-completion/completions/knudsen
names_no_source() {
    ! grep -rnE "$root/|$build/" "$library/cmake" "$library/pkgconfig" "$prefix/share/bash-completion"
}
check "installed files do not contain paths of the sources" names_no_source

# ------------------------------------------------------------------------- program

same_version() {
    local version
    version=$("$knudsen" --version) || return 1
    echo "$version; $(pkg-config --modversion knudsen)"
    [ "$version" = "knudsen $(pkg-config --modversion knudsen)" ] && contains "$prefix/include/knudsen.h" "\"${version#* }\""
}
lists_cases() {
    "$knudsen" verify --list >out || return 1
    [ "$(wc -l <out)" -eq "$(find "$root/cases" -name case.yaml | wc -l)" ] && contains out '^couette '
}
check "all files have the same version" same_version
check "the program finds its cases" lists_cases
check "an installed case runs" "$knudsen" run "$prefix/share/knudsen/cases/couette/case.yaml" --dry-run

commands=$("$knudsen" --help | awk '/^Commands:/ {on = 1; next} on && NF == 0 {exit} on && /^  [a-z]/ {print $1}')
manual_has_all() {
    local command option
    zcat "$prefix/share/man/man1/knudsen.1.gz" | sed -E 's@\\(f.|[,/])@@g; s@\\@@g' >manual || return 1
    for command in $commands; do
        contains manual "^.SS \"knudsen $command" || return 1
        for option in $("$knudsen" "$command" --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--.*'); do
            contains manual "$option" || return 1
        done
    done
    for section in COMMANDS '"EXIT STATUS"' ENVIRONMENT FILES; do contains manual "^.SH $section" || return 1; done
    for name in KNUDSEN_CACHE KNUDSEN_CASES KNUDSEN_ISA KNUDSEN_MPI NO_COLOR; do contains manual "$name" || return 1; done
}
if command -v help2man >/dev/null; then
    check "the manual has all commands and options" manual_has_all
fi

# ---------------------------------------------------------------------- completion

# completes LINE WORD...: completion of "PROGRAM LINE" offers each word.
completes() {
    bash -c 'source "$1" || exit 1
        COMP_LINE="knudsen $2"; COMP_POINT=${#COMP_LINE}; read -ra COMP_WORDS <<<"$COMP_LINE"
        _knudsen; printf "%s\n" "${COMPREPLY[@]}"' - "$prefix/share/bash-completion/completions/knudsen" "$1" >out 2>err
    local word
    for word in "${@:2}"; do
        grep -qxF -- "$word" out || { echo "no $word after '$1':"; cat out err; return 1; }
    done
    [ ! -s err ] || { cat err; return 1; }
}
PATH=$prefix/bin:$PATH
touch mine.yaml other.txt
check "completes commands" completes "" $commands
check "completes options" completes "run --" --set= --out= --resume --help
check "completes options of other commands" completes "info --" --ranks= --json
check "completes options of commands in Python" completes "plot --" --kind= --quantity= --mean
check "completes keys" completes "run --set walls.top." walls.top.kind= walls.top.velocity=
check "completes keys after =" completes "run mine.yaml --set=gas.mol" gas.molecules=
check "completes values of keys" completes "run --set gas.molecules=" hard-sphere maxwell vhs
check "completes values of keys of a wall" completes "run --set=walls.left.kind=sp" specular
check "completes case files" completes "run mi" mine.yaml
check "completes folders" completes "run -o pre" prefix
check "completes cases" completes "verify cou" couette
check "completes keys to explain" completes "help time." time.end time.courant
offers_only_cases() { completes "run " mine.yaml && ! grep -q other.txt out; }
check "completion offers no other files" offers_only_cases

if [ -d "$root/python/knudsen" ]; then
    python=/usr/bin/python3 # the one that Debian's packages are for
    [ -x $python ] || python=python3
    check "the Python package loads" env PYTHONPATH="$prefix/share/knudsen/python" "$python" -B -c "import knudsen"
    printf 'space: {cells: 4}\nvelocity: {nodes: 4}\ncollision: {method: bgk}\ntime: {end: 0.1}\n' >tiny.yaml
    check "the installed program runs" "$knudsen" run tiny.yaml --quiet --out tiny
    check "the installed program plots" "$knudsen" plot tiny -q rho
fi

# -------------------------------------------------------------------------- header

echo '#include <knudsen.h>' >header.c
cp header.c header.cc
check "the header compiles as C11" gcc -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only -I "$prefix/include" header.c
check "the header compiles as C++" g++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -I "$prefix/include" header.cc

# A shared library of the same objects exports only the functions of the header.
shows_the_header() {
    local flags
    flags=$(pkg-config --libs --static knudsen) || return 1
    # shellcheck disable=SC2086
    gcc -shared -o libtry.so -Wl,--whole-archive "$library/libknudsen.a" -Wl,--no-whole-archive \
        ${flags/-lknudsen/} || return 1
    nm -D --defined-only libtry.so | awk '$3 !~ /^__(asan|odr_asan|ubsan)/ {print $3}' | sort >shown
    sed -n '/visibility push/,/visibility pop/p' "$prefix/include/knudsen.h" | sed 's@/\*.*@@; /^ \*/d' |
        grep -oE '^[a-z].*\bkn_[a-z_]+\(' | grep -oE 'kn_[a-z_]+\(' | tr -d '(' | sort >declared
    [ "$(wc -l <declared)" -ge 15 ] && diff declared shown
}
check "public functions are visible, and no others" shows_the_header

# ------------------------------------------------------------------------ examples

cp -r "$prefix/share/doc/knudsen/examples/api" examples
with_cmake() { cmake -S examples -B by-cmake -DCMAKE_PREFIX_PATH="$prefix" && cmake --build by-cmake; }
# shellcheck disable=SC2046
with_pkg_config() {
    gcc -std=c11 -O2 -Wall -Wextra -Werror "examples/$1.c" -o "$1" $(pkg-config --cflags --libs --static knudsen)
}
check "the examples build with find_package" with_cmake
check "cavity.c builds with pkg-config" with_pkg_config cavity
check "coupled.c builds with pkg-config" with_pkg_config coupled

# The results of knudsen run with the same keys.
cavity_is_that_of_the_program() {
    local quick=(gas.delta=2 "space.cells=[9, 9]" velocity.nodes=6 time.end=3) sets=() key value
    for key in "${quick[@]}"; do sets+=(--set "$key"); done
    echo 'walls: {top: {velocity: [1, 0, 0]}}' >cavity.yaml
    "$knudsen" run cavity.yaml "${sets[@]}" --set collision.method=bgk --out run --quiet || return 1
    ./cavity "${quick[@]}" >out || return 1
    for key in D G; do
        value=$(grep -oE "\"$key\": *[0-9.e-]+" run/summary.json | head -n 1 | grep -oE '[0-9.e-]+$')
        near "$(sed -nE "s/.*\b$key = ([0-9.]+).*/\1/p" out | tail -n 1)" "$value" 1e-6 || return 1
    done
}
check "cavity and knudsen run give the same results" cavity_is_that_of_the_program

# coupled.c: examples/api/README.md has the exact solution; the program is of first order in the step.
resonator() {
    by-cmake/coupled >out || return 1
    near "$(awk '/^quality/ {print $3}' out)" 3.732 0.01 && near "$(awk '/^momentum/ {print $3}' out)" 0 1e-6
}
free_molecular_resonator() {
    local error=() step
    for step in 0.02 0.01; do
        ./coupled collision.method=none walls.left.kind=inflow velocity.nodes=8 space.cells=10 "time.step=$step" >out || return 1
        near "$(awk '/^momentum/ {print $3}' out)" 0 1e-6 || return 1
        error+=("$(awk '/^quality/ {print 3.509470 - $3}' out)")
    done
    near "${error[0]}" 0 0.01 && near "$(awk "BEGIN {print ${error[0]} / ${error[1]}}")" 2 0.2
}
speaks_of_the_fold() {
    ! ./coupled velocity.fold=auto >out 2>err && contains err '^coupled: walls.right.velocity: .*velocity.fold: none'
}
check "coupled conserves momentum" resonator
check "coupled converges to the free-molecular solution" free_molecular_resonator
check "motion along a folded axis is refused" speaks_of_the_fold
exit "$failed"
