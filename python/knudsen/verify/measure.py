"""Measures quantities in the recording of a run."""

import cmath
import math
from dataclasses import dataclass

import numpy as np

from ..errors import Error
from . import fit, shock
from .quantity import MODES, OF_SHOCK, SOUND, parse
from .recording import iterates

_ITERATIONS = 10  # error of the last iterate over its change, for changes that become smaller by a tenth per iteration
_FAR, _SOUND = (0.4, 0.7), (0.25, 0.5)  # parts of the x axis: beyond the layer at the wall, before the far end
NUMERICAL = 3  # code of an Error


@dataclass
class Measured:
    value: float
    unsteady: float = 0.0  # change since 3/4 of the run; 0 for averages and for values at a given time
    statistical: float = 0.0  # standard error


def take(recording, text, errors=True):
    """Measure a quantity; with ``errors`` also how steady and how noisy it is."""
    q = parse(text)
    if q.column and recording.column(q.column) is None:
        raise Error(f"'{text}': this case has no {q.column}")
    _check_end(recording, q)
    measured = Measured(_look(recording, q))
    if errors:
        _find_errors(recording, q, measured)
    if not math.isfinite(measured.value):
        reason = "the run is too short, too coarse or of another kind"
        raise Error(f"'{text}' cannot be measured in this run: {reason}", NUMERICAL)
    if not math.isfinite(measured.unsteady + measured.statistical):
        raise Error(f"'{text}': the run is too short to estimate its error")
    return measured


def _check_end(recording, q):
    """Fields at a time are those of the end, and no averages."""
    end = recording.times[-1]
    if iterates(recording.case) and (q.at_a_time or q.kind in (*MODES, "rate")):
        raise Error(f"'{q.text}' needs steps in time (time.mode: unsteady)")
    if q.kind != "point value":
        return
    if recording.averaged:
        raise Error(f"'{q.text}': the fields of this run are averages (not without output.average)")
    if abs(end - q.time) > 1e-6 * (1 + q.time):
        raise Error(f"'{q.text}': fields are known at the end of the run only, t = {end:g}")


def _find_errors(recording, q, measured):
    history = q.oscillates or q.kind in (*MODES, *SOUND, "rate")  # never an average
    if q.at_a_time:
        return
    if iterates(recording.case):
        measured.unsteady = _ITERATIONS * recording.column("update")[-1] * abs(measured.value)
        return
    if recording.averaged and not history:
        measured.statistical = _statistical(recording, q)
        return
    change = abs(_look(recording, q, earlier=True) - measured.value)
    measured.unsteady = abs(math.remainder(change, 2 * math.pi)) if q.is_phase and math.isfinite(change) else change


def _statistical(recording, q):
    """Standard error of an average; nan: unknown."""
    if q.column in recording.errors:
        return recording.errors[q.column]
    if q.column:
        values = [recording.column(q.column)[rows].mean() for rows in recording.parts()]
    else:
        count = len(recording.parts())
        values = [_measure_field(recording, q, lambda name, i=i: recording.part_fields(name)[i]) for i in range(count)]
    if len(values) < 2:
        return math.nan if values else 0.0
    return float(np.std(values, ddof=1) / math.sqrt(len(values)))


def _look(recording, q, earlier=False):
    """The value at the end, or as seen at 3/4 of the run."""
    sign = 1 if q.oscillates else q.sign
    if q.column:
        return sign * float(_measure_column(recording, q, earlier))
    if q.oscillates:
        return float(_place_oscillation(recording, q, earlier))
    if q.kind in SOUND:
        return sign * float(_sound(recording, q, earlier))
    if q.kind in MODES:
        rows = recording.earlier_rows() if earlier else len(recording.times)
        return sign * float(_mode(recording, q, rows))
    get = recording.earlier_field if earlier else recording.field
    return sign * float(_measure_field(recording, q, get))


# Columns.


def _measure_column(recording, q, earlier):
    values = recording.column(q.column)
    rows = recording.earlier_rows() if earlier else len(values)
    if q.kind == "value":
        return _at_time(recording, q.column, q.time)
    if q.kind == "share":
        return _at_time(recording, q.column, q.time) / values[0]
    if q.kind == "rate":
        return _rate(recording.row_times(q.column)[:rows], values[:rows])
    if q.oscillates:
        parts = recording.column_oscillation(q.column, earlier)
        return math.nan if parts is None else _polar(q, *parts)
    if recording.averaged and not earlier:
        chosen = values[-recording.averaged :]
        chosen = chosen[np.isfinite(chosen)]
        return chosen.mean() if len(chosen) else math.nan
    return values[rows - 1]


def _at_time(recording, name, time):
    """Cubic interpolation between the four rows about a time."""
    times, values = recording.row_times(name), recording.column(name)
    slack = 1e-6 * (1 + time)
    after = int(np.count_nonzero(times < time - slack))
    if after == len(times):
        return math.nan
    if abs(times[after] - time) <= slack:
        return values[after]
    if len(times) < 4:
        return math.nan
    first = min(max(after - 2, 0), len(times) - 4)
    x, y = times[first : first + 4], values[first : first + 4]
    return sum(y[i] * math.prod((time - x[j]) / (x[i] - x[j]) for j in range(4) if j != i) for i in range(4))


def _rate(times, values):
    """The slope of the second half."""
    first = len(times) // 2
    if not np.isfinite(values[first:]).all():
        return math.nan
    found = fit.solve(np.column_stack([np.ones(len(times) - first), times[first:] - times[first]]), values[first:])
    return math.nan if found is None else found[1]


def _polar(q, cosine, sine):
    """Amplitude or phase of a cos(w t) + b sin(w t) = A cos(w t + phase)."""
    return math.atan2(-q.sign * sine, q.sign * cosine) if q.is_phase else math.hypot(cosine, sine)


# Fields.


def _measure_field(recording, q, get):
    if q.kind in OF_SHOCK:
        if get("rho") is None:
            return math.nan
        arguments = q.at if q.kind == "profile" else ()
        return getattr(shock, q.kind)(recording, get, q.field, *arguments)
    values = get(q.field)
    if values is None:
        return math.nan
    if q.kind == "far":
        return values[0, 0][_inside(recording, _FAR)].mean()
    if q.kind == "slip":
        return _slip(recording, q.field, values[0, 0])
    return _at_place(recording, q, values)


def _at_place(recording, q, values):
    """Linear interpolation along each axis, also beyond the outermost centres."""
    delta = recording.case["gas"]["delta"]
    for axis in range(3):
        edges, centres = recording.edges[axis], recording.centres[axis]
        x = q.at[axis] * delta if axis < len(q.at) else (edges[0] + edges[-1]) / 2
        if len(centres) == 1:
            values = values[..., 0]
            continue
        low = min(max(int(np.count_nonzero(centres <= x)) - 1, 0), len(centres) - 2)
        share = (x - centres[low]) / (centres[low + 1] - centres[low])
        values = (1 - share) * values[..., low] + share * values[..., low + 1]
    return values


def _place_oscillation(recording, q, earlier):
    parts = recording.oscillation(q.field, earlier)
    return math.nan if parts is None else _polar(q, *(_at_place(recording, q, part) for part in parts))


def _inside(recording, part):
    """Which cells have their centres in a part of the x axis."""
    edges = recording.edges[0]
    x = (recording.centres[0] - edges[0]) / (edges[-1] - edges[0])
    return (x >= part[0]) & (x <= part[1])


def _slip(recording, name, values):
    wall, at_wall = recording.case["walls"]["left"], 0
    if name == "theta":
        at_wall = wall["temperature"]
    elif name[0] == "u":
        at_wall = wall["velocity"]["xyz".index(name[1])]
    inside = _inside(recording, _FAR)
    found = fit.line(recording.centres[0][inside] - recording.edges[0][0], values[inside])
    return math.nan if found is None else (found[0] - at_wall) / found[1]


def _sound(recording, q, earlier):
    """A cos(w t - k x) exp(-alpha x) = a cos(w t) + b sin(w t): the phase is -k x."""
    parts = recording.oscillation(q.field, earlier)
    if parts is None:
        return math.nan
    inside = _inside(recording, _SOUND)
    cosine, sine = (part[0, 0][inside] for part in parts)
    values = np.log(np.hypot(cosine, sine)) if q.kind == "attenuation" else np.unwrap(np.arctan2(-sine, cosine))
    found = fit.line(recording.centres[0][inside] - recording.edges[0][0], values)
    return math.nan if found is None else -found[1]


# Waves that decay.


def _mode(recording, q, rows):
    """Rates and frequency of the initial wave in the second half of some rows."""
    wave = recording.column(f"wave.{q.field}")
    if wave is None or rows < 4:
        return math.nan
    rows -= 1  # the last row may be closer to its neighbour than the others
    values = wave[rows // 2 : rows]
    step = recording.times[1] - recording.times[0]
    if q.kind == "decay":
        found = fit.solve(np.column_stack([np.ones(len(values)), np.arange(len(values))]), np.log(np.abs(values)))
        return math.nan if found is None else -found[1] / step
    return _prony(values, step, q.kind)


def _prony(values, step, kind):
    """Values at a constant distance in time obey a recurrence whose roots are exp(-rate time).

    The distance is an eighth of the time, so that the modes differ over it.
    """
    lag = len(values) // 8
    if lag == 0 or not np.isfinite(values).all():
        return math.nan
    count = len(values) - 3 * lag
    terms = np.column_stack([values[k * lag : k * lag + count] for k in range(3)])
    found = fit.solve(terms, values[3 * lag :])
    if found is None:
        return math.nan
    roots = np.roots([1, -found[2], -found[1], -found[0]])
    real = roots[np.argmin(np.abs(roots.imag))].real
    total = found[2] - real  # sum and product of the two other roots
    other = total / 2 + cmath.sqrt(total**2 / 4 + found[1] + real * total)
    time = lag * step
    if kind == "heat":
        return -math.log(real) / time if real > 0 else math.nan
    return -math.log(abs(other)) / time if kind == "damping" else cmath.phase(other) / time
