#!/bin/bash
# knudsen plot: pictures, what they show, the terminal, references, and what it refuses.
# usage: test_plot.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && source=$(realpath "$2") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
PATH=/usr/bin:$PATH # the system's own Python has what tools/packages installs
. "$(dirname "$(realpath "$0")")/../check.sh"
plot() { ends 0 "$knudsen" plot "$@"; }

# A whole PNG of some size that is not blank; an SVG that is well-formed and holds text.
is_png() {
    python3 - "$1" <<'END'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
width, height = struct.unpack(">II", data[16:24])
assert width >= 800 and height >= 400, (width, height)
at, pixels = 8, b""
while at < len(data):
    length, kind = struct.unpack(">I4s", data[at:at + 8])
    body = data[at + 8:at + 8 + length]
    assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
    pixels += body if kind == b"IDAT" else b""
    at += 12 + length
assert kind == b"IEND" and len(set(zlib.decompress(pixels))) > 50, "blank"
END
}
is_svg() {
    python3 - "$1" <<'END'
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.tag.endswith("svg"), root.tag
assert sum(1 for e in root.iter() if e.tag.endswith("text")) > 5, "no text"
END
}
# shows FILE WORD...: all letters of an SVG, whatever they are cut into.
shows() {
    python3 - "$@" <<'END'
import sys, xml.etree.ElementTree as tree
text = "".join("".join(tree.parse(sys.argv[1]).getroot().itertext()).split())
missing = [word for word in sys.argv[2:] if "".join(word.split()) not in text]
assert not missing, (missing, text[-600:])
END
}

cat >case.yaml <<'END'
gas:
  delta: 1
disturbance: 0
velocity:
  grid: gauss
  nodes: 4
collision:
  method: bgk
walls:
  top:
    velocity: [1, 0, 0]
time:
  end: 2
END
run() { "$knudsen" run case.yaml --quiet --out "$@" >/dev/null; }
line=(--set space.cells=12 --set walls.right.velocity=[0,1,0] --set walls.top.velocity=[0,0,0])
check "a plane" run plane --set 'space.cells=[12, 10]' --set space.stretch=0.9 --set output.average=1
check "a box" run box --set 'space.cells=[10, 10, 6]' --set time.end=1
check "a series" run series "${line[@]}" --set output.fields=0.5
check "a line" run line "${line[@]}"
check "another" run thick "${line[@]}" --set gas.delta=5
check "a uniform gas" run cell --set space.cells=1 --set walls.left.kind=periodic --set walls.right.kind=periodic \
    --set walls.top.velocity=[0,0,0] --set initial.shape=stress --set time.step=0.02
check "a run that is stopped" ends 0 "$knudsen" run case.yaml --quiet --out stopped "${line[@]}" --set time.max_steps=3

if ! command -v gnuplot >/dev/null; then
    echo "no gnuplot: pictures are not looked at"
    exit $failed
fi

# 1. What suits each case.
check "a sheet" plot plane
check "says where and what" contains out '^plane/picture.png: map of speed with streamlines; profile of ux along y at x = 0.5 L; .*history of D'
check "is a PNG" is_png plane/picture.png
check "an SVG" plot plane -o plane.svg
check "is one" is_svg plane.svg
is_pdf() { head -c 5 "$1" | grep -q '%PDF-' && python3 - "$1" "$2" <<'END'
import re, sys
width = float(re.search(rb"MediaBox *\[ *0 0 ([\d.]+)", open(sys.argv[1], "rb").read())[1])
assert abs(width - float(sys.argv[2])) < 1.5, width
END
}
check "a PDF for a column of 86 mm" plot plane -o plane.pdf --width 86mm
check "is 244 pt wide" is_pdf plane.pdf 244
check "an EPS for a column of 3.4 in" plot line -o line.eps --width 3.4in
check "is 245 pt wide" grep -aq '%%BoundingBox: 0 0 24[45] ' line.eps
check "an SVG of that width" plot line -o column.svg --width 86mm
check "is 325 pixels wide" grep -q 'width="325"' column.svg
check "a width without a unit" ends 2 "$knudsen" plot line --width 86 -o x.svg
check "names one" contains err "'86' is no width (such as 86mm)"
check "a JPEG" ends 2 "$knudsen" plot line -o x.jpg
check "is none of the kinds" contains err "must end in .png, .svg, .pdf or .eps"
check "has the drag and units in it" shows plane.svg 'D = 0.' 'G = 0.' 'δ = 1' 'speed' 'x / L'
check "a box" plot box -o box.svg
check "is cut in the middle" shows box.svg 'z = 0.5 L'
check "a line" plot line -o line.svg
check "has its velocity" shows line.svg 'velocity'
check "a series" plot series -o series.svg
check "has its times" shows series.svg '0.5' '1.5' 't / ('
check "a uniform gas" plot cell -o cell.svg
check "has its history" contains out 'history of average.Pxy'
check "a stopped run" plot stopped -o stopped.svg

# 2. Options.
check "maps" plot plane --kind map --quantity theta,Pxy -q rho -o maps.svg
check "of all three" contains out 'map of theta .*; map of Pxy; map of rho'
check "in the picture" shows maps.svg 'temperature' 'stress' 'density'
check "arrows" plot plane -k map --flow arrows -o arrows.png
check "are said" contains out 'with arrows'
check "no lines" plot plane -k map --flow none -o none.svg
check "are not said" lacks out 'with'
check "the averages" plot plane -k map --mean -o mean.svg
check "are named" shows mean.svg 'time average'
check "the last fields" plot plane -k map --last -o last.svg
check "have a time" contains out 't = 2$'
check "a time of a series" plot series --time 0.9 -o time.svg
check "is the nearest" contains out 't = 1\.0'
check "a slice" plot box -k map --slice z=0.25 -o slice.svg
check "is where it was wanted" shows slice.svg 'z = 0.25 L'
check "another plane" plot box -k map --slice x=0.5 -q theta -o other.svg
check "has the other axes" shows other.svg 'y / L' 'z / L'
check "profiles at a place" plot plane -k profile -q ux --slice x=0.3 -o place.svg
check "along the other axis" contains out '^place.svg: profile of ux along y at x = 0.3 L; time average$'
check "a history" plot plane -k history -q D,residual -o history.svg
check "of both" contains out 'history of D; history of residual'
check "script and data are kept" plot plane -k map --keep -o kept.png
check "and said" contains out 'plane/plot.gp'
rm -f plane/picture.*
check "they draw again from anywhere" gnuplot -e "kind='svg'" plane/plot.gp
check "the same" is_svg plane/picture.svg

# 3. Several runs.
check "two runs" plot line thick -o two.svg
check "are named by what differs" shows two.svg 'δ = 1' 'δ = 5'
cp -r line line_2
check "equal cases" plot line line_2 -k history -o equal.svg
check "by their folders" shows equal.svg 'line_2'

# 4. References, of both layouts.
printf '# measured\nx,uy,error\n0.25,0.375,0.01\n0.75,0.625,\n' >points.csv
check "points" plot line -r points.csv --keep -o points.svg
check "are counted" contains out '2 reference values'
check "are in the data" grep -qx '0.25 0.375 0.01' line/plot.dat
check "and in the key" shows points.svg 'points'
printf 'time,value\n1,0.5\n' >level.csv
check "points of a history" plot line -k history -q right.stress_y -r level.csv -o level.svg
check "are counted" contains out '1 reference values'
cat >reference.csv <<'END'
quantity,value,uncertainty,source,conditions,settings,check,bar
uy(0.3),0.4,0.02,Somebody: a journal,delta 5,"gas.delta=5 space.cells=12 walls.right.velocity=[0,1,0] walls.top.velocity=[0,0,0]",,
uy(0.3),0.1,0.02,Nobody: a journal,delta 7,"gas.delta=7 space.cells=12 walls.right.velocity=[0,1,0] walls.top.velocity=[0,0,0]",,
right.stress_y,-0.11,0.01,Somebody: a journal,delta 5,"gas.delta=5 space.cells=12 walls.right.velocity=[0,1,0] walls.top.velocity=[0,0,0]",,
END
check "rows of a case" plot thick -k profile -r reference.csv --keep -o rows.svg
check "that are of this flow" contains out '1 reference values'
check "are in the data" grep -qx '0.3 0.4 0.02' thick/plot.dat
check "with their source" shows rows.svg 'Somebody'
check "a level in the history" plot thick -k history -q right.stress_y -r reference.csv --keep -o rows.svg
check "is in the data" contains thick/plot.dat ' -0.11$'

# 5. The terminal, which needs no gnuplot.
mkdir empty
for tool in cat; do ln -s "$(command -v $tool)" empty/; done
check "without gnuplot" ends 4 env PATH="$work/empty" "$knudsen" plot line -o without.png
check "it says what to install" contains err 'apt install gnuplot-nox'
check "the terminal" ends 0 env PATH="$work/empty" COLUMNS=60 LC_ALL=C "$knudsen" plot plane --terminal
check "has a map in letters" contains out '@'
check "and numbers" contains out 'largest  0\.'
check "and is as wide as it may" test "$(awk '{ if (length > n) n = length } END { print n }' out)" -le 60
check "only ASCII" test -z "$(LC_ALL=C tr -d '\0-\177' <out)"
check "with blocks" ends 0 env LC_ALL=C.UTF-8 "$knudsen" plot plane --terminal
check "where there are any" contains out '█'
check "a profile" ends 0 env LC_ALL=C.UTF-8 "$knudsen" plot line thick --terminal
check "with what differs" contains out 'δ = 5\|delta = 5'

# 6. SI units: a run whose numbers were turned into them by hand, below, and scales as h5py writes them.
cat >si.yaml <<'END'
gas:
  species: argon
  pressure: 8 kPa
  temperature: 300 K
disturbance: 0.5
space:
  cells: 6
  size: 2 um
velocity:
  grid: gauss
  nodes: 4
collision:
  method: bgk
run:
  force: true                # four nodes are too few for warm gas
walls:
  left:
    kind: inflow
    density: 0.3
    velocity: [0.1, 0.2, 0]
  right:
    kind: inflow
    temperature: 360 K
time:
  end: 40 ns
END
# drawn FOLDER NAME=UNIT...: the curves of plot.dat against history.csv and fields.h5; UNIT in those of SI.
drawn() {
    python3 - "$@" <<'END'
import csv, json, math, re, sys
folder = sys.argv[1]
# the gas of si.yaml: k, and 39.948 g/mol over Avogadro's number
k, mass, t0, p0, box, eps = 1.380649e-23, 39.948e-3 / 6.02214076e23, 300, 8000, 2e-6, 0.5
n0, v0 = p0 / (k * t0), math.sqrt(2 * k * t0 / mass)
free_path = json.load(open(folder + "/summary.json"))["si"]["viscosity"] * v0 / p0
rules = {"rho": (n0, n0 * eps), "uy": (0, v0 * eps), "theta": (t0, t0 * eps), "p": (p0, p0 * eps), "Pxy": (0, p0 * eps),
         "qx": (0, p0 * v0 * eps), "stress": (0, p0 * eps), "heat_flux": (0, p0 * v0 * eps),
         "mass_flux": (0, n0 * mass * v0 * eps), "residual": (0, v0 / free_path)}
history = {}
for row in csv.DictReader(open(folder + "/history.csv")):
    for name, value in row.items():
        history.setdefault(name, []).append(float(value))
def own(name):  # abscissa in SI, and the values of the files
    if name in history:
        return [t * free_path / v0 for t in history["time"]], history[name]
    import h5py
    with h5py.File(folder + "/fields.h5") as file:
        x = [place * free_path for place in file["grid/x_centre"]]
        sets = {"rho": file["rho"][0, 0], "uy": file["u"][0, 0, :, 1], "theta": file["theta"][0, 0],
                "p": file["Pi"][0, 0, :, :3].mean(axis=1), "Pxy": file["Pi"][0, 0, :, 3], "qx": file["q"][0, 0, :, 0]}
        return x, list(sets[name])
def near(a, b):
    return abs(a - b) <= 1e-7 * abs(b)
curves = re.split(r"^# .*\n", open(folder + "/plot.dat").read(), flags=re.M)[1:]
assert len(curves) == len(sys.argv) - 2, len(curves)
for curve, (name, unit) in zip(curves, (word.split("=") for word in sys.argv[2:])):
    points = [tuple(map(float, line.split()[:2])) for line in curve.split("\n") if line.strip()]
    offset, factor = rules[name.split(".")[-1].split("_")[0] if "stress" in name else name.split(".")[-1]]
    scale = 1e9 if name in history else 1e6  # ns, um
    expected = [(scale * x, (offset + factor * y) / float(unit)) for x, y in zip(*own(name))]
    assert len(points) >= 6 and max(abs(y) for _, y in points) > 0, name
    for x, y in points:
        assert any(near(x, a) and near(y, b) for a, b in expected), (name, x, y, expected[-1])
END
}
check "a run in SI units" "$knudsen" run si.yaml --quiet --out real
check "what passes its walls" plot real -k history -q left.stress_y,right.heat_flux,left.mass_flux,residual,average.theta --keep -o real.svg
check "is in SI units" drawn real left.stress_y=1 right.heat_flux=1e3 left.mass_flux=1 residual=1 average.theta=1
check "which are named" shows real.svg 'left.stress_y(Pa)' '(kW/m²)' '(kgm' 'residual(s' 't(ns)'
check "a time in them" plot real -k profile -q uy -o real.svg
check "is said" contains out '; t = 40 ns$'
check "or none" plot real -k profile -q uy --dimensionless -o real.svg
check "without them" contains out '; t = 14\.0969$'
if python3 -c 'import h5py' 2>/dev/null; then
    check "its fields" plot real -k profile -q rho,uy,theta,p,Pxy,qx --keep -o real.svg
    check "are in SI units" drawn real rho=1e24 uy=1 theta=1 p=1e3 Pxy=1 qx=1e3
    check "which are named" shows real.svg 'pressurep(kPa)' 'x(µm)' 'stressΠxy(Pa)' 'qx(kW/m²)' '(1024m'
fi
rm real/fields.h5
check "without fields the case has the scales" plot real -k history -q left.stress_y --keep -o real.svg
check "and the same numbers" drawn real left.stress_y=1

if python3 -c 'import h5py' 2>/dev/null; then
    cp -r plane si
    python3 - <<'END'
import h5py
scales = dict(temperature=300, pressure=1000, density=2.4e23, mass=6.6e-26, viscosity=2.3e-5, velocity=353, length=8e-6,
              time=2.3e-8, box=8e-6, disturbance=0.1)
with h5py.File("si/fields.h5", "r+") as file:
    group = file.create_group("si")
    group.attrs["species"] = "argon"
    for name, value in scales.items():
        group.attrs[name] = float(value)
END
    check "SI units" plot si --last -o si.svg
    check "also of the time" contains out '; t = 46 ns$'
    check "with prefixes" shows si.svg 'argon' '300 K' '1 kPa' '8 µm' 'x (µm)' '(m/s)' 't (ns)' 't = 46 ns'
    check "absolute temperatures" plot si -k map -q theta -o theta.svg
    check "in kelvin" shows theta.svg 'temperature T (K)' '300'
    check "a time in them" plot si -k map --time 46ns -o time.svg
    check "or none" plot si -k map --dimensionless -o bare.svg
    check "as asked" shows bare.svg 'x / L'
fi

# 7. What is refused.
refuses() {
    local code=$1 words=$2
    shift 2
    check "refused: $*" ends "$code" "$knudsen" plot "$@"
    check "because $words" contains err "$words"
}
refuses 2 'did you mean theta?' plane -q teta
refuses 2 'there are rho, speed, ux' plane -q nonsense
refuses 2 'did you mean profile?' plane -k profil
refuses 2 "column of history.csv: draw it with --kind history" plane -k map -q D
refuses 2 'a map needs two axes' line -k map
refuses 2 'is one cell: draw --kind history' cell -k profile
refuses 2 'a map shows one run' plane box -k map
refuses 2 'have other axes' plane line
refuses 2 'an axis and a place in L' plane --slice 0.5
refuses 2 'the case has no z axis' plane --slice z=0.5
refuses 2 'reaches from 0 to 1 L' plane --slice x=2
refuses 2 'is no number' plane --time soon
refuses 2 'has no unit, since the case has none' plane --time 5ns
refuses 2 'choose one of them' plane --time 1 --mean
refuses 2 'exclude each other' plane --last --mean
refuses 2 'has no averages' line --mean
refuses 2 'must end in .png, .svg, .pdf or .eps' plane -o picture.gif
refuses 2 'leave out --output' plane --terminal -o picture.png
refuses 4 "there is no folder 'nowhere'" nowhere
refuses 4 'is no folder of results' empty
refuses 4 'cannot write' plane -o nowhere/picture.png
refuses 4 'cannot read the reference' plane -r nowhere.csv
printf 'a,b\n1,2\n' >bad.csv
refuses 2 'bad.csv:1: the first line is x, y, z or time' line -r bad.csv
printf 'x,uy\n1;2\n' >bad.csv
refuses 2 'bad.csv:2: 2 numbers' line -r bad.csv
rm line_2/fields.h5
check "without fields its history is drawn" plot line_2 -o left.svg
refuses 4 "has no fields.h5" line_2 -k profile
head -c 3000 line/fields.h5 >thick/fields.h5
refuses 4 "thick/fields.h5" thick

exit $failed
