"""Speeds that are the rates of the coordinates: u = W(q) q̇ and u̇ = W q̈ + Ẇ q̇, for the formulations in q̇.

Where a joint has more coordinates than speeds (Euler parameters), the coordinates obey a condition c(q) = 0, which such formulations
carry as constraint rows: c,q q̈ = −(c,q)˙ q̇.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.state import State
from dalembert.kinematics.traced import TracedSource
from dalembert.mechanism import Mechanism, TreeJoint
from dalembert.mechanism.variable_changes import LinearCoordinates
from dalembert.trace import directional, jacobian
from dalembert.vectors import vector


class RatesState(State):
    """The state that has these rates of the coordinates."""

    def __init__(self, m: Mechanism, t: Any, q: Any, rates: Any):
        super().__init__(m, t, q, ())
        self._rates = vector(list(rates))
        self.speeds = speeds_from(self, self._rates)

    @property
    def rates(self) -> np.ndarray:
        return self._rates

    @cached_property
    def base(self) -> State:
        m = self.mechanism
        if m.variables is None:
            return self
        q = m.variables.base_coordinates(self.coordinates)
        return RatesState(m.base, self.t, q, m.variables.base_rates(self._rates))


def speeds_from(s: State, rates: Any) -> np.ndarray:
    """u = W q̇, and w where speeds were chosen."""
    if s.mechanism.variables is not None:
        return s.speed_map.after(speeds_from(s.base, s.mechanism.variables.base_rates(rates)))
    u: list[Any] = []
    for j, q in zip(s.mechanism.joints, s.joint_q):
        own = [rates[at] for at in j.q_at if at is not None]
        u += own if _plain(j) else list(j.joint.speeds_from_rates(q, vector(own)))
    return vector(u)


def speeds_per_rate(s: State) -> np.ndarray:
    """W: n_u × n_q."""
    m = s.mechanism
    if m.variables is not None:
        L = m.variables.L if isinstance(m.variables, LinearCoordinates) else np.eye(m.n_q)
        return np.asarray(s.speed_map.W @ speeds_per_rate(s.base) @ L)
    W = np.zeros((m.n_u, m.n_q), dtype=object if s.traced else float)
    for j, q in zip(m.joints, s.joint_q):
        columns = [at for at in j.q_at if at is not None]
        for at, unit in zip(columns, np.eye(len(columns))):
            W[j.columns, at] = unit if _plain(j) else j.joint.speeds_from_rates(q, unit)
    return W


def rates_per_speed(s: State) -> np.ndarray:
    """N: n_q × n_u."""
    m = s.mechanism
    if m.variables is not None:
        before = rates_per_speed(s.base) @ s.speed_map.T
        return np.asarray(m.variables.K[: m.n_q] @ before if isinstance(m.variables, LinearCoordinates) else before)
    N = np.zeros((m.n_q, m.n_u), dtype=object if s.traced else float)
    for j, q in zip(m.joints, s.joint_q):
        rows = [at for at in j.q_at if at is not None]
        for at, unit in zip(j.columns, np.eye(len(j.columns))):
            N[rows, at] = unit if _plain(j) else j.joint.rates(q, unit)
    return N


def _plain(j: TreeJoint) -> bool:
    return j.joint.rates_are_speeds or not j.columns


def n_conditions(m: Mechanism) -> int:
    """How many coordinates there are beyond the speeds."""
    return m.n_q - m.n_u


def conditions(s: State) -> list[tuple[int, Any]]:
    """c(q) of all joints whose coordinates are free, each with the body that the joint carries."""
    joints = enumerate(zip(s.mechanism.in_joint_variables.joints, s.joint_q), start=1)
    return [(k, c) for k, (j, q) in joints if j.columns for c in j.joint.condition(q)]


class _Differentiated:
    """Ẇ q̇, and the rows C q̈ = γ of the conditions."""

    def __init__(self, m: Mechanism, t: Any, q: np.ndarray, rates: np.ndarray):
        s = RatesState(m, t, q, rates)
        along = {t: 1.0} | dict(zip(q, rates))
        self.bias = directional(s.speeds, along)
        self.C = jacobian(np.array([c for _, c in conditions(s)], dtype=object), list(q))
        self.gamma = -directional(self.C @ rates, along)


_second = TracedSource(_Differentiated).functions("bias", "C", "gamma")


def _second_of(s: State) -> SimpleNamespace:
    return _second(s, s.rates)


def condition_rows(s: State) -> np.ndarray:
    """c,q of all conditions."""
    return np.asarray(s.view(_second_of).C)


def speed_rates(s: State, qddot: Any) -> np.ndarray:
    """u̇ = W q̈ + Ẇ q̇."""
    return s.view(speeds_per_rate) @ np.asarray(qddot) + bias(s)


def bias(s: State) -> np.ndarray:
    """Ẇ q̇."""
    if s.mechanism.variables is None and all(_plain(j) for j in s.mechanism.joints):
        return np.zeros(s.mechanism.n_u)
    return np.asarray(s.view(_second_of).bias)


def rows_in_rates(s: State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(B, b, γ) of B q̇ = b and B q̈ = γ: the joints' conditions first, then the mechanism's own rows."""
    W, rows = s.view(speeds_per_rate), constraint_rows(s)
    B, b, gamma = rows.B @ W, rows.b, rows.gamma - rows.B @ bias(s)
    if s.mechanism.variables is not None:  # what time adds to speeds that were chosen is none of the rates'
        b = b - rows.B @ speeds_from(s, np.zeros(s.mechanism.n_q))
    if not n_conditions(s.mechanism):
        return B, b, gamma
    own = s.view(_second_of)
    return np.vstack([own.C, B]), np.concatenate([np.zeros(len(own.gamma)), b]), np.concatenate([own.gamma, gamma])
