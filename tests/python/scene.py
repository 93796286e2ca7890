"""Common data of the tests: the path of the program, and small cases."""

import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, ROOT = (Path(word).resolve() for word in sys.argv[1:3])
sys.path.insert(0, str(ROOT / "python"))

import knudsen  # noqa: E402: from the path above

# Four nodes are too few for heated walls; these tests check files, not the physics.
FORCE = {"force": True}

# A lid drives the gas in cells that are smaller at some walls; five stored steps and the end.
CAVITY = {
    "space": {"cells": [8, 10], "stretch": [0.8, 0.9]},
    "velocity": {"nodes": 4},
    "run": FORCE,
    "collision": {"method": "bgk"},
    "walls": {"top": {"velocity": [1, 0, 0]}, "left": {"temperature": 0.5}},
    "time": {"end": 1},
    "output": {"fields": 0.25, "history": 5},
}
PLATES = {
    "gas": {"delta": 0.5},
    "space": {"cells": 12, "stretch": 0.85},
    "velocity": {"nodes": 4},
    "run": FORCE,
    "collision": {"method": "bgk"},
    "walls": {"left": {"velocity": [0, -0.5, 0]}, "right": {"velocity": [0, 0.5, 0.2], "temperature": 1}},
    "time": {"end": 1},
    "output": {"fields": 0.5},
}
# Walls move in different directions: all components of the stress differ.
BOX = {
    "gas": {"delta": 2},
    "space": {"cells": [4, 5, 6], "size": [1, 1.5, 2], "stretch": [0.9, 0.8, 0.7]},
    "velocity": {"nodes": 4},
    "run": FORCE,
    "collision": {"method": "bgk"},
    "walls": {
        "left": {"velocity": [0, 1, 0]},
        "right": {"velocity": [0, 0, 0.3], "temperature": 0.5},
        "top": {"velocity": [0.7, 0, 0]},
        "back": {"velocity": [0.2, 0.5, 0]},
    },
    "time": {"end": 0.5},
    "output": {"fields": 0.25},
}
SAMPLED = {
    "space": {"cells": [6, 6]},
    "velocity": {"nodes": 6},
    "collision": {"method": "monte-carlo", "samples": 500},
    "walls": {"top": {"velocity": [1, 0, 0]}},
    "time": {"end": 2},
    "output": {"average": 1, "history": 1, "vtk": True},
}

MICRO = {
    "gas": {"species": "helium", "pressure": "20 kPa", "temperature": "300 K"},
    "space": {"cells": [6, 5], "size": ["2 um", "1 um"], "stretch": [0.8, 0.9]},
    "velocity": {"nodes": 4},
    "run": FORCE,
    "collision": {"method": "bgk"},
    "walls": {"top": {"velocity": ["5 m/s", 0, 0]}, "bottom": {"temperature": "310 K"}},
    "time": {"end": "2 ns"},
    "output": {"fields": "1 ns"},
}

_kept = {}


def finished(case):
    """A run of one of these cases, computed once."""
    if id(case) not in _kept:
        _kept[id(case)] = knudsen.run(case, program=PROGRAM)
    return _kept[id(case)]


class Test(unittest.TestCase):
    """Tests with a folder of their own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="knudsen-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def refuses(self, words, call, *arguments, **options):
        """The call must raise knudsen.Error with these words in its message; returns the error."""
        with self.assertRaises(knudsen.Error) as caught:
            call(*arguments, **options)
        self.assertIn(words, str(caught.exception))
        return caught.exception


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
