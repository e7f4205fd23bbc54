"""Any formulation by any constraint method, with the projection that keeps it, in the shape in which integrators want it.

Coordinates, and the speeds u that belong to a formulation's speeds w, are brought back onto the constraints as range space does
it; then w follows from (q, u), which also restores what w must obey by itself (velocities of bodies that joints connect).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.formulations import Formulation
from dalembert.formulations.formulation import (
    ChoosesSpeeds,
    formulation_speed_symbols,
    states_in_speeds,
    uses_mechanism_speeds,
)
from dalembert.kernels.rhs.formulation_kernel import FormulationKernel, to_formulation_speeds, to_speeds
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.rhs.right_hand_side import RightHandSide, RowsToKeep
from dalembert.kernels.rhs.row_solver import RowSolver
from dalembert.kernels.runtime.admissible import emit_admissible
from dalembert.kernels.runtime.straight import KERNEL, NAMES, block, known_symbols
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.scales import BESIDE
from dalembert.trace import Expr, directional, substitute, symbol, symbols, tracing
from dalembert.trace.native import Module, Output, Signature
from dalembert.trace.native.driver.lapack import make_known
from dalembert.trace.native.module import Prefixed


class FormulationRightHandSide(RightHandSide):
    """Code for one mechanism, formulation, constraint method and independent set of rows; lanes = 1."""

    def __init__(self, m: Mechanism, form: Formulation, constraints: str, keep: RowsToKeep):
        super().__init__(m)
        self.form, self.constraints, self.keep = form, constraints, keep
        self.rows = RangeSpaceRightHandSide(m, keep)
        """The mechanism's rows in its own speeds, none in a tree."""

    @cached_property
    def kernel(self) -> FormulationKernel:
        return FormulationKernel(self.m, self.form, self.constraints, self.keep.rows, self.keep.gains)

    @cached_property
    def uses_mechanism_speeds(self) -> bool:
        return uses_mechanism_speeds(self.m, self.form)

    @property
    def parts_of_speeds(self) -> list[int]:
        """The part whose speeds change them."""
        of_u, m = super().parts_of_speeds, self.m.numeric
        if self.uses_mechanism_speeds or len(set(of_u)) < 2:
            return of_u if self.uses_mechanism_speeds else [0] * self.n_speeds
        q = m.somewhere(np.random.default_rng(0), BESIDE)
        still = self.form.formulation_speeds(m.state(q, np.zeros(m.n_u)))
        changes = [np.abs(self.form.formulation_speeds(m.state(q, one)) - still) for one in np.eye(m.n_u)]
        return [of_u[int(np.argmax(column))] for column in np.transpose(changes)]

    @property
    def constrained(self) -> bool:
        return bool(self.m.constraint_rows)

    @property
    def n_speeds(self) -> int:
        return len(self.form.speeds(self.m))

    @cached_property
    def places(self) -> dict[str, int]:
        """Parts of the working memory: first that of the projection, then a copy of the state, then that of the kernel."""
        start = self.projection_work
        after = start + self.m.n_q + self.m.n_u
        return {"q": start, "u": start + self.m.n_q, "rates": after, "kernel": after + self.m.n_q}

    @property
    def projection_work(self) -> int:
        return self.rows.projection_work if self.constrained else 0

    @property
    def rates_at(self) -> int:
        return self.places["rates"]

    @property
    def watched(self) -> bool:
        return self.constrained and self.keep.projects and not self._solves_rows

    @property
    def pivot_at(self) -> int | None:
        return self.rows.pivot_at if self.constrained and not self._solves_rows else None

    @property
    def _solves_rows(self) -> bool:
        """Whether rows are solved for speeds that were not chosen: what is divided by there is watched in their place."""
        return isinstance(self.form, ChoosesSpeeds) and self.form.choice is not None

    def row_scales(self, norms: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        return self.rows.row_scales(norms, sizes)

    def speed_pivots(self) -> list[Any]:
        form = self.form
        chosen = isinstance(form, ChoosesSpeeds) and form.choice is not None and form.choice.rows
        return list(form.pivots(self.m.symbolic_state())) if isinstance(form, ChoosesSpeeds) and chosen else []

    def make_known(self) -> None:
        make_known()

    def symbolic_unknowns(self) -> tuple[State, dict[Expr, tuple[str, int]]]:
        m, w = self.m, formulation_speed_symbols(self.form, self.m)
        s: State = self.form.state(m, symbol("t"), symbols("q_", m.coordinates), w)
        return s, known_symbols(m) | {x: ("u", i) for i, x in enumerate(w)}

    def speed_rates(self, s: State, wdot: np.ndarray) -> np.ndarray:
        if self.uses_mechanism_speeds:
            return wdot
        by_states = self._rates_by_states(s)
        return self.form.udot(s, wdot if by_states is None else wdot - by_states)

    @cached_property
    def _changing(self) -> tuple[str, ...]:
        """States of elements that w depends on, as momenta do on a mass that burns."""
        with tracing():
            return () if self.uses_mechanism_speeds else states_in_speeds(self.m, self.form)

    def _rates_by_states(self, s: State) -> np.ndarray | None:
        """∂w/∂z ż at constant q and u, which formulations do not know of: to them z is a parameter. None where there is none."""
        if not self._changing:
            return None
        m = self.m
        own = m.symbolic_state()
        w = np.asarray(self.form.formulation_speeds(own), dtype=object)
        rates = {symbol(name): rate for name, rate in zip(m.states, m.state_rates(s)) if name in self._changing}
        found = np.asarray(directional(w, rates), dtype=object)
        return np.asarray(substitute(found, dict(zip(own.speeds, s.speeds))), dtype=object)

    def _emit_rates_by_states(self, module: Module) -> Signature | None:
        """`rates_by_states`, with y = ∂w/∂z ż."""
        if not self._changing:
            return None
        with tracing():
            s, known = self.symbolic_unknowns()
            values = self._rates_by_states(s)
            assert values is not None
            return module.block(block("rates_by_states", known, [Output(x, "y", i) for i, x in enumerate(values)]))

    def emit_slope(self, module: Module, lanes: int) -> tuple[Signature, int]:
        """`run`. Where there are rows, the least eigenvalue of B A⁻¹ Bᵀ, which hangs on the pose alone, is left at `pivot_at`."""
        run, size = self.kernel.emit(module, name="kernel_run")
        watch = self._emit_watch(module) if self.pivot_at is not None else None
        by_states = self._emit_rates_by_states(module)
        with module.function("run", **KERNEL) as f:
            if watch is not None:
                f.call(watch, *(getattr(f, name) for name in NAMES))
            f.call(run, f.t, f.q, f.u, f.x, f.P, f.y, f.work + self.places["kernel"])
            if by_states is not None:
                more = f.array(self.n_speeds)
                f.call(by_states, f.t, f.q, f.u, f.x, f.P, more, f.work)
                with f.loop(self.n_speeds) as i:
                    f.y[self.m.n_q + i] = f.y[self.m.n_q + i] + more[i]
        return f.signature, self.places["kernel"] + size

    def emit_multipliers(self, module: Module, lanes: int) -> Signature:
        """`multipliers`, by Kane's equations and range space: forces are what they are, whoever asks."""
        kane = Prefixed(module, "multipliers_")
        solve, _ = self.rows.emit(kane, lanes)
        leave = self.rows.emit_multipliers(kane, lanes)
        there = None if self.uses_mechanism_speeds else kane.block(to_speeds(self.m, self.form, "there"))
        with module.function("multipliers", lanes=lanes, **KERNEL) as f:
            u = f.u if there is None else f.work + self.places["u"]
            if there is not None:
                f.call(there, f.t, f.q, f.u, f.x, f.P, u, f.work)
            slopes = f.array(self.m.n_q + self.m.n_u)
            f.call(solve, f.t, f.q, u, f.x, f.P, slopes, f.work)
            f.call(leave, f.t, f.q, u, f.x, f.P, f.y, f.work)
        return f.signature

    def _emit_watch(self, module: Module) -> Signature:
        """The least eigenvalue of B A⁻¹ Bᵀ in its place."""
        rows = self.rows
        code, solver = module.block(rows.blocks["pose"], 1, "watch_pose"), RowSolver(self.m, rows.pattern, module)
        with module.function("watch", **KERNEL) as f:
            f.call(code, *(getattr(f, name) for name in NAMES))
            part = {name: f.work + start for name, start in rows.places.items()}
            solver.factorise(f, part)
            solver.watch(f, part, f.P + len(self.m.parameters))
        return f.signature

    def emit_projection(self, module: Module, lanes: int) -> Signature | None:
        """Projection by way of u, where w must follow; else what the coordinates obey among themselves."""
        if not self.keep.projects if self.constrained else self.uses_mechanism_speeds:
            return super().emit_projection(module, lanes)
        m, at = self.m, self.places
        project = self.rows.emit_projection(module, lanes) if self.constrained else None
        admissible = emit_admissible(module, m, lanes, "formulation_admissible") if project is None else None
        there = back = None
        if not self.uses_mechanism_speeds:
            there = module.block(to_speeds(m, self.form, "there"))
            back = module.block(to_formulation_speeds(m, self.form, "back"))
        with module.function("project_formulation", **KERNEL) as f:
            u = f.u if there is None else f.work + at["u"]
            if there is not None:
                f.call(there, f.t, f.q, f.u, f.x, f.P, u, f.work)
            if project is not None:
                f.call(project, f.t, f.q, u, f.x, f.P, f.y, f.work)
            if admissible is not None:
                f.call(admissible, f.t, f.q, u, f.x, f.P, f.y, f.work)
            if back is not None:
                f.call(back, f.t, f.q, u, f.x, f.P, f.u, f.work)
        return f.signature
