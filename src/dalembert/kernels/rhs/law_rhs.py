"""Accelerations under loops, constraints and laws in compiled code, in whatever mode the run is.

Rows that hold are R: loops, closed gaps, what sticks, what is latched. What slides exerts friction of size c₀ + c₁ s along its slip, s
being its load; G is that per unit load. With u̇ = A⁻¹(f − Rᵀλ + G s) and R u̇ = γ, λ = λ₀ + L s by the factor of R A⁻¹ Rᵀ, and
s = ν(λ₀ + L s), one equation for every load. Rows that do not hold are masked, so that a change of mode compiles nothing.

Behind (q̇, u̇) follow for every law the power it takes from the motion for good, and the power of its forces on the mechanism.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from dalembert.errors import FormulationError
from dalembert.kernels.rhs.dense_elimination import solve_dense
from dalembert.kernels.rhs.law_blocks import COEFFICIENTS, every_row, law_values, masked
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.rhs.right_hand_side import NO_ROWS, JacobianCode, RowsToKeep
from dalembert.kernels.rhs.row_pattern import Pattern, pattern
from dalembert.kernels.rhs.row_solver import RowSolver
from dalembert.kernels.runtime.straight import KERNEL, NAMES
from dalembert.kinematics.constraint_rows import Rows
from dalembert.kinematics.law_mode import ModeLayout
from dalembert.kinematics.law_rows import LawTable
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.trace import Expr
from dalembert.trace.native import Module, Output, Signature

AT_REST = 1e-15
"""Speed, by its scale per second, that is no more than rounding."""


class LawRightHandSide(RangeSpaceRightHandSide):
    """Kane's equations of one mechanism under an independent set of its loops' rows and all rows of its laws, masked by the mode.

    The mode's numbers (`law_mode`) lie behind the rows' scales. `by` says which of them mask the rows: "active" in the equations,
    "held" in a projection.
    """

    def __init__(self, m: Mechanism, keep: RowsToKeep = NO_ROWS, by: str = "active", others: tuple[int, ...] = ()):
        super().__init__(m, keep)
        self.by = by
        self.n_loops, self.table = len(m.rows), m.law_table
        self.rows = (*keep.rows, *(self.n_loops + k for k in range(len(self.table))), *others)

    @property
    def n_masked(self) -> int:
        return len(self.table)

    @cached_property
    def mode(self) -> ModeLayout:
        return ModeLayout(self.table)

    @property
    def first(self) -> int:
        """Place of the first row of a law among those solved for."""
        return self.n_rows - self.n_masked

    @cached_property
    def closing(self) -> RangeSpaceRightHandSide:
        return LawRightHandSide(self.m, RowsToKeep(self.keep.rows), "held", self.keep.others)

    @property
    def mode_at(self) -> int:
        """Where the numbers of the mode begin behind the parameters."""
        return len(self.m.parameters) + 2 * (len(self.keep.rows) + len(self.table) + len(self.keep.others))

    def row_scales(self, norms: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        return np.concatenate([super().row_scales(norms, sizes), np.zeros(self.mode.size)])

    @property
    def watched(self) -> bool:
        return self.keep.projects and bool(self.keep.rows)

    @property
    def pivot_at(self) -> int | None:  # type: ignore[override]
        return self.places["pivot"] if self.keep.rows else None

    @property
    def projects_in_lanes(self) -> bool:
        return False

    # -- traced --------------------------------------------------------------------------------------------------------
    def _rows_of(self, s: State) -> Rows:
        return every_row(s)

    def _pattern(self, B: np.ndarray) -> Pattern:
        return pattern(self.m, B, self.rows, last=self.n_loops)

    def _further_symbols(self) -> dict[Expr, tuple[str, int]]:
        # the memory of a run is that of its slope, whose rows come first in it
        return self.mode.symbols(self._run_mode_at)

    @property
    def _run_mode_at(self) -> int:
        """As `mode_at`, of the right-hand side that this one projects for."""
        return len(self.m.parameters) + 2 * len(self.rows) if self.by == "held" else self.mode_at

    def _parts(
        self, s: State, A: np.ndarray, forces: tuple[np.ndarray, np.ndarray], rows: Rows, p: Pattern
    ) -> dict[str, list[Output]]:
        made = super()._parts(s, A, forces, masked(rows, self.n_loops, self.mode, self.by), p)
        if self.by == "held":
            return made
        at, first = self._places(p), self.n_loops
        own = Rows(*(getattr(rows, name)[first:] for name in ("g", "B", "b", "gamma")))
        values = law_values(s, own, self.mode)
        raw = [own.B[k, c] for k, columns in enumerate(p.columns[self.first :]) for c in columns]

        def to_work(name: str, numbers: Any) -> list[Output]:
            return [Output(x, "work", at[name] + i) for i, x in enumerate(numbers)]

        kinematics = to_work("gap", own.g) + to_work("v", values.speeds)
        exerting = to_work("J", raw) + to_work("direction", values.directions)
        for name, numbers in values.coefficients.items():
            exerting += to_work(name, numbers)
        made["gaps"] = kinematics
        made["dynamics"] = made["dynamics"] + kinematics + exerting
        unmasked = super()._parts(s, A, forces, rows, p)["dynamics"]
        made["kinetics"] = unmasked + kinematics + exerting
        return made

    def _places(self, p: Pattern) -> dict[str, int]:
        found = super()._places(p)
        if self.by == "held":
            return found
        n, rows, e = self.m.n_u, len(self.table), len(self.table.elements)
        packed = p.starts[-1] - p.starts[self.first]
        sizes = {"gap": rows, "v": rows, "J": packed, "direction": 2 * e, **dict.fromkeys(COEFFICIENTS, e)}
        sizes |= {"s": e, "lam": rows, "W": e * n, "L": e * self.n_rows, "M": e * (e + 1), "largest": 1, "end": 0}
        starts = found.pop("end") + np.cumsum([0, *list(sizes.values())[:-1]])
        return found | dict(zip(sizes, starts.tolist()))

    # -- compiled ------------------------------------------------------------------------------------------------------
    def projection_mask(self, f: Any) -> dict[str, Any]:
        return {"mask": f.P + self._mode_part("held")}

    def _mode_part(self, name: str) -> int:
        return self.mode_at + self.mode.parts[name].start

    def emit_projection(self, module: Module, lanes: int) -> Signature | None:
        """As without laws; and what rounding leaves of speeds becomes zero, so that what sticks is at rest."""
        project = super().emit_projection(module, lanes)
        assert project is not None
        sizes = module.real_table((AT_REST * self.m.scales.speeds).tolist() or [0.0])
        with module.function("project_to_rest", lanes=lanes, **KERNEL) as f:
            f.call(project, *(getattr(f, name) for name in NAMES))
            with f.loop(self.m.n_u) as i, f.if_((abs(f.u[i]) <= sizes[i]).all()):
                f.u[i] = 0.0
        return f.signature

    def emit_slope(self, module: Module, lanes: int) -> tuple[Signature, int]:
        """`run`, with y = (q̇, u̇, losses); λ of all laws' rows are left at `places["lam"]`, loads at `places["s"]`."""
        code = module.block(self.blocks["dynamics"], lanes)
        with module.function("run", lanes=lanes, **KERNEL) as f:
            f.call(code, *(getattr(f, name) for name in NAMES))
            part = {name: f.work + start for name, start in self.places.items()}
            part |= {"mask": f.P + self._mode_part("active"), "slides": f.P + self._mode_part("slides")}
            SlidingLaws(self, module).emit(f, part)
        return f.signature, self.projection_work

    def emit_kinetics(self, module: Module) -> Signature:
        """`kinetics`: A, f, all rows and everything of the laws left in `work`, nothing masked, nothing solved."""
        code = module.block(self.blocks["kinetics"], 1)
        with module.function("kinetics", public=False, **KERNEL) as f:
            f.call(code, *(getattr(f, name) for name in NAMES))
        return f.signature

    def emit_gaps(self, module: Module) -> Signature:
        """`gaps`: gaps and speeds of all rows of laws left in `work`."""
        code = module.block(self.blocks["gaps"], 1)
        with module.function("gaps", public=False, **KERNEL) as f:
            f.call(code, *(getattr(f, name) for name in NAMES))
        return f.signature

    def emit_jacobian(self, module: Module) -> JacobianCode:
        raise self._not_with_laws("Jacobians")

    def emit_sensitivity(self, module: Module, lanes: int, groups: int) -> tuple[Signature, int]:
        raise self._not_with_laws("Sensitivities")

    def emit_sensitivity_projection(self, module: Module, lanes: int, groups: int) -> Signature:
        raise self._not_with_laws("Sensitivities")

    def _not_with_laws(self, what: str) -> FormulationError:
        return FormulationError(
            f'{what} of mechanism "{self.m.name}" cannot be computed with its laws; use m.without_laws()'
        )


class SlidingLaws:
    """Driver code of the slope: rows that hold, friction of what slides, loads, losses."""

    def __init__(self, rhs: LawRightHandSide, module: Module):
        self.rhs, self.m, self.n = rhs, rhs.m, rhs.m.n_u
        table: LawTable = rhs.table
        self.rows, self.elements = len(table), len(table.elements)
        self.solver = RowSolver(rhs.m, rhs.pattern, module, masked=self.rows)
        p, first = rhs.pattern, rhs.first
        self.starts = module.int_table([x - p.starts[first] for x in p.starts[first:]])
        self.columns = module.int_table([c for columns in p.columns[first:] for c in columns] or [0])
        tangents = [(k, i, slot) for i, e in enumerate(table.elements) for slot, k in enumerate(e.tangents)]
        self.tangents = len(tangents)
        self.row_of, self.element_of, self.slot_of = (
            module.int_table([t[j] for t in tangents] or [0]) for j in range(3)
        )
        counts = np.cumsum([0, *(len(e.tangents) for e in table.elements)]).tolist()
        self.tangents_of = module.int_table(counts)
        self.normal_of = module.int_table([-1 if e.normal is None else first + e.normal for e in table.elements] or [0])
        self.loaded = [i for i, e in enumerate(table.elements) if e.normal is not None and e.tangents]
        self.law_of = module.int_table(table.law_of.tolist() or [0])
        self.n_laws = len(table.laws)

    def emit(self, f: Any, part: dict[str, Any]) -> None:
        rhs, n, solver = self.rhs, self.n, self.solver
        udot = f.y + self.m.n_q
        solver.factorise(f, part)
        if rhs.pivot_at is not None:
            solver.watch(f, part, f.P + len(self.m.parameters))
        self._own_friction(f, part)
        with f.loop(n) as i:
            udot[i] = part["f"][i]
        solver.tree.solve(f, part["A"], udot, 1)
        with f.loop(rhs.n_rows) as k:
            part["r"][k] = solver.row_times(f, part["B"], k, udot) - part["gamma"][k]
        solver.solve(f, part["S"], part["r"])
        if self.loaded:
            self._loads(f, part)
        solver.exert(f, part)
        with f.loop(n) as i:
            udot[i] = udot[i] - part["d"][i]
        if self.loaded:
            with f.loop(self.elements) as e, f.loop(n) as i:
                udot[i] = udot[i] + part["s"][e] * part["W"][e * n + i]
        self._forces_and_losses(f, part)

    def _own_friction(self, f: Any, part: dict[str, Any]) -> None:
        """λ of what slides without its load, −(c₀ d + c v), and its generalized force."""
        lam = part["lam"]
        with f.loop(self.rows) as k:
            lam[k] = 0.0
        with f.loop(self.tangents) as t:
            k, e = self.row_of[t], self.element_of[t]
            along = part["direction"][e * 2 + self.slot_of[t]]
            force = part["slides"][e] * (part["force"][e] * along + part["viscous"][e] * part["v"][k])
            lam[k] = force
            with f.if_((force != 0.0).all()), f.loop(self.starts[k], self.starts[k + 1]) as i:
                c = self.columns[i]
                part["f"][c] = part["f"][c] - part["J"][i] * force

    def _loads(self, f: Any, part: dict[str, Any]) -> None:
        """Loads s of what slides under one; r becomes λ₀ + L s."""
        rows, elements, s, M = self.rhs.n_rows, self.elements, part["s"], part["M"]
        slides = f.variables(any=False)
        with f.loop(elements) as e:
            s[e] = 0.0
            with f.if_(self._under_load(part, e)):
                slides.any = True
                self._per_unit_load(f, part, e)
        with f.if_(slides.any):
            width = elements + 1
            M.clear(elements * width)
            with f.loop(elements) as i:
                M[i * width + i] = 1.0
                with f.if_(self._under_load(part, i)):
                    normal = self.normal_of[i]
                    M[i * width + elements] = -part["r"][normal]
                    with f.loop(elements) as j, f.if_(self._under_load(part, j)):
                        M[i * width + j] = M[i * width + j] + part["L"][j * rows + normal]
            solve_dense(f, M, elements)
            with f.loop(elements) as e, f.if_(self._under_load(part, e)):
                s[e] = M[e * width + elements]
                with f.loop(rows) as k:
                    part["r"][k] = part["r"][k] + part["L"][e * rows + k] * s[e]

    def _under_load(self, part: dict[str, Any], e: Any) -> Any:
        return (part["slides"][e] * part["coefficient"][e] != 0.0).all() & (self.normal_of[e] >= 0)

    def _per_unit_load(self, f: Any, part: dict[str, Any], e: Any) -> None:
        """W = A⁻¹ of the friction of an element per unit of its load, L = S⁻¹ R W."""
        n, rows = self.n, self.rhs.n_rows
        W, L = part["W"] + e * n, part["L"] + e * rows
        with f.loop(n) as i:
            W[i] = 0.0
        with f.loop(self.tangents_of[e], self.tangents_of[e + 1]) as t:
            k = self.row_of[t]
            size = part["coefficient"][e] * part["direction"][e * 2 + self.slot_of[t]]
            with f.loop(self.starts[k], self.starts[k + 1]) as i:
                c = self.columns[i]
                W[c] = W[c] - part["J"][i] * size
        self.solver.tree.solve(f, part["A"], W, 1)
        with f.loop(rows) as k:
            L[k] = self.solver.row_times(f, part["B"], k, W)
        self.solver.solve(f, part["S"], L)

    def _forces_and_losses(self, f: Any, part: dict[str, Any]) -> None:
        """λ of all rows; behind u̇, for each law Σ λ v and −Σ λ J u."""
        lam, v = part["lam"], part["v"]
        loss = f.y + (self.m.n_q + self.n)
        if self.loaded:
            with f.loop(self.tangents) as t:
                e = self.element_of[t]
                size = part["slides"][e] * part["coefficient"][e] * part["s"][e]
                lam[self.row_of[t]] = lam[self.row_of[t]] + size * part["direction"][e * 2 + self.slot_of[t]]
        with f.loop(2 * self.n_laws) as i:
            loss[i] = 0.0
        total = f.variables(sum=0.0)
        with f.loop(self.rows) as k:
            lam[k] = lam[k] + part["r"][k + self.rhs.first]
            total.sum = 0.0
            with f.loop(self.starts[k], self.starts[k + 1]) as i:
                total.sum = total.sum + part["J"][i] * f.u[self.columns[i]]
            at = self.law_of[k] * 2
            loss[at] = loss[at] + lam[k] * v[k]
            loss[at + 1] = loss[at + 1] - lam[k] * total.sum
