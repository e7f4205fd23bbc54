"""D'Alembert's principle in Lagrange's form along given directions of motion [C 20, 60c, 65–66].

Σ V_kᵀ(F − m a) + Ω_kᵀ(M − I α − ω × I ω) = 0 over all bodies, for every direction k in which the bodies may be thought to move.
"""

from __future__ import annotations

import numpy as np

from dalembert.formulations.symmetric import add_gram
from dalembert.kinematics.loads import loads
from dalembert.kinematics.state import State
from dalembert.vectors import cross


def balance(s: State, P: np.ndarray, udot0: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A and f of A x = f where u̇ = P x + u̇₀: the partial velocities along the columns of P are V P and Ω P."""
    m, n = s.mechanism, P.shape[1]
    applied, known = loads(s), s.accelerations(udot0)
    A = np.zeros((n, n), dtype=object if s.traced else float)
    f = np.zeros(n, dtype=A.dtype)
    every = list(range(n))
    for k, body in enumerate(m.bodies, start=1):
        columns = list(m.path_columns[k])
        if (body.massless and not applied.loaded(k)) or not columns:
            continue
        R, c, I = s.poses[k].R, s.com_arms[k - 1], body.inertia
        partial, w, a0 = s.partials[k], s.velocities[k].w, known[k]
        V = (partial.V + cross(partial.W, c)) @ P[columns]
        a = a0.v + cross(a0.w, c) + cross(w, cross(w, c))
        W, w, e = R.T @ (partial.W @ P[columns]), R.T @ w, R.T @ a0.w
        add_gram(A, every, body.mass * V, V)
        add_gram(A, every, I @ W, W)
        f[:] = f + V.T @ (applied.force[k - 1] - body.mass * a)
        f[:] = f + W.T @ (R.T @ applied.moment[k - 1] - I @ e - cross(w, I @ w))
    for joint, values in zip(m.joints, applied.joint):
        f[:] = f + P[joint.columns].T @ values[joint.free]
    return A, f
