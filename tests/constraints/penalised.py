"""What the penalty method gives where nothing is rounded, and how far rounding may take it from that."""

from __future__ import annotations

import numpy as np

from dalembert.constraints.methods.penalty import STIFFNESS
from dalembert.constraints.methods.solution import MeasuredEquations, Solution, measured
from dalembert.formulations.equations import Equations
from dalembert.pivoting import rank_of

EPS = 2.0**-52


@measured
def penalised(e: MeasuredEquations) -> Solution:
    """From the multipliers' side: u̇ = A⁻¹(f − Bᵀλ) in λ = k (B u̇ − γ) gives (B A⁻¹Bᵀ + 1/k) λ = B A⁻¹f − γ.

    Singular values σ of L⁻¹Bᵀ, A = L Lᵀ, solve it: where the exact λ has the part λ_i, this one has λ_i σ²/(σ² + 1/k).
    """
    B, gamma = e.scaled
    y, Y = np.linalg.solve(e.mass_factor, e.f), np.linalg.solve(e.mass_factor, B.T)
    _, sigma, Vt = np.linalg.svd(Y)
    squares = np.zeros(len(B))
    squares[: len(sigma)] = sigma**2
    lam = Vt.T @ ((Vt @ (Y.T @ y - gamma)) / (squares + 1.0 / STIFFNESS))
    udot = np.linalg.solve(e.mass_factor.T, y - Y @ lam)
    return Solution(udot, lam / e.norms, rank_of(sigma))


def rounding(e: Equations) -> np.ndarray:
    """How far rounding may take each of the penalty's accelerations.

    With K = A + k BᵀB, rows of norm 1, |δK| ≤ (n + m) ε k |B|ᵀ|B| where n speeds and m rows are summed, and elimination does as
    much again; f + k Bᵀγ is rounded by (n + m) ε k |B|ᵀ|γ|. Then |δu̇| ≤ |K⁻¹| (|δK| |u̇| + |δf|). Along the rows K⁻¹ is 1/k; across
    them it is A's, and what rounding did to k BᵀB is divided by inertia alone.
    """
    return np.asarray(_rounding(e).udot)


@measured
def _rounding(e: MeasuredEquations) -> Solution:
    B, gamma = e.scaled
    K = e.A + STIFFNESS * B.T @ B
    udot = penalty_of(e)
    each = 2.0 * (len(e.f) + len(B)) * EPS * STIFFNESS
    change = each * (np.abs(B).T @ (np.abs(B) @ np.abs(udot) + np.abs(gamma)))
    return Solution(np.abs(np.linalg.inv(K)) @ change, np.zeros(len(B)), 0)


def penalty_of(e: MeasuredEquations) -> np.ndarray:
    """The accelerations by the method's own formula."""
    B, gamma = e.scaled
    found: np.ndarray = np.linalg.solve(e.A + STIFFNESS * B.T @ B, e.f + STIFFNESS * B.T @ gamma)
    return found
