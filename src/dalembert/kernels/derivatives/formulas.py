"""Derivatives of forward and inverse dynamics as formulas: closed form where it applies, traced derivatives for the rest.

Columns are, in order: along each speed's direction of q, each speed, each extra input (τ or u̇), each named parameter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.kernels.runtime.straight import NAMES, block, extra_input, known_symbols
from dalembert.kernels.tree.tree_solver import SparseSolver
from dalembert.kinematics.loads import generalized, loads
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.recursive import algorithms as recursive
from dalembert.recursive.inverse_dynamics_derivatives import (
    inverse_dynamics_derivatives,
    motion_columns_are_constant,
    world_inverse_dynamics,
)
from dalembert.trace import jacobian, substitute, symbol, symbols, tracing
from dalembert.trace.graph import known_before
from dalembert.trace.native import Block, Module, Output, Pointer, Signature, UniformPointer


def of_inverse_dynamics(s: State, udot: Any) -> np.ndarray:
    """n_u × (3 n_u + n_p): ∂τ/∂(q, u, u̇, parameters)."""
    tree = recursive.Tree(s)
    parameters = [symbol(name) for name in s.mechanism.parameters]
    if motion_columns_are_constant(tree):
        d = inverse_dynamics_derivatives(tree, udot)
        applied = _applied(s)
        dq, du, A = d.q - along_speeds(s, applied), d.u - jacobian(applied, list(s.speeds)), d.A
    else:
        tau = recursive.newton_euler(tree, udot)
        dq, du, A = along_speeds(s, tau), jacobian(tau, list(s.speeds)), recursive.composite(tree)
    dp = jacobian(recursive.newton_euler(tree, udot), parameters) if parameters else np.zeros((len(udot), 0))
    return np.hstack([dq, du, A, dp])


def _bias(s: State) -> np.ndarray:
    """Inverse dynamics at u̇ = 0, from quantities that the derivatives need anyway where they are in closed form."""
    tree, still = recursive.Tree(s), np.zeros(s.mechanism.n_u)
    if motion_columns_are_constant(tree):
        return world_inverse_dynamics(tree, still) - _applied(s)
    return recursive.newton_euler(tree, still)


def _applied(s: State) -> np.ndarray:
    """Generalized forces of the mechanism's own forces, without gravity."""
    return generalized(s, loads(s, gravity=False))


def emit_forward_derivatives(m: Mechanism, module: Module, lanes: int) -> tuple[Signature, int]:
    """∂u̇/∂(q, u, τ, parameters) = −A⁻¹ ∂τ/∂(…) at the accelerations that τ gives; n_u × (3 n_u + n_p).

    Two straight-line stages, each followed by solving with A in loops. On one state (`lanes` = 1) the lanes run over the columns.
    Returns also the doubles (per lane, for `lanes` > 1) of working memory.
    """
    n, n_c = m.n_u, 3 * m.n_u + len(m.parameters)
    width = module.target.lanes if lanes == 1 else 1
    n_padded = -(-n_c // width) * width
    places = {"rhs": 0, "A": n, "X": n + n * n}
    kept_at = places["X"] + n * n_padded
    with tracing():
        first, second, n_kept = _stages(m, places, n_padded, kept_at)
    stages = [module.block(stage, lanes) for stage in (first, second)]
    kind = UniformPointer if lanes == 1 else Pointer
    parameters: dict[str, Any] = dict.fromkeys(NAMES, kind)
    solver = SparseSolver(module, m)
    with module.function("run", lanes=max(lanes, width), **parameters) as f:
        arguments = [getattr(f, name) for name in NAMES]
        rhs, A, X = (f.work + places[name] for name in ("rhs", "A", "X"))
        f.call(stages[0], *arguments)
        solver.factorise(f, A)
        solver.solve(f, A, rhs, 1)
        f.call(stages[1], *arguments)
        solver.solve(f, A, X.lanes if lanes == 1 else X, n_padded // width)
        with f.loop(n) as i, f.loop(n_c) as j:
            f.y[i * n_c + j] = X[i * n_padded + j]
    return f.signature, kept_at + n_kept + 8


def _stages(m: Mechanism, places: dict[str, int], n_padded: int, kept_at: int) -> tuple[Block, Block, int]:
    """A and the forces left for u̇; then, with u̇ known, the right-hand sides of all columns."""
    n, s, tau, udot = m.n_u, m.symbolic_state(), extra_input(m.speeds), symbols("#udot.", m.speeds)
    d = of_inverse_dynamics(s, udot)
    A = d[:, 2 * n : 3 * n]
    columns = np.hstack([-d[:, : 2 * n], np.eye(n), -d[:, 3 * n :]])
    early = known_before(columns, udot)
    kept = {e: symbol(f"#kept.{i}") for i, e in enumerate(early)}
    known = known_symbols(m) | {x: ("x", i) for i, x in enumerate(tau)}
    outputs = [Output(x, "work", places["rhs"] + i) for i, x in enumerate(tau - _bias(s))]
    outputs += [Output(x, "work", places["A"] + i) for i, x in enumerate(A.ravel())]
    outputs += [Output(e, "work", kept_at + i) for i, e in enumerate(early)]
    first = block("stage1", known, outputs, apart=True)
    late = known | {x: ("work", kept_at + i) for i, x in enumerate(kept.values())}
    late |= {x: ("work", places["rhs"] + i) for i, x in enumerate(udot)}
    later = substitute(columns, kept)
    filled = [
        Output(later[i, j], "work", places["X"] + i * n_padded + j) for i in range(n) for j in range(later.shape[1])
    ]
    return first, block("stage2", late, filled, apart=True), len(early)


def along_speeds(s: State, values: Any) -> np.ndarray:
    """∂/∂q N(q): along the displacement that each speed makes."""
    return jacobian(values, list(s.coordinates)) @ jacobian(s.rates, list(s.speeds))
