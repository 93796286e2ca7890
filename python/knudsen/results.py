"""What a run has left in its folder; docs/format.md describes the files."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from . import tables
from .checks import DAMAGE, damaged, is_step, require_regular
from .errors import Error
from .record import Record, numbers
from .snapshot import Instant, Snapshot
from .units import AXES, history_unit

_FILES = ("fields.h5", "history.csv", "summary.json")  # a folder with none of them holds no run
_LARGEST_SUMMARY = 4 << 20  # bytes
_LARGEST_NUMBER = 1e100


def open(folder, squeeze=True):
    """The run in a folder that ``knudsen run --out FOLDER`` has written, or is still writing.

    Axes with a single cell are left out of all fields, so that those of a plane flow are [ny][nx]
    and of a flow between plates [nx].  ``squeeze=False`` keeps them: [nz][ny][nx].

    >>> run = knudsen.open("results/cavity")
    >>> with knudsen.open("results/cavity") as run:     # closes its file
    ...     print(run)
    """
    return Run(folder, squeeze)


class Series(Sequence):
    """Snapshots that ``output.fields`` has left, in order of time; empty without it.

    >>> run.series.times
    array([0. , 0.5, 1. ])
    >>> for at in run.series:
    ...     print(at.time, at.fields["theta"].max())
    >>> run.series["theta"]                 # [time][ny][nx], all of them
    """

    def __init__(self, run):
        group = run._file["series"] if "series" in run._file else {}
        names = sorted((name for name in group if is_step(group.get(name, getlink=True), name)), key=int)
        folder = run.folder / "fields"
        self._snapshots = [Snapshot(folder / f"{name}.h5", run._squeeze, run._scratch) for name in names]
        self.steps = np.array([int(name) for name in names], dtype=int)
        self._times = None

    @property
    def times(self):
        if self._times is None:
            self._times = np.array([self._closed(at, lambda: at.time) for at in self._snapshots])
        return self._times

    @staticmethod
    def _closed(at, ask):
        """Leave the file as it was: a series may be longer than the files a process may have open."""
        was_open = at._opened is not None
        try:
            return ask()
        finally:
            if not was_open:
                at.close()

    def at(self, time):
        """The snapshot nearest to a time."""
        if not self._snapshots:
            raise Error("this run has no series; output.fields sets the time between its files")
        return self._snapshots[int(np.argmin(np.abs(self.times - time)))]

    def __getitem__(self, key):
        if isinstance(key, str):
            if not self._snapshots:
                raise Error("this run has no series; output.fields sets the time between its files")
            return np.stack([self._closed(at, lambda: at.fields[key]) for at in self._snapshots])
        return self._snapshots[key]

    def to_xarray(self, names=None):
        """All snapshots as an xarray.Dataset with the dimension time; see ``Run.to_xarray``."""
        return tables.series_dataset(self, names)

    def __iter__(self):
        for at in self._snapshots:
            yield at
            at.close()

    def __len__(self):
        return len(self._snapshots)

    def __repr__(self):
        span = f", t = {self.times[0]:g} to {self.times[-1]:g}" if len(self) else ""
        return f"<series of {len(self)}{span}>"


class History(Mapping):
    """Columns of history.csv as arrays, by name: ``run.history["D"]``, ``run.history["top.stress_x"]``."""

    def __init__(self, path):
        names, self._table = _read_table(path)
        self._columns = {name: i for i, name in enumerate(names)}

    def __getitem__(self, name):
        if name not in self._columns:
            raise KeyError(f"{name}: no such column; there are {', '.join(self._columns)}")
        values = np.ascontiguousarray(self._table[:, self._columns[name]])
        return values.astype(int) if name == "step" else values

    def __iter__(self):
        return iter(self._columns)

    def __len__(self):
        return len(self._columns)

    def _ipython_key_completions_(self):
        return list(self)

    def to_pandas(self):
        """The table as a pandas.DataFrame with the step as its index."""
        return tables.history_frame(self)

    def unit(self, name):
        """The unit of a column as text; "1" where it has none."""
        return history_unit(name)

    def __repr__(self):
        return f"<history of {len(self['step'])} rows: {', '.join(self)}>"


def _read_table(path):
    try:
        require_regular(path)
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            names = file.readline().rstrip("\r\n").split(",")
            # The last row of a running program may be incomplete.
            rows = [line.rstrip("\r\n").split(",") for line in file if line.endswith("\n")]
    except FileNotFoundError:
        raise Error(f"there is no {path}", DAMAGE) from None
    clean = all(name.isprintable() and "\ufffd" not in name for name in names)
    if not clean or "step" not in names or "time" not in names:
        raise Error(f"'{path}' is damaged or no history of Knudsen: it needs the columns step and time", DAMAGE)
    table = np.array([row for row in map(_numbers, rows) if len(row) == len(names)]).reshape(-1, len(names))
    return names, table


def _numbers(row):
    try:
        return [float(entry) for entry in row]
    except ValueError:  # damage of one row
        return []


def _read_json(path):
    """An object with finite numbers only: all others are null in the files of the program."""
    require_regular(path)
    if path.stat().st_size > _LARGEST_SUMMARY:
        raise ValueError(f"it is larger than {_LARGEST_SUMMARY >> 20} MiB")
    readers = {"parse_int": _json_number(int), "parse_float": _json_number(float)}
    found = json.loads(path.read_text(), object_hook=Record, parse_constant=_json_number(float), **readers)
    if not isinstance(found, dict):
        raise ValueError("it is no summary of Knudsen")
    return found


def _json_number(kind):
    def read(text):
        if abs(float(text)) < _LARGEST_NUMBER:
            return kind(text)
        raise ValueError(f"the number {text[:20]} is out of range")

    return read


class Run(Snapshot):
    """A run: its latest fields (see ``Snapshot``), and what it has told on the way.

    ``fields`` ``mean``     the gas at ``time``, and its averages or None
    ``amplitude`` ``phase`` ``frequency`` ``period(n)``  of a run with time.mode: frequency, else None
    ``series``              the gas at the times that ``output.fields`` asked for
    ``x`` ``x_edges`` ...   centres and edges of the cells in L
    ``history``             columns of history.csv
    ``quantities`` ``errors``  what came out: D, G, G_P, G_T, walls
    ``surfaces``            results at every face of walls, bodies and ports
    ``summary`` ``case``    summary.json, and the whole case in it
    ``notes`` ``quality``   what the validity checks have found, and the verdict
    ``si``                  all of it in SI, or None
    ``to_xarray()`` ``to_pandas()``  fields as objects of these libraries; ``series`` and ``history`` have them too
    """

    def __init__(self, folder, squeeze=True, scratch=None):
        self.folder = Path(folder)
        if not self.folder.exists():
            raise Error(f"there is no folder {self.folder}")
        if not self.folder.is_dir():
            raise Error(f"{self.folder} is a file; the folder of a run is needed")
        if not any((self.folder / name).exists() for name in _FILES):
            raise Error(f"{self.folder} holds no run: there is none of {', '.join(_FILES)}")
        super().__init__(self.folder / "fields.h5", squeeze, scratch)
        self._summary = self._history = self._series = None

    def period(self, count):
        """Snapshots at equal distances over a period of a run with time.mode: frequency, from time 0 on.

        >>> for at in run.period(12):
        ...     print(at.time, at.fields["uy"].max())
        """
        if self.frequency is None:
            raise Error("this run has no amplitudes; time.mode: frequency computes them")
        return [Instant(self, 2 * np.pi * i / count) for i in range(count)]

    @property
    def summary(self):
        """summary.json; it is written when the run ends."""
        if self._summary is None:
            path = self.folder / "summary.json"
            try:
                self._summary = _read_json(path)
            except FileNotFoundError:
                raise Error(f"there is no {path}: the run has not ended, or has failed", DAMAGE) from None
            except (ValueError, RecursionError) as error:
                raise damaged(path, error) from None
        return self._summary

    @property
    def finished(self):
        """Whether the run has ended, and was not stopped by a signal or by run.walltime."""
        exists = (self.folder / "summary.json").exists()
        return exists and self.summary["outcome"] not in ("interrupted", "walltime")

    @property
    def case(self):
        """Every key of the case as it was run: ``run.case.gas.delta``, ``run.case["walls"]["top"]``."""
        return self.summary["case"]

    @property
    def quantities(self):
        """What came out: averages over time where there are any, else the last values.

        >>> run.quantities.D, run.quantities.walls.top.shear, run.quantities["walls"]["top"]["stress"]
        """
        return numbers(self.summary["quantities"])

    @property
    def surfaces(self):
        """Results at the faces of each wall, body and port by its name: arrays ``centre`` [faces][3], ``normal``
        [faces][3] (out of the gas), ``area``, ``side`` (-1: a facet of a smooth body), ``force`` [faces][3] (per area,
        on the surface), ``heat_flux`` and ``mass_flux`` (into it).

        >>> bar = run.surfaces["bar"]
        >>> (bar["area"] * bar["heat_flux"]).sum()  # run.quantities["bodies"]["bar"]["heat"]
        """
        try:
            group = self._file["surfaces"] if "surfaces" in self._file else {}
            names = str(group.attrs["names"]).split() if group else []
            values = {name: group[name][...] for name in group if name != "surface"}
            number = group["surface"][...] if group else np.zeros(0)
            places = [number == i for i in range(len(names))]
            return {
                name: {key: column[place] for key, column in values.items()}
                for name, place in zip(names, places)
                if place.any()
            }
        except Exception as error:  # of h5py, as above
            raise damaged(self._path, error) from None

    @property
    def errors(self):
        """Standard errors of ``quantities`` where collisions are sampled, else None; nan where unknown."""
        return numbers(self.summary["errors"]) if "errors" in self.summary else None

    @property
    def notes(self):
        """What the validity checks have found: a list of records with ``level``, ``code``, ``error``, ``text``."""
        return self.summary.get("notes", [])

    @property
    def quality(self):
        """How far the results can be trusted: ``verdict`` (steady, not steady, oscillating, noisy) with its
        ``sentence`` and ``remaining_change``; ``level`` of the validity checks (good, warning, forced) and ``error_estimate``."""
        return self.summary.get("quality", Record())

    @property
    def history(self):
        if self._history is None:
            self._history = History(self.folder / "history.csv")
        return self._history

    @property
    def series(self):
        if self._series is None:
            self._series = Series(self)
        return self._series

    def __repr__(self):
        if not self._path.exists():
            return f"<run {self.folder}>"
        cells = " x ".join(str(len(getattr(self, axis))) for axis in AXES)
        return f"<run {self.folder}, {cells} cells, t = {self.time:g}>"
