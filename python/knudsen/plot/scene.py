"""Which states, fields and columns a picture shows: the options, made to suit the results."""

import re

import numpy as np

from ..checks import DAMAGE
from ..errors import Error
from ..units import AXES
from . import quantities
from .labels import name_runs
from .references import read_references
from .sources import Source, State, nearest

_TIMES = 6  # at which a line is drawn in one picture
_PANELS = 12
_SECONDS = {"s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "ps": 1e-12}


class Scene:
    """``sources``, ``states``, ``kind``, ``fields`` and ``columns`` to draw, ``references``, ``flow``, ``in_si``."""

    def __init__(self, options):
        self.sources = [Source(folder) for folder in options.arguments]
        self.in_si = not options.dimensionless and all(source.si for source in self.sources)
        self.flow, self.shown, self.timed = options.flow, 0, bool(options.time)
        for source, label in zip(self.sources, name_runs(self.sources)):
            source.label = label
        self.kind = self._choose_kind(options)
        self._check_kind()
        self.cut = dict(self._read_slice(text) for text in options.slice)
        self.fields, self.columns = [], []
        for text in options.quantity:
            for word in re.split("[, ]+", text):
                if word:
                    self._add_quantity(word)
        self.states = [] if self.kind == "history" else list(self._choose_states(options))
        self.references = [
            point for path in options.reference for point in read_references(path, self.sources)
        ]

    @property
    def shows_amplitudes(self):
        """Whether the sheet has amplitudes and phases of an oscillation, and not the gas at a time."""
        return self.kind == "sheet" and len(self.sources) == 1 and self.sources[0].oscillates and not self.timed

    def si(self, source):
        return source.si if self.in_si else None

    # ------------------------------------------------------------------------------------------------- kind

    def _choose_kind(self, options):
        if options.kind != "sheet":
            return options.kind
        if not self.sources[0].axes:
            return "history"
        return "profile" if len(self.sources) > 1 and not options.quantity else "sheet"

    def _check_kind(self):
        first = self.sources[0]
        if self.kind == "map" and len(self.sources) > 1:
            raise Error("a map shows one run; several are compared with --kind profile or history")
        for source in self.sources:
            self._check_source(source)
        if self.kind == "map" and len(first.axes) < 2:
            raise Error(
                f"a map needs two axes and '{first.folder}' has {len(first.axes)}: draw --kind "
                + ("profile" if first.axes else "history")
            )
        if self.kind == "profile" and not first.axes:
            raise Error(f"the gas in '{first.folder}' is one cell: draw --kind history")

    def _check_source(self, source):
        first = self.sources[0]
        if self.kind in ("map", "profile") and not source.has_fields:
            raise Error(
                f"'{source.folder}' has no fields.h5: its run stopped before fields were written. Continue it with "
                "knudsen run --resume, or draw --kind history",
                DAMAGE,
            )
        if self.kind == "history" and source.history is None:
            raise Error(f"'{source.folder}' has no history.csv with rows in it", DAMAGE)
        if self.kind != "history" and not source.has_fields:
            raise Error(f"'{source.folder}' has no fields.h5, but another run has one: draw --kind history", DAMAGE)
        if self.kind != "history" and source.axes != first.axes:
            raise Error(f"'{first.folder}' and '{source.folder}' have different axes: draw --kind history")

    # ------------------------------------------------------------------------------------------ slices, names

    def _read_slice(self, text):
        axis, equals, place = text.partition("=")
        if not equals or axis not in tuple(AXES):
            raise Error(f"--slice {text}: an axis and a place in L are needed, as in z=0.5")
        try:
            at = float(place)
        except ValueError:
            raise Error(f"--slice {text}: '{place}' is no number") from None
        run = self.sources[0].run
        if axis not in self.sources[0].axes:
            raise Error(f"--slice {text}: the case has no {axis} axis")
        edges = getattr(run, axis + "_edges")
        if not edges[0] <= at <= edges[-1]:
            raise Error(f"--slice {text}: the box reaches from {edges[0]:g} to {edges[-1]:g} L")
        return axis, at

    def _find_column(self, word):
        history = self.sources[0].history
        columns = history if history is not None else {}
        return next((name for name in (word, f"average.{word}") if name in columns), None)

    def _add_quantity(self, word):
        if len(self.fields) + len(self.columns) == _PANELS:
            raise Error(f"--quantity: at most {_PANELS} at a time")
        found, column = quantities.find(word), self._find_column(word)
        in_history = self.kind == "history"
        if found and not in_history:
            self.fields.append(found)
        elif column and (in_history or self.kind == "sheet"):
            self.columns.append(column)
        elif column:
            raise Error(f"{word} is a column of history.csv: draw it with --kind history")
        elif found:
            raise Error(
                f"history.csv has no {word}; draw it with --kind map or profile, or in the history one of the fields "
                "rho, ux, ..., qz"
            )
        else:
            raise quantities.unknown(word, self.sources[0].history or ())

    # ------------------------------------------------------------------------------------------------ states

    def _read_time(self, text, source):
        found = re.fullmatch(r"\s*([-+0-9.eE]+)\s*(\S*)\s*", text)
        try:
            time = float(found[1])
        except (TypeError, ValueError):
            raise Error(f"--time: '{text}' is no number") from None
        if not found[2]:
            return time
        if source.si and found[2] in _SECONDS:
            return time * _SECONDS[found[2]] / source.si["time"]
        raise Error(
            f"--time: '{text}' is no time; "
            + (
                "it has no unit (lambda0 / V0) or s, ms, us, ns or ps"
                if source.si
                else "it is in lambda0 / V0 and has no unit, since the case has none"
            )
        )

    def _choose_states(self, options):
        first = self.sources[0]
        series = []
        if len(self.sources) == 1 and len(first.axes) == 1 and not (options.time or options.mean or options.last):
            series = first.run.period(_TIMES) if first.oscillates else first.series()
        if len(series) > 1:
            chosen = np.linspace(0, len(series) - 1, min(_TIMES, len(series)))
            yield from (State(first, series[int(i + 0.5)], False, self.cut) for i in chosen)
            return
        for source in self.sources:
            if options.time:
                at = nearest(source, self._read_time(options.time, source))
                yield State(source, at, False, self.cut)
            else:
                yield self._last_state(source, options)

    def _last_state(self, source, options):
        """The averages if they are asked for, or if there are some and the gas does not oscillate."""
        has_mean = source.run.mean is not None
        if options.mean and not has_mean:
            raise Error(f"'{source.folder}' has no averages: the case had no output.average")
        last = State(source, source.run, False, self.cut)
        if options.last or not has_mean:
            return last
        mean = State(source, source.run, True, self.cut)
        return last if not options.mean and _oscillates(mean, last) else mean


def _oscillates(mean, last):
    """Whether the average of the gas shows almost nothing of its motion."""
    speed, heat = last.largest("speed"), last.largest("theta")
    return mean.largest("speed") < 0.3 * speed and mean.largest("theta") < max(speed, heat)
