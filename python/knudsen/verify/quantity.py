"""Names of quantities that are measured in a run.

COLUMN is a column of history.csv or ``front``, the position of a shock in lambda0.  FIELD is one of rho, ux, uy,
uz, theta, Pxx ... qz.  x, y, z are in L, everything else is in the units of the results.  A leading minus changes
the sign.

COLUMN                 mean from output.average on, otherwise the last value
COLUMN=T               value at time T
COLUMN@T               value at time T divided by the value at time 0
COLUMN.rate            slope of the straight line through the second half
COLUMN.amplitude       of A cos(w t + phase), where w is the frequency of the oscillating wall; fitted from
COLUMN.phase           output.average on, otherwise to the last period
FIELD(x) FIELD(x;y) FIELD(x;y;z)  at a point; coordinates that are not given are in the middle
FIELD(x)=T             at a point, in a run that ends at time T
FIELD(x).amplitude     of the fit above
FIELD(x).phase
FIELD.far              mean over 0.4 to 0.7 of the x axis
FIELD.slip             the straight line through FIELD there, extrapolated to x = 0: its difference from the value
                       of the left wall, divided by its slope; lambda0
FIELD.decay            decay rate of the initial wave in the second half of the run, if it does not oscillate
FIELD.heat             if it oscillates, three modes are fitted: the rate of the mode that only decays,
FIELD.damping          the rate of the sound mode,
FIELD.frequency        and its angular frequency
FIELD.wavenumber       of the wave that an oscillating wall sends along x, fitted over 0.25 to 0.5 of the axis:
FIELD.attenuation      phase and logarithm of the amplitude per lambda0
FIELD.thickness        largest slope across a shock along x, divided by the rise (of rho, u and theta between the
                       inflows, of other fields between the ends); 1 / lambda0
FIELD.lead             distance by which half the rise of FIELD is upstream (left) of half the rise of rho; lambda0
FIELD.profile(x)       fraction of the rise at a distance x, in lambda0, from half the rise of rho
"""

import re
from dataclasses import dataclass

from ..errors import Error
from ..units import COMPONENTS

SIDES = ("left", "right", "bottom", "top", "back", "front")
FIELDS = ("rho", "ux", "uy", "uz", "theta", *(name for name in COMPONENTS if name[0] in "Pq"))
COLUMNS = {
    *("step", "time", "residual", "mass", "momentum_x", "momentum_y", "momentum_z", "energy", "mass_drift"),
    *("momentum_drift", "energy_drift", "D", "G", "G_P", "G_T", "permeability", "fourth", "sixth", "front"),
    *(f"{side}.{name}" for side in SIDES for name in ("stress_x", "stress_y", "stress_z", "heat_flux", "mass_flux")),
    *(f"average.{name}" for name in FIELDS),
    *(f"wave.{name}" for name in FIELDS[:5]),
}
OF_BODIES = r"bodies\.[\w-]+\.(force_[xyz]|torque_[xyz]|heat)|ports\.[\w-]+\.(mass_flow|heat|stress)"
OF_COLUMN = ("amplitude", "phase", "rate")
OF_PLACE = ("amplitude", "phase")
MODES = ("decay", "heat", "damping", "frequency")
SOUND = ("wavenumber", "attenuation")
OF_SHOCK = ("thickness", "lead", "profile")
OF_FIELD = ("far", "slip", *MODES, *SOUND, "thickness", "lead")
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_NO_COLUMN = "history.csv has no such column"
_NO_FIELD = "no field (rho, ux, ..., theta, Pxx, ..., qz) has that name"


@dataclass(frozen=True)
class Quantity:
    """A quantity: ``kind`` is "mean", "value", "share" or a suffix for columns, "point" or a suffix for fields."""

    text: str
    kind: str
    sign: int = 1
    column: str = ""
    field: str = ""
    time: float = 0.0
    at: tuple = ()

    @property
    def oscillates(self):
        return self.kind in OF_PLACE

    @property
    def is_phase(self):
        return self.kind == "phase"

    @property
    def at_a_time(self):
        return self.kind in ("value", "share", "point value")


def parse(text):
    """The quantity with this name; an Error explains why there is none."""
    sign = -1 if text.startswith("-") else 1
    name, mark, rest = re.fullmatch(r"-?([^(=@]*)([(=@]?)(.*)", text, re.DOTALL).groups()
    if not name:
        raise _refused(text, "the name is missing")
    if mark == "(":
        return _parse_place(text, sign, name, rest)
    if mark:
        return _parse_time(text, sign, name, mark, rest)
    return _parse_suffix(text, sign, name)


def is_column(name):
    """Whether history.csv of some case has a column of this name."""
    return name in COLUMNS or re.fullmatch(OF_BODIES, name) is not None


def _refused(text, reason):
    return Error(f"'{text[:60]}' is no quantity: {reason}")


def _parse_place(text, sign, name, rest):
    field, dot, suffix = name.partition(".")
    profile = dot and suffix == "profile"
    if field not in FIELDS or (dot and not profile):
        raise _refused(text, "the name before a place must be a field (rho, ux, ..., theta, Pxx, ..., qz)")
    place = re.match(rf"({NUMBER}(?:;{NUMBER}){{0,2}})\)", rest)
    at = tuple(map(float, place[1].split(";"))) if place else ()
    if not at or (profile and len(at) > 1):
        raise _refused(text, "a place is (x), (x;y) or (x;y;z)")
    after = rest[place.end() :]
    common = {"text": text, "sign": sign, "field": field, "at": at}
    if not after:
        return Quantity(kind="profile" if profile else "point", **common)
    if not profile and after[0] == "=" and _time(after[1:]) is not None:
        return Quantity(kind="point value", time=_time(after[1:]), **common)
    if not profile and after[0] == "." and after[1:] in OF_PLACE:
        return Quantity(kind=after[1:], **common)
    raise _refused(text, "only = and a time, .amplitude or .phase can follow a place")


def _time(text):
    """A time, or None."""
    return float(text) if re.fullmatch(NUMBER, text) and float(text) >= 0 else None


def _parse_time(text, sign, name, mark, rest):
    if _time(rest) is None:
        raise _refused(text, "a time of 0 or more must follow = or @")
    if not is_column(name):
        raise _refused(text, _NO_COLUMN)
    return Quantity(text, "share" if mark == "@" else "value", sign, column=name, time=_time(rest))


def _parse_suffix(text, sign, name):
    if is_column(name):
        return Quantity(text, "mean", sign, column=name)
    first, _, suffix = name.rpartition(".")
    if suffix in OF_COLUMN:
        if not is_column(first):
            raise _refused(text, _NO_COLUMN)
        return Quantity(text, suffix, sign, column=first)
    if suffix in OF_FIELD:
        if first not in FIELDS:
            raise _refused(text, _NO_FIELD)
        return Quantity(text, suffix, sign, field=first)
    raise _refused(text, f"{_NO_COLUMN}, and no quantity has this ending")
