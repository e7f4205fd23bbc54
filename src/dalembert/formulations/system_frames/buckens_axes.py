"""Buckens' frame of the whole [C 47]: ∫ρ̄ × u dm = 0 with ρ̄ the places in the reference configuration, and u away from them.

With ρ the places from the mass centre in the root's axes and Q = ∫ρ ρ̄ᵀdm, the condition is that Q = S R with the frame's axes R and a
symmetric S: the polar decomposition of Q. So S² = QQᵀ. The invariants of S follow from those of QQᵀ by one equation of fourth degree
for the trace, which Newton's method solves from above. The frame turns relative to the root at x with (tr S 1 − S) x = −ε:(Q̇Rᵀ).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.elastic.central import adjugate, inverse
from dalembert.elastic.tensors import axial
from dalembert.formulations.system_frames.floating_tree import (
    FloatingTree,
    TreeMotion,
    mass_on_a_line,
)
from dalembert.formulations.system_frames.traced_axes import TracedAxes
from dalembert.kinematics.totals import moment_with_reference
from dalembert.mechanism import Mechanism
from dalembert.trace import directional, sqrt
from dalembert.vectors import IDENTITY, Matrix, Vector

STEPS = 12
"""Newton's steps for the trace of S: it starts at most √3 times too large, and each step is then quadratic."""


class BuckensAxes(TracedAxes):
    title = "Kane, mass centre of the whole, Buckens' frame of the whole"

    def unsuitable(self, m: Mechanism, tree: FloatingTree) -> str | None:
        return mass_on_a_line(m, tree, "Buckens'")

    def turning(self, x: TreeMotion, along: dict[Any, Any]) -> Vector:
        Q = moment_with_reference(x.relative, x.tree.members)
        S = root_of_square(Q)
        rate = np.asarray(directional(Q, along))
        turned = rate @ turn_of(Q, S).T
        return np.asarray(-(inverse(np.trace(S) * IDENTITY - S) @ axial(turned)))


def turn_of(Q: Matrix, S: Matrix) -> Matrix:
    """R of Q = S R. The cofactors obey Q* = S* R too, and S + S*/tr S is definite even where all mass lies in a plane, in which Q is
    singular."""
    by = 1.0 / np.trace(S)
    return np.asarray(inverse(S + by * adjugate(S).T) @ (Q + by * adjugate(Q).T))


def root_of_square(Q: Matrix) -> Matrix:
    """S = (QQᵀ)^½ of a Q with a positive determinant."""
    P = Q @ Q.T
    first, second = np.trace(P), np.trace(adjugate(P))
    third = Q[0] @ adjugate(Q)[:, 0]  # det Q, the determinant of S
    trace = sqrt(3.0 * first)
    for _ in range(STEPS):
        half = 0.5 * (trace * trace - first)
        trace = trace - (half * half - second - 2.0 * third * trace) / (2.0 * half * trace - 2.0 * third)
    middle = 0.5 * (trace * trace - first)
    return np.asarray(inverse(P + middle * IDENTITY) @ (trace * P + third * IDENTITY))
