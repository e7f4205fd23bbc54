"""Sensitivities under loops and constraints: how (q̇, u̇) changes along directions, and directions kept on the rows.

A δu̇ + Bᵀδλ = δf − δA u̇ − δBᵀλ and B δu̇ = δγ − δB u̇, with the factors that gave u̇ and λ. A consistent motion has δg = 0 and
δ(B u − b) = 0; what integration leaves of them is taken away by the least change in the metric of A, as it is from the state.
"""

from __future__ import annotations

from typing import Any

from dalembert.kernels.rhs.projection import SPEED_DAMPING
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.rhs.row_solver import RowSolver
from dalembert.kernels.rhs.sensitivity_equations import (
    ARGUMENTS,
    DIRECTIONS,
    along_direction,
    each_direction,
    emit_normalised,
    sensitivity_block,
)
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.state import State
from dalembert.recursive.algorithms import Tree, newton_euler
from dalembert.trace import symbols, tracing
from dalembert.trace.native import Block, FunctionBuilder, Module, Output, Signature

_FACTORS = ("A", "B", "S")


def emit_sensitivity(rhs: RangeSpaceRightHandSide, module: Module, lanes: int, groups: int) -> tuple[Signature, int]:
    """`sensitivity`, and the doubles of scratch memory it needs."""
    m, k, at = rhs.m, rhs.n_rows, rhs.places
    code = module.block(_sensitivity(rhs), lanes)
    solver = RowSolver(m, rhs.pattern, module)

    def body(f: FunctionBuilder, X: Any, dX: Any, dP: Any) -> None:
        G, part = f.scratch.lanes, _parts(rhs, f)
        force = dX + m.n_q
        f.call(code, f.t, f.q, f.u, f.P, f.dy + m.n_q, f.work + at["r"], X, X + m.n_q, dP, dX, force, G)
        solver.tree.solve(f, part["A"], force, 1)
        with f.loop(k) as i:
            part["r"][i] = solver.row_times(f, part["B"], i, force) - G[i]
        solver.correct(f, part)
        with f.loop(m.n_u) as i:
            force[i] = force[i] - part["d"][i]

    return each_direction(module, "sensitivity", lanes, groups, m, body), (2 * k + m.n_u + m.n_q) * lanes


def emit_projection(rhs: RangeSpaceRightHandSide, module: Module, lanes: int, groups: int) -> Signature:
    """`project_sensitivity`: displacements, then speeds, by the least change in the metric of A."""
    m = rhs.m
    pose = module.block(rhs.blocks["pose"], 1, "sensitivity_pose")
    gap, slip, moving = (module.block(b, lanes) for b in (*_opened(rhs), _moving(rhs)))
    normalised = emit_normalised(module, m, lanes)
    solver = RowSolver(m, rhs.pattern, module, masked=rhs.n_masked)
    with module.function("sensitivity_factors", **DIRECTIONS) as h:
        h.call(pose, h.t, h.q, h.u, h.x, h.P, h.dy, h.work)
        part = {name: h.work + start for name, start in rhs.places.items()} | rhs.active_mask(h)
        solver.factorise_damped(h, part, h.P + len(m.parameters), SPEED_DAMPING)
    factors = h.signature

    def body(f: FunctionBuilder, X: Any, dX: Any, dP: Any) -> None:
        part = _parts(rhs, f)
        r, d, step = part["r"], part["d"], part["d"] + m.n_u
        state = (f.t, f.q, f.u, f.P, f.dy, f.dy)
        f.call(gap, *state, X, X + m.n_q, dP, r, r, r)
        solver.correct(f, part)
        f.call(moving, *state, X, d, dP, step, step, step)
        with f.loop(m.n_q) as i:
            X[i] = X[i] - step[i]
        if normalised is not None:
            f.call(normalised, *state, X, X + m.n_q, dP, step, step, step)
        f.call(slip, *state, X, X + m.n_q, dP, r, r, r)
        solver.correct(f, part)
        with f.loop(m.n_u) as i:
            X[i + m.n_q] = X[i + m.n_q] - d[i]

    each = each_direction(module, "project_each", lanes, groups, m, body)
    with module.function("project_sensitivity", lanes=lanes, **DIRECTIONS) as f:
        arguments = [getattr(f, name) for name in ARGUMENTS]
        f.call(factors, *arguments)
        f.call(each, *arguments)
    return f.signature


def _parts(rhs: RangeSpaceRightHandSide, f: FunctionBuilder) -> dict[str, Any]:
    """The state's factors, with errors and corrections of W directions."""
    k = rhs.n_rows
    part = {name: f.work + rhs.places[name] for name in _FACTORS}
    return part | {"r": f.scratch.lanes + k, "d": f.scratch.lanes + 2 * k}


# -- straight-line code -----------------------------------------------------------------------------------------------
def _sensitivity(rhs: RangeSpaceRightHandSide) -> Block:
    """`to`: δq̇; `over`: δ(f − A u̇ − Bᵀλ); `under`: δ(γ − B u̇), both with u̇ and λ frozen."""
    m, kept = rhs.m, list(rhs.pattern.rows)
    with tracing():
        s = m.symbolic_state()
        udot, lam = symbols("#udot.", range(m.n_u)), symbols("#lam.", range(len(kept)))
        rows = constraint_rows(s)
        B = rows.B[kept]
        left = -newton_euler(Tree(s), udot) - B.T @ lam
        values = {"to": s.rates, "over": left, "under": rows.gamma[kept] - B @ udot}
        more = {x: ("rates", i) for i, x in enumerate(udot)} | {x: ("lam", i) for i, x in enumerate(lam)}
        outputs = [Output(x, name, i) for name, part in values.items() for i, x in enumerate(along_direction(m, part))]
        return sensitivity_block("sensitivity_equations", m, outputs, more)


def _opened(rhs: RangeSpaceRightHandSide) -> tuple[Block, Block]:
    """δg, 0 where there is none; and δ(B u − b)."""
    m, kept = rhs.m, list(rhs.pattern.rows)

    def along(name: str, values: list[Any]) -> Block:
        outputs = [Output(x, "to", i) for i, x in enumerate(along_direction(m, values))]
        return sensitivity_block(name, m, outputs, rhs.further_symbols())

    with tracing():
        s = m.symbolic_state()
        rows = rhs.tangent_rows(s)
        gap = [rows.g[k] for k in kept]
        slip = [rows.B[k] @ s.speeds - rows.b[k] for k in kept]
        return along("sensitivity_gap", gap), along("sensitivity_slip", slip)


def _moving(rhs: RangeSpaceRightHandSide) -> Block:
    """`to`: the displacement δq = N(q) δθ, δθ being where a direction's δu is."""
    m = rhs.m
    with tracing():
        s = m.symbolic_state()
        theta = symbols("#d u_", m.speeds)
        moved, still = (State(m, s.t, s.coordinates, u).rates for u in (theta, [0.0] * m.n_u))
        return sensitivity_block("sensitivity_moving", m, [Output(x, "to", i) for i, x in enumerate(moved - still)])
