"""What methods that choose their step share: the first step, limits of a step, and the measure of an error."""

from __future__ import annotations

from typing import Any

from dalembert.simulation.integrators.integrator import Method, Steps
from dalembert.simulation.march.equations import Equations
from dalembert.trace.native import Bool, Real, Signature, maximum, minimum, select, sqrt

ROUNDING = 2.0**-52


class AdaptiveStep(Method):
    """Steps as long as the tolerances allow; one lane."""

    adaptive = True

    def emit(self, e: Equations) -> Steps:
        return Steps(self.emit_start(e), self.emit_step(e), self.emit_dense(e))

    def emit_step(self, e: Equations) -> Signature:
        raise NotImplementedError

    def emit_dense(self, e: Equations) -> Signature:
        raise NotImplementedError

    def emit_start(self, e: Equations) -> Signature:
        """The slope at the state in memory; and where no step is known yet, the first (Hairer's choice, II.4).

        h₀ = 0.01 |y|/|f| by the tolerances' measure; with the second derivative from a trial step of h₀, the step at which a method of
        this order would make an error of 0.01.
        """
        n, count = e.n, float(max(e.n, 1))  # none where all motion is prescribed
        with e.function("start") as f:
            p = e.layout.of(f.memory)
            e.evaluate(f, p.t[0], p.y, p.dy)
            with f.if_((p.step[0] > 0.0).all()):
                f.return_(0)
            v = f.variables(y=0.0, dy=0.0, ddy=0.0)
            with f.loop(n) as i:
                p.y_old[i] = p.y[i]
                scale = error_scale(p, p.rtol[0], i)
                v.y = v.y + (p.y[i] / scale) * (p.y[i] / scale)
                v.dy = v.dy + (p.dy[i] / scale) * (p.dy[i] / scale)
            y, dy = sqrt(v.y / count), sqrt(v.dy / count)
            span = minimum(p.end[0] - p.t[0], p.largest[0])
            tiny = (y < 1e-5) | (dy < 1e-5)
            h = minimum(select(tiny, f.real(1e-6), 0.01 * y / dy), span)
            with f.loop(n) as i:
                p.y_old[i] = p.y[i] + h * p.dy[i]
            e.evaluate(f, p.t[0] + h, p.y_old, p.dy_old)
            with f.loop(n) as i:
                p.y_old[i] = p.y[i]
                bend = (p.dy_old[i] - p.dy[i]) / error_scale(p, p.rtol[0], i)
                v.ddy = v.ddy + bend * bend
            ddy = sqrt(v.ddy / count) / h
            fastest = maximum(dy, ddy)
            chosen = select(fastest <= 1e-15, maximum(f.real(1e-6), 1e-3 * h), (0.01 / fastest) ** (1.0 / self.order))
            first = minimum(minimum(100.0 * h, chosen), span)
            p.step[0] = select(first > 0.0, first, 1e-6 * span)  # also where the trial was not finite
        return f.signature


def error_scale(p: Any, rtol: Real, i: Any) -> Real:
    """atol + rtol max(|y₀|, |y₁|)."""
    scale: Real = p.atol[i] + rtol * maximum(abs(p.y_old[i]), abs(p.y[i]))
    return scale


def limited(p: Any, h: Real) -> Real:
    """Not longer than allowed, and ending at `end` where that is near."""
    h = minimum(h, p.largest[0])
    rest = p.end[0] - p.t_old[0]
    return select(1.01 * h >= rest, rest, h)


def unlimited(p: Any, h: Real, following: Real) -> Real:
    """The next step; after one that only `end` made short, not shorter than was planned."""
    return select(h < p.step[0], maximum(following, p.step[0]), following)


def arrival(p: Any, h: Real) -> Real:
    """Time after the step, exactly `end` where the step leads there."""
    return select(h >= p.end[0] - p.t_old[0], p.end[0], p.t_old[0] + h)


def too_small(p: Any, h: Real) -> Bool:
    """Whether a step is lost in the rounding of time (unless `end` is that near)."""
    least = 10.0 * ROUNDING * maximum(abs(p.t_old[0]), abs(p.end[0]))
    return ((h <= least) & (h < p.end[0] - p.t_old[0])).all()
