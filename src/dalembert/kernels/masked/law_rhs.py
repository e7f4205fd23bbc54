"""Accelerations under loops, constraints and laws in compiled code, in whatever mode the run is.

Rows that hold are R: loops, closed gaps, what sticks, what is latched. What slides exerts friction of size c₀ + c₁ s along its slip, s
being its load; G is that per unit load. With u̇ = A⁻¹(f − Rᵀλ + G s) and R u̇ = γ, λ = λ₀ + L s by the factor of R A⁻¹ Rᵀ, and
s = ν(λ₀ + L s), one equation for every load. Rows that do not hold are masked, so that a change of mode compiles nothing.

Behind (q̇, u̇, ż) follow for every law the power it takes from the motion for good, and the power of its forces on the mechanism.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.constraints.rest import typical_rate
from dalembert.errors import FormulationError
from dalembert.kernels.masked.kinetic_arrays import emit_kinetic_arrays
from dalembert.kernels.masked.law_blocks import COEFFICIENTS, every_row, law_values, load_values, masked
from dalembert.kernels.masked.sliding_laws import SlidingLaws
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.rhs.right_hand_side import NO_ROWS, JacobianCode, RowsToKeep
from dalembert.kernels.rhs.row_solver import Pattern, pattern
from dalembert.kernels.runtime.straight import KERNEL, NAMES
from dalembert.kinematics.constraint_rows import Rows
from dalembert.kinematics.law_mode import DIRECTIONS, ModeLayout
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.trace import Expr
from dalembert.trace.native import FunctionBuilder, Module, Output, Signature

AT_REST = 1e-15
"""Speed, by its scale in the mechanism's own time, that is no more than rounding."""


class LawRightHandSide(RangeSpaceRightHandSide):
    """Kane's equations of one mechanism under an independent set of its loops' rows and all rows of its laws, masked by the mode.

    The mode's numbers (`law_mode`) lie behind the rows' scales. `by` says which of them mask the rows: "active" in the equations,
    "enforced" in a projection.
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
        return LawRightHandSide(self.m, RowsToKeep(self.keep.rows), "enforced", self.keep.others)

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

    def further_symbols(self) -> dict[Expr, tuple[str, int]]:
        # the memory of a run is that of its slope, whose rows come first in it
        return self.mode.symbols(self._run_mode_at)

    @property
    def _run_mode_at(self) -> int:
        """As `mode_at`, of the right-hand side that this one projects for."""
        return len(self.m.parameters) + 2 * len(self.rows) if self.by == "enforced" else self.mode_at

    def _parts(
        self, s: State, A: np.ndarray, forces: tuple[np.ndarray, np.ndarray], rows: Rows, p: Pattern
    ) -> dict[str, list[Output]]:
        made = super()._parts(s, A, forces, masked(rows, self.n_loops, self.mode, self.by), p)
        if self.by == "enforced":
            return made
        at, first = self._places(p), self.n_loops
        own = Rows(*(getattr(rows, name)[first:] for name in ("g", "B", "b", "gamma")))
        values = law_values(s, own, self.mode)
        raw = [own.B[k, c] for k, columns in enumerate(p.columns[self.first :]) for c in columns]

        def to_work(name: str, numbers: Any) -> list[Output]:
            return [Output(x, "work", at[name] + i) for i, x in enumerate(numbers)]

        loads = load_values(s, forces[1], len(rows.g))
        pressing = to_work("z0", loads.z0) + to_work("Zu", loads.Zu.ravel()) + to_work("arm", loads.arms)
        pressing += to_work("Zx", loads.Zx[:, list(p.rows)].ravel())
        kinematics = to_work("gap", own.g) + to_work("v", values.speeds)
        exerting = pressing + to_work("J", raw) + to_work("direction", values.directions)
        for name, numbers in values.coefficients.items():
            exerting += to_work(name, numbers)
        made["gaps"] = kinematics
        made["dynamics"] = made["dynamics"] + kinematics + exerting
        unmasked = super()._parts(s, A, forces, rows, p)["dynamics_and_errors"]
        made["kinetics"] = unmasked + kinematics + exerting
        return made

    def _places(self, p: Pattern) -> dict[str, int]:
        found = super()._places(p)
        if self.by == "enforced":
            return found
        n, rows, e = self.m.n_u, len(self.table), len(self.table.elements)
        packed = p.starts[-1] - p.starts[self.first]
        z, terms = self.table.n_components, len(self.table.load_terms)
        sizes = {"gap": rows, "v": rows, "J": packed, "direction": DIRECTIONS * e, **dict.fromkeys(COEFFICIENTS, e)}
        sizes |= {"s": e, "lam": rows, "W": e * n, "L": e * self.n_rows, "M": e * (e + 1), "largest": 1}
        sizes |= {"z0": z, "Zu": z * n, "Zx": z * self.n_rows, "arm": terms, "z": z, "Zs": e * z, "load": e}
        sizes |= {name: int(np.prod(shape)) for name, shape in self.kinetic_shapes.items()} | {"end": 0}
        starts = found.pop("end") + np.cumsum([0, *list(sizes.values())[:-1]])
        return found | dict(zip(sizes, starts.tolist()))

    @property
    def kinetic_shapes(self) -> dict[str, tuple[int, ...]]:
        """Arrays that `kinetics` leaves in `work`, one after the other: see `Kinetics`."""
        n, rows, z = self.m.n_u, self.n_rows, self.table.n_components
        return {
            "full_A": (n, n), "full_rows": (rows, n), "full_Y": (rows, n), "full_W": (rows, rows), "full_free": (n,),
            "full_rates": (rows,), "full_per_force": (z, rows), "full_unpressed": (z,),
        }  # fmt: skip

    # -- compiled ------------------------------------------------------------------------------------------------------
    def projection_mask(self, f: FunctionBuilder) -> dict[str, Any]:
        return {"mask": f.P + self.mode_part("enforced")}

    def mode_part(self, name: str) -> int:
        """Where a part of the mode begins behind the parameters."""
        return self.mode_at + self.mode.parts[name].start

    def emit_projection(self, module: Module, lanes: int) -> Signature | None:
        """As without laws; and what rounding leaves of speeds becomes zero, so that what sticks is at rest."""
        project = super().emit_projection(module, lanes)
        assert project is not None
        sizes = module.real_table((AT_REST * typical_rate(self.m) * self.m.scales.speeds).tolist() or [0.0])
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
            mode = {name: f.P + self.mode_part(name) for name in ("active", "slides", "pressed")}
            part |= {"mask": mode["active"], "slides": mode["slides"], "pressed": mode["pressed"]}
            SlidingLaws(self, module).emit(f, part)
        return f.signature, self.projection_work

    def emit_kinetics(self, module: Module) -> Signature:
        """`kinetics`: A, f, all rows and everything of the laws left in `work`, nothing masked, no force solved for."""
        code = module.block(self.blocks["kinetics"], 1)
        with module.function("kinetics", public=False, **KERNEL) as f:
            f.call(code, *(getattr(f, name) for name in NAMES))
            emit_kinetic_arrays(self, module, f, {name: f.work + start for name, start in self.places.items()})
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
        from dalembert.kernels.masked.law_sensitivity import emit_sensitivity

        return emit_sensitivity(self, module, lanes, groups)

    def active_mask(self, f: FunctionBuilder) -> dict[str, Any]:
        return {"mask": f.P + self.mode_part("active")}

    def tangent_rows(self, s: State) -> Rows:
        """Rows of what holds; where a latch is engaged at a place of its own, a change may move that place."""
        rows = masked(every_row(s), self.n_loops, self.mode, "active")
        gaps = {e.normal for e in self.table.elements if e.normal is not None and e.has_gap}
        for k in range(len(self.table)):
            if k not in gaps:
                rows.g[self.n_loops + k] = 0.0
        return rows

    def _not_with_laws(self, what: str) -> FormulationError:
        because = "its laws; use m.without_laws()" if self.m.laws else "events that act; leave out their actions"
        return FormulationError(f'{what} of mechanism "{self.m.name}" cannot be computed with {because}')
