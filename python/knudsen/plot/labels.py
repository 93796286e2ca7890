"""Labels of runs: the keys in which their cases differ."""

from .quantities import conversion, escape, with_unit

_SYMBOLS = {
    "gas.delta": r"$\delta$ = {}",
    "gas.pressure": "$p_0$ = {}",
    "gas.temperature": "$T_0$ = {}",
    "gas.omega": r"$\omega$ = {}",
    "gas.viscosity": r"$\mu_0$ = {}",
    "disturbance": r"$\varepsilon$ = {}",
    "space.cells": "{} cells",
    "space.length": "$L$ = {}",
    "space.order": "order {}",
    "velocity.nodes": "{} nodes",
    "collision.samples": "{} samples",
    "collision.prandtl": "Pr = {}",
    "time.step": r"$\Delta t$ = {}",
    "time.courant": "Courant number {}",
    "run.seed": "seed {}",
}
_LAST = ("time.", "output.", "run.")  # these only say how long to run, and what to write
_LATE = ("space.", "velocity.")
_SI_UNITS = {"gas.pressure": "Pa", "gas.temperature": "K", "gas.viscosity": "Pa s", "space.length": "m"}
_DIMENSIONS = {
    "velocity": ("velocity", "m/s"),
    "temperature": ("temperature", "K"),
    "end": ("time", "s"),
    "step": ("time", "s"),
    "fields": ("time", "s"),
    "frequency": ("rate", "/s"),
}
_MOST = 2  # keys in a label


def name_runs(sources):
    """One label per run: what differs in their cases, else the folders."""
    folders = [escape(source.folder[-80:]) for source in sources]
    if len(sources) < 2 or any(source.case is None for source in sources):
        return folders
    return differences([source.case for source in sources], [source.si for source in sources]) or folders


def differences(cases, scales):
    """Labels by the keys that differ, those that the user chose first; None if they are many or equal."""
    flat = [dict(_flatten(case)) for case in cases]
    keys = [key for key in flat[0] if any(other.get(key) != flat[0][key] for other in flat[1:])]
    if all(scales):  # delta and the units of lengths then follow from what was given
        keys = [key for key in keys if key != "gas.delta"]
    labels = [""] * len(cases)
    for rank in range(3):
        chosen = [key for key in keys if _rank(key) == rank]
        texts = [[_value(key, case.get(key), si) for case, si in zip(flat, scales)] for key in chosen]
        pairs = [(key, text) for key, text in zip(chosen, texts) if len(set(text)) > 1]
        if len(pairs) > _MOST:
            return None
        for key, text in pairs:
            labels = [(f"{label}, " if label else "") + _name(key, value) for label, value in zip(labels, text)]
        if pairs and len(set(labels)) == len(labels):
            return labels
    return None


def _flatten(case, before="", depth=0):
    for key, value in case.items():
        if isinstance(value, dict) and depth < 4:
            yield from _flatten(value, f"{before}{key}.", depth + 1)
        else:
            yield before + str(key), value


def _rank(key):
    return 2 if key.startswith(_LAST) else 1 if key.startswith(_LATE) else 0


def _value(key, value, si):
    if isinstance(value, list):
        values = [_value(key, entry, si) for entry in value]
        if key == "space.cells":
            while len(values) > 1 and values[-1] == "1":
                values.pop()
        if len(set(values)) == 1 and key != "walls":
            return values[0]
        return (" x " if key.startswith(("space.", "velocity.")) else ", ").join(values)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return escape(str(value)[:60])
    if si and value != 0:
        return _in_si(key, value, si)
    return f"{value:g}"


def _in_si(key, value, si):
    """Gas and length are in SI in the summary, other values in the units of the case."""
    if key in _SI_UNITS:
        return with_unit(value, _SI_UNITS[key])
    last = key.rpartition(".")[2]
    if last in _DIMENSIONS and key.startswith(("walls.", "time.", "output.")):
        dimension, unit = _DIMENSIONS[last]
        offset, factor = conversion(dimension, si)
        return with_unit(offset + factor * value, unit)
    return f"{value:g}"


def _name(key, value):
    """A value in words: "40 x 40 cells", "top velocity 1", "operator"."""
    if key in _SYMBOLS:
        return _SYMBOLS[key].format(value)
    words = escape(key.partition(".")[2] or key).replace(".", " ").replace("_", " ")
    alone = key in ("collision.method", "gas.molecules", "gas.species", "velocity.grid", "initial.shape")
    return value if alone else f"{words} {value}"
