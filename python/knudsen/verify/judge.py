"""Judges measured values: errors, tolerance and verdict of every check."""

import math
import sys
from dataclasses import dataclass

from ..errors import Error
from .measure import NUMERICAL, take
from .quantity import parse
from .reference import Row
from .trial import RUNS

_ROACHE, _ORDER_OF_STEPS, _ROUNDING, _SIGMAS, _COARSE = 3, 2, 1e-5, 3, 0.1


@dataclass
class Result:
    """One check."""

    name: str  # of the case
    reference: Row
    value: float = math.nan
    space: float = 0.0
    velocity: float = 0.0
    unsteady: float = 0.0
    rounding: float = 0.0
    statistical: float = 0.0
    deviation: float = math.nan
    tolerance: float = 0.0
    passed: bool = False
    open: bool = False  # it passes, but would pass with almost any value
    seconds: float = 0.0  # of the runs, which it shares with other checks
    backend: str = "no machine"

    @property
    def verdict(self):
        return "open" if self.open else "pass" if self.passed else "fail"

    @property
    def allowed(self):
        bar = self.reference.bar
        return self.tolerance if math.isnan(bar) else min(self.tolerance, bar)


def measure(name, row, recordings):
    """The result of a row; without recordings, of runs that diverged."""
    result = Result(name, row)
    try:
        measured = [take(recording, row.quantity, which == RUNS[0]) for which, recording in recordings.items()]
    except Error as error:
        if error.code == NUMERICAL:
            return result
        raise
    if not measured:
        return result
    base, coarse, slow = measured
    runs = list(recordings.values())
    order = min(runs[0].case["space"]["order"], _ORDER_OF_STEPS)
    result.seconds = sum(recording.seconds for recording in runs)
    result.backend, result.value = runs[0].backend, base.value
    result.space = _ROACHE / (2**order - 1) * abs(_difference(base.value, coarse.value, row))
    result.velocity = _ROACHE * abs(_difference(base.value, slow.value, row))
    result.unsteady, result.statistical = base.unsteady, base.statistical
    result.rounding = _ROUNDING * abs(base.value)
    result.deviation = _difference(base.value, row.value, row)
    return result


def _difference(a, b, row):
    return math.remainder(a - b, 2 * math.pi) if parse(row.quantity).is_phase else a - b


def judge(results):
    """Share errors among the results of one group of runs, and judge each."""
    _share_errors(results)
    for result in results:
        row = result.reference
        own = result.space + result.velocity + result.unsteady + result.rounding
        result.tolerance = row.uncertainty + own + _SIGMAS * result.statistical
        deviation = abs(result.deviation)
        result.passed = deviation <= result.tolerance and not deviation > row.bar
        fine = result.tolerance <= _COARSE * _size(results, result)
        result.open = result.passed and math.isnan(row.bar) and not fine


def _is_profile(a, b):
    """Points of one profile: the same field and kind, at another place."""
    p, q = parse(a.reference.quantity), parse(b.reference.quantity)
    return bool(p.at and q.at) and (p.field, p.kind, p.time) == (q.field, q.kind, q.time)


def _is_oscillation(a, b):
    """Amplitude and phase of one signal."""
    p, q = parse(a.reference.quantity), parse(b.reference.quantity)
    return {p.kind, q.kind} == {"amplitude", "phase"} and (p.field, p.column, p.at) == (q.field, q.column, q.at)


def _scale(result):
    return 1 if parse(result.reference.quantity).is_phase else abs(result.value)


def _share(to, source, ratio):
    to.space = max(to.space, ratio * source.space)
    to.velocity = max(to.velocity, ratio * source.velocity)


def _share_errors(results):
    """Profiles on two grids cross, and their difference at a crossing is no error: the points of a profile share the
    largest of their errors.  Amplitude and phase are one complex number and share errors relative to its size; they
    come first, so that the order of the rows has no effect.
    """
    for a in results:
        for b in results:
            if _is_oscillation(a, b):
                _share(a, b, _scale(a) / max(_scale(b), sys.float_info.min))
    for a in results:
        for b in results:
            if _is_profile(a, b):
                _share(a, b, 1)


def _size(results, result):
    """The size of the compared values: for a profile the largest."""
    if parse(result.reference.quantity).is_phase:
        return 1
    values = [abs(other.reference.value) for other in results if _is_profile(result, other)]
    return max([abs(result.reference.value), *values])
