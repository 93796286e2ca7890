"""Runs of the Knudsen solver: start them, read them, plot them.

>>> import knudsen
>>> run = knudsen.open("results/cavity")
>>> run.quantities.D                     # drag of the lid
0.6395
>>> run.fields["ux"].shape               # [y][x]
(40, 40)
>>> knudsen.plot.field(run, "u")         # speed and streamlines; needs matplotlib

>>> case = {"gas": {"delta": 10}, "walls": {"top": {"velocity": [1, 0, 0]}}}
>>> run = knudsen.run(case, out="results/denser", set={"collision.method": "bgk"})
>>> knudsen.sweep(case, {"gas.delta": "0.1:10:5:log"}, out="results/deltas")["D"]

Numbers are in the units of the program (docs/format.md): velocities in eps V0, lengths in L, times in
lambda0 / V0.  Of a case in SI, ``run.si`` has all of it in SI.
"""

import importlib

__version__ = "0.2.0"
__all__ = ["Error", "Run", "Snapshot", "find_program", "open", "plot", "run", "sweep"]

# Loaded at first use, so that a command line is read before the libraries are.
_PLACES = {
    "Error": "errors",
    "Run": "results",
    "Snapshot": "snapshot",
    "find_program": "program",
    "open": "results",
    "run": "program",
    "sweep": "sweeping.sweep",
}


def __getattr__(name):
    if name == "plot":
        return importlib.import_module(".plot", __name__)
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(importlib.import_module("." + _PLACES[name], __name__), name)
    except ModuleNotFoundError as error:
        if error.name not in ("h5py", "numpy"):
            raise
        raise ImportError(f"{error}; on Debian: apt install python3-h5py python3-matplotlib") from error
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(__all__))
