"""Results as xarray and pandas objects, and coordinates that are the same in every run."""

import sys
import unittest.mock

import numpy as np
from scene import BOX, CAVITY, MICRO, PLATES, PROGRAM, Test, finished, knudsen, main


class Coordinates(Test):
    def test_do_not_depend_on_the_rarefaction(self):
        over = {"time.max_steps": 1, "output.fields": 0, "output.vtk": False}
        deltas = (1, 0.3, 7.7, 1 / 3)
        runs = [knudsen.run(BOX, set={"gas.delta": delta, **over}, program=PROGRAM) for delta in deltas]
        for axis in ("x", "y", "z", "x_edges", "y_edges", "z_edges"):
            for run in runs[1:]:
                np.testing.assert_array_equal(getattr(run, axis), getattr(runs[0], axis))
        uniform = knudsen.run(PLATES, set={"space.stretch": 1, "space.cells": 30, **over}, program=PROGRAM)
        np.testing.assert_allclose(uniform.x_edges, np.arange(31) / 30, rtol=0, atol=6e-15)

    def test_do_not_depend_on_the_pressure(self):
        over = {"time.max_steps": 1, "output.fields": 0, "output.vtk": False}
        runs = [knudsen.run(MICRO, set={"gas.pressure": p, **over}, program=PROGRAM) for p in ("20 kPa", "3.3 kPa")]
        for axis in ("x", "y_edges"):
            np.testing.assert_array_equal(getattr(runs[0].si, axis), getattr(runs[1].si, axis))
        self.assertEqual(runs[0].si.x_edges[-1], 2e-6)


class Xarray(Test):
    def setUp(self):
        super().setUp()
        try:
            import xarray  # noqa: F401
        except ImportError:
            self.skipTest("xarray is not installed")

    def test_fields(self):
        run = finished(CAVITY)
        data = run.to_xarray()
        self.assertEqual(len(data.data_vars), 14)
        self.assertEqual(data.ux.dims, ("y", "x"))
        np.testing.assert_array_equal(data.Pxy.values, run.fields["Pxy"])
        np.testing.assert_array_equal(data.x.values, run.x)
        self.assertEqual((data.ux.attrs["units"], data.x.attrs["units"], float(data.time)), ("V0 eps", "L", run.time))
        self.assertEqual(list(run.to_xarray(["speed", "p"]).data_vars), ["speed", "p"])
        self.assertEqual(list(run.to_xarray("theta").data_vars), ["theta"])
        self.refuses("is no scalar", run.to_xarray, "u")

    def test_axes(self):
        box = knudsen.open(finished(CAVITY).folder, squeeze=False).to_xarray("rho")
        self.assertEqual((box.rho.dims, box.rho.shape), (("z", "y", "x"), (1, 10, 8)))
        self.assertEqual(finished(BOX).to_xarray("rho").rho.dims, ("z", "y", "x"))

    def test_si_and_series(self):
        run = finished(MICRO)
        data = run.si.to_xarray("theta")
        np.testing.assert_array_equal(data.theta.values, run.si.fields["theta"])
        self.assertEqual((data.theta.attrs["units"], data.x.attrs["units"]), ("K", "m"))
        series = run.series.to_xarray("ux")
        self.assertEqual(series.ux.dims, ("time", "y", "x"))
        np.testing.assert_array_equal(series.ux.values, run.series["ux"])
        np.testing.assert_array_equal(series.time.values, run.series.times)

    def test_runs_align(self):
        over = {"gas.delta": 0.3, "output.fields": 0, "output.vtk": False}
        other = knudsen.run(CAVITY, set=over, program=PROGRAM)
        difference = other.to_xarray("ux").drop_vars("time") - finished(CAVITY).to_xarray("ux").drop_vars("time")
        self.assertEqual(difference.ux.shape, (10, 8))  # coordinates that differ in a bit would be left out


class Pandas(Test):
    def setUp(self):
        super().setUp()
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")

    def test_history(self):
        run = finished(CAVITY)
        table = run.history.to_pandas()
        self.assertEqual(table.index.name, "step")
        np.testing.assert_array_equal(table["D"].values, run.history["D"])

    def test_cells(self):
        run = finished(CAVITY)
        table = run.to_pandas(["ux", "theta"])
        self.assertEqual(list(table.columns), ["x", "y", "ux", "theta"])
        self.assertEqual(len(table), 80)
        row = table[(table.x == run.x[3]) & (table.y == run.y[5])]
        self.assertEqual(row.ux.iloc[0], run.fields["ux"][5, 3])


class Missing(Test):
    def test_is_said(self):
        with unittest.mock.patch.dict(sys.modules, {"xarray": None, "pandas": None}):
            run = finished(CAVITY)
            self.refuses("xarray is not installed (Debian: python3-xarray)", run.to_xarray)
            self.refuses("pandas is not installed (Debian: python3-pandas)", run.history.to_pandas)


if __name__ == "__main__":
    main()
