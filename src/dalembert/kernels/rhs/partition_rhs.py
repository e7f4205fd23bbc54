"""Coordinate partitioning in time [A 48–56; C 57]: only independent coordinates and speeds are integrated, 2(n − m)
of the 2n, m being the number of independent rows.

At every evaluation the dependent coordinates follow from the independent ones by Newton's method, begun from the value the
integrator foretells, and the dependent speeds linearly: from as many rows as there are of them, for with more rows the independent
ones, which are the integrator's alone, would have to give way. Which are dependent is chosen by pivoting; it is chosen anew, after a
step, where the choice is far worse than the best at that pose. The choice lies behind the rows' scales: 1 for every dependent speed,
then the time at which it was last examined.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.formulations import Formulation
from dalembert.kernels.rhs.formulation_rhs import FormulationRightHandSide
from dalembert.kernels.rhs.projection import MOST_CORRECTIONS, ROUNDING
from dalembert.kernels.rhs.right_hand_side import RowsToKeep
from dalembert.kernels.runtime.admissible import emit_admissible
from dalembert.kernels.runtime.straight import KERNEL, NAMES
from dalembert.mechanism import Mechanism
from dalembert.trace.native import FunctionBuilder, Int, Lapack, Module, Pointer, ShortPointer, Signature, maximum

WORSE = 0.1
"""Part of the best smallest pivot below which a choice is given up."""


class PartitionRightHandSide(FormulationRightHandSide):
    """Kane's equations, dependent speeds solved for."""

    def __init__(self, m: Mechanism, form: Formulation, constraints: str, keep: RowsToKeep):
        super().__init__(m, form, constraints, replace(keep, others=(), gains=None))

    @property
    def k(self) -> int:
        """How many speeds are dependent: as many as there are rows."""
        return self.rows.n_rows

    @property
    def pivot_at(self) -> int:
        return self.rows.pivot_at

    def row_scales(self, norms: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Those of its rows, and the choice, none made yet."""
        return np.append(super().row_scales(norms, sizes), np.zeros(self.m.n_u + 1))

    def row_scales_fit(self, scales: np.ndarray) -> bool:
        """Whether the choice is one: as many dependent speeds as rows, or none chosen yet."""
        chosen = scales[2 * self.k :][: self.m.n_u]
        return bool(np.isin(chosen, (0.0, 1.0)).all()) and int(chosen.sum()) in (0, self.k)

    def choice(self, f: FunctionBuilder) -> Pointer:
        """1 for every dependent speed, then the time of the last look."""
        behind: Pointer = f.P + (len(self.m.parameters) + 2 * self.k)
        return behind

    def emit_slope(self, module: Module, lanes: int) -> tuple[Signature, int]:
        run, size = self.kernel.emit(module, name="kernel_run")
        watch = self._emit_watch(module)
        choose, settle = self._emit_choose(module), self._emit_settle(module)
        n_q, n_u, at = self.m.n_q, self.m.n_u, self.places
        with module.function("run", **KERNEL) as f:
            q, u = f.work + at["q"], f.work + at["u"]
            chosen = f.variables(count=0.0)
            with f.loop(n_q) as i:
                q[i] = f.q[i]
            with f.loop(n_u) as i:
                u[i] = f.u[i]
                chosen.count = chosen.count + self.choice(f)[i]
            state = [f.t, q, u, f.x, f.P, f.work + at["rates"], f.work]
            with f.if_((chosen.count == 0.0).all()):
                f.call(choose, *state)
            f.call(settle, *state)
            f.call(watch, *state)
            f.call(run, f.t, q, u, f.x, f.P, f.y, f.work + at["kernel"])
        return f.signature, at["kernel"] + size

    def emit_projection(self, module: Module, lanes: int) -> Signature:
        """`project(t, q, u, x, P, y, work)`: the dependent ones made to fit the independent; after a step, the choice examined."""
        settle, choose = self._settle, self._choose
        with module.function("project_dependent", **KERNEL) as f:
            arguments = [getattr(f, name) for name in NAMES]
            with f.if_((self.choice(f)[self.m.n_u] < f.t[0]).all()):
                f.call(choose, *arguments)
            f.call(settle, *arguments)
        return f.signature

    # -- the choice ---------------------------------------------------------------------------------------------------
    def _emit_choose(self, module: Module) -> Signature:
        """`choose(t, q, u, x, P, y, work)`: QR with pivoting of the rows, measured by their reference norms; kept if far better."""
        rows, k, n = self.rows, self.k, self.m.n_u
        code, la = module.block(rows.blocks["pose"], 1, "choose_pose"), Lapack(module)
        gather = _Gather(self, module)
        order_of = module.int_table(rows.pattern.order or [0])
        from scipy.linalg import lapack

        size = int(np.ravel(lapack.dgeqp3(np.zeros((k, n)), lwork=-1)[-2])[0])
        with module.function("choose", **KERNEL) as f:
            f.call(code, *(getattr(f, name) for name in NAMES))
            B, choice, norms = f.work + rows.places["B"], self.choice(f), f.P + len(self.m.parameters)
            everything, chosen, tau, scratch = f.array(k * n), f.array(k * k), f.array(k), f.array(size)
            pivots = ShortPointer(f.body, f.int_array(n // 2 + 1).name)
            info = f.int_array(1)
            with f.loop(k * n) as i:
                everything[i] = 0.0
            with f.loop(k * k) as i:
                chosen[i] = 0.0
            column = gather.columns_of(f, choice)
            with gather.entries(f) as (row, i, c):
                value = B[i] / norms[order_of[row]]
                everything[c * k + row] = value
                with f.if_((choice[c] > 0.0).all()):
                    chosen[column[c] * k + row] = value
            for X, columns in ((everything, n), (chosen, k)):
                with f.loop(columns) as i:
                    pivots[i] = 0
                la.call(f, "dgeqp3", k, columns, X, k, pivots, tau, scratch, size, info)
                if X is everything:
                    best = [pivots[i] - 1 for i in range(k)]
            last = k * k - 1
            with f.if_(~(abs(chosen[last]) > WORSE * abs(everything[last])).all()):
                with f.loop(n) as i:
                    choice[i] = 0.0
                for c in best:
                    choice[c] = 1.0
            choice[n] = f.t[0]
        self._choose = f.signature
        return f.signature

    # -- dependent values ----------------------------------------------------------------------------------------------
    def _emit_settle(self, module: Module) -> Signature:
        """`settle(t, q, u, x, P, y, work)`: the dependent coordinates and speeds, in place; `y` is scratch."""
        rows, k, n = self.rows, self.k, self.m.n_u
        code = {name: module.block(rows.blocks[name], 1, f"settle_{name}") for name in ("pose", "errors", "moving")}
        gather, la = _Gather(self, module), Lapack(module)
        admissible = emit_admissible(module, self.m, 1, "settle_admissible")
        at = rows.places
        with module.function("settle", **KERNEL) as f:
            arguments = [getattr(f, name) for name in NAMES]
            choice = self.choice(f)
            B, g, slip, moved = (f.work + at[name] for name in ("B", "g", "slip", "moved"))
            Bb, r = f.array(k * k), f.array(k)
            pivots = ShortPointer(f.body, f.int_array(k // 2 + 1).name)
            info = f.int_array(1)
            column = gather.columns_of(f, choice)
            state = f.variables(gap=0.0, before=1e300)

            def solve(errors: Pointer) -> None:
                """moved = −Bb⁻¹ errors in the dependent speeds, 0 in the others."""
                with f.loop(k * k) as i:
                    Bb[i] = 0.0
                with f.loop(k) as i:
                    r[i] = errors[i]
                with gather.entries(f) as (row, i, c), f.if_((choice[c] > 0.0).all()):
                    Bb[column[c] * k + row] = B[i]
                la.call(f, "dgesv", k, 1, Bb, k, pivots, r, k, info)
                with f.loop(n) as c:
                    moved[c] = 0.0
                    with f.if_((choice[c] > 0.0).all()):
                        moved[c] = -r[column[c]]

            sizes = f.P + (len(self.m.parameters) + k)
            order_of = module.int_table(rows.pattern.order or [0])
            with f.loop(MOST_CORRECTIONS):
                f.call(code["pose"], *arguments)
                state.gap = 0.0
                with f.loop(k) as i:
                    state.gap = maximum(state.gap, abs(g[i]) / sizes[order_of[i]])
                f.stop_if((state.gap >= 0.5 * state.before).all() | (state.gap <= ROUNDING).all())
                state.before = state.gap
                solve(g)
                f.call(code["moving"], f.t, f.q, moved, f.x, f.P, f.y, f.work)
                with f.loop(self.m.n_q) as i:
                    f.q[i] = f.q[i] + f.y[i]
                if admissible:
                    f.call(admissible, *arguments)
            with f.loop(2):
                f.call(code["errors"], *arguments)
                solve(slip)
                with f.loop(n) as i:
                    f.u[i] = f.u[i] + moved[i]
        self._settle = f.signature
        return f.signature


class _Gather:
    """Packed rows by row, place and column."""

    def __init__(self, p: PartitionRightHandSide, module: Module):
        pattern = p.rows.pattern
        self.k, self.n = p.k, p.m.n_u
        self.starts = module.int_table(pattern.starts)
        self.columns = module.int_table([c for columns in pattern.columns for c in columns] or [0])

    def columns_of(self, f: FunctionBuilder, choice: Pointer) -> Any:
        """For every dependent speed, its number among them."""
        column, v = f.int_array(self.n), f.variables(next=0)
        with f.loop(self.n) as c:
            column[c] = v.next
            with f.if_((choice[c] > 0.0).all()):
                v.next = v.next + 1
        return column

    @contextmanager
    def entries(self, f: FunctionBuilder) -> Iterator[tuple[Int, Int, Int]]:
        """All entries: row, place, column."""
        with f.loop(self.k) as row, f.loop(self.starts[row], self.starts[row + 1]) as i:
            yield row, i, self.columns[i]
