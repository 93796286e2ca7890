"""The figure of a sweep: the quantities over the first varied key, with a line for every combination of the others."""

import math
import os
from pathlib import Path

import numpy as np

from ..plot.layout import style
from ..plot.quantities import column_symbol, escape

NAME = "sweep.png"
_MAIN = ("D", "G", "G_P", "G_T", "permeability")
_SURFACES = ("port_flow.conductance", "port_flow.transmission", "bodies.")
_OSCILLATING = ((".damping",), (".added_mass",), (" amplitude", " phase"))
_MOST_PANELS, _MOST_LINES, _MOST_TICKS = 6, 12, 6
_ZERO = 1e-4  # of the largest value; smaller quantities are not drawn
_DECADES = 1.5  # a positive quantity that spans more decades has a logarithmic axis


def _is_number(value):
    return isinstance(value, (int, float)) and math.isfinite(value)


def _columns(rows):
    """The columns with results, without errors: oscillations, else quantities of the whole flow, of ports
    and of bodies, else wall fluxes."""
    names = dict.fromkeys(name for row in rows for name, value in row.items() if _is_number(value))
    names = [name for name in names if " error" not in name]
    walls = [name for name in names if name.partition(".")[0] in ("left", "right", "bottom", "top", "back", "front")]
    oscillating = [name for words in _OSCILLATING for name in names if any(word in name for word in words)]
    surfaces = [name for start in _SURFACES for name in names if name.startswith(start)]
    return oscillating or [name for name in _MAIN if name in names] + surfaces or walls


def choose(rows, sizes):
    """The columns to draw, without zeros; of equal columns only the first. ``sizes`` are the largest values."""
    found, taken = [], set()
    names = _columns(rows)
    largest = max((sizes[name] for name in names if " phase" not in name), default=0)
    for name in names:
        amplitude = next((other for other in names if other.startswith(name.replace("phase [rad]", "amplitude"))), name)
        values = [row.get(name) for row in rows if _is_number(row.get(name))]
        mark = (name.partition("[")[2], *(f"{abs(value):.3g}" for value in values))
        if sizes[amplitude] > _ZERO * largest and mark not in taken:
            taken.add(mark)
            found.append(name)
    return found[:_MOST_PANELS]


def _lines(axes, points, rows):
    """(label, indices on the first axis, rows) of every combination of the other keys."""
    found = {}
    for point in points:
        if point.name in rows and len(found) <= _MOST_LINES:
            label = ", ".join(f"{axis.key} = {axis.texts[i]}" for axis, i in zip(axes[1:], point.indices[1:]))
            found.setdefault(label, []).append((point.indices[0], rows[point.name]))
    return list(found.items())[:_MOST_LINES]


def _is_wide(values):
    return bool(values) and min(values) > 0 and max(values) / min(values) > 10**_DECADES


def _set_scale(axis, ax, values):
    """Logarithmic if the values span decades; a key without numbers has its values as labels."""
    if not axis.numbers:
        ax.set_xticks(range(len(axis.texts)), [escape(text) for text in axis.texts])
    elif axis.logarithmic or _is_wide(axis.numbers):
        ax.set_xscale("log")
        if len(axis.numbers) <= _MOST_TICKS:
            ax.set_xticks(axis.numbers, [f"{number:.3g}" for number in axis.numbers])
            ax.tick_params(axis="x", which="minor", labelbottom=False)
    if _is_wide(values):
        from matplotlib.ticker import LogFormatterSciNotation

        ax.set_yscale("log")
        ax.yaxis.set_minor_formatter(LogFormatterSciNotation(minor_thresholds=(2.5, 1)))


def _series(axis, entries, name):
    """Places on the first axis in increasing order, values and their errors."""
    head, bracket, unit = name.partition(" [")
    error = f"{head} error{bracket}{unit}"
    found = [(axis.numbers[i] if axis.numbers else i, row[name], row.get(error) or 0)
             for i, row in entries if _is_number(row.get(name))]
    x, y, errors = zip(*sorted(found)) if found else ((), (), ())
    return x, tuple(np.unwrap(y)) if name.endswith("phase [rad]") else y, errors


def _draw_panel(ax, axes, lines, name):
    values = []
    for label, entries in lines:
        x, y, errors = _series(axes[0], entries, name)
        ax.errorbar(x, y, yerr=errors if any(errors) else None, marker="o", capsize=2, label=escape(label))
        values += y
    _set_scale(axes[0], ax, values)
    ax.set_xlabel(escape(axes[0].column))
    ax.set_ylabel(column_symbol(name) if name in _MAIN else escape(name))
    ax.grid(True, color="#e4e4e4", linewidth=0.6)


def draw(folder, axes, points, rows, sizes):
    """Write the figure, if there is anything to draw. The file is replaced only when the new one is complete."""
    names = choose(list(rows.values()), sizes)
    if not names:
        return None
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    lines, across = _lines(axes, points, rows), 2 if len(names) == 4 else min(len(names), 3)
    down = math.ceil(len(names) / across)
    path = Path(folder) / NAME
    part = path.with_name(f".{path.name}.{os.getpid()}")
    with style(9):
        figure, panels = pyplot.subplots(
            down, across, figsize=(4.2 * across, 3.1 * down), layout="constrained", squeeze=False
        )
        for ax in panels.flat[len(names) :]:
            ax.remove()
        for ax, name in zip(panels.flat, names):
            _draw_panel(ax, axes, lines, name)
        if len(axes) > 1:
            panels.flat[0].legend(fontsize=7)
        try:
            figure.savefig(part, format="png", dpi=150)
            part.replace(path)
        finally:
            pyplot.close(figure)
            part.unlink(missing_ok=True)
    return path
