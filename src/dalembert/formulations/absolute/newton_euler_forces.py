"""Newton–Euler, accelerations eliminated [B 12–14, 50]: a system in the hinge forces and constraint torques alone.

(CᵀM⁻¹C + L̃ᵀI⁻¹L̃ …) (f, λ) = −(CᵀM⁻¹u₁ + L̃ᵀI⁻¹u₂ + u₃ …): the Schur complement S = H J⁻¹Hᵀ of the joints' rows, positive
definite for a tree and coupling only joints that share a body. With the forces known, every body's accelerations follow by
themselves.
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

title = "Newton–Euler, solved for the hinge forces"


def refusal(m: Mechanism) -> str | None:
    return lacking(m) or bodies_tied(m)


def equations(s: State) -> Equations:
    b = s.view(Bodies)
    S, right = force_system(b)
    return with_known_forces(b, solve_symmetric(S, right))


def force_system(b: Bodies) -> tuple[np.ndarray, np.ndarray]:
    """S and its right-hand sides: H J⁻¹u − h, and H J⁻¹Bᵀ for every row of the loops."""
    H, h = b.joint_rows
    B, _ = b.loop_rows
    HJ = H @ b.inverse_inertia
    return HJ @ H.T, np.column_stack([HJ @ b.right - h, HJ @ B.T])


def explain(s: State) -> list[Quantity]:
    """C, S and T of the graph, and the system of the forces."""
    b = Bodies(s)
    S, right = force_system(b)
    return [
        *graph_matrices(s.mechanism),
        *body_matrices(b),
        quantity("S_f", "H J⁻¹Hᵀ of the hinge forces and constraint torques [B 14]", S),
        quantity("right_f", "its right-hand sides: H J⁻¹u − h, then one for every row of the loops", right),
    ]
