#!/bin/bash
# Result files from somebody else: they run no command, take no memory, and damage is reported.
# usage: test_hostile.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
PATH=/usr/bin:$PATH # the system's own Python has what tools/packages installs
. "$(dirname "$(realpath "$0")")/../check.sh"

cat >case.yaml <<'END'
gas:
  species: argon
  pressure: 8 kPa
  temperature: 300 K
space:
  cells: 6
  size: 2 um
velocity:
  grid: gauss
  nodes: 4
collision:
  method: bgk
walls:
  right:
    velocity: [0, 1 m/s, 0]
time:
  end: 20 ns
output:
  fields: 10 ns
END
check "a run" "$knudsen" run case.yaml --quiet --out good
[ $failed -eq 0 ] || exit 1

# forge NAME: a copy of the results, changed by the Python statements on standard input.
forge() {
    rm -rf "$1"
    cp -r good "$1"
    { echo "import h5py, numpy as np, sys"; echo "f = h5py.File('$1/fields.h5', 'r+')"; cat; } | python3 -
}
# At most 2 GB of addresses and a minute; no signal ends it.
limited() { (ulimit -v 2000000 && exec timeout 60 env OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "$knudsen" "$@"); }
refused() {
    local what=$1 words=$2
    check "$what: plot --terminal refuses it" ends 4 limited plot "$what" --terminal
    check "$what: because $words" contains err "$words"
    check "$what: report refuses it" ends 4 limited report "$what"
    check "$what: because $words" contains err "$words"
}
no_command_ran() { absent injected && ! find . -name injected | grep .; }

# 1. Text of a file starts no command.
for text in 'ar\n!touch injected\n#' 'a`touch injected`' "x'; system('touch injected'); y='" '\x1b]0;title\x07' 'a\x7fb' \
    '@{injected}\\'; do
    forge text <<END
f['si'].attrs['species'] = "$text"
END
    limited plot text -o text.svg >out 2>err
    code=$?
    check "species $text: an error or a picture" test $code = 0 -o $code = 4
    check "species $text: no command" no_command_ran
    limited plot text --terminal >out 2>err
    check "species $text: no control character" lacks out $'[\x01-\x08\x0b-\x1f\x7f]'
    check "species $text: no control character in the message" lacks err $'[\x01-\x08\x0b-\x1f\x7f]'
done
if command -v gnuplot >/dev/null; then
    for folder in $'x\n!touch injected\n#' $'y\nsystem "touch injected"\n#' "z'; system('touch injected'); '" '|touch injected;' \
        '<touch injected' $'\e[31mred' 'back\'; do
        cp -r good "./$folder"
        check "folder $(printf %q "$folder"): is drawn" ends 0 limited plot "./$folder" --keep
        check "and its script draws again" gnuplot "./$folder/plot.gp"
        check "no control character" lacks out $'[\x01-\x08\x0b-\x1f\x7f]'
        check "in a comparison" ends 0 limited plot "./$folder" good -k history -q right.stress_y -o two.svg
        check "no command" no_command_ran
        rm -rf "./$folder"
    done
    check "output with a pipe" ends 0 limited plot good -o '|touch injected;.svg'
    check "is a file" test -s '|touch injected;.svg'
    check "no command" no_command_ran
fi
cp -r good header
printf 'step,time,right.stress_y\x1b[2J"`touch injected`\n0,0,1\n1,1,2\n' >header/history.csv
check "a header with an escape sequence" ends 4 limited plot header -k history -o header.svg
check "is damage" contains err 'history.csv. is damaged'
printf "step,time,right.stress_y'\`touch injected\`\\\\\n0,0,1\n1,1,2\n" >header/history.csv
check "a header with quotes" ends 0 limited plot header -k history -o header.svg
check "no command" no_command_ran
printf "y'\n!touch injected,ux\n1,2\n" >"points.csv"
check "a reference file" ends 2 limited plot good -r points.csv -o points.svg
printf 'x,uy\n0.5,0.1\n' >$'ref\n!touch injected\n#.csv'
check "a reference with a line feed in its name" ends 0 limited plot good -r $'ref\n!touch injected\n#.csv' -o points.svg
check "no command" no_command_ran
forge script <<'END'
f['si'].attrs['species'] = "<script>alert(1)</script>"
f['u'].attrs['si_unit'] = "</script><img src=x onerror=alert(1)>"
END
check "a script as species" ends 0 limited report script
check "is text" lacks script/report.html 'alert(1)<\|<img src'

# 2. Classes, sizes and numbers are checked.
forge points <<<"f.attrs['time'] = np.frombuffer(b'A' * 4000)"
refused points 'is damaged'
forge class <<<"f.attrs['delta'] = 'one'"
check "class: plot refuses it" ends 4 limited plot class --terminal
forge si <<<"f['si'].attrs['pressure'] = np.zeros(600)"
refused si 'the group si'
forge compound <<<"f['si'].attrs['mass'] = np.zeros((), dtype=[('a', 'f8'), ('b', 'f8', 400)])"
refused compound 'the group si'
forge species <<<"f['si'].attrs['species'] = 'x' * 100000"
refused species 'the group si'
forge format <<<"f.attrs['format'] = 7"
refused format 'has format 7; this program reads format 1'
forge none <<<"del f.attrs['format']"
refused none "no attribute 'format'"
forge nan <<<"g = f['grid/x'][...]; g[1] = np.nan; f['grid/x'][...] = g"
refused nan 'grid/x does not hold finite numbers that increase'
forge falling <<<"f['grid/x'][...] = f['grid/x'][...][::-1]"
refused falling 'grid/x does not hold finite numbers that increase'
forge one <<<"del f['grid/y']; f['grid/y'] = [0.0]"
refused one 'grid/y does not have between 2 and'
forge empty <<<"del f['grid/z']; f.create_dataset('grid/z', (0,))"
refused empty 'grid/z is missing or cannot be read'
forge shape <<<"del f['u']; f['u'] = np.zeros((1, 1, 6, 2))"
refused shape 'u is missing or does not fit the grid'
forge rank <<<"del f['rho']; f['rho'] = np.zeros(6)"
refused rank 'rho is missing or does not fit the grid'
forge kind <<<"del f['rho']; f['rho'] = np.zeros((1, 1, 6), dtype='S900')"
refused kind 'rho is missing or does not fit the grid'

# 3. A small file takes no memory and no time, and reads no other file.
forge sparse <<<"del f['grid/x']; f.create_dataset('grid/x', (2**27 + 1,), dtype='f8')"
refused sparse 'grid/x is missing or cannot be read'
forge huge <<<"del f['grid/x']; f.create_dataset('grid/x', (2**40,), dtype='f8', chunks=(1024,))"
refused huge 'grid/x is missing or cannot be read'
forge gzip <<<"del f['grid/x']; f.create_dataset('grid/x', data=np.arange(1e6), chunks=(1000,), compression=9)"
refused gzip 'grid/x is missing or cannot be read'
forge external <<<"del f['rho']; f.create_dataset('rho', (1, 1, 6), dtype='f8', external=[('/etc/passwd', 0, 48)])"
refused external 'rho is missing or does not fit the grid'
forge link <<<"del f['series']; f['series/00000001'] = h5py.ExternalLink('/dev/zero', '/')"
check "a link to another file is not followed" ends 0 limited plot link -k profile --terminal
check "nor by the report" ends 0 limited report link
# Soft and external links are not followed either, in any part of a path.
forge link-set <<<"del f['rho']; f['rho'] = h5py.ExternalLink('../good/fields.h5', '/rho')"
refused link-set 'rho is missing or does not fit the grid'
forge link-soft <<<"del f['rho']; f['rho'] = h5py.SoftLink('/theta')"
refused link-soft 'rho is missing or does not fit the grid'
forge link-axis <<<"del f['grid/x']; f['grid/x'] = h5py.ExternalLink('../good/fields.h5', '/grid/x')"
refused link-axis 'grid/x is missing or cannot be read'
forge link-grid <<<"del f['grid']; f['grid'] = h5py.ExternalLink('../good/fields.h5', '/grid')"
refused link-grid 'grid/x is missing or cannot be read'
forge link-mean <<<"f['mean'] = h5py.ExternalLink('../good/fields.h5', '/')"
refused link-mean 'its group mean cannot be read'
forge link-self <<<"f['mean'] = h5py.SoftLink('/')"
refused link-self 'its group mean cannot be read'
forge link-si <<<"del f['si']; f['si'] = h5py.ExternalLink('../good/fields.h5', '/si')"
refused link-si 'the group si'
forge link-series <<<"del f['series']; f['series'] = h5py.ExternalLink('../good/fields.h5', '/series')"
refused link-series 'is damaged'
cp -r good wide
python3 -c "print('step,time' + ',a' * 1000000); print('1,1')" >wide/history.csv
check "a history of a million columns" ends 0 limited plot wide -k profile --terminal
mkdir pipe && mkfifo pipe/fields.h5 pipe/history.csv
check "a pipe is no file" ends 4 limited plot pipe --terminal
check "and is named" contains err 'is not a regular file'

# 4. Damage is found: every byte of values and structures has a checksum.
python3 - >found <<'END'
import h5py, numpy as np
data = open("good/fields.h5", "rb").read()
with h5py.File("good/fields.h5") as f:
    place = data.index(f["theta"][...].tobytes())
    assert f["theta"].fletcher32 and f["grid/x"].fletcher32 and f["Pi"].fletcher32
print(place)
END
flipped() { # flipped PLACE: a copy with one bit changed there
    rm -rf damaged
    cp -r good damaged
    python3 - "$1" <<'END'
import sys
with open("damaged/fields.h5", "r+b") as f:
    f.seek(int(sys.argv[1]))
    byte = f.read(1)[0] ^ 16
    f.seek(int(sys.argv[1]))
    f.write(bytes([byte]))
END
}
check "checksums are there" test -s found
flipped $(($(cat found) + 3))
check "a changed value" ends 4 limited plot damaged -k profile --last --terminal
check "is reported" contains err 'fields.h5. is damaged'
check "also by the report" ends 4 limited report damaged
check "in words" contains err 'fields.h5. is damaged'
check "which has the rest" grep -q 'Fields cannot be read' damaged/report.html
size=$(stat -c %s good/fields.h5)
silent=0
for i in $(seq 1 12); do
    flipped $((i * size / 13))
    for command in "plot --terminal" report; do
        set -- $command
        limited "$1" damaged "${@:2}" >out 2>err
        code=$?
        [ $code = 0 ] || [ $code = 4 ] || { echo "byte $((i * size / 13)): $command ends with $code"; silent=1; }
    done
done
check "bytes changed anywhere end no command by a signal" test $silent = 0

exit $failed
