"""States (q, p) with the generalized momenta p = ∂T/∂q̇ = M q̇ + Γ [C 152–155], and constraints seen from them.

From p the rates come back as q̇ = M⁻¹(p − Γ), and q̈ = M⁻¹(ṗ − Ṁ q̇ − Γ̇).
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from dalembert.formulations.linear_systems import solve_definite
from dalembert.formulations.tree.coordinate_rates import RatesState, rows_in_rates, speed_rates
from dalembert.formulations.tree.lagrangian import in_rates, momenta
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism

_bias = in_rates.functions("M", "p_bias")


class PhaseState(RatesState):
    """The state with these rates and momenta."""

    def __init__(self, m: Mechanism, t: Any, q: Any, rates: Any, p: Any):
        super().__init__(m, t, q, rates)
        self.momenta = p


def refusal(m: Mechanism) -> str | None:
    """Momenta of freedoms without mass are nothing, and do not tell their rates."""
    if m.row_inertias is None:
        return None
    return 'a freedom moves no mass, so that momenta do not tell all rates; choose "lagrange" or "kane"'


def momenta_of(s: State) -> np.ndarray:
    """p = M q̇ + Γ; a state made from momenta has them already."""
    if isinstance(s, PhaseState):
        return np.asarray(s.momenta)
    own = momenta(s, s.rates)
    return np.asarray(own.M @ s.rates + own.Gamma)


def at_rest(m: Mechanism, t: Any, q: Any) -> State:
    """A state to evaluate functions of t and q in."""
    return State(m, t, q, np.zeros(m.n_u))


def _bias_of(s: State) -> SimpleNamespace:
    """M, and Ṁ q̇ + Γ̇."""
    return _bias(s, s.rates)


def rates_of_rates(s: State, pdot: Any) -> np.ndarray:
    """q̈ = M⁻¹(ṗ − Ṁ q̇ − Γ̇)."""
    own = s.view(_bias_of)
    return solve_definite(own.M, np.asarray(pdot) - own.p_bias)


def speeds_rate(s: State, pdot: Any) -> np.ndarray:
    """u̇ from ṗ."""
    return speed_rates(s, rates_of_rates(s, pdot))


def constrained(s: State, g: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(A, f, B, γ) of ṗ + Cᵀλ = g with C q̈ = c as one symmetric system in ṗ.

    Without rows A = 1 and f = g. With rows everything is multiplied by M⁻¹: A = M⁻¹, f = M⁻¹g, B = C M⁻¹,
    γ = c + C M⁻¹(Ṁ q̇ + Γ̇).
    """
    C, _, c = rows_in_rates(s)
    n = len(g)
    if not len(C):
        return np.eye(n), g, np.zeros((0, n)), np.zeros(0)
    own = s.view(_bias_of)
    columns = np.column_stack([np.eye(n), g, own.p_bias]) if n else np.zeros((0, 2))
    solved = solve_definite(own.M, columns)
    A, f, bias = solved[:, :n], solved[:, n], solved[:, n + 1]
    return A, f, np.asarray(C @ A), np.asarray(c + C @ bias)
