"""Hamilton's equations, with constraints [C 163–164] and for independent coordinates [C 166].

H = ½ (p − Γ)ᵀM⁻¹(p − Γ) + V − T₀ [C 156d] gives q̇ = H,p and ṗ = −H,q + Q̄ − Aᵀλ. As C does for a rigid body [C 208–214], H is written in
speeds: with u = A⁻¹(Nᵀp − g), so that M⁻¹ = N A⁻¹Nᵀ,

H = ½ uᵀA u + V − T₀,   H,p = N u,   H,q = (pᵀN u),q − T̄,q + V,q at constant u,

since (A⁻¹),q = −A⁻¹ A,q A⁻¹, which is [C 165c] in speeds. The states are (q, p).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.momenta import momentum
from dalembert.formulations.momenta.momenta import (
    constrained,
    inertia,
    momenta_of,
    on_rates,
    orthonormal,
    phase_state,
    rates_and_speeds,
    refusal,
    speeds_rate,
)
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.tree.coordinate_rates import conditions, rates_per_speed
from dalembert.formulations.tree.in_coordinates import first_order, speeds, takes_variables
from dalembert.formulations.tree.lagrangian import potential, structure, unpotential_on_rates
from dalembert.kinematics import totals
from dalembert.kinematics.state import State
from dalembert.kinematics.traced import TracedSource
from dalembert.mechanism import Mechanism
from dalembert.trace import Scalar, directional, gradient

title = "Hamilton"
takes_armature = True
"""Whether it knows of the inertia of joints\' speeds by itself."""
letter = "p"
formulation_speeds, state, udot = momenta_of, phase_state, speeds_rate


class _Legendre:
    """H as pᵀN u − T̄ + V, of p and u apart, and its slope in q."""

    def __init__(self, m: Mechanism, t: Any, q: np.ndarray, both: np.ndarray):
        p, u = both[: m.n_q], both[m.n_q :]
        s = State(m, t, q, u)
        self.H: Any = p @ (rates_per_speed(s) @ u) - totals.kinetic_energy(s) + potential(s) if m.n_u else 0.0
        along = dict(zip(q, p))
        for body, condition in conditions(s):  # ½ (c,q p)²/μ
            self.H = self.H + 0.5 * directional(condition, along) ** 2 / totals.total_inertia(m, body)[1]
        self.H_q = gradient(self.H, list(q))


_parts = TracedSource(_Legendre, rates_and_speeds).functions("H", "H_q")


def hamiltonian(s: State) -> Scalar:
    """H = ½ (p − Γ)ᵀM⁻¹(p − Γ) + V − T₀; the energy where nothing is prescribed."""
    return _parts(s, np.concatenate([momenta_of(s), s.speeds])).H


def by_coordinates(s: State) -> np.ndarray:
    """H,q [C 165c]."""
    if not s.mechanism.view(orthonormal):
        return -momentum.by_coordinates(s)
    return np.asarray(_parts(s, np.concatenate([momenta_of(s), s.speeds])).H_q)


def equations(s: State) -> Equations:
    """ṗ + Aᵀλ = −H,q + Q̄."""
    return Equations(*constrained(s, unpotential_on_rates(s) - by_coordinates(s)))


def equations_in_rates(s: State) -> Equations:
    """The same with the constraints on q̇, for print."""
    return on_rates(s, unpotential_on_rates(s) - by_coordinates(s))


def explain(s: State) -> list[Quantity]:
    """H and what it is made of [C 156, 165]."""
    m, own = s.mechanism, s.view(inertia)
    q, at = m.coordinates, structure(m)
    return [
        quantity("M", "M of p = M q̇ + Γ [C 153]", at.M, q, q),
        quantity("Gamma", "Γ", at.Gamma, q),
        quantity("T0", "T₀, of prescribed motion alone", at.T0),
        quantity("V", "potential energy", at.V),
        quantity("N", "N of q̇ = N u", rates_per_speed(s), q, m.speeds),
        quantity("A_u", "A of T̄ = ½ uᵀA u + gᵀu + T₀ in speeds: M⁻¹ = N A⁻¹Nᵀ [C 210g]", own.A, m.speeds, m.speeds),
        quantity("u", "u = A⁻¹(Nᵀp − g) [C 211]", s.speeds, m.speeds),
        quantity("H", "H = ½ (p − Γ)ᵀM⁻¹(p − Γ) + V − T₀ [C 156d]", hamiltonian(s)),
        quantity("H_p", "H,p = M⁻¹(p − Γ) = q̇ [C 165]", s.rates, q),
        quantity("H_q", "H,q [C 165c]", by_coordinates(s), q),
    ]


__all__ = [
    "equations",
    "equations_in_rates",
    "explain",
    "first_order",
    "formulation_speeds",
    "hamiltonian",
    "letter",
    "refusal",
    "speeds",
    "state",
    "takes_variables",
    "title",
    "udot",
]
