"""Code that brings states onto constraints is made of: residuals and rows of a pose, their factors, and corrections from errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dalembert.kernels.rhs.row_solver import RowSolver
from dalembert.kernels.runtime.admissible import emit_admissible
from dalembert.kernels.runtime.straight import KERNEL
from dalembert.trace.native import IntPointer, Module, Real

if TYPE_CHECKING:
    from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide


class ClosingCode:
    """Functions of a module that projections and assembly call, written once for both. All take `(t, q, u, x, P, y, work)`.

    `pose` leaves A, B and g in `work`, `errors` g and the slip; `moving` gives the q̇ of speeds; `factors(damping, at, …)` factorises
    A and S + damping N², N at the places `at` behind the parameters; `correct` turns errors r into multipliers, and into d = A⁻¹Bᵀr.
    """

    def __init__(self, rhs: RangeSpaceRightHandSide, module: Module, lanes: int):
        m, rows = rhs.m, rhs.closing
        self.m, self.n_rows, self.places = m, rows.n_rows, rows.places
        self.pose, self.errors, self.moving = (
            module.block(rows.blocks[name], lanes) for name in ("pose", "errors", "moving")
        )
        self.solver = RowSolver(m, rows.pattern, module, rhs.places_of_norms(), rhs.n_masked)
        self.admissible = emit_admissible(module, m, lanes)
        self.norm_at, self.size_at = (
            module.int_table(at or [0]) for at in (rhs.places_of_norms(), rhs.places_of_sizes())
        )
        with module.function("project_factors", lanes=lanes, public=False, damping=Real, at=IntPointer, **KERNEL) as f:
            self.solver.factorise_damped(f, self.parts(f) | rhs.projection_mask(f), self.scales(f), f.damping, f.at)
        self.factors = f.signature
        with module.function("project_correct", lanes=lanes, public=False, **KERNEL) as f:
            self.solver.correct(f, self.parts(f))
        self.correct = f.signature

    def parts(self, f: Any) -> dict[str, Any]:
        """Parts of the working memory."""
        return {name: f.work + start for name, start in self.places.items()}

    def scales(self, f: Any) -> Any:
        """What rows are measured by: see `places_of_norms` and `places_of_sizes`."""
        return f.P + len(self.m.parameters)
