"""Explicit Runge–Kutta methods with an embedded error estimate: a tableau is all that such an integrator has to say.

kₛ = f(t + cₛ h, y + h Σ aₛⱼ kⱼ), y₁ = y + h Σ bₛ kₛ, error h Σ eₛ kₛ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dalembert.simulation.integrators.adaptive import AdaptiveStep, Stepper
from dalembert.simulation.integrators.fixed_step import emit_hermite
from dalembert.simulation.integrators.integrator import Unknowns
from dalembert.simulation.integrators.singular_pose import NoRows
from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.simulation.march.memory import PartPointers
from dalembert.trace.native import FunctionBuilder, Pointer, Real, Signature, Variables, sqrt
from dalembert.trace.native.driver.pointers import Index

Weights = dict[int, float]
"""Weights of slopes, by stage number; only those that are not zero."""


@dataclass(frozen=True)
class Tableau:
    """Coefficients of a method. Stage 0 is the slope at the beginning of the step."""

    c: tuple[float, ...]
    a: tuple[Weights, ...]
    b: Weights
    e: Weights
    """b less the weights of the embedded method."""
    further: int = 0
    """How many of the stages, the last ones, serve only the output between steps."""

    @property
    def stages(self) -> int:
        """How many make a step."""
        return len(self.a) - self.further


class ExplicitRungeKutta(AdaptiveStep):
    """An embedded pair, with Hermite's cubic between steps."""

    tableau: ClassVar[Tableau]

    def stage_parts(self, m: Unknowns) -> dict[str, int]:
        """`stage`, the state at one; `k`, the slopes at all of them."""
        return {"stage": m.n, "k": len(self.tableau.a) * m.n}

    def stepper(self, e: MarchedEquations, poses: NoRows) -> Stepper:
        return ExplicitStepper(e, poses, self.tableau)


class ExplicitStepper(Stepper):
    """Stages one after the other; between steps the cubic through both ends and their slopes."""

    def __init__(self, e: MarchedEquations, poses: NoRows, tableau: Tableau):
        super().__init__(e, poses)
        self.tableau = tableau

    def slopes(self, p: PartPointers) -> list[Pointer]:
        """kₛ of every stage."""
        return [p.k + s * self.e.n for s in range(len(self.tableau.a))]

    def remember(self, f: FunctionBuilder) -> None:
        p = self.e.layout.of(f.memory)
        k = self.slopes(p)
        for i in f.each(self.e.n):
            p.y_old[i] = p.y[i]
            k[0][i] = p.dy[i]
        p.t_old[0] = p.t[0]

    def attempt(self, f: FunctionBuilder, v: Variables) -> Real:
        e, p = self.e, self.e.layout.of(f.memory)
        k = self.slopes(p)
        for s in range(1, self.tableau.stages):
            with self.poses.stage(f, s):
                self.evaluate_stage(f, s, v.h, k)
        self.poses.blocked(f, v)
        combine(f, e.n, p.y, p.y_old, v.h, self.tableau.b, k)
        self.poses.scale.measure(f, v.h)
        return self.error(f, v.h, k)

    def evaluate_stage(self, f: FunctionBuilder, s: int, h: Real, k: list[Pointer]) -> None:
        """kₛ from the slopes before it."""
        e, p = self.e, self.e.layout.of(f.memory)
        combine(f, e.n, p.stage, p.y_old, h, self.tableau.a[s], k)
        t = p.t_old[0] + self.tableau.c[s] * h
        self.poses.project_stage(f, t)
        e.evaluate(f, t, p.stage, k[s])

    def error(self, f: FunctionBuilder, h: Real, k: list[Pointer]) -> Real:
        """√(Σ (h e/scale)² / n)."""
        n, p = self.e.n, self.e.layout.of(f.memory)
        rtol = p.rtol[0]
        for i in f.each(n):
            p.error[i] = h / self.poses.scale.of(p, rtol, i) * weighted(self.tableau.e, k, i)
        return sqrt(f.total(n, lambda i: p.error[i] * p.error[i]) / float(max(n, 1)))

    def emit_dense(self) -> Signature:
        return emit_hermite(self.e, old_slope="k")


def weighted(weights: Weights, k: list[Pointer], i: Index) -> Real:
    """Component i of Σ weights k."""
    total: Real | None = None
    for s, weight in weights.items():
        term = weight * k[s][i]
        total = term if total is None else total + term
    assert total is not None
    return total


def combine(f: FunctionBuilder, n: int, out: Pointer, y: Pointer, h: Real, weights: Weights, k: list[Pointer]) -> None:
    """out = y + h Σ weights k."""
    for i in f.each(n):
        out[i] = y[i] + h * weighted(weights, k, i)
