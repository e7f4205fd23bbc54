"""The classical Runge–Kutta method: four slopes per step, order 4, fixed step.

y₁ = y + h/6 (k₁ + 2k₂ + 2k₃ + k₄). Between steps the cubic through both ends and their slopes (Hermite) gives the output. The slope at
the end of a step is worked out when it is asked for, by output within the step or by the next step: where elements are sampled there,
or inputs change, the slope before is asked for by nobody.
"""

from __future__ import annotations

from typing import Any

from dalembert.simulation.integrators.fixed_step import FixedStep, emit_hermite
from dalembert.simulation.integrators.integrator import Unknowns
from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.trace.native import FunctionBuilder, Pointer, Real, Signature


class RK4(FixedStep):
    """`slope_known` says whether the slope of y lies in dy."""

    name = "rk4"
    order = 4

    def parts(self, m: Unknowns) -> dict[str, int]:
        return {**dict.fromkeys(("stage", "k2", "k3", "k4"), m.n), "slope_known": 1}

    def emit_start(self, e: MarchedEquations) -> Signature:
        """The slope is another, from now on."""
        with e.function("start") as f:
            e.layout.of(f.memory).slope_known[0] = 0.0
        signature: Signature = f.signature
        return signature

    def emit_advance(self, e: MarchedEquations) -> Signature:
        with e.function("advance", h=Real) as f:
            p = e.layout.of(f.memory)
            h, t = f.h, p.t_old[0]

            def go_on(to: Pointer, base: Pointer, ahead: Any, k: Pointer) -> None:
                for i in f.each(e.n):
                    to[i] = base[i] + ahead * k[i]

            _slope_if_unknown(f, e, t, p.y_old, p.dy_old)
            go_on(p.stage, p.y_old, 0.5 * h, p.dy_old)
            e.evaluate(f, t + 0.5 * h, p.stage, p.k2)
            go_on(p.stage, p.y_old, 0.5 * h, p.k2)
            e.evaluate(f, t + 0.5 * h, p.stage, p.k3)
            go_on(p.stage, p.y_old, h, p.k3)
            e.evaluate(f, t + h, p.stage, p.k4)
            for i in f.each(e.n):
                k: Any = p.dy_old[i] + 2.0 * (p.k2[i] + p.k3[i]) + p.k4[i]
                p.y[i] = p.y_old[i] + h / 6.0 * k
            e.projected(f, t + h, p.y)
            p.slope_known[0] = 0.0
        signature: Signature = f.signature
        return signature

    def emit_dense(self, e: MarchedEquations) -> Signature:
        hermite = emit_hermite(e, "hermite")
        with e.function("dense", at=Real, out=Pointer) as f:
            p = e.layout.of(f.memory)
            _slope_if_unknown(f, e, p.t[0], p.y, p.dy)
            f.call(hermite, f.memory, f.inputs, f.work, f.at, f.out)
        signature: Signature = f.signature
        return signature


def _slope_if_unknown(f: FunctionBuilder, e: MarchedEquations, t: Any, y: Pointer, dy: Pointer) -> None:
    """dy = f(t, y), unless it lies there already."""
    known = e.layout.of(f.memory).slope_known
    with f.if_((known[0] == 0.0).any()):
        e.evaluate(f, t, y, dy)
        known[0] = 1.0
