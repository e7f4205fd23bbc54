"""Radau IIA of order 5: implicit, for stiff springs and contact-like forces. Analytic Jacobians, L-stable, step by an error estimate.

Hairer and Wanner, *Solving Ordinary Differential Equations II*, IV.8. Three stages Zᵢ = y(t + cᵢh) − y, solved by a simplified Newton
iteration that the eigenvectors T of the method's matrix split into one real and one complex system. Dense output is the cubic of the
collocation.

Constraints, twice differentiated, make an ordinary differential equation in (q, u), whose solutions off the constraints drift but are
not stiff: stages need not lie on them, and stiffness is where it was, in the forces. Its Jacobian is exact (`kernels.rhs.jacobian`), so
that Newton's iteration sees the constraints' forces change as well. After each step q, then u, are brought back by the least change in
the metric of A, as the explicit methods do it. Keeping positions in every stage instead (the stabilised index 2 of Gear, Gupta and
Leimkuhler) would add the multipliers to the unknowns, twice as many rows to the matrices, and gain nothing that the projection leaves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.simulation.integrators.adaptive import SAFETY, AdaptiveStep, Stepper, again_if
from dalembert.simulation.integrators.integrator import Unknowns
from dalembert.simulation.integrators.singular_pose import NoRows
from dalembert.simulation.integrators.step_control import FINITE, GustafssonControl
from dalembert.simulation.integrators.stiff_linear import StiffLinear
from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.simulation.march.memory import PartPointers
from dalembert.trace.native import (
    Bool,
    FunctionBuilder,
    Pointer,
    Real,
    Signature,
    Variables,
    maximum,
    minimum,
    select,
    sqrt,
)

ROOT = 6.0**0.5
"""√6, in all coefficients."""
C = ((4.0 - ROOT) / 10.0, (4.0 + ROOT) / 10.0, 1.0)
"""Nodes of the stages."""
ERROR = ((-13.0 - 7.0 * ROOT) / 3.0, (-13.0 + 7.0 * ROOT) / 3.0, -1.0 / 3.0)
"""The embedded method's difference, in Z/h."""
MU = 3.0 + 3.0 ** (2 / 3) - 3.0 ** (1 / 3)
"""The real eigenvalue of the inverse of the method's matrix."""
MU_PAIR = (3.0 + 0.5 * (3.0 ** (1 / 3) - 3.0 ** (2 / 3)), -0.5 * (3.0 ** (5 / 6) + 3.0 ** (7 / 6)))
"""The complex ones, real and imaginary part."""
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
"""Iterations of Newton's method, at most."""
HALF = 0.5
"""Part of a step that is tried next if they did not converge."""
LEAST_ERROR = 1e-10
"""Least error of a step, so that a choice can be made by it."""
STAGE_ROUNDING, LOOSEST, FIRST_ITERATION = 10.0, 0.03, 1e-3
"""Newton's iteration ends below this many roundings over rtol, at the latest at this part of the tolerance; a first correction this
much smaller is the last [Hairer and Wanner, IV.8]."""


class Radau(AdaptiveStep):
    name = "radau"
    order = 5
    implicit = True
    any_formulation = False
    control = GustafssonControl(exponent=0.25)

    def stage_parts(self, m: Unknowns) -> dict[str, int]:
        """`Z`, the stages less y_old; `W`, they in the variables that do not mix; `F`, slopes, then corrections of W."""
        n = m.n
        return {"Z": 3 * n, "W": 3 * n, "F": 3 * n, "stage": n} | StiffLinear.parts(m)

    def stepper(self, e: MarchedEquations, poses: NoRows) -> Stepper:
        return _RadauStepper(e, poses)


class _RadauStepper(Stepper):
    """Newton's iteration on the stages, and the cubic of the collocation between steps."""

    def __init__(self, e: MarchedEquations, poses: NoRows):
        super().__init__(e, poses)
        self.linear = StiffLinear(e)
        self.scratch = self.linear.scratch
        self._iterate = self._emit_iteration()
        self._out: Any = None  # of the iteration in the step under construction
        self._Z_before: Any = None

    def remember(self, f: FunctionBuilder) -> None:
        n, p = self.e.n, self.e.layout.of(f.memory)
        with f.loop(n) as i:
            p.y_old[i] = p.y[i]
            p.dy_old[i] = p.dy[i]
        p.t_old[0] = p.t[0]
        self.linear.differentiate(f, p)
        self._out, self._Z_before = f.array(2), f.array(3 * n)
        with f.loop(3 * n) as i:
            self._Z_before[i] = p.Z[i]

    def attempt(self, f: FunctionBuilder, v: Variables) -> Real:
        n, p, out = self.e.n, self.e.layout.of(f.memory), self._out
        with f.loop(3 * n) as i:
            p.Z[i] = self._Z_before[i]
        with f.loop(n) as i:
            p.y[i] = p.y_old[i]
        self.poses.scale.measure(f, v.h)
        failed = f.status_of(self._iterate, f.memory, f.inputs, f.work, v.h, out) != 0
        with f.if_(failed):
            v.finite = self._finite(f, p)
        again_if(f, v, failed, HALF)
        v.safety = SAFETY * (2.0 * ITERATIONS + 1.0) / (2.0 * ITERATIONS + out[1])
        return maximum(out[0], LEAST_ERROR)

    def _finite(self, f: FunctionBuilder, p: PartPointers) -> Bool:
        """Whether the slopes of the stages were numbers."""
        v = f.variables(zero=0.0)
        with f.loop(3 * self.e.n) as i:
            v.zero = v.zero + 0.0 * p.F[i]
        finite: Bool = (v.zero == 0.0).all()
        return finite

    def _emit_iteration(self) -> Signature:
        """`iterate(memory, inputs, work, h, out)`: factorise, Newton's iteration on Z, error estimate; 0 if it converged.

        out: the error's norm, the number of iterations.
        """
        e, n, linear = self.e, self.e.n, self.linear
        with e.function("iterate", h=Real, out=Pointer) as f:
            p = e.layout.of(f.memory)
            Z, W, F = ([part + k * n for k in range(3)] for part in (p.Z, p.W, p.F))
            real, pair = MU / f.h, (MU_PAIR[0] / f.h, MU_PAIR[1] / f.h)
            rows, rows_c = f.int_array(max(1, linear.size)), f.int_array(max(1, linear.size))
            linear.factorise(f, p, real, pair, rows, rows_c)
            self._predict(f, p, Z, W)
            v = f.variables(size=0.0, before=0.0, rate=0.0, count=0, done=False, failed=False)
            with f.while_(lambda: ~(v.done | v.failed)):
                self._residual(f, p, Z, W, F, real, pair)
                linear.solve(f, p, real, rows, F[0])
                linear.solve_pair(f, p, pair, rows_c, F[1], F[2])
                v.size = 0.0
                with f.loop(n) as i:
                    for k in range(3):
                        change = F[k][i]
                        W[k][i] = W[k][i] + change
                        scaled = change / self.poses.scale.of(p, p.rtol[0], i)
                        v.size = v.size + scaled * scaled
                    weights = [W[k][i] for k in range(3)]
                    for k in range(3):
                        Z[k][i] = _dot(T[k], weights)
                v.size = sqrt(v.size / (3.0 * max(n, 1)))
                self._judge(f, p, v)
            with f.if_(v.failed):
                f.return_(1)
            with f.loop(n) as i:
                p.y[i] = p.y_old[i] + Z[2][i]
            self._estimate(f, p, real, rows, Z, p.dy_old)
            f.out[0] = self._norm(f, p)
            with f.if_((f.out[0] > 1.0).all()):  # filtered once more, as stiff components exaggerate it
                with f.loop(n) as i:
                    p.stage[i] = p.y_old[i] + p.error[i]
                e.evaluate(f, p.t_old[0], p.stage, p.dy)
                self._estimate(f, p, real, rows, Z, p.dy)
                f.out[0] = self._norm(f, p)
            f.out[1] = f.real(v.count)
        return f.signature

    def _judge(self, f: FunctionBuilder, p: PartPointers, v: Variables) -> None:
        """Whether the iteration is done or has failed, by the size of its last change and the rate at which changes shrink."""
        v.count = v.count + 1
        known = f.real(v.count) > 1.5
        v.rate = select(known, v.size / v.before, 0.0)
        wanted = maximum(STAGE_ROUNDING * 2.0**-52 / p.rtol[0], minimum(f.real(LOOSEST), sqrt(p.rtol[0])))
        close = (v.rate / (1.0 - v.rate) * v.size < wanted) & known & (v.rate < 1.0)
        v.done = (close | (v.size == 0.0) | (v.size < FIRST_ITERATION * wanted)).all()
        worse = (known & (v.rate >= 2.0)) | ~(v.size < FINITE)
        v.failed = ~v.done & (worse.any() | (v.count >= ITERATIONS))
        v.before = v.size

    def _residual(
        self,
        f: FunctionBuilder,
        p: PartPointers,
        Z: list[Pointer],
        W: list[Pointer],
        F: list[Pointer],
        real: Real,
        pair: Any,
    ) -> None:
        """F = T⁻¹ (slopes at the three stages) − (Λ/h) W: what is left of the equations, in the variables that do not mix."""
        e = self.e
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

    def _predict(self, f: FunctionBuilder, p: PartPointers, Z: list[Pointer], W: list[Pointer]) -> None:
        """Begin with the last step's polynomial carried on, or with nothing."""
        ratio = select(p.last_step[0] > 0.0, f.h / p.last_step[0], 0.0)
        with f.loop(self.e.n) as i:
            old = [Z[k][i] for k in range(3)]
            carried = [self._carried(old, 1.0 + ratio * C[k]) - old[2] for k in range(3)]
            begin = [select(p.last_step[0] > 0.0, x, 0.0) for x in carried]
            for k in range(3):
                W[k][i] = _dot(T_INVERSE[k], begin)
                Z[k][i] = begin[k]

    def _carried(self, Z: list[Any], x: Any) -> Any:
        """The collocation polynomial's value less y_old."""
        coefficients = [_dot(DENSE[:, j], Z) for j in range(3)]
        return x * (coefficients[0] + x * (coefficients[1] + x * coefficients[2]))

    def _estimate(
        self, f: FunctionBuilder, p: PartPointers, real: Any, rows: Any, Z: list[Pointer], slope: Pointer
    ) -> None:
        """error = (μ/h − J)⁻¹ (slope + Σ ERROR Z / h)."""
        with f.loop(self.e.n) as i:
            p.error[i] = slope[i] + _dot(ERROR, [Z[k][i] for k in range(3)]) * real / MU
        self.linear.solve(f, p, real, rows, p.error)

    def _norm(self, f: FunctionBuilder, p: PartPointers) -> Any:
        n, v = self.e.n, f.variables(sum=0.0)
        with f.loop(n) as i:
            scaled = p.error[i] / self.poses.scale.of(p, p.rtol[0], i)
            v.sum = v.sum + scaled * scaled
        return sqrt(v.sum / float(max(n, 1)))

    def emit_dense(self) -> Signature:
        e, n = self.e, self.e.n
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
