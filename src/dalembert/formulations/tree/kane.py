"""Kane's equations in relative coordinates [A 9–11, E 41–43].

Σ Vᵀ(F − m a) + Ωᵀ(M − Iα − ω × Iω) = 0 over all bodies, with v = V u + v_t at the mass centre and ω = Ω u + ω_t, so that
A = Σ m VᵀV + ΩᵀIΩ. An elastic body has 6 + n rows instead of six [C 41–42, 66]: each body gives its own (`dynamic_residual`).
"""

from __future__ import annotations

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.quantity import Quantity
from dalembert.formulations.tree.in_speeds import (
    first_order,
    formulation_speeds,
    refusal,
    speeds,
    state,
    takes_variables,
    udot,
)
from dalembert.formulations.tree.partial_velocities import partial_velocities
from dalembert.formulations.tree.weighed_bodies import add_gram, modal_drift, weighed
from dalembert.kinematics.armature import add_armature
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.loads import loads, on_joints
from dalembert.kinematics.state import State

title = "Kane, relative coordinates"
takes_armature = True
"""Whether it knows of the inertia of joints\' speeds by itself."""


def mass_matrix(s: State) -> np.ndarray:
    """A = Σ m VᵀV + ΩᵀIΩ alone."""
    m = s.mechanism
    A = np.zeros((m.n_u, m.n_u), dtype=object if s.traced else float)
    for k, body in enumerate(m.bodies, start=1):
        columns = list(m.path_columns[k])
        if columns and not body.massless:
            for J, MJ in weighed(s, k):
                add_gram(A, columns, MJ, J)
    add_armature(s, A, np.zeros(m.n_u, dtype=A.dtype))
    return A


def equations(s: State) -> Equations:
    """A and f by partial velocities, body by body, on the speeds of the body's own path."""
    m = s.mechanism
    applied = s.view(loads)
    A = np.zeros((m.n_u, m.n_u), dtype=object if s.traced else float)
    f = np.zeros(m.n_u, dtype=A.dtype)
    for k, body in enumerate(m.bodies, start=1):
        columns = list(m.path_columns[k])
        if (body.massless and not applied.loaded(k)) or not columns:
            continue
        a0, at = s.bias_accelerations[k], s.instants[k - 1]
        force, moment = applied.force[k - 1], applied.moment[k - 1]
        for (J, MJ), left in zip(
            weighed(s, k), body.dynamic_residual(at, a0.w, a0.v, modal_drift(s, k), force, moment)
        ):
            add_gram(A, columns, MJ, J)
            f[columns] = f[columns] + J.T @ left
    f = f + on_joints(s, applied)
    add_armature(s, A, f)
    closed = constraint_rows(s)
    return Equations(A, f, closed.B, closed.gamma)


def explain(s: State) -> list[Quantity]:
    """Partial velocities of every body, and their rates."""
    return partial_velocities(s, s.mechanism.speeds)


__all__ = [
    "equations",
    "explain",
    "first_order",
    "formulation_speeds",
    "mass_matrix",
    "refusal",
    "speeds",
    "state",
    "takes_variables",
    "title",
    "udot",
]
