"""Least squares: the coefficients of a few functions in a series of values."""

import numpy as np


def solve(functions, values):
    """Coefficients [terms] of functions [points][terms] in values [points][...]; None if they are not unique."""
    functions, values = np.asarray(functions, float), np.asarray(values, float)
    scale = np.sqrt((functions**2).sum(axis=0))
    if functions.size == 0 or not (scale > 0).all():
        return None
    scaled = functions / scale
    matrix = scaled.T @ scaled
    try:
        root = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return None
    if not (np.diag(root) ** 2 > 1e-13).all():
        return None
    found = np.linalg.solve(matrix, np.tensordot(scaled, values, (0, 0)).reshape(len(matrix), -1))
    return (found / scale[:, None]).reshape(len(matrix), *values.shape[1:])


def line(x, y):
    """Value at x = 0 and slope of the straight line; None if there is none."""
    x = np.asarray(x, float)
    if len(x) == 0:
        return None
    middle = x.mean()
    found = solve(np.column_stack([np.ones_like(x), x - middle]), y)
    return None if found is None else (found[0] - found[1] * middle, found[1])
