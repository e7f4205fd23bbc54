"""The penalty approximation of Gauss's principle [B Remark 1]: min Z + ½ ρ ‖H ẇ − h‖²_W over the accelerations of all bodies.

(J + ρ HᵀWH) ẇ = u + ρ HᵀWh, H over all joints, loops and constraints: no multipliers, redundant rows do no harm, and
everything gives a little: each row is broken by λ/(ρ W). W is the mass of the connected part for rows that resist forces and its
inertia for torques, so that ρ is a number: with ρ = 10⁸ the accelerations are good to 10⁻⁵ of the largest or better; more
stiffness loses as much to rounding. The forces are ρ W (H ẇ − h).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.formulations.absolute.connection import Directions
from dalembert.formulations.absolute.definite import row_weights, strengthened
from dalembert.formulations.absolute.newton_euler import formulation_speeds, refusal, speeds, state, udot
from dalembert.formulations.absolute.separate_bodies import Bodies
from dalembert.formulations.equations import Equations
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.trace import Expr

__all__ = [
    "equations",
    "first_order",
    "formulation_speeds",
    "refusal",
    "speeds",
    "state",
    "title",
    "udot",
    "with_terms",
]

title = "Gauss's least constraint, by penalty (an approximation)"

STIFFNESS = 1e8


def first_order(m: Mechanism) -> int:
    """Coordinates and accelerations: no multiplier is left."""
    return m.n_q + 6 * m.n_bodies


def equations(s: State) -> Equations:
    b = s.view(Bodies)
    A, f = b.inertia, b.right
    for H, h in (b.joint_rows, b.loop_rows):
        A, f = strengthened(A, f, H, h, _stiffness(b, H))
    return Equations(A, f, b.zeros(0, 6 * b.n), b.zeros(0))


def with_terms(s: State, e: Equations, terms: np.ndarray) -> Equations:
    """h of the loops and constraints less the terms: f − ρ HᵀW terms."""
    b = s.view(Bodies)
    H = b.loop_rows[0]
    return replace(e, f=e.f - H.T @ (_stiffness(b, H) * terms))


def _stiffness(b: Bodies, H: np.ndarray) -> np.ndarray:
    """ρ W of these rows."""
    weights = [_weight(b, row) for row in H]
    return STIFFNESS * np.array(weights)


def _weight(b: Bodies, row: np.ndarray) -> Any:
    """W of one row, by the part of the first body that it resists."""
    columns = [i for i, x in enumerate(row) if type(x) is Expr or x != 0.0]
    first = columns[0] % (3 * b.n) // 3 + 1 if columns else 1
    places, turns = row[: 3 * b.n, None], row[3 * b.n :, None]
    return row_weights(b.mechanism, Directions(places, turns), first)[0]
