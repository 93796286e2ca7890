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

Numbers are in the units of the program (docs/format.md): velocities in eps V0, lengths in L, times in
lambda0 / V0.  Of a case in SI, ``run.si`` has all of it in SI.
"""

try:
    import h5py as _h5py  # noqa: F401: to say what lacks before the traceback of another file does
except ImportError as error:
    raise ImportError(f"{error}; on Debian: apt install python3-h5py python3-matplotlib") from error

from . import plot
from .errors import Error
from .program import find_program, run
from .results import Run, open
from .snapshot import Snapshot

__version__ = "0.2.0"
__all__ = ["Error", "Run", "Snapshot", "find_program", "open", "plot", "run"]
