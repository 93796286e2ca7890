"""The package reads the files of the program: every number is compared with its file."""

import csv
import json
import math
import shutil
import subprocess

import h5py
import numpy as np
from scene import BOX, CAVITY, MICRO, PLATES, PROGRAM, SAMPLED, Test, finished, knudsen, main

NAMES = ("rho", "u", "theta", "Pi", "q")
PARTS = {
    "u": ("ux", "uy", "uz"),
    "Pi": ("Pxx", "Pyy", "Pzz", "Pxy", "Pxz", "Pyz"),
    "q": ("qx", "qy", "qz"),
}


class Fields(Test):
    def check(self, fields, group):
        for name in NAMES:
            stored = group[name][...]
            shape = [n for n in stored.shape[:3] if n > 1] + list(stored.shape[3:])
            self.assertEqual(list(fields[name].shape), shape)
            np.testing.assert_array_equal(fields[name], stored.reshape(shape))
            for i, part in enumerate(PARTS.get(name, ())):
                np.testing.assert_array_equal(fields[part], stored.reshape(shape)[..., i])
        self.assertGreater(np.abs(fields["u"]).max(), 0.01)
        np.testing.assert_allclose(fields["speed"] ** 2, (fields["u"] ** 2).sum(axis=-1), rtol=1e-12)
        np.testing.assert_allclose(fields["heat"] ** 2, (fields["q"] ** 2).sum(axis=-1), rtol=1e-12)
        np.testing.assert_allclose(3 * fields["p"], fields["Pxx"] + fields["Pyy"] + fields["Pzz"], atol=1e-14)

    def test_are_those_of_the_file(self):
        for case, axes in ((PLATES, "x"), (CAVITY, "xy"), (BOX, "xyz")):
            run = finished(case)
            with self.subTest(axes=axes), h5py.File(run.folder / "fields.h5") as file:
                self.check(run.fields, file)
                self.assertEqual(run.axes, axes)
                self.assertEqual(run.time, file.attrs["time"])
                self.assertEqual(run.time, case["time"]["end"])
                self.assertEqual(run.step, file.attrs["step"])

    def test_keep_all_axes_on_demand(self):
        run = knudsen.open(finished(PLATES).folder, squeeze=False)
        with h5py.File(run.folder / "fields.h5") as file:
            self.assertEqual(run.fields["u"].shape, (1, 1, 12, 3))
            np.testing.assert_array_equal(run.fields["Pxy"], file["Pi"][..., 3])
        np.testing.assert_array_equal(run.line("uy")[1], run.fields["uy"][0, 0])

    def test_are_listed(self):
        fields = finished(CAVITY).fields
        self.assertEqual(set(fields), {*NAMES, *sum(PARTS.values(), ()), "speed", "heat", "p"})
        self.assertEqual(len(fields), len(list(fields)))
        self.assertIn("Pxy", fields)
        self.assertNotIn("Pyx", fields)
        with self.assertRaisesRegex(KeyError, "temperature: no such field; there are .*theta"):
            fields["temperature"]

    def test_are_new_arrays(self):
        fields = finished(CAVITY).fields
        fields["rho"][...] = 7
        self.assertLess(np.abs(fields["rho"]).max(), 7)

    def test_have_units(self):
        run = finished(CAVITY)
        expected = {"rho": "n0 eps", "uy": "V0 eps", "Pxz": "p0 eps", "q": "p0 V0 eps", "speed": "V0 eps"}
        expected |= {"p": "p0 eps", "theta": "T0 eps", "x": "L", "time": "lambda0 / V0"}
        self.assertEqual({name: run.unit(name) for name in expected}, expected)
        with self.assertRaises(KeyError):
            run.unit("colour")

    def test_averages(self):
        run = finished(SAMPLED)
        with h5py.File(run.folder / "fields.h5") as file:
            self.check(run.mean, file["mean"])
            self.assertFalse(np.array_equal(run.mean["u"], run.fields["u"]))
        self.assertIs(finished(CAVITY).mean, None)
        np.testing.assert_array_equal(run.choose()["rho"], run.mean["rho"])
        np.testing.assert_array_equal(run.choose(mean=False)["rho"], run.fields["rho"])
        np.testing.assert_array_equal(finished(CAVITY).choose()["rho"], finished(CAVITY).fields["rho"])
        self.refuses("no averages", finished(CAVITY).choose, mean=True)


class Places(Test):
    def test_axes_are_in_L(self):
        for case, size in ((CAVITY, (1, 1, 1)), (BOX, (1, 1.5, 2))):
            run = finished(case)
            with h5py.File(run.folder / "fields.h5") as file:
                for axis, length in zip("xyz", size):
                    edges, centres = getattr(run, axis + "_edges"), getattr(run, axis)
                    self.assertEqual(run.delta, file.attrs["delta"])
                    np.testing.assert_allclose(edges, file["grid"][axis][...] / run.delta, rtol=0, atol=1e-14)
                    np.testing.assert_allclose(centres, 0.5 * (edges[1:] + edges[:-1]), rtol=1e-12)
                    self.assertAlmostEqual(edges[-1] - edges[0], length, places=12)

    def test_line_between_cells(self):
        run = finished(CAVITY)  # 8 symmetric cells across: the middle lies between the fourth and the fifth
        y, ux = run.line("ux", along="y")
        np.testing.assert_array_equal(y, run.y)
        np.testing.assert_allclose(ux, 0.5 * (run.fields["ux"][:, 3] + run.fields["ux"][:, 4]), rtol=1e-12)
        at_centre = run.line("ux", along="y", x=run.x[2])[1]
        np.testing.assert_allclose(at_centre, run.fields["ux"][:, 2], rtol=1e-12)
        np.testing.assert_allclose(run.cut("u", x=0), run.fields["u"][:, 0])
        self.assertEqual(run.line("u", along="x")[1].shape, (8, 3))

    def test_cut_of_a_box(self):
        run = finished(BOX)
        share = 0.25
        z = (1 - share) * run.z[1] + share * run.z[2]
        fields = run.fields["theta"]
        np.testing.assert_allclose(run.cut("theta", z=z), (1 - share) * fields[1] + share * fields[2])
        self.assertEqual(run.cut("Pi", y=0.3).shape, (6, 4, 6))
        np.testing.assert_allclose(run.line("uz", "x", y=run.y[1], z=run.z[3])[1], run.fields["uz"][3, 1])

    def test_places_outside_are_errors(self):
        run = finished(CAVITY)
        self.refuses("x = 1.5 is outside the box, which goes from 0 to 1", run.cut, "ux", x=1.5)
        self.refuses("not 'r'", run.line, "ux", along="r")
        self.refuses("y= does not place a line along y", run.line, "ux", along="y", y=0.5)
        self.refuses("none of the axes", run.cut, "ux", r=0.5)

    def test_validity(self):
        run = finished(PLATES)
        self.assertEqual(run.quality.level, "forced")
        self.assertGreater(run.quality.error_estimate, 0.2)
        self.assertIn("velocity-grid", [note.code for note in run.notes])

    def test_gas_without_axes(self):
        case = {"space": {"cells": 1}, "velocity": {"nodes": 4}, "collision": {"method": "bgk"}}
        case |= {"walls": {side: {"kind": "periodic"} for side in ("left", "right")}}
        case |= {"initial": {"shape": "stress"}, "time": {"end": 0.5, "step": 0.1}}
        run = knudsen.run(case, program=PROGRAM)
        self.assertEqual((run.axes, run.fields["rho"].shape, run.fields["u"].shape), ("", (), (3,)))
        self.assertEqual(run.line("Pi")[1].shape, (1, 6))


class Files(Test):
    def test_history(self):
        run = finished(CAVITY)
        with (run.folder / "history.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(run.history), list(rows[0]))
        self.assertGreater(len(rows), 5)
        for name in run.history:
            np.testing.assert_array_equal(run.history[name], [float(row[name]) for row in rows])
        self.assertTrue(np.issubdtype(run.history["step"].dtype, np.integer))
        self.assertEqual(run.history.unit("top.stress_x"), "p0 eps")
        self.assertEqual(run.history.unit("average.Pxy"), "p0 eps")
        self.assertEqual(run.history.unit("D"), "1")
        with self.assertRaisesRegex(KeyError, "Q: no such column"):
            run.history["Q"]

    def test_history_that_still_grows(self):
        copy = self.folder / "copy"
        copy.mkdir()
        text = (finished(CAVITY).folder / "history.csv").read_text()
        for cut in (1, 7):  # a row without its end, and one without its last columns
            (copy / "history.csv").write_text(text[:-cut])
            run = knudsen.open(copy)
            self.assertEqual(len(run.history["time"]), len(finished(CAVITY).history["time"]) - 1)
        self.assertFalse(run.finished)
        self.assertIn("copy", repr(run))
        self.refuses("fields.h5: the run has not written it yet", lambda: run.fields)
        self.refuses("summary.json: the run has not ended", lambda: run.quantities)

    def test_summary(self):
        run = finished(CAVITY)
        summary = json.loads((run.folder / "summary.json").read_text())
        self.assertEqual(run.summary, summary)
        self.assertEqual(run.case, summary["case"])
        self.assertEqual(run.case.space.cells[:2], [8, 10])
        self.assertEqual(run.case["collision"]["method"], "bgk")
        self.assertTrue(run.finished)
        self.assertEqual(run.quantities.D, summary["quantities"]["D"])
        self.assertEqual(run.quantities["G"], summary["quantities"]["G"])
        self.assertEqual(set(run.quantities.walls), {"left", "right", "bottom", "top"})
        top = summary["quantities"]["walls"]["top"]
        np.testing.assert_array_equal(run.quantities.walls.top.stress, top["stress"])
        self.assertEqual(run.quantities.walls.top.shear, top["shear"])
        self.assertEqual(run.quantities.D, run.history["D"][-1])
        self.assertIs(run.errors, None)
        with self.assertRaisesRegex(AttributeError, "no 'G_P', only D, G, walls"):
            run.quantities.G_P

    def test_errors_of_sampled_runs(self):
        run = finished(SAMPLED)
        for name in ("D", "G"):
            stored = run.summary["errors"][name]
            self.assertEqual(math.isnan(run.errors[name]), stored is None)
            self.assertTrue(stored is None or run.errors[name] == stored)
        averaged = run.history["D"][-run.summary.averaged_rows :]
        self.assertAlmostEqual(run.quantities.D, averaged.mean(), places=12)

    def test_numbers_that_do_not_exist(self):
        copy = self.copy_of(CAVITY)
        summary = json.loads((copy / "summary.json").read_text())
        summary["quantities"]["D"] = summary["quantities"]["walls"]["top"]["stress"][1] = None
        (copy / "summary.json").write_text(json.dumps(summary))
        run = knudsen.open(copy)
        self.assertTrue(math.isnan(run.quantities.D))
        self.assertTrue(math.isnan(run.quantities.walls.top.stress[1]))
        self.assertIs(run.summary.quantities.D, None)

    def copy_of(self, case):
        return shutil.copytree(finished(case).folder, self.folder / "copy")

    def test_bad_folders(self):
        (self.folder / "file").write_text("")
        self.refuses("there is no folder", knudsen.open, self.folder / "nowhere")
        self.refuses("is a file", knudsen.open, self.folder / "file")
        self.refuses("holds no run: there is none of fields.h5", knudsen.open, self.folder)
        copy = self.copy_of(PLATES)
        with h5py.File(copy / "fields.h5", "a") as file:
            file.attrs["format"] = 99
        self.refuses("has format 99; this program reads format 1", lambda: knudsen.open(copy).fields)
        (copy / "fields.h5").write_bytes(b"not HDF5")
        self.refuses("cannot read", lambda: knudsen.open(copy).fields)
        (copy / "summary.json").write_text("{")
        self.refuses("is damaged", lambda: knudsen.open(copy).summary)

    def test_damage_is_reported(self):
        copy = self.copy_of(PLATES)
        whole = (copy / "fields.h5").read_bytes()
        with h5py.File(copy / "fields.h5") as file:
            place = whole.index(file["theta"][...].tobytes()) + 5
        (copy / "fields.h5").write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1:])
        self.refuses("is damaged", lambda: knudsen.open(copy).fields["theta"])

    def test_snapshot_stays_while_the_file_is_replaced(self):
        copy = self.copy_of(CAVITY)
        run = knudsen.open(copy)
        before = run.fields["u"]
        shutil.copy(copy / "fields" / "00000000.h5", copy / "new")
        (copy / "new").replace(copy / "fields.h5")
        np.testing.assert_array_equal(run.fields["u"], before)
        self.assertEqual(run.time, 1)
        run.close()
        self.assertEqual(run.time, 0)


class Series(Test):
    def test_has_every_stored_step(self):
        run = finished(CAVITY)
        files = sorted((run.folder / "fields").glob("*.h5"))
        self.assertEqual(len(files), 5)
        self.assertEqual([f"{step:08d}.h5" for step in run.series.steps], [file.name for file in files])
        np.testing.assert_allclose(run.series.times, [0, 0.25, 0.5, 0.75, 1], atol=run.summary.time_step)
        for path, at in zip(files, run.series):
            with h5py.File(path) as file:
                self.assertEqual(at.time, file.attrs["time"])
                np.testing.assert_array_equal(at.fields["q"], file["q"][0])
        np.testing.assert_array_equal(run.series[-1].fields["Pi"], run.fields["Pi"])
        np.testing.assert_array_equal(run.series["ux"][-1], run.fields["ux"])
        self.assertEqual(run.series["ux"].shape, (5, 10, 8))
        self.assertEqual(run.series.at(0.6).step, run.series.steps[2])
        self.assertEqual([at.step for at in run.series[1:3]], list(run.series.steps[1:3]))

    def test_opens_files_when_asked(self):
        run = knudsen.open(finished(CAVITY).folder)
        self.assertTrue(all(at._opened is None for at in run.series[:]))
        run.series.times, run.series["rho"]
        self.assertTrue(all(at._opened is None for at in run.series[:]))

    def test_may_be_empty(self):
        run = finished(SAMPLED)
        self.assertEqual((len(run.series), list(run.series.times)), (0, []))
        self.refuses("output.fields", run.series.at, 1)
        self.refuses("output.fields", lambda: run.series["rho"])


class Version(Test):
    def test_is_that_of_the_program(self):
        said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said.strip(), f"knudsen {knudsen.__version__}")
        self.assertEqual(finished(CAVITY).summary.version, knudsen.__version__)


class SI(Test):
    """Add SI attributes to a dimensionless case: argon at 300 K and 100 Pa in a box of delta lambda0."""

    V0, N0, T0, P0, LENGTH, EPS = 353.4, 2.414e22, 300.0, 100.0, 8.05e-5, 0.5
    FACTORS = {
        "rho": ("m-3", EPS * N0, N0),
        "u": ("m s-1", EPS * V0, 0.0),
        "theta": ("K", EPS * T0, T0),
        "Pi": ("Pa", EPS * P0, 0.0),
        "q": ("W m-2", EPS * P0 * V0, 0.0),
    }

    def setUp(self):
        super().setUp()
        copy = shutil.copytree(finished(SAMPLED).folder, self.folder / "si")
        with h5py.File(copy / "fields.h5", "a") as file:
            group = file.create_group("si")
            group.attrs["species"] = "argon"
            scales = {"temperature": self.T0, "pressure": self.P0, "density": self.N0, "mass": 6.63e-26}
            scales |= {"viscosity": 2.27e-5, "velocity": self.V0, "length": self.LENGTH, "box": self.LENGTH}
            scales |= {"time": self.LENGTH / self.V0, "disturbance": self.EPS}
            group.attrs.update(scales)
            for where in (file, file["mean"]):
                for name, (unit, factor, offset) in self.FACTORS.items():
                    where[name].attrs.update(si_unit=unit, si_factor=factor, si_offset=offset)
            for stored in file["grid"].values():
                stored.attrs.update(si_unit="m", si_factor=self.LENGTH, si_offset=0.0)
        summary = json.loads((copy / "summary.json").read_text())
        summary["si"] = {"species": "argon", **scales}
        summary["quantities_si"] = {"D": 0.5, "walls": {"top": {"shear": 3.25, "stress": [3.25, 0, 0]}}}
        (copy / "summary.json").write_text(json.dumps(summary))
        self.run_in_si, self.scales = knudsen.open(copy), scales

    def test_of_the_program(self):
        """The files of the program have the form of those in setUp."""
        run = finished(MICRO)
        si, v0 = run.si, (2 * 8.314462618 * 300 / 4.002602e-3) ** 0.5
        self.assertEqual(set(si.scales), set(self.scales))
        np.testing.assert_allclose([si.scales.velocity, si.time, si.x_edges[-1]], [v0, 2e-9, 2e-6], rtol=1e-9)
        np.testing.assert_allclose(si.fields["ux"], v0 * run.fields["ux"], rtol=1e-9)
        self.assertTrue(300 < si.fields["theta"].mean() < 310)
        walls, plain = si.quantities.walls.top, run.quantities.walls.top
        np.testing.assert_allclose([walls.shear, walls.heat_flux], [20e3 * plain.shear, 20e3 * v0 * plain.heat_flux])

    def test_none_without_it(self):
        self.assertIs(finished(CAVITY).si, None)

    def test_scales(self):
        si = self.run_in_si.si
        self.assertEqual((si.species, si.scales), ("argon", self.scales))
        self.assertEqual(si.scales.velocity, self.V0)
        self.assertAlmostEqual(si.time, 2 * self.LENGTH / self.V0)
        self.assertEqual(si.quantities.walls.top.shear, 3.25)
        self.assertEqual(repr(si), "<SI: argon, 300 K, 100 Pa, L = 8.05e-05 m>")

    def test_fields(self):
        run = self.run_in_si
        for plain, si in ((run.fields, run.si.fields), (run.mean, run.si.mean)):
            for name, (unit, factor, offset) in self.FACTORS.items():
                np.testing.assert_allclose(si[name], offset + factor * plain[name], rtol=1e-14)
                self.assertEqual(si.unit(name), unit)
            np.testing.assert_allclose(si["ux"], self.EPS * self.V0 * plain["ux"], rtol=1e-14)
            np.testing.assert_allclose(si["speed"], self.EPS * self.V0 * plain["speed"], rtol=1e-12)
            np.testing.assert_allclose(si["p"], self.EPS * self.P0 * plain["p"], rtol=1e-9, atol=1e-14)
        self.assertEqual(run.unit("u"), "V0 eps")

    def test_places(self):
        run = self.run_in_si
        np.testing.assert_allclose(run.si.x_edges, self.LENGTH * run.x_edges, rtol=1e-14)
        y, ux = run.si.line("ux", along="y", x=0.25 * self.LENGTH)
        np.testing.assert_allclose(y, self.LENGTH * run.y, rtol=1e-14)
        np.testing.assert_allclose(ux, self.EPS * self.V0 * run.line("ux", "y", x=0.25)[1], rtol=1e-12)
        self.assertEqual((run.si.unit("x"), run.si.unit("time"), run.si.unit("qy")), ("m", "s", "W m-2"))


if __name__ == "__main__":
    main()
