#!/bin/bash
# Names of symbols: every global symbol of libknudsen.a is kn_<file>_..., where <file> may be the first word of the
# file name (config_value.c has kn_config_...). Public names are those of knudsen.h.
# usage: test_symbols.sh PROGRAM SOURCE_FOLDER
library=$(dirname "$1")/libknudsen.a
header=$2/include/knudsen.h
[ -e "$library" ] && [ -e "$header" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
command -v nm >/dev/null || { echo "nm is missing"; exit 1; }

# "file symbol" of all global symbols; sanitizers and C++ compilers add further names.
symbols=$(nm --defined-only --extern-only "$library" 2>/dev/null |
    awk '/\.o:$/ {sub(/\.cu?\.o:$/, "", $1); file = $1} NF == 3 && $3 !~ /^__(asan|odr_asan|ubsan)|^DW\.ref\./ {print file, $3}')
[ -n "$symbols" ] || { echo "no symbols in $library"; exit 1; }

wrong=0
while read -r file symbol; do
    case $symbol in
    "kn_${file}_"* | "kn_${file}" | "kn_${file%%_*}_"*) continue ;; # the file, or the first word of its name
    "kn_backend_${file%%_*}") continue ;;                          # the table a machine offers
    kn_*) grep -qw "$symbol" "$header" && continue ;;
    esac
    echo "FAIL  $symbol in $file.c"
    wrong=1
done <<<"$symbols"
[ "$wrong" -eq 0 ] && echo "ok    $(wc -l <<<"$symbols") symbols"
exit "$wrong"
