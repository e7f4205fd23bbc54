"""Rows that say nothing: where a loop only repeats what the tree's joints say, eliminating these leaves rounding, not a row."""

from __future__ import annotations

import numpy as np

DEAD = 1e-11
"""Part of its terms' size below which a row is what elimination left of it in the last digits."""


def without_dead(B: np.ndarray, gamma: np.ndarray, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows B ẇ = γ with dead ones put to zero, by the sizes of the terms that each entry was summed from; traced ones as they are.

    Methods divide rows by their size: rounding among real rows would be seen for what it is, rounding alone would count as rows.
    """
    if B.dtype == object or not B.size:
        return B, gamma
    alive = np.abs(B).max(axis=1) > DEAD * terms.max(axis=1)
    return np.where(alive[:, None], B, 0.0), np.where(alive, gamma, 0.0)
