"""How displacements along the speeds change: η̇ = δu + W η.

A small displacement is δq = N(q) η, so that η has one entry for each speed, whatever coordinates a joint uses. From q̇ = N u follows
N W η = D(N u)[N η] − D(N η)[N u]. W is zero where speeds are rates of coordinates; for rotations W η = −ω × η. Speeds that were
chosen may hang on time and on parameters p, too: then η̇ = δu + W η + W_p δp, with N W η = D(q̇)[N η] − (N η)˙ and N W_p = q̇,p.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from dalembert.formulations.tree.coordinate_rates import speeds_per_rate
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.parts.joints import Joint
from dalembert.trace import NumericFunction, directional, jacobian, symbol, symbols, tracing
from dalembert.trace.text import python_function


def turning_of_displacements(
    m: Mechanism, q: np.ndarray, u: np.ndarray, udot: np.ndarray, t: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """W, its rate along the motion, and W_p."""
    if m.variables is not None:
        given = [list(x) for x in (q, u, udot, m.parameters.values()) if len(x)]
        found = m.view(_of_chosen)(t, *given)
        return np.asarray(found[0]), np.asarray(found[1]), np.asarray(found[2])
    W, rate = np.zeros((m.n_u, m.n_u)), np.zeros((m.n_u, m.n_u))
    for j in m.numeric.joints:
        at = [i for i in j.q_at if i is not None]
        if j.joint.rates_are_speeds or len(at) < len(j.q_at):  # single coordinates of other joints cannot be prescribed
            continue
        columns = np.ix_(j.columns, j.columns)
        W[columns], rate[columns] = _of_joint(j.joint)(q[at], u[j.columns], udot[j.columns])
    return W, rate, np.zeros((m.n_u, len(m.parameters)))


def _of_chosen(m: Mechanism) -> NumericFunction:
    with tracing():
        t, q, u, a = symbol("t"), symbols("q_", m.coordinates), symbols("u_", m.speeds), symbols("a_", m.speeds)
        p = [symbol(name) for name in m.parameters]
        s = State(m, t, q, u)
        moving, back = np.asarray(s.rates, dtype=object), speeds_per_rate(s)
        N = jacobian(moving, list(u))
        along = {t: 1.0} | dict(zip(q, moving))
        columns = [directional(moving, dict(zip(q, N[:, k]))) - directional(N[:, k], along) for k in range(m.n_u)]
        W = back @ np.array(columns, dtype=object).T
        rate = np.asarray(directional(W, along | dict(zip(u, a))), dtype=object)
        W_p = back @ jacobian(moving, p)
        inputs: dict[str, Any] = {"t": t, "q": list(q), "u": list(u), "a": list(a), "p": p}
        return NumericFunction({k: x for k, x in inputs.items() if x != []}, {"W": W, "rate": rate, "W_p": W_p})


@lru_cache(maxsize=64)
def _of_joint(joint: Joint) -> Callable[..., Any]:
    with tracing():
        q, u, a = symbols("q", range(joint.n_q)), symbols("u", range(joint.n_u)), symbols("a", range(joint.n_u))
        moving = np.asarray(joint.rates(q, u), dtype=object)
        columns = []
        for e in np.eye(joint.n_u):
            displaced = np.asarray(joint.rates(q, e), dtype=object)
            there = directional(moving, dict(zip(q, displaced)))
            here = directional(displaced, dict(zip(q, moving)))
            columns.append(joint.speeds_from_rates(q, there - here))
        W = np.array(columns, dtype=object).T
        rate = np.asarray(directional(W, dict(zip(q, moving)) | dict(zip(u, a))), dtype=object)
        return python_function("turning", {"q": list(q), "u": list(u), "a": list(a)}, {"W": W, "rate": rate})
