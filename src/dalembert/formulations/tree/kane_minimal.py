"""Kane's equations with constraints in their minimal form: 2ν − m first-order equations, no multipliers [C 54–57, 64–66].

The m dependent speeds are solved for from B u = b, so that u = T u_i + c; the bodies' partial velocities in the independent speeds are
V T and Ω T, and f + f* = 0 along them is as many equations as there are freedoms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.tree.independent_speeds import InIndependentSpeeds
from dalembert.formulations.tree.partial_velocities import partial_velocities
from dalembert.formulations.tree.principle import mass_and_forces_along
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism


class KaneMinimal(InIndependentSpeeds):
    title = "Kane, independent speeds"
    takes_armature = True

    def rows(self, s: State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rows = constraint_rows(s)
        return rows.B, rows.b, rows.gamma

    def gaps(self, s: State) -> np.ndarray:
        return constraint_rows(s).g

    def every(self, s: State) -> np.ndarray:
        return np.asarray(s.speeds)

    def names(self, m: Mechanism) -> tuple[str, ...]:
        return m.speeds

    def moving(self, m: Mechanism, t: Any, q: Any, every: np.ndarray) -> State:
        return State(m, t, q, every)

    def udot(self, s: State, wdot: Any) -> np.ndarray:
        made = self.reduction(s)
        return np.asarray(made.T @ np.asarray(wdot) + made.d)

    def equations(self, s: State) -> Equations:
        made = self.reduction(s)
        A, f = mass_and_forces_along(s, made.T, made.d)
        return Equations(A, f, np.zeros((0, len(f))), np.zeros(0))

    def explain(self, s: State) -> list[Quantity]:
        """T of u = T u_i + c, and partial velocities in the independent speeds."""
        made = self.reduction(s)
        own = [self.names(s.mechanism)[i] for i in made.choice.independent]
        return [
            quantity("T", "T of u = T u_i + c [C 56–57]", made.T, s.mechanism.speeds, own),
            quantity("c", "c, of prescribed motion", made.c, s.mechanism.speeds),
            *partial_velocities(s, own, made.T),
        ]
