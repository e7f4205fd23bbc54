"""Lagrange's equations in generalized coordinates, from the energies by the trace's derivatives [C 70, 107–110, 130–133].

d/dt ∂T/∂q̇ − ∂T/∂q = −∂V/∂q + Q̄ − Bᵀλ with T = T₂ + T₁ + T₀. The unknowns are q̈ and a multiplier for every constraint row; coordinates
that are not independent (Euler parameters) bring the row of their condition. `structure(m)` has M, Γ, T₀ and J^α to look at.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.tree.coordinate_rates import RatesState, rows_in_rates, speed_rates
from dalembert.formulations.tree.in_coordinates import first_order, refusal, speeds, takes_variables
from dalembert.formulations.tree.lagrangian import Structure, in_rates, structure, unpotential_on_rates
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism

title = "Lagrange, generalized coordinates"
takes_armature = True
"""Whether it knows of the inertia of joints\' speeds by itself."""
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


def explain(s: State) -> list[Quantity]:
    """T₂, T₁, T₀ and V, and what Lagrange's equations are made of: M, Γ, G and J [C 105–110]."""
    return [*energies(s), *_forms(s.mechanism, structure(s.mechanism))]


def _forms(m: Mechanism, own: Structure) -> list[Quantity]:
    q = m.coordinates
    return [
        quantity("G", "G = Γ,q − (Γ,q)ᵀ, gyroscopic [C 110]", own.G, q, q),
        quantity("T0_q", "T₀,q, centrifugal", own.T0_q, q),
        *(
            quantity(f"J_{name}", f"J of {name}: Christoffel's symbols, in q̇ᵀJ q̇ [C 110]", own.J[k], q, q)
            for k, name in enumerate(q)
        ),
    ]


def energies(s: State) -> list[Quantity]:
    """T₂, T₁, T₀, V, M and Γ."""
    own, q = structure(s.mechanism), s.mechanism.coordinates
    T2, T1 = 0.5 * (own.rates @ (own.M @ own.rates)), own.rates @ own.Gamma
    return [
        quantity("T2", "T₂ = ½ q̇ᵀM q̇ [C 105]", T2),
        quantity("T1", "T₁ = Γᵀq̇, of prescribed motion", T1),
        quantity("T0", "T₀, of prescribed motion alone", own.T0),
        quantity("V", "potential energy", own.V),
        quantity("M", "M of T₂ [C 106]", own.M, q, q),
        quantity("Gamma", "Γ of T₁ [C 106]", own.Gamma, q),
    ]


__all__ = [
    "energies",
    "equations",
    "explain",
    "first_order",
    "formulation_speeds",
    "refusal",
    "speeds",
    "state",
    "structure",
    "takes_variables",
    "title",
    "udot",
]
