"""Partial velocities of a body and what they weigh, in the mechanism's speeds: an elastic body's are found along its joint's own.

`add_gram` adds JᵀMJ to a mass matrix.
"""

from __future__ import annotations

import numpy as np

from dalembert.framed import Framed
from dalembert.kinematics.in_variables import in_joint_variables, joint_speeds_per_speed
from dalembert.kinematics.state import State


def weighed(s: State, k: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """(J, M J) of body k, columns as in `mechanism.path_columns`: of its motion and, if it is elastic, of its modes."""
    joints, body = in_joint_variables(s), s.mechanism.bodies[k - 1]
    P = joints.partials[k]
    rows = list(body.weighed(s.poses[k].R, s.com_arms[k - 1], s.modal_q(k), P.W, P.V))
    if joints is s:
        return rows
    T = s.view(joint_speeds_per_speed)[list(joints.mechanism.path_columns[k])]
    return [(J @ T, MJ @ T) for J, MJ in rows]


def modal_drift(s: State, k: int) -> np.ndarray:
    """Accelerations of body k's modes where the mechanism's speeds do not change."""
    if s.mechanism.variables is None:
        return np.zeros(len(s.mechanism.bodies[k - 1].modes))
    return s.modal_udot(k, np.zeros(s.mechanism.n_u))


def add_gram(A: np.ndarray, columns: list[int], X: np.ndarray, Y: np.ndarray) -> None:
    """A[columns, columns] += XᵀY for a product known to be symmetric: half the work, and A_ij and A_ji are one node."""
    if A.dtype != object:
        A[np.ix_(columns, columns)] += X.T @ Y
        return
    if isinstance(X, Framed):
        product = X.T @ Y
        for i, ci in enumerate(columns):
            for j in range(i + 1):
                A[ci, columns[j]] = A[columns[j], ci] = A[ci, columns[j]] + product[i, j]
        return
    rows = [[i for i in range(len(x)) if not _zero(x[i])] for x in X.T]
    for i, ci in enumerate(columns):
        for j in range(i + 1):
            total = A[ci, columns[j]]
            for r in rows[i]:
                total = total + X[r, i] * Y[r, j]
            A[ci, columns[j]] = A[columns[j], ci] = total


def _zero(x: object) -> bool:
    return type(x) is float and x == 0.0
