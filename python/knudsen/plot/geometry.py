"""Draws the geometry of a case for ``knudsen info --picture``: bodies, ports and walls.

usage: python3 -m knudsen.plot.geometry DESCRIPTION.json PICTURE
"""

import json

import numpy as np

from ..command_line import clean, execute
from ..errors import Error
from .facets import cut
from .options import FORMATS

_WALLS = {"symmetry": ("-.", "0.45"), "specular": ("--", "0.3"), "far-field": ("--", "0.3"), "inflow": ("-", "tab:cyan")}
_BODIES = ("0.62", "0.75", "0.5", "0.82", "0.68")
_PIXELS = 600  # of each side of a panel
_PORTS = ("tab:red", "tab:blue", "tab:green", "tab:orange", "tab:purple", "tab:brown", "tab:pink", "tab:olive")


def _style_of(surface, number):
    """(colour, line style, line width) of the faces of a surface."""
    if surface["group"] == "port":
        return _PORTS[number % len(_PORTS)], "-", 4
    if surface["group"] == "body":
        return "black", "-", 1.5
    line, colour = _WALLS.get(surface["kind"], ("-", "black"))
    return colour, line, 2.5


def _order(face):
    """Faces along x by rows, then those along y by columns."""
    x0, y0, x1, _, surface = face
    return (surface, 1, x0, y0) if x0 == x1 else (surface, 0, y0, x0)


def _lines_of(faces):
    """The faces of each surface, joined to lines: a dash is longer than a face."""
    lines = {}
    for x0, y0, x1, y1, surface in sorted(faces, key=_order):
        ends = lines.setdefault(surface, [])
        along = [line for line in ends[-1:] if line[2:] == [x0, y0] and (line[0] == x1 or line[1] == y1)]
        if along:
            along[0][2:] = [x1, y1]
        else:
            ends.append([x0, y0, x1, y1])
    return lines


def _fill_cut_cells(ax, lines, x, y, colour):
    """The parts of cells behind the facets of a body."""
    from matplotlib.colors import ListedColormap

    edges = [np.asarray(entry) for entry in (x, y)]
    places = [entry[0] + (np.arange(_PIXELS) + 0.5) / _PIXELS * (entry[-1] - entry[0]) for entry in edges]
    behind = lines.behind(edges, *places)
    extent = [entry[end] for entry in edges for end in (0, -1)]
    ax.imshow(
        np.ma.masked_array(behind, ~behind), origin="lower", extent=extent, cmap=ListedColormap([colour]), aspect="auto",
        interpolation="nearest",
    )


def draw(figure, description):
    """One panel per plane, and a legend of all surfaces."""
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch, Rectangle

    surfaces, edges = description["surfaces"], description["edges"]
    planes, unit = description["planes"], edges["unit"].replace("u", "\u00b5")
    facets = description["facets"]
    ports = [surface for surface in surfaces if surface["group"] == "port"]
    shown = set()
    columns = 1 if len(planes) == 1 else 3
    grid = figure.add_gridspec(2, len(planes), height_ratios=(1, 0.05 * (1 + len(surfaces) // columns)))
    panels = [figure.add_subplot(grid[0, i]) for i in range(len(planes))]
    for ax, plane in zip(panels, planes):
        x, y = edges["at"][plane["right"]], edges["at"][plane["up"]]
        for row, runs in enumerate(plane["solid"]):
            for first, count, body in runs:
                width, height = x[first + count] - x[first], y[row + 1] - y[row]
                colour = _BODIES[body % len(_BODIES)]
                ax.add_patch(Rectangle((x[first], y[row]), width, height, facecolor=colour, edgecolor=colour))
                shown.add(6 + body)
        for surface, ends in _lines_of(plane["faces"]).items():
            segments = [((x[x0], y[y0]), (x[x1], y[y1])) for x0, y0, x1, y1 in ends]
            number = ports.index(surfaces[surface]) if surfaces[surface]["group"] == "port" else 0
            colour, line, width = _style_of(surfaces[surface], number)
            ax.add_collection(LineCollection(segments, colors=colour, linestyles=line, linewidths=width, zorder=3,
                                             capstyle="projecting", clip_on=False))
            shown.add(surface)
        if facets["surface"]:
            axes, across = [plane["right"], plane["up"]], plane["across"] if len(edges["at"][2]) > 2 else None
            layer = edges["at"][plane["across"]][plane["at"] : plane["at"] + 2]
            lines, numbers = cut(facets, [np.array(at) for at in edges["at"]], axes, across, sum(layer) / 2)
            of_line = np.array(facets["surface"], dtype=int)[numbers]
            for body in set(of_line.tolist()):
                _fill_cut_cells(ax, lines.select(of_line == body), x, y, _BODIES[(body - 6) % len(_BODIES)])
            ax.add_collection(LineCollection(lines.drawn, colors="black", linewidths=1.5, zorder=3))
            shown.update(of_line.tolist())
        ax.set_xlim(x[0], x[-1])
        ax.set_ylim(y[0], y[-1])
        ax.set_aspect("equal")
        for side in ax.spines.values():
            side.set(linestyle=":", color="0.6")
        ax.set_xlabel(f"{'xyz'[plane['right']]}  ({unit})")
        ax.set_ylabel(f"{'xyz'[plane['up']]}  ({unit})")
        if len(planes) > 1:
            at = edges["at"][plane["across"]]
            middle = (at[plane["at"]] + at[plane["at"] + 1]) / 2
            ax.set_title(f"{'xyz'[plane['across']]} = {middle:.4g} {unit}", fontsize="small")
    handles = []
    for number, surface in enumerate(surfaces):
        label = f"{surface['name']}: {surface['label']}"
        if surface["group"] == "wall" and surface["kind"] == "periodic":
            continue
        if number not in shown:
            continue
        if surface["group"] == "body":
            colour = _BODIES[(number - 6) % len(_BODIES)]
            handles.append(Patch(facecolor=colour, edgecolor="black", label=label))
        else:
            index = ports.index(surface) if surface["group"] == "port" else 0
            colour, line, width = _style_of(surface, index)
            handles.append(Line2D([], [], color=colour, linestyle=line, linewidth=width, label=label))
    words = figure.add_subplot(grid[1, :])
    words.axis("off")
    words.legend(handles=handles, loc="upper center", ncol=columns, fontsize="small", frameon=False)


def main(words):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    from . import layout
    from .__main__ import save_figure

    if words[1].rpartition(".")[2] not in FORMATS or "." not in words[1]:
        raise Error(f"--picture '{clean(words[1])}': it must end in .{', .'.join(FORMATS)}")
    with open(words[0], encoding="utf-8") as file:
        description = json.load(file)
    with layout.style(10):
        figure = Figure(figsize=(6.5 if len(description["planes"]) == 1 else 12, 6), layout="constrained")
        draw(figure, description)
        save_figure(figure, words[1], None)
    print(f"{clean(words[1])}: geometry of the case")


if __name__ == "__main__":
    execute(main)
