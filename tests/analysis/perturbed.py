"""Nearby states of a constrained mechanism, to compare what a linearisation says with what the nonlinear equations do."""

from __future__ import annotations

from typing import Any

import numpy as np

import dalembert as da
from dalembert.constraints.assembly.assemble import close, displaced
from dalembert.constraints.dynamics import solve_state
from dalembert.kinematics.constraint_rows import constraint_rows


def nearby(m: da.Mechanism, lin: Any, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(q, u) on the constraints with the independent displacements and speeds x away from the linearised state.

    Independent displacements are made in one step, then fixed while the loops are closed by the others.
    """
    n, places = len(lin.displacements), [m.speeds.index(name) for name in lin.displacements]
    q = displaced(m, lin.q, lin.displacement_of @ x[:n], lin.t)
    q = close(m, q, places, lin.t).q if m.constraint_rows else q
    kept = [m.speeds.index(name) for name in lin.speeds]
    u = np.array(lin.u)
    u[kept] += x[n:]
    rows = constraint_rows(m.state(q, u, lin.t))
    rest = [i for i in range(m.n_u) if i not in kept]
    if len(rows.B):
        u[rest] -= np.linalg.lstsq(rows.B[:, rest], rows.B @ u - rows.b, rcond=1e-9)[0]
    return q, u


def rates(m: da.Mechanism, lin: Any, x: np.ndarray) -> np.ndarray:
    """q̇ and the rates of the independent speeds at a nearby state."""
    q, u = nearby(m, lin, x)
    kept = [m.speeds.index(name) for name in lin.speeds]
    udot = solve_state(m, q, u, np.zeros(m.n_u), lin.t, "svd").udot
    return np.concatenate([m.state(q, u, lin.t).rates, udot[kept]])


def differences(m: da.Mechanism, lin: Any, h: float = 1e-4) -> np.ndarray:
    """d(q̇, v̇) for a unit of each state, by differences of fourth order."""
    out = []
    for e in np.eye(len(lin.A)):
        one, two = (rates(m, lin, k * h * e) - rates(m, lin, -k * h * e) for k in (1, 2))
        out.append((8 * one - two) / (12 * h))
    return np.array(out).T
