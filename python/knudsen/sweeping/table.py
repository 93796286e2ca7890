"""The table of a sweep: a row per point with the values of the keys, the results and their quality."""

import csv
import io
import os
from pathlib import Path

from ..errors import Error
from ..units import AXES, history_unit

NAME = "table.csv"
_FIRST = "folder"  # the first column marks a table of a sweep
_SI = {"stress": "Pa", "heat_flux": "W m-2", "mass_flux": "kg m-2 s-1"}
# Bodies and ports: dimensionless unit, SI unit, and whether it is per metre of every uniform axis.
_SURFACES = {
    "force": ("p0 lambda0^2 eps", "N", True),
    "torque": ("p0 lambda0^3 eps", "N m", True),
    "heat": ("p0 V0 lambda0^2 eps", "W", True),
    "mass_flow": ("n0 V0 lambda0^2 eps", "kg s-1", True),
    "stress": ("p0 eps", "Pa", False),
    "conductance": ("V0 lambda0^2", "m3 s-1", True),
}
_MOTION = {"damping": ("p0 / V0", "Pa s m-1"), "added_mass": ("p0 lambda0 / V0^2", "kg m-2")}  # of a side
_BODY_MOTION = {"damping": ("p0 lambda0^2 / V0", "N s m-1"), "added_mass": ("p0 lambda0^3 / V0^2", "kg")}
VERDICT = "verdict"  # the column after the keys
_LAST = ("quality", "error estimate", "remaining change", "steps", "time [lambda0 / V0]", "wall time [s]")
MESSAGE = "message"  # of a point that failed


def _wall_values(walls):
    """(name, value) of the fluxes at the walls: right.stress_y, right.heat_flux, ..."""
    for side, wall in walls.items():
        for axis, value in zip(AXES, wall["stress"]):
            yield f"{side}.stress_{axis}", value
        yield from ((f"{side}.{name}", wall[name]) for name in ("heat_flux", "mass_flux"))


def _wall_unit(name, si):
    kind = name.rpartition(".")[2].partition("_")[0]
    kind = kind if kind == "stress" else f"{kind}_flux"
    return _SI[kind] if si else history_unit(name)


def _whole_unit(units, si, summary):
    """The unit of a value of a whole body or port, from those of _SURFACES."""
    own, unit, per_metre = units
    case = summary["case"]
    kinds = (case["walls"][side]["kind"] for side in ("left", "bottom", "back"))
    alike = ("periodic", "symmetry", "specular")
    uniform = sum(count == 1 and kind in alike for count, kind in zip(case["space"]["cells"], kinds))
    return f"{unit} m-{uniform}" if si and per_metre and uniform else unit if si else own


def _unit(name, si, summary):
    """The unit of a column of the history: bodies.wire.force_x, left.stress_y, ..."""
    kind = name.rpartition(".")[2]
    kind = kind[:-2] if kind[-2:-1] == "_" else kind
    is_whole = name.startswith(("bodies.", "ports.")) and kind in _SURFACES
    return _whole_unit(_SURFACES[kind], si, summary) if is_whole else _wall_unit(name, si)


def _motion(summary, si):
    """(name with its unit, value) of damping and added mass of the sides and bodies that oscillate."""
    for before, key, table in ("", "moving_walls", _MOTION), ("bodies.", "moving_bodies", _BODY_MOTION):
        for owner, found in summary.get(key, {}).items():
            for name, (own, unit) in table.items():
                unit = _whole_unit((own, unit, bool(before)), si, summary)
                yield f"{before}{owner}.{name} [{unit}]", found.get(f"{name}_si" if si else name)


def _surface_values(summary, si):
    """(name with its unit, value) of the results of bodies and ports: bodies.bar.force_x [N m-1], ..."""
    found = summary["quantities_si" if si else "quantities"]
    lists = {f"{kind}.{name}": values for kind in ("bodies", "ports") for name, values in found.get(kind, {}).items()}
    for owner, values in (lists | {"port_flow": found.get("port_flow", {})}).items():
        for name, value in values.items():
            unit = _whole_unit(_SURFACES.get(name, ("1", "1", False)), si, summary)
            parts = zip(AXES, value) if isinstance(value, list) else [("", value)]
            for axis, part in parts:
                yield f"{owner}.{name}{'_' if axis else ''}{axis} [{unit}]", part


def results(summary, si=None):
    """The results of a run by the name of the column; None where a number does not exist.

    ``si`` decides the units of the walls; by default they are those of the case.
    """
    si = "quantities_si" in summary if si is None else si
    main, errors = summary["quantities"], summary.get("errors", {})
    oscillates = "oscillation" in summary  # values at the end are those of one time
    row = {name: value for name, value in main.items() if not isinstance(value, dict) and not oscillates}
    row |= {f"{name} error": errors.get(name) for name in list(row) if errors}
    suffix = "_si" if si else ""
    values = dict(_wall_values(summary["quantities" + suffix]["walls"]))
    deviations = dict(_wall_values(summary.get("errors" + suffix, {}).get("walls", {})))
    row |= dict(_motion(summary, si))
    for name, value in () if oscillates else values.items():
        unit = _wall_unit(name, si)
        row[f"{name} [{unit}]"] = value
        if deviations:
            row[f"{name} error [{unit}]"] = deviations.get(name)
    row |= {} if oscillates else dict(_surface_values(summary, si))
    for name, found in summary.get("oscillation", {}).items():
        if isinstance(found, dict):
            row[f"{name} amplitude [{_unit(name, si, summary)}]"] = found.get("amplitude" + suffix)
            row[f"{name} phase [rad]"] = found["phase"]
    return row


def sizes(summary):
    """The results without units, which are of the order of one, by the same names of columns."""
    return dict(zip(results(summary), (abs(value or 0) for value in results(summary, si=False).values())))


def judgement(summary):
    """The last columns."""
    quality = summary.get("quality", {})
    values = (quality.get(name) for name in ("level", "error_estimate", "remaining_change"))
    return dict(zip(_LAST, (*values, summary["steps"], summary["time"], summary["wall_s"])))


def warning(row):
    """What the validity checks say of a point with a warning; empty for others."""
    if row.get(_LAST[0]) in (None, "good"):
        return ""
    error = row.get(_LAST[1])
    return f"{row[_LAST[0]]}, estimated error {100 * error:.2g} %" if error else row[_LAST[0]]


def head(axes, rows):
    """The columns: keys, verdict, quantities in the order of the runs, judgement, message."""
    names = dict.fromkeys(name for row in rows for name in row)
    own = (_FIRST, *(axis.column for axis in axes), VERDICT)
    middle = [name for name in names if name not in (*own, *_LAST, MESSAGE)]
    return [*own, *middle, *_LAST, MESSAGE]


def row_of(axes, point, summary=None, message=None):
    """A row; a point that failed has a message instead of a summary."""
    row = {_FIRST: point.name}
    row |= {axis.column: axis.entry(index) for axis, index in zip(axes, point.indices)}
    if summary is not None:
        verdict = {VERDICT: summary.get("quality", {}).get("verdict")}
        return row | verdict | results(summary) | judgement(summary)
    return row | {VERDICT: "failed", MESSAGE: message}


def _cell(value):
    return "" if value is None else f"{value:.9g}" if isinstance(value, float) else str(value)


def write(path, axes, rows):
    """Write the table. The file is replaced only when the new one is complete."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = head(axes, rows)
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_text(text.getvalue(), encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def check_folder(folder, axes):
    """Refuse a folder whose table is not of a sweep over the same keys."""
    path = Path(folder) / NAME
    try:
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            found = next(csv.reader(file), [])
    except FileNotFoundError:
        return
    columns = [_FIRST, *(axis.key for axis in axes), VERDICT]
    names = [name.partition(" [")[0] for name in found]
    if names[:1] != [_FIRST]:
        raise Error(f"'{path}' is not the table of a sweep and is not replaced (--out DIR writes elsewhere)")
    if names[: len(columns)] != columns:
        hint = "(--out DIR writes elsewhere, --overwrite replaces it)"
        raise Error(f"'{path}' is the table of a sweep over other keys {hint}")
