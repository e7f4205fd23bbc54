"""An independent set of a mechanism's rows, found once and kept with its kernels; and whether a state and its accelerations obey the
rows that were left out as dependent: on another branch of motion they may not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.constraints.assembly.assemble import assemble, close
from dalembert.constraints.diagnosis.contradictions import check_defined
from dalembert.constraints.diagnosis.diagnose import diagnose
from dalembert.errors import LoopError
from dalembert.kernels.assembled import reference_scales
from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.runtime.kernel import Kernel
from dalembert.kernels.runtime.straight import extra_input, straight_block
from dalembert.kinematics.constraint_rows import closure, constraint_rows
from dalembert.trace import Expr, tracing
from dalembert.trace.scalar_functions import maximum

NO_ROW = 1e-30
"""Size beside which a row that is zero is measured."""


def independent_rows(
    catalogue: Catalogue, q: Any = None, t: float = 0.0, parameters: Mapping[str, float] | None = None
) -> tuple[int, ...]:
    """Rows that together say all, from the assembled pose nearest to q, or to the reference."""
    known = catalogue.constrained
    if known.independent is None:
        m = catalogue.mechanism.with_parameters(**parameters or {})
        known.independent = tuple(diagnose(m, _pose(m, q, t), t).independent) if m.constraint_rows else ()
    return known.independent


def _pose(m: Any, q: Any, t: float) -> np.ndarray:
    if q is None:
        return assemble(m, np.array(m.reference), t=t)
    attempt = close(m, np.asarray(q, dtype=float), (), t)
    if not attempt.closed:
        check_defined(m, attempt.q, t, closure(m.state(attempt.q, np.zeros(m.n_u), t))[0])
        raise LoopError(
            f'mechanism "{m.name}" is not assembled at these coordinates, by {attempt.gap:.3g} of its size; m.assemble finds some'
        )
    return attempt.q


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
