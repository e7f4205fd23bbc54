"""DOP853: Dormand and Prince's explicit method of order 8, step chosen by an error estimate of orders 5 and 3, dense output of order 7.

Hairer, Nørsett and Wanner, *Solving Ordinary Differential Equations I*, II.4, II.5 and II.10.
"""

from __future__ import annotations

from typing import Any

from dalembert.simulation.integrators.adaptive import Stepper
from dalembert.simulation.integrators.dop853_tableau import E3, E5, A, B, C, D
from dalembert.simulation.integrators.explicit_step import ExplicitRungeKutta, ExplicitStepper, Tableau, weighted
from dalembert.simulation.integrators.integrator import Unknowns
from dalembert.simulation.integrators.pose_crossing import CrossPose, Gap
from dalembert.simulation.integrators.singular_pose import NoRows
from dalembert.simulation.integrators.step_control import PIControl
from dalembert.simulation.march.marched_equations import MarchedEquations, emit_wide, wide_scratch
from dalembert.simulation.march.memory import PartPointers
from dalembert.trace.native import FunctionBuilder, Int, Pointer, Real, Signature, select, sqrt

POWERS = 7
"""Powers of the polynomial between steps."""
LOWER_ERROR = 0.01
"""Weight of the error estimate of order 3 beside that of order 5, squared [Hairer, Nørsett and Wanner, II.10]."""


class InWidestGap(CrossPose):
    """Singular poses in the gap between stages 5 and 9, from 1/3 to 0.6 of a step."""

    gap = Gap(begin=0.345, middle=0.46, late=0.58, end=0.66, stage=10, stage_at=C[10])


class DOP853(ExplicitRungeKutta):
    name = "dop853"
    order = 8
    tableau = Tableau(C, A, B, E5, further=4)
    control = PIControl(order=8, beta=0.04)
    singular_pose = InWidestGap

    def stage_parts(self, m: Unknowns) -> dict[str, int]:
        """`dense`, coefficients of the polynomial between steps, and whether they are `dense_ready`."""
        return super().stage_parts(m) | {"dense": POWERS * m.n, "dense_ready": 1}

    def stepper(self, e: MarchedEquations, poses: NoRows) -> Stepper:
        return _DOP853Stepper(e, poses, self.tableau)


class _DOP853Stepper(ExplicitStepper):
    """The error of two embedded methods, and a polynomial of degree 7 between steps."""

    def __init__(self, e: MarchedEquations, poses: NoRows, tableau: Tableau):
        super().__init__(e, poses, tableau)
        self._prepare = self._emit_prepare()
        self.scratch = wide_scratch(e) if e.wide_lanes > 1 else 0

    def error(self, f: FunctionBuilder, h: Real, k: list[Pointer]) -> Real:
        """(h e₅)² / √(n ((h e₅)² + 0.01 (h e₃)²)), each component measured by its scale."""
        n, p = self.e.n, self.e.layout.of(f.memory)
        rtol, third = p.rtol[0], p.stage  # the last stage is done with
        for i in f.each(n):
            per_step = h / self.poses.scale.of(p, rtol, i)
            p.error[i] = per_step * weighted(E5, k, i)
            third[i] = per_step * weighted(E3, k, i)
        squares = [_squared(f, n, x) for x in (p.error, third)]
        together = squares[0] + LOWER_ERROR * squares[1]
        return select(together == 0.0, f.real(0.0), squares[0] / sqrt(together * float(n)))

    def arrived(self, f: FunctionBuilder) -> None:
        p = self.e.layout.of(f.memory)
        p.dense_ready[0] = 0.0
        at_end = self.slopes(p)[self.tableau.stages]
        for i in f.each(self.e.n):
            at_end[i] = p.dy[i]

    def emit_dense(self) -> Signature:
        n = self.e.n
        with self.e.function("dense", at=Real, out=Pointer) as f:
            p = self.e.layout.of(f.memory)
            f.call(self._prepare, f.memory, f.inputs, f.work)
            x: Any = (f.at - p.t_old[0]) / (p.t[0] - p.t_old[0])
            for i in f.each(n):
                f.out[i] = polynomial(n, p, i, x)
            self.e.projected(f, f.at, f.out)
        return f.signature

    def emit_several(self) -> Signature | None:
        e = self.e
        if e.wide_lanes == 1:
            return None
        wide = emit_wide(e, lambda p, i, x: polynomial(e.n, p, i, x))
        with e.function("several", times=Pointer, out=Pointer) as f:
            f.call(self._prepare, f.memory, f.inputs, f.work)
            f.call(wide, f.memory, f.inputs, f.work, f.times, f.out)
        return f.signature

    def _emit_prepare(self) -> Signature:
        """Three further stages and the coefficients of the interpolating polynomial, once for a step."""
        e, n = self.e, self.e.n
        with e.function("prepare_dense") as f:
            p = e.layout.of(f.memory)
            with f.if_((p.dense_ready[0] != 0.0).all()):
                f.return_()
            k, h = self.slopes(p), p.t[0] - p.t_old[0]
            end = self.tableau.stages  # its slope is known
            for s in range(end + 1, len(k)):
                self.evaluate_stage(f, s, h, k)
            for i in f.each(n):
                rise = p.y[i] - p.y_old[i]
                p.dense[i] = rise
                p.dense[n + i] = h * k[0][i] - rise
                p.dense[2 * n + i] = 2.0 * rise - h * (k[end][i] + k[0][i])
                for j, row in enumerate(D):
                    p.dense[(3 + j) * n + i] = h * weighted(row, k, i)
            p.dense_ready[0] = 1.0
        return f.signature


def _squared(f: FunctionBuilder, n: int, x: Pointer) -> Real:
    return f.total(n, lambda i: x[i] * x[i])


def polynomial(n: int, p: PartPointers, i: Int, x: Real) -> Real:
    """Component i of the dense output at the part x of the step."""
    value: Real | float = 0.0
    for j in reversed(range(POWERS)):
        value = (value + p.dense[j * n + i]) * (x if j % 2 == 0 else 1.0 - x)
    return p.y_old[i] + value
