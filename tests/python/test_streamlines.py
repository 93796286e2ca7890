"""Streamlines of known flows."""

import numpy as np
from scene import Test, main

from knudsen.plot.panels import resample
from knudsen.plot.streamlines import trace


class Streamlines(Test):
    """Streamlines of known flows, in a box from 0 to 2 whose centre is the origin of the flow."""

    def lines(self, flow, apart=0.1, slow=1e-9):
        def velocity(x, y):
            a, b = np.meshgrid(x - 1, y - 1)
            u, v = flow(a, b)
            return u + 0 * a, v + 0 * a

        return [line - 1 for line in trace((2.0, 2.0), velocity, apart, slow)]

    def distances(self, lines):
        for i, line in enumerate(lines):
            others = np.concatenate([other for j, other in enumerate(lines) if j != i])
            yield np.hypot(*(line[:, None] - others[None]).transpose(2, 0, 1)).min()

    def test_circles(self):
        lines = self.lines(lambda x, y: (-y, x))
        closed = [line for line in lines if (line[0] == line[-1]).all()]
        self.assertTrue(8 <= len(closed) <= 12, len(closed))
        for line in lines:
            radius = np.hypot(*line.T)
            np.testing.assert_allclose(radius, radius[0], rtol=2e-3)
            if radius[0] < 0.95:
                self.assertTrue((line[0] == line[-1]).all())
            turned = line[:-1, 0] * line[1:, 1] - line[:-1, 1] * line[1:, 0]
            self.assertTrue((turned > 0).all())

    def test_vortices(self):
        pi = np.pi
        lines = self.lines(lambda x, y: (np.sin(pi * x) * np.cos(pi * y), -np.cos(pi * x) * np.sin(pi * y)), 0.08)
        rings = [0] * 4
        for line in lines:
            psi = np.prod(np.sin(pi * line), axis=1)
            np.testing.assert_allclose(psi, psi[0], atol=0.02)
            rings[int(line[0, 0] > 0) + 2 * int(line[0, 1] > 0)] += (line[0] == line[-1]).all()
        self.assertGreaterEqual(min(rings), 2)

    def test_parallel_flow(self):
        lines = self.lines(lambda x, y: (2.0, 0.0))
        self.assertTrue(15 <= len(lines) <= 21, len(lines))
        for line in lines:
            np.testing.assert_allclose(line[:, 1], line[0, 1], atol=1e-12)
            self.assertTrue((np.diff(line[:, 0]) > 0).all())
            self.assertTrue(-1 <= line[0, 0] < -0.98 and 0.98 < line[-1, 0] <= 1)  # from wall to wall

    def test_even_distances(self):
        flows = [lambda x, y: (-y, x), lambda x, y: (2.0, 0.0), lambda x, y: (-x - 4 * y, -y + 4 * x)]
        places = np.stack(np.meshgrid(np.arange(-0.8, 0.85, 0.1), np.arange(-0.8, 0.85, 0.1)), axis=-1).reshape(-1, 2)
        for i, flow in enumerate(flows):
            lines = self.lines(flow)
            self.assertGreater(min(self.distances(lines)), 0.035)
            gaps = np.hypot(*(places[:, None] - np.concatenate(lines)[None]).transpose(2, 0, 1)).min(axis=1)
            if i < 2:  # lines of the sink end before they come close
                self.assertLess(gaps.max(), 0.16)

    def test_spiral(self):
        for line in self.lines(lambda x, y: (-x - 4 * y, -y + 4 * x)):
            self.assertLess(np.hypot(*line[-1]), np.hypot(*line[0]))
            self.assertLess(len(line), 2000)

    def test_between_nodes(self):
        x, y = np.array([0.0, 1, 4]), np.array([0.0, 2, 3])
        values = 1 + 2 * x[None] - y[:, None]
        found = resample((x, y), values, (np.array([-1, 0.5, 2.5, 9]), np.array([1.0, 2.75])))
        np.testing.assert_allclose(found, 1 + 2 * np.array([0, 0.5, 2.5, 4])[None] - np.array([1, 2.75])[:, None])

    def test_gas_at_rest(self):
        self.assertEqual(self.lines(lambda x, y: (0.0, 0.0)), [])


if __name__ == "__main__":
    main()
