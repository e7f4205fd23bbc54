"""Lagrange's equations in first-order momentum form [C 153–155]: p = M q̇ + Γ and ṗ = L,q + Q̄ − Aᵀλ, with L = T − V.

The rates are solved for from the momenta, and nothing is inverted or differentiated beyond L itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.linear_systems import solve_definite
from dalembert.formulations.momenta.momenta import PhaseState, at_rest, constrained, momenta_of, refusal, speeds_rate
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.tree.in_coordinates import first_order, speeds
from dalembert.formulations.tree.lagrangian import in_rates, momenta, structure, unpotential_on_rates
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.trace import substitute
from dalembert.vectors import vector

title = "Lagrange, momentum form"
letter = "p"


def formulation_speeds(s: State) -> np.ndarray:
    return momenta_of(s)


def state(m: Mechanism, t: Any, q: Any, w: Any) -> State:
    """q̇ from M q̇ = p − Γ."""
    own = momenta(at_rest(m, t, q), np.zeros(m.n_q))
    return PhaseState(m, t, q, solve_definite(own.M, vector(list(w)) - own.Gamma), w)


def udot(s: State, wdot: Any) -> np.ndarray:
    return speeds_rate(s, wdot)


_energies = in_rates.functions("L_q")


def equations(s: State) -> Equations:
    """ṗ + Aᵀλ = L,q + Q̄ [C 154]."""
    return Equations(*constrained(s, _energies(s, s.rates).L_q + unpotential_on_rates(s)))


def explain(s: State) -> list[Quantity]:
    """M and Γ of p = M q̇ + Γ, and L."""
    own, q = structure(s.mechanism), s.mechanism.coordinates
    return [
        quantity("M", "M of p = M q̇ + Γ [C 153]", own.M, q, q),
        quantity("Gamma", "Γ", own.Gamma, q),
        quantity("L", "L = T − V, in q̇", substitute(own.T - own.V, dict(zip(own.rates, s.rates)))),
        quantity("L_q", "L,q of ṗ = L,q + Q̄ − Aᵀλ [C 154]", _energies(s, s.rates).L_q, q),
    ]


__all__ = [
    "equations",
    "explain",
    "first_order",
    "formulation_speeds",
    "letter",
    "refusal",
    "speeds",
    "state",
    "title",
    "udot",
]
