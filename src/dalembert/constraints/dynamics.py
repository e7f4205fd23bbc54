"""Accelerations and multipliers of a constrained mechanism at numeric states: Kane's equations, then a constraint method."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.constraints import method
from dalembert.constraints.solution import Solution
from dalembert.formulations import kane
from dalembert.mechanism import Mechanism


def solve_state(m: Mechanism, q: Any, u: Any, tau: Any, t: float, by: str) -> Solution:
    """u̇ and λ at one state, with further generalized forces tau."""
    e = kane.equations(m.state(q, u, t))
    return method(by)(e if tau is None else replace(e, f=e.f + tau))


def accelerations(
    m: Mechanism, q: Any, u: Any, tau: Any, t: Any, parameters: Any, by: str = "range_space"
) -> np.ndarray:
    """u̇ of one state (n,) or of a batch (K, n), one state after the other."""
    given = [None if x is None else np.asarray(x, dtype=float) for x in (q, u, tau)]
    times = np.asarray(t, dtype=float)
    values = {k: np.asarray(v, dtype=float) for k, v in (parameters or {}).items()}
    lengths = [len(x) for x in given if x is not None and x.ndim == 2]
    lengths += [len(x) for x in (times, *values.values()) if x.ndim == 1]
    if not lengths:
        return solve_state(m.with_parameters(**values) if values else m, *given, float(times), by).udot

    def row(x: np.ndarray | None, i: int) -> Any:
        return x[i] if x is not None and x.ndim == 2 else x

    out = []
    for i in range(max(lengths)):
        here = {k: float(v[i] if v.ndim else v) for k, v in values.items()}
        time = float(times[i] if times.ndim else times)
        out.append(solve_state(m.with_parameters(**here) if here else m, *(row(x, i) for x in given), time, by).udot)
    return np.array(out)
