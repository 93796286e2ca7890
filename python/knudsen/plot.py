"""Pictures of runs with matplotlib.

Every function draws into ``ax``, or into a new figure, and returns the Axes, so that titles, limits and
``ax.figure.savefig("cavity.pdf")`` are matplotlib's own.  ``si=True`` draws cases in SI in m, m/s, K, Pa.
Where averages over time exist they are drawn; ``mean=False`` draws the moment.

>>> knudsen.plot.field(run, "u")                          # speed and streamlines
>>> knudsen.plot.field(run, "theta", lines="u")           # temperature under the streamlines
>>> knudsen.plot.profile(run, "ux", along="y", x=0.5)
>>> knudsen.plot.history(run, ["D", "G"])
>>> knudsen.plot.compare([one, other], "ux", along="y")   # the legend says in which keys they differ
"""

import re

import numpy as np

from .errors import Error
from .units import AXES, COMPONENTS, DERIVED

_LENGTHS = {"u": "speed", "q": "heat"}  # of vectors
_STREAM_CELLS = 60  # per axis, of the even grid under streamlines
_ARROWS = 16  # per axis


def field(
    run, name="u", ax=None, *, si=False, mean=None, lines="auto", arrows=False, colorbar=True, **options
):
    """A map of a field on a plane.

    ``name`` is a scalar, a component, or ``u`` or ``q``: the length of a vector, with its streamlines.
    ``lines="u"`` draws streamlines over any field, ``lines=None`` leaves them out, and ``arrows=True``
    draws arrows instead.  A flow in three dimensions is cut at ``x=``, ``y=`` or ``z=`` (by default at
    the middle of z).  Other options go to ``pcolormesh``.
    """
    view = _view(run, si)
    across, up, place = _plane(view, {axis: options.pop(axis) for axis in AXES if axis in options})
    values = view.cut(_scalar(name), mean, **place)
    lines = (name if name in _LENGTHS else None) if lines == "auto" else lines
    ax = _axes(ax)
    scale, unit = _length_unit(view, si, (across, up))
    signed = values.min() < 0 < values.max()
    if signed:
        options.setdefault("cmap", "RdBu_r")
        if not {"norm", "vmin", "vmax"} & set(options):
            options.update(vmin=-np.abs(values).max(), vmax=np.abs(values).max())
    edges = [getattr(view, axis + "_edges") / scale for axis in (across, up)]
    colours = ax.pcolormesh(*edges, values, **{"shading": "flat", "rasterized": True, **options})
    if lines:
        _flow(ax, view, lines, mean, (across, up), place, scale, arrows, "0.15" if signed else "white")
    if colorbar:
        beside = ax.inset_axes([1.03, 0, 0.045, 1])  # as high as the map, whatever its aspect
        ax.figure.colorbar(colours, cax=beside, label=_label(view, name, si))
    width, height = (edge[-1] - edge[0] for edge in edges)
    if 0.1 < width / height < 10:
        ax.set_aspect("equal")
    ax.set(xlabel=f"${across}$ ({unit})", ylabel=f"${up}$ ({unit})")
    ax.set(xlim=edges[0][[0, -1]], ylim=edges[1][[0, -1]])
    return ax


def profile(run, names="u", along=None, ax=None, *, si=False, mean=None, label=None, **options):
    """Fields along a line, as ``run.line`` finds it: ``along`` an axis, the others at ``x=``, ``y=``, ``z=``.

    ``names`` is a field or a list of them; a vector stands for those of its components that are not 0.
    Other options go to ``Axes.plot``.
    """
    view = _view(run, si)
    place = {axis: options.pop(axis) for axis in AXES if axis in options}
    along = along or view.axes[-1:] or "x"
    lines = {name: view.line(name, along, mean, **place) for name in _components(view, names, mean)}
    ax = _axes(ax)
    scale, unit = _length_unit(view, si, along)
    for name, (at, values) in lines.items():
        ax.plot(at / scale, values, label=label or _symbol(name, si), **{"linewidth": 1.5, **options})
    edges = getattr(view, along + "_edges") / scale
    ax.set(xlabel=f"${along}$ ({unit})", ylabel=_common_label(view, lines, si), xlim=(edges[0], edges[-1]))
    if len(lines) > 1 or label:
        ax.legend(frameon=False)
    return _ruled(ax)


def history(run, columns=None, ax=None, *, label=None, **options):
    """Columns of history.csv over time: by default D, G and flow rates, else the residual.

    Columns are in the units of the program.  Other options go to ``Axes.plot``.
    """
    table = run.history
    if columns is None:
        columns = [name for name in ("D", "G", "G_P", "G_T") if name in table] or ["residual"]
    columns = [columns] if isinstance(columns, str) else list(columns)
    lines = {name: table[name] for name in columns}
    ax = _axes(ax)
    for name, values in lines.items():
        ax.plot(table["time"], values, label=label or name, **{"linewidth": 1.5, **options})
    units = {table.unit(name) for name in lines}
    what = columns[0] if len(columns) == 1 else ", ".join(columns) if len(columns) < 4 else ""
    ax.set(xlabel=f"$t$ ({_math('lambda0 / V0')})")
    ax.set(ylabel=_with_unit(what, units.pop() if len(units) == 1 else "1"))
    if all(name == "residual" for name in columns):
        ax.set_yscale("log")
    if len(lines) > 1 or label:
        ax.legend(frameon=False)
    return _ruled(ax)


def compare(runs, name="u", labels=None, ax=None, **options):
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
    if name in _LENGTHS:
        name = _LENGTHS[name]
    for run, label in zip(runs, labels):
        if name in run.fields:
            ax = profile(run, name, ax=ax, label=label, **options)
        else:
            ax = history(run, name, ax=ax, label=label, **options)
    if all(_is_series(run) for run in runs) and len(runs) > 3:  # times have an order, which colours can show
        _shade(ax)
    return ax


# ---------------------------------------------------------------------------------------------------- axes


def _axes(ax):
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise Error("pictures need matplotlib (Debian: python3-matplotlib)") from None
    return pyplot.subplots(figsize=(5.2, 3.9), layout="constrained")[1]


def _ruled(ax):
    ax.grid(True, color="0.88", linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def _shade(ax):
    from matplotlib import colormaps

    lines = ax.get_lines()
    for line, share in zip(lines, np.linspace(0, 0.9, len(lines))):
        line.set_color(colormaps["viridis"](share))
    ax.legend(frameon=False)


# -------------------------------------------------------------------------------------------------- values


def _view(run, si):
    if si and run.si is None:
        raise Error("this case is not in SI; si=True has no units to draw in")
    return run.si if si else run


def _scalar(name):
    if name == "Pi":
        raise Error("Pi is a tensor: one of its components, such as Pxy, can be drawn")
    return _LENGTHS.get(name, name)


def _components(view, names, mean):
    fields = view.choose(mean)
    found = []
    for name in [names] if isinstance(names, str) else names:
        parts = [part for part, (base, _) in COMPONENTS.items() if base == name]
        largest = [np.abs(fields[part]).max() for part in parts]
        found += [part for part, most in zip(parts, largest) if most > 1e-6 * max(largest)] or parts or [name]
    return found


def _plane(view, place):
    """The two axes of a plane, and where it cuts the others."""
    used = view.axes
    if len(used) < 2:
        raise Error("a map needs two axes with more than one cell; knudsen.plot.profile draws lines")
    if len(used) == 3 and not place:
        place = {"z": 0.5 * (view.z_edges[0] + view.z_edges[-1])}
    rest = [axis for axis in used if axis not in place]
    if len(rest) != 2:
        raise Error(f"a map needs two axes; {' and '.join(place)} leaves {' and '.join(rest) or 'none'}")
    return rest[0], rest[1], place


def _flow(ax, view, name, mean, plane, place, scale, arrows, colour):
    """Streamlines or arrows; both want even grids, which those of the cells need not be."""
    x, y = (getattr(view, axis) / scale for axis in plane)
    count = _ARROWS if arrows else _STREAM_CELLS
    even = [np.linspace(axis[0], axis[-1], count) for axis in (x, y)]
    parts = []
    for axis in plane:
        values = view.cut(name + axis, mean, **place)
        rows = np.stack([np.interp(even[0], x, row) for row in values])
        parts.append(np.stack([np.interp(even[1], y, column) for column in rows.T], axis=1))
    if not np.hypot(*parts).max() > 0:
        return
    if arrows:
        ax.quiver(*even, *parts, color=colour, width=0.004, pivot="mid")
    else:
        ax.streamplot(*even, *parts, color=colour, density=1.1, linewidth=0.7, arrowsize=0.7)


# -------------------------------------------------------------------------------------------------- labels


def _is_series(run):
    return not hasattr(type(run), "case")


def _differences(runs):
    """What sets each run apart: keys of the case, or times of snapshots, or folders."""
    if any(_is_series(run) for run in runs):
        return [f"$t$ = {run.time:.3g}" for run in runs]
    cases = [dict(_flat(run.case)) for run in runs]
    keys = [key for key in cases[0] if any(case.get(key) != cases[0][key] for case in cases)]
    shaping = [key for key in keys if not key.startswith(("output.", "run.", "time."))] or keys
    if not 0 < len(shaping) <= 3:
        return [run.folder.name for run in runs]
    names = {key: _short(key, shaping) for key in shaping}
    return [", ".join(f"{name} = {_plain(case.get(key))}" for key, name in names.items()) for case in cases]


def _flat(case, before=""):
    for key, value in case.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield before + key, value


def _short(key, keys):
    last = key.rpartition(".")[2]
    return last if sum(other.rpartition(".")[2] == last for other in keys) == 1 else key


def _plain(value):
    return f"{value:g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def _symbol(name, si):
    if name in COMPONENTS:
        base = {"u": "u", "Pi": r"\Pi", "q": "q"}[COMPONENTS[name][0]]
        return f"${base}_{{{name[1:]}}}$"
    if name in DERIVED:
        return f"${DERIVED[name][2]}$"
    if name in _LENGTHS:
        return f"$|{name}|$"
    words = {"rho": "$n$" if si else r"$\rho$", "theta": "$T$" if si else r"$\theta$"}
    return words.get(name, name)


def _math(unit):
    """"V0 eps" as a formula, "W m-2" with its exponent raised."""
    if unit == "L":
        return "$L$"
    if re.search(r"[A-Za-z]0|eps", unit):
        words = ["\\varepsilon" if word == "eps" else word for word in unit.split()]
        words = sorted(words, key=lambda word: word != "\\varepsilon")  # in front
        text = " ".join(words).replace("lambda0", r"\lambda_0")
        return "$" + re.sub(r"([A-Za-z])0", r"\1_0", text) + "$"
    return re.sub(r"([A-Za-z])(-?\d+)", r"\1$^{\2}$", unit)


def _with_unit(text, unit):
    return text if unit == "1" else f"{text} ({_math(unit)})"


def _label(view, name, si):
    return _with_unit(_symbol(name, si), view.unit(name))


def _common_label(view, names, si):
    names = list(names)
    units = {view.unit(name) for name in names}
    text = ", ".join(_symbol(name, si) for name in names) if len(names) < 4 else ""
    return _with_unit(text, units.pop() if len(units) == 1 else "1").strip()


def _length_unit(view, si, axes):
    """What lengths are divided by, and the unit they then have."""
    if not si:
        return 1, "$L$"
    longest = max(np.abs(getattr(view, axis + "_edges")).max() for axis in axes)
    for scale, unit in ((1, "m"), (1e-3, "mm"), (1e-6, "µm")):
        if longest >= scale:
            return scale, unit
    return 1e-9, "nm"
