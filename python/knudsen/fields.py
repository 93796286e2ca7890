"""Fields on the cells of a box."""

from collections.abc import Mapping

import h5py
import numpy as np

from . import tables
from .checks import damaged
from .errors import Error
from .units import AXES, COMPONENTS, DERIVED

_STORED = AXES[::-1]  # the order of axes in arrays


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def read(stored, part=...):
    """Values of a dataset, whose checksums HDF5 compares."""
    try:
        return stored[part]
    except OSError as error:
        raise damaged(stored.file.filename, f"{stored.name} cannot be read: {error}") from None


class Fields(Mapping):
    """Fields by name, read when they are asked for; each time a new array that may be changed freely.

    rho, u, theta, Pi and q as they are stored, the components ux .. uz, Pxx .. Pyz and qx .. qz, and what
    follows from them: ``speed``, the length of u, ``heat``, the length of q, and ``p``, the pressure
    (deviation), a third of the trace of Pi.  Vectors have [3], Pi has [6] as the last axis; its order
    is xx yy zz xy xz yz.

    >>> run.fields["ux"]                    # [ny][nx]
    >>> run.fields["u"][..., 0]             # the same
    """

    _derived = DERIVED

    def __init__(self, group, squeeze, si=False):
        self._group, self._squeeze, self._si = group, squeeze, si

    def _read(self, name, component=None, part=(...,)):
        stored = self._group[name]
        value = read(stored, part if component is None else (*part, component))
        return stored.attrs["si_offset"] + stored.attrs["si_factor"] * value if self._si else value

    def part(self, name, part=(...,)):
        """Values of some cells [z][y][x]; no axis is left out."""
        if name in COMPONENTS:
            return self._read(*COMPONENTS[name], part)
        if name in self._derived:
            base, formula, _ = self._derived[name]
            return formula(self._read(base, None, part))
        if name not in self._stored():
            raise KeyError(f"{name}: no such field; there are {', '.join(self)}")
        return self._read(name, None, part)

    def __getitem__(self, name):
        value = self.part(name)
        if self._squeeze:
            value = value.reshape([n for n in value.shape[:3] if n > 1] + list(value.shape[3:]))
        return value

    def _stored(self):
        return [name for name, entry in self._group.items() if isinstance(entry, h5py.Dataset)]

    def __iter__(self):
        stored = self._stored()
        yield from stored
        yield from (name for name, (base, _) in COMPONENTS.items() if base in stored)
        yield from (name for name, (base, _, _) in self._derived.items() if base in stored)

    def __len__(self):
        return sum(1 for _ in self)

    def _ipython_key_completions_(self):
        return list(self)

    def unit(self, name):
        """The unit of a field as text.

        >>> run.fields.unit("ux")
        'V0 eps'
        """
        base = COMPONENTS[name][0] if name in COMPONENTS else DERIVED[name][0] if name in self._derived else name
        if base not in self._stored():
            raise KeyError(f"{name}: no such field; there are {', '.join(self)}")
        return text(self._group[base].attrs["si_unit" if self._si else "unit"])

    def __repr__(self):
        return f"<fields {', '.join(self._stored())}{' in SI' if self._si else ''}>"


class Parts(Fields):
    """Amplitudes or phases of an oscillation: the length of a vector and the pressure do not follow from them."""

    _derived = {}


class Moment(Fields):
    """Fields at a phase of an oscillation, from the amplitudes and phases in its file."""

    def __init__(self, file, squeeze, si, angle):
        super().__init__(file, squeeze, si)
        self._angle = angle

    def _read(self, name, component=None, part=(...,)):
        at = part if component is None else (*part, component)
        value = read(self._group["amplitude"][name], at) * np.cos(read(self._group["phase"][name], at) + self._angle)
        stored = self._group[name].attrs
        return stored["si_offset"] + stored["si_factor"] * value if self._si else value


class Grid:
    """Axes of the cells: ``x``, ``y``, ``z`` are centres, ``x_edges``, ``y_edges``, ``z_edges`` have one
    number more.  ``axes`` names those with more than one cell, such as "xy"."""

    def _edges(self, axis):
        raise NotImplementedError

    def _centres(self, axis):
        edges = self._edges(axis)
        return 0.5 * (edges[:-1] + edges[1:])

    @property
    def x(self):
        return self._centres("x")

    @property
    def y(self):
        return self._centres("y")

    @property
    def z(self):
        return self._centres("z")

    @property
    def x_edges(self):
        return self._edges("x")

    @property
    def y_edges(self):
        return self._edges("y")

    @property
    def z_edges(self):
        return self._edges("z")

    @property
    def axes(self):
        return "".join(name for name in AXES if len(getattr(self, name)) > 1)

    def choose(self, mean=None):
        """The averaged fields, or the momentary ones; None takes the average where there is one."""
        if mean and self.mean is None:
            raise Error("this run has no averages; output.average starts them")
        return self.mean if mean or (mean is None and self.mean is not None) else self.fields

    def cut(self, name, mean=None, **at):
        """A field where ``x=``, ``y=`` or ``z=`` cuts it, in the unit of ``run.x``, on the axes that remain.

        Between centres of cells values are interpolated.  ``mean=True`` takes the average over time,
        False the moment; by default the average where there is one.

        >>> run.cut("ux", x=0.5)                # [ny]
        """
        fields = self.choose(mean)
        for axis in at:
            if axis not in AXES:
                raise Error(f"{axis}= is none of the axes x, y, z")
        layers = [_layers(self, axis, at.get(axis)) for axis in _STORED]
        values = fields.part(name, tuple(slice(first, first + count) for first, count, _ in layers))
        for i, (_, count, share) in enumerate(layers):
            if share is not None and count > 1:
                values = (1 - share) * np.take(values, [0], i) + share * np.take(values, [1], i)
        return values.reshape([n for n in values.shape[:3] if n > 1] + list(values.shape[3:]))

    def line(self, name, along=None, mean=None, **at):
        """Places and values of a field along a straight line through the box, as two arrays.

        ``along`` is an axis (the only one, or the last: y in a plane flow); the others stand at their
        middle unless ``x=``, ``y=`` or ``z=`` says otherwise.  ``mean`` is that of ``cut``.

        >>> y, ux = run.line("ux", along="y", x=0.5)
        """
        along = along or self.axes[-1:] or "x"
        if along not in tuple(AXES):
            raise Error(f"along is one of x, y, z, not {along!r}")
        if along in at:
            raise Error(f"{along}= does not place a line along {along}")
        middle = {axis: self._middle(axis) for axis in AXES if axis != along}
        values = self.cut(name, mean, **{**middle, **at})
        places = getattr(self, along)
        return places, values.reshape([len(places), *values.shape[len(places) > 1 :]])

    def to_xarray(self, names=None, mean=None):
        """Scalar fields (by default rho, theta and all components) as an xarray.Dataset with coordinates and units.

        >>> run.to_xarray().ux.sel(y=0.5, method="nearest")
        """
        return tables.dataset(self, names, mean)

    def to_pandas(self, names=None, mean=None):
        """The same as a pandas.DataFrame with a row per cell and its centre in the first columns."""
        return tables.frame(self, names, mean)

    def _middle(self, axis):
        edges = getattr(self, axis + "_edges")
        return 0.5 * (edges[0] + edges[-1])


def _layers(grid, axis, place):
    """The cells of an axis that a cut needs: the first, their number, and the weight of the second of two."""
    centres, edges = getattr(grid, axis), getattr(grid, axis + "_edges")
    if place is None:
        return 0, len(centres), None
    if not edges[0] <= place <= edges[-1]:
        raise Error(f"{axis} = {place:g} is outside the box, which goes from {edges[0]:g} to {edges[-1]:g}")
    if len(centres) == 1:
        return 0, 1, None
    above = int(np.clip(np.searchsorted(centres, place), 1, len(centres) - 1))
    share = (place - centres[above - 1]) / (centres[above] - centres[above - 1])
    return above - 1, 2, float(np.clip(share, 0, 1))  # beyond the last centre its value holds up to the wall
