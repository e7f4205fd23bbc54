"""How displacements along the speeds change: η̇ = δu + W η.

A small displacement is δq = N(q) η, so that η has one entry for each speed, whatever coordinates a joint uses. From q̇ = N u follows
N W η = D(N u)[N η] − D(N η)[N u]. W is zero where speeds are rates of coordinates; for rotations W η = −ω × η.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from dalembert.mechanism import Mechanism
from dalembert.parts.joints import Joint
from dalembert.trace import directional, symbols, tracing
from dalembert.trace.text import python_function


def turning_of_displacements(
    m: Mechanism, q: np.ndarray, u: np.ndarray, udot: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """W and its rate along the motion."""
    W, rate = np.zeros((m.n_u, m.n_u)), np.zeros((m.n_u, m.n_u))
    for j in m.joints:
        at = [i for i in j.q_at if i is not None]
        if j.joint.rates_are_speeds or len(at) < len(j.q_at):  # single coordinates of other joints cannot be prescribed
            continue
        columns = np.ix_(j.columns, j.columns)
        W[columns], rate[columns] = _of_joint(j.joint)(q[at], u[j.columns], udot[j.columns])
    return W, rate


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
