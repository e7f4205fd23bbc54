"""Accelerations and multipliers of a constrained mechanism at numeric states: Kane's equations, then a constraint method."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.constraints import method
from dalembert.constraints.methods.solution import Solution
from dalembert.formulations.tree import kane
from dalembert.mechanism import Mechanism


def solve_state(m: Mechanism, q: Any, u: Any, tau: Any, t: float, by: str) -> Solution:
    """u̇ and λ at one state, with further generalized forces tau."""
    e = kane.equations(m.state(q, u, t))
    return method(by)(replace(e, f=e.f + tau))


def accelerations(
    m: Mechanism, q: Any, u: Any, tau: Any, t: Any, parameters: Any, by: str = "range_space"
) -> np.ndarray:
    """u̇ of one state (n,) or of a batch (K, n), one state after the other; what is given once holds for all."""
    given = [np.asarray(np.zeros(m.n_u) if x is None else x, dtype=float) for x in (q, u, tau)]
    per_state = {k: np.asarray(v, dtype=float) for k, v in {"": t, **(parameters or {})}.items()}
    single = all(x.ndim < 2 for x in given) and all(x.ndim == 0 for x in per_state.values())
    rows = [np.atleast_2d(x) for x in given]
    values = {k: np.atleast_1d(x) for k, x in per_state.items()}
    times = values.pop("")
    count = max(len(x) for x in (*rows, times, *values.values()))
    out = []
    for i in range(count):
        here = {k: float(v[i % len(v)]) for k, v in values.items()}
        q_i, u_i, tau_i = (x[i % len(x)] for x in rows)
        out.append(solve_state(m.with_parameters(**here), q_i, u_i, tau_i, float(times[i % len(times)]), by).udot)
    return out[0] if single else np.array(out)
