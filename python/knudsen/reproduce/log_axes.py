"""Logarithmic axes: named ticks along x, whole decades along y."""

import math


def finish(axes, ticks):
    """Label the given places along x with numbers; extend y to whole decades, which leaves room for a legend."""
    axes.set_xticks(ticks, [f"{x:.4g}" for x in ticks])
    axes.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
    low, high = (math.log10(limit) for limit in axes.get_ylim())
    axes.set_ylim(10.0 ** math.floor(low), 10.0 ** math.ceil(high))
