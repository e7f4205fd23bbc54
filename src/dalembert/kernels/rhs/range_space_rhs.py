"""Accelerations under loops and constraints in compiled code: the range-space method on an independent set of rows.

A by composite bodies and f by the recursion of Newton and Euler. A = LᵀDL along the tree's branches; Y = D^-½ L^-ᵀ Bᵀ, of which each
row touches only the speeds on its own paths; S = YᵀY with its rows ordered for a small profile, S = G Gᵀ by Cholesky. For chained loops
everything is linear in their number.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dalembert.cached import cached_property
from dalembert.constraints.massless import carried
from dalembert.kernels.rhs.projection import ClosingCode, ConstraintProjection
from dalembert.kernels.rhs.right_hand_side import NO_ROWS, JacobianCode, RightHandSide, RowsToKeep
from dalembert.kernels.rhs.row_solver import Pattern, RowSolver, pattern
from dalembert.kernels.runtime.straight import KERNEL, NAMES, block, extra_input, known_symbols
from dalembert.kinematics.constraint_rows import Rows, constraint_rows
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.recursive.algorithms import Tree, composite, newton_euler
from dalembert.recursive.sparse import along_paths
from dalembert.trace import Expr, tracing
from dalembert.trace.native import Block, FunctionBuilder, Module, Output, Signature


class RangeSpaceRightHandSide(RightHandSide):
    """Kane's equations of one mechanism under one independent set of rows.

    Where a function needs the rows' scales, they follow the parameters in memory: a reference norm for each row, in the order
    in which the rows were given, and likewise what each is measured by. With Baumgarte's gains α and β, g̈ + αġ + βg = 0 [B Remark 4].

    Where the rows are nearly dependent, the others that depend on them still tell where the mechanism must be, so that projections
    keep all; their norms and measures come after.
    """

    def __init__(self, m: Mechanism, keep: RowsToKeep = NO_ROWS):
        super().__init__(m)
        self.keep, self.rows, self.gains = keep, keep.rows, keep.gains

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    @property
    def n_masked(self) -> int:
        """How many rows, the last, hold at times only."""
        return 0

    def projection_mask(self, f: FunctionBuilder) -> dict[str, Any]:
        """Where it is found whether they hold in a projection."""
        return {}

    def active_mask(self, f: FunctionBuilder) -> dict[str, Any]:
        """Where it is found whether they hold in the equations."""
        return {}

    def tangent_rows(self, s: State) -> Rows:
        """Rows that changes of a motion keep to: those of constraints."""
        return constraint_rows(s)

    @cached_property
    def closing(self) -> RangeSpaceRightHandSide:
        """The same with all rows that a projection keeps."""
        k = self.keep
        return self._with_rows((*k.rows, *k.others)) if k.others else self

    def _with_rows(self, rows: tuple[int, ...]) -> RangeSpaceRightHandSide:
        return RangeSpaceRightHandSide(self.m, RowsToKeep(rows))

    @property
    def pattern(self) -> Pattern:
        return self._traced[0]

    @property
    def blocks(self) -> dict[str, Block]:
        """Straight-line code of a state: all of the dynamics, what depends on the pose, or by how much q and u are off."""
        return self._traced[1]

    @cached_property
    def _traced(self) -> tuple[Pattern, dict[str, Block]]:
        m = self.m
        with tracing():
            s: State = m.symbolic_state()
            tree, tau = Tree(s), extra_input(m.speeds)
            A, f = composite(tree), -newton_euler(tree, np.zeros(m.n_u))
            rows = self._rows_of(s)
            p = self._pattern(rows.B)
            known = known_symbols(m) | {x: ("x", i) for i, x in enumerate(tau)} | self.further_symbols()
            A, f = carried(m, A, f, rows.B, self.stabilised(s, rows))
            parts = self._parts(s, A, (f, tau), rows, p)
            return p, {name: block(f"constrained_{name}", known, outputs) for name, outputs in parts.items()}

    def stabilised(self, s: State, rows: Rows) -> np.ndarray:
        """γ with Baumgarte's terms."""
        alpha, beta = self.gains or (0.0, 0.0)
        return rows.gamma - alpha * (rows.B @ s.speeds - rows.b) - beta * rows.g if self.gains else rows.gamma

    def _rows_of(self, s: State) -> Rows:
        """Every row there is."""
        return constraint_rows(s)

    def _pattern(self, B: np.ndarray) -> Pattern:
        return pattern(self.m, B, self.rows)

    def further_symbols(self) -> dict[Expr, tuple[str, int]]:
        """Symbols beside those of the state, and where they are found."""
        return {}

    def _parts(
        self, s: State, A: np.ndarray, forces: tuple[np.ndarray, np.ndarray], rows: Rows, p: Pattern
    ) -> dict[str, list[Output]]:
        at, kept, n = self._places(p), list(p.rows), self.m.n_u

        def to_work(name: str, values: Iterable[Any]) -> list[Output]:
            return [Output(x, "work", at[name] + i) for i, x in enumerate(values)]

        # also what is zero: factorising in place fills it
        mass = [Output(A[i, j], "work", at["A"] + i * n + j) for i, j in along_paths(self.m)]
        pose = mass + to_work("B", [rows.B[k, c] for k, columns in zip(kept, p.columns) for c in columns])
        force = to_work("f", forces[0] + forces[1])
        g, slip = [rows.g[k] for k in kept], [rows.B[k] @ s.speeds - rows.b[k] for k in kept]
        every = self.stabilised(s, rows)
        gamma = [every[k] for k in kept]
        rates = [Output(x, "y", i) for i, x in enumerate(s.rates)]
        still = State(self.m, s.t, s.coordinates, np.zeros(n)).rates  # of what time prescribes
        residual = to_work("g", g)
        dynamics = pose + force + to_work("gamma", gamma) + rates
        errors = residual + to_work("slip", slip)
        return {
            "dynamics": dynamics,
            "dynamics_and_errors": dynamics + errors,
            "pose": pose + residual,
            "errors": errors,
            "moving": [Output(x, "y", i) for i, x in enumerate(s.rates - still)],
        }

    @cached_property
    def places(self) -> dict[str, int]:
        """Parts of the working memory, in elements."""
        return self._places(self.pattern)

    def _places(self, p: Pattern) -> dict[str, int]:
        n, k, packed = self.m.n_u, self.n_rows, p.starts[-1]
        sizes = {"A": n * n, "f": n, "gamma": k, "g": k, "slip": k, "B": packed, "Y": packed, "S": p.profile[-1]}
        sizes |= {"r": k, "d": n, "moved": n, "rates": self.m.n_q, "probe": k, "pivot": 1, "end": 0}
        return dict(zip(sizes, np.cumsum([0, *list(sizes.values())[:-1]]).tolist()))

    @property
    def projection_work(self) -> int:
        """Enough for the slope too."""
        return max(self.places["end"], self.closing.places["end"])

    @property
    def rates_at(self) -> int:
        return self.closing.places["rates"]

    @property
    def watched(self) -> bool:
        return self.keep.projects

    @property
    def pivot_at(self) -> int:
        return self.places["pivot"]

    @property
    def projects_in_lanes(self) -> bool:
        return self.keep.projects

    def row_scales(self, norms: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Norms and sizes of its rows, then those of the other rows."""
        return np.concatenate([by[list(rows)] for rows in (self.rows, self.keep.others) for by in (norms, sizes)])

    def emit_slope(self, module: Module, lanes: int) -> tuple[Signature, int]:
        return self.emit(module, lanes, watched=True)

    def emit(
        self, module: Module, lanes: int, watched: bool = False, name: str = "run", part: str = "dynamics"
    ) -> tuple[Signature, int]:
        """`run(t, q, u, x, P, y, work)` with y = (q̇, u̇), leaving λ of the kept rows in `work` at `places["r"]`.

        Returns also the working memory in elements. If `watched`, P holds the scales too and `places["pivot"]` the least
        eigenvalue of S by the rows' reference norms.
        With the part "dynamics_and_errors", gaps and slips of the kept rows are left in `work` as well.
        """
        code = module.block(self.blocks[part], lanes)
        solver = RowSolver(self.m, self.pattern, module)
        n, at = self.m.n_u, self.places
        with module.function(name, lanes=lanes, **KERNEL) as f:
            f.call(code, *(getattr(f, name) for name in NAMES))
            udot = f.y + self.m.n_q
            at_work = {name: f.work + start for name, start in at.items()}
            solver.factorise(f, at_work)
            if watched:
                solver.watch(f, at_work, f.P + len(self.m.parameters))
            with f.loop(n) as i:
                udot[i] = at_work["f"][i]
            solver.tree.solve(f, at_work["A"], udot, 1)
            with f.loop(self.n_rows) as k:
                at_work["r"][k] = solver.row_times(f, at_work["B"], k, udot) - at_work["gamma"][k]
            solver.correct(f, at_work)
            with f.loop(n) as i:
                udot[i] = udot[i] - at_work["d"][i]
        return f.signature, self.projection_work

    def emit_multipliers(self, module: Module, lanes: int) -> Signature:
        found = self.places["r"]
        with module.function("multipliers", lanes=lanes, **KERNEL) as f:
            f.y.clear(len(self.m.rows))
            for i, row in enumerate(self.pattern.rows[: self.n_rows - self.n_masked]):
                f.y[row] = f.work[found + i]
        return f.signature

    def emit_projection(self, module: Module, lanes: int) -> Signature | None:
        return (
            ConstraintProjection(self, module, lanes).emit()
            if self.keep.projects
            else super().emit_projection(module, lanes)
        )

    @property
    def assembles(self) -> bool:
        return self.keep.projects and not self.n_masked

    def emit_assembly(self, module: Module) -> None:
        from dalembert.kernels.rhs.loop_closing import LoopClosing

        LoopClosing(self, module).emit_all()

    def closing_code(self, module: Module, lanes: int) -> ClosingCode:
        """Functions that projection and assembly share, in the module."""
        found = self._closing_codes.setdefault(module, {})
        if lanes not in found:
            found[lanes] = ClosingCode(self, module, lanes)
        return found[lanes]

    @cached_property
    def _closing_codes(self) -> WeakKeyDictionary[Module, dict[int, ClosingCode]]:
        return WeakKeyDictionary()

    def emit_jacobian(self, module: Module) -> JacobianCode:
        from dalembert.kernels.rhs.jacobian import emit_jacobian

        return emit_jacobian(self, module)

    def emit_sensitivity(self, module: Module, lanes: int, groups: int) -> tuple[Signature, int]:
        from dalembert.kernels.rhs.range_space_sensitivity import emit_sensitivity

        return emit_sensitivity(self, module, lanes, groups)

    def emit_sensitivity_projection(self, module: Module, lanes: int, groups: int) -> Signature:
        from dalembert.kernels.rhs.range_space_sensitivity import emit_projection

        return emit_projection(self, module, lanes, groups)

    def places_of_norms(self) -> list[int]:
        """Places of the norms of all rows, those of the kept ones first; their sizes lie between them and the others'."""
        return [i if i < self.n_rows else i + self.n_rows for i in self.closing.pattern.order]

    def places_of_sizes(self) -> list[int]:
        """Likewise, each group's behind its norms."""
        kept, every = self.n_rows, self.closing.n_rows
        return [i + kept if i < kept else i + every for i in self.closing.pattern.order]
