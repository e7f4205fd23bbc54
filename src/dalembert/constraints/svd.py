"""Null space by singular values [B A-7..A-12]: p = n − rank free directions, whatever the number of rows.

Dependent rows show as zero singular values and are divided by nothing.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.solution import Solution, least_multipliers, rank_of, scaled
from dalembert.formulations.equations import Equations


def solve(e: Equations) -> Solution:
    B, gamma, _ = scaled(e)
    U, sigma, Vt = np.linalg.svd(B)
    rank = rank_of(sigma)
    along = Vt[:rank].T @ ((U[:, :rank].T @ gamma) / sigma[:rank])
    Z = Vt[rank:].T
    udot = along + Z @ np.linalg.solve(Z.T @ e.A @ Z, Z.T @ (e.f - e.A @ along))
    return Solution(udot, least_multipliers(e, udot), rank)
