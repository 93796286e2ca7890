"""Pictures of runs with matplotlib.

Every function draws into ``ax``, or into a new figure, and returns the Axes, so that titles, limits and
``ax.figure.savefig("cavity.pdf")`` are matplotlib's own.  ``si=True`` draws cases in SI in m, m/s, K, Pa.
Where averages over time exist they are drawn; ``mean=False`` draws the last fields.

>>> knudsen.plot.field(run, "u")                          # speed and streamlines
>>> knudsen.plot.field(run, "theta", lines="u")           # temperature under the streamlines
>>> knudsen.plot.profile(run, "ux", along="y", x=0.5)
>>> knudsen.plot.history(run, ["D", "G"])
>>> knudsen.plot.compare([one, other], "ux", along="y")   # the legend has the keys in which they differ

``python3 -m knudsen.plot`` is the command ``knudsen plot``.
"""

__all__ = ["compare", "field", "history", "profile"]


def __getattr__(name):
    """The functions are loaded at first use, so that a command line is read before the libraries are."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import functions

    return getattr(functions, name)
