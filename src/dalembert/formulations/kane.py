"""Kane's equations in relative coordinates [A 9–11, E 41–43].

Σ Vᵀ(F − m a) + Ωᵀ(M − Iα − ω × Iω) = 0 over all bodies, with v = V u + v_t at the mass centre and ω = Ω u + ω_t, so that
A = Σ m VᵀV + ΩᵀIΩ. Turning terms are taken in body axes, where I is constant.
"""

from __future__ import annotations

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.in_speeds import first_order, own_speeds, refusal, speeds, state, udot
from dalembert.formulations.symmetric import add_gram
from dalembert.kinematics.loads import loads
from dalembert.kinematics.rows import constraint_rows
from dalembert.kinematics.state import State
from dalembert.vectors import cross

title = "Kane, relative coordinates"


def mass_matrix(s: State) -> np.ndarray:
    """A = Σ m VᵀV + ΩᵀIΩ alone."""
    m = s.mechanism
    A = np.zeros((m.n_u, m.n_u), dtype=object if s.traced else float)
    for k, body in enumerate(m.bodies, start=1):
        columns, P = list(m.path_columns[k]), s.partials[k]
        if columns and not body.massless:
            V, W = P.V + cross(P.W, s.com_arms[k - 1]), s.poses[k].R.T @ P.W
            add_gram(A, columns, body.mass * V, V)
            add_gram(A, columns, body.inertia @ W, W)
    return A


def equations(s: State) -> Equations:
    """A and f by partial velocities, body by body, on the speeds of the body's own path."""
    m = s.mechanism
    applied = loads(s)
    A = np.zeros((m.n_u, m.n_u), dtype=object if s.traced else float)
    f = np.zeros(m.n_u, dtype=A.dtype)
    for k, body in enumerate(m.bodies, start=1):
        columns = list(m.path_columns[k])
        if (body.massless and not applied.loaded(k)) or not columns:
            continue
        R, c, I = s.poses[k].R, s.com_arms[k - 1], body.inertia
        P, w, a0 = s.partials[k], s.velocities[k].w, s.bias_accelerations[k]
        V = P.V + cross(P.W, c)
        a = a0.v + cross(a0.w, c) + cross(w, cross(w, c))
        W, w, e = R.T @ P.W, R.T @ w, R.T @ a0.w
        add_gram(A, columns, body.mass * V, V)
        add_gram(A, columns, I @ W, W)
        F = applied.force[k - 1] - body.mass * a
        T = R.T @ applied.moment[k - 1] - I @ e - cross(w, I @ w)
        f[columns] = f[columns] + V.T @ F + W.T @ T
    for joint, values in zip(m.joints, applied.joint):
        f[joint.columns] = f[joint.columns] + values[joint.free]
    closed = constraint_rows(s)
    return Equations(A, f, closed.B, closed.gamma)


__all__ = ["equations", "first_order", "mass_matrix", "own_speeds", "refusal", "speeds", "state", "title", "udot"]
