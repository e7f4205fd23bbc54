"""Any formulation by any constraint method, with the projection that keeps it, in the shape in which integrators want it.

Coordinates, and the speeds u that belong to a formulation's own speeds w, are brought back onto the constraints as `Constrained` does
it; then w follows from (q, u), which also restores what w must obey by itself (velocities of bodies that joints connect).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from dalembert.formulations import Formulation
from dalembert.kernels.rhs.formulation_kernel import Pair, to_own_speeds, to_speeds
from dalembert.kernels.rhs.formulation_speeds import speeds_are_own
from dalembert.kernels.rhs.range_space import Constrained
from dalembert.kernels.rhs.row_solver import RowSolver
from dalembert.kernels.runtime.admissible import emit_admissible
from dalembert.kernels.runtime.straight import NAMES
from dalembert.mechanism import Mechanism
from dalembert.trace.native import Module, Pointer, Signature

KERNEL: dict[str, Any] = dict.fromkeys(NAMES, Pointer)


class Formulated:
    """Code for one mechanism, formulation, constraint method and independent set of rows; lanes = 1."""

    def __init__(
        self,
        m: Mechanism,
        form: Formulation,
        constraints: str,
        rows: Sequence[int],
        gains: tuple[float, float] | None = None,
        others: Sequence[int] = (),
    ):
        self.m = m
        self.pair = Pair(m, form, constraints, rows, gains)
        self.held = Constrained(m, rows, others=others) if m.constraint_rows else None
        self.own = speeds_are_own(m, self.pair.form)

    @cached_property
    def places(self) -> dict[str, int]:
        """Parts of the working memory: first that of the projection, then a copy of the state, then that of the pair."""
        start = 0 if self.held is None else self.held.work
        after = start + self.m.n_q + self.m.n_u
        at = {"q": start, "u": start + self.m.n_q, "rates": after, "pair": after + self.m.n_q}
        return at if self.held is None else at | {"pivot": self.held.places["pivot"]}

    @property
    def work(self) -> int:
        """Elements of working memory of the projection."""
        return 0 if self.held is None else self.held.work

    @property
    def rates_at(self) -> int:
        """Where in it a projection may put q̇."""
        return self.places["rates"]

    def emit(self, module: Module, lanes: int, watched: bool = False) -> tuple[Signature, int]:
        """`run(t, q, w, x, P, y, work)` with y = (q̇, ẇ).

        If `watched`, and w is u, P holds the rows' scales too and `places["pivot"]` the least eigenvalue of S.
        """
        run, size = self.pair.emit(module, name="pair_run")
        watch = self._emit_watch(module) if watched and self.own and self.held is not None else None
        with module.function("run", **KERNEL) as f:
            if watch is not None:
                f.call(watch, *(getattr(f, name) for name in NAMES))
            f.call(run, f.t, f.q, f.u, f.x, f.P, f.y, f.work + self.places["pair"])
        return f.signature, self.places["pair"] + size

    def _emit_watch(self, module: Module) -> Signature:
        """The least eigenvalue of B A⁻¹ Bᵀ in its place."""
        assert self.held is not None
        held = self.held
        code, solver = module.block(held.blocks["pose"], 1, "watch_pose"), RowSolver(self.m, held.pattern, module)
        with module.function("watch", **KERNEL) as f:
            f.call(code, *(getattr(f, name) for name in NAMES))
            part = {name: f.work + start for name, start in held.places.items()}
            solver.factorise(f, part)
            solver.watch(f, part, f.P + len(self.m.parameters))
        return f.signature

    def emit_projection(self, module: Module, lanes: int) -> Signature:
        """`project(t, q, w, x, P, y, work)`: q and w brought back onto the constraints in place; `y` is scratch for q̇."""
        form, at = self.pair.form, self.places
        project = None if self.held is None else self.held.emit_projection(module, lanes)
        admissible = emit_admissible(module, self.m, lanes, "own_admissible") if project is None else None
        there = back = None
        if not self.own:
            there, back = (
                module.block(to_speeds(self.m, form, "there")),
                module.block(to_own_speeds(self.m, form, "back")),
            )
        with module.function("project_own", **KERNEL) as f:
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
