"""What methods with a fixed step share: the clock t = t₀ + k h, free of accumulated rounding, and Hermite's cubic between steps."""

from __future__ import annotations

from typing import Any

from dalembert.simulation.integrators.integrator import Integrator, Steps
from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.simulation.status import Status
from dalembert.trace.native import Pointer, Real, Signature, minimum, select

AT_END = 1e-9
"""Part of a step by which it may fall short of the end and still reach it."""


class FixedStep(Integrator):
    """Steps of one length; the last before `end` may be shorter."""

    adaptive = False

    def emit(self, e: MarchedEquations) -> Steps:
        return Steps(self.emit_start(e), emit_stepping(e, self.emit_advance(e)), self.emit_dense(e))

    def emit_start(self, e: MarchedEquations) -> Signature:
        """The slope at the state in memory."""
        with e.function("start") as f:
            p = e.layout.of(f.memory)
            e.evaluate(f, p.t[0], p.y, p.dy)
        return f.signature

    def emit_advance(self, e: MarchedEquations) -> Signature:
        """`advance(memory, inputs, work, h)`: y and dy from y_old and dy_old; nonzero if it cannot be done."""
        raise NotImplementedError

    def emit_dense(self, e: MarchedEquations) -> Signature:
        raise NotImplementedError


def emit_stepping(e: MarchedEquations, advance: Signature) -> Signature:
    """The step: the clock set forward, the state advanced, and checked whether it is still finite."""
    with e.function("step") as f:
        p = e.layout.of(f.memory)
        for i in f.each(e.n):
            p.y_old[i] = p.y[i]
            p.dy_old[i] = p.dy[i]
        p.t_old[0] = p.t[0]
        count = p.steps_counted[0] + 1.0
        ahead = p.counted_from[0] + count * p.step[0]
        reached = ahead > p.end[0] - AT_END * p.step[0]
        t = select(reached, p.end[0], ahead)
        failed = f.status_of(advance, f.memory, f.inputs, f.work, t - p.t_old[0])
        with f.if_(failed != 0):
            f.return_(Status.NO_CONVERGENCE)
        zero = f.total(e.n, lambda i: 0.0 * p.y[i])
        with f.if_(~(zero == 0.0).any()):
            f.return_(Status.NOT_FINITE)
        p.t[0], p.steps_counted[0] = t, count
        with f.if_(reached.all()):  # the clock begins anew after a pause for inputs that change
            p.counted_from[0], p.steps_counted[0] = t, 0.0
    return f.signature


def emit_hermite(e: MarchedEquations, name: str = "dense", old_slope: str = "dy_old") -> Signature:
    """y₀ + θ (Δ + (1 − θ) ((1 − θ) a + θ b)): the cubic with the values and slopes of both ends.

    `old_slope` is the part of the memory where the slope at the beginning of the step lies.
    """
    with e.function(name, at=Real, out=Pointer) as f:
        p = e.layout.of(f.memory)
        h, before = p.t[0] - p.t_old[0], getattr(p, old_slope)
        x: Any = minimum((f.at - p.t_old[0]) / h, 1.0)
        for i in f.each(e.n):
            rise = p.y[i] - p.y_old[i]
            a, b = h * before[i] - rise, rise - h * p.dy[i]
            f.out[i] = p.y_old[i] + x * (rise + (1.0 - x) * ((1.0 - x) * a + x * b))
        e.projected(f, f.at, f.out)
    return f.signature
