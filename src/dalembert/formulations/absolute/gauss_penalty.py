"""The penalty approximation of Gauss's principle [B Remark 1]: min Z + ½ ρ ‖H ẇ − h‖²_W over the accelerations of all bodies.

(J + ρ HᵀWH) ẇ = u + ρ HᵀWh, H over all joints, loops and constraints: no multipliers, redundant rows do no harm, and
everything gives a little: each row is broken by λ/(ρ W). W is the mass of the connected part for rows that resist forces and its
inertia for torques, so that ρ is a number: with ρ = 10⁸ the accelerations are good to 10⁻⁵ of the largest or better; more
stiffness loses as much to rounding. Light parts on heavy ones lose more, which is said. The forces are ρ W (H ẇ − h): `multipliers` of
the loops, `reactions` of the joints.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from dalembert.errors import RoundingWarning
from dalembert.formulations.absolute import newton_euler
from dalembert.formulations.absolute.connection import Directions
from dalembert.formulations.absolute.definite import row_weights, strengthened
from dalembert.formulations.absolute.separate_bodies import Bodies
from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.formulation_settings import GaussPenalty
from dalembert.trace import Expr
from dalembert.vectors import Vector

LOST = 1e-3
"""What rounding may take of the accelerations, by the largest of them, before a warning says so."""


@dataclass(frozen=True)
class PenalisedGauss:
    """The formulation, with its stiffness ρ."""

    rho: float = GaussPenalty.rho

    title: ClassVar[str] = "Gauss's least constraint, by penalty (an approximation)"
    refusal: ClassVar[Callable[[Mechanism], str | None]] = staticmethod(newton_euler.refusal)
    speeds: ClassVar[Callable[[Mechanism], tuple[str, ...]]] = staticmethod(newton_euler.speeds)
    formulation_speeds: ClassVar[Callable[[State], np.ndarray]] = staticmethod(newton_euler.formulation_speeds)
    state: ClassVar[Callable[[Mechanism, Any, Any, Any], State]] = staticmethod(newton_euler.state)
    udot: ClassVar[Callable[[State, Any], np.ndarray]] = staticmethod(newton_euler.udot)

    def approximation(self, m: Mechanism) -> str | None:
        """Everything gives a little."""
        return f"joints and loops give by their forces over ρ = {self.rho:g} times mass or inertia"

    def with_settings(self, said: GaussPenalty) -> PenalisedGauss:
        """The formulation with these settings."""
        return PenalisedGauss(said.rho)

    def first_order(self, m: Mechanism) -> int:
        """Coordinates and accelerations: no multiplier is left."""
        return m.n_q + len(newton_euler.speeds(m))

    def equations(self, s: State) -> Equations:
        b = s.view(Bodies)
        A, f = b.inertia, b.right
        for H, h in (b.joint_rows, b.loop_rows):
            A, f = strengthened(A, f, H, h, self._stiffness(b, H))
        return Equations(A, f, b.zeros(0, b.size), b.zeros(0))

    def with_terms(self, s: State, e: Equations, terms: np.ndarray) -> Equations:
        """h of the loops and constraints less the terms: f − ρ HᵀW terms."""
        b = s.view(Bodies)
        H = b.loop_rows[0]
        return replace(e, f=e.f - H.T @ (self._stiffness(b, H) * terms))

    def multipliers(self, s: State, wdot: Any) -> np.ndarray:
        """λ = ρ W (H ẇ − h) of the loops and constraints."""
        b = s.view(Bodies)
        return self._forces(b, *b.loop_rows, wdot)

    def reactions(self, s: State, wdot: Any) -> list[tuple[Vector, Vector]]:
        """(force, torque) that each tree joint exerts on the body it carries, at the joint's point, motors and springs included."""
        b = s.view(Bodies)
        every = [self._forces(b, *rows, wdot) for rows in (b.joint_rows, b.loop_rows)]
        return newton_euler.reactions(s, np.concatenate(every))

    def _forces(self, b: Bodies, H: np.ndarray, h: np.ndarray, wdot: Any) -> np.ndarray:
        return self._stiffness(b, H) * (H @ np.asarray(wdot) - h)

    def _stiffness(self, b: Bodies, H: np.ndarray) -> np.ndarray:
        """ρ W of these rows."""
        return self.rho * np.array([_weight(b, row) for row in H])

    def rounding(self, s: State) -> float:
        """What rounding may do to the accelerations, by the largest: ε times the condition of J + ρ HᵀWH, measured by its diagonal."""
        A = self.equations(s).A
        if not len(A):
            return 0.0
        D = 1.0 / np.sqrt(np.diag(A))
        return float(np.finfo(float).eps * np.linalg.cond(D[:, None] * A * D))

    def warn_of_rounding(self, s: State) -> None:
        """Where more than LOST of the accelerations may be rounding."""
        lost = self.rounding(s)
        if not lost <= LOST:
            warnings.warn(
                f"gauss_penalty: with ρ = {self.rho:g} rounding may take up to {min(lost, 1.0):.0e} of the accelerations, because "
                f"light parts hang on heavy ones; a smaller one, da.GaussPenalty(rho={self.rho / 1e3:g}), keeps three digits more, and "
                "another formulation all of them",
                RoundingWarning,
                stacklevel=2,
            )

    def explain(self, s: State) -> list[Quantity]:
        """ρ, and the rows with their weights."""
        b = Bodies(s)
        H, h = (np.concatenate([x, y]) for x, y in zip(b.joint_rows, b.loop_rows))
        names = newton_euler.speeds(s.mechanism)
        return [
            quantity("rho", "ρ, the penalty", self.rho),
            quantity("J", "J = diag(M, I)", b.inertia, names, names),
            quantity("H", "rows of all joints, loops and constraints on ẇ", H, columns=names),
            quantity("h", "right-hand sides of the rows", h),
            quantity("W", "weights W of the rows", self._stiffness(b, H) / self.rho),
        ]


def _weight(b: Bodies, row: np.ndarray) -> Any:
    """W of one row, by the part of the first body that it resists."""
    columns = [i for i, x in enumerate(row[: 6 * b.n]) if type(x) is Expr or x != 0.0]
    first = b.numbers[columns[0] % (3 * b.n) // 3 if columns else 0]
    places, turns = row[: 3 * b.n, None], row[3 * b.n :, None]
    return row_weights(b.mechanism, Directions(places, turns), first)[0]
