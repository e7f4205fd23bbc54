"""Radau IIA of order 5: implicit, for stiff springs and contact-like forces. Analytic Jacobians, L-stable, step by an error estimate.

Hairer and Wanner, *Solving Ordinary Differential Equations II*, IV.8. Three stages Zᵢ = y(t + cᵢh) − y, solved by a simplified Newton
iteration that the eigenvectors T of the method's matrix split into one real and one complex system. Dense output is the cubic of the
collocation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.mechanism import Mechanism
from dalembert.simulation.integrators.adaptive import AdaptiveStep, arrival, error_scale, limited, too_small, unlimited
from dalembert.simulation.integrators.integrator import NOT_FINITE, STEP_TOO_SMALL, Method, Steps, Unknowns
from dalembert.simulation.integrators.stiff_linear import StiffLinear
from dalembert.simulation.march.equations import Equations
from dalembert.trace.native import Pointer, Real, Signature, maximum, minimum, select, sqrt

ROOT = 6.0**0.5
C = ((4.0 - ROOT) / 10.0, (4.0 + ROOT) / 10.0, 1.0)
ERROR = ((-13.0 - 7.0 * ROOT) / 3.0, (-13.0 + 7.0 * ROOT) / 3.0, -1.0 / 3.0)
"""The embedded method's difference, in Z/h."""
MU = 3.0 + 3.0 ** (2 / 3) - 3.0 ** (1 / 3)
MU_PAIR = (3.0 + 0.5 * (3.0 ** (1 / 3) - 3.0 ** (2 / 3)), -0.5 * (3.0 ** (5 / 6) + 3.0 ** (7 / 6)))
"""Eigenvalues of the inverse of the method's matrix, real and complex."""
T = np.array(
    [
        [0.09443876248897524, -0.14125529502095421, 0.03002919410514742],
        [0.25021312296533332, 0.20412935229379994, -0.38294211275726192],
        [1.0, 1.0, 0.0],
    ]
)
T_INVERSE = np.array(
    [
        [4.17871859155190428, 0.32768282076106237, 0.52337644549944951],
        [-4.17871859155190428, -0.32768282076106237, 0.47662355450055044],
        [0.50287263494578682, -2.57192694985560522, 0.59603920482822492],
    ]
)
DENSE = np.array(
    [
        [13 / 3 + 7 * ROOT / 3, -23 / 3 - 22 * ROOT / 3, 10 / 3 + 5 * ROOT],
        [13 / 3 - 7 * ROOT / 3, -23 / 3 + 22 * ROOT / 3, 10 / 3 - 5 * ROOT],
        [1 / 3, -8 / 3, 10 / 3],
    ]
)
"""The collocation polynomial: y_old + Σⱼ θ^(j+1) Σᵢ Zᵢ DENSE[i, j]."""

ITERATIONS = 10
SHRINK, GROW, SAFETY = 0.2, 8.0, 0.9


class Radau(AdaptiveStep):
    name = "radau"
    order = 5
    any_formulation = False

    @property
    def held(self) -> Method | None:
        from dalembert.simulation.integrators.radau_held import HeldRadau

        return HeldRadau()

    def scale(self, p: Any, rtol: Real, i: Any) -> Real:
        """By what the error of a component is measured."""
        return error_scale(p, rtol, i)

    def measured(self, f: Any, h: Real) -> None:
        """Called where a trial is about to be measured."""

    def limited(self, p: Any, h: Real) -> Real:
        """A step not longer than allowed."""
        return limited(p, h)

    def arrived(self, f: Any, e: Equations) -> None:
        """Called at the end of a step, its slope known."""

    def parts(self, m: Unknowns) -> dict[str, int]:
        n = m.n_q + m.n_u
        own = {"Z": 3 * n, "W": 3 * n, "F": 3 * n, "stage": n, "last_error": 1, "last_h": 1}
        return own | StiffLinear.parts(m)

    def first_values(self, m: Mechanism) -> dict[str, Any]:
        return {"last_error": 1e-4}

    def emit(self, e: Equations) -> Steps:
        linear = StiffLinear(e)
        iterate = self._emit_iteration(e, linear)
        return Steps(self.emit_start(e), self._emit_step(e, linear, iterate), self.emit_dense(e), linear.scratch)

    def _emit_iteration(self, e: Equations, linear: StiffLinear) -> Signature:
        """`iterate(memory, given, work, h, out)`: factorise, Newton's iteration on Z, error estimate; 0 if it converged.

        out: the error's norm, the number of iterations.
        """
        n = e.n
        with e.function("iterate", h=Real, out=Pointer) as f:
            p = e.layout.of(f.memory)
            Z, W, F = ([part + k * n for k in range(3)] for part in (p.Z, p.W, p.F))
            real, pair = MU / f.h, (MU_PAIR[0] / f.h, MU_PAIR[1] / f.h)
            rows, rows_c = f.int_array(max(1, e.n_u)), f.int_array(max(1, e.n_u))
            linear.factorise(f, p, real, pair, rows, rows_c)
            self._predict(f, n, p, Z, W, f.h)
            v = f.variables(size=0.0, before=0.0, rate=0.0, count=0, done=False, failed=False)
            with f.while_(lambda: ~(v.done | v.failed)):
                self._residual(f, e, p, Z, W, F, real, pair)
                linear.solve(f, p, real, rows, F[0])
                linear.solve_pair(f, p, pair, rows_c, F[1], F[2])
                v.size = 0.0
                with f.loop(n) as i:
                    for k in range(3):
                        change = F[k][i]
                        W[k][i] = W[k][i] + change
                        scaled = change / self.scale(p, p.rtol[0], i)
                        v.size = v.size + scaled * scaled
                    weights = [W[k][i] for k in range(3)]
                    for k in range(3):
                        Z[k][i] = _dot(T[k], weights)
                v.size = sqrt(v.size / (3.0 * max(n, 1)))
                v.count = v.count + 1
                known = f.real(v.count) > 1.5
                v.rate = select(known, v.size / v.before, 0.0)
                wanted = maximum(10.0 * 2.0**-52 / p.rtol[0], minimum(f.real(0.03), sqrt(p.rtol[0])))
                close = (v.rate / (1.0 - v.rate) * v.size < wanted) & known & (v.rate < 1.0)
                v.done = (close | (v.size == 0.0) | (v.size < 1e-3 * wanted)).all()
                worse = (known & (v.rate >= 2.0)) | ~(v.size < 1e100)
                v.failed = ~v.done & (worse.any() | (v.count >= ITERATIONS))
                v.before = v.size
            with f.if_(v.failed):
                f.return_(1)
            with f.loop(n) as i:
                p.y[i] = p.y_old[i] + Z[2][i]
            self._estimate(f, e, p, linear, real, rows, Z, p.dy_old)
            f.out[0] = self._norm(f, n, p)
            with f.if_((f.out[0] > 1.0).all()):  # filtered once more, as stiff components exaggerate it
                with f.loop(n) as i:
                    p.stage[i] = p.y_old[i] + p.error[i]
                e.evaluate(f, p.t_old[0], p.stage, p.dy)
                self._estimate(f, e, p, linear, real, rows, Z, p.dy)
                f.out[0] = self._norm(f, n, p)
            f.out[1] = f.real(v.count)
        return f.signature

    def _residual(
        self, f: Any, e: Equations, p: Any, Z: list[Pointer], W: list[Pointer], F: list[Pointer], real: Real, pair: Any
    ) -> None:
        """F = T⁻¹ (slopes at the three stages) − (Λ/h) W: what is left of the equations, in the variables that do not mix."""
        for k in range(3):
            with f.loop(e.n) as i:
                p.stage[i] = p.y_old[i] + Z[k][i]
            e.evaluate(f, p.t_old[0] + C[k] * f.h, p.stage, F[k])
        with f.loop(e.n) as i:
            slopes, weights = [F[k][i] for k in range(3)], [W[k][i] for k in range(3)]
            turned = [_dot(T_INVERSE[k], slopes) for k in range(3)]
            F[0][i] = turned[0] - real * weights[0]
            F[1][i] = turned[1] - (pair[0] * weights[1] - pair[1] * weights[2])
            F[2][i] = turned[2] - (pair[0] * weights[2] + pair[1] * weights[1])

    def _predict(self, f: Any, n: int, p: Any, Z: list[Pointer], W: list[Pointer], h: Real) -> None:
        """Begin with the last step's polynomial carried on, or with nothing."""
        ratio = select(p.last_h[0] > 0.0, h / p.last_h[0], 0.0)
        with f.loop(n) as i:
            old = [Z[k][i] for k in range(3)]
            carried = [self._carried(old, 1.0 + ratio * C[k]) - old[2] for k in range(3)]
            begin = [select(p.last_h[0] > 0.0, x, 0.0) for x in carried]
            for k in range(3):
                W[k][i] = _dot(T_INVERSE[k], begin)
                Z[k][i] = begin[k]

    def _carried(self, Z: list[Any], x: Any) -> Any:
        """The collocation polynomial's value less y_old."""
        coefficients = [_dot(DENSE[:, j], Z) for j in range(3)]
        return x * (coefficients[0] + x * (coefficients[1] + x * coefficients[2]))

    def _estimate(
        self, f: Any, e: Equations, p: Any, linear: StiffLinear, real: Any, rows: Any, Z: list[Pointer], slope: Pointer
    ) -> None:
        """error = (μ/h − J)⁻¹ (slope + Σ ERROR Z / h)."""
        with f.loop(e.n) as i:
            p.error[i] = slope[i] + _dot(ERROR, [Z[k][i] for k in range(3)]) * real / MU
        linear.solve(f, p, real, rows, p.error)

    def _norm(self, f: Any, n: int, p: Any) -> Any:
        v = f.variables(sum=0.0)
        with f.loop(n) as i:
            scaled = p.error[i] / self.scale(p, p.rtol[0], i)
            v.sum = v.sum + scaled * scaled
        return sqrt(v.sum / float(max(n, 1)))

    def _emit_step(self, e: Equations, linear: StiffLinear, iterate: Signature) -> Signature:
        n = e.n
        with e.function("step") as f:
            p = e.layout.of(f.memory)
            with f.loop(n) as i:
                p.y_old[i] = p.y[i]
                p.dy_old[i] = p.dy[i]
            p.t_old[0] = p.t[0]
            linear.differentiate(f, p)
            out = f.array(2)
            keep = f.array(3 * n)
            with f.loop(3 * n) as i:
                keep[i] = p.Z[i]
            v = f.variables(h=p.step[0], factor=1.0, accepted=False, finite=True, rejected=False)
            with f.while_(lambda: ~v.accepted):
                v.h = self.limited(p, v.h)
                with f.if_(too_small(p, v.h)):
                    f.return_(select(v.finite, f.integer(STEP_TOO_SMALL), f.integer(NOT_FINITE)))
                with f.loop(3 * n) as i:
                    p.Z[i] = keep[i]
                with f.loop(n) as i:
                    p.y[i] = p.y_old[i]
                self.measured(f, v.h)
                failed = f.call(iterate, f.memory, f.given, f.work, v.h, out)
                with f.if_(failed != 0):
                    v.rejected = True
                    v.finite = self._finite(f, e, p)
                    v.h = 0.5 * v.h
                with f.else_():
                    error = maximum(out[0], 1e-10)
                    v.finite = (error < 1e100).all()
                    v.accepted = (error <= 1.0).all()
                    safety = SAFETY * (2.0 * ITERATIONS + 1.0) / (2.0 * ITERATIONS + out[1])
                    first = p.last_h[0] <= 0.0
                    trend = v.h / p.last_h[0] * (p.last_error[0] / error) ** 0.25
                    v.factor = safety * select(first, f.real(1.0), minimum(f.real(1.0), trend)) / error**0.25
                    with f.if_(~v.accepted):
                        v.rejected = True
                        v.h = v.h * select(error < 1e100, maximum(SHRINK, minimum(v.factor, 0.9)), 0.1)
            p.last_h[0], p.last_error[0] = v.h, maximum(out[0], 1e-2)
            following = v.h * maximum(SHRINK, minimum(v.factor, GROW))
            p.step[0] = select(v.rejected, minimum(following, v.h), unlimited(p, v.h, following))
            p.t[0] = arrival(p, v.h)
            e.projected(f, p.t[0], p.y)
            e.evaluate(f, p.t[0], p.y, p.dy)
            self.arrived(f, e)
        return f.signature

    def _finite(self, f: Any, e: Equations, p: Any) -> Any:
        """Whether the slopes of the stages were numbers."""
        v = f.variables(zero=0.0)
        with f.loop(3 * e.n) as i:
            v.zero = v.zero + 0.0 * p.F[i]
        return (v.zero == 0.0).all()

    def emit_dense(self, e: Equations) -> Signature:
        n = e.n
        with e.function("dense", at=Real, out=Pointer) as f:
            p = e.layout.of(f.memory)
            x = (f.at - p.t_old[0]) / (p.t[0] - p.t_old[0])
            with f.loop(n) as i:
                f.out[i] = p.y_old[i] + self._carried([p.Z[k * n + i] for k in range(3)], x)
            e.projected(f, f.at, f.out)
        return f.signature


def _dot(weights: Any, values: list[Any]) -> Any:
    total: Any = None
    for weight, value in zip(weights, values):
        if weight != 0.0:
            total = float(weight) * value if total is None else total + float(weight) * value
    return total
