"""Whether accelerations obey the rows that were left out as dependent: on another branch of motion they may not be."""

from __future__ import annotations

from typing import Any

from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.kernel import Kernel
from dalembert.kernels.straight import extra_input, straight_block
from dalembert.kinematics.rows import constraint_rows
from dalembert.trace import Expr, tracing
from dalembert.trace.functions import maximum


def left_out_kernel(c: Catalogue, rows: tuple[int, ...]) -> Kernel | None:
    """max |B u̇ − γ| over the rows left out, by the largest Σ|B u̇| + |γ| of any row; None where they are zero throughout."""
    m = c.mechanism
    with tracing():
        every, udot = constraint_rows(m.symbolic_state()), extra_input(m.speeds)
        others = [k for k in range(len(every.gamma)) if k not in rows and _says_something(every.B[k], every.gamma[k])]
        if not others:
            return None
        sizes: Any = 1e-30
        for row, gamma in zip(every.B, every.gamma):
            sizes = maximum(sizes, sum(abs(b * x) for b, x in zip(row, udot)) + abs(gamma))
        missing: Any = 0.0
        for k in others:
            missing = maximum(missing, abs(every.B[k] @ udot - every.gamma[k]))
        part = missing / sizes

    def emit(module: Any, lanes: int) -> Any:
        return module.block(straight_block(m, [part], udot), lanes), 0

    return Kernel("rows left out", m, m.n_u, (1,), emit, of=(rows,))


def _says_something(row: Any, gamma: Any) -> bool:
    return any(type(x) is Expr or x != 0.0 for x in (*row, gamma))
