"""Lagrange's equations in first-order momentum form [C 153–155]: p = M q̇ + Γ and ṗ = L,q + Q̄ − Aᵀλ, with L = T − V.

The rates are solved for from the momenta, and nothing is inverted or differentiated beyond L itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.momenta.momenta import (
    constrained,
    momenta_of,
    on_rates,
    phase_state,
    rates_and_speeds,
    refusal,
    speeds_rate,
)
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.tree.coordinate_rates import RatesState, speeds_from
from dalembert.formulations.tree.in_coordinates import first_order, speeds, takes_variables
from dalembert.formulations.tree.lagrangian import kinetic, potential, structure, unpotential_on_rates
from dalembert.kinematics import totals
from dalembert.kinematics.state import State
from dalembert.kinematics.traced import TracedSource
from dalembert.mechanism import Mechanism
from dalembert.trace import gradient, substitute, symbols

title = "Lagrange, momentum form"
takes_armature = True
"""Whether it knows of the inertia of joints\' speeds by itself."""
letter = "p"
formulation_speeds, state, udot = momenta_of, phase_state, speeds_rate


class _Lagrangian:
    """L,q of q̇ and u = W q̇: T̄,q, and what W changes at constant q̇."""

    def __init__(self, m: Mechanism, t: Any, q: np.ndarray, both: np.ndarray):
        rates, u = both[: m.n_q], both[m.n_q :]
        s, own = State(m, t, q, u), RatesState(m, t, q, rates)
        T, pi = totals.kinetic_energy(s), symbols("pi.", m.speeds)
        turned = gradient(pi @ speeds_from(s, rates) if m.n_u else 0.0, list(q))
        extra = kinetic(own) - totals.kinetic_energy(own)  # ½ μ ċ² of conditions among coordinates
        by_q = gradient(T + extra - potential(s), list(q))
        self.L_q = by_q + substitute(turned, dict(zip(pi, gradient(T, list(u)))))


_energies = TracedSource(_Lagrangian, rates_and_speeds).functions("L_q")


def by_coordinates(s: State) -> np.ndarray:
    """L,q at constant q̇."""
    return np.asarray(_energies(s, np.concatenate([s.rates, s.speeds])).L_q)


def equations(s: State) -> Equations:
    """ṗ + Aᵀλ = L,q + Q̄ [C 154]."""
    return Equations(*constrained(s, by_coordinates(s) + unpotential_on_rates(s)))


def equations_in_rates(s: State) -> Equations:
    """The same with the constraints on q̇, for print."""
    return on_rates(s, by_coordinates(s) + unpotential_on_rates(s))


def explain(s: State) -> list[Quantity]:
    """M and Γ of p = M q̇ + Γ, and L."""
    own, q = structure(s.mechanism), s.mechanism.coordinates
    return [
        quantity("M", "M of p = M q̇ + Γ [C 153]", own.M, q, q),
        quantity("Gamma", "Γ", own.Gamma, q),
        quantity("L", "L = T − V, in q̇", substitute(own.T - own.V, dict(zip(own.rates, s.rates)))),
        quantity("L_q", "L,q of ṗ = L,q + Q̄ − Aᵀλ [C 154]", by_coordinates(s), q),
    ]


__all__ = [
    "equations",
    "equations_in_rates",
    "explain",
    "first_order",
    "formulation_speeds",
    "letter",
    "refusal",
    "speeds",
    "state",
    "takes_variables",
    "title",
    "udot",
]
