"""Lagrange's form of d'Alembert's principle, in independent coordinates [C 18–20] and for simply constrained systems [C 53–63].

Partial velocities are taken in the rates of the coordinates: V W and Ω W with u = W q̇. Constraints, and the condition among coordinates
that are not independent (Euler parameters), are solved for as many rates as they fix; the remaining n rates have partial velocities
V W T, and one equation each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.tree.coordinate_rates import (
    RatesState,
    bias,
    n_conditions,
    rows_in_rates,
    speed_rates,
    speeds_per_rate,
)
from dalembert.formulations.tree.independent_speeds import InIndependentSpeeds
from dalembert.formulations.tree.partial_velocities import partial_velocities
from dalembert.formulations.tree.principle import mass_and_forces_along
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism


class DAlembert(InIndependentSpeeds):
    title = "Lagrange's form of d'Alembert's principle"
    takes_armature = True
    letter = "qdot"

    def rows(self, s: State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return rows_in_rates(s)

    def gaps(self, s: State) -> np.ndarray:
        return np.concatenate([np.zeros(n_conditions(s.mechanism)), constraint_rows(s).g])

    def every(self, s: State) -> np.ndarray:
        return np.asarray(s.rates)

    def names(self, m: Mechanism) -> tuple[str, ...]:
        return m.coordinates

    def moving(self, m: Mechanism, t: Any, q: Any, every: np.ndarray) -> State:
        return RatesState(m, t, q, every)

    def udot(self, s: State, wdot: Any) -> np.ndarray:
        made = self.reduction(s)
        return speed_rates(s, made.T @ np.asarray(wdot) + made.d)

    def equations(self, s: State) -> Equations:
        made, W = self.reduction(s), speeds_per_rate(s)
        A, f = mass_and_forces_along(s, W @ made.T, W @ made.d + bias(s))
        return Equations(A, f, np.zeros((0, len(f))), np.zeros(0))

    def explain(self, s: State) -> list[Quantity]:
        """W of u = W q̇, T of q̇ = T q̇_i + c, and partial velocities in the independent rates."""
        made, W, m = self.reduction(s), speeds_per_rate(s), s.mechanism
        own = [m.coordinates[i] for i in made.choice.independent]
        return [
            quantity("W", "W of u = W q̇ [C 64]", W, m.speeds, m.coordinates),
            quantity("T", "T of q̇ = T q̇_i + c [C 56–57]", made.T, m.coordinates, own),
            quantity("c", "c, of prescribed motion", made.c, m.coordinates),
            *partial_velocities(s, own, W @ made.T),
        ]
