"""Lagrange's equations in quasi-coordinates: Boltzmann and Hamel's [C 134–147].

With u = Wᵀq̇ + w (W is C's: coordinates × speeds; w only where the user chose speeds with it) and T̄(q, u, t), [C 147b] is

d/dt T̄,u + W⁻¹γ T̄,u − W⁻¹T̄,q = W⁻¹Q − W⁻¹Aᵀλ,   γ π = Ẇ π − {q̇ᵀ W,q_k π},

and W⁻¹ = Nᵀ of q̇ = N u. Where there are more coordinates than speeds Nᵀ is W's left inverse, and the multiplier of the
coordinates' condition drops out, because N u never violates it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.tree.coordinate_rates import rates_per_speed, speeds_from, speeds_per_rate
from dalembert.formulations.tree.in_speeds import (
    first_order,
    formulation_speeds,
    refusal,
    speeds,
    state,
    takes_variables,
    udot,
)
from dalembert.formulations.tree.lagrangian import in_rates, potential, symmetric, unpotential
from dalembert.kinematics import totals
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.state import State
from dalembert.kinematics.traced import TracedSource
from dalembert.mechanism import Mechanism
from dalembert.trace import Expr, directional, gradient, substitute, symbols

title = "Lagrange, quasi-coordinates (Boltzmann–Hamel)"
takes_armature = True
"""Whether it knows of the inertia of joints\' speeds by itself."""


def gamma_times(s: State, pi: np.ndarray) -> np.ndarray:
    """γ π = Ẇ π − {q̇ᵀ W,q_k π}, both from h = πᵀ(Wᵀq̇) by derivatives: W π = h,q̇, and the last term is h,q."""
    q = list(s.coordinates)
    rates, fixed = symbols("rate.of.", s.mechanism.coordinates), symbols("pi.", s.mechanism.speeds)
    h = fixed @ speeds_from(s, rates) if len(fixed) else 0.0
    moving = dict(zip(q, rates)) | ({s.t: 1.0} if type(s.t) is Expr else {})
    turned = directional(gradient(h, list(rates)), moving) - gradient(h, q)
    return np.asarray(substitute(turned, dict(zip(rates, s.rates)) | dict(zip(fixed, pi))))


def turned_momenta(s: State, pi: np.ndarray) -> np.ndarray:
    """W⁻¹γ π: joint by joint as the joint knows it (ω × π of a free rotation [C 198]), else by differentiation."""
    m = s.mechanism
    if m.variables is not None:
        return np.asarray(rates_per_speed(s).T @ gamma_times(s, pi))
    out = np.zeros(m.n_u, dtype=object)
    unknown: list[int] = []
    for j, q, u in zip(m.joints, s.joint_q, s.joint_u):
        every = np.zeros(j.joint.n_u, dtype=object)
        every[j.free] = pi[j.columns]
        own = j.joint.turned_momenta(q, u, every)
        if own is not None:
            out[j.columns] = own[j.free]
        else:
            unknown += j.columns
    if unknown:
        out[unknown] = (rates_per_speed(s).T @ gamma_times(s, pi))[unknown]
    return out


class _FromEnergies:
    """A, and what f holds of T̄."""

    def __init__(self, m: Mechanism, t: Any, q: np.ndarray, u: np.ndarray):
        s = State(m, t, q, u)
        T = totals.kinetic_energy(s)
        pi = gradient(T, list(u))
        self.A = symmetric(pi, u)
        by_q = rates_per_speed(s).T @ gradient(T, list(q))
        self.f = by_q - turned_momenta(s, pi) - directional(pi, {t: 1.0} | dict(zip(q, s.rates)))


_energies = TracedSource(_FromEnergies, lambda m: m.speeds).functions("A", "f")
_potential = in_rates.functions("V_q")


def equations(s: State) -> Equations:
    """T̄,uu u̇ + Bᵀλ = Nᵀ(T̄,q − V,q − γ T̄,u) − (∂T̄,u/∂t + T̄,uq q̇) + Q̄."""
    own, V_q, rows = _energies(s, s.speeds), _potential(s, s.rates).V_q, constraint_rows(s)
    return Equations(own.A, own.f - rates_per_speed(s).T @ V_q + unpotential(s), rows.B, rows.gamma)


def explain(s: State) -> list[Quantity]:
    """W, N, T̄, T̄,u and γ T̄,u."""
    m = s.mechanism
    T = totals.kinetic_energy(s)
    pi = gradient(T, list(s.speeds))
    turned = gamma_times(s, pi)
    return [
        quantity("W", "W of u = Wᵀq̇ [C 134]", speeds_per_rate(s).T, m.coordinates, m.speeds),
        quantity("N", "N of q̇ = N u, whose transpose stands for W⁻¹", rates_per_speed(s), m.coordinates, m.speeds),
        quantity("T", "kinetic energy T̄(q, u, t)", T),
        quantity("V", "potential energy", potential(s)),
        quantity("T_u", "T̄,u", pi, m.speeds),
        quantity("T_q", "T̄,q", gradient(T, list(s.coordinates)), m.coordinates),
        quantity("gammaT_u", "γ T̄,u [C 145]", turned, m.coordinates),
        quantity(
            "NTgammaT_u",
            "W⁻¹γ T̄,u, the terms that the choice of speeds brings [C 147]",
            turned_momenta(s, pi),
            m.speeds,
        ),
    ]


__all__ = [
    "equations",
    "explain",
    "first_order",
    "formulation_speeds",
    "gamma_times",
    "refusal",
    "speeds",
    "state",
    "takes_variables",
    "title",
    "udot",
]
