"""DOP853: Dormand and Prince's explicit method of order 8, step chosen by an error estimate of orders 5 and 3, dense output of order 7.

Hairer, Nørsett and Wanner, *Solving Ordinary Differential Equations I*, II.4, II.5 and II.10.
"""

from __future__ import annotations

from typing import Any

from dalembert.mechanism import Mechanism
from dalembert.simulation.integrators.adaptive import AdaptiveStep, arrival, error_scale, limited, too_small, unlimited
from dalembert.simulation.integrators.dop853_tableau import E3, E5, A, B, C, D
from dalembert.simulation.integrators.integrator import NOT_FINITE, STEP_TOO_SMALL, Method, Unknowns
from dalembert.simulation.march.equations import Equations
from dalembert.trace.native import Pointer, Real, Signature, maximum, minimum, select, sqrt

STAGES, ALL_STAGES, POWERS = 12, 16, 7
SAFETY, SHRINK, GROW = 0.9, 0.333, 6.0
BETA = 0.04
"""Weight of the last step's error in the choice of the next (PI control)."""
EXPONENT = 1.0 / 8.0 - 0.2 * BETA


class DOP853(AdaptiveStep):
    name = "dop853"
    order = 8

    @property
    def held(self) -> Method | None:
        from dalembert.simulation.integrators.dop853_held import HeldDOP853

        return HeldDOP853()

    def parts(self, m: Unknowns) -> dict[str, int]:
        n = m.n
        return {"stage": n, "k": ALL_STAGES * n, "dense": POWERS * n, "dense_ready": 1, "last_error": 1, "rejected": 1}

    def first_values(self, m: Mechanism) -> dict[str, Any]:
        return {"last_error": 1e-4}

    def emit_step(self, e: Equations) -> Signature:
        n = e.n
        with e.function("step") as f:
            p = e.layout.of(f.memory)
            k = [p.k + s * n for s in range(ALL_STAGES)]
            for i in f.each(n):
                p.y_old[i] = p.y[i]
                k[0][i] = p.dy[i]
            p.t_old[0] = p.t[0]
            p.rejected[0] = 0.0
            v = f.variables(h=p.step[0], error=0.0, finite=True, accepted=False)
            with f.while_(lambda: ~v.accepted):
                v.h = limited(p, v.h)
                with f.if_(too_small(p, v.h)):
                    f.return_(select(v.finite, f.integer(STEP_TOO_SMALL), f.integer(NOT_FINITE)))
                for s in range(1, STAGES):
                    combine(f, n, p.stage, p.y_old, v.h, A[s], k)
                    self.evaluate_stage(f, e, p.t_old[0] + C[s] * v.h, k[s])
                combine(f, n, p.y, p.y_old, v.h, B, k)
                v.error = self.error(f, e, p, v.h, k)
                v.finite = (v.error < 1e100).all()
                v.accepted = (v.error <= 1.0).all()
                with f.if_(~v.accepted):
                    p.rejected[0] = 1.0
                    v.h = v.h * select(v.error < 1e100, maximum(SHRINK, SAFETY / v.error**EXPONENT), 0.1)
            before = p.last_error[0] ** BETA
            factor = maximum(SHRINK, minimum(GROW, SAFETY * before / maximum(v.error, 1e-300) ** EXPONENT))
            p.step[0] = select(p.rejected[0] > 0.0, v.h * minimum(factor, 1.0), unlimited(p, v.h, v.h * factor))
            p.last_error[0] = maximum(v.error, 1e-4)
            p.t[0] = arrival(p, v.h)
            p.dense_ready[0] = 0.0
            e.projected(f, p.t[0], p.y)
            e.evaluate(f, p.t[0], p.y, p.dy)
            for i in f.each(n):
                k[STAGES][i] = p.dy[i]
        return f.signature

    def evaluate_stage(self, f: Any, e: Equations, t: Real, slope: Pointer) -> None:
        """The slope at the stage in memory."""
        e.evaluate(f, t, e.layout.of(f.memory).stage, slope)

    def scale(self, p: Any, rtol: Real, i: Any) -> Real:
        """By what the error of a component is measured."""
        return error_scale(p, rtol, i)

    def error(self, f: Any, e: Equations, p: Any, h: Real, k: list[Pointer]) -> Any:
        """(h e₅)² / √(n ((h e₅)² + 0.01 (h e₃)²)), each component measured by its scale."""
        rtol, third = p.rtol[0], p.stage  # the last stage is done with
        for i in f.each(e.n):
            per_step = h / self.scale(p, rtol, i)
            p.error[i] = per_step * weighted(E5, k, i)
            third[i] = per_step * weighted(E3, k, i)
        squares = [f.total(e.n, lambda i, x=x: x[i] * x[i]) for x in (p.error, third)]
        together = squares[0] + 0.01 * squares[1]
        return select(together == 0.0, f.real(0.0), squares[0] / sqrt(together * float(e.n)))

    def emit_dense(self, e: Equations) -> Signature:
        return self.dense_after(e, self.emit_prepare(e))

    def dense_after(self, e: Equations, prepare: Signature) -> Signature:
        with e.function("dense", at=Real, out=Pointer) as f:
            p = e.layout.of(f.memory)
            f.call(prepare, f.memory, f.given, f.work)
            x: Any = (f.at - p.t_old[0]) / (p.t[0] - p.t_old[0])
            for i in f.each(e.n):
                f.out[i] = polynomial(e.n, p, i, x)
            e.projected(f, f.at, f.out)
        return f.signature

    def emit_prepare(self, e: Equations) -> Signature:
        """Three further stages and the coefficients of the interpolating polynomial, once for a step."""
        n = e.n
        with e.function("prepare_dense") as f:
            p = e.layout.of(f.memory)
            with f.if_((p.dense_ready[0] != 0.0).all()):
                f.return_()
            k = [p.k + s * n for s in range(ALL_STAGES)]
            h = p.t[0] - p.t_old[0]
            for s in range(STAGES + 1, ALL_STAGES):
                combine(f, n, p.stage, p.y_old, h, A[s], k)
                self.evaluate_stage(f, e, p.t_old[0] + C[s] * h, k[s])
            for i in f.each(n):
                rise = p.y[i] - p.y_old[i]
                p.dense[i] = rise
                p.dense[n + i] = h * k[0][i] - rise
                p.dense[2 * n + i] = 2.0 * rise - h * (k[STAGES][i] + k[0][i])
                for j, row in enumerate(D):
                    p.dense[(3 + j) * n + i] = h * weighted(row, k, i)
            p.dense_ready[0] = 1.0
        return f.signature


def polynomial(n: int, p: Any, i: Any, x: Any) -> Any:
    """Component i of the dense output at the part x of the step."""
    value: Any = 0.0
    for j in reversed(range(POWERS)):
        value = (value + p.dense[j * n + i]) * (x if j % 2 == 0 else 1.0 - x)
    return p.y_old[i] + value


def weighted(weights: dict[int, float], k: list[Pointer], i: Any) -> Any:
    total: Any = None
    for s, weight in weights.items():
        term = weight * k[s][i]
        total = term if total is None else total + term
    return total


def combine(f: Any, n: int, out: Pointer, y: Pointer, h: Real, weights: dict[int, float], k: list[Pointer]) -> None:
    """out = y + h Σ weights k."""
    for i in f.each(n):
        out[i] = y[i] + h * weighted(weights, k, i)
