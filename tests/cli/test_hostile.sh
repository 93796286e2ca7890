#!/bin/bash
# Untrusted result files: they cannot execute commands or exhaust memory, and damage is reported.
# usage: test_hostile.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && source=$(realpath "$2") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
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
  nodes: 6
collision:
  method: bgk
walls:
  right:
    velocity: [0, 1 m/s, 0]
    temperature: 301 K
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
# At most 2 GB of address space and one minute; the program must not end by a signal.
limited() { (ulimit -v 2000000 && exec timeout 60 env OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "$knudsen" "$@"); }
# plots CODE WORDS ARGUMENT...: a knudsen plot command with its exit code and a part of its message. The commands are
# collected and run at the end, in one process.
plots() { printf '%s\0' "$#" "$@" >>all-plots; }
refused() {
    local what=$1 words=$2
    plots 4 "$words" "$what" -o x.svg
    check "$what: report refuses it" ends 4 limited report "$what"
    check "$what: the message contains: $words" contains err "$words"
}
no_command_ran() { absent injected && ! find . -name injected | grep .; }

# 1. Text in a file does not start a command.
i=0
for text in 'ar\n!touch injected\n#' 'a`touch injected`' "x'; system('touch injected'); y='" '\x1b]0;title\x07' 'a\x7fb' \
    '@{injected}\\' '$\frac' '$x$'; do
    i=$((i + 1))
    forge "text$i" <<END
f['si'].attrs['species'] = "$text"
END
    plots '0 4' '' "text$i" -o text.svg
done
for folder in $'x\n!touch injected\n#' $'y\nsystem "touch injected"\n#' "z'; system('touch injected'); '" '|touch injected;' \
    '<touch injected' $'\e[31mred' 'back\' '$\frac$' '-o'; do
    cp -r good "./$folder"
    plots 0 'picture.png' "./$folder"
    plots 0 '' "./$folder" good -k history -q right.stress_y -o two.svg
done
plots 0 '' good -o '|touch injected;.svg'
cp -r good header
printf 'step,time,right.stress_y\x1b[2J"`touch injected`\n0,0,1\n1,1,2\n' >header/history.csv
plots 4 "history.csv' is damaged" header -k history -o header.svg
cp -r good quotes
printf "step,time,right.stress_y'\`touch injected\`\\\\\n0,0,1\n1,1,2\n" >quotes/history.csv
plots 0 '' quotes -k history -o header.svg
printf "y'\n!touch injected,ux\n1,2\n" >"points.csv"
plots 2 '' good -r points.csv -o points.svg
printf 'x,uy\n0.5,0.1\n' >$'ref\n!touch injected\n#.csv'
plots 0 '' good -r $'ref\n!touch injected\n#.csv' -o points.svg
forge script <<'END'
f['si'].attrs['species'] = "<script>alert(1)</script>"
f['u'].attrs['si_unit'] = "</script><img src=x onerror=alert(1)>"
END
check "report of a species with HTML code" ends 0 limited report script
check "the HTML code is escaped" lacks script/report.html 'alert(1)<\|<img src'

# 2. Types, sizes and values are checked.
forge points <<<"f.attrs['time'] = np.frombuffer(b'A' * 4000)"
refused points 'is damaged'
forge class <<<"f.attrs['delta'] = 'one'"
plots 4 'is damaged' class -o x.svg
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

# 3. A small file cannot cause large memory use or long run times, or the reading of other files.
forge sparse <<<"del f['grid/x']; f.create_dataset('grid/x', (2**27 + 1,), dtype='f8')"
refused sparse 'grid/x is missing or cannot be read'
forge huge <<<"del f['grid/x']; f.create_dataset('grid/x', (2**40,), dtype='f8', chunks=(1024,))"
refused huge 'grid/x is missing or cannot be read'
forge gzip <<<"del f['grid/x']; f.create_dataset('grid/x', data=np.arange(1e6), chunks=(1000,), compression=9)"
refused gzip 'grid/x is missing or cannot be read'
forge external <<<"del f['rho']; f.create_dataset('rho', (1, 1, 6), dtype='f8', external=[('/etc/passwd', 0, 48)])"
refused external 'rho is missing or does not fit the grid'
forge link <<<"del f['series']; f['series/00000001'] = h5py.ExternalLink('/dev/zero', '/')"
plots 0 '' link -k profile -o x.svg # a link to another file is not followed,
check "report does not follow the link either" ends 0 limited report link
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
plots 0 '' wide -k profile -o x.svg
mkdir pipe && mkfifo pipe/fields.h5 pipe/history.csv
plots 4 'is not a regular file' pipe -o x.svg

# 4. Damage is detected: all values and structures have checksums.
python3 - >found <<'END'
import h5py, numpy as np
data = open("good/fields.h5", "rb").read()
with h5py.File("good/fields.h5") as f:
    place = data.index(f["theta"][...].tobytes())
    assert f["theta"].fletcher32 and f["grid/x"].fletcher32 and f["Pi"].fletcher32
print(place)
END
flipped() { # flipped NAME PLACE: a copy with one bit changed there
    cp -r good "$1"
    python3 - "$2" "$1" <<'END'
import sys
with open(sys.argv[2] + "/fields.h5", "r+b") as f:
    f.seek(int(sys.argv[1]))
    byte = f.read(1)[0] ^ 16
    f.seek(int(sys.argv[1]))
    f.write(bytes([byte]))
END
}
check "the values have checksums" test -s found
flipped damaged $(($(cat found) + 3))
plots 4 "fields.h5' is damaged" damaged -k profile -q theta --last -o x.svg
check "a changed value is reported" ends 4 limited report damaged
check "the message states the damage" contains err 'fields.h5. is damaged'
check "the report contains the other results" grep -q 'Fields cannot be read' damaged/report.html
size=$(stat -c %s good/fields.h5)
silent=0
for i in $(seq 1 12); do
    flipped "damaged$i" $((i * size / 13))
    plots '0 4' '' "damaged$i" -o x.svg
    limited report "damaged$i" >out 2>err
    code=$?
    [ $code = 0 ] || [ $code = 4 ] || { echo "byte $((i * size / 13)): report ends with $code"; silent=1; }
done
check "no report of damaged bytes ends by a signal" test $silent = 0

# 5. All plots, with at most 2 GB of address space.
cat >plot-all.py <<'END'
import contextlib, io, os, sys, time
sys.path.insert(0, sys.argv[1] + "/python")
from knudsen import Error
from knudsen.plot.__main__ import main
words = open("all-plots", "rb").read().decode().split("\0")[:-1]
wrong = 0
while words:
    count = int(words.pop(0))
    codes, part, *arguments = words[:count]
    del words[:count]
    out, err, begin = io.StringIO(), io.StringIO(), time.process_time()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments) or 0
        except Error as error:
            from knudsen.command_line import clean
            code = error.code or 2
            print(clean(str(error)))
        except SystemExit as end:
            code = end.code
        except BaseException as error:
            code = repr(error)
    said = out.getvalue() + err.getvalue()
    control = [letter for letter in said.replace("\n", "") if not letter.isprintable()]
    good = str(code) in codes.split() and part in said and not control and time.process_time() - begin < 20
    good = good and not os.path.exists("injected")
    print("ok   " if good else "FAIL ", ascii(" ".join(arguments)), "" if good else f"{code} {said!r}")
    wrong |= not good
sys.exit(wrong)
END
all_plots() {
    (ulimit -v 2000000 && exec env OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 KNUDSEN="$knudsen" timeout 120 \
        python3 -B plot-all.py "$source") >plots.log 2>&1 || { grep FAIL plots.log || tail -3 plots.log; return 1; }
}
check "all plots have the expected result" all_plots
check "at least 60 plots were tested" test "$(grep -c ^ok plots.log)" -ge 60
check "a file name that begins with a pipe is a file" test -s '|touch injected;.svg'
check "no command was executed" no_command_ran
check "plot with limited memory" ends 4 limited plot huge -o x.svg
check "plot with limited memory reports an error" contains err 'grid/x is missing or cannot be read'

exit $failed
