"""Lagrange's form of d'Alembert's principle, in independent coordinates [C 18–20] and for simply constrained systems [C 53–63].

Partial velocities are taken in the rates of the coordinates: V W and Ω W with u = W q̇. Constraints, and the condition among coordinates
that are not independent (Euler parameters), are solved for as many rates as they fix; the remaining n rates have partial velocities
V W T, and one equation each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.independent import Independent
from dalembert.formulations.principle import balance
from dalembert.formulations.rates import RatesState, bias, rows_in_rates, speed_rates, speeds_per_rate
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism

title = "Lagrange's form of d'Alembert's principle"
letter = "qdot"

independent = Independent(rows_in_rates)


def refusal(m: Mechanism) -> str | None:
    """Every mechanism that can be assembled can be written."""


def speeds(m: Mechanism) -> tuple[str, ...]:
    return tuple(m.coordinates[i] for i in independent.usual(m).independent)


def first_order(m: Mechanism) -> int:
    return m.n_q + len(speeds(m))


def own_speeds(s: State) -> np.ndarray:
    return np.asarray(s.rates)[independent.at(s).choice.independent]


def written_speeds(s: State) -> np.ndarray:
    return np.asarray(s.rates)[independent.usual(s.mechanism).independent]


def state(m: Mechanism, t: Any, q: Any, w: Any) -> State:
    """q̇ = T q̇_i + c."""
    made = independent.at(State(m, t, q, np.zeros(m.n_u)))
    return RatesState(m, t, q, made.T @ np.asarray(w) + made.c)


def udot(s: State, wdot: Any) -> np.ndarray:
    made = independent.at(s)
    return speed_rates(s, made.T @ np.asarray(wdot) + made.d)


def equations(s: State) -> Equations:
    made, W = independent.at(s), speeds_per_rate(s)
    A, f = balance(s, W @ made.T, W @ made.d + bias(s))
    return Equations(A, f, np.zeros((0, len(f))), np.zeros(0))
