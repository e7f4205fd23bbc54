"""Newton–Euler without multipliers of the hinges [B Remark 2, 40, 67–70]: Zᵀ (J ẇ − u) = 0, Lagrange's form of d'Alembert's principle.

B's unknowns are ṙ₁ of a group's first body and ω₁ … ω_n of all: ṙ = ṙ₁ 1 − (L̃T₂)ᵀω, so that Z = [1 −(L̃T₂)ᵀ; 0 E] spans what the hinges
allow, Zᵀ (C; L̃) = 0 [B 40d]. A = ZᵀJZ and f = Zᵀ(u − J ẅ₀), ẅ₀ being the accelerations where those unknowns do not change [B 68].
Taking ṙ₁ from the first equations and putting it into the others leaves K of the barycentric form [B 69, 70]. A group on an external
body needs no ṙ₁ [B Remark 3]. Constraint torques, joints that slide and cut hinges stay as rows [B 47, 66, 71–73].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.absolute.attachment import Lever
from dalembert.formulations.absolute.graph_matrices import body_matrices, graph_matrices
from dalembert.formulations.absolute.hinged import Hinged, first_order, groups, rotations_and_modes
from dalembert.formulations.absolute.newton_euler import refusal
from dalembert.formulations.absolute.newton_euler import state as state_of_bodies
from dalembert.formulations.absolute.newton_euler import udot as udot_of_bodies
from dalembert.formulations.absolute.separate_bodies import Bodies
from dalembert.formulations.absolute.separate_bodies import speeds as every_speed
from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism

__all__ = ["equations", "explain", "first_order", "formulation_speeds", "refusal", "speeds", "state", "title", "udot"]

title = "Newton–Euler, the root's velocity and all rotations"


def speeds(m: Mechanism) -> tuple[str, ...]:
    """ṙ of the first body of each floating group, then the rotations and modes of all bodies."""
    return (*(f"{m.bodies[r - 1].name}.v{axis}" for r in groups(m).floating for axis in "xyz"), *rotations_and_modes(m))


def formulation_speeds(s: State) -> np.ndarray:
    b = s.view(Bodies)
    return np.concatenate([[], *(b.velocities[b.at(r)[0]] for r in groups(b.mechanism).floating), _turns(b)])


def state(m: Mechanism, t: Any, q: Any, w: Any) -> State:
    return state_of_bodies(m, t, q, hinged(State(m, t, q, np.zeros(m.n_u))).velocities(w))


def udot(s: State, wdot: Any) -> np.ndarray:
    x = hinged(s)
    return udot_of_bodies(s, x.spread @ np.asarray(wdot) + x.bias)


def equations(s: State) -> Equations:
    b, x = s.view(Bodies), hinged(s)
    Z = x.spread
    JZ = b.inertia @ Z
    return x.equations(Z.T @ JZ, Z.T @ (b.right - b.inertia @ x.bias))


def hinged(s: State) -> Hinged:
    """d_ik of −L̃T₂: the part of the way from the first mass centre, or from the hinge on an external body, to that of body k which
    turns with body i on it."""
    return s.view(_hinged)


def _hinged(s: State) -> Hinged:
    b = s.view(Bodies)
    d: dict[tuple[int, int], Lever] = {}
    for c in b.connections:
        k, parent = c.child, c.parent
        if not c.pointed:
            continue
        if parent:
            d |= {(i, k): lever for (i, of), lever in d.items() if of == parent}
            d[parent, k] = d[parent, k] + c.parent_lever if (parent, k) in d else c.parent_lever
        d[k, k] = -c.child_lever
    return Hinged(b, d)


def explain(s: State) -> list[Quantity]:
    """C, S and T of the graph, the bodies' inertia, and Z."""
    m, Z = s.mechanism, hinged(s).spread
    words = "Z = [1 −(L̃T₂)ᵀ; 0 E]: (ṙ, ω) of all bodies from the unknowns [B 40d]"
    return [
        *graph_matrices(m),
        *body_matrices(s.view(Bodies)),
        quantity("Z", words, Z, every_speed(m), speeds(m)),
    ]


def _turns(b: Bodies) -> np.ndarray:
    return b.velocities[3 * b.n :]
