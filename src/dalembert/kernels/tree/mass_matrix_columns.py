"""The mass matrix of a large mechanism with elastic bodies: A e₁, A e₂, … by Newton and Euler's recursion at rest, one in each lane.

Composite bodies would write out every entry of A, of which there are as many as the square of the number of speeds; this code is as
long as the mechanism.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.kernels.runtime.directions_in_lanes import LaneMemory, UnitDirections
from dalembert.kernels.runtime.straight import NAMES, ONE_STATE, extra_input, straight_block
from dalembert.mechanism import Mechanism
from dalembert.recursive.algorithms import StillTree, newton_euler
from dalembert.trace import tracing
from dalembert.trace.native import Module, Signature


def emit_mass_matrix(m: Mechanism, module: Module) -> tuple[Signature, int]:
    """`run(t, q, u, x, P, A, work)` on plain arrays of one state; and the doubles of working memory."""
    n, lanes = m.n_u, module.target.lanes
    with tracing():
        unit = extra_input(m.speeds)
        traced = straight_block(m, newton_euler(StillTree(m.symbolic_state()), unit), unit)
        code = module.block(traced, lanes, "column")
    sizes = {"t": 1, "q": m.n_q, "u": 0, "x": n, "P": len(m.parameters), "y": n, "work": 0}
    with module.function("run", lanes=lanes, **ONE_STATE) as f:
        memory = LaneMemory(f, f.work, sizes)
        memory.fill("t", "q", "P")
        with UnitDirections(f, memory["x"], n, lanes).along(range(n)) as columns:
            f.call(code, *memory.arguments(NAMES))
            columns.put(f.y, n, n, lambda i: memory["y"][i])
    return f.signature, memory.end * lanes


def mass_pivots(A: np.ndarray) -> list[Any]:
    """D of A = LᵀDL, from the last speed to the first: branches of the tree stay apart."""
    A, found = np.array(A, dtype=object), []
    for k in reversed(range(len(A))):
        found.append(A[k, k])
        for i in range(k):
            if not (isinstance(A[k, i], float) and A[k, i] == 0.0):
                A[i, : i + 1] = A[i, : i + 1] - A[k, i] / A[k, k] * A[k, : i + 1]
    return found
