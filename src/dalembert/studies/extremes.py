"""Extremes of sampled quantities: at the vertex of the parabola through the extreme sample and its neighbours.

Where the quantity is smooth between samples that is right to third order in their distance. At the ends, and where the quantity jumps
or has a kink, the sample itself counts: a parabola through an impact's speeds would find more than there ever was.
"""

from __future__ import annotations

import numpy as np

SMOOTH = 0.25
"""Part of the curvature at an extreme that its neighbours have at least, where a quantity is smooth."""


def vertices(t: np.ndarray, y: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(instants, first of the three samples, their weights (…, 3)) of extremes of y (…, T) at the samples k (…)."""
    if len(t) < 3:
        weights = np.zeros((*k.shape, min(3, len(t))))
        np.put_along_axis(weights, k[..., None], 1.0, axis=-1)
        return t[k], np.zeros_like(k), weights
    first = np.clip(k - 1, 0, len(t) - 3)
    three = first[..., None] + np.arange(3)
    ts, ys = t[three], np.take_along_axis(y, three, axis=-1)
    slope = np.diff(ys, axis=-1) / np.diff(ts, axis=-1)
    bend = (slope[..., 1] - slope[..., 0]) / (ts[..., 2] - ts[..., 0])
    inside = (k > 0) & (k < len(t) - 1) & (bend != 0.0) & (slope[..., 0] * slope[..., 1] <= 0.0) & _smooth(t, y, first)
    half = np.divide(slope[..., 0], 2.0 * bend, out=np.zeros_like(bend), where=inside)
    at = np.where(inside, 0.5 * (ts[..., 0] + ts[..., 1]) - half, t[k])
    weights = np.stack([_lagrange(ts, at, i) for i in range(3)], axis=-1)
    return at, first, weights


def _smooth(t: np.ndarray, y: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Whether the curvature through three samples from the `first` is as that through the three before and after."""
    curved = np.diff(np.diff(y, axis=-1) / np.diff(t), axis=-1) / (t[2:] - t[:-2])
    near = np.clip(first[..., None] + np.arange(-1, 2), 0, len(t) - 3)
    before, here, after = np.moveaxis(np.take_along_axis(curved, near, axis=-1), -1, 0)
    with np.errstate(invalid="ignore"):
        return np.asarray(
            (before * np.sign(here) >= SMOOTH * np.abs(here)) & (after * np.sign(here) >= SMOOTH * np.abs(here))
        )


def _lagrange(ts: np.ndarray, at: np.ndarray, i: int) -> np.ndarray:
    """Lagrange's polynomial that is 1 at the i-th of three instants."""
    a, b = (ts[..., j] for j in range(3) if j != i)
    made: np.ndarray = (at - a) * (at - b) / ((ts[..., i] - a) * (ts[..., i] - b))
    return made


def extreme(t: np.ndarray, y: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(values, instants) of the extremes of y (…, T) near the samples k (…)."""
    at, first, weights = vertices(t, y, k)
    three = first[..., None] + np.arange(weights.shape[-1])
    return (np.take_along_axis(y, three, axis=-1) * weights).sum(axis=-1), at
