"""Newton–Euler, translations eliminated [B 15]: a symmetric system in the angular accelerations and the hinge forces.

[I H_ωᵀ; H_ω −H_r M⁻¹H_rᵀ] (ω̇, φ) = (u₂, h − H_r M⁻¹u₁). It is quasi-definite, so that it can be factored without pivoting
in any order: outward bodies first, where a tree fills in nothing.
"""

from __future__ import annotations

import numpy as np

from dalembert.formulations.absolute.definite import lacking
from dalembert.formulations.absolute.graph_matrices import body_matrices, graph_matrices
from dalembert.formulations.absolute.known_forces import bodies_tied, first_order, with_known_forces
from dalembert.formulations.absolute.newton_euler import formulation_speeds, speeds, state, udot
from dalembert.formulations.absolute.separate_bodies import Bodies
from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.symmetric_solve import solve_symmetric
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism

__all__ = ["equations", "explain", "first_order", "formulation_speeds", "refusal", "speeds", "state", "title", "udot"]

title = "Newton–Euler, solved for rotations and hinge forces"


def refusal(m: Mechanism) -> str | None:
    return lacking(m) or bodies_tied(m)


def equations(s: State) -> Equations:
    b = s.view(Bodies)
    K, right = rotation_force_system(b)
    order = _outward(b)
    solved = np.empty_like(right)
    solved[order] = solve_symmetric(K[np.ix_(order, order)], right[order])
    return with_known_forces(b, solved[b.size - 3 * b.n :])


def rotation_force_system(b: Bodies) -> tuple[np.ndarray, np.ndarray]:
    """The matrix of (ω̇, φ), with q̈ beside ω̇, and its right-hand sides: the forces' own, and one for every row of the loops."""
    H, h = b.joint_rows
    B, _ = b.loop_rows
    turn = slice(3 * b.n, None)
    I, H_r, H_w = b.inertia[turn, turn], H[:, : 3 * b.n], H[:, turn]
    HM = H_r * np.repeat([1.0 / b.masses[k - 1] for k in b.numbers], 3)
    K = np.vstack([np.hstack([I, H_w.T]), np.hstack([H_w, -(HM @ H_r.T)])])
    above = np.column_stack([b.right[turn], B[:, turn].T])
    below = np.column_stack([h - HM @ b.right[: 3 * b.n], -(HM @ B[:, : 3 * b.n].T)])
    return K, np.vstack([above, below])


def _outward(b: Bodies) -> list[int]:
    """Unknowns body by body, each after its joint's forces: elimination runs from the last to the first."""
    out: list[int] = []
    first = b.size - 3 * b.n
    for k, rows in zip(b.numbers, b.row_places):
        out += range(first + rows.start, first + rows.stop)
        out += b.own_at(k)
    return out


def explain(s: State) -> list[Quantity]:
    """C, S and T of the graph, and the system of rotations and forces."""
    b = Bodies(s)
    K, right = rotation_force_system(b)
    return [
        *graph_matrices(s.mechanism),
        *body_matrices(b),
        quantity("K_f", "[I H_ωᵀ; H_ω −H_r M⁻¹H_rᵀ] on (ω̇, f, λ) [B 15]", K),
        quantity("right_f", "its right-hand sides: the forces' own, then one for every row of the loops", right),
    ]
