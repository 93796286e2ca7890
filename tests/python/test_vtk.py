"""The VTK reader of ParaView gets the values of fields.h5 from fields.pvd and the .vtr files."""

import threading
import time
import xml.etree.ElementTree as ElementTree

import h5py
import numpy as np
from scene import BOX, CAVITY, MICRO, PLATES, PROGRAM, SAMPLED, Test, finished, knudsen, main
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkObject, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkFiltersCore import vtkCellCenters, vtkTensorGlyph
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader, vtkXMLRectilinearGridReader

COMPONENTS = {"rho": 1, "u": 3, "theta": 1, "Pi": 6, "q": 3}
NAMES = {"u": "x y z", "q": "x y z", "Pi": "xx yy zz xy yz xz"}
ORDER = [0, 1, 2, 3, 5, 4]  # of Pi: VTK's out of that of fields.h5, xx yy zz xy xz yz


def read_list(folder):
    """Times and paths in fields.pvd, as ParaView reads them."""
    root = ElementTree.parse(folder / "fields.pvd").getroot()
    assert (root.tag, root.get("type")) == ("VTKFile", "Collection")
    return [(float(entry.get("timestep")), folder / entry.get("file")) for entry in root.find("Collection")]


def read_grid(path):
    """The grid in a file; any message of VTK is an error."""
    complaints = []
    reader = vtkXMLRectilinearGridReader()
    for event in ("ErrorEvent", "WarningEvent"):
        reader.AddObserver(event, lambda *_: complaints.append(path))
    reader.SetFileName(str(path))
    reader.Update()
    assert not complaints and reader.GetErrorCode() == 0, f"VTK cannot read {path}"
    return reader.GetOutput()


def cells(grid, name, shape):
    """An array as [z][y][x][components]."""
    values = vtk_to_numpy(grid.GetCellData().GetArray(name))
    return values.reshape(*shape, -1)


def edges(grid):
    axes = (grid.GetXCoordinates(), grid.GetYCoordinates(), grid.GetZCoordinates())
    return [vtk_to_numpy(axis) for axis in axes]


def in_file_unit(stored):
    """The values expected in the .vtr file: in SI units if the case is."""
    values = stored[...]
    if "si_factor" in stored.attrs:
        values = stored.attrs["si_offset"] + stored.attrs["si_factor"] * values
    return values


def area(points):
    """Of a plane polygon."""
    corners = vtk_to_numpy(points.GetData())
    return np.linalg.norm(np.cross(corners - corners[0], np.roll(corners, -1, axis=0) - corners[0]).sum(0)) / 2


class Vtk(Test):
    def compare(self, grid, file):
        shape = file["rho"].shape
        self.assertEqual(grid.GetDimensions(), tuple(n + 1 for n in shape[::-1]))
        for axis, found in zip("xyz", edges(grid)):
            np.testing.assert_allclose(found, in_file_unit(file["grid"][axis]), rtol=1e-14)
        data, groups = grid.GetCellData(), {"": file} | ({"mean_": file["mean"]} if "mean" in file else {})
        self.assertEqual(data.GetNumberOfArrays(), len(groups) * len(COMPONENTS))
        for prefix, group in groups.items():
            for name, components in COMPONENTS.items():
                array = data.GetArray(prefix + name)
                self.assertEqual(array.GetNumberOfComponents(), components)
                names = [array.GetComponentName(i) for i in range(components) if components > 1]
                self.assertEqual(names, NAMES.get(name, "").split())
                stored = in_file_unit(group[name]).reshape(*shape, -1)
                stored = stored[..., ORDER] if name == "Pi" else stored
                np.testing.assert_allclose(cells(grid, prefix + name, shape), stored, rtol=1e-14, atol=0)

    def check(self, case, times):
        run = finished(case)
        entries = read_list(run.folder)
        second = run.si.scales.time if run.si else 1
        np.testing.assert_allclose([at for at, _ in entries], times, atol=second * run.summary.time_step)
        for at, path in entries:
            with self.subTest(path=path.name), h5py.File(path.with_suffix(".h5")) as file:
                self.assertEqual(at, second * file.attrs["time"])
                self.compare(read_grid(path), file)
        with h5py.File(run.folder / "fields.h5") as file:
            self.assertEqual(entries[-1][0], second * file.attrs["time"])
            self.compare(read_grid(entries[-1][1]), file)

    def test_plates(self):
        self.check(PLATES, [0, 0.5, 1])

    def test_cavity(self):
        self.check(CAVITY, [0, 0.25, 0.5, 0.75, 1])

    def test_box(self):
        self.check(BOX, [0, 0.25, 0.5])

    def test_si(self):
        self.check(MICRO, [0, 1e-9, 2e-9])
        grid = read_grid(read_list(finished(MICRO).folder)[-1][1])
        np.testing.assert_allclose(grid.GetBounds()[:4], [0, 2e-6, 0, 1e-6], rtol=1e-12)
        low, high = grid.GetCellData().GetArray("theta").GetRange()
        self.assertTrue(299 < low < high < 310)  # K

    def test_surfaces(self):
        """The faces of all walls, and the sums over them, which after time steps are those of the next step."""
        steady = {"time.mode": "steady", "time.end": "auto", "output.fields": "0"}
        runs = [finished(case) for case in (CAVITY, BOX, MICRO)]
        for run in [*runs, knudsen.run(CAVITY, self.folder / "steady", steady, PROGRAM)]:
            reader = vtkXMLPolyDataReader()
            reader.SetFileName(str(run.folder / "surfaces.vtp"))
            reader.Update()
            grid, found = reader.GetOutput(), run.surfaces
            self.assertEqual(grid.GetNumberOfPolys(), sum(len(wall["area"]) for wall in found.values()))
            self.assertEqual(set(found), set(run.quantities.walls))
            with h5py.File(run.folder / "fields.h5") as file:
                for name in ("force", "heat_flux", "mass_flux"):
                    stored = in_file_unit(file["surfaces"][name])
                    np.testing.assert_allclose(vtk_to_numpy(grid.GetCellData().GetArray(name)), stored, rtol=1e-8)
            for side, wall in found.items() if run not in runs else ():
                sign = -1 if side in ("left", "bottom", "back") else 1
                mean = (wall["area"] * wall["heat_flux"]).sum() / wall["area"].sum()
                self.assertAlmostEqual(sign * mean, run.quantities.walls[side].heat_flux, 12)

    def test_surfaces_of_smooth_bodies(self):
        """Facets are polygons in their cells; their sums are those of the body, which is closed."""
        for name, cells, shape in (("wire", [12, 12], "cylinder"), ("ball", [8, 8, 8], "sphere")):
            middle = [0.5] * len(cells)
            settings = {
                "gas.delta": "1", "space.cells": str(cells), "velocity.nodes": "4", "collision.method": "bgk",
                "time.mode": "steady", "time.end": "auto", "output.fields": "0", "walls.top.velocity": "[1, 0, 0]",
                f"bodies.{name}.{shape}.centre": str(middle), f"bodies.{name}.{shape}.radius": "0.27",
            }
            run = knudsen.run(CAVITY, self.folder / name, settings, PROGRAM)
            reader = vtkXMLPolyDataReader()
            reader.SetFileName(str(run.folder / "surfaces.vtp"))
            reader.Update()
            grid, body = reader.GetOutput(), run.surfaces[name]
            number = vtk_to_numpy(grid.GetCellData().GetArray("surface")) == 6
            areas = np.array([area(grid.GetCell(i).GetPoints()) for i in np.flatnonzero(number)])
            self.assertTrue((body["side"] == -1).all())
            np.testing.assert_allclose(areas, body["area"], rtol=1e-6 if shape == "cylinder" else 0.3)
            self.assertAlmostEqual(areas.sum() / body["area"].sum(), 1, 2)
            outwards = np.linalg.norm(body["centre"][:, : len(cells)] - 0.5, axis=1)
            self.assertTrue((outwards < 0.271).all() and (outwards > 0.24).all(), (name, outwards.min(), outwards.max()))
            np.testing.assert_allclose(np.linalg.norm(body["normal"], axis=1), 1, rtol=1e-12)
            np.testing.assert_allclose((body["area"][:, None] * body["normal"]).sum(0), 0, atol=1e-7)
            force = (body["area"][:, None] * body["force"]).sum(0)
            found = run.quantities.bodies[name]
            np.testing.assert_allclose(force[:2], found.force[:2], atol=1e-12)
            self.assertAlmostEqual((body["area"] * body["heat_flux"]).sum(), found.heat, 12)

    def test_surfaces_of_one_name(self):
        """A body with the name of a side is found beside it."""
        settings = {
            "gas.delta": "1", "space.cells": "[8, 8]", "space.stretch": "1", "velocity.nodes": "4",
            "collision.method": "bgk", "time.mode": "steady", "time.end": "auto", "output.fields": "0",
            "bodies.left.box.low": "[0.25, 0.25]", "bodies.left.box.high": "[0.75, 0.5]",
        }  # fmt: skip
        found = knudsen.run(CAVITY, self.folder / "names", settings, PROGRAM).surfaces
        self.assertAlmostEqual(found["left"]["area"].sum(), 1, 12)
        self.assertAlmostEqual(found["bodies.left"]["area"].sum(), 1.5, 12)

    def test_averages(self):
        run = finished(SAMPLED)
        ((at, path),) = read_list(run.folder)  # without output.fields the end alone
        self.assertEqual(at, 2)
        with h5py.File(run.folder / "fields.h5") as file:
            self.compare(read_grid(path), file)

    def test_grids_are_stretched(self):
        """The cells of the cases above are unequal, so that exchanged edges would be detected."""
        for found, n in zip(edges(read_grid(read_list(finished(BOX).folder)[-1][1])), (4, 5, 6)):
            widths = np.diff(found)
            self.assertEqual(len(widths), n)
            self.assertGreater(widths.max(), 1.1 * widths.min())

    def test_glyphs_find_their_vectors(self):
        data = read_grid(read_list(finished(BOX).folder)[-1][1]).GetCellData()
        self.assertEqual(data.GetVectors().GetName(), "u")
        self.assertEqual(data.GetTensors().GetName(), "Pi")

    def test_filters_take_Pi_as_the_tensor_it_is(self):
        run = finished(BOX)
        grid = read_grid(read_list(run.folder)[-1][1])
        part = {name: run.fields["P" + name].ravel() for name in ("xx", "yy", "zz", "xy", "xz", "yz")}
        self.assertGreater(np.abs(part["xz"] - part["yz"]).max(), 0.1)  # the order matters here
        rows = (("xx", "xy", "xz"), ("xy", "yy", "yz"), ("xz", "yz", "zz"))
        matrices = np.stack([np.stack([part[name] for name in row], axis=-1) for row in rows], axis=-2)
        np.testing.assert_allclose(tensors(grid), matrices, atol=1e-6)  # glyphs have single precision

    def test_list_is_whole_while_the_run_goes_on(self):
        """A reader finds complete files and increasing times at any moment."""
        over = {"time.end": 3, "output.fields": 0.05}
        run = threading.Thread(target=knudsen.run, args=(CAVITY, self.folder, over, PROGRAM))
        run.start()
        looks = []
        while run.is_alive():
            time.sleep(0.005)  # leave the processor to the run
            if (self.folder / "fields.pvd").exists():
                entries = read_list(self.folder)
                looks.append(len(entries))
                times = [at for at, _ in entries]
                self.assertEqual(times, sorted(set(times)))
                self.assertEqual(read_grid(entries[-1][1]).GetDimensions(), (9, 11, 2))
        run.join()
        self.assertGreater(len(set(looks)), 3)
        self.assertGreater(len(read_list(self.folder)), 50)


def tensors(grid):
    """The active tensor of every cell as [cell][3][3], as VTK's tensor glyphs understand it: they
    move the points (1, 0, 0), (0, 1, 0) and (0, 0, 1) to its columns."""
    centres, unit, points, glyphs = vtkCellCenters(), vtkPolyData(), vtkPoints(), vtkTensorGlyph()
    for i in range(3):
        points.InsertNextPoint(*np.eye(3)[i])
    unit.SetPoints(points)
    centres.SetInputData(grid)
    centres.Update()
    glyphs.SetInputData(centres.GetOutput())
    glyphs.SetSourceData(unit)
    glyphs.ExtractEigenvaluesOff()
    glyphs.ClampScalingOff()
    glyphs.Update()
    moved = vtk_to_numpy(glyphs.GetOutput().GetPoints().GetData()).reshape(-1, 3, 3)
    origins = vtk_to_numpy(centres.GetOutput().GetPoints().GetData())
    return np.swapaxes(moved - origins[:, None, :], 1, 2)


if __name__ == "__main__":
    vtkObject.GlobalWarningDisplayOff()
    main()
