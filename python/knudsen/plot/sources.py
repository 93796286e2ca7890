"""Folders of results as pictures need them: fields, history, case and scales, each of which may be missing."""

from pathlib import Path

import numpy as np

from ..checks import DAMAGE, damaged
from ..errors import Error
from ..results import Run
from ..snapshot import Instant, Snapshot
from ..units import AXES
from .facets import cut

_SCALES = ("temperature", "pressure", "density", "mass", "velocity", "length", "time", "box", "disturbance")
_LEAST = 1e-60  # of a scale
LARGEST = 1e100  # of a value that can be drawn


def scales_of(run):
    """The scales of a run or a snapshot in SI as a dict; None if its case is dimensionless."""
    si = run.si
    if si is None:
        return None
    if any(name not in si.scales for name in _SCALES):
        raise damaged(run._path, "the group si does not hold the species and the scales")
    return _checked(si.scales, run._path)


def _checked(scales, path):
    found = {name: float(scales[name]) for name in _SCALES}
    if not all(_LEAST < value < 1 / _LEAST for value in found.values()):
        raise damaged(path, "a scale of the group si is out of range")
    return found


class Source:
    """One folder: ``run``, ``has_fields``, ``history`` (or None), ``case`` (or None), ``si`` (or None)."""

    def __init__(self, folder):
        self.folder, self.label = str(folder), ""
        path = Path(folder)
        if not path.is_dir():
            raise Error(
                f"there is no folder '{folder}'; knudsen run CASE.yaml --out {folder} makes one"
                if not path.exists()
                else f"'{folder}' is no folder of results but a file",
                DAMAGE,
            )
        found = [name for name in ("fields.h5", "history.csv", "summary.json") if (path / name).exists()]
        if not found:
            raise Error(
                f"'{folder}' is no folder of results: it has neither fields.h5 nor history.csv, which knudsen run "
                "writes",
                DAMAGE,
            )
        self.run = Run(path)
        self.has_fields = "fields.h5" in found
        self.history = self._read_history() if "history.csv" in found else None
        self.case, self.quantities, self.si, self.species = None, {}, None, ""
        if "summary.json" in found:
            self._read_summary()
        if self.has_fields:
            self.si = scales_of(self.run)
            self.species = self.run.si.species if self.si else ""
        elif self.history is None:
            raise Error(
                f"the run in '{folder}' stopped before it wrote anything to draw: continue it with knudsen run "
                "--resume",
                DAMAGE,
            )

    def _read_history(self):
        if (self.run.folder / "history.csv").stat().st_size == 0:
            return None
        table = self.run.history
        return table if len(table["step"]) else None

    def _read_summary(self):
        summary = self.run.summary
        case = summary.get("case")
        self.case = case if isinstance(case, dict) and isinstance(case.get("gas"), dict) else None
        found = summary.get("quantities")
        self.quantities = found if isinstance(found, dict) else {}
        si = summary.get("si")
        if isinstance(si, dict) and all(isinstance(si.get(name), (int, float)) for name in _SCALES):
            self.si = _checked(si, self.run.folder / "summary.json")
            self.species = str(si.get("species", ""))[:32]

    @property
    def axes(self):
        return self.run.axes if self.has_fields else ""

    @property
    def delta(self):
        if self.has_fields:
            return self.run.delta
        delta = self.case["gas"].get("delta") if self.case else None
        return float(delta) if isinstance(delta, (int, float)) else np.nan

    @property
    def oscillates(self):
        """Whether it has amplitudes and phases, of time.mode: frequency."""
        return self.has_fields and self.run.frequency is not None

    @property
    def iterates(self):
        """Whether the rows of its history are iterations for a steady state."""
        return self.history is not None and "update" in self.history

    def number(self, name):
        """A quantity of the summary, or the last value of its column; nan if there is none."""
        value = self.quantities.get(name)
        if isinstance(value, (int, float)):
            return float(value)
        if self.history is not None and name in self.history:
            return float(self.history[name][-1])
        return np.nan

    def series(self):
        """Snapshots of the series by time; those whose files were removed are left out."""
        if not self.has_fields:
            return []
        there = [at for at in self.run.series if at._path.exists()]
        return sorted(there, key=lambda at: at.time)



class State:
    """The gas of one run at one time, or its average; cut where ``cut`` says."""

    def __init__(self, source, at, mean, cut, case=None):
        self.source, self.at, self.mean, self.case = source, at, mean, source.case if source else case
        self.peers, self._largest = None, {}  # other states of an animation, which have the same units
        axes = at.axes
        self.cut, self.fixed = {}, {}
        if len(axes) == 3:  # the last axis that is fixed is cut, by default z
            across = next((axis for axis in reversed(axes) if axis in cut), "z")
            self.cut = {across: cut.get(across, at._middle(across))}
            axes = axes.replace(across, "")
        self.axes = axes
        self.fixed = {axis: place for axis, place in cut.items() if axis in axes}

    def join(self, peers, largest):
        """Make it a part of an animation; `largest` is a common dict."""
        self.peers, self._largest = peers, largest

    @property
    def time(self):
        return self.at.time

    def place(self, axis):
        """Where profiles along other axes are taken."""
        return self.fixed.get(axis, self.at._middle(axis))

    def plane(self, name):
        """Values [up][across] on the plane, or along the only axis."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._check(name, self.at.cut(name, self.mean, **self.cut))

    def line(self, name, along):
        others = {axis: self.place(axis) for axis in self.axes if axis != along}
        with np.errstate(over="ignore", invalid="ignore"):
            places, values = self.at.line(name, along, self.mean, **self.cut, **others)
        return places, np.where(self._is_behind(along, places), np.nan, self._check(name, values))

    def _is_behind(self, along, places):
        """Whether centres of cells along a line are in a smooth body: their values are those of gas beside them."""
        faces = self.facets() if len(self.axes) == 2 else ()
        if len(faces) == 0:
            return np.zeros(len(places), dtype=bool)
        x, y = (places if axis == along else np.array([self.place(axis)]) for axis in self.axes)
        return faces.behind([getattr(self.at, axis + "_edges") for axis in self.axes], x, y).ravel()

    def _check(self, name, values):
        solid = np.isnan(values) & bool(self.bodies)  # bodies fill these cells
        if not ((np.abs(values) < LARGEST) | solid).all():
            raise damaged(self.at._path, f"{name} has values that are not finite or out of range")
        return values

    def is_wall(self, axis, end):
        """Whether gas cannot flow through a side of the box."""
        side = (("left", "right"), ("bottom", "top"), ("back", "front"))[AXES.index(axis)][end]
        walls = self.case.get("walls") if self.case else None
        wall = walls.get(side) if isinstance(walls, dict) else None
        return isinstance(wall, dict) and wall.get("kind") in ("diffuse", "specular", "symmetry")

    def largest(self, name):
        """The largest value, of the peers too."""
        if name not in self._largest:
            values = [float(np.nanmax(np.abs(state.plane(name)), initial=0)) for state in self.peers or [self]]
            self._largest[name] = max(values)
        return self._largest[name]

    @property
    def bodies(self):
        """The bodies of the case by name."""
        found = self.case.get("bodies") if self.case else None
        return found if isinstance(found, dict) else {}

    def plates(self):
        """Plates without thickness as lines on the plane, ((x, x), (y, y)) in L."""
        size = [getattr(self.at, axis + "_edges")[-1] for axis in AXES]
        return [line for body in self.bodies.values() for line in _plates(body, self.axes, size)]

    def facets(self):
        """The lines in which smooth bodies cut the plane, in L."""
        chosen = [AXES.index(axis) for axis in self.axes]
        across, place = next(((AXES.index(axis), place) for axis, place in self.cut.items()), (None, 0.0))
        faces = self.source.run.surfaces if self.source and self.bodies else {}
        kept = [body["side"] == -1 for body in faces.values() if "normal" in body]
        found = {
            name: np.concatenate([body[name][cut] for body, cut in zip(faces.values(), kept)]) if kept else np.zeros(0)
            for name in ("centre", "normal", "area")
        }
        delta = self.source.delta if self.source else 1.0
        edges = [delta * getattr(self.at, axis + "_edges") for axis in AXES]
        return cut(found, edges, chosen, across, delta * place)[0].scaled(1 / delta)


def _plates(body, axes, size):
    """The lines of a body on the plane of two axes, unless it is a box with a volume or parallel to the plane."""
    plate, box = body.get("plate", {}), body.get("box", {})
    low = [0 if x == "auto" else x for x in box.get("low", ["auto"] * 3)]
    high = [s if x == "auto" else x for x, s in zip(box.get("high", ["auto"] * 3), size)]
    across = next((a for a in axes if low[AXES.index(a)] == high[AXES.index(a)]), plate.get("axis"))
    if across not in tuple(axes):
        return []
    along = axes.replace(across, "")
    at, i = AXES.index(across), AXES.index(along)
    gaps = []
    if plate.get("axis") == across:
        low[at] = plate["at"]
        first = next(a for a in AXES if a != across)
        pairs = np.reshape(plate.get("open", []), (-1, 2))
        gaps = sorted((a, b) for a, b in pairs if b > a) if first == along else []
    starts, ends = [low[i], *(b for _, b in gaps)], [*(a for a, _ in gaps), high[i]]
    lines = []
    for start, end in zip(starts, ends):
        places = {across: (low[at], low[at]), along: (start, end)}
        lines.append((places[axes[0]], places[axes[1]]))
    return lines


def nearest(source, time):
    """The snapshot of the series nearest to a time, or the latest fields; of an oscillation the gas at that time."""
    best = source.run
    if best.frequency is not None:
        return Instant(best, best.frequency * time)
    for at in source.series():
        if abs(at.time - time) < abs(best.time - time):
            best = at
    return best


def is_snapshot(run):
    return isinstance(run, Snapshot) and not isinstance(run, Run)
