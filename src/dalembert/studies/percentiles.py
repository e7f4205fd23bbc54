"""Percentiles over time: the level below which a quantity is for a part of the time, straight between its samples."""

from __future__ import annotations

import numpy as np

HALVINGS = 54
"""Halvings of the range in which a level is sought: to the last digit."""


def level(t: np.ndarray, y: np.ndarray, p: float) -> np.ndarray:
    """(K, T, …) → (K, …): the level below which y is for p per cent of the time."""
    if len(t) < 2 or t[-1] == t[0]:
        return np.asarray(y[:, -1])
    low, high = np.minimum(y[:, :-1], y[:, 1:]), np.maximum(y[:, :-1], y[:, 1:])
    width = np.where(high > low, high - low, 1.0)
    part = (np.diff(t) / (t[-1] - t[0])).reshape(1, -1, *(1,) * (y.ndim - 2))
    a, b = low.min(axis=1), high.max(axis=1)
    for _ in range(HALVINGS):
        middle = 0.5 * (a + b)
        x = middle[:, None]
        below = (part * np.where(high > low, np.clip((x - low) / width, 0.0, 1.0), x >= low)).sum(axis=1)
        less = below < p / 100.0
        a, b = np.where(less, middle, a), np.where(less, b, middle)
    return np.asarray(b)


def level_gradient(t: np.ndarray, y: np.ndarray, dy: np.ndarray, p: float) -> tuple[float, np.ndarray]:
    """The level of one motion, y (T,), and its gradient: the mean of dy (T, n) where y crosses it, weighted by 1/|ẏ|."""
    found = float(level(t, y[None], p)[0])
    step = np.diff(y)
    crossed = ((y[:-1] - found) * (y[1:] - found) <= 0.0) & (step != 0.0)
    if not crossed.any():
        return found, dy[int(np.abs(y - found).argmin())]
    s = ((found - y[:-1][crossed]) / step[crossed])[:, None]
    weights = np.diff(t)[crossed] / np.abs(step[crossed])
    return found, weights @ ((1.0 - s) * dy[:-1][crossed] + s * dy[1:][crossed]) / weights.sum()
