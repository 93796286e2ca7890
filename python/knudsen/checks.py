"""Checks of result files before anything in them is believed: they may come from anybody."""

import os
import stat

import h5py
import numpy as np

from .errors import Error
from .field_table import QUANTITIES

FORMAT = 1  # of fields.h5
DAMAGE = 4  # exit code of the program
_COMPONENTS = {field["name"]: len(field["components"]) for field in QUANTITIES}
_MOST_CELLS = 1 << 30  # along an axis
_LONGEST_BOX, _SHORTEST_CELL = 1e12, 1e-13  # in L
_LONGEST_WORD = 32
_FLETCHER32 = 3  # the only filter that the program uses


def damaged(path, reason):
    return Error(f"'{path}' is damaged: {reason}", DAMAGE)


def require_regular(path):
    """A pipe or a device would be read for ever."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise Error(f"cannot read '{path}': it is not a regular file", DAMAGE)


def number(owner, name):
    """An attribute that is one number; None if there is none."""
    if not h5py.h5a.exists(owner.id, name.encode()):
        return None
    attribute = h5py.h5a.open(owner.id, name.encode())
    if attribute.shape != () or attribute.dtype.kind not in "iuf":
        return None
    return float(owner.attrs[name])


def word(owner, name):
    """An attribute that is a short printable text; None if there is none."""
    if not h5py.h5a.exists(owner.id, name.encode()):
        return None
    attribute = h5py.h5a.open(owner.id, name.encode())
    if attribute.shape != () or h5py.check_string_dtype(attribute.dtype) is None:
        return None
    try:
        text = owner.attrs[name]
        text = text.decode() if isinstance(text, bytes) else str(text)
    except (OSError, UnicodeError):
        return None
    return text if len(text.encode()) < _LONGEST_WORD and all(letter.isprintable() for letter in text) else None


def group(owner, name):
    """A group of the file itself; None if there is none, or if the name is a link."""
    if not isinstance(owner.get(name, getlink=True), h5py.HardLink):
        return None
    found = owner[name]
    return found if isinstance(found, h5py.Group) else None


def _is_stored_plainly(found):
    """True if all values are in the file itself, uncompressed: a small file then needs little memory."""
    plist = found.id.get_create_plist()
    filters = [plist.get_filter(i)[0] for i in range(plist.get_nfilters())]
    layout = plist.get_layout()
    if layout == h5py.h5d.VIRTUAL or any(entry != _FLETCHER32 for entry in filters):
        return False
    if layout == h5py.h5d.CONTIGUOUS and plist.get_external_count() > 0:
        return False
    size = float(np.prod(found.shape, dtype=float)) * found.dtype.itemsize
    return size <= found.id.get_storage_size() and size <= found.file.id.get_filesize()


def dataset(owner, name, rank):
    """A dataset of numbers that lie in the file itself; None if there is none."""
    if owner is None or not isinstance(owner.get(name, getlink=True), h5py.HardLink):
        return None
    found = owner[name]
    good = isinstance(found, h5py.Dataset) and found.ndim == rank and found.dtype.kind in "iuf" and found.size
    return found if good and _is_stored_plainly(found) else None


def _check_axis(file, path, axis, delta):
    name = f"grid/{axis}"
    found = dataset(group(file, "grid"), axis, 1)
    edges = None
    if found is not None and found.shape[0] <= _MOST_CELLS:
        try:
            edges = found[...]
        except OSError:
            edges = None
    if edges is None:
        raise damaged(path, f"{name} is missing or cannot be read")
    if len(edges) < 2:
        raise damaged(path, f"{name} does not have between 2 and 2^30 edges of cells")
    places = np.asarray(edges, dtype=float) / delta
    if not (np.abs(places) < _LONGEST_BOX).all() or not (np.diff(places) > _SHORTEST_CELL).all():
        raise damaged(path, f"{name} does not hold finite numbers that increase")
    return len(edges) - 1


def _check_fields(owner, path, cells):
    for name, components in _COMPONENTS.items():
        found = dataset(owner, name, 3 + (components > 1))
        if found is None or found.shape != tuple(cells) + ((components,) if components > 1 else ()):
            raise damaged(path, f"{name} is missing or does not fit the grid")


def check_file(file, path):
    """Refuse a file that does not have the layout of docs/format.md."""
    found = number(file, "format")
    if found is None:
        raise Error(f"'{path}' is not a fields file of Knudsen: it has no attribute 'format'", DAMAGE)
    if found != FORMAT:
        raise Error(f"'{path}' has format {found:.17g}; this program reads format {FORMAT}", DAMAGE)
    time, delta = number(file, "time"), number(file, "delta")
    if time is None or delta is None or not np.isfinite(time) or not 0 < delta < np.inf:
        raise damaged(path, "the attributes time and delta are not finite numbers")
    cells = [_check_axis(file, path, axis, delta) for axis in "xyz"][::-1]
    _check_fields(file, path, cells)
    for name in ("mean", "amplitude", "phase"):
        if file.get(name, getlink=True) is not None:
            if group(file, name) is None:
                raise damaged(path, f"its group {name} cannot be read")
            _check_fields(file[name], path, cells)
    _check_oscillation(file, path)
    if file.get("series", getlink=True) is not None and group(file, "series") is None:
        raise damaged(path, "its series cannot be read")
    if file.get("si", getlink=True) is not None:
        _check_scales(group(file, "si"), path)


def _check_oscillation(file, path):
    """Amplitudes, phases and a frequency exist together."""
    found = [group(file, name) for name in ("amplitude", "phase")]
    if found == [None, None]:
        return
    frequency = number(found[0], "frequency") if all(found) else None
    if frequency is None or not 0 < frequency < np.inf:
        raise damaged(path, "amplitude, phase and their frequency do not exist together")


def _check_scales(found, path):
    good = found is not None and word(found, "species") is not None
    if good:
        names = [name for name in found.attrs.keys() if name != "species"]
        values = [number(found, name) for name in names]
        good = all(value is not None and np.isfinite(value) for value in values)
    if not good:
        raise damaged(path, "the group si does not hold the species and the scales")


def is_step(link, name):
    """Whether an entry of the series is the link to the file of that step, and to no other file."""
    return (
        isinstance(link, h5py.ExternalLink)
        and link.filename == f"fields/{name}.h5"
        and link.path == "/"
        and name.isascii()
        and name.isdigit()
        and len(name) < _LONGEST_WORD
    )
