"""Quantities that can be drawn: names, symbols, and the units of their axes."""

import difflib
import math
from dataclasses import dataclass

from ..errors import Error
from ..field_table import QUANTITIES
from ..units import COMPONENTS, history_unit


@dataclass(frozen=True)
class Quantity:
    """A field, or something that follows from fields.  Symbols are in the notation of TeX."""

    name: str
    words: str
    symbol: str
    dimension: str
    deviation: str = ""  # the symbol over the unit of the results, if it differs
    signed: bool = True


# One quantity for each field of a file. Components of vectors and tensors are added to it.
_OWN = {
    "rho": Quantity("rho", "density", "$n$", "density", "$(n - n_0)$"),
    "u": Quantity("speed", "speed", r"$|\mathbf{u}|$", "velocity", signed=False),
    "theta": Quantity("theta", "temperature", "$T$", "temperature", "$(T - T_0)$"),
    "Pi": Quantity("p", "pressure", "$p$", "pressure", "$(p - p_0)$"),
    "q": Quantity("heat", "heat flux", r"$|\mathbf{q}|$", "heat flux", signed=False),
}


def _quantities():
    for entry in QUANTITIES:
        name, words = entry["name"], entry["label"]
        symbol = rf"\{name}" if name == "Pi" else name
        yield _OWN[name]
        for part in entry["components"] if len(entry["components"]) > 1 else ():
            index = f"{{{part}}}" if len(part) > 1 else part
            yield Quantity(entry["column"] + part, words, f"${symbol}_{index}$", words)


TABLE = {quantity.name: quantity for quantity in _quantities()}
_SYNONYMS = {"T": "theta", "temperature": "theta", "density": "rho", "n": "rho", "u": "speed"}
_SYNONYMS |= {"velocity": "speed", "pressure": "p", "q": "heat"}


def find(name):
    """The quantity of that name, or None."""
    return TABLE.get(_SYNONYMS.get(name, name))


def amplitude(quantity):
    """The amplitude of a field in an oscillation."""
    name, words = quantity.name, f"{_AMPLITUDE}{quantity.words}"
    return Quantity(name, words, quantity.symbol, f"{_AMPLITUDE}{quantity.dimension}", quantity.symbol, signed=False)


def phase(quantity):
    """The phase of a field in an oscillation."""
    return Quantity(quantity.name, f"phase of {quantity.words}", quantity.symbol, "phase")


def names():
    """What --help lists: q is the usual name of the length of the heat flux."""
    return ["q" if name == "heat" else name for name in TABLE]


def unknown(word, columns=()):
    """An error that lists the names, and the most similar one."""
    known = names()
    columns = [name for name in columns if name not in ("step", "time") and not name.startswith("average.")]
    near = difflib.get_close_matches(word, [*known, *columns], 1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    listed = ", ".join(known) + (f"; of the history {', '.join(columns[:60])}" if columns else "")
    return Error(f"unknown quantity '{word[:60]}'{hint}; there are {listed}")


# --------------------------------------------------------------------------------------------------- scales

# Of each dimension: the unit of the results, the SI unit, and how that is scaled.
_UNITS = {
    "": ("", None, None),
    "density": (r"$\varepsilon n_0$", "m$^{-3}$", "power"),
    "velocity": (r"$\varepsilon V_0$", "m/s", "prefix"),
    "temperature": (r"$\varepsilon T_0$", "K", None),
    "pressure": (r"$\varepsilon p_0$", "Pa", "prefix"),
    "stress": (r"$\varepsilon p_0$", "Pa", "prefix"),
    "heat flux": (r"$\varepsilon p_0 V_0$", "W/m$^2$", "prefix"),
    "mass flux": (r"$\varepsilon n_0 V_0$", "g m$^{-2}$ s$^{-1}$", "prefix"),
    "length": ("$L$", "m", "prefix"),
    "time": (r"($\lambda_0 / V_0$)", "s", "prefix"),
    "rate": (r"($V_0 / \lambda_0$)", "s$^{-1}$", "power"),
    "phase": ("rad", None, None),
}
_AMPLITUDE = "amplitude of "
_UNITS |= {f"{_AMPLITUDE}{name}": entry for name, entry in _UNITS.items() if name}
_PREFIXES = ["f", "p", "n", "µ", "m", "", "k", "M", "G", "T"]


@dataclass(frozen=True)
class Scale:
    """From a number of the results to the one that is drawn: offset + factor * number."""

    factor: float = 1
    offset: float = 0
    unit: str = ""  # in the notation of TeX
    si: bool = False

    def __call__(self, values):
        return self.offset + self.factor * values

    def axis(self, symbol):
        """The label of an axis."""
        if not self.unit:
            return symbol
        return f"{symbol}  ({self.unit})" if self.si else f"{symbol} / {self.unit}"


def conversion(dimension, si):
    """Offset and factor from a number of the results to SI; lengths are in L. Amplitudes are differences."""
    if dimension.startswith(_AMPLITUDE):
        return 0, conversion(dimension.removeprefix(_AMPLITUDE), si)[1]
    eps, flux = si["disturbance"], si["pressure"] * si["velocity"]
    return {
        "density": (si["density"], si["density"] * eps),
        "velocity": (0, si["velocity"] * eps),
        "temperature": (si["temperature"], si["temperature"] * eps),
        "pressure": (si["pressure"], si["pressure"] * eps),
        "stress": (0, si["pressure"] * eps),
        "heat flux": (0, flux * eps),
        "mass flux": (0, 1e3 * si["density"] * si["mass"] * si["velocity"] * eps),  # in gram
        "length": (0, si["box"]),
        "time": (0, si["time"]),
        "rate": (0, 1 / si["time"]),
    }[dimension]


def _power_of_ten(largest, step):
    if not 0 < largest < math.inf:
        return 0
    return step * math.floor(math.log10(largest * (1 + 1e-9)) / step)


def scale(dimension, si=None, largest=0.0):
    """In SI if ``si`` holds the scales of the case; the prefix suits results up to ``largest``."""
    own, unit, how = _UNITS[dimension]
    if not si or not unit:
        return Scale(unit=own)
    offset, factor = conversion(dimension, si)
    power = 0
    if how == "prefix":
        power = _power_of_ten(abs(offset) + abs(factor) * largest, 3)
        power = min(max(power, -15), 12)
        unit = _PREFIXES[power // 3 + 5] + unit
    elif how == "power":
        power = _power_of_ten(abs(offset) + abs(factor) * largest, 1)
        power = 0 if -2 < power < 4 else power
        unit = rf"$10^{{{power}}}$ {unit}" if power else unit
    return Scale(factor / 10.0**power, offset / 10.0**power, unit, True)


def rescale(first, dimension, of_first, si):
    """The same unit for another run, whose scales may differ."""
    if not first.si:
        return first
    shrink = first.factor / conversion(dimension, of_first)[1]
    offset, factor = conversion(dimension, si)
    return Scale(factor * shrink, offset * shrink, first.unit, True)


# --------------------------------------------------------------------------------------------------- labels


def label(quantity, by):
    symbol = quantity.symbol if by.si else quantity.deviation or quantity.symbol
    return by.axis(f"{quantity.words}  {symbol}")


_DIMENSIONS = {
    **{entry["unit"]: entry["label"] for entry in QUANTITIES},
    "n0 V0 eps": "mass flux",
    "V0 / lambda0": "rate",
    "lambda0 / V0": "time",
}
_COLUMNS = {
    "D": "drag  $D$",
    "G": "vortex flow  $G$",
    "G_P": "flow rate  $G_P$",
    "G_T": "flow rate  $G_T$",
    "equation_residual": "residual of the equations",
}


_LONGEST = 80  # letters of a text in a picture


def column_dimension(column):
    return _DIMENSIONS.get(history_unit(column), "")


def escape(text):
    """Text of a file or a user, so that it is shown as it is: no formula, no control character, no endless line."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:_LONGEST]).replace("$", r"\$")


def column_symbol(column, si=False):
    """A column of history.csv in words."""
    name = column.removeprefix("average.")
    if name != column and name in TABLE:
        quantity = TABLE[name]
        return f"mean  {quantity.symbol if si or not quantity.deviation else quantity.deviation}"
    return _COLUMNS.get(column) or escape(column)


def component_of(name):
    """The components of a vector or tensor by its name; empty for other names."""
    return [part for part, (base, _) in COMPONENTS.items() if base == name]


def with_unit(value, unit):
    """A value in SI as text, with a prefix: 8020 Pa is "8.02 kPa"."""
    power = min(max(_power_of_ten(abs(value), 3), -15), 12)
    return f"{value / 10.0**power:.4g} {_PREFIXES[power // 3 + 5]}{unit}"
