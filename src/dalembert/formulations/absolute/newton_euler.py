"""Newton–Euler in absolute coordinates [B 10, 49, 63]: every body on its own, every joint a constraint.

M r̈ − C f = F, I ω̇ − L̃ f − C Q λ = G + C g − ω × Iω, with the joints' accelerations −Cᵀr̈ − L̃ᵀω̇ and −QᵀCᵀω̇ as rows: A
= diag(M, I) of the mass centres' velocities and angular velocities, world axes, and B = [−Cᵀ −L̃ᵀ; 0 −QᵀCᵀ] over the rows
of the loops. The multipliers are the hinge forces f and the constraint torques λ on the parent; the child feels
their opposites.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.absolute.definite import row_weights, singular_bodies, strengthened
from dalembert.formulations.absolute.separate_bodies import Bodies
from dalembert.formulations.equations import Equations
from dalembert.formulations.rigid import bending
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.vectors import Vector

title = "Newton–Euler, absolute coordinates, all forces kept"


def refusal(m: Mechanism) -> str | None:
    """Every mechanism of rigid bodies can be written."""
    return bending(m)


def speeds(m: Mechanism) -> tuple[str, ...]:
    """ṙ of every mass centre, then ω of every body, in world axes."""
    return tuple(f"{b.name}.{part}{axis}" for part in "vw" for b in m.bodies for axis in "xyz")


def first_order(m: Mechanism) -> int:
    """Coordinates, accelerations, hinge forces and constraint torques, and the loops' multipliers."""
    return m.n_q + 6 * m.n_bodies + sum(6 - len(j.free) for j in m.joints) + len(m.rows)


def formulation_speeds(s: State) -> np.ndarray:
    return s.view(Bodies).velocities


def state(m: Mechanism, t: Any, q: Any, w: Any) -> State:
    """The joints' speeds are read off their bodies' velocities."""
    bodies = State(m, t, q, np.zeros(m.n_u)).view(Bodies)
    u = np.zeros(m.n_u, dtype=np.result_type(np.asarray(w).dtype, object if bodies.state.traced else float))
    for c in bodies.connections:
        X = c.in_world(c.reading.T)
        u[c.joint.columns] = bodies.row(c, X) @ np.asarray(w) - c.carried_along(X)
    return State(m, t, q, u)


def udot(s: State, wdot: Any) -> np.ndarray:
    U, c = s.view(Bodies).reading
    return U @ np.asarray(wdot) - c


def equations(s: State) -> Equations:
    b = s.view(Bodies)
    H, h = b.joint_rows
    B, gamma = b.loop_rows
    A, f = definite_inertia(b)
    return Equations(A, f, np.vstack([H, B]), np.concatenate([h, gamma]))


def definite_inertia(b: Bodies) -> tuple[np.ndarray, np.ndarray]:
    """diag(M, I) and its right-hand side; bodies without inertia are carried by the joints next to them."""
    lacking = set(singular_bodies(b.mechanism))
    A, f = b.inertia, b.right
    for c in b.connections:
        if lacking & {c.child, c.parent}:
            X = c.blocked
            A, f = strengthened(A, f, b.row(c, X), c.drift(X), row_weights(b.mechanism, X, c.child))
    return A, f


def reactions(s: State, lam: Any) -> list[tuple[Vector, Vector]]:
    """(force, torque) that each tree joint exerts on the body it carries, at the joint's point, motors and springs included."""
    from dalembert.kinematics.loads import loads

    out, first = [], 0
    for c, values in zip(s.view(Bodies).connections, loads(s).joint):
        X = c.blocked
        own = np.asarray(lam)[first : first + X.force.shape[1]]
        first += len(own)
        force, torque = c.driven(values)
        out.append((force - X.force @ own, torque - X.torque @ own))
    return out
