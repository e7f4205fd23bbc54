"""Whether a state and its accelerations obey the rows that were left out as dependent: on another branch of motion they may not."""

from __future__ import annotations

from typing import Any

from dalembert.kernels.assembled import reference_scales
from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.runtime.kernel import Kernel
from dalembert.kernels.runtime.straight import extra_input, straight_block
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.trace import Expr, tracing
from dalembert.trace.scalar_functions import maximum

NO_ROW = 1e-30
"""Size beside which a row that is zero is measured."""


def left_out_kernel(c: Catalogue, rows: tuple[int, ...]) -> Kernel | None:
    """Residual of the rows left out: max |B u̇ − γ| by the largest Σ|B u̇| + |γ| of any row, and the widest gap; each row by its
    scale. None where they are zero throughout."""
    m, scales = c.mechanism, reference_scales(c.mechanism).tolist()
    with tracing():
        every, udot = constraint_rows(m.symbolic_state()), extra_input(m.speeds)
        others = [k for k in range(len(every.gamma)) if k not in rows and _says_something(every.B[k], every.gamma[k])]
        if not others:
            return None
        sizes: Any = NO_ROW
        for row, gamma, size in zip(every.B, every.gamma, scales):
            sizes = maximum(sizes, (sum(abs(b * x) for b, x in zip(row, udot)) + abs(gamma)) / size)
        missing: Any = 0.0
        gap: Any = 0.0
        for k in others:
            missing = maximum(missing, abs(every.B[k] @ udot - every.gamma[k]) / scales[k])
            gap = maximum(gap, abs(every.g[k]) / scales[k])
        found = [missing / sizes, gap]

    def emit(module: Any, lanes: int) -> Any:
        return module.block(straight_block(m, found, udot), lanes), 0

    return Kernel("rows left out", m, m.n_u, (2,), emit, of=(rows, *scales))


def _says_something(row: Any, gamma: Any) -> bool:
    return any(type(x) is Expr or x != 0.0 for x in (*row, gamma))
