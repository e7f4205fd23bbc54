"""Cubic splines through samples: pieces Σ cₖ (x − xᵢ)^(3−k) with continuous slopes and curvatures.

Slopes at the samples solve a tridiagonal system, whose pivots are positive in order. SciPy has the same, at the price of its import,
which takes longer than all splines of a model.
"""

from __future__ import annotations

import numpy as np


def not_a_knot(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Coefficients (4, n − 1, …) of the spline whose first two and last two pieces are one polynomial each; through two or three
    samples, the line or the parabola. Nan where slopes are no numbers."""
    h, n = np.diff(x), len(x)
    with np.errstate(all="ignore"):
        rate = _rates(h, y)
        if n == 2:
            return _pieces(h, y, np.stack([rate[0], rate[0]]))
        if n == 3:
            bend = (rate[1] - rate[0]) / (x[2] - x[0])
            return _pieces(h, y, np.stack([rate[0] - bend * h[0], rate[0] + bend * h[0], rate[1] + bend * h[1]]))
        first, last = x[2] - x[0], x[-1] - x[-3]
        lower = np.concatenate([h[1:], [last]])
        middle = np.concatenate([[h[1]], 2.0 * (h[:-1] + h[1:]), [h[-2]]])
        upper = np.concatenate([[first], h[:-1]])
        given = np.empty_like(y)
        given[1:-1] = _weighed(h[:-1], h[1:], rate[:-1], rate[1:])
        given[0] = ((h[0] + 2.0 * first) * h[1] * rate[0] + h[0] ** 2 * rate[1]) / first
        given[-1] = (h[-1] ** 2 * rate[-2] + (2.0 * last + h[-1]) * h[-2] * rate[-1]) / last
        return _pieces(h, y, _tridiagonal(lower, middle, upper, given))


def periodic(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Coefficients of the spline whose slopes and curvatures, too, begin as they end. Nan where slopes are no numbers."""
    h, n = np.diff(x), len(x) - 1
    with np.errstate(all="ignore"):
        rate = _rates(h, y)
        if n == 1:
            return _pieces(h, y, np.zeros_like(y))
        before, rate_before = np.roll(h, 1), np.roll(rate, 1, axis=0)
        given = _weighed(before, h, rate_before, rate)
        middle = 2.0 * (before + h)
        tied = np.zeros(n - 1)  # the other slopes as that of the last sample alone moves them
        tied[0] -= h[0]
        tied[-1] -= before[n - 2]
        columns = np.column_stack([given[:-1].reshape(n - 1, -1), tied])
        found = _tridiagonal(h[1 : n - 1], middle[:-1], before[: n - 2], columns)
        free, moved = found[:, :-1], found[:, -1]
        left = given[-1].ravel() - h[-1] * free[-1] - before[-1] * free[0]
        last = left / (middle[-1] + h[-1] * moved[-1] + before[-1] * moved[0])
        slopes = np.vstack([free + moved[:, None] * last, last])
        return _pieces(h, y, np.vstack([slopes, slopes[:1]]).reshape(y.shape))


def _column(h: np.ndarray, like: np.ndarray) -> np.ndarray:
    """Lengths of pieces, to be multiplied by what has columns."""
    return h.reshape(-1, *[1] * (like.ndim - 1))


def _rates(h: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.asarray(np.diff(y, axis=0) / _column(h, y))


def _weighed(h0: np.ndarray, h1: np.ndarray, rate0: np.ndarray, rate1: np.ndarray) -> np.ndarray:
    """The right-hand side at a sample between two pieces."""
    return np.asarray(3.0 * (_column(h1, rate0) * rate0 + _column(h0, rate1) * rate1))


def _tridiagonal(lower: np.ndarray, middle: np.ndarray, upper: np.ndarray, given: np.ndarray) -> np.ndarray:
    """The solution by elimination from above."""
    pivots, found = middle.tolist(), np.array(given, dtype=float)
    below, above = lower.tolist(), upper.tolist()
    for i in range(1, len(pivots)):
        part = below[i - 1] / pivots[i - 1] if pivots[i - 1] else np.nan
        pivots[i] -= part * above[i - 1]
        found[i] -= part * found[i - 1]
    found[-1] /= pivots[-1] or np.nan
    for i in range(len(pivots) - 2, -1, -1):
        found[i] = (found[i] - above[i] * found[i + 1]) / (pivots[i] or np.nan)
    return found


def _pieces(h: np.ndarray, y: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """Coefficients by values and slopes at the ends."""
    long, rate = _column(h, y), _rates(h, y)
    bend = (slopes[:-1] + slopes[1:] - 2.0 * rate) / long
    found = np.stack([bend / long, (rate - slopes[:-1]) / long - bend, slopes[:-1], y[:-1]])
    return found if np.isfinite(found).all() else np.full_like(found, np.nan)
