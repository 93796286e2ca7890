"""The output of ``knudsen verify``: a table or JSON lines, and the progress of the runs."""

import json
import math
import sys
import textwrap
import time

from ..progress_line import ProgressLine
from ..value_text import deviation, with_error

_WIDTH = 80


def _columns(quantity, known, found, off, most, said):
    """A line of the table.  A long quantity has a line of its own; other long texts move the texts after them."""
    line = "" if len(quantity) >= 22 else f"  {quantity}"
    if not line:
        print(f"  {quantity}")
    for text, column in ((known, 24), (found, 42), (off, 67 - len(off)), (most, 75 - len(most)), (said, 76)):
        if text:
            line += " " * max(column - len(line), bool(line)) + text
    print(line)


def _wrapped(text, indent):
    whole = {"break_on_hyphens": False, "break_long_words": False}
    print("\n".join(textwrap.wrap(text, _WIDTH, subsequent_indent=" " * indent, **whole)))


def _entry(result):
    """A check as an object of JSON, which has no number that is not finite."""
    row = result.reference
    words = {"case": result.name, "quantity": row.quantity, "conditions": row.conditions, "settings": row.settings}
    words |= {"source": row.source, "backend": result.backend, "check": row.check}
    numbers = {"reference": row.value, "reference_error": row.uncertainty, "value": result.value}
    numbers |= {"error_space": result.space, "error_velocity": result.velocity, "error_unsteady": result.unsteady}
    numbers |= {"error_rounding": result.rounding, "error_statistical": result.statistical}
    numbers |= {"deviation": result.deviation, "tolerance": result.tolerance, "bar": row.bar}
    numbers |= {"allowed": result.allowed, "seconds": result.seconds}
    numbers = {key: value if math.isfinite(value) else None for key, value in numbers.items()}
    return words | numbers | {"line": row.line, "verdict": result.verdict}


def _print_json(entry):
    print(json.dumps(entry, ensure_ascii=False))


class Table:
    """A table that grows by a row as soon as a check is done."""

    def __init__(self, as_json, planned):
        self.json, self.planned = as_json, planned
        self.checks = self.failed = self.open = 0
        self._sources, self._subject, self._backend = [], None, ""
        self._started, self._line = time.monotonic(), ProgressLine()

    def add(self, result):
        self.progress(None)
        if self.json:
            _print_json(_entry(result))
        else:
            self._print(result)
        self.checks += 1
        self.failed += not result.passed
        self.open += result.open
        self._backend = result.backend
        sys.stdout.flush()

    def _print(self, result):
        row = result.reference
        if self.checks == 0:
            _columns("quantity", "reference [src]", "Knudsen", "off by", "allowed", "")
        subject = result.name + (": " if row.conditions else "") + row.conditions
        if subject != self._subject:
            _wrapped(subject, 4)
        self._subject = subject
        if row.source not in self._sources:
            self._sources.append(row.source)
        known = f"{with_error(row.value, row.uncertainty)} [{self._sources.index(row.source) + 1}]"
        found = with_error(result.value, result.tolerance - row.uncertainty)
        entry = _entry(result)
        off, most = deviation(entry, "deviation", sign=True), deviation(entry, "allowed")
        _columns(row.quantity, known, found, off, most, result.verdict if result.passed else "FAIL")

    def end(self):
        """Sources, and how many checks pass."""
        self.progress(None)
        seconds, passed = time.monotonic() - self._started, self.checks - self.failed - self.open
        if self.json:
            counts = {"checks": self.checks, "planned": self.planned, "passed": passed, "open": self.open}
            _print_json(counts | {"failed": self.failed, "seconds": round(seconds, 1)})
            return
        print()
        for number, source in enumerate(self._sources, 1):
            _wrapped(f"[{number}] {source}", 4)
        if self.checks:
            _wrapped(
                "In brackets the error of the last digits, after +- the error itself: of Knudsen by coarser grids, "
                "earlier times and three standard errors. Allowed: both errors together, or the claim (bar) of "
                "reference.csv if that is less. Open: these grids are too coarse to decide.",
                0,
            )
        whole = f"{self.checks} check{'' if self.checks == 1 else 's'}"
        text = whole if self.checks == self.planned else f"interrupted after {self.checks} of {self.planned} checks"
        text += f" on {self._backend}" if self.checks else ""
        text += f" in {seconds:.0f} s: {passed} pass"
        text += f", {self.open} open" if self.open else ""
        text += f", {self.failed} FAIL" if self.failed else ""
        print(text)

    def progress(self, name, which="", doing="", part=0.0):
        """Show what runs; no name removes the line."""
        if name is None:
            self._line.clear()
        else:
            self._line.show(f"{name}: {which}{', ' if doing else ''}{doing} {math.floor(100 * part):3d} %")
