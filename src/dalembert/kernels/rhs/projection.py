"""Projection onto the constraints, in compiled code: coordinates, then speeds, by the least change in the metric of the mass matrix A.

Newton's method on the residual with the factors of the first pose, made anew only where it gains little. Rows are damped by what they
are open: a direction in which they resist less than that is not decided by them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dalembert.kernels.runtime.straight import KERNEL, NAMES
from dalembert.trace.native import FunctionBuilder, Module, Pointer, Signature, maximum

if TYPE_CHECKING:
    from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from typing import TYPE_CHECKING

from dalembert.kernels.rhs.row_solver import RowSolver
from dalembert.kernels.runtime.admissible import emit_admissible
from dalembert.trace.native import C99, IntPointer, Real

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
        self.errors, self.moving = (module.block(rows.blocks[name], lanes) for name in ("errors", "moving"))
        short = (
            module.target == C99 and rows is rhs
        )  # code that is read has every equation once, and pays for what is not needed
        self.pose = self._pose_of(rows, module, lanes) if short else module.block(rows.blocks["pose"], lanes)
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

    def _pose_of(self, rows: RangeSpaceRightHandSide, module: Module, lanes: int) -> Signature:
        """`pose` as a part of the whole dynamics, without forces from outside, and the errors."""
        dynamics = module.block(rows.blocks["dynamics"], lanes)
        with module.function("pose_of_dynamics", lanes=lanes, public=False, **KERNEL) as f:
            none, rates = f.array(max(1, self.m.n_u)), f.array(max(1, self.m.n_q))
            none.clear(max(1, self.m.n_u))
            f.call(dynamics, f.t, f.q, f.u, none, f.P, rates, f.work)
            f.call(self.errors, f.t, f.q, f.u, f.x, f.P, f.y, f.work)
        return f.signature

    def parts(self, f: FunctionBuilder) -> dict[str, Any]:
        """Parts of the working memory."""
        return {name: f.work + start for name, start in self.places.items()}

    def scales(self, f: FunctionBuilder) -> Pointer:
        """What rows are measured by: see `places_of_norms` and `places_of_sizes`."""
        return f.P + len(self.m.parameters)


MOST_CORRECTIONS = 12
"""Newton steps of a projection; from an integrator's step, one or two are needed."""
SLOW = 1e-2
"""Part of the last gap above which a Newton step has gained too little with the factors it has."""
LEAST_DAMPING, SPEED_DAMPING = 1e-15, 1e-12
"""Part of a row's reference norm, squared, below which it does not resist a displacement, or a speed: that is lost in rounding, the
speed's direction sooner, as it hangs on the pose."""
FAR = 1e-7
"""First gap, by the row's scale, after which the factors are made anew for the speeds."""
ROUNDING = 4e-16
"""Gap, by the row's scale, that cannot be made smaller."""
STALLED = 0.5
"""Part of the last gap above which a further Newton step is not worth making."""
NO_GAP_YET = 1e300
"""More than any gap."""


class ConstraintProjection:
    """`project(t, q, u, x, P, y, work)` of a right-hand side: q, then u, corrected in place; `y` is scratch for q̇."""

    def __init__(self, rhs: RangeSpaceRightHandSide, module: Module, lanes: int):
        self.m, self.module, self.lanes = rhs.m, module, lanes
        self.code = rhs.closing_code(module, lanes)

    def emit(self) -> Signature:
        """Add the function to the module."""
        with self.module.function("project", lanes=self.lanes, **KERNEL) as f:
            self.f, self.arguments = f, [getattr(f, name) for name in NAMES]
            self.part, self.scales = self.code.parts(f), self.code.scales(f)
            self.state = f.variables(before=NO_GAP_YET, gap=0.0, first=0.0)
            self._correct_coordinates()
            with f.if_((self.state.first > FAR).any()):
                self._factorise(lambda: f.real(SPEED_DAMPING))
            self.state.before = NO_GAP_YET
            self._correct_speeds()
        signature: Signature = f.signature
        return signature

    def _correct_coordinates(self) -> None:
        f, part, state, moved = self.f, self.part, self.state, self.part["moved"]
        if self.code.admissible:
            # else the first gap would be that of Euler parameters off unit length, which may seem the smaller one
            f.call(self.code.admissible, *self.arguments)
        with f.loop(MOST_CORRECTIONS) as turn:
            with f.if_(turn == 0):
                self._factorise(self._by_gap)
                state.first = state.gap
            self._measure(part["g"])
            self._stop_if_done()
            with f.if_((turn > 0) & (state.gap > SLOW * state.before).any()):
                self._factorise(self._by_gap)
            self._solve(part["g"])
            with f.loop(self.m.n_u) as i:
                moved[i] = -part["d"][i]
            f.call(self.code.moving, f.t, f.q, moved, f.x, f.P, f.y, f.work)
            with f.loop(self.m.n_q) as i:
                f.q[i] = f.q[i] + f.y[i]
            if self.code.admissible:
                f.call(self.code.admissible, *self.arguments)
            f.call(self.code.errors, *self.arguments)

    def _correct_speeds(self) -> None:
        f, part, state = self.f, self.part, self.state
        with f.loop(MOST_CORRECTIONS) as turn:
            f.call(self.code.errors, *self.arguments)
            self._measure(part["slip"])
            self._stop_if_done()
            with f.if_((turn > 0) & (state.gap > SLOW * state.before).any()):
                self._factorise(lambda: f.real(SPEED_DAMPING))
                f.call(self.code.errors, *self.arguments)
            self._solve(part["slip"])
            with f.loop(self.m.n_u) as i:
                f.u[i] = f.u[i] - part["d"][i]

    def _factorise(self, damping: Callable[[], Any]) -> None:
        """Factors in the pose reached."""
        self.f.call(self.code.pose, *self.arguments)
        self.f.call(self.code.factors, damping(), self.code.norm_at, *self.arguments)

    def _by_gap(self) -> Any:
        """Damping by what the rows are open."""
        self._measure(self.part["g"])
        return maximum(self.state.gap, LEAST_DAMPING)

    def _measure(self, errors: Pointer) -> None:
        """The largest error, by its row's scale."""
        self.state.gap = 0.0
        with self.f.loop(self.code.n_rows) as i:
            self.state.gap = maximum(self.state.gap, abs(errors[i]) / self.scales[self.code.size_at[i]])

    def _stop_if_done(self) -> None:
        state = self.state
        self.f.stop_if((state.gap >= STALLED * state.before).all() | (state.gap <= ROUNDING).all())

    def _solve(self, errors: Pointer) -> None:
        """The least change of the speeds that makes up for the errors, into part d."""
        self.state.before = self.state.gap
        with self.f.loop(self.code.n_rows) as i:
            self.part["r"][i] = errors[i]
        self.f.call(self.code.correct, *self.arguments)
