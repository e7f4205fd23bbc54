"""The classical Runge–Kutta method: four slopes per step, order 4, fixed step.

y₁ = y + h/6 (k₁ + 2k₂ + 2k₃ + k₄). Between steps the cubic through both ends and their slopes (Hermite) gives the output.
"""

from __future__ import annotations

from typing import Any

from dalembert.simulation.equations import Equations
from dalembert.simulation.fixed import FixedStep, emit_hermite
from dalembert.simulation.method import Method, Unknowns
from dalembert.trace.native import Real, Signature


class RK4(FixedStep):
    name = "rk4"
    order = 4

    @property
    def held(self) -> Method | None:
        return self

    def parts(self, m: Unknowns) -> dict[str, int]:
        return {"stage": m.n_q + m.n_u, "slope": m.n_q + m.n_u}

    def emit_advance(self, e: Equations) -> Signature:
        n = e.n
        with e.function("advance", h=Real) as f:
            p = e.layout.of(f.memory)
            h, t = f.h, p.t_old[0]
            for i in f.each(n):
                p.stage[i] = p.y_old[i] + 0.5 * h * p.dy_old[i]
                p.y[i] = p.y_old[i] + h / 6.0 * p.dy_old[i]
            for weight, ahead in ((h / 3.0, 0.5 * h), (h / 3.0, h)):
                e.evaluate(f, t + 0.5 * h, p.stage, p.slope)
                for i in f.each(n):
                    k: Any = p.slope[i]
                    p.stage[i] = p.y_old[i] + ahead * k
                    p.y[i] = p.y[i] + weight * k
            e.evaluate(f, t + h, p.stage, p.slope)
            for i in f.each(n):
                p.y[i] = p.y[i] + h / 6.0 * p.slope[i]
            e.projected(f, t + h, p.y)
            e.evaluate(f, t + h, p.y, p.dy)
        return f.signature

    def emit_dense(self, e: Equations) -> Signature:
        return emit_hermite(e)
