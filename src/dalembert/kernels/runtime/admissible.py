"""States that can be computed with: finite numbers, and coordinates that obey the conditions among them (Euler parameters: unit
length). They are checked in machine code, described in words, and brought back to their conditions in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from dalembert.errors import StateError
from dalembert.kernels.runtime.straight import block, known_symbols
from dalembert.mechanism import Mechanism
from dalembert.parts.joints.joint import ADMISSIBLE
from dalembert.trace import maximum, symbols, tracing
from dalembert.trace.native import Module, Output, Pointer, Signature


def emit_admissible(module: Module, m: Mechanism, lanes: int, name: str = "admissible") -> Signature | None:
    """`admissible(t, q, u, x, P, y, work)`, which changes q; None where no joint has such coordinates."""
    with tracing():
        q = symbols("q_", m.coordinates)
        outputs = [Output(x, "q", i) for i, x in enumerate(m.admissible(q)) if x is not q[i]]
        return module.block(block(name, known_symbols(m), outputs), lanes) if outputs else None


def emit_unfit(module: Module, m: Mechanism, lanes: int, n_extra: int) -> Signature:
    """`unfit(t, q, u, x)` → 1 where in some lane a number is not finite or a condition does not hold, else 0."""
    with tracing():
        s = m.symbolic_state()
        left = [
            abs(c) for j, q in zip(m.in_joint_variables.joints, s.joint_q) if j.columns for c in j.joint.condition(q)
        ]
        outputs = [Output(reduce(maximum, left), "y", 0)] if left else []
        code = module.block(block("conditions", known_symbols(m), outputs), lanes) if left else None
    parameters: dict[str, Any] = dict.fromkeys(("t", "q", "u", "x"), Pointer)
    with module.function("unfit", lanes=lanes, status=True, public=False, **parameters) as f:
        zero = f.variables(sum=0.0)
        for values, n in ((f.t, 1), (f.q, m.n_q), (f.u, m.n_u), (f.x, n_extra)):
            with f.loop(n) as i:
                zero.sum = zero.sum + 0.0 * values[i]
        with f.if_((~(zero.sum <= 0.0)).any()):
            f.return_(1)
        if code is not None:
            worst = f.array(1)
            f.call(code, *[f.q] * 5, worst, f.q)
            with f.if_((~(worst[0] <= ADMISSIBLE)).any()):
                f.return_(1)
    return f.signature


def check_finite(given: Mapping[str, tuple[str, np.ndarray, Sequence[str]]], where: str) -> None:
    """Refuse numbers of one state (n,) or of many (K, n) that are not finite. `given`: what they are called, values, names of each."""
    for what, values, names in given.values():
        wrong = ~np.isfinite(values)
        if wrong.any():
            at = np.argwhere(wrong)[0]
            state = f"state {at[0]}: " if values.ndim == 2 else ""
            number = f'"{names[at[-1]]}" in ' if len(names) > at[-1] else ""
            raise StateError(f"{where}: {state}{number}{what} is {values[tuple(at)]}, not a finite number")


def check_admissible(m: Mechanism, q: np.ndarray, where: str) -> None:
    """Refuse coordinates of one state (n,) or of many (K, n) that do not obey the conditions of their joints."""
    q = m.joint_coordinates(q)
    for j in m.numeric.in_joint_variables.joints:
        at = [i for i in j.q_at if i is not None]
        if not j.columns or len(at) != j.joint.n_q or not len(j.joint.condition(np.asarray(j.joint.reference))):
            continue
        holds = (np.abs(j.joint.condition(q[..., at].T)) <= ADMISSIBLE).all(axis=0)
        if not holds.all():
            k = int(np.argmin(holds))
            state = f"state {k}: " if q.ndim == 2 else ""
            raise StateError(f'{where}: {state}joint "{j.name}": {j.joint.singularity(np.atleast_2d(q)[k, at])}')
