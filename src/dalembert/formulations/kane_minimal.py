"""Kane's equations with constraints in their minimal form: 2ν − m first-order equations, no multipliers [C 54–57, 64–66].

The m dependent speeds are solved for from B u = b, so that u = T u_i + c; the bodies' partial velocities in the independent speeds are
V T and Ω T, and f + f* = 0 along them is as many equations as there are freedoms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.independent import Independent
from dalembert.formulations.principle import balance
from dalembert.kinematics.rows import constraint_rows
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism

title = "Kane, independent speeds"


def _rows(s: State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = constraint_rows(s)
    return rows.B, rows.b, rows.gamma


independent = Independent(_rows)


def refusal(m: Mechanism) -> str | None:
    """Every mechanism that can be assembled can be written."""


def speeds(m: Mechanism) -> tuple[str, ...]:
    return tuple(m.speeds[i] for i in independent.usual(m).independent)


def first_order(m: Mechanism) -> int:
    return m.n_q + len(speeds(m))


def own_speeds(s: State) -> np.ndarray:
    return np.asarray(s.speeds)[independent.at(s).choice.independent]


def written_speeds(s: State) -> np.ndarray:
    return np.asarray(s.speeds)[independent.usual(s.mechanism).independent]


def state(m: Mechanism, t: Any, q: Any, w: Any) -> State:
    """u = T u_i + c."""
    made = independent.at(State(m, t, q, np.zeros(m.n_u)))
    return State(m, t, q, made.T @ np.asarray(w) + made.c)


def udot(s: State, wdot: Any) -> np.ndarray:
    made = independent.at(s)
    return np.asarray(made.T @ np.asarray(wdot) + made.d)


def equations(s: State) -> Equations:
    made = independent.at(s)
    A, f = balance(s, made.T, made.d)
    return Equations(A, f, np.zeros((0, len(f))), np.zeros(0))
