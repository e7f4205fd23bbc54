"""One step of an explicit Runge–Kutta method with its projection, and its derivatives times vectors: exact for the step as it is made.

kₛ = f(t + cₛ h, y + h Σ aₛᵣ kᵣ), ỹ = y + h Σ bₛ kₛ, y₁ = P(ỹ). Backward, with w̃ from w through the projection, stage s is weighed by
h (bₛ w̃ + Σ_{r>s} aᵣₛ gᵣ), gₛ is what its slope makes of that, and w₀ = w̃ + Σ gₛ. Stages are computed again; nothing of them is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dalembert.cached import cached_property
from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.products.lane_blocks import LaneBlock
from dalembert.kernels.products.projection_products import ProjectionProducts
from dalembert.kernels.products.slope_products import SlopeProducts
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.rhs.right_hand_side import RightHandSide
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.simulation.integrators.explicit_step import Tableau, combine, weighted
from dalembert.simulation.march.marched_equations import emit_projection, emit_slope, put_states
from dalembert.simulation.march.memory import Layout
from dalembert.trace import tracing
from dalembert.trace.native import FunctionBuilder, Module, Output, Pointer, Real, Signature, minimum
from dalembert.trace.native.module import Prefixed

CLASSICAL = Tableau(
    (0.0, 0.5, 0.5, 1.0),
    ({}, {0: 0.5}, {1: 0.5}, {2: 1.0}),
    {0: 1.0 / 6.0, 1: 1.0 / 3.0, 2: 1.0 / 3.0, 3: 1.0 / 6.0},
    {},
)
"""The classical Runge–Kutta method."""

Running = Callable[[State], Sequence[Any]]
"""What is integrated along a motion, as expressions of the state."""

_STEP: dict[str, Any] = dict.fromkeys(("t", "y0", "y1", "inputs", "work"), Pointer)
_WEIGHTS: dict[str, Any] = dict.fromkeys(("w", "gt", "gx", "gP"), Pointer)
_DIRECTION: dict[str, Any] = dict.fromkeys(("dt", "X", "dx", "dP"), Pointer)


class StepProducts:
    """Code of a step in a module, for `lanes` motions at once; `inputs` are laid out as those of a march.

    Behind (q, u, z) lie integrals of what is `running` along.
    """

    def __init__(
        self, catalogue: Catalogue, rhs: RightHandSide, inputs: Layout, module: Module, lanes: int, tableau: Tableau,
        running: Running | None = None,
    ):  # fmt: skip
        self.catalogue, self.m, self.rhs, self.inputs = catalogue, rhs.m, rhs, inputs
        self.module, self.lanes, self.tableau = module, lanes, tableau
        inner = rhs if isinstance(rhs, RangeSpaceRightHandSide) else RangeSpaceRightHandSide(rhs.m)
        self.slopes = SlopeProducts(inner, module, lanes)
        self.ends = ProjectionProducts(inner, module, lanes)
        self.inner = inner
        self.integrands = None if running is None else Integrands(self.m, module, lanes, running)

    @property
    def n_state(self) -> int:
        return self.m.n_q + self.m.n_u + self.m.n_z

    @property
    def n(self) -> int:
        """How many numbers are marched."""
        return self.n_state + (0 if self.integrands is None else self.integrands.count)

    @property
    def stages(self) -> int:
        return self.tableau.stages

    # -- the step -------------------------------------------------------------------------------------------------------
    @cached_property
    def _slope(self) -> tuple[Signature, int]:
        """Slope as a march evaluates it."""
        return emit_slope(self.module, self.catalogue, self.rhs, self.lanes, self.inputs)

    @cached_property
    def _projection(self) -> Signature | None:
        return emit_projection(self.module, self.rhs, self.lanes, self.inputs)

    @cached_property
    def step(self) -> tuple[Signature, int]:
        """`step(t, y0, y1, inputs, work, h)`, and the elements of working memory it needs; the least pivot met stays in `work[0]`."""
        n, stages, (slope, size) = self.n, self.stages, self._slope
        with self.module.function("step", lanes=self.lanes, **_STEP, h=Real) as f:
            at, pivot = self._places(f, 1 + max(size, self.rhs.projection_work)), self.rhs.pivot_at

            def watch(s: int, state: Pointer) -> None:
                if pivot is not None:
                    f.work[0] = minimum(f.work[0], f.work[1 + pivot])

            self._stages(f, at, slope, lambda s: f.work + 1, watch)
            combine(f, n, f.y1, f.y0, f.h, self.tableau.b, at["k"])
            self._project(f, at, f.work + 1, f.y1)
        return f.signature, 1 + max(size, self.rhs.projection_work) + (stages + 1) * n + 1

    def _places(self, f: FunctionBuilder, start: int) -> dict[str, Any]:
        """Slopes of all stages, a stage's state and its time."""
        n = self.n
        k = [f.work + (start + s * n) for s in range(self.stages)]
        stage = f.work + (start + self.stages * n)
        return {"k": k, "stage": stage, "time": stage + n}

    def _stages(self, f: FunctionBuilder, at: dict[str, Any], slope: Signature, work: Any, after: Any = None) -> None:
        """All slopes, one after the other; `work(s)` is the working memory of a stage."""
        for s in range(self.stages):
            if s:
                combine(f, self.n, at["stage"], f.y0, f.h, self.tableau.a[s], at["k"])
            state = at["stage"] if s else f.y0
            at["time"][0] = f.t[0] + self.tableau.c[s] * f.h
            f.call(slope, at["time"], state, at["k"][s], f.inputs, work(s))
            if self.integrands is not None:
                P = self.inputs.of(f.inputs).P
                f.call(self.integrands.values, *self._state(at, state), P, at["k"][s] + self.n_state, *[state] * 4)
            if after is not None:
                after(s, state)

    def _state(self, at: dict[str, Any], y: Pointer) -> tuple[Pointer, Pointer, Pointer]:
        return at["time"], y, y + self.m.n_q

    def _project(self, f: FunctionBuilder, at: dict[str, Any], work: Pointer, y: Pointer) -> None:
        if self._projection is not None:
            at["time"][0] = f.t[0] + f.h
            f.call(self._projection, at["time"], y, f.inputs, work)

    # -- what derivatives need ------------------------------------------------------------------------------------------
    @cached_property
    def _inner_slope(self) -> tuple[Signature, int]:
        """Slope whose factors stay in working memory."""
        if self.inner is self.rhs:
            return self._slope
        return emit_slope(Prefixed(self.module, "inner_"), self.catalogue, self.inner, self.lanes, self.inputs)

    @property
    def _kept(self) -> int:
        """Working memory of a stage."""
        return self._inner_slope[1]

    @property
    def _scratch(self) -> int:
        return max(self.slopes.scratch, self.ends.scratch + self.ends.work)

    @cached_property
    def adjoint(self) -> tuple[Signature, int]:
        """`step_adjoint(t, y0, y1, inputs, work, w, gt, gx, gP, h)`: w on y₁ becomes w on y₀; the rest is added to.

        y₁ is what the step made of y₀.
        """
        n, stages, kept = self.n, self.stages, self._kept
        slope, weigh, end = self._inner_slope[0], self.slopes.adjoint, self.ends.adjoint
        scratch = stages * kept
        states = scratch + self._scratch
        with self.module.function("step_adjoint", lanes=self.lanes, **_STEP, **_WEIGHTS, h=Real) as f:
            p, at = self.inputs.of(f.inputs), self._places(f, states)
            visited = [f.y0, *(f.work + (states + (stages + 2 + s) * n) for s in range(1, stages))]
            rough, w_s = at["stage"], f.work + (states + (stages + 1) * n + 1)
            g = [f.work + (states + (2 * stages + 2 + s) * n + 1) for s in range(stages)]

            def visit(s: int, state: Pointer) -> None:
                if s:
                    for i in f.each(n):
                        visited[s][i] = state[i]

            self._stages(f, at, slope, lambda s: f.work + s * kept, visit)
            combine(f, n, rough, f.y0, f.h, self.tableau.b, at["k"])
            at["time"][0] = f.t[0] + f.h
            put_states(f, self.m, rough + (self.m.n_q + self.m.n_u), p.P)
            memory = f.work + scratch
            f.call(end, at["time"], rough, f.y1, p.P, memory, f.w, f.gt, f.gP, memory + self.ends.work)
            self._fold(f, f.w)
            for s in reversed(range(stages)):
                later = {r: self.tableau.a[r][s] for r in range(s + 1, stages) if s in self.tableau.a[r]}
                for i in f.each(n):
                    total: Any = self.tableau.b.get(s, 0.0) * f.w[i]
                    if later:
                        total = total + weighted(later, g, i)
                    w_s[i] = f.h * total
                    g[s][i] = 0.0
                at["time"][0] = f.t[0] + self.tableau.c[s] * f.h
                q = visited[s]
                put_states(f, self.m, q + (self.m.n_q + self.m.n_u), p.P)
                state = (*self._state(at, q), p.P)
                if self.integrands is not None:
                    w = w_s + self.n_state
                    f.call(self.integrands.weighed, *state, w, f.gt, g[s], g[s] + self.m.n_q, f.gP)
                f.call(weigh, *state, at["k"][s], f.work + s * kept, w_s, f.gt, g[s], f.gx, f.gP, memory)
            for i in f.each(n):
                f.w[i] = f.w[i] + weighted(dict.fromkeys(range(stages), 1.0), g, i)
        return f.signature, states + (3 * stages + 3) * n + 2

    def _fold(self, f: FunctionBuilder, w: Pointer) -> None:
        """What was found where states of elements are read, counted where they are integrated."""
        m = self.m
        for i in range(m.n_z):
            place = m.n_q + m.n_u + i
            w[place] = w[place] + f.gP[m.states_at + i]
            f.gP[m.states_at + i] = 0.0

    @cached_property
    def tangent(self) -> tuple[Signature, int]:
        """`step_tangent(t, y0, y1, inputs, work, dt, X, dx, dP, h)`: the step itself, and X = δy₀ becomes δy₁."""
        n, stages, kept = self.n, self.stages, self._kept
        slope, change, end = self._inner_slope[0], self.slopes.tangent, self.ends.tangent
        states = max(kept, self.inner.projection_work) + self._scratch
        with self.module.function("step_tangent", lanes=self.lanes, **_STEP, **_DIRECTION, h=Real) as f:
            p, at = self.inputs.of(f.inputs), self._places(f, states)
            moved = f.work + (states + (stages + 1) * n + 1)
            dk = [moved + (s + 1) * n for s in range(stages)]
            memory = f.work + max(kept, self.inner.projection_work)

            def follow(s: int, state: Pointer) -> None:
                if s:
                    combine(f, n, moved, f.X, f.h, self.tableau.a[s], dk)
                X = moved if s else f.X
                here = (*self._state(at, state), p.P)
                f.call(change, *here, at["k"][s], f.work, f.dt, X, f.dx, f.dP, dk[s], memory)
                if self.integrands is not None:
                    moves = f.dt, X, X + self.m.n_q, f.dP
                    f.call(self.integrands.changed, *here, dk[s] + self.n_state, *moves)

            self._stages(f, at, slope, lambda s: f.work, follow)
            combine(f, n, at["stage"], f.y0, f.h, self.tableau.b, at["k"])
            for i in f.each(n):
                f.y1[i] = at["stage"][i]
            self._project(f, at, f.work, f.y1)
            combine(f, n, f.X, f.X, f.h, self.tableau.b, dk)
            at["time"][0] = f.t[0] + f.h
            put_states(f, self.m, f.y1 + (self.m.n_q + self.m.n_u), p.P)
            put_states(f, self.m, f.X + (self.m.n_q + self.m.n_u), f.dP)
            f.call(end, at["time"], at["stage"], f.y1, p.P, memory, f.dt, f.X, f.dP, memory + self.ends.work)
        return f.signature, states + (2 * stages + 2) * n + 2


class Integrands:
    """Code of what is integrated along a motion."""

    def __init__(self, m: Mechanism, module: Module, lanes: int, running: Running):
        with tracing():
            s = m.symbolic_state()
            found = list(running(s))
            self.count = len(found)
            plain, changed, weighed = (LaneBlock(m, {name: self.count}) for name in ("rates", "rates", "w"))
            w = weighed.vector("w")
            blocks: list[tuple[LaneBlock, str, list[Output]]] = [
                (plain, "integrands", [Output(x, "rates", i) for i, x in enumerate(found)]),
                (changed, "integrands_changed", [Output(x, "rates", i) for i, x in enumerate(changed.along(found))]),
                (weighed, "integrands_weighed", weighed.gradient(sum(a * b for a, b in zip(w, found)))),
            ]
            self.values, self.changed, self.weighed = (
                module.block(made.block(name, outputs), lanes) for made, name, outputs in blocks
            )
