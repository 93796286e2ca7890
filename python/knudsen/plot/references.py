"""Published values in CSV files: points of a profile or a history, or the reference.csv of a case."""

import math
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..checks import DAMAGE, require_regular
from ..errors import Error
from ..program import dry_run
from ..units import AXES
from ..verify.quantity import parse
from ..verify.reference import read
from . import quantities
from .same_case import is_as_rare, is_same

_LARGEST = 64 << 20  # bytes of a file


@dataclass(frozen=True)
class Reference:
    """A value; ``at`` has its place by axis, ``time`` is None if it holds at any time."""

    source: str
    value: float
    error: float = math.nan
    quantity: str = ""  # "": whatever is drawn
    in_history: bool = False
    is_share: bool = False  # of the value at the beginning
    at: dict = field(default_factory=dict, hash=False)
    along: str = ""  # the only axis of a profile that it belongs to
    time: float = None


def read_references(path, sources):
    """The points of a file that belong to the runs."""
    try:
        require_regular(path)
        small = Path(path).stat().st_size < _LARGEST
        text = Path(path).read_text(encoding="utf-8", errors="replace") if small else ""
    except OSError as error:
        raise Error(f"cannot read the reference '{path}': {error.strerror}", DAMAGE) from None
    if not text.strip():
        raise Error(f"{path} is empty, or larger than {_LARGEST >> 20} MiB")
    found = _read_rows(path, sources) if text.startswith("quantity,value,") else _read_points(text, path, sources)
    return list({_key(point): point for point in found}.values())  # quick and full checks repeat a value


def _key(point):
    return point.quantity, point.source, point.value, tuple(sorted(point.at.items())), point.time


# --------------------------------------------------------------------------------------------------- points


def _read_points(text, path, sources):
    form = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if form is None:
            form, count, axis = _read_heading(line, path, number, sources)
            continue
        words = line.split(",")
        try:
            values = [float(word) if word.strip() or i < 2 else math.nan for i, word in enumerate(words)]
        except ValueError:
            values = []
        if len(values) != count:
            raise Error(f"{path}:{number}: {count} numbers with commas between them are needed")
        error = values[2] if count > 2 else math.nan
        place = {"time": values[0]} if form.in_history else {"at": {axis: values[0]}}
        yield replace(form, value=values[1], error=error, **place)


def _read_heading(line, path, number, sources):
    """The form of a point, the numbers in a row, and the axis."""
    words = [word.strip() for word in line.split(",")]
    axis = words[0]
    good = axis in (*AXES, "time") and len(words) in (2, 3) and words[1]
    if not good or words[2:] not in ([], [""], ["error"], ["uncertainty"]):
        raise Error(
            f"{path}:{number}: the first line is x, y, z or time, a comma, the name of a quantity or the word value, "
            "and optionally ,error; or that of a reference.csv"
        )
    name = words[1]
    in_history = axis == "time"
    history = sources[0].history or ()
    if name == "value":
        name = ""
    elif in_history:
        if name not in history and f"average.{name}" in history:
            name = f"average.{name}"
        elif name not in history:
            raise quantities.unknown(name, history)
    else:
        known = quantities.find(name)
        if not known:
            raise quantities.unknown(name, history)
        name = known.name
    form = Reference(_stem(path), 0.0, quantity=name, in_history=in_history, along="" if in_history else axis)
    return form, 2 + bool(words[2:] and words[2]), axis


def _stem(path):
    return Path(path).name.partition(".")[0]


# ------------------------------------------------------------------------------------ reference.csv of a case


def _read_rows(path, sources):
    cases = {}
    for row in read(Path(path)):
        point = _translate(row)
        if point is None or not row.settings:
            continue
        if row.settings not in cases:
            cases[row.settings] = _belongs(whole_case(Path(path).parent / "case.yaml", row.settings.split()), sources)
        if cases[row.settings]:
            yield point


def _translate(row):
    """The point of a row; None for numbers that pictures do not show."""
    try:
        q = parse(row.quantity)
    except Error:
        return None
    if q.kind not in ("mean", "value", "share", "point", "point value"):
        return None
    author = re.split(r":| \(", row.source)[0]
    at, time = dict(zip(AXES, q.at)), q.time if q.at_a_time else None
    name, share = q.column or q.field, q.kind == "share"
    return Reference(author, q.sign * row.value, row.uncertainty, name, bool(q.column), share, at, time=time)


def whole_case(path, settings):
    """Every key of a case file with settings over it, as the program reads it; None if it cannot."""
    try:
        return dry_run(path, dict(word.split("=", 1) for word in settings))[0]
    except (Error, ValueError):
        return None


def _belongs(case, sources):
    return case is not None and any(
        source.case is not None and is_same(case, source.case) and is_as_rare(case, source.case) for source in sources
    )
