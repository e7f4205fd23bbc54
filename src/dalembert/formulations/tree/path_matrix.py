"""Planar open chains from the path matrix, each equation on its own [D 5.50–5.88].

Every body has its absolute angle φ_k, and P_k, the point of its joint, slides by x along a way of its parent c, straight or not. With
P[i, j] = 1 where body i carries j or is j, M = P m Pᵀ is constant (M_ij: the mass both carry), ẇ_k the acceleration of P_k relative to
P_c, and u̇_k that of the mass centre relative to P_k,

φ_σ: J_σ φ̈_σ + Σ_{j: c(j)=σ} (r_j + x_j)⊥ · (Σ_k M_jk ẇ_k + Σ_k (P m)_jk u̇_k) + m_σ c_σ⊥ · Σ_k P_kσ ẇ_k
     = g · (Σ_j M_j (r_j + x_j)⊥ + m_σ c_σ⊥) + Q_σ                                                           [D 5.87]
x_σ: x̂_σ · (Σ_k M_σk ẇ_k + Σ_k (P m)_σk u̇_k) = M_σ g · x̂_σ + Q_σ                                            [D 5.88]

where ⊥ turns by +90°. Scalar products are of vectors turned by two absolute angles, and only the difference of these enters [D 5.89].
Bodies that cannot turn on their parent share its angle, and the equation of that angle is the sum over them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.tree.planar_chain import Acceleration, Arm, PlanarChain, chain, not_planar
from dalembert.kinematics.loads import generalized, loads
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.topology.matrices import path_matrix
from dalembert.trace import cos, sin, symbols

title = "Path matrix, planar chains"
letter = "w"


def refusal(m: Mechanism) -> str | None:
    return not_planar(m)


def speeds(m: Mechanism) -> tuple[str, ...]:
    """Absolute angular velocities in place of the relative ones, by the same names; slides are as they were."""
    return m.speeds


def first_order(m: Mechanism) -> int:
    return m.n_q + m.n_u


def formulation_speeds(s: State) -> np.ndarray:
    return np.asarray(chain(s.mechanism).absolute @ s.speeds)


def state(m: Mechanism, t: Any, q: Any, w: Any) -> State:
    return State(m, t, q, chain(m).relative @ np.asarray(w))


def udot(s: State, wdot: Any) -> np.ndarray:
    return np.asarray(chain(s.mechanism).relative @ np.asarray(wdot))


def equations(s: State) -> Equations:
    m = s.mechanism
    geometry = chain(m)
    A = np.zeros((m.n_u, m.n_u), dtype=object if s.traced else float)
    f = np.array(geometry.relative.T @ generalized(s, loads(s, gravity=False)), dtype=A.dtype)
    for column in range(m.n_u):
        coefficients, rest = equation(s, column)
        A[column] = [coefficients.get(j, 0.0) for j in range(m.n_u)]
        f[column] = f[column] + rest
    return Equations(A, f, np.zeros((0, m.n_u)), np.zeros(0))


def equation(s: State, column: int) -> tuple[dict[int, Any], Any]:
    """One equation by itself: its coefficients on ẇ by column, and its right-hand side without applied forces."""
    total = _added_up(s, column)
    return total.coefficients, total.rest


def _added_up(s: State, column: int) -> _Sum:
    moving, total = _MovingChain(s, chain(s.mechanism)), _Sum()
    slide = moving.geometry.slide_of(s, column)
    if slide is not None:
        moving.add_point(total, *slide, f"x{slide[0] + 1}^")
    for body in (k for k, turns in enumerate(moving.geometry.turns_with) if slide is None and turns == column):
        moving.add_turn(total, body)
    return total


class _Sum:
    """Coefficients and right-hand side as they are added up, and the terms they come from."""

    def __init__(self) -> None:
        self.coefficients: dict[int, Any] = {}
        self.rest: Any = 0.0
        self.terms: dict[str, list[tuple[int | None, Any]]] = {}
        """Terms by name: coefficients of ẇ by column, and known parts (None); their sum over all terms is Q."""

    def add(self, term: str, column: int | None, x: Any) -> None:
        """x ẇ_column on the left-hand side."""
        if column is not None:
            self.coefficients[column] = self.coefficients.get(column, 0.0) + x
            self.terms.setdefault(term, []).append((column, x))

    def take(self, term: str, x: Any) -> None:
        """A known x on the left-hand side."""
        self.rest = self.rest - x
        self.terms.setdefault(term, []).append((None, x))


class _MovingChain:
    """The chain in a state: its absolute angles and their rates, and the terms of its equations."""

    def __init__(self, s: State, geometry: PlanarChain):
        self.s, self.geometry, m = s, geometry, s.mechanism
        self.parent = m.parent
        self.mass = [b.mass for b in m.bodies]
        self.P = path_matrix(m.tree)
        self.M = (self.P * np.array(self.mass)) @ self.P.T
        self.angles = geometry.angles(s.coordinates)
        self.rates = geometry.turning_rates(s.speeds)
        self.arms = [geometry.arm(s, k) for k in range(m.n_bodies)]

    def add_turn(self, total: _Sum, body: int) -> None:
        """[D 5.87] of a body's angle."""
        mass, c = self.mass[body], self.geometry.centres[body].turned()
        total.add(f"J{body + 1} phi{body + 1}''", self.geometry.turns_with[body], self.geometry.J[body])
        for j, parent in enumerate(self.parent):
            if parent == body + 1:
                self.add_point(total, j, self.arms[j].turned(), f"(r{j + 1} + x{j + 1})⊥")
        for k in _where(self.P[:, body]):
            self._add(total, f"m{body + 1} c{body + 1}⊥ · w{k + 1}'", mass, c, self._w(k))
        total.take(f"−m{body + 1} c{body + 1}⊥ · g", -(mass * c.dot(self.geometry.gravity, self.angles)))

    def add_point(self, total: _Sum, j: int, arm: Arm, along: str) -> None:
        """arm · (Σ_k M_jk ẇ_k + Σ_k (P m)_jk u̇_k) = M_j g · arm: [D 5.88], and what the carried joints add to [D 5.87]."""
        for k in _where(self.P[j] + self.P[:, j]):
            self._add(total, f"{along} · M{j + 1},{k + 1} w{k + 1}'", self.M[j, k], arm, self._w(k))
        for k in _where(self.P[j]):
            self._add(total, f"{along} · m{k + 1} u{k + 1}'", self.mass[k], arm, self._u(k))
        total.take(f"−{along} · M{j + 1} g", -(self.M[j, j] * arm.dot(self.geometry.gravity, self.angles)))

    def _w(self, k: int) -> list[Acceleration]:
        """ẇ_k = φ̈_c (r + x)⊥ − φ̇_c² (r + x) + Σ ẍ x̂ + 2 ẋ φ̇_c x̂⊥, and ẋ times the rate of x̂ on a curved way."""
        parent = self.parent[k] - 1
        directions, bend = self.geometry.directions(self.s, k), self.geometry.bend(self.s, k)
        out = [Acceleration(direction, column, 0.0) for column, direction in directions]
        out += [] if bend is None else [Acceleration(bend, None, 1.0)]
        if parent >= 0:
            rate = self.rates[parent]
            out.append(Acceleration(self.arms[k].turned(), self.geometry.turns_with[parent], 0.0))
            out.append(Acceleration(self.arms[k], None, -(rate * rate)))
            for column, direction in directions:
                out.append(Acceleration(direction.turned(), None, 2.0 * self.s.speeds[column] * rate))
        return out

    def _u(self, k: int) -> list[Acceleration]:
        """u̇_k = φ̈_k c⊥ − φ̇_k² c."""
        c, rate = self.geometry.centres[k], self.rates[k]
        return [Acceleration(c.turned(), self.geometry.turns_with[k], 0.0), Acceleration(c, None, -(rate * rate))]

    def _add(self, total: _Sum, term: str, mass: Any, arm: Arm, accelerations: list[Acceleration]) -> None:
        for a in accelerations:
            product = mass * arm.dot(a.direction, self.angles)
            total.add(term, a.column, product)
            total.take(term, product * a.known)


def _where(row: np.ndarray) -> list[int]:
    return [int(k) for k in np.flatnonzero(row)]


# -- to be read --------------------------------------------------------------------------------------------------------------
def explain(s: State) -> list[Quantity]:
    """S, S₋, P, M and J of the chain, its energies, and each term of each equation."""
    m, moving = s.mechanism, _MovingChain(s, chain(s.mechanism))
    names = [b.name for b in m.bodies]
    S = np.eye(m.n_bodies)
    for k, parent in enumerate(m.parent):
        if parent:
            S[parent - 1, k] = -1.0
    accelerations = symbols("wdot_", m.speeds)
    found = [
        quantity("S", "incidence matrix: 1 where a joint carries a body, −1 on its parent [D §5.4]", S, names, names),
        quantity("S_", "S₋: 1 where a body is the parent of another", np.where(S < 0.0, 1.0, 0.0), names, names),
        quantity("P", "path matrix, 1 where a body carries another or is it [D §5.4]", moving.P, names, names),
        quantity("m", "masses", moving.mass, names),
        quantity("M", "M = P m Pᵀ, the mass that two bodies both carry [D 5.59]", moving.M, names, names),
        quantity("J", "moments of inertia about the joints' points P_k", moving.geometry.J, names),
        *_energies(moving, names),
    ]
    for column, name in enumerate(m.speeds):
        terms = _added_up(s, column).terms
        values = [sum(x if at is None else x * accelerations[at] for at, x in parts) for parts in terms.values()]
        number = "5.87" if moving.geometry.slide_of(s, column) is None else "5.88"
        words = f"terms of the equation of {name}, whose sum is the applied force [D {number}]"
        found.append(quantity(f"terms_{name}", words, values, list(terms)))
    return found


def _energies(x: _MovingChain, names: list[str]) -> list[Quantity]:
    """w, u, the three parts of T, and V."""
    angles, n = x.angles, len(names)

    def turned(arm: Arm) -> np.ndarray:
        c, s = cos(angles[arm.body]), sin(angles[arm.body])
        return np.array([c * arm.at[0] - s * arm.at[1], s * arm.at[0] + c * arm.at[1]])

    def relative(k: int) -> np.ndarray:
        """w_k."""
        parent = x.parent[k] - 1
        own = (x.rates[parent] if parent >= 0 else 0.0) * turned(x.arms[k].turned())
        for column, direction in x.geometry.directions(x.s, k):
            own = own + x.s.speeds[column] * turned(direction)
        return np.asarray(own)

    P, mass = x.P, np.array(x.mass)
    w = np.array([relative(k) for k in range(n)])
    u = np.array([rate * turned(c.turned()) for rate, c in zip(x.rates, x.geometry.centres)])
    places = [turned(arm) for arm in x.arms]
    centres = [turned(c) for c in x.geometry.centres]
    g = np.asarray(x.geometry.gravity.at)
    return [
        quantity("w", "w_k, velocity of P_k relative to its parent's P, components in the plane [D 5.52]", w, names),
        quantity("u", "u_k, velocity of the mass centre relative to P_k [D 5.62]", u, names),
        quantity("T_v", "½ wᵀM w [D 5.59]", 0.5 * np.sum(w * (x.M @ w))),
        quantity("T_u", "wᵀP m u [D 5.63]", np.sum(w * ((P * mass) @ u))),
        quantity("T_phi", "½ φ̇ᵀJ φ̇ [D 5.64]", 0.5 * sum(J * rate * rate for J, rate in zip(x.geometry.J, x.rates[:n]))),
        quantity(
            "V", "V = −g · (mᵀPᵀ(r + x) + mᵀc) [D 5.72]", -(g @ (mass @ (P.T @ np.array(places) + np.array(centres))))
        ),
    ]
