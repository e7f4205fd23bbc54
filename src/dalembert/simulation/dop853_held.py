"""DOP853 under loops and constraints: projected at every step, and carried across singular poses.

Let s be the distance to a singular pose, the root of the smallest pivot of B A⁻¹ Bᵀ measured by reference norms of its rows.
Accelerations are exact on either side of s = 0 but not at it. So the time D = −s/ṡ to the pose is foretold, the step is placed so
that the pose falls into the widest gap between two stages, and near it every stage is projected before it is evaluated.
"""

from __future__ import annotations

from typing import Any

from dalembert.mechanism import Mechanism
from dalembert.simulation.adaptive import arrival, limited, too_small
from dalembert.simulation.dop853 import (
    ALL_STAGES,
    BETA,
    DOP853,
    EXPONENT,
    GROW,
    SAFETY,
    SHRINK,
    STAGES,
    combine,
    polynomial,
)
from dalembert.simulation.dop853_tableau import A, B, C
from dalembert.simulation.equations import Equations
from dalembert.simulation.method import DEGRADED, NOT_FINITE, STEP_TOO_SMALL, Steps, Unknowns
from dalembert.simulation.scales import speed_units, typical_coordinates
from dalembert.simulation.wide import emit_wide, wide_scratch
from dalembert.trace.native import Pointer, Real, Signature, maximum, minimum, select, sqrt

GAP = 0.46
"""Middle of the widest gap between stages, in parts of a step: from 1/3 to 0.6."""
LATE = 0.58
"""Part of a step beyond which a singular pose is no longer in the gap."""
NEAR_STEPS, NEAR = 4.0, 0.3
"""Stages are projected if the singular pose is that many steps ahead, or that near."""
LEAST_PIVOT, RETRIES = 1e-8, 4
"""A stage on the singular pose itself is avoided by a step a little shorter, a few times."""
ACROSS, LEAVING = 0.1, 0.3
"""Weight of the error of a step across a singular pose, or begun within that part of its length from one."""
AHEAD = 1e-3
"""Part of the first step after which s is looked at again, to know ṡ before a step was made."""
BEFORE_LAST = 10
"""A stage before the end, from which ṡ is taken."""
WORTH_A_LOOK, WELL_AGAIN = 1e-4, 1e-2
"""Pivot at which another choice of rows may be better, and at which it is forgotten that this was asked."""


class HeldDOP853(DOP853):
    def parts(self, m: Unknowns) -> dict[str, int]:
        own = {"size": m.n, "fastest": 2, "distance": 1, "approach": 1, "near": 1, "asked": 1}
        return super().parts(m) | own

    def first_values(self, m: Mechanism) -> dict[str, Any]:
        return super().first_values(m) | {"size": [*typical_coordinates(m), *[0.0] * m.n_u], "asked": 1.0}

    def scale(self, p: Any, i: Any) -> Real:
        """atol + rtol max(|y₀|, |y₁|, size), size being 1 rad or a length for coordinates, the fastest yet of its kind for a speed."""
        scale: Real = p.atol[i] + p.rtol[0] * maximum(maximum(abs(p.y_old[i]), abs(p.y[i])), p.size[i])
        return scale

    def emit(self, e: Equations) -> Steps:
        sizes, seen = _emit_sizes(e), _emit_seen(e)
        start, step, prepare = self._emit_start(e, sizes, seen), self._emit_step(e, sizes, seen), self.emit_prepare(e)
        several = self._emit_several(e, prepare) if e.wide_lanes > 1 else None
        return Steps(start, step, self.dense_after(e, prepare), wide_scratch(e), several)

    def _emit_several(self, e: Equations, prepare: Signature) -> Signature:
        wide = emit_wide(e, lambda p, i, x: polynomial(e.n, p, i, x))
        with e.function("several", times=Pointer, out=Pointer) as f:
            f.call(prepare, f.memory, f.given, f.work)
            f.call(wide, f.memory, f.given, f.work, f.times, f.out)
        return f.signature

    def _emit_start(self, e: Equations, sizes: Signature, seen: Signature) -> Signature:
        """As without constraints; and how far the singular poses are."""
        choose = self.emit_start(e)
        with e.function("start_held") as f:
            p = e.layout.of(f.memory)
            e.evaluate(f, p.t[0], p.y, p.dy)
            with f.loop(e.n) as i:
                p.y_old[i] = p.y[i]
            f.call(seen, f.memory, f.given, f.work)
            f.call(sizes, f.memory, f.given, f.work, 0.0)
            f.call(choose, f.memory, f.given, f.work)
            e.evaluate(f, p.t[0], p.y, p.dy)
            p.distance[0] = _root(e.pivot(f))
            with f.if_((p.t[0] == p.first[0]).all()):  # later, the last step has told
                ahead = AHEAD * p.step[0]
                with f.loop(e.n) as i:
                    p.stage[i] = p.y[i] + ahead * p.dy[i]
                e.evaluate(f, p.t[0] + ahead, p.stage, p.dy_old)
                p.approach[0] = (_root(e.pivot(f)) - p.distance[0]) / ahead
        return f.signature

    def evaluate_stage(self, f: Any, e: Equations, t: Real, slope: Pointer) -> None:
        p = e.layout.of(f.memory)
        with f.if_((p.near[0] > 0.0).all()):
            e.projected(f, t, p.stage)
        super().evaluate_stage(f, e, t, slope)

    def _emit_step(self, e: Equations, sizes: Signature, seen: Signature) -> Signature:
        n = e.n
        with e.function("step") as f:
            p = e.layout.of(f.memory)
            k = [p.k + s * n for s in range(ALL_STAGES)]
            with f.loop(n) as i:
                p.y_old[i] = p.y[i]
                k[0][i] = p.dy[i]
            p.t_old[0] = p.t[0]
            p.rejected[0] = 0.0
            v = f.variables(
                h=p.step[0], wanted=0.0, error=0.0, last=1.0, finite=True, accepted=False, blocked=False, tries=0
            )
            with f.while_(lambda: ~v.accepted):
                v.wanted = v.h
                near = (_time_left(p) < NEAR_STEPS * v.h) | (p.distance[0] < NEAR)
                p.near[0] = select(near, f.real(1.0), f.real(0.0))
                v.h = _ending(p, limited(p, _placed(p, v.h)))
                with f.if_(too_small(p, v.h)):
                    f.return_(select(v.finite, f.integer(STEP_TOO_SMALL), f.integer(NOT_FINITE)))
                v.blocked = False
                for s in range(1, STAGES):
                    with f.if_(~v.blocked):
                        combine(f, n, p.stage, p.y_old, v.h, A[s], k)
                        self.evaluate_stage(f, e, p.t_old[0] + C[s] * v.h, k[s])
                        v.blocked = (e.pivot(f) < LEAST_PIVOT).all() & (v.tries < RETRIES)
                        if s == BEFORE_LAST:
                            v.last = _root(e.pivot(f))
                with f.if_(v.blocked):
                    v.tries = v.tries + 1
                    p.rejected[0] = 1.0
                    v.h = 0.9 * v.h
                f.next_if(v.blocked)
                combine(f, n, p.y, p.y_old, v.h, B, k)
                f.call(sizes, f.memory, f.given, f.work, v.h)
                v.error = self.error(f, e, p, v.h, k) * _weight(f, p, v.h)
                v.finite = (v.error < 1e100).all()
                v.accepted = (v.error <= 1.0).all()
                with f.if_(~v.accepted):
                    p.rejected[0] = 1.0
                    v.h = v.h * select(v.error < 1e100, maximum(SHRINK, SAFETY / v.error**EXPONENT), 0.1)
            before = p.last_error[0] ** BETA
            factor = maximum(SHRINK, minimum(GROW, SAFETY * before / maximum(v.error, 1e-300) ** EXPONENT))
            factor = select(p.rejected[0] > 0.0, minimum(factor, 1.0), factor)
            # a step that was only placed, not rejected, is followed by the one that had been wanted
            p.step[0] = maximum(v.h * factor, select((v.wanted > v.h) & (factor >= 1.0), v.wanted, f.real(0.0)))
            p.last_error[0] = maximum(v.error, 1e-4)
            p.t[0] = arrival(p, v.h)
            p.dense_ready[0] = 0.0
            e.projected(f, p.t[0], p.y)
            e.evaluate(f, p.t[0], p.y, p.dy)
            f.call(seen, f.memory, f.given, f.work)
            with f.loop(n) as i:
                k[STAGES][i] = p.dy[i]
            p.distance[0] = _root(e.pivot(f))
            p.approach[0] = (p.distance[0] - v.last) / ((1.0 - C[BEFORE_LAST]) * v.h)
            with f.if_((e.pivot(f) > WELL_AGAIN).all()):
                p.asked[0] = 1.0
            with f.if_((e.pivot(f) < WORTH_A_LOOK * p.asked[0]).all()):
                p.asked[0] = e.pivot(f) / WORTH_A_LOOK * 0.1
                f.return_(DEGRADED)
        return f.signature


def _time_left(p: Any) -> Real:
    """D = −s/ṡ, without end where s does not fall."""
    falls = p.approach[0] < 0.0
    left: Real = select(falls, -p.distance[0] / select(falls, p.approach[0], -1.0), 1e300)
    return left


def _placed(p: Any, h: Real) -> Real:
    """A step that leaves the singular pose ahead, or has it in the gap between its stages."""
    D = _time_left(p)
    short = select(GAP * h < D, D - 0.345 * h, D / GAP)
    return select((1.0 + GAP) * h > D, select(0.66 * h < D, D - GAP * h, short), h)


def _weight(f: Any, p: Any, h: Real) -> Real:
    """Noise of accelerations grows as 1/s²: a step across s = 0 that a controller's instants force to be short is made all the same,
    as none that is shorter would be better."""
    across = _time_left(p) < h
    leaving = (p.approach[0] > 0.0) & (p.distance[0] < LEAVING * h * p.approach[0])
    part = minimum(1.0, h / p.step[0])
    return select(across | leaving, ACROSS * part * part, f.real(1.0))


def _ending(p: Any, h: Real) -> Real:
    """A step that leads to `end` across a singular pose too near to it is made in two, the second with the pose in its gap."""
    left, rest = _time_left(p), p.end[0] - p.t_old[0]
    badly = (h >= rest) & (left < rest) & (left > LATE * rest)
    return select(badly, (left - GAP * rest) / (1.0 - GAP), h)


def _root(pivot: Real) -> Real:
    return sqrt(maximum(pivot, 0.0))


def _emit_sizes(e: Equations) -> Signature:
    """`sizes(memory, given, work, h)`: of a speed, the fastest of its kind so far, in the trial, or by its rate over a step."""
    kinds = e.module.int_table(_kinds(e))
    with e.function("sizes", h=Real) as f:
        p, top = e.layout.of(f.memory), f.array(2)
        with f.loop(2) as kind:
            top[kind] = p.fastest[kind]
        with f.loop(e.n_u) as i:
            kind, at = kinds[i], i + e.n_q
            top[kind] = maximum(top[kind], maximum(maximum(abs(p.y_old[at]), abs(p.y[at])), abs(f.h * p.dy[at])))
        with f.loop(e.n_u) as i:
            p.size[i + e.n_q] = top[kinds[i]]
    return f.signature


def _emit_seen(e: Equations) -> Signature:
    """`seen(memory, given, work)`: the fastest of each kind, with the speeds of a step that was accepted."""
    kinds = e.module.int_table(_kinds(e))
    with e.function("fastest_seen") as f:
        p = e.layout.of(f.memory)
        with f.loop(e.n_u) as i:
            p.fastest[kinds[i]] = maximum(p.fastest[kinds[i]], abs(p.y[i + e.n_q]))
    return f.signature


def _kinds(e: Equations) -> list[int]:
    """Turning or sliding."""
    return [int(unit == "m/s") for unit in speed_units(e.mechanism)]
