"""Many motions by the same fixed steps in one compiled library: marched, marched along directions, and gone back through with weights.

Arrays lie in groups of as many motions as there are lanes, (groups, …, lanes). `Y` has a row of (q, u, z) for every time, `X` one of
generalized forces for every step, or a single one; `inputs` are those of a march. A step begins at `times[k]` later than `t0`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.rhs.right_hand_side import RightHandSide, right_hand_side
from dalembert.simulation.equation_choice import kane_by
from dalembert.simulation.integrators.explicit_step import Tableau
from dalembert.simulation.kept_rows import NO_ROWS_KEPT, KeptRows
from dalembert.simulation.march.marched_equations import layout_of_inputs
from dalembert.simulation.march.memory import Layout
from dalembert.simulation.rollout.step_products import CLASSICAL, Running, StepProducts
from dalembert.trace import tracing
from dalembert.trace.fingerprint import fingerprint
from dalembert.trace.native import FunctionBuilder, Int, Library, Module, Pointer, UniformPointer, aligned

_KINDS: dict[str, Any] = {
    "groups": Int, "steps": Int, "times": UniformPointer, "t0": Pointer, "Y": Pointer, "X": Pointer, "rows_of_X": Int,
    "inputs": Pointer, "work": Pointer,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class RolloutProgram:
    """The code for one mechanism, set of rows and method."""

    catalogue: Catalogue
    kept: KeptRows = NO_ROWS_KEPT
    tableau: Tableau = CLASSICAL
    name: str = "rk4"
    running: Running | None = None
    """What is integrated along the motion, behind (q, u, z)."""

    @cached_property
    def rhs(self) -> RightHandSide:
        by = kane_by(self.catalogue, "range_space")
        keep = self.kept.keep
        return right_hand_side(self.catalogue, by.form, by.constraints, replace(keep, projects=True))

    @property
    def lanes(self) -> int:
        return int(self.catalogue.mechanism.compiled_for.lanes)

    @property
    def n(self) -> int:
        """How many numbers are marched: (q, u, z), and integrals."""
        m = self.catalogue.mechanism
        return m.n_q + m.n_u + m.n_z + len(self._integrands)

    @cached_property
    def _integrands(self) -> list[str]:
        """What is integrated, by fingerprints."""
        if self.running is None:
            return []
        with tracing():
            return [fingerprint([x]) for x in self.running(self.catalogue.mechanism.symbolic_state())]

    @cached_property
    def scales(self) -> np.ndarray:
        return self.rhs.row_scales(self.kept.norms, self.kept.sizes)

    @cached_property
    def input_layout(self) -> Layout:
        return layout_of_inputs(self.catalogue.mechanism, len(self.scales))

    @cached_property
    def identity(self) -> tuple[Any, ...]:
        """What tells it from others of the mechanism."""
        k = self.kept
        return (self.name, k.keep, *k.norms.tolist(), *k.sizes.tolist(), *self._integrands)

    def library(self, lanes: int, which: str) -> Library:
        """Code of "rollout", "adjoint" or "tangent", for so many motions at once."""
        m = self.catalogue.mechanism
        what = ("rollout", which, self.name, self.kept.keep, lanes, m.compiled_for, *self._integrands)
        return m.code.library(what, lambda: self._module(lanes, which))

    def work(self, lanes: int, which: str) -> np.ndarray:
        return aligned((int(self.library(lanes, which).work_size() or 0) + 8, lanes))

    def _module(self, lanes: int, which: str) -> Module:
        m = self.catalogue.mechanism
        module = Module(m.compiled_for.lanes, m.compiled_for)
        products = StepProducts(self.catalogue, self.rhs, self.input_layout, module, lanes, self.tableau, self.running)
        emit = {"rollout": self._emit_rollout, "adjoint": self._emit_adjoint, "tangent": self._emit_tangent}[which]
        size = emit(module, lanes, products)
        with module.function("work_size", status=True) as f:
            f.return_(size)
        return module

    def _emit_rollout(self, module: Module, lanes: int, products: StepProducts) -> int:
        """`rollout(…, pivots)`: all rows of Y from the first; the least pivot of the constraints that each motion met."""
        n, (step, size) = self.n, products.step
        with module.function("rollout", lanes=lanes, **_KINDS, pivots=Pointer) as f, f.loop(f.groups) as g:
            at = self._group(f, g)
            time, work = f.work, f.work + 1
            work[0] = 1.0
            with f.loop(f.steps) as k:
                h = self._begin_step(f, at, k, time)
                y = at["Y"] + k * n
                f.call(step, time, y, y + n, at["inputs"], work, h)
            f.pivots[g] = work[0]
        return size + 1

    def _emit_adjoint(self, module: Module, lanes: int, products: StepProducts) -> int:
        """`adjoint(…, W, gt, gX, gP)`: weights W on all rows become, in the first, those on the start; the rest is added to."""
        n, m, (back, size) = self.n, self.catalogue.mechanism, products.adjoint
        n_p = len(m.parameters)
        with (
            module.function("adjoint", lanes=lanes, **_KINDS, W=Pointer, gt=Pointer, gX=Pointer, gP=Pointer) as f,
            f.loop(f.groups) as g,
        ):
            at, rows = self._group(f, g), f.steps + 1
            W = f.W + g * (rows * n)
            gt, gX, gP = f.gt + g, f.gX + g * (f.rows_of_X * m.n_u), f.gP + g * n_p
            w = f.work + 1
            with f.loop(n) as i:
                w[i] = (W + f.steps * n)[i]
            with f.countdown(f.steps) as k:
                h = self._begin_step(f, at, k, f.work)
                y, x = at["Y"] + k * n, gX + self._row_of_X(f, k) * m.n_u
                f.call(back, f.work, y, y + n, at["inputs"], f.work + (1 + n), w, gt, x, gP, h)
                here = W + k * n
                with f.loop(n) as i:
                    w[i] = w[i] + here[i]
            with f.loop(n) as i:
                W[i] = w[i]
        return size + n + 1

    def _emit_tangent(self, module: Module, lanes: int, products: StepProducts) -> int:
        """`tangent(…, dt, dY, dX, dP)`: all rows of Y and of dY from the first."""
        n, m, (go, size) = self.n, self.catalogue.mechanism, products.tangent
        n_p = len(m.parameters)
        with (
            module.function("tangent", lanes=lanes, **_KINDS, dt=Pointer, dY=Pointer, dX=Pointer, dP=Pointer) as f,
            f.loop(f.groups) as g,
        ):
            at = self._group(f, g)
            dY = f.dY + g * ((f.steps + 1) * n)
            dX, dP = f.dX + g * (f.rows_of_X * m.n_u), f.dP + g * n_p
            with f.loop(f.steps) as k:
                h = self._begin_step(f, at, k, f.work)
                y, here = at["Y"] + k * n, dY + k * n
                there = here + n
                with f.loop(n) as i:
                    there[i] = here[i]
                x = dX + self._row_of_X(f, k) * m.n_u
                f.call(go, f.work, y, y + n, at["inputs"], f.work + 1, f.dt + g, there, x, dP, h)
        return size + 1

    def _group(self, f: FunctionBuilder, g: Int) -> dict[str, Any]:
        """What belongs to one group of motions."""
        n_u = self.catalogue.mechanism.n_u
        return {
            "Y": f.Y + g * ((f.steps + 1) * self.n),
            "X": f.X + g * (f.rows_of_X * n_u),
            "inputs": f.inputs + g * self.input_layout.size,
            "t0": f.t0 + g,
        }

    def _row_of_X(self, f: FunctionBuilder, k: Int) -> Int:
        """Row k, or the only one."""
        row = f.variables(k=k)
        with f.if_(f.rows_of_X == 1):
            row.k = 0
        found: Int = row.k
        return found

    def _begin_step(self, f: FunctionBuilder, at: dict[str, Any], k: Int, time: Pointer) -> Any:
        """The time and the forces of step k put where the step reads them; its length."""
        n_u = self.catalogue.mechanism.n_u
        time[0] = at["t0"][0] + f.times[k]
        x, own = self.input_layout.of(at["inputs"]).x, at["X"] + self._row_of_X(f, k) * n_u
        with f.loop(n_u) as i:
            x[i] = own[i]
        return f.times[k + 1] - f.times[k]
