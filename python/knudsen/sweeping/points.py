"""The values of the varied keys, and the points of a sweep: one for each combination of values."""

import itertools
import math
import os
import re
import zlib
from collections import Counter
from dataclasses import dataclass, field

from ..errors import Error

MOST_POINTS = 10000
_LONGEST_NAME = 180  # bytes of a folder name; file systems have 255
_PREFIXES = {"": 0, "f": -15, "p": -12, "n": -9, "u": -6, "µ": -6, "m": -3, "k": 3, "M": 6, "G": 9}
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*)")
FORMS = "KEY=a,b,c or KEY=from:to:number or KEY=from:to:number:log"


@dataclass
class Axis:
    """A varied key."""

    key: str
    texts: list  # as --set takes them
    logarithmic: bool = False
    numbers: list = None  # of all values; None if one is not a number, or if units differ
    unit: str = ""  # of the numbers
    others: tuple = ()  # keys that get the same values

    def __post_init__(self):
        found = [_NUMBER.fullmatch(text.strip()) for text in self.texts]
        units = {match.group(2).strip() for match in found if match}
        if all(found) and len(units) == 1:
            self.numbers, self.unit = [float(match.group(1)) for match in found], units.pop()

    @property
    def column(self):
        """The name of its column in a table."""
        return f"{self.key} [{self.unit}]" if self.unit else self.key

    def entry(self, index):
        """A value in a table: a number if all values are numbers, else a text."""
        return self.numbers[index] if self.numbers else self.texts[index]


@dataclass
class Point:
    """One combination of values."""

    indices: tuple  # of the value on each axis
    settings: dict  # key: text
    name: str = ""  # of its folder
    case: dict = field(default_factory=dict)  # all keys, when the program has read it
    plan: dict = field(default_factory=dict)
    memory: float = 0.0  # bytes of the host

    @property
    def cost(self):
        """Updates of velocity nodes, at most; about proportional to the time of the run."""
        return self.plan["steps"] * self.plan["cells"] * self.plan["nodes"]

    @property
    def title(self):
        return ", ".join(f"{key} = {text}" for key, text in self.settings.items())


def _split(text, at):
    """Parts between separators outside of brackets and quotes."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        quote = "" if letter == quote else quote or (letter if letter in "\"'" else "")
        depth += 0 if quote else (letter in "[{(") - (letter in "]})")
        if letter == at and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _ratio(unit, other):
    """The factor from one unit to another that differs in its prefix only; None if there is none."""
    shared = len(os.path.commonprefix([unit[::-1], other[::-1]]))
    for length in range(shared, 0, -1):
        first, second = unit[: len(unit) - length], other[: len(other) - length]
        if first in _PREFIXES and second in _PREFIXES:
            return 10.0 ** (_PREFIXES[second] - _PREFIXES[first])
    return 1.0 if unit == other else None


def _range(key, parts):
    """Values from one end to the other, at equal distances or ratios, in the unit of the first."""
    ends = [_NUMBER.fullmatch(part) for part in parts[:2]]
    if not all(ends):
        raise Error(f"--vary {key}: '{parts[bool(ends[0])]}' is not a number (expected {FORMS})")
    units = [match.group(2).strip() for match in ends]
    factor = _ratio(*units)
    if factor is None:
        raise Error(f"--vary {key}: the ends of a range must have the same unit ('{parts[0]}', '{parts[1]}')")
    if len(parts) == 4 and parts[3] != "log":
        raise Error(f"--vary {key}: '{parts[3]}' after the number of values (only log is allowed there)")
    count, low, high = parts[2], float(ends[0].group(1)), factor * float(ends[1].group(1))
    if not re.fullmatch(r"\d{1,6}", count) or not 2 <= int(count) <= MOST_POINTS:
        raise Error(f"--vary {key}: '{count}' is not a number of values from 2 to {MOST_POINTS}")
    if not (math.isfinite(low) and math.isfinite(high)) or low == high:
        raise Error(f"--vary {key}: a range from {parts[0]} to {parts[1]} has no length")
    if len(parts) == 4 and not (low > 0 and high > 0):
        raise Error(f"--vary {key}: a logarithmic range needs ends above 0 ({parts[0]} to {parts[1]})")
    part = [i / (int(count) - 1) for i in range(int(count))]
    inner = [low * (high / low) ** t if len(parts) == 4 else low + (high - low) * t for t in part[1:-1]]
    last = ends[1].group(1) if factor == 1 else f"{high:.15g}"
    numbers = [ends[0].group(1), *(f"{number:.6g}" for number in inner), last]
    return [f"{number} {units[0]}".strip() for number in numbers]


def axis(key, values):
    """A varied key, or several with commas; the values are a list of texts, or one text as on the command line."""
    if isinstance(values, str):
        parts = _split(values, ":")
        is_range = len(parts) in (3, 4)
        texts = _range(key, parts) if is_range else _split(values, ",")
        logarithmic = len(parts) == 4
    else:
        texts, logarithmic = list(values), False
    key, *others = (part.strip() for part in key.split(","))
    if not texts or not all(texts):
        raise Error(f"--vary {key}: a value is missing ({FORMS})")
    twice = [text for text, count in Counter(texts).items() if count > 1]
    if twice:
        raise Error(f"--vary {key}: the value {twice[0]} is given twice")
    return Axis(key, texts, logarithmic, others=tuple(others))


def read(words):
    """The axes of words KEY=VALUES."""
    axes = []
    for word in words:
        key, equals, values = word.partition("=")
        if not equals or not key.strip():
            raise Error(f"--vary {word}: expected {FORMS}")
        axes.append(axis(key.strip(), values))
    return axes


def make(axes):
    """All combinations. The last key varies fastest."""
    keys = [key for one in axes for key in (one.key, *one.others)]
    for number, key in enumerate(keys):
        if key in keys[:number]:
            raise Error(f"--vary {key}: the key is varied twice")
    count = math.prod(len(one.texts) for one in axes)
    if count > MOST_POINTS:
        raise Error(f"--vary: {count} points are too many (at most {MOST_POINTS})")
    found = []
    for indices in itertools.product(*(range(len(one.texts)) for one in axes)):
        chosen = ((key, one.texts[i]) for one, i in zip(axes, indices) for key in (one.key, *one.others))
        found.append(Point(indices, dict(chosen)))
    _name(found)
    return found


def _name(found):
    """Name folders by their values, so that a point keeps its folder when other values are added."""
    for point in found:
        whole = ",".join(f"{key}={text}" for key, text in point.settings.items())
        point.name = re.sub(r"[^A-Za-z0-9.,=+-]+", "_", whole)
        if len(point.name) > _LONGEST_NAME:
            point.name = f"{point.name[:_LONGEST_NAME]}-{zlib.crc32(whole.encode()):08x}"
    names = Counter(point.name for point in found)
    for point in found:
        if names[point.name] > 1:
            whole = ",".join(point.settings.values())
            point.name = f"{point.name}-{zlib.crc32(whole.encode()):08x}"
