"""Starts a module of this package for the program, if this interpreter has the libraries that the module needs.

usage: python3 start.py MODULE [WORD...]

It may run in any Python 3.  The current folder is never searched for modules.
"""

import os
import sys

LACKS_LIBRARY = 119  # the program then tries another interpreter
FIGURES = {"knudsen.plot", "knudsen.plot.geometry", "knudsen.reproduce", "knudsen.sweeping"}  # these need matplotlib too
HELP = {"--help", "-h", "-?", "--usage", "--version", "-V"}  # needs no library


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    dropped = {os.path.realpath(place) for place in (os.curdir, here)}
    places = [place for place in sys.path if os.path.realpath(place or os.curdir) not in dropped]
    sys.path[:] = [os.path.dirname(here)] + places
    sys.argv.pop(0)
    module = sys.argv[0]
    if sys.version_info < (3, 9):
        sys.exit(LACKS_LIBRARY)
    from importlib.util import find_spec
    from runpy import run_module

    if not HELP & set(sys.argv):
        if not all(find_spec(name) for name in ("numpy", "h5py") + ("matplotlib",) * (module in FIGURES)):
            sys.exit(LACKS_LIBRARY)
    run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
