"""What a constraint method returns, and the scale on which it decides ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.errors import StateError
from dalembert.formulations.equations import Equations
from dalembert.pivoting import RANK_TOLERANCE

SQUARED_RANK_TOLERANCE = 1e-13
"""The same for methods that work on squares (BᵀB, B A⁻¹ Bᵀ): below this fraction of the largest, rounding hides them."""


@dataclass(frozen=True, eq=False)
class Solution:
    """u̇, λ and the rank of B that the method found; of many states, with a row for each."""

    udot: np.ndarray
    lam: np.ndarray
    rank: int | np.ndarray


def cholesky(A: np.ndarray) -> np.ndarray:
    """L of A = L Lᵀ, or what is wrong where there is none."""
    try:
        return np.asarray(np.linalg.cholesky(A))
    except np.linalg.LinAlgError:
        raise StateError(
            "a freedom of the mechanism, cut open at its loops, moves no mass here: give the links at the cut a little mass and "
            "inertia, or build with cut=[…] another joint"
        ) from None


def row_norms(e: Equations) -> np.ndarray:
    """√(B A⁻¹ Bᵀ)_kk: the size of each row in the metric of A⁻¹, in which rows of any unit can be compared; 1 for dead rows."""
    if not len(e.B):
        return np.ones(0)
    norms = np.linalg.norm(np.linalg.solve(cholesky(e.A), e.B.T), axis=0)
    return np.where(norms > RANK_TOLERANCE * norms.max(), norms, 1.0)


def scaled(e: Equations) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """B and γ with every row divided by its norm, and the norms."""
    norms = row_norms(e)
    return e.B / norms[:, None], e.gamma / norms, norms


def least_multipliers(e: Equations, udot: np.ndarray) -> np.ndarray:
    """The shortest λ, in scaled rows, with Bᵀλ = f − A u̇."""
    B, _, norms = scaled(e)
    if not len(B):
        return np.zeros(0)
    lam: np.ndarray = np.linalg.lstsq(B.T, e.f - e.A @ udot, rcond=RANK_TOLERANCE)[0] / norms
    return lam
