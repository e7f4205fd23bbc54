"""Derivatives of the slope (q̇, u̇, ż) times vectors, under loops and constraints or without; a state in every lane.

With A u̇ + Bᵀλ = f + τ and B u̇ = γ, a change obeys A δu̇ + Bᵀδλ = δ(f − A u̇ − Bᵀλ) + δτ and B δu̇ = δ(γ − B u̇), u̇ and λ frozen on the
right. Backward, A v + Bᵀν = w and B v = 0 turn weights w on u̇ into v on the first and ν on the second: the gradient of
v·(f − A u̇ − Bᵀλ) + ν·(γ − B u̇) is that of w·u̇, in one sweep whatever there is to differentiate by. The factors are those that gave u̇.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.kernels.products.lane_blocks import LaneBlock
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.rhs.row_solver import RowSolver
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.state import State
from dalembert.recursive.algorithms import Tree, newton_euler
from dalembert.trace import tracing
from dalembert.trace.native import Block, FunctionBuilder, Module, Output, Pointer, Signature

_ADJOINT: dict[str, Any] = dict.fromkeys(
    ("t", "q", "u", "P", "dy", "work", "w", "gt", "gy", "gx", "gP", "scratch"), Pointer
)
_TANGENT: dict[str, Any] = dict.fromkeys(
    ("t", "q", "u", "P", "dy", "work", "dt", "X", "dx", "dP", "out", "scratch"), Pointer
)


class SlopeProducts:
    """Code of the products for one right-hand side; both come after its slope, whose working memory they read."""

    def __init__(self, rhs: RangeSpaceRightHandSide, module: Module, lanes: int):
        self.rhs, self.m, self.module, self.lanes = rhs, rhs.m, module, lanes
        self.solver = RowSolver(self.m, rhs.pattern, module)
        self.scratch = 2 * rhs.n_rows + 3 * self.m.n_u + self.m.n_q + self.m.n_z
        """Elements of scratch memory that both need."""

    @cached_property
    def adjoint(self) -> Signature:
        """`slope_adjoint(t, q, u, P, dy, work, w, gt, gy, gx, gP, scratch)`: to g is added the gradient of w·(q̇, u̇, ż).

        gy has a place for every of (q, u, z), gx for every generalized force. States of elements are read from P, yet counted in gy.
        """
        m, k, n, at = self.m, self.rhs.n_rows, self.m.n_u, self.rhs.places
        code = self.module.block(_weighed(self.rhs), self.lanes)
        with self.module.function("slope_adjoint", lanes=self.lanes, **_ADJOINT) as f:
            v, w = f.scratch, f.w + m.n_q
            part = self._part(f, f.scratch + n)
            for i in f.each(n):
                v[i] = w[i]
            self.solver.tree.solve(f, part["A"], v, 1)
            with f.loop(k) as i:
                part["r"][i] = self.solver.row_times(f, part["B"], i, v)
            self.solver.correct(f, part)
            for i in f.each(n):
                v[i] = v[i] - part["d"][i]
                f.gx[i] = f.gx[i] + v[i]
            rates, lam = f.dy + m.n_q, f.work + at["r"]
            f.call(code, f.t, f.q, f.u, f.P, rates, lam, v, part["r"], f.w, f.gt, f.gy, f.gy + m.n_q, f.gP)
            for z in range(m.n_z):
                place = m.n_q + n + z
                f.gy[place] = f.gy[place] + f.gP[m.states_at + z]
                f.gP[m.states_at + z] = 0.0
        return f.signature

    @cached_property
    def tangent(self) -> Signature:
        """`slope_tangent(t, q, u, P, dy, work, dt, X, dx, dP, out, scratch)`: out = δ(q̇, u̇, ż) along δt, X = δ(q, u, z), δτ and δp.

        δz is put into δp, where states of elements are read.
        """
        m, k, n, at = self.m, self.rhs.n_rows, self.m.n_u, self.rhs.places
        code = self.module.block(_changed(self.rhs), self.lanes)
        with self.module.function("slope_tangent", lanes=self.lanes, **_TANGENT) as f:
            G, part = f.scratch, self._part(f, f.scratch + k)
            for z in range(m.n_z):
                f.dP[m.states_at + z] = f.X[m.n_q + n + z]
            force, rates, lam = f.out + m.n_q, f.dy + m.n_q, f.work + at["r"]
            f.call(code, f.t, f.q, f.u, f.P, rates, lam, f.out, G, f.dt, f.X, f.X + m.n_q, f.dP)
            for i in f.each(n):
                force[i] = force[i] + f.dx[i]
            self.solver.tree.solve(f, part["A"], force, 1)
            with f.loop(k) as i:
                part["r"][i] = self.solver.row_times(f, part["B"], i, force) - G[i]
            self.solver.correct(f, part)
            for i in f.each(n):
                force[i] = force[i] - part["d"][i]
        return f.signature

    def _part(self, f: FunctionBuilder, own: Pointer) -> dict[str, Any]:
        """The state's factors, with errors and corrections in memory of our own."""
        part = {name: f.work + self.rhs.places[name] for name in ("A", "B", "S")}
        return part | {"r": own, "d": own + self.rhs.n_rows}


# -- straight-line code -------------------------------------------------------------------------------------------------
def _left(rhs: RangeSpaceRightHandSide, s: State, udot: Any, lam: Any) -> tuple[Any, Any]:
    """f − A u̇ − Bᵀλ and γ − B u̇; what rows carry where a freedom moves no mass changes the multipliers alone."""
    kept = list(rhs.pattern.rows)
    left = -newton_euler(Tree(s), udot)
    if not kept:
        return left, np.zeros(0)
    rows = constraint_rows(s)
    B, gamma = rows.B[kept], rows.gamma[kept]
    return left - B.T @ lam, gamma - B @ udot


def _vectors(rhs: RangeSpaceRightHandSide) -> dict[str, int]:
    return {"udot": rhs.m.n_u, "lam": rhs.n_rows}


def _weighed(rhs: RangeSpaceRightHandSide) -> Block:
    m = rhs.m
    n = m.n_q + m.n_u + m.n_z
    with tracing():
        s = m.symbolic_state()
        made = LaneBlock(m, _vectors(rhs) | {"v": m.n_u, "nu": rhs.n_rows, "w": n})
        udot, lam, v, nu, w = (made.vector(name) for name in made.vectors)
        left, gap = _left(rhs, s, udot, lam)
        weighed = w[: m.n_q] @ s.rates + v @ left
        weighed = weighed + nu @ gap if len(gap) else weighed
        weighed = weighed + w[m.n_q + m.n_u :] @ np.array(m.state_rates(s), dtype=object) if m.n_z else weighed
        return made.block("slope_weighed", made.gradient(weighed))


def _changed(rhs: RangeSpaceRightHandSide) -> Block:
    m = rhs.m
    with tracing():
        s = m.symbolic_state()
        made = LaneBlock(m, _vectors(rhs) | {"out": m.n_q + m.n_u + m.n_z, "gap": rhs.n_rows})
        left, gap = _left(rhs, s, made.vector("udot"), made.vector("lam"))
        changes = made.along([*s.rates, *left, *(m.state_rates(s) if m.n_z else [])])
        outputs = [Output(x, "out", i) for i, x in enumerate(changes)]
        outputs += [Output(x, "gap", i) for i, x in enumerate(made.along(gap))]
        return made.block("slope_changed", outputs)
