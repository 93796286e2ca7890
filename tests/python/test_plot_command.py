"""knudsen plot: pictures, their numbers and labels, references, and errors."""

import contextlib
import csv
import io
import json
import math
import os
import re
import shutil
import struct
import xml.etree.ElementTree as tree
import zlib

import h5py
import numpy as np
from scene import PROGRAM, Test, knudsen, main

from knudsen import command_line
from knudsen.plot import __main__ as command
from knudsen.plot import layout, options, quantities, sheet
from knudsen.plot.references import read_references
from knudsen.plot.scene import Scene

BASE = {
    "gas": {"delta": 1},
    "disturbance": 0,
    "velocity": {"grid": "gauss", "nodes": 4},
    "collision": {"method": "bgk"},
    "walls": {"top": {"velocity": [1, 0, 0]}},
    "time": {"end": 2},
}
LINE = {"space.cells": 12, "walls.right.velocity": [0, 1, 0], "walls.top.velocity": [0, 0, 0]}
SI_CASE = {
    "gas": {"species": "argon", "pressure": "8 kPa", "temperature": "300 K"},
    "disturbance": 0.5,
    "space": {"cells": 6, "size": "2 um"},
    "velocity": {"grid": "gauss", "nodes": 4},
    "collision": {"method": "bgk"},
    "run": {"force": True},
    "walls": {
        "left": {"kind": "inflow", "density": 0.3, "velocity": [0.1, 0.2, 0]},
        "right": {"kind": "inflow", "temperature": "360 K"},
    },
    "time": {"end": "40 ns"},
}
SETTINGS = {
    "plane": {"space.cells": [12, 10], "space.stretch": 0.9, "output.average": 1},
    "box": {"space.cells": [10, 10, 6], "time.end": 1},
    "series": {**LINE, "output.fields": 0.5},
    "line": LINE,
    "thick": {**LINE, "gas.delta": 5},
    "cell": {"space.cells": 1, "walls.left.kind": "periodic", "walls.right.kind": "periodic",
             "walls.top.velocity": [0, 0, 0], "initial.shape": "stress", "time.step": 0.02},
    "stopped": {**LINE, "time.max_steps": 3},
    "heat": {"space.cells": 8, "walls.top.velocity": [0, 0, 0], "walls.right.temperature": 1, "time.end": 5,
             "run.force": True},
    "wire": {"space.cells": [16, 16], "bodies.wire.cylinder.centre": [0.5, 0.5], "bodies.wire.cylinder.radius": 0.25,
             "run.backend": "cpu"},
    "real": {},
}
_runs = {}


def run_of(name):
    """The folder of one of these runs, computed once."""
    if name not in _runs:
        case = SI_CASE if name == "real" else BASE
        _runs[name] = knudsen.run(case, set={"output.vtk": False, **SETTINGS[name]}, program=PROGRAM)
    return str(_runs[name].folder)


class Plot(Test):
    def plot(self, *words, code=0):
        """Run the command in this process; returns its output and its message."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                ended = command.main([str(word) for word in words]) or 0
            except knudsen.Error as error:
                ended = error.code or 2
                print(error, file=err)
            except SystemExit as end:
                ended = end.code
        self.assertEqual(ended, code, err.getvalue())
        return out.getvalue() if code == 0 else err.getvalue()

    def test_profiles_end_at_a_cylinder(self):
        """The cell at its edge has the values of the gas beside it, and its centre is in the cylinder."""
        at, ux = knudsen.open(run_of("wire")).line("ux", along="y")
        inside = np.abs(at - 0.5) < 0.25
        self.assertTrue(np.isfinite(ux[inside]).any())
        panel = next(panel for panel in self.panels(run_of("wire")) if panel.what.startswith("profile of ux along y"))
        self.assertEqual(list(np.isfinite(panel.curves[0].y)), list(~inside))

    def panels(self, *words):
        """The panels that the command would draw."""
        self.scene = Scene(options.read([str(word) for word in words]))
        return sheet.compose(self.scene)

    def shows(self, path, *words):
        """Words of an SVG file; the letters of formulas are not in order there."""
        root = tree.parse(path).getroot()
        self.assertTrue(root.tag.endswith("svg"))
        text = "".join("".join(root.itertext()).split())
        for word in words:
            self.assertIn("".join(word.split()), text)

    def svg(self, *words, name="picture.svg"):
        path = self.folder / name
        return path, self.plot(*words, "-o", path)


class Files(Plot):
    def test_png(self):
        copy = shutil.copytree(run_of("plane"), self.folder / "plane")
        out = self.plot(copy)
        self.assertRegex(out, "plane/picture.png: map of speed with streamlines; profile of ux along y at x = 0.5 L; "
                              ".*history of D; time average\n$")
        data = (copy / "picture.png").read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", data[16:24])
        self.assertTrue(width >= 800 and height >= 400, (width, height))
        at, pixels, kind = 8, b"", b""
        while at < len(data):
            length, kind = struct.unpack(">I4s", data[at : at + 8])
            body = data[at + 8 : at + 8 + length]
            self.assertEqual(zlib.crc32(kind + body), struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0])
            pixels += body if kind == b"IDAT" else b""
            at += 12 + length
        self.assertEqual(kind, b"IEND")
        self.assertGreater(len(set(zlib.decompress(pixels))), 50)
        self.assertRegex((copy / ".knudsen-results").read_text(), r"(?m)^picture\.png \d+ [0-9a-f]{16}$")
        self.assertIn("picture.png", self.plot(copy))  # its own is replaced
        (copy / "picture.png").write_bytes(b"mine")
        self.assertIn("is not replaced", self.plot(copy, code=2))
        self.assertEqual((copy / "picture.png").read_bytes(), b"mine")
        self.assertEqual(list(copy.glob(".*.tmp")), [])

    def test_svg(self):
        path, _ = self.svg(run_of("plane"))
        self.shows(path, "speed", "velocity", "drag", "time average", "δ")
        self.panels(run_of("plane"))
        words = " ".join(sheet.title(self.scene))
        self.assertRegex(words, r"\$\\delta\$ = 1 time average \$D\$ = 0\.\d+ \$G\$ = 0\.\d+")

    def test_same_results_make_the_same_file(self):
        for kind in ("svg", "pdf"):
            files = [self.folder / f"{i}.{kind}" for i in range(2)]
            for file in files:
                self.plot(run_of("line"), "-o", file)
            self.assertEqual(files[0].read_bytes(), files[1].read_bytes())

    def test_widths(self):
        pdf = self.folder / "plane.pdf"
        self.plot(run_of("plane"), "-o", pdf, "--width", "86mm")
        width = float(re.search(rb"MediaBox *\[ *0 0 ([\d.]+)", pdf.read_bytes())[1])
        self.assertLess(abs(width - 244), 1.5)
        eps = self.folder / "line.eps"
        self.plot(run_of("line"), "-o", eps, "--width", "3.4in")
        box = re.search(rb"%%HiResBoundingBox: ([\d.]+) [\d.]+ ([\d.]+)", eps.read_bytes())
        self.assertLess(abs(float(box[2]) - float(box[1]) - 244.8), 1.5)
        path, _ = self.svg(run_of("line"), "--width", "86mm")
        self.assertLess(abs(float(re.search(r'width="([\d.]+)pt"', path.read_text())[1]) - 243.8), 1)

    def test_several_runs(self):
        with contextlib.chdir(self.folder) if hasattr(contextlib, "chdir") else self.skipTest("Python 3.11"):
            self.assertIn("compare.png: profile of uy along x; 2 runs", self.plot(run_of("line"), run_of("thick")))
            self.assertIn("exists and is not replaced", self.plot(run_of("line"), run_of("thick"), code=2))
            self.plot(run_of("line"), run_of("thick"), "-o", "compare.png")

    def test_labels_do_not_overlap(self):
        for words in ([run_of("plane")], [run_of("box"), "--width", "86mm"], [run_of("series"), "--width", "86mm"],
                      [run_of("plane"), "-k", "map", "-q", "theta,Pxy,rho"], [run_of("real")]):
            given = options.read(words)
            scene = Scene(given)
            page = layout.Layout(sheet.compose(scene), sheet.title(scene), given.width)
            with self.subTest(words=words), layout.style(page.font):
                figure = page.draw()
                renderer = figure.canvas.get_renderer()
                boxes = [ax.get_tightbbox(renderer) for ax in figure.axes]
                boxes += [text.get_window_extent(renderer) for text in figure.texts]
                edges = figure.bbox
                for i, a in enumerate(boxes):
                    inside = a.x0 > edges.x0 - 2 and a.x1 < edges.x1 + 2 and a.y0 > edges.y0 - 2 and a.y1 < edges.y1 + 2
                    self.assertTrue(inside, (a, edges))
                    for b in boxes[:i]:
                        across = min(a.x1, b.x1) - max(a.x0, b.x0)
                        up = min(a.y1, b.y1) - max(a.y0, b.y0)
                        self.assertFalse(across > 2 and up > 2, (a, b))


    def test_words_that_begin_with_a_dash(self):
        shutil.copytree(run_of("line"), self.folder / "-w")
        with contextlib.chdir(self.folder) if hasattr(contextlib, "chdir") else self.skipTest("Python 3.11"):
            self.assertIn("-w/picture.png: ", self.plot("--", "-w"))
            for words in (["-o", "-x.svg"], ["--output", "-y.svg"]):
                self.assertIn(f"{words[1]}: ", self.plot(*words, "--", "-w"))
            self.assertIn("expected one argument", self.plot("-o", "-k", "map", code=2))

    def test_a_link_in_the_place_of_the_temporary_file(self):
        copy = shutil.copytree(run_of("line"), self.folder / "line")
        (self.folder / "mine").write_text("mine")
        link = copy / ".picture.png.knudsen.tmp"
        link.symlink_to(self.folder / "mine")
        self.assertIn("cannot write", self.plot(copy, code=4))
        self.assertTrue(link.is_symlink())
        link.unlink()
        link.write_text("of a killed process")
        self.plot(copy)


class Contents(Plot):
    def test_what_suits_each_case(self):
        def whats(*words):
            return [panel.what for panel in self.panels(*words)]

        self.assertEqual(whats(run_of("box"))[0], "map of speed with streamlines")
        self.assertIn("$z$ = 0.5 $L$", sheet.title(self.scene))
        self.assertEqual(whats(run_of("line")), ["profile of uy along x"])
        self.assertEqual(whats(run_of("cell")), ["history of average.Pxy"])
        self.assertEqual(whats(run_of("stopped")), ["profile of uy along x"])
        self.assertEqual(whats(run_of("heat")), ["profile of rho, theta along x"])
        (panel,) = self.panels(run_of("heat"))
        self.assertEqual(panel.labels, ["density", "temperature"])  # and no velocity, which is small
        self.assertIn("velocity", self.panels(run_of("heat"), "-q", "ux")[0].y_label)
        (panel,) = self.panels(run_of("series"))
        self.assertEqual(len(panel.curves), 5)
        self.assertEqual((panel.labels[0], panel.labels[-1]), ("0", "2"))
        self.assertEqual(panel.key, r"$t$ / ($\lambda_0 / V_0$)")
        self.assertEqual([curve.shade for curve in panel.curves], [0, 0.25, 0.5, 0.75, 1])

    def test_series_whose_files_are_gone(self):
        copy = shutil.copytree(run_of("series"), self.folder / "series")
        shutil.rmtree(copy / "fields")
        (panel,) = self.panels(copy)
        self.assertEqual(len(panel.curves), 1)

    def test_maps(self):
        path, out = self.svg(run_of("plane"), "--kind", "map", "--quantity", "theta,Pxy", "-q", "rho")
        self.assertRegex(out, "map of theta .*; map of Pxy; map of rho")
        self.shows(path, "temperature", "stress", "density")
        self.assertTrue(self.panels(run_of("plane"), "-k", "map", "--flow", "arrows")[0].arrows)
        self.assertIsNone(self.panels(run_of("plane"), "-k", "map", "--flow", "none")[0].flow)
        (panel,) = self.panels(run_of("plane"), "-k", "map", "-q", "theta", "--last")
        run = _runs["plane"]
        np.testing.assert_allclose(panel.values, run.fields["theta"])
        (panel,) = self.panels(run_of("plane"), "-k", "map", "-q", "theta", "--mean")
        np.testing.assert_allclose(panel.values, run.mean["theta"])
        # Gas does not flow through walls.
        (panel,) = self.panels(run_of("plane"), "-k", "map")
        u, v = panel.flow
        self.assertFalse(u[:, [0, -1]].any() or v[[0, -1]].any())

    def test_times_and_slices(self):
        self.assertRegex(self.svg(run_of("series"), "--time", "0.9")[1], r"t = 1\.0")
        self.assertRegex(self.svg(run_of("plane"), "-k", "map", "--last")[1], "t = 2$")
        panels = self.panels(run_of("box"), "-k", "map", "--slice", "z=0.25", "-q", "rho")
        np.testing.assert_allclose(panels[0].values, _runs["box"].cut("rho", z=0.25))
        self.assertIn("$z$ = 0.25 $L$", sheet.title(self.scene))
        (panel,) = self.panels(run_of("box"), "-k", "map", "--slice", "x=0.5", "-q", "theta")
        self.assertEqual((panel.x_label, panel.y_label), ("$y$ / $L$", "$z$ / $L$"))
        (panel,) = self.panels(run_of("plane"), "-k", "profile", "-q", "ux", "--slice", "x=0.3")
        self.assertEqual(panel.what, "profile of ux along y at x = 0.3 L")
        np.testing.assert_allclose(panel.curves[0].y, _runs["plane"].line("ux", "y", x=0.3)[1])

    def test_history(self):
        panels = self.panels(run_of("plane"), "-k", "history", "-q", "D,residual")
        self.assertEqual([panel.what for panel in panels], ["history of D", "history of residual"])
        self.assertEqual([panel.logarithmic for panel in panels], [False, True])
        np.testing.assert_array_equal(panels[0].curves[0].y, _runs["plane"].history["D"][1:])

    def test_names_of_runs(self):
        (panel,) = self.panels(run_of("line"), run_of("thick"))
        self.assertEqual(panel.labels, [r"$\delta$ = 1", r"$\delta$ = 5"])
        equal = shutil.copytree(run_of("line"), self.folder / "line_2$x$")
        (panel, *_) = self.panels(run_of("line"), equal, "-k", "history")
        self.assertTrue(panel.labels[1].endswith(r"line_2\$x\$"), panel.labels)
        path, _ = self.svg(run_of("line"), equal, "-k", "history", "-q", "residual")
        self.shows(path, "line_2$x$")
        with contextlib.chdir(self.folder) if hasattr(contextlib, "chdir") else self.skipTest("Python 3.11"):
            shutil.copytree(run_of("line"), "_hidden")
            path, _ = self.svg(run_of("line"), "_hidden", "-k", "history", "-q", "residual")
            self.shows(path, "_hidden")


class References(Plot):
    def csv(self, text, name="points.csv"):
        path = self.folder / name
        path.write_text(text)
        return path

    def points(self, panel):
        return [curve for curve in panel.curves if curve.style == "points"]

    def test_points(self):
        path = self.csv("# measured\nx,uy,error\n0.25,0.375,0.01\n0.75,0.625,\n")
        picture, out = self.svg(run_of("line"), "-r", path)
        self.assertIn("2 reference values", out)
        self.shows(picture, "points")
        (curve,) = self.points(self.panels(run_of("line"), "-r", path)[0])
        np.testing.assert_array_equal((curve.x, curve.y, curve.error), ((0.25, 0.75), (0.375, 0.625), (0.01, 0)))

    def test_points_of_a_history(self):
        path = self.csv("time,value\n1,0.5\n")
        (panel,) = self.panels(run_of("line"), "-k", "history", "-q", "right.stress_y", "-r", path)
        (curve,) = self.points(panel)
        self.assertEqual((curve.x.tolist(), curve.y.tolist(), self.scene.shown), ([1], [0.5], 1))

    def test_rows_of_a_case(self):
        (self.folder / "case.yaml").write_text(json.dumps(BASE))
        over = "space.cells=12 walls.right.velocity=[0,1,0] walls.top.velocity=[0,0,0]"
        path = self.csv(
            "quantity,value,uncertainty,source,conditions,settings,check,bar\n"
            f'uy(0.3),0.4,0.02,Somebody: a journal,delta 5,"gas.delta=5 {over}",,\n'
            f'uy(0.3),0.1,0.02,Nobody: a journal,delta 7,"gas.delta=7 {over}",,\n'
            f'-right.stress_y,0.11,0.01,Somebody: a journal,delta 5,"gas.delta=5 {over}",,\n'
            f'-right.stress_y.phase,0.11,0.01,Somebody: a journal,delta 5,"gas.delta=5 {over}",,\n',
            "reference.csv",
        )
        (panel,) = self.panels(run_of("thick"), "-k", "profile", "-r", path)
        (curve,) = self.points(panel)
        self.assertEqual((curve.label, curve.x[0], curve.y[0], curve.error[0]), ("Somebody", 0.3, 0.4, 0.02))
        self.assertEqual(self.scene.shown, 1)
        (panel,) = self.panels(run_of("thick"), "-k", "history", "-q", "right.stress_y", "-r", path)
        (level,) = [curve for curve in panel.curves if curve.style == "level"]
        self.assertEqual(level.y.tolist(), [-0.11, -0.11])

    def test_refused(self):
        for text, words in (
            ("a,b\n1,2\n", ":1: the first line is x, y, z or time"),
            ("x,uy\n1;2\n", ":2: 2 numbers"),
            ("x,uy\n1,2,3\n", ":2: 2 numbers"),
            ("x,teta\n1,2\n", "did you mean theta?"),
            ("", "is empty"),
            ("quantity,value,\n", ":1: the first line is not"),
            ("quantity,value,uncertainty,source,conditions,settings,check,bar\nD,1\n", ":2: fewer than 8 columns"),
            ("quantity,value,uncertainty,source,conditions,settings,check,bar\nD,one,,a,,b=c,,\n", ":2: value is no number"),
            ("quantity,value,uncertainty,source,conditions,settings,check,bar\nux(a),1,0,a,,b=c,quick,\n", "is no quantity"),
        ):
            with self.subTest(text=text):
                self.assertIn(words, self.plot(run_of("line"), "-r", self.csv(text), code=2))
        self.assertIn("cannot read the reference", self.plot(run_of("line"), "-r", self.folder / "none.csv", code=4))

    def test_any_bytes(self):
        """A changed file is read or refused with a message."""
        sources = Scene(options.read([run_of("line")])).sources
        whole = bytearray(b"x,uy,error\n0.25,0.375,0.01\n0.75,0.625,\n")
        random = np.random.default_rng(1)
        for _ in range(300):
            changed = bytearray(whole)
            for at in random.integers(0, len(whole), 3):
                changed[at] = random.integers(0, 256)
            (self.folder / "any.csv").write_bytes(changed)
            with contextlib.suppress(knudsen.Error):
                read_references(self.folder / "any.csv", sources)


class SI(Plot):
    """Numbers in SI, computed here from the files and the gas: k, and 39.948 g/mol."""

    def setUp(self):
        super().setUp()
        self.path = run_of("real")
        k, mass, t0, p0, eps = 1.380649e-23, 39.948e-3 / 6.02214076e23, 300, 8000, 0.5
        n0, v0 = p0 / (k * t0), math.sqrt(2 * k * t0 / mass)
        summary = json.loads((knudsen.open(self.path).folder / "summary.json").read_text())
        free_path = summary["si"]["viscosity"] * v0 / p0
        self.rules = {"rho": (n0, n0 * eps), "uy": (0, v0 * eps), "theta": (t0, t0 * eps), "p": (p0, p0 * eps),
                      "Pxy": (0, p0 * eps), "qx": (0, p0 * v0 * eps), "left.stress_y": (0, p0 * eps),
                      "right.heat_flux": (0, p0 * v0 * eps), "left.mass_flux": (0, n0 * mass * v0 * eps),
                      "residual": (0, v0 / free_path), "average.theta": (t0, t0 * eps)}
        self.length, self.time = free_path, free_path / v0

    def check(self, panel, name, unit, x, y, x_unit):
        offset, factor = self.rules[name]
        curve = panel.curves[0]
        self.assertGreaterEqual(len(curve.x), 6)
        expected = {round(float(a) / x_unit, 9): (offset + factor * float(b)) / unit for a, b in zip(x, y)}
        for a, b in zip(curve.x, curve.y):
            near = min(expected, key=lambda place: abs(place - a))
            self.assertAlmostEqual(a, near, delta=1e-6 * abs(near) + 1e-9)
            self.assertAlmostEqual(b, expected[near], delta=1e-7 * abs(expected[near]) + 1e-12, msg=name)

    def test_history(self):
        units = {"left.stress_y": 1, "right.heat_flux": 1e3, "left.mass_flux": 1, "average.theta": 1}
        panels = self.panels(self.path, "-k", "history", "-q", ",".join(units))
        with open(f"{self.path}/history.csv") as file:
            rows = list(csv.DictReader(file))
        time = [float(row["time"]) * self.time for row in rows]
        for panel, (name, unit) in zip(panels, units.items()):
            self.check(panel, name, unit, time, [row[name] for row in rows], 1e-9)
        labels = [panel.y_label for panel in panels]
        self.assertEqual(labels[:2], ["left.stress_y  (Pa)", "right.heat_flux  (kW/m$^2$)"])
        self.assertIn("(kg m", labels[2])
        self.assertEqual(panels[0].x_label, "$t$  (ns)")
        (panel,) = self.panels(self.path, "-k", "history", "-q", "residual")
        self.assertIn("s$^{-1}$", panel.y_label)

    def test_profiles(self):
        units = {"rho": 1e24, "uy": 1, "theta": 1, "p": 1e3, "Pxy": 1, "qx": 1e3}
        panels = self.panels(self.path, "-k", "profile", "-q", ",".join(units))
        with h5py.File(f"{self.path}/fields.h5") as file:
            x = file["grid/x_centre"][...] * self.length
            values = {"rho": file["rho"][0, 0], "uy": file["u"][0, 0, :, 1], "theta": file["theta"][0, 0],
                      "p": file["Pi"][0, 0, :, :3].mean(axis=1), "Pxy": file["Pi"][0, 0, :, 3],
                      "qx": file["q"][0, 0, :, 0]}
        for panel, (name, unit) in zip(panels, units.items()):
            self.check(panel, name, unit, x, values[name], 1e-6)
        self.assertEqual([panels[i].y_label for i in (3, 4)], ["pressure  $p$  (kPa)", r"stress  $\Pi_{xy}$  (Pa)"])
        self.assertEqual(panels[0].y_label, "density  $n$  ($10^{24}$ m$^{-3}$)")
        self.assertEqual(panels[0].x_label, "$x$  (µm)")

    def test_words(self):
        path, out = self.svg(self.path, "-k", "profile", "-q", "uy")
        self.assertRegex(out, "; t = 40 ns$")
        self.shows(path, "argon", "300 K", "8 kPa", "2 µm", "(µm)", "(m/s)", "40 ns")
        self.assertRegex(self.svg(self.path, "-q", "uy", "--time", "40ns")[1], "; t = 40 ns$")
        path, out = self.svg(self.path, "-k", "profile", "-q", "uy", "--dimensionless")
        self.assertRegex(out, r"; t = 14\.0969$")
        self.assertEqual(self.panels(self.path, "-q", "uy", "--dimensionless")[0].x_label, "$x$ / $L$")

    def test_without_fields_the_summary_has_the_scales(self):
        copy = shutil.copytree(self.path, self.folder / "copy")
        (copy / "fields.h5").unlink()
        panels = [self.panels(folder, "-k", "history", "-q", "left.stress_y")[0] for folder in (self.path, copy)]
        np.testing.assert_array_equal(panels[0].curves[0].y, panels[1].curves[0].y)
        self.assertEqual(panels[0].y_label, panels[1].y_label)

    def test_pressures_name_the_runs(self):
        other = knudsen.run(SI_CASE, set={"gas.pressure": "16 kPa", "output.vtk": False}, program=PROGRAM)
        (panel,) = self.panels(self.path, other.folder, "-k", "profile", "-q", "uy")
        self.assertEqual(panel.labels, ["$p_0$ = 8 kPa", "$p_0$ = 16 kPa"])

    def test_prefixes(self):
        self.assertEqual(quantities.with_unit(8020, "Pa"), "8.02 kPa")
        self.assertEqual(quantities.with_unit(1e-6, "m"), "1 µm")
        self.assertEqual(quantities.with_unit(300, "K"), "300 K")
        self.assertEqual(quantities.with_unit(0, "K"), "0 K")


class Refused(Plot):
    def test_command_line(self):
        for words, code, message in (
            ([], 2, "no folder of results"),
            (["plane", "-q", "teta"], 2, "did you mean theta?"),
            (["plane", "-q", "nonsense"], 2, "there are rho, speed, ux"),
            (["plane", "-k", "profil"], 2, "did you mean profile?"),
            (["plane", "-k", "map", "-q", "D"], 2, "column of history.csv: draw it with --kind history"),
            (["line", "-k", "map"], 2, "a map needs two axes"),
            (["cell", "-k", "profile"], 2, "is one cell: draw --kind history"),
            (["plane", "box", "-k", "map"], 2, "a map shows one run"),
            (["plane", "line"], 2, "have different axes"),
            (["plane", "--slice", "0.5"], 2, "an axis and a place in L"),
            (["plane", "--slice", "x=a"], 2, "is no number"),
            (["plane", "--slice", "z=0.5"], 2, "the case has no z axis"),
            (["plane", "--slice", "x=2"], 2, "reaches from 0 to 1 L"),
            (["plane", "--time", "soon"], 2, "is no number"),
            (["plane", "--time", "5ns"], 2, "has no unit, since the case has none"),
            (["real", "--time", "5kg"], 2, "or s, ms, us, ns or ps"),
            (["plane", "--time", "1", "--mean"], 2, "choose one of them"),
            (["plane", "--last", "--mean"], 2, "exclude each other"),
            (["line", "--mean"], 2, "has no averages"),
            (["plane", "-o", "picture.bmp"], 2, "must end in .png, .svg, .pdf, .eps or .gif"),
            (["line", "--width", "86", "-o", "x.svg"], 2, "'86' is no width (such as 86mm)"),
            (["line", "--width", "2m", "-o", "x.svg"], 2, "out of range"),
            (["plane", "--unknown"], 2, "--unknown"),
            (["plane", "-o", "/nowhere/picture.png"], 4, "cannot write"),
        ):
            with self.subTest(words=words):
                folders = [run_of(word) if word in SETTINGS else word for word in words]
                self.assertIn(message, self.plot(*folders, code=code))

    def test_folders(self):
        self.assertIn("there is no folder", self.plot(self.folder / "nowhere", code=4))
        (self.folder / "empty").mkdir()
        self.assertIn("is no folder of results", self.plot(self.folder / "empty", code=4))
        copy = shutil.copytree(run_of("line"), self.folder / "copy")
        (copy / "fields.h5").unlink()
        self.assertEqual([panel.what for panel in self.panels(copy)][-1], "history of residual")
        self.assertIn("has no fields.h5", self.plot(copy, "-k", "profile", code=4))
        whole = (knudsen.open(run_of("line")).folder / "fields.h5").read_bytes()
        (copy / "fields.h5").write_bytes(whole[:3000])
        self.assertIn("fields.h5", self.plot(copy, code=4))

    def test_hostile_summary(self):
        """Numbers that no run can have."""
        copy = shutil.copytree(run_of("real"), self.folder / "copy")
        (copy / "fields.h5").unlink()
        path = copy / "summary.json"
        whole = json.loads(path.read_text())

        def refused(change, words="is damaged"):
            found = json.loads(json.dumps(whole))
            change(found)
            path.write_text(json.dumps(found))
            with self.subTest(change=change):
                self.assertIn(words, self.plot(copy, "-k", "history", code=4))

        for value in (0, -1, math.nan, math.inf, 1e300, 10**400):
            refused(lambda found, value=value: found["si"].update(time=value))
        for group, key in (("gas", "delta"), ("space", "cells")):
            refused(lambda found, group=group, key=key: found["case"][group].update({key: 10**400}))
        refused(lambda found: found["quantities"].update(D=10**400))
        refused(lambda found: found.update(more="x" * (4 << 20)), "larger than 4 MiB")

    def test_hostile_history(self):
        copy = shutil.copytree(run_of("cell"), self.folder / "copy")
        path = copy / "history.csv"
        names = path.read_text().splitlines()[0]
        for value in ("1e308", "-1e308", "nan", "inf"):
            values = f",{value}" * (names.count(",") - 1)
            path.write_text(f"{names}\n" + "".join(f"{i},{i}{values}\n" for i in range(4)))
            with self.subTest(value=value):
                self.plot(copy, code=4)
                self.plot(copy, "-k", "history", "-q", "residual", code=4)
        path.write_text("step,time,residual\n0,0,-1\n1,1,-2\n")
        self.assertIn("damaged, or too short", self.plot(copy, "-q", "residual", code=4))
        long = "$x" * 2500
        path.write_text(f"step,time,{long}\n0,0,1\n1,1,2\n")
        out = self.plot(copy, "-k", "history", "-q", long, "-o", self.folder / "long.svg")
        self.assertLess(len(out), 400)

    def test_hostile_fields(self):
        """Values, types and names that no run writes."""

        def time_type(file):
            space = h5py.h5s.create(h5py.h5s.SCALAR)
            file.attrs.__delitem__("delta")
            h5py.h5a.create(file.id, b"delta", h5py.h5t.UNIX_D32LE, space)

        def time_field(file):
            del file["rho"]
            h5py.h5d.create(file.id, b"rho", h5py.h5t.UNIX_D32LE, h5py.h5s.create_simple((1, 1, 6)))

        def no_text(file):
            h5py.h5a.create(file["si"].id, b"\xff\xfe", h5py.h5t.IEEE_F64LE, h5py.h5s.create(h5py.h5s.SCALAR))

        changes = [time_type, time_field, no_text]
        for value in (1e300, 1e-300, 0.0, math.nan, "one"):
            changes.append(lambda file, value=value: file.attrs.update(delta=value))
            changes.append(lambda file, value=value: file["si"].attrs.update(time=value))
        for value in (1e308, math.nan, math.inf):
            changes.append(lambda file, value=value: file["u"].__setitem__(..., value))
        for change in changes:
            copy = shutil.copytree(run_of("real"), self.folder / "copy", dirs_exist_ok=True)
            with h5py.File(copy / "fields.h5", "r+") as file:
                change(file)
            with self.subTest(change=change):
                self.assertIn("is damaged", self.plot(copy, "-q", "ux", code=4))

    def test_an_internal_error_is_one_line(self):
        with self.assertRaises(SystemExit) as end, contextlib.redirect_stderr(io.StringIO()) as err:
            command_line.execute(lambda words: {}[1])
        self.assertEqual((end.exception.code, err.getvalue()), (4, "knudsen: internal error: KeyError: 1\n"))

    def test_any_bytes(self):
        """Changed files are drawn or refused with a message."""
        copy = shutil.copytree(run_of("line"), self.folder / "copy")
        random = np.random.default_rng(2)
        for name, count in (("fields.h5", 60), ("history.csv", 60), ("summary.json", 60)):
            whole = (copy / name).read_bytes()
            for _ in range(count):
                changed = bytearray(whole)
                for at in random.integers(0, len(whole), 4):
                    changed[at] = random.integers(0, 256)
                (copy / name).write_bytes(changed)
                with contextlib.suppress(knudsen.Error):
                    self.panels(copy)
                with contextlib.suppress(knudsen.Error):
                    self.panels(copy, "-k", "history")
            (copy / name).write_bytes(whole)


if __name__ == "__main__":
    os.environ["KNUDSEN"] = str(PROGRAM)
    main()
