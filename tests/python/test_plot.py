"""Pictures show the numbers of the run with correct labels."""

import os

os.environ["MPLBACKEND"] = "Agg"

import numpy as np
from matplotlib import pyplot
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.quiver import Quiver
from scene import BOX, CAVITY, MICRO, PLATES, PROGRAM, SAMPLED, Test, finished, knudsen, main

plot = knudsen.plot


def mesh(ax):
    """The values of the map, [up][across]."""
    (found,) = (entry for entry in ax.collections if isinstance(entry, QuadMesh))
    return np.asarray(found.get_array()).reshape(found.get_coordinates().shape[0] - 1, -1)


def bar(ax):
    """The label of the colour scale."""
    return ax.child_axes[0].get_ylabel()


def has(ax, kind):
    return any(isinstance(entry, kind) for entry in ax.collections)


class Pictures(Test):
    def setUp(self):
        super().setUp()
        self.addCleanup(pyplot.close, "all")

    def drawn(self, ax):
        """Drawing detects errors that creation does not: invalid formulas, empty limits."""
        ax.figure.savefig(self.folder / "picture.png")
        self.assertGreater((self.folder / "picture.png").stat().st_size, 5000)
        return ax


class Field(Pictures):
    def test_vector(self):
        run = finished(CAVITY)
        ax = self.drawn(plot.field(run, "u", smooth=False))
        np.testing.assert_allclose(mesh(ax), run.fields["speed"])
        self.assertTrue(has(ax, LineCollection))
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("$x$ / $L$", "$y$ / $L$"))
        self.assertEqual(bar(ax), r"speed  $|\mathbf{u}|$ / $\varepsilon V_0$")
        self.assertEqual((ax.get_xlim(), ax.get_ylim()), ((0, 1), (0, 1)))
        corners = ax.collections[0].get_coordinates()
        np.testing.assert_allclose(corners[0, :, 0], run.x_edges)
        np.testing.assert_allclose(corners[:, 0, 1], run.y_edges)

    def test_smooth_map_goes_through_the_centres_of_cells(self):
        run = finished(CAVITY)
        (image,) = self.drawn(plot.field(run, "theta")).images
        self.assertEqual(image.get_extent(), [0, 1, 0, 1])
        pixels = np.asarray(image.get_array())
        self.assertEqual(pixels.shape, (400, 400))
        centres = [((axis * 400).astype(int)) for axis in (run.y, run.x)]
        near = pixels[np.ix_(*centres)]
        np.testing.assert_allclose(near, run.fields["theta"], atol=0.02 * np.abs(run.fields["theta"]).max())
        self.assertGreaterEqual(pixels.min(), run.fields["theta"].min())
        self.assertLessEqual(pixels.max(), run.fields["theta"].max())

    def test_scalar(self):
        run = finished(CAVITY)
        ax = self.drawn(plot.field(run, "Pxy", lines=None, smooth=False))
        np.testing.assert_allclose(mesh(ax), run.fields["Pxy"])
        self.assertFalse(has(ax, LineCollection))
        self.assertEqual(bar(ax), r"stress  $\Pi_{xy}$ / $\varepsilon p_0$")
        low, high = plot.field(run, "uy").images[0].get_clim()
        self.assertEqual((low, high), (-high, np.abs(run.fields["uy"]).max()))  # 0 is white
        self.assertTrue(has(self.drawn(plot.field(run, "theta", lines="q")), LineCollection))
        self.assertTrue(has(self.drawn(plot.field(run, "rho", lines="u", arrows=True)), Quiver))
        self.assertEqual(plot.field(run, "rho", vmin=-3, cmap="magma").images[0].get_clim()[0], -3)

    def test_into_axes(self):
        _, axes = pyplot.subplots(1, 2)
        self.assertIs(plot.field(finished(CAVITY), "rho", ax=axes[1], colorbar=False), axes[1])
        self.assertEqual(axes[1].child_axes, [])

    def test_gas_at_rest_has_no_streamlines(self):
        ax = self.drawn(plot.field(finished(CAVITY).series[0], "u"))
        self.assertFalse(has(ax, LineCollection))

    def test_average_where_there_is_one(self):
        run = finished(SAMPLED)
        np.testing.assert_allclose(mesh(plot.field(run, "rho", smooth=False)), run.mean["rho"])
        np.testing.assert_allclose(mesh(plot.field(run, "rho", mean=False, smooth=False)), run.fields["rho"])

    def test_plane_of_a_box(self):
        run = finished(BOX)
        ax = self.drawn(plot.field(run, "u", x=run.x[1], smooth=False))
        np.testing.assert_allclose(mesh(ax), run.fields["speed"][:, :, 1])
        self.assertEqual((ax.get_xlabel()[1], ax.get_ylabel()[1]), ("y", "z"))
        np.testing.assert_allclose(mesh(plot.field(run, "rho", smooth=False)), run.cut("rho", z=1))

    def test_refuses(self):
        self.refuses("knudsen.plot.profile draws lines", plot.field, finished(PLATES))
        self.refuses("one of its components", plot.field, finished(CAVITY), "Pi")
        self.refuses("not in SI", plot.field, finished(CAVITY), si=True)
        self.refuses("a map needs two axes; x leaves y", plot.field, finished(CAVITY), x=0.5)
        self.assertEqual(pyplot.get_fignums(), [])  # no empty figure stays


class Lines(Pictures):
    def test_profile(self):
        run = finished(CAVITY)
        ax = self.drawn(plot.profile(run, "ux", along="y", x=0.3, color="red"))
        (line,) = ax.get_lines()
        np.testing.assert_allclose(line.get_xydata(), np.transpose(run.line("ux", "y", x=0.3)))
        self.assertEqual((line.get_color(), ax.get_xlabel()), ("red", "$y$ / $L$"))
        self.assertEqual(ax.get_ylabel(), r"velocity  $u_x$ / $\varepsilon V_0$")

    def test_profile_of_a_vector(self):
        ax = self.drawn(plot.profile(finished(PLATES)))
        labels = [text.get_text() for text in ax.get_legend().get_texts()]
        self.assertEqual(labels, ["$u_x$", "$u_y$", "$u_z$"])
        ax = plot.profile(finished(CAVITY), "u")  # nothing moves along z there
        self.assertEqual([line.get_label() for line in ax.get_lines()], ["$u_x$", "$u_y$"])

    def test_history(self):
        run = finished(CAVITY)
        ax = self.drawn(plot.history(run))
        self.assertEqual([line.get_label() for line in ax.get_lines()], ["drag  $D$", "vortex flow  $G$"])
        # The force on the lid is known after the first step.
        np.testing.assert_array_equal(ax.get_lines()[0].get_ydata(), run.history["D"][1:])
        self.assertEqual(ax.get_xlabel(), r"$t$ / ($\lambda_0 / V_0$)")
        ax = self.drawn(plot.history(run, "top.stress_x"))
        self.assertEqual(ax.get_ylabel(), r"top.stress_x / $\varepsilon p_0$")
        self.assertEqual(self.drawn(plot.history(finished(PLATES))).get_yscale(), "log")  # the residual

    def test_compare(self):
        over = {"gas.delta": 10, "time.end": 2, "output.vtk": False}
        other = knudsen.run(CAVITY, set=over, program=PROGRAM)
        runs = [finished(CAVITY), other]
        ax = self.drawn(plot.compare(runs, "ux", along="y"))
        self.assertEqual([line.get_label() for line in ax.get_lines()], [r"$\delta$ = 1", r"$\delta$ = 10"])
        np.testing.assert_allclose(ax.get_lines()[1].get_ydata(), other.line("ux", "y")[1])
        ax = self.drawn(plot.compare(runs, "D", labels=["thin", "dense"]))
        self.assertEqual([line.get_label() for line in ax.get_lines()], ["thin", "dense"])
        np.testing.assert_array_equal(ax.get_lines()[1].get_ydata(), other.history["D"][1:])
        ax = plot.compare({"a": runs[0], "b": runs[1]}, "theta")
        self.assertEqual([text.get_text() for text in ax.get_legend().get_texts()], ["a", "b"])
        ax = self.drawn(plot.compare(runs[0].series, "u"))
        self.assertEqual(ax.get_lines()[0].get_label(), "$t$ = 0")
        self.assertEqual(len({line.get_color() for line in ax.get_lines()}), 5)
        self.refuses("nothing to compare", plot.compare, [])


class SI(Pictures):
    def test_labels_and_numbers(self):
        run = finished(MICRO)
        ax = self.drawn(plot.field(run, "theta", si=True, lines="u", smooth=False))
        np.testing.assert_allclose(mesh(ax), run.si.fields["theta"])
        self.assertEqual((ax.get_xlabel(), bar(ax)), ("$x$  (µm)", "temperature  $T$  (K)"))
        np.testing.assert_allclose(ax.get_xlim(), (0, 2))
        ax = self.drawn(plot.profile(run, "qy", along="y", si=True))
        self.assertEqual(ax.get_ylabel(), "heat flux  $q_y$  (kW/m$^2$)")
        np.testing.assert_allclose(ax.get_lines()[0].get_xdata(), 1e6 * run.si.y)
        np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), 1e-3 * run.si.line("qy", "y")[1])
        ax = self.drawn(plot.history(run, "top.stress_x", si=True))
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("$t$  (ns)", "top.stress_x  (Pa)"))
        last = run.si.quantities.walls.top.stress[0]
        self.assertAlmostEqual(ax.get_lines()[0].get_ydata()[-1] / last, 1, places=9)


if __name__ == "__main__":
    main()
