"""What laws are in a state, as expressions: rows masked by the mode, directions of slip, friction at that slip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.kinematics.constraint_rows import Rows, constraint_rows
from dalembert.kinematics.law_mode import ModeLayout
from dalembert.kinematics.law_rows import LawTable, law_rows
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.trace import select, sqrt

STILL = 1e-14
"""Slip in a plane, m/s, below which its direction is that of the mode."""
COEFFICIENTS = ("force", "coefficient", "static_force", "static_coefficient", "viscous", "restitution")
"""Numbers of every element's friction at its slip, and of its impacts."""


def every_row(s: State) -> Rows:
    """Rows of loops and constraints, then those of laws."""
    return Rows.stacked([constraint_rows(s), law_rows(s)], s.mechanism.n_u)


def masked(rows: Rows, first: int, mode: ModeLayout, by: str) -> Rows:
    """Rows from `first` on as zero where they do not hold, coordinates measured from where they are held."""
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


def law_values(s: State, rows: Rows, mode: ModeLayout) -> LawValues:
    """See `LawValues`; `rows` are those of the laws."""
    m: Mechanism = s.mechanism
    table: LawTable = m.law_table
    speeds = list(rows.B @ s.speeds - rows.b) if len(rows.b) else []
    directions: list[Any] = []
    found: dict[str, list[Any]] = {name: [] for name in COEFFICIENTS}
    for i, e in enumerate(table.elements):
        way: list[Any] = [mode.symbol("direction", 2 * i + k) for k in range(2)]
        v = [speeds[k] for k in e.tangents]
        slip: Any = 0.0
        if len(v) == 1:
            slip = way[0] * v[0]
        elif len(v) == 2:
            fast = sqrt(v[0] * v[0] + v[1] * v[1])
            moves = fast > STILL
            slip, safe = fast, select(moves, fast, 1.0)
            way = [select(moves, x / safe, d) for x, d in zip(v, way)]
        directions += way
        law = m.laws[e.law]
        sliding, at_rest = law.friction(s, slip), law.static_friction(s)
        values = (*sliding, *at_rest, law.viscous, law.restitution) if e.tangents else (0.0,) * 5 + (law.restitution,)
        for name, x in zip(COEFFICIENTS, values):
            found[name].append(x)
    return LawValues(speeds, directions, found)
