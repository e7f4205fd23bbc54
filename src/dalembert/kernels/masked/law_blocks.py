"""What laws are in a state, as expressions: rows masked by the mode, directions of slip, friction at that slip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.constraints.rest import typical_rate
from dalembert.kinematics.constraint_rows import Rows, constraint_rows
from dalembert.kinematics.law_mode import DIRECTIONS, ModeLayout
from dalembert.kinematics.law_rows import LawTable, law_rows
from dalembert.kinematics.state import State
from dalembert.kinematics.transmitted import transmitted
from dalembert.mechanism import Mechanism
from dalembert.trace import select, sqrt
from dalembert.vectors import vector

UNBREAKABLE = 1e300
"""Strength of a hold that never lets go."""
STILL = 1e-14
"""Slip in a plane, by the mechanism's own length and time, below which its direction is that of the mode."""
COEFFICIENTS = ("force", "coefficient", "static_force", "static_coefficient", "viscous", "restitution", "strength")
"""Numbers of every element's friction at its slip, and of its impacts."""


def every_row(s: State) -> Rows:
    """Rows of loops and constraints, then those of laws."""
    return Rows.stacked([constraint_rows(s), law_rows(s)], s.mechanism.n_u)


def masked(rows: Rows, first: int, mode: ModeLayout, by: str) -> Rows:
    """Rows from `first` on as zero where they do not hold, coordinates measured from where they were engaged."""
    g, B, b, gamma = (np.array(x, dtype=object) for x in (rows.g, rows.B, rows.b, rows.gamma))
    for k in range(len(g) - first):
        holds, at = mode.symbol(by, k), first + k
        g[at] = holds * (g[at] - mode.symbol("anchor", k))
        B[at], b[at], gamma[at] = holds * B[at], holds * b[at], holds * gamma[at]
    return Rows(g, B, b, gamma)


@dataclass(frozen=True, eq=False)
class LawValues:
    """Expressions of every row's speed, and of every element's direction of slip and friction."""

    speeds: list[Any]
    directions: list[Any]
    coefficients: dict[str, list[Any]]


def law_values(s: State, rows: Rows, mode: ModeLayout | None) -> LawValues:
    """See `LawValues`; `rows` are those of the laws. Without a mode, what slides goes the way it does."""
    m: Mechanism = s.mechanism
    table: LawTable = m.law_table
    speeds = list(rows.B @ s.speeds - rows.b) if len(rows.b) else []
    directions: list[Any] = []
    found: dict[str, list[Any]] = {name: [] for name in COEFFICIENTS}
    for i, e in enumerate(table.elements):
        v = [speeds[k] for k in e.tangents]
        way: list[Any] = [0.0] * DIRECTIONS
        if mode is not None:
            way = [mode.symbol("direction", DIRECTIONS * i + k) for k in range(DIRECTIONS)]
        elif len(v) == 1:
            way[0] = select(v[0] < 0.0, -1.0, 1.0)
        slip: Any = 0.0
        if len(v) == 1:
            slip = way[0] * v[0]
        elif v:
            fast = sqrt(sum(x * x for x in v))
            moves = fast > STILL * typical_rate(m) * m.scales.length
            slip, safe = fast, select(moves, fast, 1.0)
            way = [*(select(moves, x / safe, d) for x, d in zip(v, way)), *way[len(v) :]]
        directions += way
        law = m.laws[e.law]
        sliding, at_rest, viscous = table.friction(s, e, slip)
        strength = UNBREAKABLE if law.strength is None else law.strength
        rubbing = (*sliding, *at_rest, viscous) if e.tangents else (0.0,) * 5
        values = (*rubbing, law.restitution, strength)
        for name, x in zip(COEFFICIENTS, values):
            found[name].append(x)
    return LawValues(speeds, directions, found)


@dataclass(frozen=True, eq=False)
class LoadValues:
    """Components of what joints transmit, of all loads: z = z₀ + Z_u u̇ + Z_x λ, with an arm for every term."""

    z0: np.ndarray
    Zu: np.ndarray
    Zx: np.ndarray
    arms: list[Any]


def load_values(s: State, tau: Any, n_rows: int) -> LoadValues:
    """See `LoadValues`; tau are further generalized forces, n_rows is the number of rows of loops and laws."""
    m: Mechanism = s.mechanism
    z0, Zu, Zx, arms = [np.zeros(0)], [np.zeros((0, m.n_u))], [np.zeros((0, n_rows))], []
    for load in m.law_table.loads.values():
        w = transmitted(s, load.joint)
        own = w.own
        if load.joint in m.joint_number:
            at = m.joints[m.joint_number[load.joint] - 1].own_u
            own = vector([x if k is None else x + w.sign * tau[k] for x, k in zip(own, at)])
        for term in load.terms:
            C, on_own = term.rows[:, :6], term.rows[:, 6:]
            z0.append(C @ w.w0 + (on_own @ own[: on_own.shape[1]] if on_own.shape[1] else 0.0))
            Zu.append(C @ w.W)
            Zx.append(C @ w.X)
            arms.append(term.arm)
    return LoadValues(np.concatenate(z0), np.concatenate(Zu), np.concatenate(Zx), arms)
