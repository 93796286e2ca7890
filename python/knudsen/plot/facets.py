"""Facets of smooth bodies: the lines in which they cut a plane, and the places behind them."""

from dataclasses import dataclass

import numpy as np

_NUDGE = 1e-9  # of a length: from a facet into the gas


@dataclass
class Lines:
    """Straight lines on a plane, each in one cell. The bodies are on the side of the normals."""

    ends: np.ndarray  # [lines][2 ends][2]
    normal: np.ndarray  # [lines][2] of any length
    inside: np.ndarray  # [lines][2] a point in the cell
    visible: np.ndarray  # [lines] false: the line passes the cell, which is on one side of it

    def __len__(self):
        return len(self.ends)

    def scaled(self, by):
        return Lines(by * self.ends, self.normal, by * self.inside, self.visible)

    def select(self, places):
        return Lines(self.ends[places], self.normal[places], self.inside[places], self.visible[places])

    @property
    def drawn(self):
        """Ends of the lines that are seen."""
        return self.ends[self.visible]

    def behind(self, edges, x, y):
        """Whether places [y][x] are behind the nearest line of their cell; ``edges`` are those of the cells."""
        columns, rows = (_cell(entry, places) for entry, places in zip(edges, (x, y)))
        found = np.zeros((len(y), len(x)), dtype=bool)
        nearest, steepest = np.full(found.shape, np.inf), np.zeros(found.shape)
        for (a, b), n, at in zip(self.ends, self.normal, self.inside):
            i, j = (np.flatnonzero(cells == _cell(entry, at[k])) for k, (cells, entry) in
                    enumerate(((columns, edges[0]), (rows, edges[1]))))
            if len(i) == 0 or len(j) == 0:
                continue
            part = np.ix_(j, i)
            px, py = x[i][None, :] - a[0], y[j][:, None] - a[1]
            along = b - a
            share = np.clip((px * along[0] + py * along[1]) / max(along @ along, 1e-300), 0, 1)
            distance = np.hypot(px - share * along[0], py - share * along[1])
            height = (px * n[0] + py * n[1]) / np.hypot(*n)
            # Two lines share a corner: beside it the one with the larger angle decides.
            tie = np.abs(distance - nearest[part]) < _NUDGE * distance
            closer = (distance < nearest[part]) & ~tie | tie & (np.abs(height) > steepest[part])
            found[part] = np.where(closer, height > 0, found[part])
            steepest[part] = np.where(closer, np.abs(height), steepest[part])
            nearest[part] = np.where(closer, distance, nearest[part])
        return found


def _cell(edges, places):
    return np.clip(np.searchsorted(edges, places, side="right") - 1, 0, len(edges) - 2)


def cut(facets, edges, axes, across=None, place=0.0):
    """The lines on the plane of two axes, 0 to 2, and the numbers of their facets.

    ``facets`` has the arrays ``centre`` [facets][3], ``normal`` [facets][3] and ``area``. In two dimensions the area
    of a facet is its length. In three the plane is normal to the axis ``across`` at ``place``, and a line ends at the
    edges of its cell, ``edges`` [3 axes].
    """
    centre, normal = (np.reshape(np.asarray(facets[name], dtype=float), (-1, 3)) for name in ("centre", "normal"))
    inside = centre - _NUDGE * normal * [entry[-1] - entry[0] for entry in edges]
    chosen = np.arange(len(centre))
    if across is not None:
        chosen = np.flatnonzero(_cell(edges[across], inside[:, across]) == _cell(edges[across], place))
    centre, normal, inside = centre[chosen], normal[chosen], inside[chosen][:, axes]
    n = normal[:, axes]
    n[:, 0] += np.where((n**2).sum(1) < _NUDGE**2, _NUDGE, 0)  # parallel to the plane: its line is far away
    square = (n**2).sum(1)
    way = np.column_stack([-n[:, 1], n[:, 0]]) / np.sqrt(square)[:, None]
    start = centre[:, axes]
    if across is None:
        half = 0.5 * np.asarray(facets["area"], dtype=float)[chosen]
        parts = np.column_stack([-half, half])
    else:
        start = start - (normal[:, across] * (place - centre[:, across]) / square)[:, None] * n
        parts = _clip(start, way, [edges[axis] for axis in axes], inside)
    visible = parts[:, 1] > parts[:, 0]
    parts = np.where(visible[:, None], parts, [-0.5, 0.5])
    ends = start[:, None, :] + parts[:, :, None] * way[:, None, :]
    return Lines(ends, n, inside, visible), chosen


def _clip(start, way, edges, inside):
    """The part of each line that is inside the cell of a point; the second number is smaller if none is."""
    low, high = np.full(len(start), -np.inf), np.full(len(start), np.inf)
    for k in (0, 1):
        cell = _cell(edges[k], inside[:, k])
        below, above = (edges[k][cell + end] - start[:, k] for end in (0, 1))
        still = way[:, k] == 0
        speed = np.where(still, 1, way[:, k])
        first, last = np.minimum(below / speed, above / speed), np.maximum(below / speed, above / speed)
        low = np.where(still, np.where((below <= 0) & (above >= 0), low, np.inf), np.maximum(low, first))
        high = np.where(still, high, np.minimum(high, last))
    return np.column_stack([low, high])
