"""Cross products as tensors: ε, and the vector of ∫x × y dm from ∫x yᵀ dm."""

from __future__ import annotations

import numpy as np

EPS = np.zeros((3, 3, 3))
"""Levi-Civita's symbol."""
EPS[[0, 1, 2], [1, 2, 0], [2, 0, 1]] = 1.0
EPS[[0, 1, 2], [2, 0, 1], [1, 2, 0]] = -1.0
EPS.flags.writeable = False


def axial(T: np.ndarray) -> np.ndarray:
    """ε:T, the vector ∫x × y dm where T = ∫x yᵀ dm; over the last two axes."""
    return np.stack([T[..., 1, 2] - T[..., 2, 1], T[..., 2, 0] - T[..., 0, 2], T[..., 0, 1] - T[..., 1, 0]], axis=-1)


def skews(v: np.ndarray) -> np.ndarray:
    """ṽ for every vector along the last axis."""
    return -np.einsum("abc,...c->...ab", EPS, v)
