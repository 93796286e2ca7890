"""knudsen.reproduce: limits and orders of convergence, measurements of runs, tables, figures and pages."""

import contextlib
import io
import math
import os
import types
from unittest import mock

import numpy as np
from scene import PROGRAM, Test, main

from knudsen.reproduce import convergence, paper, paper_data, paper_figures, paper_speed, paper_table, richardson
from knudsen.reproduce import steady, verification
from knudsen.reproduce.job import Job
from knudsen.value_text import deviation, with_error

SIZES = [1 / 20, 1 / 40, 1 / 80, 1 / 160]


def power_law(limit, factor, power, sizes=SIZES):
    return [limit * (1 - factor * h**power) for h in sizes]


class Richardson(Test):
    def test_pure_powers_are_found(self):
        for order in (1, 2):
            value = power_law(0.6389, 3, order)
            limit = richardson.limit(SIZES, value, order)
            self.assertAlmostEqual(limit, 0.6389, delta=1e-12)
            factor, slope = richardson.slope(SIZES, value, limit)
            self.assertAlmostEqual(slope, order, delta=1e-9)
            self.assertAlmostEqual(factor, 3, delta=3e-8)
            self.assertAlmostEqual(richardson.order(SIZES, value), order, delta=1e-9)

    def test_coarse_grids_do_not_move_the_limit(self):
        """The limit uses the finest three, the slope all."""
        value = power_law(0.1, 2, 1)
        value[0] *= 1.5
        limit = richardson.limit(SIZES, value, 1)
        self.assertAlmostEqual(limit, 0.1, delta=1e-13)
        self.assertGreater(abs(richardson.slope(SIZES, value, limit)[1] - 1), 0.1)

    def test_the_line_is_that_of_least_squares(self):
        """1 + x - x^2 at x = 1, 2, 4: the least-squares line 6 - 29/7 x, by hand."""
        self.assertAlmostEqual(richardson.limit([4, 2, 1], [-11, -1, 1], 1), 6, delta=6e-12)

    def test_a_wrong_order_is_seen(self):
        """A limit with an assumed wrong order gives that order as slope; a free order does not."""
        h = [1 / 12, 1 / 16, 1 / 24]
        value = [1 - x for x in h]
        limit = richardson.limit(h, value, 2)
        self.assertLess(limit, 0.98)
        self.assertGreater(richardson.slope(h, value, limit)[1], 1.8)
        self.assertAlmostEqual(richardson.order(h, value), 1, delta=1e-9)

    def test_powers_are_fitted(self):
        """Exactly through powers; otherwise by least squares of the logarithms: (0, 0), (1, 0), (2, 3) have the slope
        3/2, by hand."""
        x = [128, 512, 2048, 8192]
        factor, power = richardson.fit_power(x, [0.3 / math.sqrt(at) for at in x])
        self.assertAlmostEqual(factor, 0.3, delta=3e-13)
        self.assertAlmostEqual(power, -0.5, delta=1e-12)
        factor, power = richardson.fit_power([1, math.e, math.e**2], [1, 1, math.exp(3)])
        self.assertAlmostEqual(power, 1.5, delta=1e-12)
        self.assertAlmostEqual(factor, math.exp(-0.5), delta=1e-12)
        refused = (([1], [1]), ([1, 2], [1, 0]), ([1, 2], [1, math.nan]), ([0, 1], [1, 2]), ([2, 2], [1, 2]))
        for points in (*refused, ([1, 2], [-1, 1])):
            self.assertIsNone(richardson.fit_power(*points))

    def test_too_few_points_are_refused(self):
        self.assertTrue(math.isnan(richardson.limit([0.1], [0.1], 1)))
        self.assertTrue(all(map(math.isnan, richardson.slope([0.1], [0.1], 1))))
        self.assertTrue(math.isnan(richardson.slope(SIZES[:2], [1, 1], 1)[1]))  # the limit itself
        self.assertTrue(math.isnan(richardson.order(SIZES[:3], [1, 2, 1])))
        self.assertTrue(math.isnan(richardson.order(SIZES[:3], [1, 2, 2])))
        self.assertTrue(math.isnan(richardson.order(SIZES[:2], [1, 1])))


class Quiet(Test):
    """A job in its own folder; printed lines are in ``printed``."""

    def setUp(self):
        super().setUp()
        self.enterContext(mock.patch.dict(os.environ, KNUDSEN=str(PROGRAM)))
        self.printed = self.enterContext(contextlib.redirect_stdout(io.StringIO()))
        self.job = Job(self.folder / "study")

    def contents(self, name):
        return (self.job.folder / name).read_text(encoding="utf-8")


def record(side, value):
    """A vortex whose centre is at y / L = 0.7."""
    x = (np.arange(side) + 0.5) / side
    ux = np.repeat(x[:, None] - 0.7, side, axis=1)
    time = np.linspace(0, 1, 20)
    uy = np.sin(2 * np.pi * x) * np.ones((side, 1))
    facts = {"x": x, "y": x, "ux": ux, "uy": uy, "time": time, "drag": 0.6 - 0.1 * time, "seconds": 1.0}
    return types.SimpleNamespace(side=side, value=value, error=(1e-5, 2e-5, 3e-5), **facts)


def results():
    """Results of the paper whose D and G converge with the order of the scheme."""
    found = paper.Paper("CPU, 2 threads", True)
    for number in range(3):
        studies = []
        for order in (1, 2):
            study = paper.Study((12, 16, 24), order)
            exact = [power_law(limit, 2, order, study.h) for limit in (0.6, 0.7, 0.1)]
            study.points = [record(side, value) for side, value in zip(study.sides, zip(*exact))]
            study.extrapolate()
            studies.append(study)
        found.studies.append(studies)
        found.stretched.append(record(32, (0.61, 0.71, 0.11)))
        found.operator.append(record(20, (0.6, 0.7, 0.1)) if number else None)
    parts = {"stream_s": 1e-3, "sample_s": 1e-4, "collide_s": 2e-3, "nodes": 8000, "samples": 6144}
    for name, speed in (("CPU, 1 thread", 1), ("CPU, 2 threads", 2)):
        for cells in (256, 1024):
            entry = {key: value / speed if key.endswith("_s") else value for key, value in parts.items()}
            found.speed.append({"machine": name, "cells": cells, "step_s": 4e-3 / speed} | entry)
    return found


class Tables(Quiet):
    def test_table(self):
        found = results()
        paper_table.write(self.job, found)
        lines = self.contents("table1.csv").splitlines()
        self.assertEqual(len(lines), 10)
        first = "0.1,D cells,1024,0.610000,0.000010,0.6712,0.600000,0.6815,1.000,1.000,2.000,0.676-0.678,0.6804"
        self.assertEqual(lines[1], first)
        text = self.contents("table1.txt")
        self.assertIn(text, self.printed.getvalue())
        self.assertEqual(text.count("160x160"), 1)
        self.assertEqual(text.count("    1.00     1.00"), 9)
        row = "| 1 | 32 x 32 | 0.1100 | 0.1017 | 0.1000 | 0.1039 | 0.104-0.105 | 0.1034 |"
        self.assertIn(row, paper_table.markdown(found))

    def test_figures(self):
        found = results()
        paper_figures.write(self.job, found)
        paper_speed.write(self.job, found)
        for number in range(1, 7):
            data = self.contents(f"fig{number}.dat")
            self.assertTrue(data.startswith(f"# Fig. {number}: "))
            self.assertTrue((self.job.folder / f"fig{number}.png").read_bytes().startswith(b"\x89PNG"))
            self.assertIn("</svg>", self.contents(f"fig{number}.svg"))
        self.assertEqual(self.contents("fig1.dat").count("\n\n\n"), 6)
        self.assertEqual(self.contents("fig2.dat").count("\n\n\n"), 14)
        self.assertEqual(self.contents("fig2.dat").count("NaN NaN"), 2)
        self.assertEqual(self.contents("fig2.dat").count("# at y / L = 0.7000"), 5)
        self.assertEqual(self.contents("fig3.dat").count("\n\n\n"), 4)
        self.assertIn("256 0.002 2\n", self.contents("fig4.dat"))
        self.assertIn(f"1024 {1e-3 / 3.1e-3:.6g} {2.1 / 3.1:.6g} 2\n", self.contents("fig5.dat"))
        self.assertIn(f"256 {11e-9 * 256 * 8000 / 5e-4:.6g} ", self.contents("fig6.dat"))
        report = paper._report(found)
        self.assertEqual(report.count("\n## "), 7)

    def test_profiles(self):
        one = record(40, (0, 0, 0))
        self.assertAlmostEqual(paper_figures.vortex_height(one), 0.7, delta=1e-12)
        np.testing.assert_allclose(paper_figures.vertical(one), one.ux[:, 0])
        np.testing.assert_allclose(paper_figures.horizontal(one), np.sin(2 * np.pi * one.x))
        one.ux = np.ones((40, 40))
        self.assertEqual(paper_figures.vortex_height(one), 0.5)


class Runs(Quiet):
    def test_measurements_of_a_run(self):
        """Means of the parts, weighted by their rows, are the mean of the run; a few rows per part."""
        plan = paper_data.Plan((), (8,), (0.16,), (0.08,), "projection", 8, 6, 16)
        flow = paper_data.FLOWS[0]
        small = paper_data.Flow(flow.delta, 16, flow.stretch, 8, flow.ratio, 128, flow.drag, flow.flow, flow.midline)
        with mock.patch.object(paper, "FLOWS", (small,)):
            settings = paper._paper_case(self.job, plan, 0, 1, 8, True) | {"output.history": 1}
            run = self.job.run("a run", settings)
        self.assertEqual(run.case.space.stretch[:2], [0.996**2, 0.998**2])
        found = paper.Record(run)
        self.assertEqual((found.side, found.value[1:]), (8, (run.quantities.D, run.quantities.G)))
        parts = found._stress_parts(run)
        self.assertEqual(len(parts), paper.PARTS)
        self.assertAlmostEqual(np.mean(parts), found.value[0], delta=2e-3 * found.value[0])
        self.assertAlmostEqual(np.mean(paper._parts(run, "D")), found.value[1], delta=2e-3 * found.value[1])
        self.assertTrue(all(0 < error < 0.02 for error in found.error), found.error)

    def test_orders_of_a_wave(self):
        with mock.patch.multiple(convergence, _CELLS=(16, 32), _FINEST=128):
            study = convergence.study_space(self.job)
        self.assertEqual([len(curve.x) for curve in study.curves], [2, 2, 2, 2])
        for curve in study.curves:
            self.assertAlmostEqual(curve.slope, curve.expected, delta=0.4, msg=curve.name)

    def test_iterations(self):
        """A count beyond its limit is marked, and more with 12 nodes than with 8 are beyond it."""
        page = steady.Page()
        flows = [("Couette", nodes, {"space.cells": 12} | steady._COUETTE, most) for nodes, most in ((8, 20), (6, 20), (8, 2))]
        with mock.patch.multiple(steady, _DELTAS=(10,), _FLOWS=flows):
            counts = steady._iterations(self.job, page)
        self.assertTrue(5 < counts["Couette", 8][0] <= 20, counts)
        self.assertIn(f"\n| Couette | 8 | **{counts['Couette', 8][0]}** |\n", page.text)
        self.assertIn(f"\n| Couette | 8 | {counts['Couette', 8][0]} |\n", page.text)
        self.assertEqual(page.missed, page.text.count("**") // 2)
        steady._within(page, "G_P", 1.01, 1, 0.005)
        self.assertIn("| G_P | 1.01 | 1 | **+1.000 %** | 0.5 % |", page.text)

    def test_machine(self):
        backend, threads = self.job.machine()
        self.assertIn(backend, ("cpu", "cuda"))
        self.assertGreater(threads, 0)

    def test_a_refused_case(self):
        self.refuses("gas.delta", self.job.steps, {"gas.delta": -1})


class Page(Quiet):
    CHECK = {
        "case": "couette", "quantity": "-right.stress_y", "conditions": "delta 1", "source": "somebody",
        "reference": 0.340502, "reference_error": 2e-6, "value": 0.3402, "tolerance": 0.0016, "bar": None, "allowed": 0.0016,
        "deviation": -0.000302, "verdict": "pass",
    }  # fmt: skip

    def test_values_with_errors(self):
        self.assertEqual(with_error(0.34073, 0.00012), "0.34073(12)")
        self.assertEqual(with_error(0.6406, 0.0002), "0.6406(2)")
        self.assertEqual(with_error(0.0863, 0.06), "0.0863 +- 0.060")
        self.assertEqual(with_error(-0.09, 0), "-0.09")
        self.assertEqual(with_error(None, None), "nan")

    def test_deviations(self):
        self.assertEqual(deviation(self.CHECK, "deviation", sign=True), "-0.089 %")
        self.assertEqual(deviation(self.CHECK | {"tolerance": 0.2, "allowed": 0.2}, "allowed"), "0.2")
        phase = self.CHECK | {"quantity": "left.stress_y.phase", "bar": 0.005}
        self.assertEqual(deviation(phase, "deviation", sign=True), "-0.0003")

    def test_page(self):
        waves = convergence.Curve("order 1", 1, [0.1, 0.05], [1, 2], [1e-2, 5e-3])
        waves.fit()
        drag = convergence.Curve("D", x=[6, 8, 10], value=[0.9, 1.01, 1.0], error=[math.nan] * 3)
        drag.compare_with_last()
        self.assertEqual((drag.x, len(drag.error)), ([6, 8], 2))
        studies = [convergence.Study("a", "A", "h", "error", "Text.", [waves])]
        studies.append(convergence.Study("b", "B", "n", "error", "", [drag]))
        checks = [self.CHECK, self.CHECK | {"verdict": "fail"}, self.CHECK | {"verdict": "open"}]
        page = verification._page(studies, checks, False)
        self.assertIn("| order 1 | 0.1: 1.00e-02, 0.05: 5.00e-03 | 1.00 | 1 |", page)
        self.assertIn("| D | 6: 1.00e-01, 8: 1.00e-02 | | |", page)
        self.assertIn("3 checks: 1 pass, 1 fail, 1 open.", page)
        self.assertIn("| 0.340502(2) | somebody | 0.3402(16) | -0.089 % | 0.470 % | pass |", page)
        self.assertEqual(page.count("**fail**"), 1)
        data = verification._data(studies[0])
        self.job.figure("a", "A", data, lambda figure: verification._draw(figure, studies[0]), (6, 3))
        self.assertIn("0.05 2 0.005", self.contents("a.dat"))

    def test_a_wave_is_projected(self):
        edges = np.linspace(0, 3, 65)
        phase = np.pi * (edges[1:] + edges[:-1]) / 3
        means = np.sinc(1 / 64) * (0.3 * np.cos(phase) + 0.1 * np.sin(phase))
        run = types.SimpleNamespace(x_edges=edges, fields={"uy": means})
        self.assertAlmostEqual(convergence.wave_part(run, "uy", np.cos), 0.3, delta=1e-12)
        self.assertAlmostEqual(convergence.wave_part(run, "uy", np.sin), 0.1, delta=1e-12)


if __name__ == "__main__":
    main()
