"""Reads reference.csv: values that are known about a case, with their sources."""

import csv
import math
import re
from dataclasses import dataclass

from ..errors import Error
from .quantity import NUMBER, parse

HEADING = "quantity,value,uncertainty,source,conditions,settings,check,bar"
_COLUMNS = HEADING.count(",") + 1


@dataclass
class Row:
    """A value: ``bar`` is the largest deviation that is claimed, absolute, or nan."""

    line: int
    quantity: str
    value: float
    uncertainty: float  # nan: not stated, and the row is for the reader only
    source: str
    conditions: str
    settings: str  # KEY=VALUE over case.yaml, separated by spaces
    check: str  # quick, full, or nothing: never compared
    bar: float


def read(path):
    """The rows of a file; an Error names file and line."""
    try:
        text = path.read_bytes().decode(errors="replace")
    except OSError as error:
        raise Error(f"{path} cannot be read: {error.strerror}", 4) from None
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        line = line.partition("\r")[0]
        try:
            if number == 1 and line != HEADING:
                raise Error(f"the first line is not {HEADING}")
            if number > 1 and line:
                rows.append(_row(number, _cut(line)))
        except Error as error:
            raise Error(f"{path}:{number}: {error}") from None
    return rows


def _cut(line):
    try:
        fields = next(csv.reader([line], strict=True))
    except csv.Error:
        raise Error("a double quote is not closed") from None
    if len(fields) != _COLUMNS:
        which = "fewer" if len(fields) < _COLUMNS else "more"
        hint = "commas inside a field need double quotes"
        raise Error(f"{which} than {_COLUMNS} columns ({HEADING}; {hint})")
    return fields


def _number(text):
    """A finite number, nan where there is no text, None where the text is no number."""
    if not text:
        return math.nan
    value = float(text) if re.fullmatch(NUMBER, text) else math.inf
    return value if math.isfinite(value) else None


def _bar(text, value):
    relative = text.endswith("%")
    bar = _number(text[:-1] if relative else text)
    if bar is None or bar <= 0 or (relative and math.isnan(bar)):
        raise Error("bar is no number above 0, with or without %")
    return bar * abs(value) / 100 if relative else bar


def _row(line, fields):
    quantity, value, uncertainty, source, conditions, settings, check, bar = fields
    value, uncertainty = _number(value), _number(uncertainty)
    if value is None or math.isnan(value):
        raise Error("value is no number")
    if uncertainty is None or uncertainty < 0:
        raise Error("uncertainty is no number of 0 or more")
    if not source:
        raise Error("the source is missing")
    if check not in ("quick", "full", ""):
        raise Error("check is none of quick, full and nothing")
    bar = _bar(bar, value)
    if check and math.isnan(uncertainty):
        raise Error("a value without uncertainty cannot be checked")
    if check:
        parse(quantity)
    return Row(line, quantity, value, uncertainty, source, conditions, settings, check, bar)


def is_due(row, rows, full):
    """Whether a row is compared.  A full row replaces the quick one of the same quantity, conditions and source."""
    if row.check == "quick":
        same = (row.quantity, row.conditions, row.source)
        return not full or all(r.check != "full" or (r.quantity, r.conditions, r.source) != same for r in rows)
    return row.check == "full" and full


def settings_of(text):
    """The settings KEY=VALUE of a row."""
    return {key: value for key, _, value in (word.partition("=") for word in text.split(" ") if word)}
