"""Shocks along x between two inflows: their position, their frame and their profiles."""

import numpy as np

from . import fit

_DEGREE = 5


def is_one(case):
    """Whether a case has a shock that may move: two different inflows along x, the only axis."""
    left, right = case["walls"]["left"], case["walls"]["right"]
    return (
        case["space"]["cells"][1] == 1
        and case["space"]["cells"][2] == 1
        and case["initial"]["shape"] == "between"
        and left["kind"] == "inflow"
        and left["density"] != right["density"]
    )


def position(case, centres, rho):
    """Where the density passes the mean of both inflows, lambda0; nan: nowhere."""
    left, right = case["walls"]["left"]["density"], case["walls"]["right"]["density"]
    sign = 1 if right > left else -1
    return _crossing(centres, sign * (rho - (left + right) / 2), 0)


def centred(case, edges, rho, values):
    """Values with the shock moved to the middle of the box, constant beyond the outermost centres."""
    centres = (edges[:-1] + edges[1:]) / 2
    at = position(case, centres, rho)
    return values if np.isnan(at) else np.interp(centres + at - edges[-1] / 2, centres, values)


def _crossing(x, values, level):
    """Where values first rise through a level, linear between points; nan: nowhere."""
    found = np.flatnonzero((values[:-1] < level) & (values[1:] >= level))
    if len(found) == 0:
        return np.nan
    i = found[0]
    return x[i] + (x[i + 1] - x[i]) * (level - values[i]) / (values[i + 1] - values[i])


def _rise(recording, get, name):
    """A field along x as a fraction of its rise from the left end to the right end."""
    values = get(name)[0, 0]
    ends = _inflows(recording.case, name)
    if ends is None:
        some = len(values) // 20 + 1
        ends = values[:some].mean(), values[-some:].mean()
    with np.errstate(divide="ignore", invalid="ignore"):
        return (values - ends[0]) / (ends[1] - ends[0])


def _inflows(case, name):
    keys = {"rho": ("density", None), "theta": ("temperature", None)}
    keys |= {f"u{axis}": ("velocity", i) for i, axis in enumerate("xyz")}
    if not is_one(case) or name not in keys:
        return None
    key, component = keys[name]
    ends = [case["walls"][side][key] for side in ("left", "right")]
    return ends if component is None else [end[component] for end in ends]


def thickness(recording, get, name):
    """The largest slope of a polynomial of degree 5 through the cells between 0.2 and 0.8 of the rise.

    The largest difference of neighbours would add noise to the maximum.  On a tanh the error is below 5e-4.
    """
    x, values = recording.centres[0], _rise(recording, get, name)
    first, last = _crossing(x, values, 0.2), _crossing(x, values, 0.8)
    half = (last - first) / 2
    z = (x - first) / half - 1
    inside = np.abs(z) <= 1
    if np.count_nonzero(inside) <= _DEGREE + 1:
        return np.nan
    found = fit.solve(np.vander(z[inside], _DEGREE + 1, increasing=True), values[inside])
    if found is None:
        return np.nan
    slopes = np.polynomial.Polynomial(found).deriv()(np.linspace(-1, 1, 201))
    return slopes.max() / half


def lead(recording, get, name):
    x = recording.centres[0]
    return _crossing(x, _rise(recording, get, "rho"), 0.5) - _crossing(x, _rise(recording, get, name), 0.5)


def profile(recording, get, name, distance):
    x = recording.centres[0]
    at = _crossing(x, _rise(recording, get, "rho"), 0.5) + distance
    return np.interp(at, x, _rise(recording, get, name)) if x[0] <= at <= x[-1] else np.nan
