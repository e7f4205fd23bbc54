"""States that are asked about must obey the loops and constraints, or what is computed there means nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.arguments import numbers
from dalembert.constraints.diagnosis.contradictions import check_defined
from dalembert.constraints.rest import least_rates
from dalembert.errors import StateError
from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.runtime.kernel import Kernel
from dalembert.kernels.runtime.straight import straight_block
from dalembert.kinematics.constraint_rows import constraint_rows, row_scales
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.trace import tracing
from dalembert.trace.scalar_functions import maximum

APART = 1e-3
"""Gap, by its row's scale, and slip, by scale times speed, above which a state is refused: what drifts less is let pass."""


def check_assembled(c: Catalogue, m: Mechanism, q: Any, u: Any, t: Any, parameters: Any) -> np.ndarray:
    """Check by a kernel of its own; how far off each state is."""
    if not m.constraint_rows:
        return np.zeros(np.shape(q)[:-1])
    if c.constrained.errors is None:
        c.constrained.errors = _errors_kernel(c)
    off: np.ndarray = c.constrained.errors(q, u, None, t, parameters)[..., 0]
    check_off(m, off, q, u, t, parameters)
    return off


def check_off(m: Mechanism, off: np.ndarray, q: Any, u: Any, t: Any, parameters: Any) -> None:
    """Check how far off every state is, rows measured by their scales; the first that is too far is named."""
    if off.max(initial=0.0) <= APART:
        return
    k = int(np.argmax(~(off <= APART)))
    q_k, u_k = (numbers(x, name)[k] if np.ndim(x) == 2 else numbers(x, name) for x, name in ((q, "q"), (u, "u")))
    time = float(np.ravel(t)[k if np.ndim(t) else 0])
    values = {name: float(np.ravel(x)[k if np.ndim(x) else 0]) for name, x in (parameters or {}).items()}
    here = m.with_parameters(**values)
    rows = constraint_rows(here.state(q_k, u_k, time))
    check_defined(here, q_k, time, np.column_stack([rows.g, rows.B, rows.b]))
    size = reference_scales(here)
    open_by, slip = np.abs(rows.g), np.abs(rows.B @ u_k - rows.b)
    which = f"of state {k} " if np.ndim(off) else ""
    owners = here.rows.owners
    speed = np.abs(u_k / here.scales.speeds)
    of_part = [float(speed[p.u].max(initial=least)) for p, least in zip(here.parts, least_rates(here))]
    widest = int(np.argmax(open_by / size))
    fastest = int(np.argmax(slip / size / np.array([of_part[k] for k in here.row_parts])))
    if open_by[widest] > APART * size[widest]:
        raise StateError(
            f'the coordinates q {which}do not close "{owners[widest]}", by {open_by[widest]:.3g}; m.assemble finds coordinates that do'
        )
    raise StateError(
        f'the speeds u {which}do not keep "{owners[fastest]}" closed, by {slip[fastest]:.3g}; m.assemble finds speeds that do'
    )


def reference_scales(m: Mechanism) -> np.ndarray:
    """Scales of all rows, in the pose in which every joint is at its reference: what machine code measures them by."""
    return row_scales(State(m.numeric, 0.0, m.reference, np.zeros(m.n_u)))


def _errors_kernel(c: Catalogue) -> Kernel:
    """The largest gap and slip, the slip by the fastest speed of its part, each by its row's scale."""
    m = c.mechanism
    sizes = reference_scales(m).tolist()
    steps, parts, of_rows = m.scales.speeds.tolist(), m.scales.part[m.n_q :].tolist(), m.row_parts.tolist()
    slowest = least_rates(m).tolist()

    def emit(module: Any, lanes: int) -> Any:
        with tracing():
            s = m.symbolic_state()
            rows = constraint_rows(s)
            off: Any = 0.0
            speed: list[Any] = [*slowest]
            for u, step, part in zip(s.speeds, steps, parts):
                speed[part] = maximum(speed[part], abs(u) / step)
            for g, B, b, size, part in zip(rows.g, rows.B, rows.b, sizes, of_rows):
                off = maximum(off, maximum(abs(g) / size, abs(B @ s.speeds - b) / size / speed[part]))
            return module.block(straight_block(m, [off], ()), lanes), 0

    return Kernel("errors of loops", m, 0, (1,), emit, of=(*sizes, *steps, *parts, *of_rows, *slowest))
