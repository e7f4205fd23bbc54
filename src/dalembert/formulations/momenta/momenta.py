"""States (q, p) with the generalized momenta p = ∂T/∂q̇ = M q̇ + Γ [C 152–155], and constraints seen from them.

In speeds u = W q̇ the kinetic energy is T̄ = ½ uᵀA u + gᵀu + T₀, so that M = WᵀA W [C 210g] and Γ = Wᵀg. From p the speeds come back as
u = A⁻¹(Nᵀp − g), and the rates as q̇ = N u: the inverse M⁻¹ = N A⁻¹Nᵀ needs no more than A's, and A is that of the bodies in their
own axes. Where coordinates obey a condition c(q) = 0 (Euler parameters), the term ½ μ ċ² of T adds c,qᵀ(c,q p)/μ to q̇: nothing where p
belongs to rates that keep the condition. Joints whose conditions are not of unit length have M itself solved with.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.linear_systems import solve_definite
from dalembert.formulations.tree.coordinate_rates import (
    RatesState,
    bias,
    condition_rows,
    conditions,
    n_conditions,
    rates_per_speed,
    rows_in_rates,
    speeds_from,
    speeds_per_rate,
)
from dalembert.formulations.tree.lagrangian import kinetic, momenta, symmetric
from dalembert.kinematics import totals
from dalembert.kinematics.state import State
from dalembert.kinematics.traced import TracedSource
from dalembert.mechanism import Mechanism
from dalembert.trace import directional, gradient, substitute
from dalembert.vectors import vector

UNIT = 1e-9
"""How far from unit length, and from what W leaves alone, the rows of conditions may be."""


class PhaseState(RatesState):
    """The state with these rates, speeds and momenta."""

    def __init__(self, m: Mechanism, t: Any, q: Any, rates: Any, u: Any, p: Any):
        State.__init__(self, m, t, q, u)
        self._rates = vector(list(rates))
        self.momenta = p


def phase_state(m: Mechanism, t: Any, q: Any, p: Any) -> PhaseState:
    """The state with these momenta."""
    s = at_rest(m, t, q)
    own, p = s.view(inertia), vector(list(p))
    if not m.view(orthonormal):
        whole = momenta(s, np.zeros(m.n_q))
        rates = solve_definite(whole.M, p - whole.Gamma)
        return PhaseState(m, t, q, rates, speeds_from(s, rates), p)
    N = rates_per_speed(s)
    u = solve_definite(own.A, N.T @ p - own.g)
    return PhaseState(m, t, q, N @ u + _along_conditions(s, p), u, p)


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


# -- inertia in speeds ---------------------------------------------------------------------------------------------------------
class _EnergyInSpeeds:
    """A and g of T̄."""

    def __init__(self, m: Mechanism, t: Any, q: np.ndarray, u: np.ndarray):
        pi = gradient(totals.kinetic_energy(State(m, t, q, u)), list(u))
        self.A = symmetric(pi, u)
        self.g = vector(list(substitute(pi, dict.fromkeys(u, 0.0))))


_in_speeds = TracedSource(_EnergyInSpeeds, lambda m: m.speeds).functions("A", "g")


def inertia(s: State) -> SimpleNamespace:
    """A and g of T̄."""
    return _in_speeds(s, np.zeros(s.mechanism.n_u))


def orthonormal(m: Mechanism) -> bool:
    """Whether the rows c,q of the joints' conditions are unit vectors which W leaves nothing of; where there are none, too."""
    if not n_conditions(m):
        return True
    q = m.admissible(m.somewhere(np.random.default_rng(3), 0.5))
    s = State(m.numeric, 0.0, q, np.zeros(m.n_u))
    C, W = condition_rows(s), speeds_per_rate(s)
    return bool(np.abs(C @ C.T - np.eye(len(C))).max() < UNIT and np.abs(W @ C.T).max() < UNIT)


def condition_inertias(s: State) -> np.ndarray:
    """μ of every condition."""
    return vector([totals.total_inertia(s.mechanism, body)[1] for body, _ in conditions(s)])


def _along_conditions(s: State, x: np.ndarray) -> np.ndarray | float:
    """Σ c,qᵀ(c,q x)/μ."""
    if not n_conditions(s.mechanism):
        return 0.0
    C = condition_rows(s)
    weighed = (C @ x) / condition_inertias(s)[(slice(None), *[None] * (x.ndim - 1))]
    return np.asarray(C.T @ weighed)


def rates_from(s: State, x: np.ndarray) -> np.ndarray:
    """M⁻¹ x, of a column or of several."""
    if not s.mechanism.view(orthonormal):
        return solve_definite(momenta(s, s.rates).M, x)
    N = rates_per_speed(s)
    return np.asarray(N @ solve_definite(s.view(inertia).A, N.T @ x) + _along_conditions(s, x))


# -- rates of momenta ----------------------------------------------------------------------------------------------------------
def rates_and_speeds(m: Mechanism) -> tuple[str, ...]:
    """Names for functions of q̇ and u = W q̇ at once."""
    return (*(f"q.{name}" for name in m.coordinates), *(f"u.{name}" for name in m.speeds))


class _MomentumBias:
    """Ṁ q̇ + Γ̇ of q̇ and u = W q̇."""

    def __init__(self, m: Mechanism, t: Any, q: np.ndarray, both: np.ndarray):
        rates, u = both[: m.n_q], both[m.n_q :]
        s, own = State(m, t, q, u), RatesState(m, t, q, rates)
        along = dict(zip(q, rates))
        extra = kinetic(own) - totals.kinetic_energy(own)  # ½ μ ċ²
        p = speeds_per_rate(s).T @ gradient(totals.kinetic_energy(s), list(u)) + gradient(extra, list(rates))
        turned = directional(speeds_from(s, rates), along)
        self.bias = directional(p, {t: 1.0} | along | dict(zip(u, turned)))


_bias = TracedSource(_MomentumBias, rates_and_speeds).functions("bias")


def momentum_bias(s: State) -> np.ndarray:
    """Ṁ q̇ + Γ̇, what ṗ is where q̈ = 0."""
    return np.asarray(_bias(s, np.concatenate([s.rates, s.speeds])).bias)


def speeds_rate(s: State, pdot: Any) -> np.ndarray:
    """u̇ = W q̈ + Ẇ q̇ from q̈ = M⁻¹(ṗ − Ṁ q̇ − Γ̇)."""
    qddot = rates_from(s, np.asarray(pdot) - momentum_bias(s))
    return np.asarray(s.view(speeds_per_rate) @ qddot + bias(s))


def constrained(s: State, g: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(A, f, B, γ) of ṗ + Cᵀλ = g with C q̈ = c as one symmetric system in ṗ.

    Without rows A = 1 and f = g. With rows everything is multiplied by M⁻¹: A = M⁻¹, f = M⁻¹g, B = C M⁻¹,
    γ = c + C M⁻¹(Ṁ q̇ + Γ̇).
    """
    C, _, c = rows_in_rates(s)
    n = len(g)
    if not len(C):
        return np.eye(n), g, np.zeros((0, n)), np.zeros(0)
    solved = rates_from(s, np.column_stack([np.eye(n), g, momentum_bias(s)]) if n else np.zeros((0, 2)))
    A, f, after = solved[:, :n], solved[:, n], solved[:, n + 1]
    return A, f, np.asarray(C @ A), np.asarray(c + C @ after)


def on_rates(s: State, g: np.ndarray) -> Equations:
    """ṗ + Cᵀλ = g with C q̇ = b, as they are printed [C 163–164]."""
    C, b, _ = rows_in_rates(s)
    return Equations(np.eye(len(g)), g, C, b)
