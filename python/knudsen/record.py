"""Entries of JSON files."""

import numpy as np


class Record(dict):
    """A dict whose entries are attributes too: ``case.gas.delta`` is ``case["gas"]["delta"]``."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            there = ", ".join(map(str, self)) or "nothing"
            raise AttributeError(f"there is no {name!r}, only {there}") from None

    def __dir__(self):
        return [*super().__dir__(), *self]


def numbers(entry):
    """Lists become arrays; a number that does not exist becomes nan."""
    if isinstance(entry, dict):
        return Record({key: numbers(value) for key, value in entry.items()})
    if isinstance(entry, list):
        return np.array(entry, dtype=float)
    return np.nan if entry is None else entry
