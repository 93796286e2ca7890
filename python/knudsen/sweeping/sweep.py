"""One sweep: its points are checked and run, and their results collected in a table and a figure."""

import fcntl
import json
import os
from contextlib import contextmanager
from pathlib import Path

from ..command_line import INTERRUPTED
from ..errors import Error
from ..program import Scratch, find_program, output_of, plan, run, value_text, write_case
from ..results import Run
from ..schedule import Schedule, Stopped, processors
from . import figure, kept, points, table

_ROOM = 0.8  # of the memory that is available
_REFUSED = 2  # exit code


def sweep(case, vary, out=None, set=None, program=None, *, jobs=None, overwrite=False, progress=None):
    """Run a case for all combinations of some values, and open the results.

    case       a dict of groups and keys, or the path of a case file, as for ``knudsen.run``
    vary       the values of keys: ``{"gas.delta": [0.1, 1, 10]}``; a text has the form of the command line:
               ``{"gas.pressure": "1 kPa:100 kPa:5:log"}``.  Several keys make all combinations
    out        the folder of the results; without it a temporary one, which is removed with the returned sweep.
               Finished points in the folder are kept, and interrupted points are continued
    set        keys that replace those of the case in all points
    jobs       runs at the same time; by default one per processor, and one on a GPU, if memory allows
    overwrite  run all points again
    progress   a function that is called with each row of the table when its point has ended

    A point that fails is recorded in the table with its message, and does not stop the others.  Ctrl-C lets the
    running points write checkpoints and then raises KeyboardInterrupt; the same call continues.

    >>> found = knudsen.sweep("cases/couette/case.yaml", {"gas.delta": "0.1:10:5:log"}, out="results/couette-sweep")
    >>> found["gas.delta"], found["right.stress_y [p0 eps]"]     # columns of table.csv
    >>> found.runs[0].fields["uy"]                               # the first point as knudsen.open gives it
    >>> found.to_pandas()
    """
    axes = [points.axis(key, _texts(values)) for key, values in dict(vary).items()]
    work = Work(case, axes, out=out, set=set, program=program, overwrite=overwrite)
    work.prepare()
    work.execute(jobs or work.default_jobs(), Watch(progress))
    return Sweep(work)


def _texts(values):
    return values if isinstance(values, str) else [value_text(value).strip('"') for value in values]


class Sweep:
    """A finished sweep: columns of its table by name, and its runs."""

    def __init__(self, work):
        self.folder, self.rows, self._scratch = work.folder, work.rows(), work.scratch
        self.columns = table.head(work.axes, self.rows)
        self.runs = [None if row.get(table.MESSAGE) else Run(work.folder / row["folder"]) for row in self.rows]

    @property
    def failed(self):
        """Messages of the points that failed, by folder."""
        return {row["folder"]: row[table.MESSAGE] for row in self.rows if row.get(table.MESSAGE)}

    def __getitem__(self, name):
        """A column as a list; None where a point has no such value."""
        if name not in self.columns:
            raise KeyError(f"{name}: no such column; there are {', '.join(self.columns)}")
        return [row.get(name) for row in self.rows]

    def __len__(self):
        return len(self.rows)

    def to_pandas(self):
        """The table as a pandas.DataFrame."""
        from ..tables import load

        return load("pandas").DataFrame(self.rows, columns=self.columns)

    def __repr__(self):
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return f"<sweep {self.folder}, {len(self)} points{failed}>"


class Watch:
    """Follows a sweep: ``ended`` is called with each row, ``tick`` several times per second."""

    def __init__(self, ended=None):
        self._ended = ended

    def ended(self, row, point):
        if self._ended:
            self._ended(row)

    def event(self, point, entry):
        """An event of a run, in a thread of its own."""

    def tick(self):
        pass


class Work:
    """The points of a sweep: their checks, runs and rows of the table."""

    def __init__(self, case, axes, out=None, set=None, program=None, overwrite=False):
        self.axes, self.points, self.set = axes, points.make(axes), dict(set or {})
        for key in (key for axis in axes for key in (axis.key, *axis.others)):
            if key in self.set:
                raise Error(f"--vary {key}: the key is also set by --set")
        self.scratch = Scratch() if out is None or isinstance(case, dict) else None
        self.folder = Path(out) if out is not None else self.scratch.path / "sweep"
        self.program, self.overwrite = find_program(program), overwrite
        self.path = write_case(case, self.scratch.path) if isinstance(case, dict) else Path(case)
        self.interrupted = 0
        self._state, self._rows = {}, {}  # by folder name
        self._sizes = {}  # the largest values of columns, without units

    # Before the runs.

    def prepare(self):
        """Read the case of every point and look for earlier results. Nothing is written."""
        if self.path.exists() and not self.path.is_file() and not self.path.is_dir():
            raise Error(f"{self.path}: a sweep reads its case several times and needs a regular file")
        if not self.overwrite:
            table.check_folder(self.folder, self.axes)
        schedule = Schedule(self.points, processors(), 0.0)
        refused = []
        for point, _, error in schedule.execute(self._plan, schedule.check):
            if isinstance(error, Error):
                refused.append((point, error))
                self._rows[point.name] = table.row_of(self.axes, point, message=str(error))
            elif error:
                raise error
        if len(refused) == len(self.points):  # the case itself is wrong
            raise min(refused, key=lambda entry: self.points.index(entry[0]))[1]
        for point in self.todo():
            self._state[point.name] = kept.NEW if self.overwrite else kept.state_of(self._place(point), point.case)
        for point in list(self.todo()):
            if self._state[point.name] == kept.DONE:
                self._finish(point)

    def _plan(self, point):
        found = plan(self.path, self.set | point.settings, self.program)
        point.case, point.plan = found["case"], found["plan"]
        point.memory = point.plan["memory_bytes"] - point.plan["device_bytes"]

    def _place(self, point):
        return self.folder / point.name

    def todo(self):
        """Points that have neither results nor an error."""
        return [point for point in self.points if point.name not in self._rows]

    def message_of(self, point):
        """Why a point failed or was refused; None if it did not."""
        return self._rows.get(point.name, {}).get(table.MESSAGE)

    def default_jobs(self):
        """One run per processor, or per ``run.threads``; a GPU has one at a time."""
        todo = self.todo()
        if any(point.plan["device_bytes"] > 0 for point in todo):
            return 1
        threads = max((point.case["run"]["threads"] for point in todo), default=0)
        return max(1, min(processors() // max(threads, 1), len(todo)))

    # The runs.

    def execute(self, jobs, watch):
        """Run all points that are not finished. The table is written after each, and the figure at the end."""
        todo = sorted(self.todo(), key=lambda point: -point.cost)  # the longest first
        self.folder.mkdir(parents=True, exist_ok=True)
        with _lock(self.folder):
            self._write()
            self._assemble(todo, jobs, watch)
            room = _ROOM * min((point.plan["memory_available"] for point in todo), default=0)
            schedule = Schedule(todo, jobs, room)

            def work(point):
                self._run(point, jobs, lambda entry: (schedule.check(), watch.event(point, entry)))

            for point, _, error in schedule.execute(work, watch.tick):
                if isinstance(error, Stopped) or getattr(error, "code", 0) == INTERRUPTED:
                    self.interrupted += 1
                    continue
                if error and not isinstance(error, Error):
                    raise error
                self._finish(point, str(error) if error else None)
                self._write()
                watch.ended(self._rows[point.name], point)
            if todo or not (self.folder / figure.NAME).exists():
                figure.draw(self.folder, self.axes, self.points, self._rows, self._sizes)

    def _assemble(self, todo, jobs, watch):
        """Assemble each collision operator once: runs that start together would all assemble it."""
        seen = []
        for point in todo if jobs > 1 else ():
            gas, grid = point.case["gas"], point.case["velocity"]
            one = (grid, gas["molecules"], gas["omega"])
            if point.case["collision"]["method"] == "operator" and one not in seen:
                seen.append(one)
                watch.event(point, {"event": "assembly", "part": 0.0})
                watch.tick()
                words = [f"--set={key}={value}" for key, value in (self.set | point.settings).items()]
                output_of([self.program, "info", "operator", str(self.path), *words])

    def _run(self, point, jobs, report):
        state, place = self._state[point.name], self._place(point)
        settings = self.set | point.settings
        if jobs > 1 and point.case["run"]["threads"] == 0:
            settings["run.threads"] = max(1, processors() // jobs)
        start = self._start_of(point) if state != kept.CONTINUED else None
        how = {"resume": True} if state == kept.CONTINUED else {"overwrite": True}
        how |= {"out": place, "program": self.program, "progress": report}
        if start:
            try:
                run(self.path, set=settings | {"initial.from": json.dumps(str(start))}, **how)
                return
            except Error as error:
                if error.code != _REFUSED:  # the reference of the other run may differ
                    raise
        run(self.path, set=settings, **how)

    def _start_of(self, point):
        """The folder of the nearest finished point on the same cells and nodes, for an oscillation, or a steady
        state at a finite disturbance: it needs fewer iterations from there, and does not diverge as easily.  Linear
        steady states gain too little for results that would depend on the order of the points.
        """

        def kind(of):
            return of.case["time"]["mode"], of.case["disturbance"] > 0

        if kind(point) not in (("frequency", False), ("steady", True)) or "initial.from" in self.set | point.settings:
            return None

        def is_alike(other):
            there = other.name in self._rows and not self.message_of(other)
            same = there and kind(other) == kind(point)
            return same and all(other.case[key] == point.case[key] for key in ("space", "velocity"))

        def distance(other):
            return sum(abs(i - j) for i, j in zip(point.indices, other.indices))

        found = min(filter(is_alike, self.points), key=distance, default=None)
        return found and self._place(found).resolve()

    def _finish(self, point, message=None):
        summary = None if message else Run(self._place(point)).summary
        for name, size in table.sizes(summary).items() if summary else ():
            self._sizes[name] = max(size, self._sizes.get(name, 0))
        self._rows[point.name] = table.row_of(self.axes, point, summary, message)

    def rows(self):
        return [self._rows[point.name] for point in self.points if point.name in self._rows]

    def _write(self):
        table.write(self.folder / table.NAME, self.axes, self.rows())


@contextmanager
def _lock(folder):
    """Lock the folder: two sweeps would mix their results."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise Error(f"another sweep is running in '{folder}'") from None
    finally:
        os.close(descriptor)
