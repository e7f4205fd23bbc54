"""States that are asked about must obey the loops and constraints, or what is computed there means nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.constraints.assembly import size_of
from dalembert.errors import StateError
from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.kernel import Kernel
from dalembert.kernels.straight import straight_block
from dalembert.kinematics.rows import constraint_rows
from dalembert.mechanism import Mechanism
from dalembert.trace import tracing
from dalembert.trace.functions import maximum

APART = 1e-3
"""Gap, beside the mechanism's size, and slip, beside size times speed, above which a state is refused: what drifts less is let pass."""
STILL = 1e-6
"""Speed below which a slip is not looked at."""


def check_assembled(c: Catalogue, m: Mechanism, q: Any, u: Any, t: Any, parameters: Any) -> None:
    """By a kernel of its own."""
    if not m.constraint_rows:
        return
    if "errors" not in c.found:
        c.found["errors"] = _errors_kernel(c)
    errors = c.found["errors"](q, u, None, t, parameters)
    check_errors(m, errors[..., 0], errors[..., 1], q, u, t, parameters)


def check_errors(m: Mechanism, gap: np.ndarray, slip: np.ndarray, q: Any, u: Any, t: Any, parameters: Any) -> None:
    """From the largest gap and slip of every state; the first state that is off is told."""
    size, speed = size_of(m), np.abs(u).max(axis=-1, initial=0.0)
    wrong = np.flatnonzero((gap > APART * size) | (slip > APART * size * np.maximum(speed, STILL)))
    if not len(wrong):
        return
    k = int(wrong[0])
    q_k, u_k = (np.asarray(x, dtype=float)[k] if np.ndim(x) == 2 else np.asarray(x, dtype=float) for x in (q, u))
    time = float(np.ravel(t)[k if np.ndim(t) else 0])
    values = {name: float(np.ravel(x)[k if np.ndim(x) else 0]) for name, x in (parameters or {}).items()}
    here = m.with_parameters(**values)
    rows = constraint_rows(here.state(q_k, u_k, time))
    open_by = np.nan_to_num(np.abs(rows.g))
    which = f"of state {k} " if np.ndim(gap) else ""
    owners = [name for name, d in here.constraint_rows.items() for _ in range(len(d.g))]
    if open_by.max() > APART * size:
        raise StateError(
            f'the coordinates q {which}do not close "{owners[int(np.argmax(open_by))]}", by {open_by.max():.3g}; m.assemble finds '
            "coordinates that do"
        )
    off = np.abs(rows.B @ u_k - rows.b)
    raise StateError(
        f'the speeds u {which}do not keep "{owners[int(np.argmax(off))]}" closed, by {off.max():.3g}; m.assemble finds speeds that do'
    )


def _errors_kernel(c: Catalogue) -> Kernel:
    """(largest |g|, largest |B u − b|)."""
    m = c.mechanism

    def emit(module: Any, lanes: int) -> Any:
        with tracing():
            s = m.symbolic_state()
            rows = constraint_rows(s)
            gap: Any = 0.0
            slip: Any = 0.0
            for g, B, b in zip(rows.g, rows.B, rows.b):
                gap = gap if isinstance(g, float) and np.isnan(g) else maximum(gap, abs(g))
                slip = maximum(slip, abs(B @ s.speeds - b))
            return module.block(straight_block(m, [gap, slip], ()), lanes), 0

    return Kernel("errors of loops", m, 0, (2,), emit, c.key)
