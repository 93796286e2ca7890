"""Panels of an oscillation: amplitudes and phases of fields, as time.mode: frequency computes them."""

import numpy as np

from ..errors import Error
from ..snapshot import Part
from . import quantities
from .build import Line, make_map, make_profile
from .sources import State

_SMALL = 0.02  # of the largest amplitude: less is not drawn unless asked for
_SILENT = 1e-3  # of the largest amplitude of a field: less has no phase


def amplitudes(scene):
    """Amplitude and phase: of a plane as maps, otherwise as profiles."""
    source = scene.sources[0]
    size, angle = (State(source, Part(source.run, name), False, scene.cut) for name in ("amplitude", "phase"))
    shown = _shown(scene, size)
    if len(size.axes) == 2:
        for quantity in shown:
            panel = make_map(size, quantities.amplitude(quantity), scene.si(source))
            panel.what = f"amplitude of {quantity.name}"
            yield panel
            yield _phase_map(size, angle, quantity)
        return
    for along in size.axes:
        for dimension in dict.fromkeys(quantity.dimension for quantity in shown):
            group = [quantity for quantity in shown if quantity.dimension == dimension]
            yield _profile(scene, size, along, [(quantities.amplitude(q), size.line(q.name, along)) for q in group])
        yield _profile(scene, angle, along, [(quantities.phase(q), _phases(size, angle, q, along)) for q in shown])


def _shown(scene, size):
    """The fields that are asked for, or those that oscillate; of a plane the largest."""
    for quantity in scene.fields:
        if quantity.name not in size.at.fields:
            raise Error(f"{quantity.name} has no amplitude: its components have (or -t draws it at a time)")
    if scene.fields:
        return scene.fields
    sizes = {name: size.largest(name) for name in ("ux", "uy", "uz", "rho", "theta")}
    most = max(sizes.values())
    names = [name for name in sizes if sizes[name] > _SMALL * most]
    if len(size.axes) == 2:
        names = [max(sizes, key=sizes.get)]
    return [quantities.TABLE[name] for name in names or ["uy"]]


def _phases(size, angle, quantity, along):
    """Phases without jumps, where there is an amplitude."""
    places, values = angle.line(quantity.name, along)
    sizes = size.line(quantity.name, along)[1]
    there = sizes > _SILENT * np.max(sizes, initial=0)
    values = np.where(there, values, np.nan)
    values[there] = np.unwrap(values[there])
    return places, values


def _phase_map(size, angle, quantity):
    panel = make_map(angle, quantities.phase(quantity), None)
    sizes = size.plane(quantity.name)
    panel.values = np.where(sizes > _SILENT * np.nanmax(sizes, initial=0), panel.values, np.nan)
    panel.range, panel.cyclic, panel.what = (-np.pi, np.pi), True, f"phase of {quantity.name}"
    return panel


def _profile(scene, state, along, group):
    """One panel of quantities with their places and values."""
    si = scene.si(state.source)
    lines = [Line(q, *values, si, q.symbol if len(group) > 1 else "") for q, values in group]
    panel = make_profile(lines, along, getattr(state.at, along + "_edges"))[0]
    panel.what = f"{'phase' if state.at.name == 'phase' else 'amplitude'} along {along}"
    if len(group) > 1 and state.at.name == "phase":
        panel.y_label = "phase / rad"
    return panel
