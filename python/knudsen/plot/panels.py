"""Panels of a picture: maps and curves with their labels, ready to be drawn into Axes."""

from dataclasses import dataclass, field

import numpy as np
from matplotlib.collections import LineCollection

from .facets import Lines
from .streamlines import trace

LINE = "#0b559f"
# Colours that differ for most kinds of colour blindness, with dashes that differ in print.
_COLOURS = (LINE, "#d55e00", "#009e73", "#cc79a7", "#555555", "#e69f00", "#56b4e9", "#000000")
_DASHES = ("-", "--", "-.", ":", (0, (6, 2, 1, 2, 1, 2)))
_MARKS = ("o", "s", "^", "D", "v", "P")
_FEW = 60  # points of a curve that are shown one by one
_PIXELS, _SHARP = 400, 1000  # of the longer side of a map; of one with the outlines of smooth bodies
_ARROWS = 18  # per longer side
_SLOWEST = 0.03  # of the fastest: shorter arrows are left out
_LINES_APART = 1 / 22  # of the longer side as drawn
_SOLID = "0.6"  # grey, of bodies
_RESTS = 2e-3  # of the fastest: slower gas has no lines


@dataclass
class Curve:
    """A line, points with errors, or a level across the panel."""

    x: np.ndarray
    y: np.ndarray
    label: str = ""
    style: str = "line"  # "points", "level"
    shade: float = None  # 0 to 1 is early to late
    error: np.ndarray = None


@dataclass
class LinePanel:
    """Curves over a common axis."""

    what: str  # for the line that reports what was drawn
    x_label: str
    y_label: str
    x_range: tuple
    curves: list = field(default_factory=list)
    note: str = ""  # above the frame
    key: str = ""  # title of the legend
    logarithmic: bool = False
    repeats: bool = False  # the legend is that of the panel before
    y_range: tuple = None  # None: that of the curves

    @property
    def is_map(self):
        return False

    @property
    def labels(self):
        return [curve.label for curve in self.curves if curve.label]

    def draw(self, ax, **options):
        lines = [curve for curve in self.curves if curve.style == "line"]
        for i, curve in enumerate(lines):
            ax.plot(curve.x, curve.y, label=_legend(curve), **{**_line_style(curve, i, len(lines)), **options})
        for i, curve in enumerate(curve for curve in self.curves if curve.style != "line"):
            _draw_reference(ax, curve, i)
        ax.set(xlabel=self.x_label, ylabel=self.y_label, xlim=self.x_range, ylim=self.y_range)
        if self.logarithmic:
            ax.set_yscale("log")
        if self.note:
            ax.set_title(self.note, loc="right", fontsize="medium")
        rule(ax)


def _legend(curve):
    """The label; matplotlib leaves those that begin with an underscore out of legends."""
    return ("\u200b" if curve.label.startswith("_") else "") + curve.label or None


def _line_style(curve, i, n):
    if curve.shade is not None:
        from matplotlib import colormaps

        return {"color": colormaps["inferno"](0.8 * (1 - curve.shade)), "linewidth": 1.5}
    style = {"color": _COLOURS[i % len(_COLOURS)], "linewidth": 1.5}
    if n > 1:
        style["linestyle"] = _DASHES[i % len(_DASHES)]
    elif len(curve.x) <= _FEW:
        style.update(marker="o", markersize=3)
    return style


def _draw_reference(ax, curve, i):
    if curve.style == "level":
        ax.axhline(curve.y[0], color="0.2", linestyle=(0, (4, 3)), linewidth=1.1, label=_legend(curve))
        return
    mark = {"marker": _MARKS[i % len(_MARKS)], "markersize": 5, "markerfacecolor": "white", "color": "black"}
    bars = {"linestyle": "none", "elinewidth": 1, "capsize": 2, "zorder": 3}
    ax.errorbar(curve.x, curve.y, curve.error, label=_legend(curve), **mark, **bars)


def fill(values):
    """Values in the cells that bodies fill, two rings deep: the mean of the neighbours."""
    for _ in range(2):
        solid = np.isnan(values)
        if not solid.any():
            break
        padded = np.pad(values, 1, constant_values=np.nan)
        rows, columns = values.shape
        around = np.stack([padded[i : i + rows, j : j + columns] for i in range(3) for j in range(3)])
        count = np.isfinite(around).sum(0)
        with np.errstate(invalid="ignore"):
            values = np.where(solid, np.nansum(around, 0) / np.where(count > 0, count, np.nan), values)
    return values


def rule(ax):
    """Light rules, and no frame where there is no axis."""
    ax.grid(True, color="0.88", linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


@dataclass
class MapPanel:
    """Colours on a plane, with streamlines or arrows."""

    what: str
    x_label: str
    y_label: str
    value_label: str
    edges: tuple  # of the cells, across and up
    values: np.ndarray  # [up][across] in the cells
    signed: bool
    range: tuple  # of the colours
    flow: tuple = None  # components [up][across] on the nodes of ``flow_nodes``
    flow_nodes: tuple = None
    arrows: bool = False
    cyclic: bool = False  # both ends of the range are the same: an angle
    plates: tuple = ()  # lines (x, y) of bodies without thickness
    facets: Lines = None  # of smooth bodies
    curves: tuple = ()
    labels: tuple = ()
    repeats: bool = False

    @property
    def is_map(self):
        return True

    @property
    def size(self):
        return tuple(edges[-1] - edges[0] for edges in self.edges)

    @property
    def aspect(self):
        """Height over width as drawn: very long boxes are drawn shorter than they are."""
        return min(max(self.size[1] / self.size[0], 0.2), 2)

    def draw(self, ax, colorbar=True, smooth=True, **options):
        colours = {"cmap": "twilight" if self.cyclic else "RdBu_r" if self.signed else "viridis", **options}
        if "norm" not in colours:
            colours = {"vmin": self.range[0], "vmax": self.range[1], **colours}
        if smooth and not self.cyclic:
            extent = [edges[i] for edges in self.edges for i in (0, -1)]
            drawn = ax.imshow(
                self._pixels(), origin="lower", extent=extent, aspect="auto", interpolation="bilinear", **colours
            )
        else:
            drawn = ax.pcolormesh(*self.edges, self.values, shading="flat", rasterized=True, **colours)
        ax.set_facecolor(_SOLID)  # cells that bodies fill have no values
        if self.flow is not None:
            self._draw_flow(ax)
        if self.facets:
            ax.add_collection(LineCollection(self.facets.drawn, colors=_SOLID, linewidths=1.2))
        for x, y in self.plates:
            ax.plot(x, y, color="0.25", linewidth=2, solid_capstyle="butt")
        if colorbar:
            beside = ax.inset_axes([1.03, 0, 0.045, 1])  # as high as the map, whatever its aspect
            ax.figure.colorbar(drawn, cax=beside, label=self.value_label)
        ax.set_box_aspect(self.aspect)
        ax.set(xlabel=self.x_label, ylabel=self.y_label, xlim=self.edges[0][[0, -1]], ylim=self.edges[1][[0, -1]])

    def _pixels(self):
        nodes = [with_walls(edges) for edges in self.edges]
        pixels = _SHARP if self.facets else _PIXELS
        counts = [max(len(edges) - 1, int(pixels * min(1, ratio))) for edges, ratio in
                  zip(self.edges, (1 / self.aspect, self.aspect))]
        even = [edges[0] + (np.arange(n) + 0.5) / n * (edges[-1] - edges[0]) for edges, n in zip(self.edges, counts)]
        pixels = resample(nodes, extend(fill(self.values)), even)
        pixels[self._solid(*even)] = np.nan
        return pixels

    def _solid(self, x, y):
        """Whether bodies fill places [y][x]."""
        across, up = (
            np.clip(np.searchsorted(edges, places, side="right") - 1, 0, len(edges) - 2)
            for edges, places in zip(self.edges, (x, y))
        )
        solid = np.isnan(self.values)[np.ix_(up, across)]
        return solid | self.facets.behind(self.edges, x, y) if self.facets else solid

    def _draw_flow(self, ax):
        colour = "0.2" if self.signed else "white"
        if self.arrows:
            counts = [max(2, round(_ARROWS * min(1, ratio))) for ratio in (1 / self.aspect, self.aspect)]
            even = [e[0] + (np.arange(n) + 0.5) / n * (e[-1] - e[0]) for e, n in zip(self.edges, counts)]
            u, v = (resample(self.flow_nodes, part, even) for part in self.flow)
            # Directions are those of the picture, whose axes may be scaled differently.
            v = v * self.aspect * self.size[0] / self.size[1]
            speed = np.hypot(u, v)
            with np.errstate(invalid="ignore"):
                u = np.where(speed > _SLOWEST * speed.max(), u, np.nan)
            ax.quiver(*even, u, v, color=colour, pivot="mid", width=0.0035, scale=speed.max() * max(counts) / 0.95)
            return
        self._draw_streamlines(ax, colour)

    def _draw_streamlines(self, ax, colour):
        """Lines are traced in the lengths of the picture, whose longer side is 1."""
        from matplotlib import rcParams

        drawn = (min(1, 1 / self.aspect), min(1, self.aspect))
        low = np.array([edges[0] for edges in self.edges])
        stretch = np.array(self.size) / drawn
        parts = [part / by for part, by in zip(self.flow, stretch)]

        def velocity(x, y):
            places = (low[0] + x * stretch[0], low[1] + y * stretch[1])
            solid = self._solid(*places)  # lines end there
            return [np.where(solid, np.nan, resample(self.flow_nodes, part, places)) for part in parts]

        apart = _LINES_APART * min(self.aspect, 1 / self.aspect) ** 0.5
        lines = trace(drawn, velocity, apart, _RESTS * float(np.hypot(*parts).max()))
        letter = rcParams["font.size"]
        drawn_lines = [low + line * stretch for line in lines]
        ax.add_collection(LineCollection(drawn_lines, colors=colour, linewidths=0.08 * letter))
        for line in lines:
            i = len(line) // 2
            ahead = line[min(i + 1, len(line) - 1)] - line[i - 1]
            angle = np.degrees(np.arctan2(ahead[1], ahead[0])) - 90
            ax.plot(*(low + line[i] * stretch), marker=(3, 0, angle), markersize=0.6 * letter, color=colour, mew=0)


# -------------------------------------------------------------------------------------------------- grids


def with_walls(edges):
    """Centres of cells, and the walls on both sides."""
    return np.concatenate([edges[:1], 0.5 * (edges[:-1] + edges[1:]), edges[-1:]])


def extend(values):
    """Values in cells, continued to the walls."""
    return np.pad(values, 1, mode="edge")


def resample(nodes, values, places):
    """Values [up][across] on rectilinear nodes, bilinear at other places."""
    weights = [_interpolation(at, to) for at, to in zip(nodes, places)]
    (left, right_share), (low, high_share) = weights
    rows = values[:, left] * (1 - right_share) + values[:, left + 1] * right_share
    return rows[low] * (1 - high_share)[:, None] + rows[low + 1] * high_share[:, None]


def _interpolation(nodes, places):
    below = np.clip(np.searchsorted(nodes, places) - 1, 0, len(nodes) - 2)
    share = (places - nodes[below]) / (nodes[below + 1] - nodes[below])
    return below, np.clip(share, 0, 1)
