"""States that are asked about must obey the loops and constraints, or what is computed there means nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.arguments import numbers
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
"""Speed below which a slip is measured as if it were that."""


def check_assembled(c: Catalogue, m: Mechanism, q: Any, u: Any, t: Any, parameters: Any) -> None:
    """By a kernel of its own."""
    if not m.constraint_rows:
        return
    if "errors" not in c.found:
        c.found["errors"] = _errors_kernel(c)
    check_off(m, c.found["errors"](q, u, None, t, parameters)[..., 0], q, u, t, parameters)


def check_off(m: Mechanism, off: np.ndarray, q: Any, u: Any, t: Any, parameters: Any) -> None:
    """From how far off every state is, in what is let pass; the first that is too far is told."""
    if off.max(initial=0.0) <= 1.0:
        return
    k = int(np.argmax(~(off <= 1.0)))
    q_k, u_k = (numbers(x, name)[k] if np.ndim(x) == 2 else numbers(x, name) for x, name in ((q, "q"), (u, "u")))
    time = float(np.ravel(t)[k if np.ndim(t) else 0])
    values = {name: float(np.ravel(x)[k if np.ndim(x) else 0]) for name, x in (parameters or {}).items()}
    here = m.with_parameters(**values)
    rows = constraint_rows(here.state(q_k, u_k, time))
    open_by, size = np.nan_to_num(np.abs(rows.g)), size_of(here)
    which = f"of state {k} " if np.ndim(off) else ""
    owners = [name for name, d in here.constraint_rows.items() for _ in range(len(d.g))]
    if open_by.max() > APART * size:
        raise StateError(
            f'the coordinates q {which}do not close "{owners[int(np.argmax(open_by))]}", by {open_by.max():.3g}; m.assemble finds '
            "coordinates that do"
        )
    slip = np.abs(rows.B @ u_k - rows.b)
    raise StateError(
        f'the speeds u {which}do not keep "{owners[int(np.argmax(slip))]}" closed, by {slip.max():.3g}; m.assemble finds speeds that do'
    )


def tolerance(m: Mechanism) -> float:
    """Of a gap; and of a slip at unit speed."""
    return APART * size_of(m)


def _errors_kernel(c: Catalogue) -> Kernel:
    """The largest of gap / tolerance and slip / (tolerance · speed)."""
    m = c.mechanism

    def emit(module: Any, lanes: int) -> Any:
        with tracing():
            s = m.symbolic_state()
            rows = constraint_rows(s)
            gap: Any = 0.0
            slip: Any = 0.0
            speed: Any = STILL
            for g, B, b in zip(rows.g, rows.B, rows.b):
                gap = gap if isinstance(g, float) and np.isnan(g) else maximum(gap, abs(g))
                slip = maximum(slip, abs(B @ s.speeds - b))
            for u in s.speeds:
                speed = maximum(speed, abs(u))
            off = maximum(gap, slip / speed) / tolerance(m)
            return module.block(straight_block(m, [off], ()), lanes), 0

    return Kernel("errors of loops", m, 0, (1,), emit, of=(tolerance(m),))
