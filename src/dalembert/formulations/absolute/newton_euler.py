"""Newton–Euler in absolute coordinates [B 10, 49, 63]: every body on its own, every joint a constraint.

M r̈ − C f = F, I ω̇ − L̃ f − C Q λ = G + C g − ω × Iω, with the joints' accelerations −Cᵀr̈ − L̃ᵀω̇ and −QᵀCᵀω̇ as rows: A
= diag(M, I) of the mass centres' velocities and angular velocities, world axes, and B = [−Cᵀ −L̃ᵀ; 0 −QᵀCᵀ] over the rows
of the loops. The multipliers are the hinge forces f and the constraint torques λ on the parent; the child feels
their opposites. An elastic body adds its own coordinates: its part of A is that of turning and deforming about its mass centre.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.absolute.definite import row_weights, singular_bodies, strengthened
from dalembert.formulations.absolute.graph_matrices import body_matrices, graph_matrices
from dalembert.formulations.absolute.separate_bodies import Bodies, speeds
from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.quantity import Quantity
from dalembert.kinematics.loads import Loads, loads
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.vectors import Vector, cross

__all__ = [
    "definite_inertia", "equations", "first_order", "formulation_speeds", "reactions", "refusal", "speeds", "state", "title", "udot",
]  # fmt: skip

title = "Newton–Euler, absolute coordinates, all forces kept"


def refusal(m: Mechanism) -> str | None:
    """Every mechanism can be written."""
    return None


def first_order(m: Mechanism) -> int:
    """Coordinates, accelerations, hinge forces and constraint torques, and the loops' multipliers."""
    return m.n_q + len(speeds(m)) + sum(6 - m.joints[k - 1].n_own for k in m.free_bodies) + len(m.rows)


def formulation_speeds(s: State) -> np.ndarray:
    return s.view(Bodies).velocities


def state(m: Mechanism, t: Any, q: Any, w: Any) -> State:
    """The joints' speeds are read off their bodies' velocities."""
    bodies = State(m, t, q, np.zeros(m.n_u)).view(Bodies)
    u = np.zeros(m.n_u, dtype=np.result_type(np.asarray(w).dtype, object if bodies.state.traced else float))
    for c in bodies.connections:
        X = c.in_world(c.speeds_from_motion.T)
        u[c.columns] = bodies.row(c, X) @ np.asarray(w) - c.carried_along(X)
        u[c.joint.columns[c.joint.n_own :]] = np.asarray(w)[bodies.at(c.child)[2]]
    return State(m, t, q, u)


def udot(s: State, wdot: Any) -> np.ndarray:
    U, c = s.view(Bodies).speed_rates
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


def explain(s: State) -> list[Quantity]:
    """C, S and T of the graph; M, I, the joints' rows and all right-hand sides."""
    return [*graph_matrices(s.mechanism), *body_matrices(Bodies(s))]


def reactions(s: State, lam: Any) -> list[tuple[Vector, Vector]]:
    """(force, torque) that each tree joint exerts on the body it carries, at the joint's point, motors and springs included.

    Those of external bodies, which have no multipliers, are what their given motion takes.
    """
    b, m, lam = s.view(Bodies), s.mechanism, np.asarray(lam)
    applied, found, first = s.view(loads), {}, 0
    for c in b.connections:
        X = c.blocked
        own = lam[first : first + X.force.shape[1]]
        first += len(own)
        force, torque = c.driven(applied.joint[c.child - 1][: c.inner.n_u])
        found[c.child] = force - X.force @ own, torque - X.torque @ own
    for k in reversed(m.external_bodies):
        found[k] = _drive(b, k, found, applied, lam[first:])
    return [found[k] for k in range(1, m.n_bodies + 1)]


def _drive(
    b: Bodies, k: int, found: dict[int, tuple[Vector, Vector]], applied: Loads, lam: np.ndarray
) -> tuple[Vector, Vector]:
    """Newton's and Euler's laws for external body k, with what it carries and the loops on it."""
    s, m, body = b.state, b.mechanism, b.mechanism.bodies[k - 1]
    pose, rate, arm = s.poses[k], s.velocities[k], s.com_arms[k - 1]
    alpha, a, point = s.bias_accelerations[k].w, s.bias_accelerations[k].v, pose.p - s.links[k - 1].reach
    force = body.mass * (a + cross(alpha, arm) + cross(rate.w, cross(rate.w, arm))) - applied.force[k - 1]
    I = pose.R @ body.inertia @ pose.R.T
    torque = I @ alpha + cross(rate.w, I @ rate.w) - applied.moment[k - 1] + cross(pose.p + arm - point, force)
    for child in (c for c in range(k + 1, m.n_bodies + 1) if m.parent[c - 1] == k):
        there = s.poses[child].p - s.links[child - 1].reach
        force, torque = force + found[child][0], torque + found[child][1] + cross(there - point, found[child][0])
    on_turn, on_place = b.loop_forces_on(k, lam)
    return force + on_place, torque + on_turn + cross(pose.p - point, on_place)
