"""Lines in which facets cut planes, and the places behind them, for shapes that are known."""

import numpy as np
from scene import Test, main

from knudsen.plot.facets import cut

EDGES = [np.linspace(0, 4, 17), np.linspace(0, 4, 17), np.linspace(0, 4, 17)]
PLACES = (np.arange(400) + 0.437) / 100


def pieces(corners):
    """The sides of a polygon around a body, anticlockwise, divided at the edges of cells."""
    centre, normal, area = [], [], []
    for a, b in zip(corners, np.roll(corners, -1, axis=0)):
        way = b - a
        parts = [0.0, 1.0]
        for k in (0, 1):
            if way[k] != 0:
                parts += [t for t in (EDGES[k] - a[k]) / way[k] if 0 < t < 1]
        parts = np.sort(parts)
        for low, high in zip(parts[:-1], parts[1:]):
            centre.append([*(a + 0.5 * (low + high) * way), 0.5])
            normal.append([-way[1], way[0], 0] / np.hypot(*way))  # into the body
            area.append((high - low) * np.hypot(*way))
    return {"centre": centre, "normal": normal, "area": area}


def sphere(radius, middle):
    """Planes that touch a sphere, one per cell that it cuts."""
    facets = {"centre": [], "normal": [], "area": []}
    for at in np.ndindex(16, 16, 16):
        low = np.array(at) * 0.25
        corners = np.stack(np.meshgrid(*zip(low, low + 0.25), indexing="ij")).reshape(3, -1).T
        distance = np.linalg.norm(corners - middle, axis=1)
        if distance.min() < radius < distance.max():
            way = low + 0.125 - middle
            place = middle + radius * way / np.linalg.norm(way)
            place = np.clip(place, low + 1e-6, low + 0.25 - 1e-6)  # in its cell
            facets["centre"].append(place)
            facets["normal"].append(-way / np.linalg.norm(way))
            facets["area"].append(0.0)
    return facets


class Facets(Test):
    """Facets of polygons and of a sphere."""

    def test_polygons(self):
        """Convex and other corners, in cells with several facets."""
        for corners in (
            [[0.6, 0.7], [3.3, 1.1], [1.9, 3.4]],
            [[0.6, 0.7], [3.3, 0.8], [3.2, 3.1], [1.93, 1.52], [0.71, 3.3]],
        ):
            corners = np.array(corners)
            lines, numbers = cut(pieces(corners), EDGES, [0, 1])
            self.assertTrue(lines.visible.all())
            np.testing.assert_array_equal(numbers, np.arange(len(lines)))
            length = np.linalg.norm(lines.ends[:, 1] - lines.ends[:, 0], axis=1).sum()
            sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
            self.assertAlmostEqual(length, sides.sum(), 12)
            behind = lines.behind(EDGES[:2], PLACES, PLACES)
            cells = {tuple((at // 0.25).astype(int)) for at in lines.inside}
            inside = self.winding(corners)
            for j, i in np.ndindex(behind.shape):
                if (int(PLACES[i] // 0.25), int(PLACES[j] // 0.25)) in cells:
                    self.assertEqual(behind[j, i], inside[j, i], (PLACES[i], PLACES[j]))

    def winding(self, corners):
        x, y = np.meshgrid(PLACES, PLACES)
        angle = np.zeros_like(x)
        for a, b in zip(corners, np.roll(corners, -1, axis=0)):
            before, after = (a[0] - x) + 1j * (a[1] - y), (b[0] - x) + 1j * (b[1] - y)
            angle += np.angle(after / before)
        return angle > np.pi

    def test_sphere(self):
        """Also planes near the pole, where facets are parallel to the plane."""
        middle, radius = np.array([2.0, 2.0, 2.0]), 1.3
        for across, place in ((2, 2.05), (2, 3.22), (2, 0.76), (0, 1.1)):
            axes = [axis for axis in (0, 1, 2) if axis != across]
            lines, _ = cut(sphere(radius, middle), EDGES, axes, across, place)
            x, y = np.meshgrid(PLACES, PLACES)
            distance = np.sqrt((x - 2) ** 2 + (y - 2) ** 2 + (place - 2) ** 2)
            behind = lines.behind([EDGES[axis] for axis in axes], PLACES, PLACES)
            cells = {tuple((at // 0.25).astype(int)) for at in lines.inside}
            near = np.array([[(int(a // 0.25), int(b // 0.25)) in cells for a in PLACES] for b in PLACES])
            self.assertTrue((behind == (distance < radius))[near & (np.abs(distance - radius) > 0.03)].all())


if __name__ == "__main__":
    main()
