"""What formulations in the mechanism's speeds share: w is u, and every mechanism can be written."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism

takes_variables = "all"
"""Coordinates and speeds may be others than the joints'."""


def refusal(m: Mechanism) -> str | None:
    """Every mechanism can be written."""


def speeds(m: Mechanism) -> tuple[str, ...]:
    return m.speeds


def first_order(m: Mechanism) -> int:
    return m.n_q + m.n_u + len(m.rows)


def formulation_speeds(s: State) -> np.ndarray:
    return s.speeds


def state(m: Mechanism, t: Any, q: Any, w: Any) -> State:
    return State(m, t, q, w)


def udot(s: State, wdot: Any) -> np.ndarray:
    return np.asarray(wdot)
