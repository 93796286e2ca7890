"""Runs of a case: as it is, on fewer cells and on fewer velocities."""

import math
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import h5py

from ..errors import Error
from ..program import dry_run, run
from ..units import COMPONENTS
from . import shock
from .quantity import OF_PLACE, OF_SHOCK, SIDES, SOUND
from .recording import Recording, before_row, frequency, iterates, mode, window

RUNS = ("run", "fewer cells", "fewer velocities")
_FEWEST_CELLS, _FEWEST_NODES = 4, 6
_SIDE_ERRORS = {"stress_x": ("stress", 0), "stress_y": ("stress", 1), "stress_z": ("stress", 2)}


def scratch():
    """A temporary folder, in memory if enough is free: on a disk a run waits until its files are written."""
    memory = "/dev/shm"
    usable = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 4e9
    return tempfile.TemporaryDirectory(prefix="knudsen-verify-", dir=memory if usable else None)


def coarser_space(case, time_step):
    """Settings of half the cells, with the same clustering; a uniform gas gets twice the time step instead."""
    cells, stretch = list(case["space"]["cells"]), list(case["space"]["stretch"])
    divided = [axis for axis in range(3) if cells[axis] >= _FEWEST_CELLS]
    for axis in divided:
        cells[axis] = (cells[axis] + 1) // 2
        stretch[axis] = max(0.5, stretch[axis] ** 2)
    axes = _listed_axes(case)
    settings = {"space.cells": cells[:axes], "space.stretch": stretch, "output.history": max(1, _every(case) // 2)}
    step = case["time"]["step"]
    if step > 0 or not divided:
        uniform = step == 0 and all(number == 1 for number in case["space"]["cells"])
        settings["time.step"] = 2 * (time_step if uniform else step)
    return settings


def _listed_axes(case):
    """The number of axes in space.cells: those that are not listed have one cell and periodic ends."""
    axes = 3
    while axes > 1 and case["space"]["cells"][axes - 1] == 1:
        if any(case["walls"][side]["kind"] != "periodic" for side in SIDES[2 * axes - 2 : 2 * axes]):
            break
        axes -= 1
    return axes


def coarser_velocity(case):
    """Settings of three quarters of the velocity nodes, even and at least 6 per axis."""
    nodes = case["velocity"]["nodes"]
    fewer = [min(n, max(_FEWEST_NODES, n * 3 // 4 // 2 * 2)) for n in nodes]
    if fewer == nodes:
        raise Error("velocity.nodes: too few to estimate their error (8 or more along an axis are needed)")
    return {"velocity.nodes": fewer}


def _every(case):
    """Steps between rows of the history."""
    history = case["output"]["history"]
    return 10 if history == "auto" else history


def _end(case, time_step, steps):
    end = case["time"]["end"]
    return steps * time_step if end == "auto" else end


def _series_start(case, end, quantities):
    """The time from which fields are needed at every row; None: not at all."""
    starts = []
    for q in quantities:
        if shock.is_one(case) and (q.field or q.column == "front"):
            starts.append(0.0)
        elif q.field and (q.kind in OF_PLACE or q.kind in SOUND) and frequency(case) > 0:
            first, last = window(case, end)
            starts.append(first - (last - first) / 4)
        elif _needs_before(q) and _is_noisy(case):
            average = case["output"]["average"]
            starts.append(end / 2 if average == "auto" else average if average >= 0 else math.inf)
    starts = [start for start in starts if start < math.inf]
    return max(min(starts), 0.0) if starts else None


def _is_noisy(case):
    """Whether collisions are sampled."""
    method = case["collision"]["method"]
    return method == "monte-carlo" or (method == "operator" and case["disturbance"] > 0)


def _needs_before(q):
    """Whether a quantity is measured in the fields of the end, and earlier in those of ``before_row``."""
    return bool(q.field) and q.kind in ("point", "far", "slip", *OF_SHOCK)


class _Fields(Mapping):
    """Fields of a file that a run of this module has written, each read once; the file is closed in between."""

    def __init__(self, path, group="/"):
        self._path, self._group, self._read = path, group, {}

    def __getitem__(self, name):
        if name not in self._read:
            stored, component = COMPONENTS.get(name, (name, None))
            with h5py.File(self._path, "r") as file:
                values = file[self._group][stored][...]
            self._read[name] = values if component is None else values[..., component]
        return self._read[name]

    def __iter__(self):
        return iter(self._read)

    def __len__(self):
        return len(self._read)


class Trial:
    """Runs of a case with some settings, in a folder, for the quantities that are measured in them."""

    def __init__(self, path, settings, quantities, folder, progress):
        self.path, self.settings, self.quantities = path, settings, quantities
        self.folder, self.progress = Path(folder), progress
        self.case, self.time_step, self.steps = dry_run(path, settings)

    def make(self, which):
        """The recording of one of RUNS."""
        extra = {}
        if which == RUNS[1]:
            extra = coarser_space(self.case, self.time_step)
        elif which == RUNS[2]:
            extra = coarser_velocity(self.case)
        started = time.monotonic()
        settings = {**self.settings, **extra}
        planned = dry_run(self.path, settings) if extra else (self.case, self.time_step, self.steps)
        recording = self._record(which, settings, planned)
        recording.seconds = time.monotonic() - started
        return recording

    def _record(self, which, settings, planned):
        case, time_step, steps = planned
        if iterates(case):
            return _read(self._run(which, settings), case, time_step, 0.0)
        every, end = _every(case), _end(case, time_step, steps)
        compares = which == RUNS[0] and any(map(_needs_before, self.quantities))
        start = _series_start(case, end, self.quantities)
        output = {"output.history": every}  # a number keeps every row
        if start is not None:
            output |= {"output.fields": every * time_step, "output.fields_start": start}
        elif compares and case["time"]["end"] != "auto":
            rows = [*range(0, steps, every), steps]
            output["output.fields"] = (rows[before_row(rows)] or steps) * time_step
        done = self._run(which, {**settings, **output})
        recording = _read(done, case, time_step, end)
        if start is not None:
            files = enumerate(_step_file(done, step) for step in done.history["step"])
            recording.series = {row: _Fields(path) for row, path in files if path.exists()}
        if compares and not recording.averaged:
            recording.before = self._before(done, settings, recording)
        return recording

    def _run(self, which, settings):
        fixed = {"output.vtk": False, "output.checkpoint": 0, "run.force": True}
        out = self.folder / which.replace(" ", "-")
        return run(self.path, out=out, set={**settings, **fixed}, progress=self._reporter(which), squeeze=False)

    def _reporter(self, which):
        """A function that passes the events of a run to ``progress``."""
        doing = {"assembly": "assembling the operator", "pilot": "choosing collision.samples"}

        def report(event):
            if event["event"] in doing:
                self.progress(which, doing[event["event"]], event["part"])
            elif event["event"] == "progress":
                self.progress(which, "", event["step"] / max(event["steps"], 1))

        return report

    def _before(self, done, settings, recording):
        """Fields of an earlier row: those in the series, otherwise those of a shorter run."""
        row = before_row(recording.times)
        if row is None:
            return None
        if row in recording.series:
            return recording.series[row]
        step = int(recording.history["step"][row])
        path = _step_file(done, step)
        if path.exists():
            return _Fields(path)
        if step == 0:
            step = 1  # a run has a step at least
        shorter = {**settings, "output.history": _every(recording.case), "time.max_steps": step}
        return _Fields(self._run("earlier end", shorter).folder / "fields.h5")


def _step_file(done, step):
    return done.folder / "fields" / f"{step:08d}.h5"


def _read(done, case, time_step, end):
    edges = tuple(edges * done.delta for edges in (done.x_edges, done.y_edges, done.z_edges))
    averaged = int(done.summary.get("averaged_rows", 0))
    mean = {name: done.mean[name] for name in done.mean} if averaged else None
    last = _Fields(done.folder / "fields.h5")
    recording = Recording(case, time_step, end, edges, dict(done.history), last, mean=mean, averaged=averaged)
    if mode(case) == "frequency":
        recording.amplitudes = tuple(_Fields(done.folder / "fields.h5", name) for name in ("amplitude", "phase"))
        recording.fitted = done.summary["oscillation"]
    recording.noisy, recording.errors = done.errors is not None, _errors(done)
    recording.backend = done.summary["backend"]
    done.close()
    return recording


def _errors(done):
    """Standard errors of averaged columns, as the run reports them; nan: unknown."""
    found = {}
    if done.errors is None or "averaged_rows" not in done.summary:
        return found
    for name, value in done.errors.items():
        if not isinstance(value, dict):
            found[name] = float(value)
    for side, wall in done.errors.get("walls", {}).items():
        for name in ("heat_flux", "mass_flux"):
            found[f"{side}.{name}"] = float(wall[name])
        for name, (key, component) in _SIDE_ERRORS.items():
            found[f"{side}.{name}"] = float(wall[key][component])
    return found
