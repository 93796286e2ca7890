"""Names of fields and columns, and their units and symbols."""

from .field_table import QUANTITIES

AXES = "xyz"

# Components by name: the field they are part of, and their index in it.
COMPONENTS = {q["column"] + part: (q["name"], i)
              for q in QUANTITIES if len(q["components"]) > 1 for i, part in enumerate(q["components"])}

# What follows from fields: the field, the formula and a symbol.
DERIVED = {
    "speed": ("u", lambda u: (u * u).sum(axis=-1) ** 0.5, "|u|"),
    "heat": ("q", lambda q: (q * q).sum(axis=-1) ** 0.5, "|q|"),
    "p": ("Pi", lambda pi: pi[..., :3].mean(axis=-1), "p"),
}

_COLUMNS = {
    "step": "1",
    "time": "lambda0 / V0",
    "residual": "V0 / lambda0",
    "equation_residual": "1",
    "update": "1",
    "balance": "1",
    "mass": "n0 lambda0^3 eps",
    "momentum_x": "n0 V0 lambda0^3 eps",
    "momentum_y": "n0 V0 lambda0^3 eps",
    "momentum_z": "n0 V0 lambda0^3 eps",
    "momentum_drift": "n0 V0 lambda0^3 eps",
    "energy": "n0 V0^2 lambda0^3 eps",
    "energy_drift": "n0 V0^2 lambda0^3 eps",
    "stress_x": "p0 eps",
    "stress_y": "p0 eps",
    "stress_z": "p0 eps",
    "heat_flux": "p0 V0 eps",
    "mass_flux": "n0 V0 eps",
}
_FIELDS = {q["column"] + part: q["unit"] for q in QUANTITIES for part in q["components"]}


def axis_unit(name):
    """The unit of an axis or of the time; None for any other name."""
    return "L" if name in ("x", "y", "z") else "lambda0 / V0" if name == "time" else None


def history_unit(column):
    """The unit of a column of history.csv, whatever side or average it belongs to."""
    name = column.rpartition(".")[2]
    return _FIELDS.get(name) or _COLUMNS.get(name, "1")
