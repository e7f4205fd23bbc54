"""How fast an elastic body may spin before its model has no stiffness left."""

from __future__ import annotations

import numpy as np

from dalembert.elastic.body import ElasticBody


def softening(body: ElasticBody, axis: np.ndarray) -> np.ndarray:
    """N with Ke − ω²N the stiffness at the spin ω about a unit axis: N_ij = tr P_ij − aᵀP_ij a, the same of H_ij added."""
    T = body.P[1:, 1:] + body.H
    N = np.trace(T, axis1=2, axis2=3) - np.einsum("a,ijab,b->ij", axis, T, axis)
    return np.asarray(0.5 * (N + N.T))


def spin_limit(body: ElasticBody, axis: np.ndarray) -> float:
    """The spin (rad/s) about an axis of the body at which centrifugal forces overcome the stiffness; infinite if they never do."""
    from scipy.linalg import eigh

    if not body.n or np.linalg.eigvalsh(body.Ke)[0] <= 0.0:
        return float("inf")  # a coordinate without stiffness is not stable at rest either
    worst = float(eigh(softening(body, np.asarray(axis) / np.linalg.norm(axis)), body.Ke, eigvals_only=True)[-1])
    return float("inf") if worst <= 0.0 else worst**-0.5
