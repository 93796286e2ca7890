"""Panels made of results: a map of a plane, profiles along a line, columns of the history."""

import numpy as np

from . import quantities
from .panels import Curve, LinePanel, MapPanel, extend, fill, with_walls
from .sources import LARGEST

_COARSE = 8  # cells across that streamlines would not follow
_ROUNDING = 1e-5  # of the largest number in the plane: the state is in single precision
_ROWS = 400  # of a history
_NEAR = 1e-3  # L: a reference at this distance is on a line


# ----------------------------------------------------------------------------------------------------- maps


def flow_in(quantity):
    """The vector whose lines are drawn over a map: of the gas, or of heat."""
    if quantity.dimension == "velocity":
        return "u"
    return "q" if quantity.dimension in ("temperature", "heat flux") else None


def make_map(state, quantity, si, flow=None, how="auto"):
    """The map of a quantity; ``flow`` is the vector drawn over it, or None."""
    axes = state.axes
    edges = [getattr(state.at, axis + "_edges") for axis in axes]
    values = state.plane(quantity.name)
    by = quantities.scale(quantity.dimension, si, state.largest(quantity.name))
    length = quantities.scale("length", si, max(float(np.abs(entry).max()) for entry in edges))
    drawn = by(values)
    above, below = np.nanmax(drawn) - by.offset, by.offset - np.nanmin(drawn)
    signed = bool(quantity.signed and below > 0.05 * above)
    most = max(above, below) or 1
    panel = MapPanel(
        what=f"map of {'q' if quantity.name == 'heat' else quantity.name}",
        x_label=length.axis(f"${axes[0]}$"),
        y_label=length.axis(f"${axes[1]}$"),
        value_label=quantities.label(quantity, by),
        edges=tuple(length(entry) for entry in edges),
        values=drawn,
        signed=signed,
        range=(by.offset - most if signed else by.offset, by.offset + most),
        plates=tuple((length(np.array(x)), length(np.array(y))) for x, y in state.plates()),
        facets=state.facets().scaled(length.factor),
    )
    if flow and how != "none":
        _add_flow(panel, state, flow, how)
    return panel


def _add_flow(panel, state, flow, how):
    """A flow that is no more than round-off has no lines."""
    parts = [extend(np.nan_to_num(fill(state.plane(flow + axis)))) for axis in state.axes]
    if flow == "u":  # gas does not flow through walls
        for end, at in ((0, 0), (1, -1)):
            if state.is_wall(state.axes[0], end):
                parts[0][:, at] = 0
            if state.is_wall(state.axes[1], end):
                parts[1][at] = 0
    largest = max(state.largest(name) for name in ("rho", "speed", "theta", "heat"))
    if not np.hypot(*parts).max() > _ROUNDING * largest:
        return
    coarse = min(panel.values.shape) < _COARSE
    panel.arrows = how == "arrows" or (how == "auto" and coarse)
    panel.flow, panel.flow_nodes = tuple(parts), tuple(with_walls(edges) for edges in panel.edges)
    lines = "arrows" if panel.arrows else "streamlines" if flow == "u" else "lines"
    panel.what += f" with {lines}{'' if flow == 'u' else ' of the heat flux'}"


# ------------------------------------------------------------------------------------------------- profiles


class Line:
    """A quantity along a line through one run: ``x`` in L and ``y`` in the units of the results."""

    def __init__(self, quantity, x, y, si, label="", shade=None):
        self.quantity, self.x, self.y, self.si, self.label, self.shade = quantity, x, y, si, label, shade


def make_profile(lines, along, edges, largest=None):
    """One panel of lines that share their axes; the first, and the largest value, give the units."""
    first = lines[0]
    largest = largest or max(float(np.nanmax(np.abs(line.y), initial=0)) for line in lines)
    by = quantities.scale(first.quantity.dimension, first.si, largest)
    length = quantities.scale("length", first.si, float(np.abs(edges).max()))
    names = list(dict.fromkeys("q" if line.quantity.name == "heat" else line.quantity.name for line in lines))
    panel = LinePanel(
        what=f"profile of {', '.join(names)} along {along}",
        x_label=length.axis(f"${along}$"),
        y_label=_profile_label([line.quantity for line in lines], by),
        x_range=(length(edges[0]), length(edges[-1])),
    )
    for line in lines:
        own = quantities.rescale(by, line.quantity.dimension, first.si, line.si)
        places = quantities.rescale(length, "length", first.si, line.si)
        panel.curves.append(Curve(places(line.x), own(line.y), line.label, shade=line.shade))
    return panel, by, length


def _profile_label(shown, by):
    first = shown[0]
    if all(quantity == first for quantity in shown):
        return quantities.label(first, by)
    if len({quantity.dimension for quantity in shown}) > 1:
        return r"deviation / $\varepsilon n_0$, $\varepsilon T_0$"
    return by.axis(first.words)


def add_profile_references(panel, scene, quantity, along, by, length):
    """Points of the references on the lines of the panel."""
    chosen = [
        point
        for point in scene.references
        if any(_is_on_line(point, quantity, state, along) for state in scene.states)
    ]
    _add_points(panel, scene, [(point, length(point.at[along]), by(point.value)) for point in chosen], by)


def _is_on_line(point, quantity, state, along):
    if point.in_history or along not in point.at or (point.along and point.along != along):
        return False
    if point.quantity and point.quantity != quantity.name:
        return False
    if point.time is not None and abs(point.time - state.time) > 0.01 * point.time:
        return False
    places = {axis: state.place(axis) for axis in state.axes if axis != along} | state.cut
    return all(abs(point.at[axis] - place) < _NEAR for axis, place in places.items() if axis in point.at)


def _add_points(panel, scene, marks, by):
    """A curve per source."""
    for source in dict.fromkeys(point.source for point, _, _ in marks):
        own = [entry for entry in marks if entry[0].source == source]
        errors = np.array([abs(by.factor) * point.error for point, _, _ in own])
        error = np.nan_to_num(errors) if np.nanmax(np.append(errors, 0)) > 0 else None
        x, y = np.array([entry[1] for entry in own]), np.array([entry[2] for entry in own])
        panel.curves.append(Curve(x, y, quantities.escape(source), "points", error=error))
        scene.shown += len(own)


# -------------------------------------------------------------------------------------------------- history


class Column:
    """A column of the history of one run."""

    def __init__(self, table, name, si, label=""):
        self.table, self.name, self.si, self.label = table, name, si, label
        self.iterates = "update" in table  # as Source.iterates

    def points(self, logarithmic):
        """Times, or numbers of iterations, and values, thinned; fluxes through walls begin with the second row."""
        time, values = self.table["step" if self.iterates else "time"], self.table[self.name]
        late = self.name == "D" or ("." in self.name and not self.name.startswith("average."))
        kept = (np.abs(time) < LARGEST) & (np.abs(values) < LARGEST)
        kept[:1] &= not late
        if logarithmic:
            kept &= values > 0
        every = max(1, -(-len(values) // _ROWS))
        thinned = np.arange(len(values)) % every == 0
        thinned[-1:] = True
        return time[kept & thinned], values[kept & thinned]


def make_history(columns):
    """One panel of columns; those of the first give the units."""
    columns = [column for column in columns if column.name in column.table]
    first = columns[0]
    names = list(dict.fromkeys(column.name for column in columns))
    logarithmic = names[0] in ("residual", "equation_residual")
    points = [column.points(logarithmic) for column in columns]
    largest = max((float(np.abs(y).max()) for _, y in points if len(y)), default=0.0)
    last = max((float(x.max()) for x, _ in points if len(x)), default=1.0)
    dimension = quantities.column_dimension(first.name)
    by, time = quantities.scale(dimension, first.si, largest), quantities.scale("time", first.si, last)
    if first.iterates:
        time = quantities.Scale()
    panel = LinePanel(
        what=f"history of {', '.join(name[:80] for name in names)}",
        x_label="iteration" if first.iterates else time.axis("$t$"),
        y_label=_history_label(names, by),
        x_range=(0, time(last) or 1),
        logarithmic=logarithmic,
    )
    for column, (x, y) in zip(columns, points):
        own_dimension = quantities.column_dimension(column.name)
        own = quantities.scale(own_dimension, first.si, largest)
        own = quantities.rescale(own, own_dimension, first.si, column.si)
        when = time if first.iterates else quantities.rescale(time, "time", first.si, column.si)
        label = column.label or (quantities.column_symbol(column.name, own.si) if len(names) > 1 else "")
        panel.curves.append(Curve(when(x), own(y), label))
    return panel, by, time


def _history_label(names, by):
    if len(names) == 1:
        return by.axis(quantities.column_symbol(names[0], by.si))
    if all(name.startswith("average.") for name in names):
        return "mean over the box"
    if len({quantities.column_dimension(name) for name in names}) > 1 or not by.unit:
        return ""
    return by.axis("").strip(" /")


def add_history_references(panel, scene, column, by, time):
    """Levels, and points at times."""
    marks, table = [], scene.sources[0].history
    for point in scene.references:
        if not point.in_history or (point.quantity and point.quantity != column):
            continue
        if point.time is None:
            level = np.full(2, by(point.value))
            panel.curves.append(Curve(np.array(panel.x_range), level, quantities.escape(point.source), "level"))
            scene.shown += 1
            continue
        begin = table[column][0] if point.is_share and column in table else 1
        marks.append((point, time(point.time), by(begin * point.value)))
    _add_points(panel, scene, marks, by)


