"""The functions of knudsen.plot: one picture each, drawn into Axes of the user."""

import numpy as np

from ..errors import Error
from ..results import Run
from ..units import AXES
from . import quantities
from .build import Column, Line, make_history, make_map, make_profile
from .labels import differences
from .sources import State, is_snapshot, scales_of

_VECTORS = {"u": "speed", "q": "heat"}


def field(
    run, name="u", ax=None, *, si=False, mean=None, lines="auto", arrows=False, colorbar=True, smooth=True, **options
):
    """A map of a field on a plane.

    ``name`` is a scalar, a component, or ``u`` or ``q``: the length of a vector, with its streamlines.
    ``lines="u"`` draws streamlines over any field, ``lines=None`` none, and ``arrows=True`` draws arrows
    instead.  A flow in three dimensions is cut at ``x=``, ``y=`` or ``z=`` in L (by default at the middle of z).
    ``smooth=False`` shows the cells.  Other options go to ``imshow``, or to ``pcolormesh`` if not smooth.
    """
    place = _places(options)
    if len(run.axes) < 2:
        raise Error("a map needs two axes with more than one cell; knudsen.plot.profile draws lines")
    rest = [axis for axis in run.axes if axis not in (place or "z"[: len(run.axes) - 2])]
    if len(rest) != 2:
        raise Error(f"a map needs two axes; {' and '.join(place)} leaves {' and '.join(rest) or 'none'}")
    finished = isinstance(run, Run) and (run.folder / "summary.json").exists()
    state = State(None, run, mean, place, run.case if finished else None)
    lines = (name if name in _VECTORS else None) if lines == "auto" else lines
    panel = make_map(state, _quantity(run, name), _scales(run, si), lines, "arrows" if arrows else "lines")
    ax = _axes(ax)
    panel.draw(ax, colorbar=colorbar, smooth=smooth, **options)
    return ax


def profile(run, names="u", along=None, ax=None, *, si=False, mean=None, label=None, **options):
    """Fields along a line, as ``run.line`` finds it: ``along`` an axis, the others at ``x=``, ``y=``, ``z=`` in L.

    ``names`` is a field or a list of them; a vector stands for those of its components that are not 0.
    Other options go to ``Axes.plot``.
    """
    place = _places(options)
    shown = [_quantity(run, name) for name in _components(run, names, mean)]
    along = along or run.axes[-1:] or "x"
    scales = _scales(run, si)
    found = [
        Line(quantity, *run.line(quantity.name, along, mean, **place), scales,
             label or (quantity.symbol if len(shown) > 1 else ""))
        for quantity in shown
    ]
    return _draw_lines(make_profile(found, along, getattr(run, along + "_edges"))[0], ax, options)


def history(run, columns=None, ax=None, *, si=False, label=None, **options):
    """Columns of history.csv over time: by default D, G and flow rates, else the residual.

    Other options go to ``Axes.plot``.
    """
    table = run.history
    if columns is None:
        columns = [name for name in ("D", "G", "G_P", "G_T") if name in table] or [
            name for name in ("residual", "equation_residual") if name in table
        ]
    columns = [columns] if isinstance(columns, str) else list(columns)
    scales = _scales(run, si)
    shown = []
    for name in columns:
        table[name]  # an unknown name is an error that lists the others
        shown.append(Column(table, name, scales, label or ""))
    return _draw_lines(make_history(shown)[0], ax, options)


def compare(runs, name="u", labels=None, ax=None, *, si=False, mean=None, along=None, **options):
    """The same profile of several runs, or the same column of their histories, in one picture.

    ``runs`` is a list of runs or of snapshots such as ``run.series``, or a dict of them by label.  Labels
    are by default the keys in which the cases differ, or the times of snapshots.  Options are those of
    ``profile``, or of ``history``.
    """
    if isinstance(runs, dict):
        labels, runs = list(runs), list(runs.values())
    runs = list(runs)
    if not runs:
        raise Error("there is nothing to compare")
    labels = labels or _differences(runs)
    quantity = quantities.find(name)
    if quantity is None:
        shown = [Column(run.history, name, _scales(run, si), label) for run, label in zip(runs, labels)]
        return _draw_lines(make_history(shown)[0], ax, options)
    place = _places(options)
    along = along or runs[0].axes[-1:] or "x"
    ordered = len(runs) > 3 and all(is_snapshot(run) for run in runs)  # times, which shades can show
    found = []
    for i, (run, label) in enumerate(zip(runs, labels)):
        places, values = run.line(quantity.name, along, mean, **place)
        shade = i / (len(runs) - 1) if ordered else None
        found.append(Line(quantity, places, values, _scales(run, si), label, shade))
    return _draw_lines(make_profile(found, along, getattr(runs[0], along + "_edges"))[0], ax, options)


# -------------------------------------------------------------------------------------------------- helpers


def _axes(ax):
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise Error("pictures need matplotlib (Debian: python3-matplotlib)") from None
    return pyplot.subplots(figsize=(5.2, 3.9), layout="constrained")[1]


def _draw_lines(panel, ax, options):
    ax = _axes(ax)
    panel.draw(ax, **options)
    if panel.labels:
        ax.legend(frameon=False)
    return ax


def _places(options):
    return {axis: options.pop(axis) for axis in AXES if axis in options}


def _scales(run, si):
    if not si:
        return None
    scales = scales_of(run)
    if scales is None:
        raise Error("this case is not in SI; si=True has no units to draw in")
    return scales


def _quantity(run, name):
    if name == "Pi":
        raise Error("Pi is a tensor: one of its components, such as Pxy, can be drawn")
    found = quantities.find(name)
    if found is None:
        raise quantities.unknown(name)
    return found


def _components(run, names, mean):
    fields = run.choose(mean)
    found = []
    for name in [names] if isinstance(names, str) else names:
        parts = quantities.component_of(name)
        largest = [np.nanmax(np.abs(fields[part]), initial=0) for part in parts]
        found += [part for part, most in zip(parts, largest) if most > 1e-6 * max(largest)] or parts or [name]
    return found


def _differences(runs):
    """What distinguishes the runs: times of snapshots, keys of the case, or folders."""
    if any(is_snapshot(run) for run in runs):
        return [f"$t$ = {run.time:.3g}" for run in runs]
    if len(runs) < 2:
        return [""]
    scales = [scales_of(run) for run in runs]
    return differences([run.case for run in runs], scales) or [quantities.escape(run.folder.name) for run in runs]
