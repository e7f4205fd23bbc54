"""The mass matrix of a large mechanism with elastic bodies: A e₁, A e₂, … by Newton and Euler's recursion at rest, one in each lane.

Composite bodies would write out every entry of A, of which there are as many as the square of the number of speeds; this code is as
long as the mechanism.
"""

from __future__ import annotations

from typing import Any

from dalembert.kernels.runtime.straight import NAMES, extra_input, straight_block
from dalembert.mechanism import Mechanism
from dalembert.recursive.algorithms import StillTree, newton_euler
from dalembert.trace import tracing
from dalembert.trace.native import Module, Signature, UniformPointer


def emit_mass_matrix(m: Mechanism, module: Module) -> tuple[Signature, int]:
    """`run(t, q, u, x, P, A, work)` on plain arrays of one state; and the doubles of working memory."""
    n, lanes = m.n_u, module.target.lanes
    with tracing():
        unit = extra_input(m.speeds)
        traced = straight_block(m, newton_euler(StillTree(m.symbolic_state()), unit), unit)
        code = module.block(traced, lanes, "column")
    sizes = {"t": 1, "q": m.n_q, "u": 0, "x": n, "P": len(m.parameters), "y": n, "work": 0}
    parameters: dict[str, Any] = dict.fromkeys(NAMES, UniformPointer)
    with module.function("run", lanes=lanes, **parameters) as f:
        memory, at = {}, 0
        for name, size in sizes.items():
            memory[name] = f.work.lanes + at
            at += size + 1
        for name in ("t", "q", "P"):
            with f.loop(sizes[name]) as i:
                memory[name][i] = getattr(f, name)[i]
        with f.loop(0, n, lanes) as first:
            with f.loop(n) as i:
                memory["x"][i] = 0.0
            for lane in range(lanes):
                with f.if_(first + lane < n):
                    memory["x"].uniform[(first + lane) * lanes + lane] = 1.0
            f.call(code, *(memory[name] for name in NAMES))
            with f.loop(n) as i:
                for lane in range(lanes):
                    with f.if_(first + lane < n):
                        f.y[i * n + first + lane] = memory["y"][i].lane(lane)
    return f.signature, at * lanes
