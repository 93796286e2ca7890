"""The data of one run from which quantities are measured."""

import math
from dataclasses import dataclass, field

import numpy as np

from . import fit, shock
from .quantity import SIDES

PARTS = 8  # of the averaged time of a noisy run


def before_row(times):
    """The row of the state to which the end is compared: at a time between 9/16 and 3/4 of the end."""
    before = recent = None
    recent_time = 0.0
    for row, time in enumerate(times):
        if time >= 4 / 3 * recent_time:
            before, recent, recent_time = recent, row, time
    return before


def mode(case):
    """time.mode; a case of an earlier version has none."""
    return case.get("time", {}).get("mode", "unsteady")


def iterates(case):
    """Whether the solution is found by iterations, so that there is no time."""
    return mode(case) in ("steady", "frequency")


def frequency(case):
    """Of the first wall or body that oscillates; 0: none does."""
    surfaces = [case["walls"][side] for side in SIDES] + list(case.get("bodies", {}).values())
    return next((value for one in surfaces if (value := one["oscillation"]["frequency"]) > 0), 0.0)


def window(case, end):
    """Begin and end of the time in which an oscillation is fitted: from output.average on, or the last period."""
    average = case["output"]["average"]
    if average != "auto" and average >= 0:
        return average, end
    return max(end - 2 * math.pi / frequency(case), 0), end


@dataclass
class Recording:
    """A run.  Fields are mappings from names to arrays [nz][ny][nx].

    ``end``            planned time of the end, lambda0 / V0
    ``edges``          of the cells along x, y, z, lambda0
    ``history``        columns by name; a flux through a wall is the mean over the step before its row
    ``averaged``       number of rows in averages; 0: the run has none
    ``noisy``          collisions are sampled; ``errors`` has standard errors of columns that the run reports
    ``last`` ``mean``  fields at the end, and their averages
    ``before``         fields of the row ``before_row``, or None
    ``amplitudes``     of time.mode: frequency: fields of amplitudes and of phases
    ``fitted``         of it: amplitude and phase of columns
    ``series``         fields of rows, by number; as many as the quantities need
    """

    case: dict
    step: float
    end: float
    edges: tuple
    history: dict
    last: dict
    mean: dict = None
    before: dict = None
    averaged: int = 0
    noisy: bool = False
    errors: dict = field(default_factory=dict)
    series: dict = field(default_factory=dict)
    amplitudes: tuple = ()
    fitted: dict = field(default_factory=dict)
    backend: str = ""
    seconds: float = 0.0
    _cache: dict = field(default_factory=dict)

    @property
    def times(self):
        return self.history["time"]

    @property
    def centres(self):
        return tuple((edges[:-1] + edges[1:]) / 2 for edges in self.edges)

    def column(self, name):
        """A column of the history; None if the case has none of that name."""
        if name == "front":
            return self._front_column() if shock.is_one(self.case) else None
        return self.history.get(name)

    def row_times(self, name):
        """Times of the values of a column."""
        flux = name == "D" or name.rpartition(".")[2].startswith(("stress_", "heat", "mass_fl", "force_", "torque_"))
        return self.times - (self.step / 2 if flux else 0)

    def earlier_rows(self):
        """The number of rows up to 3/4 of the run."""
        return int(np.count_nonzero(self.times <= 0.75 * self.times[-1] * (1 + 1e-9)))

    # Fields.  A shock is moved to the middle of the box.

    def _front_column(self):
        def positions():
            found = np.full(len(self.times), np.nan)
            for row, fields in self.series.items():
                found[row] = shock.position(self.case, self.centres[0], fields["rho"][0, 0])
            return found

        return self._cached("front", positions)

    def shown(self, fields, name):
        """A field, in the frame of the shock if there is one."""
        if not shock.is_one(self.case):
            return fields[name]
        return shock.centred(self.case, self.edges[0], fields["rho"][0, 0], fields[name][0, 0])[None, None]

    def field(self, name):
        """A field averaged over time, or at the end of a run without averages."""
        if not self.averaged:
            return self.shown(self.last, name)
        if not shock.is_one(self.case):
            return self.mean[name]
        rows = range(len(self.times) - self.averaged, len(self.times))
        return self._cached(("mean", name), lambda: sum(self._row(row, name) for row in rows) / len(rows))

    def earlier_field(self, name):
        return None if self.before is None else self.shown(self.before, name)

    def _row(self, row, name):
        return self._cached((row, name), lambda: self.shown(self.series[row], name))

    def part_fields(self, name):
        """Averages of a field over consecutive parts of the averaged time of a noisy run."""

        def means():
            return [sum(self._row(row, name) for row in rows) / len(rows) for rows in self.parts()]

        return self._cached(("parts", name), means)

    def parts(self):
        """The rows of each part; parts without a row are left out."""
        if not self.noisy or not self.averaged:
            return []
        average = self.case["output"]["average"]
        start = self.end / 2 if average == "auto" else average
        parts = [[] for _ in range(PARTS)]
        for row in range(len(self.times) - self.averaged, len(self.times)):
            part = int(PARTS * (self.times[row] - start) / (self.end - start)) if self.end > start else 0
            parts[min(max(part, 0), PARTS - 1)].append(row)
        return [rows for rows in parts if rows]

    # Oscillations.

    def oscillation(self, name, earlier):
        """Cosine and sine parts of a field, fitted in the window or a quarter of its length earlier; or None."""
        if mode(self.case) == "frequency":
            amplitude, phase = (group[name] for group in self.amplitudes)
            return amplitude * np.cos(phase), -amplitude * np.sin(phase)
        if frequency(self.case) == 0:
            return None
        rows = [row for row in self._in_window(self.times, earlier) if self.times[row] != 0 and row in self.series]
        values = [self.series[row][name] for row in rows]
        found = self._fit(self.times[rows], values) if rows else None
        return None if found is None else (found[1], found[2])

    def column_oscillation(self, name, earlier):
        """The same of a column."""
        if mode(self.case) == "frequency":
            found = self.fitted.get(name)
            return found and (found["amplitude"] * np.cos(found["phase"]), -found["amplitude"] * np.sin(found["phase"]))
        times = self.row_times(name)
        rows = [row for row in self._in_window(times, earlier) if row > 0]
        found = self._fit(times[rows], self.column(name)[rows]) if rows else None
        return None if found is None else (found[1], found[2])

    def _in_window(self, times, earlier):
        if frequency(self.case) == 0:
            return []
        first, last = window(self.case, self.end)
        shift, slack = (last - first) / 4 if earlier else 0, 1e-9 * last
        return np.flatnonzero((times >= first - shift - slack) & (times <= last - shift + slack))

    def _fit(self, times, values):
        phase = frequency(self.case) * times
        return fit.solve(np.column_stack([np.ones_like(phase), np.cos(phase), np.sin(phase)]), values)

    def _cached(self, key, compute):
        if key not in self._cache:
            self._cache[key] = compute()
        return self._cache[key]
