"""The barycentric form [B 29–38, 51]: K ω̇ = −ω × K_ii ω + D̃F + G + C g + N 1, with the augmented bodies' vectors d_ik.

The same unknowns as Newton–Euler solved for rotations, with (CᵀM⁻¹C)⁻¹ known in closed form: D = −L T₂ μ. A = diag(m, K):
the mass centre of a floating group moves by itself. Rows are the constraint torques [B 51], the forces of joints that
slide, and the loops. An elastic body brings the rates of its own coordinates, and its vectors d_ik deform with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.absolute.augmented_bodies import AugmentedBodies
from dalembert.formulations.absolute.graph_matrices import barycentric_matrices, graph_matrices
from dalembert.formulations.absolute.hinged import Hinged, first_order, speeds, weightless
from dalembert.formulations.absolute.newton_euler import speeds as speeds_of_bodies
from dalembert.formulations.absolute.newton_euler import state as state_of_bodies
from dalembert.formulations.absolute.newton_euler import udot as udot_of_bodies
from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.kinematics.state import State

__all__ = [
    "augmented",
    "equations",
    "explain",
    "first_order",
    "formulation_speeds",
    "refusal",
    "speeds",
    "state",
    "title",
    "udot",
]

title = "Barycentric: augmented bodies"
refusal = weightless


def augmented(s: State) -> AugmentedBodies:
    """The augmented bodies of a state: `d(i, k)`, `mass(i)`, `K`."""
    return s.view(AugmentedBodies)


def formulation_speeds(s: State) -> np.ndarray:
    x = hinged(s)
    return x.gathered(x.bodies.velocities)


def state(m: Any, t: Any, q: Any, w: Any) -> State:
    x = hinged(State(m, t, q, np.zeros(m.n_u)))
    return state_of_bodies(m, t, q, x.velocities(w))


def udot(s: State, wdot: Any) -> np.ndarray:
    x = hinged(s)
    return udot_of_bodies(s, x.spread @ np.asarray(wdot) + x.bias)


def equations(s: State) -> Equations:
    a, x = augmented(s), hinged(s)
    return x.equations(*mass_and_forces(a, x))


def explain(s: State) -> list[Quantity]:
    """C, S and T of the graph, μ, L, B and D, and the system matrix K."""
    a = augmented(s)
    turns = speeds_of_bodies(s.mechanism)[3 * a.bodies.n :]
    return [
        *graph_matrices(s.mechanism),
        *barycentric_matrices(s),
        quantity("K", "K: K_ii = R I Rᵀ − Σ m_k d̃_ik d̃_ik, K_ij = m d̃_ij d̃_ji [B 35]", a.K, turns, turns),
        quantity("right_K", "G + C g − ω × K_ii ω + D̃F + N 1 [B 38]", a.right, turns),
    ]


def hinged(s: State) -> Hinged:
    """The places by r_k = r_c + Σ_i d_ik [C 310]."""
    return s.view(_hinged)


def _hinged(s: State) -> Hinged:
    a = augmented(s)
    every = a.bodies.numbers
    return Hinged(a.bodies, {(i, k): d for i in every for k in every if (d := a.moving(i, k)) is not None})


def mass_and_forces(a: AugmentedBodies, x: Hinged) -> tuple[np.ndarray, np.ndarray]:
    """diag(m, K) and its right-hand side."""
    b, first = a.bodies, x.n_places
    A, f = b.zeros(x.size, x.size), b.zeros(x.size)
    for root in x.groups.floating:
        at = x.centre_at(root)
        A[at, at] = a.mass(root) * np.eye(3)
        f[at] = sum(b.forces[k - 1] for k in x.groups.members(root))
    A[first:, first:], f[first:] = a.K, a.right
    return A, f
