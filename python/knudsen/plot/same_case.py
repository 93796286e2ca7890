"""Whether two cases describe the same flow, whatever their cells, nodes, steps and files."""

import math

_SLOW = 0.05  # disturbances up to it act as those of the linearised equation
_BOLTZMANN = ("monte-carlo", "operator")
_SIDES = (("left", "right"), ("bottom", "top"), ("back", "front"))


def is_same(a, b):
    """Gas, equation, box, walls, sources and initial state: all but the rarefaction."""
    try:
        return _same_gas(a, b) and _same_box(a, b) and _same_beginning(a, b)
    except (KeyError, TypeError, IndexError, AttributeError):  # a case of another version
        return False


def is_as_rare(a, b):
    """Delta; the last thousandth, which pressure and length may leave, does not count."""
    one, other = a["gas"]["delta"], b["gas"]["delta"]
    return abs(one - other) <= 1e-3 * max(one, other)


def _near(a, b):
    """Numbers that differ by round-off; lists and groups entry by entry; words."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_near(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(_near, a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-7)
    return a == b


def _prandtl(case):
    method = case["collision"]["method"]
    return 1 if method == "bgk" else case["collision"]["prandtl"]


def _same_gas(a, b):
    """Sampled collisions and the operator solve the same equation.  Models know only the exponent of the viscosity,
    and that only if the temperature changes much."""
    slow = max(a["disturbance"], b["disturbance"]) <= _SLOW
    methods = a["collision"]["method"], b["collision"]["method"]
    same_exponent = _near(a["gas"]["omega"], b["gas"]["omega"])
    if not slow and not _near(a["disturbance"], b["disturbance"]):
        return False
    if all(method in _BOLTZMANN for method in methods):
        return a["gas"]["molecules"] == b["gas"]["molecules"] and same_exponent
    return methods[0] == methods[1] and _near(_prandtl(a), _prandtl(b)) and (slow or same_exponent)


def _same_box(a, b):
    for i, sides in enumerate(_SIDES):
        used = a["space"]["cells"][i] > 1
        if used != (b["space"]["cells"][i] > 1):
            return False
        if used and not _near(a["space"]["size"][i], b["space"]["size"][i]):
            return False
        if not all(_near(a["walls"][side], b["walls"][side]) for side in sides):
            return False
    return _near(a["source"], b["source"])


def _same_beginning(a, b):
    one, other = a["initial"], b["initial"]
    return one["shape"] == other["shape"] and (one["shape"] == "rest" or _near(one, other))
