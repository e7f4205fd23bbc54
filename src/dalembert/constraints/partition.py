"""Coordinate partitioning [A 48–56; C 57]: B = [Ba Bb], u̇_b = −Bb⁻¹(Ba u̇_a − γ), and the equations of the independent speeds alone.

Dependent speeds are chosen by pivoting, so that Bb is as well conditioned as the mechanism's pose allows; dependent rows are found
by the same pivoting on rows and left out. Integrating (q, u_a) takes 2n − m equations.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.pivoting import pivoted
from dalembert.constraints.solution import Solution, least_multipliers, rank_of, scaled
from dalembert.formulations.equations import Equations


def choose(B: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(rows kept, dependent speeds, independent speeds) of scaled rows."""
    n = B.shape[1]
    if not len(B):
        return np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.arange(n)
    R, order = pivoted(B.T)
    rows = np.sort(order[: rank_of(np.diag(R))])
    columns = pivoted(B[rows])[1]
    return rows, np.sort(columns[: len(rows)]), np.sort(columns[len(rows) :])


def solve(e: Equations) -> Solution:
    B, gamma, _ = scaled(e)
    rows, dependent, independent = choose(B)
    Bb = B[np.ix_(rows, dependent)]
    T, d = np.zeros((len(e.f), len(independent))), np.zeros(len(e.f))
    T[independent] = np.eye(len(independent))
    T[dependent] = -np.linalg.solve(Bb, B[np.ix_(rows, independent)])
    d[dependent] = np.linalg.solve(Bb, gamma[rows])
    udot = T @ np.linalg.solve(T.T @ e.A @ T, T.T @ (e.f - e.A @ d)) + d
    return Solution(udot, least_multipliers(e, udot), len(rows))
