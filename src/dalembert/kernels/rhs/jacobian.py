"""How accelerations change with the state, under loops and constraints or without: the matrix of an implicit method.

With u̇ and λ frozen, let R₁ = τ(q, u, u̇) + Bᵀλ be what Newton and Euler's recursion leaves over, and R₂ = B u̇ − γ. Along a direction
(s, δu), s being the displacement that speeds s make, A δu̇ + Bᵀδλ = −δR₁ and B δu̇ = −δR₂. The factors of A and of
B A⁻¹Bᵀ are at hand from computing u̇ itself. Directions run through the lanes of one piece of code, which is a few times as long as the
equations are: no Jacobian is written out, and compiling it takes about as long as compiling them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.rhs.right_hand_side import JacobianCode
from dalembert.kernels.rhs.row_solver import RowSolver
from dalembert.kernels.runtime.directions_in_lanes import LaneMemory, UnitDirections
from dalembert.kernels.runtime.straight import NAMES, ONE_STATE, block, extra_input, known_symbols
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.recursive.algorithms import Tree, newton_euler
from dalembert.trace import directional, jacobian, tracing
from dalembert.trace.native import Block, Module, Output, Signature


def emit_jacobian(rhs: RangeSpaceRightHandSide, module: Module) -> JacobianCode:
    """∂u̇ along the displacement of each speed, each speed and each state; a right-hand side without rows is that of a tree."""
    m, n, k, lanes = rhs.m, rhs.m.n_u, rhs.n_rows, module.target.lanes
    width = 2 * n + m.n_z
    run, end = rhs.emit(module, 1, name="jacobian_primal")
    code = module.block(_along_direction(rhs), lanes)
    solver = RowSolver(m, rhs.pattern, module)
    slopes = end  # (q̇, u̇) of the state itself
    first_lane = -(-(end + m.n_q + n) // lanes)
    sizes = {"t": 1, "q": m.n_q, "u": n, "x": n + k + width, "P": len(m.parameters), "y": n + k, "r": k, "d": n}
    with module.function("jacobian_directions", lanes=lanes, public=False, **ONE_STATE) as f:
        f.call(run, f.t, f.q, f.u, f.x, f.P, f.work + slopes, f.work)
        part: dict[str, Any] = {name: f.work + start for name, start in rhs.places.items()}
        lam, udot = part["r"], f.work + (slopes + m.n_q)
        memory = LaneMemory(f, f.work, sizes, first_lane)
        memory.fill("t", "q", "u", "P")
        x, y = memory["x"], memory["y"]
        directions = UnitDirections(f, x + (n + k), width, lanes)
        with f.loop(n) as i:
            x[i] = udot[i]
        with f.loop(k) as i:
            x[n + i] = lam[i]
        part |= {"r": memory["r"], "d": memory["d"]}
        with directions.along(range(width)) as columns:
            f.call(code, *memory.arguments(NAMES, f.work.lanes))
            with f.loop(n) as i:
                y[i] = -y[i]
            solver.tree.solve(f, part["A"], y, 1)
            with f.loop(k) as i:
                part["r"][i] = solver.row_times(f, part["B"], i, y) + y[n + i]
            solver.correct(f, part)
            columns.put(f.y, width, n, lambda i: y[i] - part["d"][i])
    return JacobianCode(f.signature, memory.end * lanes, width, 2 * n)


def _along_direction(rhs: RangeSpaceRightHandSide) -> Block:
    """(δR₁, δR₂) in y; x holds u̇, λ, s, δu and δz."""
    m, n, k = rhs.m, rhs.m.n_u, rhs.n_rows
    kept = list(rhs.pattern.rows)
    with tracing():
        state = m.symbolic_state()
        x = extra_input(range(3 * n + k + m.n_z))
        udot, lam, s, du, dz = np.split(x, [n, n + k, 2 * n + k, 3 * n + k])
        rows = constraint_rows(state)
        B = rows.B[kept]
        gap = B @ udot - rows.gamma[kept] if k else np.zeros(0)
        if k and rhs.gains is not None:
            alpha, beta = rhs.gains
            gap = gap + alpha * (B @ state.speeds - rows.b[kept]) + beta * rows.g[kept]
        left = newton_euler(Tree(state), udot)
        left = left + B.T @ lam if k else left
        left = left + _carried(rhs, state, udot)
        moved = jacobian(state.rates, list(state.speeds)) @ s
        along = dict(zip(state.coordinates, moved)) | dict(zip(state.speeds, du))
        along |= dict(zip(m.state_symbols, dz))
        differentiated = directional(np.concatenate([left, gap]), along)
        known = known_symbols(m) | {e: ("x", i) for i, e in enumerate(x)}
        return block("jacobian_equations", known, [Output(value, "y", i) for i, value in enumerate(differentiated)])


def emit_state_jacobian(m: Mechanism, module: Module) -> Signature | None:
    """`state_jacobian(t, q, u, x, P, H, work)`: ∂ż along the displacement of each speed, each speed and each state; None without
    states."""
    if not m.n_z:
        return None
    with tracing():
        s = m.symbolic_state()
        rates = np.array(m.state_rates(s), dtype=object)
        moved = jacobian(rates, list(s.coordinates)) @ jacobian(s.rates, list(s.speeds))
        H = np.hstack([moved, jacobian(rates, list(s.speeds)), jacobian(rates, m.state_symbols)])
        outputs = [Output(x, "y", i) for i, x in enumerate(H.ravel())]
        return module.block(block("state_jacobian", known_symbols(m), outputs), 1)


def _carried(rhs: RangeSpaceRightHandSide, s: State, udot: np.ndarray) -> np.ndarray:
    """BᵀW(B u̇ − γ): nothing in any motion, but it changes along a direction, and A was factorised with it."""
    W = rhs.m.row_inertias
    if W is None:
        return np.zeros(len(udot))
    rows = constraint_rows(s)
    return np.asarray(rows.B.T @ (W * (rows.B @ udot - rhs.stabilised(s, rows))))
