"""Lagrange's equations in generalized coordinates, from the energies by the trace's derivatives [C 70, 107–110, 130–133].

d/dt ∂T/∂q̇ − ∂T/∂q = −∂V/∂q + Q̄ − Bᵀλ with T = T₂ + T₁ + T₀. The unknowns are q̈ and a multiplier for every constraint row; coordinates
that are not independent (Euler parameters) bring the row of their condition. `structure(m)` has M, Γ, T₀ and J^α to look at.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.tree.coordinate_rates import RatesState, rows_in_rates, speed_rates
from dalembert.formulations.tree.in_coordinates import first_order, refusal, speeds
from dalembert.formulations.tree.lagrangian import in_rates, structure, unpotential_on_rates
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism

title = "Lagrange, generalized coordinates"
letter = "qdot"


def formulation_speeds(s: State) -> np.ndarray:
    return s.rates


def state(m: Mechanism, t: Any, q: Any, w: Any) -> State:
    return RatesState(m, t, q, w)


def udot(s: State, wdot: Any) -> np.ndarray:
    return speed_rates(s, wdot)


_energies = in_rates.functions("M", "T_q", "V_q", "p_bias")


def equations(s: State) -> Equations:
    """M q̈ + Bᵀλ = T,q − V,q − (∂p/∂t + p,q q̇) + Q̄ [C 107, 133]."""
    own = _energies(s, s.rates)
    B, _, gamma = rows_in_rates(s)
    return Equations(own.M, own.T_q - own.V_q - own.p_bias + unpotential_on_rates(s), B, gamma)


__all__ = ["equations", "first_order", "formulation_speeds", "refusal", "speeds", "state", "structure", "title", "udot"]
