"""Coordinates that obey a condition among themselves (Euler parameters: unit length): checked, and brought back to it in place."""

from __future__ import annotations

from functools import reduce

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


def emit_inadmissible(module: Module, m: Mechanism, lanes: int) -> Signature | None:
    """`inadmissible(q)` → 1 where a condition does not hold in some lane, else 0; None where no joint has such coordinates."""
    with tracing():
        s = m.symbolic_state()
        left = [abs(c) for j, q in zip(m.joints, s.joint_q) if j.columns for c in j.joint.condition(q)]
        if not left:
            return None
        code = module.block(block("conditions", known_symbols(m), [Output(reduce(maximum, left), "y", 0)]), lanes)
    with module.function("inadmissible", lanes=lanes, status=True, public=False, q=Pointer) as f:
        worst = f.array(1)
        f.call(code, *[f.q] * 5, worst, f.q)
        with f.if_((~(worst[0] <= ADMISSIBLE)).any()):
            f.return_(1)
    return f.signature


def check_admissible(m: Mechanism, q: np.ndarray, where: str) -> None:
    """Refuse coordinates of one state (n,) or of many (K, n) that do not obey the conditions of their joints."""
    for j in m.joints:
        at = [i for i in j.q_at if i is not None]
        if not j.columns or len(at) != j.joint.n_q or not len(j.joint.condition(np.asarray(j.joint.reference))):
            continue
        holds = (np.abs(j.joint.condition(q[..., at].T)) <= ADMISSIBLE).all(axis=0)
        if not holds.all():
            k = int(np.argmin(holds))
            state = f"state {k}: " if q.ndim == 2 else ""
            raise StateError(f'{where}: {state}joint "{j.name}": {j.joint.trouble(np.atleast_2d(q)[k, at])}')
