"""Results as objects of xarray and pandas, which are loaded when they are asked for."""

import importlib

import numpy as np

from .errors import Error
from .units import AXES, COMPONENTS

_NAMES = ("rho", "theta", *COMPONENTS)


def load(library):
    """A library that is only needed here."""
    try:
        return importlib.import_module(library)
    except ImportError:
        raise Error(f"{library} is not installed (Debian: python3-{library})") from None


def dataset(grid, names=None, mean=None):
    """Fields of a snapshot as an xarray.Dataset with coordinates and units."""
    xarray = load("xarray")
    fields = grid.choose(mean)
    names = [names] if isinstance(names, str) else list(names or (name for name in _NAMES if name in fields))
    variables = {}
    for name in names:
        values = np.asarray(fields[name])
        dims = AXES[::-1] if grid.keeps_axes else grid.axes[::-1]
        if values.ndim != len(dims):
            raise Error(f"{name} is no scalar: its components, such as {name[0].replace('Pi', 'P')}x, are")
        variables[name] = (list(dims), values, {"units": fields.unit(name)})
    used = AXES if grid.keeps_axes else grid.axes
    coordinates = {axis: (axis, getattr(grid, axis), {"units": grid.unit(axis)}) for axis in used}
    coordinates["time"] = ((), grid.time, {"units": grid.unit("time")})
    return xarray.Dataset(variables, coordinates)


def series_dataset(snapshots, names=None):
    """The same for every stored step, along the dimension time."""
    xarray = load("xarray")
    if not len(snapshots):
        raise Error("this run has no series; output.fields sets the time between its files")
    return xarray.concat([at.to_xarray(names, mean=False) for at in snapshots], dim="time")


def frame(grid, names=None, mean=None):
    """Fields of a snapshot as a pandas.DataFrame with a row per cell."""
    pandas = load("pandas")
    fields = grid.choose(mean)
    names = [names] if isinstance(names, str) else list(names or (name for name in _NAMES if name in fields))
    used = grid.axes
    places = np.meshgrid(*(getattr(grid, axis) for axis in used[::-1]), indexing="ij")
    columns = {axis: place.ravel() for axis, place in zip(used[::-1], places)}
    columns = {axis: columns[axis] for axis in used}
    columns |= {name: np.asarray(fields[name]).ravel() for name in names}
    return pandas.DataFrame(columns)


def history_frame(history):
    """history.csv as a pandas.DataFrame with the step as its index."""
    pandas = load("pandas")
    return pandas.DataFrame({name: history[name] for name in history}).set_index("step")
