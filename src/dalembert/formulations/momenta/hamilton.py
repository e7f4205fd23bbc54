"""Hamilton's equations, with constraints [C 163–164] and for independent coordinates [C 166].

H = ½ (p − Γ)ᵀM⁻¹(p − Γ) + V − T₀ [C 156d] gives q̇ = H,p and ṗ = −H,q + Q̄ − Aᵀλ, with

H,p = M⁻¹(p − Γ),   H,q = −Γ,qᵀ H,p − ½ {(p − Γ)ᵀM⁻¹ M,q_α M⁻¹(p − Γ)} + V,q − T₀,q [C 165c],

since (M⁻¹),q = −M⁻¹ M,q M⁻¹. The states are (q, p).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.linear_systems import solve_definite
from dalembert.formulations.momenta.momenta import PhaseState, at_rest, constrained, momenta_of, refusal, speeds_rate
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.tree.in_coordinates import first_order, speeds
from dalembert.formulations.tree.lagrangian import in_rates, momenta, unpotential_on_rates
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.vectors import vector

title = "Hamilton"
letter = "p"


def formulation_speeds(s: State) -> np.ndarray:
    return momenta_of(s)


def state(m: Mechanism, t: Any, q: Any, w: Any) -> State:
    """q̇ = H,p."""
    own = momenta(at_rest(m, t, q), np.zeros(m.n_q))
    return PhaseState(m, t, q, solve_definite(own.M, vector(list(w)) - own.Gamma), w)


def udot(s: State, wdot: Any) -> np.ndarray:
    return speeds_rate(s, wdot)


_values = in_rates.functions("M", "Gamma", "T0", "V")
_slopes = in_rates.functions("Gamma_q_v", "M_q_vv", "V_q", "T0_q")


def hamiltonian(s: State) -> Any:
    """H = ½ (p − Γ)ᵀM⁻¹(p − Γ) + V − T₀; the energy where nothing is prescribed."""
    own = _values(s, s.rates)
    moved = momenta_of(s) - own.Gamma
    return 0.5 * (moved @ solve_definite(own.M, moved)) + own.V - own.T0


def equations(s: State) -> Equations:
    """ṗ + Aᵀλ = −H,q + Q̄."""
    return Equations(*constrained(s, unpotential_on_rates(s) - by_coordinates(s)))


def by_momenta(s: State) -> np.ndarray:
    """H,p = M⁻¹(p − Γ) [C 165]."""
    own = momenta(s, s.rates)
    return solve_definite(own.M, momenta_of(s) - own.Gamma)


def by_coordinates(s: State) -> np.ndarray:
    """H,q [C 165c]."""
    slopes = _slopes(s, by_momenta(s))
    return np.asarray(-slopes.Gamma_q_v - 0.5 * slopes.M_q_vv + slopes.V_q - slopes.T0_q)


def explain(s: State) -> list[Quantity]:
    """H and what it is made of [C 156, 165]."""
    own, q = _values(s, s.rates), s.mechanism.coordinates
    return [
        quantity("M", "M of p = M q̇ + Γ [C 153]", own.M, q, q),
        quantity("Gamma", "Γ", own.Gamma, q),
        quantity("T0", "T₀, of prescribed motion alone", own.T0),
        quantity("V", "potential energy", own.V),
        quantity("H", "H = ½ (p − Γ)ᵀM⁻¹(p − Γ) + V − T₀ [C 156d]", hamiltonian(s)),
        quantity("H_p", "H,p = M⁻¹(p − Γ) = q̇ [C 165]", by_momenta(s), q),
        quantity("H_q", "H,q [C 165c]", by_coordinates(s), q),
    ]


__all__ = [
    "equations",
    "explain",
    "first_order",
    "formulation_speeds",
    "hamiltonian",
    "letter",
    "refusal",
    "speeds",
    "state",
    "title",
    "udot",
]
