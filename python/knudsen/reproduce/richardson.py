"""Limits and orders of convergence of results on successively finer grids.

Grids come from coarse to fine: ``h`` is the width of a cell, ``value`` the result on that grid.
"""

import math

import numpy as np

POINTS = 3  # the finest grids, from which a limit or an order is taken


def fit_power(x, y):
    """Factor and power of y = factor x^power, by least squares of the logarithms; None where there is no fit."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    if len(x) < 2 or not (np.all(x > 0) and np.all(y > 0) and np.all(np.isfinite(y))) or np.ptp(x) == 0:
        return None
    intercept, power = _line(np.log(x), np.log(y))
    return math.exp(intercept), power


def limit(h, value, order):
    """The value at h = 0 of the line a + b h^order through the finest grids; nan with fewer than two."""
    if len(h) < 2:
        return math.nan
    return _line(np.asarray(h[-POINTS:], float) ** order, np.asarray(value[-POINTS:], float))[0]


def slope(h, value, limit):
    """Factor and power of |value / limit - 1| = factor h^power through all grids; nan where a value is the limit."""
    found = fit_power(h, np.abs(np.asarray(value, float) / limit - 1))
    return found or (math.nan, math.nan)


def order(h, value):
    """The power p for which the three finest grids lie on a + b h^p; nan where there is none from 0.05 to 8.

    It assumes no limit, whereas an extrapolated limit already assumes an order.
    """
    if len(h) < POINTS:
        return math.nan
    x, y = h[-POINTS:], value[-POINTS:]
    if y[1] == y[2]:
        return math.nan
    wanted = (y[0] - y[1]) / (y[1] - y[2])
    low, high = 0.05, 8.0  # the ratio grows with p
    if not _ratio(x, low) < wanted < _ratio(x, high):
        return math.nan
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _ratio(x, middle) < wanted else (low, middle)
    return (low + high) / 2


def _ratio(h, p):
    """The change of h^p from the first grid to the second, over that from the second to the third."""
    return (h[0] ** p - h[1] ** p) / (h[1] ** p - h[2] ** p)


def _line(x, y):
    """Intercept and slope of the line of least squares; about the mean of x, which loses no digits."""
    middle = x.mean()
    gradient = np.sum((x - middle) * y) / np.sum((x - middle) ** 2)
    return float(y.mean() - gradient * middle), float(gradient)
