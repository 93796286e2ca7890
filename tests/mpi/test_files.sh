#!/bin/bash
# Files of several ranks: one fields.h5, one piece per rank for ParaView that VTK assembles, no files of an earlier
# run on more ranks, a piece that cannot be written, and the cache of the operator.
# usage: test_files.sh PROGRAM SOURCE_FOLDER
knudsen=$(realpath "$1") && [ -x "$knudsen" ] || { echo "usage: $0 PROGRAM SOURCE_FOLDER"; exit 1; }
. "$(dirname "$(realpath "$0")")/ranks.sh"

cat >case.yaml <<'END'
gas:
  species: argon
  pressure: 8 kPa
  temperature: 300 K
space:
  cells: [9, 7, 8]
  size: [1 um, 1 um, 1 um]
  stretch: [0.9, 1, 1]
velocity:
  nodes: 6
collision:
  method: bgk
walls:
  back:
    kind: diffuse
  front:
    kind: diffuse
  top:
    velocity: [3 m/s, 0, 0]
time:
  max_steps: 8
output:
  fields: 20 ps
  history: 4
END

# together ONE OTHER: the last file of fields.pvd of both, by VTK's readers.
together() {
    /usr/bin/python3 - "$1" "$2" <<'END'
import os, re, sys
from vtkmodules.vtkIOXML import vtkXMLPRectilinearGridReader, vtkXMLRectilinearGridReader
from vtkmodules.util.numpy_support import vtk_to_numpy

def read(folder):
    name = re.findall(r'file="([^"]*)"', open(folder + "/fields.pvd").read())[-1]
    reader = vtkXMLPRectilinearGridReader() if name.endswith(".pvtr") else vtkXMLRectilinearGridReader()
    reader.SetFileName(os.path.join(folder, name))
    reader.Update()
    return name, reader.GetOutput()

(one, a), (other, b) = read(sys.argv[1]), read(sys.argv[2])
assert one.endswith(".vtr") and other.endswith(".pvtr"), (one, other)
assert a.GetNumberOfCells() == b.GetNumberOfCells() == 9 * 7 * 8, (a.GetNumberOfCells(), b.GetNumberOfCells())
for axis in "XYZ":
    x, y = (vtk_to_numpy(getattr(g, f"Get{axis}Coordinates")()) for g in (a, b))
    assert x.tobytes() == y.tobytes(), axis
names = [a.GetCellData().GetArrayName(i) for i in range(a.GetCellData().GetNumberOfArrays())]
assert len(names) >= 5, names
for name in names:
    x, y = (vtk_to_numpy(g.GetCellData().GetArray(name)) for g in (a, b))
    assert x.tobytes() == y.tobytes(), name
END
}

# Byte for byte; with parallel HDF5 the same values at other positions in the file.
equal() { cmp -s "$1" "$2" || h5diff "$1" "$2"; }

check "one process" "$knudsen" run case.yaml --quiet --out one
for n in 2 3 4; do
    check "on $n ranks" ranks "$n" run case.yaml --quiet --out "on$n"
    check "$n ranks: fields.h5 is the same" equal one/fields.h5 "on$n/fields.h5"
    check "$n ranks: VTK assembles the pieces" together one "on$n"
done
check "4 ranks write 4 pieces" test "$(ls on4/fields/*.3.vtr | wc -l)" -ge 1
check "a run on 2 ranks into the folder of a run on 4" ranks 2 run case.yaml --quiet --out on4 --overwrite
check "the pieces of the earlier run are removed" test "$(ls on4/fields/*.[23].vtr 2>/dev/null | wc -l)" -eq 0
check "VTK reads the new pieces" together one on4

mkdir -p hindered/fields/.00000008.1.vtr.knudsen.tmp
check "a piece that cannot be written is an error" ends 4 ranks 3 run case.yaml --quiet --out hindered --set time.max_steps=8
check "the message is printed once" test "$(grep -c '^knudsen: .*00000008.1.vtr' err)" -eq 1

# The operator: the file in the cache does not depend on the number of ranks.
for n in 1 2 3; do
    export KNUDSEN_CACHE=$work/cache$n
    check "the operator is assembled on $n ranks" ranks "$n" run case.yaml --quiet --out operator --overwrite \
        --set collision.method=operator --set velocity.nodes=6 --set time.max_steps=2
done
one_cache() { cmp cache1/operator-*.bin cache2/operator-*.bin && cmp cache1/operator-*.bin cache3/operator-*.bin; }
check "the operator is the same" one_cache
exit $failed
