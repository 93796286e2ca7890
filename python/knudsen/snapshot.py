"""The gas at one time, as fields.h5 and the files of its series hold it; docs/format.md."""

from pathlib import Path

import h5py
import numpy as np

from .checks import DAMAGE, check_file, damaged, require_regular
from .errors import Error
from .fields import Fields, Grid, Moment, Parts, read, text
from .record import Record, numbers
from .units import axis_unit

_DIGITS = 14  # decimals of a coordinate in L


class Snapshot(Grid):
    """The gas at one time: ``fields``, ``mean``, ``time``, ``step``, axes in L, ``si``.

    ``mean`` is None where no averages were taken, ``si`` where the case is not in SI.
    """

    def __init__(self, path, squeeze=True, scratch=None):
        self._path, self._squeeze, self._opened = Path(path), squeeze, None
        self._scratch = scratch  # a temporary folder lives as long as somebody may read from it

    @property
    def _file(self):
        # Files are replaced as a whole: an open file does not change during the run.
        if self._opened is None:
            self._opened = _open_file(self._path)
        return self._opened

    @property
    def keeps_axes(self):
        """Whether arrays also have the axes with a single cell."""
        return not self._squeeze

    def _fields(self, si=False):
        return Fields(self._file, self._squeeze, si)

    @property
    def fields(self):
        return self._fields()

    def _part(self, name, si=False):
        return Parts(self._file[name], self._squeeze, si) if name in self._file else None

    @property
    def amplitude(self):
        """Of a run with time.mode: frequency: fields are amplitude cos(frequency t + phase); else None."""
        return self._part("amplitude")

    @property
    def phase(self):
        """In radian, as ``amplitude``."""
        return self._part("phase")

    @property
    def frequency(self):
        """Angular frequency of such a run in V0 / lambda0; None for other runs."""
        return float(self._file["amplitude"].attrs["frequency"]) if "amplitude" in self._file else None

    def _mean(self, si=False):
        return Fields(self._file["mean"], self._squeeze, si) if "mean" in self._file else None

    @property
    def mean(self):
        return self._mean()

    @property
    def si(self):
        return SI(self) if "si" in self._file else None

    @property
    def time(self):
        """In lambda0 / V0."""
        return float(self._file.attrs["time"])

    @property
    def step(self):
        return int(self._file.attrs["step"])

    @property
    def delta(self):
        """L / lambda0."""
        return float(self._file.attrs["delta"])

    @property
    def disturbance(self):
        """eps; 0 is the linearised equation."""
        return float(self._file.attrs["disturbance"])

    def _edges(self, axis):
        # The file has lambda0 as its unit.  Digits that are round-off go, so that the same cells have the same
        # coordinates in every run, whatever its delta.
        return np.round(read(self._file["grid"][axis]) / self.delta, _DIGITS)

    def unit(self, name):
        """The unit of a field, of an axis or of the time, as text.

        >>> run.unit("u"), run.unit("x"), run.unit("time")
        ('V0 eps', 'L', 'lambda0 / V0')
        """
        return axis_unit(name) or self.fields.unit(name)

    def close(self):
        """Close the file; the next access opens it again."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<snapshot of {self._path.parent} at t = {self.time:g}>"


class Instant(Snapshot):
    """The gas of an oscillation at one of its phases, in radian."""

    def __init__(self, run, angle):
        super().__init__(run._path, run._squeeze)
        self._run, self._angle = run, angle

    @property
    def _file(self):
        return self._run._file

    def _fields(self, si=False):
        return Moment(self._file, self._squeeze, si, self._angle)

    @property
    def time(self):
        return self._angle / self._run.frequency

    def close(self):
        """The file is that of the run."""


class Part(Instant):
    """Amplitudes or phases as the fields of a snapshot, for pictures."""

    def __init__(self, run, name):
        super().__init__(run, 0.0)
        self.name = name

    def _fields(self, si=False):
        return self._part(self.name, si)


class SI(Grid):
    """A snapshot in SI: ``fields``, ``mean``, axes in m, ``time`` in s, and ``scales``.

    ``fields["rho"]`` is the number density in m-3, ``fields["theta"]`` the temperature in K; Pi and p
    are deviations from the pressure ``scales.pressure``.

    >>> run.si.scales.length                # lambda0, m
    >>> run.si.fields["u"]                  # m/s
    """

    def __init__(self, snapshot):
        self._snapshot = snapshot
        attributes = snapshot._file["si"].attrs
        self.species = text(attributes["species"])
        self.scales = Record({name: float(attributes[name]) for name in attributes if name != "species"})

    @property
    def keeps_axes(self):
        return self._snapshot.keeps_axes

    @property
    def fields(self):
        return self._snapshot._fields(si=True)

    @property
    def amplitude(self):
        return self._snapshot._part("amplitude", si=True)

    @property
    def phase(self):
        return self._snapshot.phase

    @property
    def frequency(self):
        """Angular, in 1/s."""
        own = self._snapshot.frequency
        return own and own / self.scales.time

    @property
    def mean(self):
        return self._snapshot._mean(si=True)

    @property
    def time(self):
        return self._snapshot.time * self.scales.time

    @property
    def quantities(self):
        """What came out, in SI; see ``Run.quantities``."""
        if not hasattr(type(self._snapshot), "summary"):
            raise Error("quantities belong to a run, not to one of its snapshots")
        return numbers(self._snapshot.summary["quantities_si"])

    def _edges(self, axis):
        box = float(np.format_float_scientific(self.scales.box, precision=_DIGITS - 2))
        return box * self._snapshot._edges(axis)

    def unit(self, name):
        """The SI unit of a field, an axis (m) or the time (s)."""
        if name == "time":
            return "s"
        if name in ("x", "y", "z"):
            return text(self._snapshot._file["grid"][name].attrs["si_unit"])
        return self.fields.unit(name)

    def __repr__(self):
        s = self.scales
        gas = f"{self.species}, " if self.species else ""
        return f"<SI: {gas}{s.temperature:g} K, {s.pressure:g} Pa, L = {s.box:g} m>"


def _open_file(path):
    if not path.exists():
        latest = path.name == "fields.h5"
        hint = "the run has not written it yet, or has failed" if latest else "was it removed?"
        raise Error(f"there is no {path}: {hint}")
    require_regular(path)
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise Error(f"cannot read '{path}': {error}", DAMAGE) from None
    try:
        check_file(file, path)
    except Error:
        file.close()
        raise
    except Exception as error:  # h5py has many exceptions for types and names that it does not know
        file.close()
        raise damaged(path, error) from None
    return file
