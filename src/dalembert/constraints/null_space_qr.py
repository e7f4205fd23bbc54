"""Null space by QR of Bᵀ with pivoting [B A-6]: u̇ = Y y + Z z with B Z = 0.

The pivoting puts dependent rows last, where they are left out.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.solution import Solution, least_multipliers, rank_of, scaled
from dalembert.formulations.equations import Equations


def solve(e: Equations) -> Solution:
    from scipy.linalg import qr, solve_triangular

    B, gamma, _ = scaled(e)
    if not len(B):
        return Solution(np.linalg.solve(e.A, e.f), np.zeros(0), 0)
    Q, R, order = qr(B.T, pivoting=True)
    rank = rank_of(np.diag(R))
    Y, Z = Q[:, :rank], Q[:, rank:]
    along = Y @ solve_triangular(R[:rank, :rank].T, gamma[order[:rank]], lower=True)
    udot = along + Z @ np.linalg.solve(Z.T @ e.A @ Z, Z.T @ (e.f - e.A @ along))
    return Solution(udot, least_multipliers(e, udot), rank)
