"""Sensitivities of a tree: forward dynamics differentiated, as a formula in a small mechanism, step by step in a large one."""

from __future__ import annotations

from typing import Any

from dalembert.kernels.derivatives.tangent import emit_tangents
from dalembert.kernels.rhs.sensitivity_equations import (
    DIRECTIONS,
    along_direction,
    each_direction,
    emit_normalised,
    sensitivity_block,
)
from dalembert.kernels.runtime.directions_in_lanes import LaneMemory
from dalembert.kernels.tree import articulated, rates
from dalembert.kernels.tree.sweep_kernel import SweepKernel
from dalembert.mechanism import Mechanism
from dalembert.recursive import algorithms as recursive
from dalembert.trace import tracing
from dalembert.trace.native import FunctionBuilder, Module, Output, Signature


def emit_by_formula(m: Mechanism, module: Module, lanes: int, groups: int) -> tuple[Signature, int]:
    """`sensitivity` of a small mechanism: the formula of forward dynamics, differentiated."""
    with tracing():
        s = m.symbolic_state()
        slopes = [*s.rates, *recursive.articulated(recursive.Tree(s), [0.0] * m.n_u)]
        outputs = [Output(x, "to", i) for i, x in enumerate(along_direction(m, slopes))]
        code = module.block(sensitivity_block("sensitivity_equations", m, outputs), lanes)

    def body(f: FunctionBuilder, X: Any, dX: Any, dP: Any) -> None:
        f.call(code, f.t, f.q, f.u, f.P, f.dy, f.dy, X, X + m.n_q, dP, dX, dX, dX)

    return each_direction(module, "sensitivity", lanes, groups, m, body), 0


def emit_by_sweeps(m: Mechanism, module: Module, lanes: int, groups: int) -> tuple[Signature, int]:
    """`sensitivity` of a large one: the recursion over the bodies, differentiated step by step."""
    parts = [SweepKernel(m, algorithm, lasting=True) for algorithm in (rates.ALGORITHM, articulated.ALGORITHM)]
    runs = [part.emit(module, lanes, f"sensitivity_{part.algorithm.name}") for part in parts]
    tangents = [emit_tangents(part, module, lanes, f"d_{part.algorithm.name}") for part in parts]
    work = max(part.places["end"] for part in parts)
    n_q, n_u, n_p = m.n_q, m.n_u, len(m.parameters)
    sizes = {"t": 1, "q": n_q, "u": n_u, "x": n_u, "P": n_p, "dx": n_u, "y": n_q + n_u, "work": work, "dwork": work}
    with module.function("sensitivity", lanes=lanes, **DIRECTIONS) as f:
        memory = LaneMemory(f, f.scratch, sizes)
        memory.fill("t", "q", "u", "x", "P")
        with f.loop(n_u) as i:
            memory["dx"][i] = 0.0
        state = memory.arguments(("t", "q", "u", "x", "P"))
        for run, tangent, start in zip(runs, tangents, (0, n_q)):
            f.call(run, *state, memory["y"], memory["work"])
            with f.loop(groups) as g:
                X, dX = ((p + g * ((n_q + n_u + m.n_z) * lanes)).lanes for p in (f.X, f.dX))
                dP = (f.along + g * (n_p * lanes)).lanes
                f.call(
                    tangent, *state, memory["y"], memory["work"],
                    X, X + n_q, memory["dx"], dP, dX + start, memory["dwork"],
                )  # fmt: skip
    return f.signature, memory.end * lanes


def emit_unit_length(m: Mechanism, module: Module, lanes: int, groups: int) -> Signature | None:
    """`project_sensitivity`: without constraints only Euler parameters obey something among themselves."""
    code = emit_normalised(module, m, lanes)
    if code is None:
        return None

    def body(f: FunctionBuilder, X: Any, dX: Any, dP: Any) -> None:
        f.call(code, f.t, f.q, f.u, f.P, f.dy, f.dy, X, X + m.n_q, dP, dX, dX, dX)

    return each_direction(module, "project_sensitivity", lanes, groups, m, body)
