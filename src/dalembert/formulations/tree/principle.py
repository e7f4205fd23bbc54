"""D'Alembert's principle in Lagrange's form along given directions of motion [C 20, 60c, 65–66].

Σ V_kᵀ(F − m a) + Ω_kᵀ(M − I α − ω × I ω) = 0 over all bodies, for every direction k in which the bodies may be thought to move.
"""

from __future__ import annotations

import numpy as np

from dalembert.formulations.tree.weighed_bodies import add_gram, weighed
from dalembert.kinematics.armature import add_armature
from dalembert.kinematics.loads import loads, on_joints
from dalembert.kinematics.state import State


def mass_and_forces_along(s: State, P: np.ndarray, udot0: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A and f of A x = f where u̇ = P x + u̇₀: the partial velocities along the columns of P are V P and Ω P."""
    m, n = s.mechanism, P.shape[1]
    applied, known = s.view(loads), s.accelerations(udot0)
    A = np.zeros((n, n), dtype=object if s.traced else float)
    f = np.zeros(n, dtype=A.dtype)
    every = list(range(n))
    for k, body in enumerate(m.bodies, start=1):
        columns = list(m.path_columns[k])
        if (body.massless and not applied.loaded(k)) or not columns:
            continue
        a0, at = known[k], s.instants[k - 1]
        left = body.dynamic_residual(
            at, a0.w, a0.v, s.modal_udot(k, udot0), applied.force[k - 1], applied.moment[k - 1]
        )
        for (J, MJ), force in zip(weighed(s, k), left):
            V = J @ P[columns]
            add_gram(A, every, MJ @ P[columns], V)
            f[:] = f + V.T @ force
    f = np.asarray(f + P.T @ on_joints(s, applied))
    add_armature(s, A, f, P, udot0)
    return A, f
