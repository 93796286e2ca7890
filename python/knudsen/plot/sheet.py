"""The panels of a picture of knudsen plot, and the line above them."""

import numpy as np

from ..checks import DAMAGE
from ..errors import Error
from . import quantities
from .amplitudes import amplitudes
from .build import (
    Column,
    Line,
    add_history_references,
    add_profile_references,
    flow_in,
    make_history,
    make_map,
    make_profile,
)

_SMALL = 0.02  # of the largest deviation: less is not drawn unless asked for
_NOTHING = 1e-4  # of the other component: symmetry and round-off
_MOST = 12
_HEADLINES = ("D", "G", "G_P", "G_T")


def compose(scene):
    """The panels of a scene."""
    panels = list(_panels(scene))
    if len(panels) > _MOST:
        raise Error(f"a picture has at most {_MOST} panels: ask for fewer quantities")
    for before, panel in zip(panels, panels[1:]):
        panel.repeats = bool(panel.labels) and panel.labels == before.labels
    return panels


def _panels(scene):
    if scene.kind == "history":
        yield from _histories(scene)
        return
    first = scene.states[0]
    if scene.shows_amplitudes:
        yield from amplitudes(scene)
        return
    plane = len(scene.states) == 1 and len(first.axes) == 2
    asked = scene.fields or scene.columns
    if scene.kind == "map" or (scene.kind == "sheet" and plane):
        for quantity in scene.fields or ([] if asked else [_headline(scene)]):
            yield make_map(first, quantity, scene.si(first.source), flow_in(quantity), scene.flow)
        if scene.kind == "sheet" and not asked:
            yield from _profiles(scene, [])
            yield from _drawn(scene, _columns(scene.sources[0])[:1])
    elif scene.fields or not asked:
        yield from _profiles(scene, scene.fields)
    if scene.columns:
        yield from _histories(scene)


# ------------------------------------------------------------------------------------------------- profiles


def _largest(scene, name):
    return max(state.largest(name) for state in scene.states)


def _moves(scene):
    """Whether the motion of the gas is worth showing, or only its temperature."""
    return _largest(scene, "speed") > 0.2 * _largest(scene, "theta")


def _headline(scene):
    return quantities.TABLE["speed" if _moves(scene) else "theta"]


def _profiles(scene, asked):
    """Along each axis that the cut leaves; in a plane the velocity across a midline says most."""
    first = scene.states[0]
    if len(first.axes) == 1:
        yield from _grouped(scene, asked or _visible(scene), first.axes)
        return
    moving = asked or _moves(scene)
    for along, other in ((first.axes[1], first.axes[0]), (first.axes[0], first.axes[1])):
        if len(first.fixed) == 1 and along in first.fixed:
            continue
        yield from _grouped(scene, asked or [_across(scene, along, other) if moving else quantities.TABLE["theta"]], along)


def _across(scene, along, other):
    """The velocity across a midline, or along it if symmetry makes the former zero."""
    across, onwards = (
        max(float(np.nanmax(np.abs(state.line(name, along)[1]), initial=0)) for state in scene.states)
        for name in (f"u{other}", f"u{along}")
    )
    return quantities.TABLE[f"u{other if across > _NOTHING * onwards else along}"]


def _visible(scene):
    names = ("ux", "uy", "uz", "rho", "theta")
    sizes = {name: _largest(scene, name) for name in names}
    most = max(sizes.values())
    chosen = [name for name in names if sizes[name] > _SMALL * most]
    return [quantities.TABLE[name] for name in chosen or ["uy"]]


def _grouped(scene, shown, along):
    """Quantities of one dimension share a panel if there is one state."""
    groups = []
    for quantity in shown:
        if groups and _may_share(scene, groups[-1][-1], quantity):
            groups[-1].append(quantity)
        else:
            groups.append([quantity])
    for group in groups:
        yield _profile(scene, group, along)


def _may_share(scene, a, b):
    bare = not scene.in_si and (a.dimension, b.dimension) == ("density", "temperature")
    return len(scene.states) == 1 and (a.dimension == b.dimension or bare)


def _profile(scene, group, along):
    first, lines = scene.states[0], []
    for quantity in group:
        for i, state in enumerate(scene.states):
            label, shade = _state_label(scene, state, quantity, group), None
            if len(scene.sources) == 1 and len(scene.states) > 1:
                shade = i / (len(scene.states) - 1)
            lines.append(Line(quantity, *state.line(quantity.name, along), scene.si(state.source), label, shade))
    largest = max(first.largest(quantity.name) for quantity in group) if first.peers else None
    panel, by, length = make_profile(lines, along, getattr(first.at, along + "_edges"), largest)
    if len(scene.sources) == 1 and len(scene.states) > 1:
        panel.key = _time_scale(scene).axis("$t$")
    for other in first.axes.replace(along, ""):
        place = first.place(other)
        panel.what += f" at {other} = {place:.3g} L"
        panel.note = f"at ${other}$ = {length(place):.3g} {length.unit}"
    for quantity in group:
        add_profile_references(panel, scene, quantity, along, by, length)
    return panel


def _time_scale(scene):
    return quantities.scale("time", scene.si(scene.sources[0]), scene.states[-1].time)


def _state_label(scene, state, quantity, group):
    if len(group) > 1:
        plain = quantity.dimension == "velocity" or scene.in_si or all(q.words == group[0].words for q in group)
        return quantity.symbol if plain else quantity.words
    if len(scene.sources) > 1:
        return state.source.label
    return f"{_time_scale(scene)(state.time):.4g}" if len(scene.states) > 1 else ""


# -------------------------------------------------------------------------------------------------- history


def _size(source, column):
    values = source.history[column]
    finite = values[np.isfinite(values)]
    return float(np.abs(finite).max()) if len(finite) else 0.0


def _columns(source):
    """Drag and flow rates, else the largest flux through a wall."""
    if source.history is None:
        return []
    chosen = [name for name in _HEADLINES if name in source.history]
    if chosen:
        return chosen
    fluxes = [name for name in source.history if ".stress_" in name or name.endswith(".heat_flux")]
    sizes = {name: _size(source, name) for name in fluxes}
    most = max(sizes, key=sizes.get, default=None)
    return [most] if most and sizes[most] > 0 else []


def _drawn(scene, names):
    """A history for each column that has values to draw."""
    return filter(None, (_history(scene, [name]) for name in names))


def _nothing(source):
    return Error(f"history.csv in '{source.folder}' is damaged, or too short to draw", DAMAGE)


def _history(scene, names):
    """The panel of some columns; None if there is nothing to draw."""
    several = len(scene.sources) > 1
    columns = [
        Column(source.history, name, scene.si(source), source.label if several else "")
        for name in names
        for source in scene.sources
        if source.history is not None
    ]
    panel, by, time = make_history(columns)
    if not any(len(curve.x) for curve in panel.curves):
        return None
    for name in names:
        add_history_references(panel, scene, name, by, time)
    return panel


def _histories(scene):
    source = scene.sources[0]
    if scene.columns or scene.fields:
        panels = list(_drawn(scene, scene.columns))
        if len(panels) < len(scene.columns):
            raise _nothing(source)
        yield from panels
        return
    names = _columns(source)
    if not names and source.has_fields and not source.axes:
        yield from _relaxation(scene)
        return
    for name in ("residual", "equation_residual"):
        if name in source.history and _size(source, name) > 0:
            names = [*names, name]
    panels = list(_drawn(scene, names))
    if not panels:
        raise _nothing(source)
    yield from panels


def _relaxation(scene):
    """A uniform gas: the averages of its fields that are not 0."""
    source = scene.sources[0]
    sizes = {name: _size(source, name) for name in source.history if name.startswith("average.")}
    most = max(sizes.values(), default=0)
    names = [name for name, size in sizes.items() if size > 1e-3 * most]
    several = len(scene.sources) > 1 or scene.in_si
    panels = list(_drawn(scene, names[:_MOST])) if several else [_history(scene, names)] if names else []
    if not any(panels):
        raise _nothing(source)
    yield from panels


# ---------------------------------------------------------------------------------------------------- title


def title(scene):
    """Gas and rarefaction, the time if all panels are at one, and the numbers of the flow."""
    return list(_title(scene))


def _title(scene):
    source, alone = scene.sources[0], len(scene.sources) == 1
    si = scene.si(source)
    state = scene.states[0] if len(scene.states) == 1 else None
    if si and alone:
        if source.species:
            yield quantities.escape(source.species)
        yield f"$T_0$ = {quantities.with_unit(si['temperature'], 'K')}"
        yield f"$p_0$ = {quantities.with_unit(si['pressure'], 'Pa')}"
        yield f"$L$ = {quantities.with_unit(si['box'], 'm')}"
    deltas = [entry.delta for entry in scene.sources]
    if np.isfinite(deltas[0]) and np.allclose(deltas, deltas[0], rtol=1e-9, atol=0):
        yield rf"$\delta$ = {deltas[0]:.4g}"
    if scene.shows_amplitudes or (alone and source.oscillates and not state):
        yield _frequency(source, si)
    elif state and is_mean(state):
        yield "time average"
    elif state and alone and not source.iterates:
        yield f"$t$ = {time_text(scene, state)}" if si else rf"$t$ = {state.time:.4g} $\lambda_0/V_0$"
    for axis, place in state.cut.items() if state else ():
        yield f"${axis}$ = {quantities.with_unit(place * si['box'], 'm') if si else f'{place:.4g} $L$'}"
    for name in _HEADLINES if alone and not source.oscillates else ():
        if np.isfinite(source.number(name)):
            yield f"${name}$ = {source.number(name):.4g}"


def _frequency(source, si):
    """In cycles in SI, angular otherwise."""
    angular = source.run.frequency
    if si:
        return f"$f$ = {quantities.with_unit(angular / si['time'] / (2 * np.pi), 'Hz')}"
    return rf"$\omega$ = {angular:.4g} $V_0/\lambda_0$"


def is_mean(state):
    return bool(state.mean)


def time_text(scene, state):
    si = scene.si(state.source)
    return quantities.with_unit(state.time * si["time"], "s") if si else f"{state.time:.6g}"
