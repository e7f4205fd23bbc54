"""Derivatives of a projection times vectors, a state in every lane.

The projection takes (q̃, ũ) to (q, u): q = q̃ + N d with A d + Bᵀμ = 0 and g(q) = 0, then u = ũ + e with A e + Bᵀη = 0 and
B(q) u = b(q); N, A and B elsewhere are those of q̃, and joints' own conditions are restored before and after. d, μ, e and η are found
again by the first Newton step. What is neglected is of second order in them, and they are as small as the error of a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.kernels.products.joint_conditions import JointConditions
from dalembert.kernels.products.lane_blocks import LaneBlock
from dalembert.kernels.rhs.projection import SPEED_DAMPING
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.rhs.row_solver import RowSolver
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.state import State
from dalembert.recursive.algorithms import Tree, composite
from dalembert.trace import gradient, tracing
from dalembert.trace.native import Block, FunctionBuilder, Module, Output, Pointer, Signature

_ADJOINT: dict[str, Any] = dict.fromkeys(("t", "rough", "y", "P", "work", "w", "gt", "gP", "scratch"), Pointer)
_TANGENT: dict[str, Any] = dict.fromkeys(("t", "rough", "y", "P", "work", "dt", "X", "dP", "scratch"), Pointer)
_CHANGES = ("d", "mu", "e", "eta")
"""The displacement and its multipliers, the change of speeds and its multipliers."""


class ProjectionProducts:
    """Code of the products; `rough` is (q̃, ũ), before the projection, y what came of it. Behind P lie the rows' scales."""

    def __init__(self, rhs: RangeSpaceRightHandSide, module: Module, lanes: int):
        self.m, self.rows, self.module, self.lanes = rhs.m, rhs.closing, module, lanes
        self.solver = RowSolver(self.m, self.rows.pattern, module, rhs.places_of_norms())
        self.conditions = JointConditions(self.m, module, lanes)
        n, k, n_q = self.m.n_u, self.rows.n_rows, self.m.n_q
        sizes = {"near": n_q, "moved": n_q, "r": k, "solved": n, "d": n, "mu": k, "e": n, "eta": k}
        sizes |= {"x": n, "x_u": n, "zeta": k, "gap": k, "zeta_u": k}
        self.places = dict(zip(sizes, np.cumsum([0, *list(sizes.values())[:-1]]).tolist()))
        self.scratch = sum(sizes.values())
        """Elements of scratch memory that both products need."""
        self.work = self.rows.places["end"]
        """Elements of working memory."""
        self._blocks: dict[str, Signature] = {}

    # -- what both need -------------------------------------------------------------------------------------------------
    def _begin(self, f: FunctionBuilder) -> dict[str, Any]:
        """Parts of memory, filled: q̃ with its joints' conditions, the factors there, d and μ, e and η."""
        m = self.m
        part = {name: f.work + self.rows.places[name] for name in ("A", "B", "Y", "S", "g", "slip")}
        part |= {name: f.scratch + at for name, at in self.places.items()}
        near, rough_u = part["near"], f.rough + m.n_q
        for i in f.each(m.n_q):
            near[i] = f.rough[i]
        self.conditions.restore(f, near)
        if self.rows.n_rows:
            f.call(self._of_rows("pose"), f.t, near, rough_u, rough_u, f.P, part["moved"], f.work)
            self.solver.factorise_damped(f, self._solved(part), f.P + len(m.parameters), SPEED_DAMPING)
            self._close(f, part, part["g"], part["mu"], part["d"])
            f.call(self._of_rows("errors"), f.t, f.y, rough_u, rough_u, f.P, part["moved"], f.work)
            self._close(f, part, part["slip"], part["eta"], part["e"])
        return part

    def _solved(self, part: dict[str, Any]) -> dict[str, Any]:
        """Parts as the solver knows them."""
        return part | {"d": part["solved"]}

    def _close(
        self, f: FunctionBuilder, part: dict[str, Any], errors: Pointer, multipliers: Pointer, change: Pointer
    ) -> None:
        """S⁻¹ errors, and the change −A⁻¹BᵀS⁻¹ errors that makes up for them."""
        for i in f.each(self.rows.n_rows):
            part["r"][i] = errors[i]
        self.solver.correct(f, self._solved(part))
        for i in f.each(self.rows.n_rows):
            multipliers[i] = part["r"][i]
        for i in f.each(self.m.n_u):
            change[i] = -part["solved"][i]

    def _constrained(self, f: FunctionBuilder, part: dict[str, Any], x: Pointer, errors: Pointer | None) -> None:
        """A x′ + Bᵀr = x and B x′ = −errors, or 0: x becomes x′."""
        self.solver.tree.solve(f, part["A"], x, 1)
        with f.loop(self.rows.n_rows) as i:
            left = self.solver.row_times(f, part["B"], i, x)
            part["r"][i] = left if errors is None else left + errors[i]
        self.solver.correct(f, self._solved(part))
        for i in f.each(self.m.n_u):
            x[i] = x[i] - part["solved"][i]

    def _of_rows(self, name: str) -> Signature:
        """Code of the right-hand side, once in the module."""
        if name not in self._blocks:
            self._blocks[name] = self.module.block(self.rows.blocks[name], self.lanes, f"products_{name}")
        return self._blocks[name]

    # -- backward -------------------------------------------------------------------------------------------------------
    @cached_property
    def adjoint(self) -> Signature:
        """`projection_adjoint(t, rough, y, P, work, w, gt, gP, scratch)`: w on (q, u) becomes w on (q̃, ũ)."""
        m, k = self.m, self.rows.n_rows
        codes = [self.module.block(b, self.lanes) for b in self._backward()] if k else []
        with self.module.function("projection_adjoint", lanes=self.lanes, **_ADJOINT) as f:
            part, w_u = self._begin(f), f.w + m.n_q
            if k:
                slip, spread, gap, start = codes
                self._weigh(f, part, w_u, part["x_u"], part["zeta_u"])
                f.call(slip, f.t, f.y, f.y + m.n_q, f.P, part["zeta_u"], f.gt, f.w, w_u, f.gP)
            self.conditions.weigh(f, f.y, f.w)
            if k:
                f.call(spread, f.t, part["near"], w_u, f.P, f.w, part["x"], f.gt, f.w, w_u, f.gP)
                self._weigh(f, part, part["x"], part["x"], part["zeta"])
                f.call(gap, f.t, f.y, w_u, f.P, part["zeta"], f.gt, f.w, w_u, f.gP)
                changes = [part[name] for name in (*_CHANGES, "x", "x_u", "zeta")]
                f.call(start, f.t, part["near"], w_u, f.P, f.w, *changes, f.gt, f.w, w_u, f.gP)
            self.conditions.weigh(f, f.rough, f.w)
        return f.signature

    def _weigh(self, f: FunctionBuilder, part: dict[str, Any], w: Pointer, x: Pointer, zeta: Pointer) -> None:
        """A x + Bᵀζ = −w, B x = 0."""
        for i in f.each(self.m.n_u):
            x[i] = -w[i]
        self._constrained(f, part, x, None)
        for i in f.each(self.rows.n_rows):
            zeta[i] = part["r"][i]

    def _backward(self) -> list[Block]:
        """What is weighed at the end, slip and gap, and at the start; and Nᵀw."""
        m, k, n = self.m, self.rows.n_rows, self.m.n_u
        with tracing():
            s = m.symbolic_state()
            rows = self._rows(s)
            at_slip, at_gap = (LaneBlock(m, {"zeta": k}) for _ in range(2))
            slip = at_slip.gradient(at_slip.vector("zeta") @ (rows["B"] @ s.speeds - rows["b"]))
            gap = at_gap.gradient(at_gap.vector("zeta") @ rows["g"])
            spread = LaneBlock(m, {"w": m.n_q, "x": n})
            weighed = spread.vector("w") @ np.array(s.rates, dtype=object)
            spreads = [Output(x, "x", i) for i, x in enumerate(gradient(weighed, list(s.speeds)))]
            sizes = {"w": m.n_q, "d": n, "mu": k, "e": n, "eta": k, "x": n, "x_u": n, "zeta": k}
            start = LaneBlock(m, sizes)
            w, d, mu, e, eta, x, x_u, zeta = (start.vector(name) for name in sizes)
            A, B = composite(Tree(s)), rows["B"]
            total = w @ self._moved(s, d) + x @ A @ d + mu @ (B @ x) + x_u @ A @ e + eta @ (B @ x_u)
            total = total + (zeta * ~rows["holonomic"]) @ (B @ d)
            return [
                at_slip.block("slip_weighed", slip),
                spread.block("weights_spread", spreads),
                at_gap.block("gap_weighed", gap),
                start.block("start_weighed", start.gradient(total)),
            ]

    # -- forward --------------------------------------------------------------------------------------------------------
    @cached_property
    def tangent(self) -> Signature:
        """`projection_tangent(t, rough, y, P, work, dt, X, dP, scratch)`: X = δ(q̃, ũ) becomes δ(q, u)."""
        m, k = self.m, self.rows.n_rows
        codes = [self.module.block(b, self.lanes) for b in self._forward()] if k else []
        with self.module.function("projection_tangent", lanes=self.lanes, **_TANGENT) as f:
            part, du = self._begin(f), f.X + m.n_q
            self.conditions.move(f, f.rough, f.X)
            if k:
                start, gap, moving, slip = codes
                changes = [part[name] for name in (*_CHANGES, "x", "x_u", "gap", "moved")]
                f.call(start, f.t, part["near"], du, f.P, *changes, f.dt, f.X, du, f.dP)
                self._add(f, f.X, part["moved"])
                f.call(gap, f.t, f.y, du, f.P, part["gap"], f.dt, f.X, du, f.dP)
                self._constrained(f, part, part["x"], part["gap"])
                f.call(moving, f.t, part["near"], du, f.P, part["x"], part["moved"], f.dt, f.X, du, f.dP)
                self._add(f, f.X, part["moved"])
            self.conditions.move(f, f.y, f.X)
            if k:
                f.call(slip, f.t, f.y, f.y + m.n_q, f.P, part["gap"], f.dt, f.X, du, f.dP)
                self._constrained(f, part, part["x_u"], part["gap"])
                for i in f.each(m.n_u):
                    du[i] = du[i] + part["x_u"][i]
        return f.signature

    def _add(self, f: FunctionBuilder, to: Pointer, change: Pointer) -> None:
        for i in f.each(self.m.n_q):
            to[i] = to[i] + change[i]

    def _forward(self) -> list[Block]:
        """Changes at the start, of the gap, of a displacement, of the slip."""
        m, k, n = self.m, self.rows.n_rows, self.m.n_u
        with tracing():
            s = m.symbolic_state()
            rows = self._rows(s)
            sizes = {"d": n, "mu": k, "e": n, "eta": k, "x": n, "x_u": n, "gap": k, "moved": m.n_q}
            start = LaneBlock(m, sizes)
            d, mu, e, eta = (start.vector(name) for name in _CHANGES)
            A, B = composite(Tree(s)), rows["B"]
            outputs = [Output(v, "x", i) for i, v in enumerate(start.along(-(A @ d) - B.T @ mu))]
            outputs += [Output(v, "x_u", i) for i, v in enumerate(start.along(-(A @ e) - B.T @ eta))]
            outputs += [Output(v, "gap", i) for i, v in enumerate(start.along((B @ d) * ~rows["holonomic"]))]
            outputs += [Output(v, "moved", i) for i, v in enumerate(start.along(self._moved(s, d)))]
            gap, slip = LaneBlock(m, {"gap": k}), LaneBlock(m, {"gap": k})
            opened = [Output(v, "gap", i, add=True) for i, v in enumerate(gap.along(rows["g"]))]
            slipped = slip.along(rows["B"] @ s.speeds - rows["b"])
            moving = LaneBlock(m, {"x": n, "moved": m.n_q})
            moved = self._moved(s, moving.vector("x"))
            return [
                start.block("start_changed", outputs),
                gap.block("gap_changed", opened),
                moving.block("displacement", [Output(v, "moved", i) for i, v in enumerate(moved)]),
                slip.block("slip_changed", [Output(v, "gap", i) for i, v in enumerate(slipped)]),
            ]

    # -- mechanics ------------------------------------------------------------------------------------------------------
    def _rows(self, s: State) -> dict[str, Any]:
        """Rows in the order in which they are solved."""
        every, kept = constraint_rows(s), list(self.rows.pattern.rows)
        found = {name: np.asarray(getattr(every, name))[kept] for name in ("g", "B", "b")}
        return found | {"holonomic": np.asarray(self.m.rows.holonomic, dtype=bool)[kept]}

    def _moved(self, s: State, d: Sequence[Any] | np.ndarray) -> np.ndarray:
        """N(q) d."""
        there, still = (State(self.m, s.t, s.coordinates, u).rates for u in (d, np.zeros(self.m.n_u)))
        return np.array(there, dtype=object) - np.array(still, dtype=object)
