"""The energies of a mechanism in q and q̇, and their derivatives: what Lagrange's and Hamilton's equations are made of.

T = ½ q̇ᵀM q̇ + Γᵀq̇ + T₀ [C 105–106] with Γ and T₀ from prescribed motion, and V of gravity, of strains and of the forces that
have a potential. Where coordinates obey a condition c(q) = 0 (Euler parameters of unit length), ½ μ ċ² is added to T: nothing where the
condition holds, but M is then positive definite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.formulations.tree.coordinate_rates import RatesState, conditions, speeds_per_rate
from dalembert.kinematics import totals
from dalembert.kinematics.loads import generalized, loads
from dalembert.kinematics.state import State
from dalembert.kinematics.traced import TracedSource
from dalembert.mechanism import Mechanism
from dalembert.parts.forces import Force
from dalembert.trace import Scalar, directional, gradient, jacobian, substitute, symbol, symbols
from dalembert.vectors import vector


def kinetic(s: State) -> Scalar:
    """T, with ½ μ ċ² for the conditions among coordinates; μ is the inertia of the connected part, to keep M in proportion."""
    T = totals.kinetic_energy(s)
    along = dict(zip(s.coordinates, s.rates))
    for body, condition in conditions(s):
        _, mu = totals.total_inertia(s.mechanism, body)
        T = T + 0.5 * mu * directional(condition, along) ** 2
    return T


def potential(s: State) -> Scalar:
    """V: gravity, strain energy, and the forces that say what they exert besides their potential."""
    m = s.mechanism
    V: Any = 0.0
    for k, b in enumerate(m.bodies):
        V = V - b.mass * (m.gravity @ (s.poses[k + 1].p + s.com_arms[k])) + b.strain_energy(s.modal_q(k + 1))
    for force in m.forces.values():
        if force.beside_potential() is not force:
            V = V + s.settled(force.potential(s)).item()
    return V


def unpotential(s: State) -> np.ndarray:
    """Q̄ on the speeds u: of everything that V does not hold."""
    rest: dict[str, Force] = {}
    for name, force in s.mechanism.forces.items():
        other = force.beside_potential()
        if other is not None:
            rest[name] = other
    return generalized(s, loads(s, gravity=False, forces=rest, stiffness=False))


def unpotential_on_rates(s: State) -> np.ndarray:
    """Q̄ on q̇: the power Q̄ᵀu = (WᵀQ̄)ᵀq̇."""
    return np.asarray(s.view(speeds_per_rate).T @ unpotential(s))


def symmetric(momenta: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """M = ∂p/∂q̇, with M_ij and M_ji one expression."""
    M = jacobian(momenta, list(rates))
    upper = np.triu_indices(len(M), 1)
    M[upper] = M.T[upper]
    return M


@dataclass(frozen=True, eq=False)
class Structure:
    """The fundamental characteristics of a system [C 105–110], as expressions of t, q and the parameters.

    M q̈ + M,t q̇ + Γ,t + G q̇ + {q̇ᵀJ^α q̇} = Q + T₀,q.
    """

    mechanism: Mechanism
    t: Any
    q: np.ndarray
    rates: np.ndarray

    @cached_property
    def _state(self) -> State:
        return RatesState(self.mechanism, self.t, self.q, self.rates)

    @cached_property
    def T(self) -> Scalar:
        return kinetic(self._state)

    @cached_property
    def V(self) -> Scalar:
        return potential(self._state)

    @cached_property
    def p(self) -> np.ndarray:
        """T,q̇ = M q̇ + Γ."""
        return gradient(self.T, list(self.rates))

    @cached_property
    def M(self) -> np.ndarray:
        return symmetric(self.p, self.rates)

    @cached_property
    def Gamma(self) -> np.ndarray:
        return vector(list(substitute(self.p, dict.fromkeys(self.rates, 0.0))))

    @cached_property
    def p_bias(self) -> np.ndarray:
        """Ṁ q̇ + Γ̇: ṗ where q̈ = 0."""
        return np.asarray(directional(self.p, {self.t: 1.0} | dict(zip(self.q, self.rates))))

    @cached_property
    def T0(self) -> Scalar:
        return substitute(self.T, dict.fromkeys(self.rates, 0.0))

    @cached_property
    def T_q(self) -> np.ndarray:
        return gradient(self.T, list(self.q))

    @cached_property
    def V_q(self) -> np.ndarray:
        return gradient(self.V, list(self.q))

    @cached_property
    def L_q(self) -> np.ndarray:
        """L,q of L = T − V."""
        return np.asarray(self.T_q - self.V_q)

    @cached_property
    def T0_q(self) -> np.ndarray:
        return gradient(self.T0, list(self.q))

    @cached_property
    def Gamma_q_v(self) -> np.ndarray:
        """Γ,qᵀ q̇."""
        return gradient(self.Gamma @ self.rates if len(self.q) else 0.0, list(self.q))

    @cached_property
    def M_q_vv(self) -> np.ndarray:
        """{q̇ᵀ M,q_α q̇}, which one backward sweep gives."""
        return gradient(self.rates @ (self.p - self.Gamma) if len(self.q) else 0.0, list(self.q))

    @cached_property
    def G(self) -> np.ndarray:
        """Γ,q − (Γ,q)ᵀ: skew, gyroscopic."""
        by_q = jacobian(self.Gamma, list(self.q))
        return np.asarray(by_q - by_q.T)

    @cached_property
    def M_q(self) -> np.ndarray:
        """∂M/∂q, the coordinate last."""
        n = len(self.q)
        return jacobian(self.M, list(self.q)).reshape(n, n, n)

    @cached_property
    def J(self) -> np.ndarray:
        """J[α, β, γ] = ½ (M_αγ,β + M_αβ,γ − M_βγ,α), Christoffel's symbols of the first kind."""
        D = self.M_q
        return np.asarray(0.5 * (np.einsum("acb->abc", D) + np.einsum("abc->abc", D) - np.einsum("bca->abc", D)))


def structure(m: Mechanism) -> Structure:
    """M, Γ, T₀, G, J^α and V of a mechanism, in the symbols of `m.symbolic_state()` and q̇ as `qdot_…`."""
    return Structure(m, symbol("t"), symbols("q_", m.coordinates), symbols("qdot_", m.coordinates))


in_rates = TracedSource(Structure)
"""The same of every mechanism, to be evaluated."""
momenta = in_rates.functions("M", "Gamma")
"""M and Γ."""
