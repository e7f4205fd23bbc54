"""What a formulation returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Equations:
    """A u̇ + Bᵀλ = f and B u̇ = γ at one state, in the formulation speeds; over floats or traced scalars."""

    A: np.ndarray
    f: np.ndarray
    B: np.ndarray
    gamma: np.ndarray
