"""DOP853 under loops and constraints: projected at every step, and carried across singular poses.

Let s be the distance to a singular pose, the root of the smallest pivot of B A⁻¹ Bᵀ measured by reference norms of its rows.
Accelerations are exact on either side of s = 0 but not at it. So the time D = −s/ṡ to the pose is foretold, the step is placed so
that the pose falls into the widest gap between two stages, and near it every stage is projected before it is evaluated.

Where lengths miss those at which branches meet, s does not come down to 0: the mechanism turns into another branch, in a bend as narrow
as s is small. A step across then fails, and a shorter one fails the more. So the pose is felt for in steps that shorten with s. If s
stays large enough for accelerations to have digits left, that has been the motion; if not, rounding cannot tell whether branches meet,
and the run returns to before the pose, to be carried straight on.
"""

from __future__ import annotations

from typing import Any

from dalembert.mechanism import Mechanism
from dalembert.simulation.integrators.adaptive import arrival, limited, too_small
from dalembert.simulation.integrators.dop853 import (
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
from dalembert.simulation.integrators.dop853_tableau import A, B, C
from dalembert.simulation.integrators.held_scale import HeldScale, emit_seen, emit_sizes, root
from dalembert.simulation.integrators.integrator import (
    DEGRADED,
    NOT_FINITE,
    SINGULAR_POSE,
    STEP_TOO_SMALL,
    Steps,
    Unknowns,
)
from dalembert.simulation.march.equations import Equations
from dalembert.simulation.march.wide_output import emit_wide, wide_scratch
from dalembert.trace.native import Pointer, Real, Signature, maximum, minimum, select

GAP = 0.46
"""Middle of the widest gap between stages, in parts of a step: from 1/3 to 0.6."""
LATE = 0.58
"""Part of a step beyond which a singular pose is no longer in the gap."""
NEAR_STEPS, NEAR = 4.0, 0.3
"""Stages are projected if the singular pose is that many steps ahead, or that near."""
ON_POSE, RETRIES = 1e-4, 4
"""A stage on the singular pose itself (by its part of the pivot at the start of the step) is avoided by a shorter step, a few times."""
NOISE = 2e-16
"""Rounding of accelerations, by their size and the square of the distance to a singular pose: no step is asked to be better."""
GAINS, HOPELESS = 0.5, 1e3
"""Part of the error of a step across that a shorter one must get below, and the largest such error that is the step's fault: else it
is the lengths', which miss those at which branches meet."""
MEETS = 3e-5
"""Distance below which branches count as meeting: nearer, accelerations are lost in rounding, and which way it bends with them."""
GONE = 0.1
"""Distance at which a singular pose lies behind."""
WORST = 1e-3
"""Error of a step straight on, by the size of what moves, above which there is nothing beyond the pose to be carried to."""
UNAWARES = 1e-2
"""Distance at which a pose is felt for though no crossing was tried: none that was foretold is come so near to in steps."""
TOWARDS = 0.5
"""Part of the time to such a pose that a step takes then."""
STRAIGHT, FEELING, TURNED, MET = 1.0, 2.0, 3.0, 4.0
"""How a pose is taken whose crossing failed: straight on, by then known to be singular; or step by step, to see how near it comes,
until the way has turned before it, or has met it."""
ACROSS, LEAVING = 0.1, 0.3
"""Weight of the error of a step across a singular pose, or begun within that part of its length from one."""
AHEAD = 1e-3
"""Part of the first step after which s is looked at again, to know ṡ before a step was made."""
BEFORE_LAST = 10
"""A stage before the end, from which ṡ is taken."""


class HeldDOP853(HeldScale, DOP853):
    """`let_pass` is the largest error, by the size of what moves, of any step that was accepted though it was above the tolerance."""

    def parts(self, m: Unknowns) -> dict[str, int]:
        return (
            super().parts(m)
            | self.held_parts(m.n, m.n_parts)
            | {"near": 1, "across": 1, "way": 1, "let_pass": 1, "kept": m.n, "kept_at": 5}
        )

    def first_values(self, m: Mechanism) -> dict[str, Any]:
        return super().first_values(m) | self.held_values(m)

    def emit(self, e: Equations) -> Steps:
        sizes, seen, keep = emit_sizes(e), emit_seen(e), self._emit_keep(e)
        start, step = self._emit_start(e, sizes, seen, keep), self._emit_step(e, sizes, seen, keep)
        prepare = self.emit_prepare(e)
        several = self._emit_several(e, prepare) if e.wide_lanes > 1 else None
        return Steps(start, step, self.dense_after(e, prepare), wide_scratch(e), several)

    def _emit_several(self, e: Equations, prepare: Signature) -> Signature:
        wide = emit_wide(e, lambda p, i, x: polynomial(e.n, p, i, x))
        with e.function("several", times=Pointer, out=Pointer) as f:
            f.call(prepare, f.memory, f.given, f.work)
            f.call(wide, f.memory, f.given, f.work, f.times, f.out)
        return f.signature

    def _emit_start(self, e: Equations, sizes: Signature, seen: Signature, keep: Signature) -> Signature:
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
            p.distance[0] = root(e.pivot(f))
            p.t_old[0] = p.t[0]
            f.call(keep, f.memory, f.given, f.work)  # forces may have changed, so that there is no way back beyond this
            with f.if_((p.t[0] == p.first[0]).all()):  # later, the last step has told
                ahead = AHEAD * p.step[0]
                with f.loop(e.n) as i:
                    p.stage[i] = p.y[i] + ahead * p.dy[i]
                e.evaluate(f, p.t[0] + ahead, p.stage, p.dy_old)
                p.approach[0] = (root(e.pivot(f)) - p.distance[0]) / ahead
        return f.signature

    def evaluate_stage(self, f: Any, e: Equations, t: Real, slope: Pointer) -> None:
        p = e.layout.of(f.memory)
        with f.if_((p.near[0] > 0.0).all()):
            e.projected(f, t, p.stage)
        super().evaluate_stage(f, e, t, slope)

    def _emit_keep(self, e: Equations) -> Signature:
        """`keep(memory, given, work)`: the state before a step, to which there may be a reason to return."""
        with e.function("keep") as f:
            p = e.layout.of(f.memory)
            for i in f.each(e.n):
                p.kept[i] = p.y_old[i]
            for i, x in enumerate((p.t_old[0], p.step[0], p.distance[0], p.approach[0], p.let_pass[0])):
                p.kept_at[i] = x
        return f.signature

    def _emit_go_back(self, e: Equations) -> Signature:
        """`go_back(memory, given, work)`: there, to go straight on: a long step is carried across far better than a short one."""
        with e.function("go_back") as f:
            p = e.layout.of(f.memory)
            for i in f.each(e.n):
                p.y_old[i] = p.kept[i]
                p.y[i] = p.kept[i]
            p.t[0], p.t_old[0], p.step[0] = p.kept_at[0], p.kept_at[0], p.kept_at[1]
            p.distance[0], p.approach[0], p.way[0] = p.kept_at[2], p.kept_at[3], STRAIGHT
            p.let_pass[0] = p.kept_at[4]
            e.evaluate(f, p.t[0], p.y, p.dy)
        return f.signature

    def _emit_step(self, e: Equations, sizes: Signature, seen: Signature, keep: Signature) -> Signature:
        n = e.n
        go_back = self._emit_go_back(e)
        with e.function("step") as f:
            p = e.layout.of(f.memory)
            k = [p.k + s * n for s in range(ALL_STAGES)]
            with f.if_((p.way[0] == MET).all()):
                f.call(go_back, f.memory, f.given, f.work)
            for i in f.each(n):
                p.y_old[i] = p.y[i]
                k[0][i] = p.dy[i]
            p.t_old[0] = p.t[0]
            p.rejected[0] = 0.0
            with f.if_((~(p.approach[0] < 0.0) | (p.distance[0] > GONE)).all()):
                f.call(keep, f.memory, f.given, f.work)
            v = f.variables(
                h=p.step[0], wanted=0.0, raw=0.0, error=0.0, last=1.0, finite=True, accepted=False, blocked=False, tries=0, nearest=1.0
            )  # fmt: skip
            with f.while_(lambda: ~v.accepted):
                v.wanted = v.h
                near = (_time_left(p) < NEAR_STEPS * v.h) | (p.distance[0] < NEAR)
                p.near[0] = select(near, f.real(1.0), f.real(0.0))
                v.h = select(
                    p.way[0] >= FEELING,
                    limited(p, minimum(v.h, TOWARDS * _time_left(p))),
                    _ending(p, limited(p, _placed(p, v.h))),
                )
                with f.if_(too_small(p, v.h)):
                    f.return_(select(v.finite, f.integer(STEP_TOO_SMALL), f.integer(NOT_FINITE)))
                v.blocked, v.nearest = False, 1.0
                for s in range(1, STAGES):
                    with f.if_(~v.blocked):
                        combine(f, n, p.stage, p.y_old, v.h, A[s], k)
                        self.evaluate_stage(f, e, p.t_old[0] + C[s] * v.h, k[s])
                        v.nearest = minimum(v.nearest, e.pivot(f))
                        v.blocked = (
                            ~(e.pivot(f) > ON_POSE * p.distance[0] * p.distance[0]) & ~(p.way[0] >= FEELING)
                        ).all() & (v.tries < RETRIES)
                        if s == BEFORE_LAST:
                            v.last = root(e.pivot(f))
                with f.if_(v.blocked):
                    v.tries = v.tries + 1
                    p.rejected[0] = 1.0
                    v.h = 0.9 * v.h
                f.next_if(v.blocked)
                combine(f, n, p.y, p.y_old, v.h, B, k)
                f.call(sizes, f.memory, f.given, f.work, v.h)
                rounding = NOISE / (maximum(v.nearest, MEETS * MEETS) * p.rtol[0])
                v.raw = self.error(f, e, p, v.h, k)
                v.error = v.raw * _weight(f, p, v.h) / (1.0 + rounding)
                v.finite = (v.error < 1e100).all()
                crossing = _time_left(p) < v.h
                straight = (p.way[0] == STRAIGHT) & crossing & (v.raw * p.rtol[0] < WORST)
                v.accepted = ((v.error <= 1.0) | straight).all()
                with f.if_(~v.accepted & (crossing & (p.way[0] == 0.0)).all()):
                    stuck = (p.across[0] > 0.0) & (v.error > GAINS * p.across[0])
                    p.way[0] = select(stuck | ~(v.error < HOPELESS), f.real(FEELING), f.real(0.0))
                    p.across[0] = v.error
                with f.if_(~v.accepted):
                    p.rejected[0] = 1.0
                    v.h = v.h * select(v.error < 1e100, maximum(SHRINK, SAFETY / v.error**EXPONENT), 0.1)
            p.let_pass[0] = maximum(p.let_pass[0], select(v.raw > 1.0, v.raw * p.rtol[0], f.real(0.0)))
            before = p.last_error[0] ** BETA
            factor = maximum(SHRINK, minimum(GROW, SAFETY * before / maximum(v.error, 1e-300) ** EXPONENT))
            factor = select(p.rejected[0] > 0.0, minimum(factor, 1.0), factor)
            # a step that was only placed, not rejected, is followed by the one that had been wanted
            p.step[0] = maximum(v.h * factor, select((v.wanted > v.h) & (factor >= 1.0), v.wanted, f.real(0.0)))
            # straight on, errors tell of lengths, not of steps
            p.step[0] = select(p.way[0] == STRAIGHT, p.kept_at[1], p.step[0])
            p.last_error[0] = maximum(v.error, 1e-4)
            p.t[0] = arrival(p, v.h)
            p.dense_ready[0] = 0.0
            e.projected(f, p.t[0], p.y)
            e.evaluate(f, p.t[0], p.y, p.dy)
            f.call(seen, f.memory, f.given, f.work)
            for i in f.each(n):
                k[STAGES][i] = p.dy[i]
            p.distance[0] = root(e.pivot(f))
            p.approach[0] = (p.distance[0] - v.last) / ((1.0 - C[BEFORE_LAST]) * v.h)
            with f.if_(((p.approach[0] > 0.0) & (p.distance[0] > GONE)).all()):
                p.across[0], p.way[0] = 0.0, 0.0
            with f.if_(((p.way[0] == STRAIGHT) & (p.distance[0] < MEETS)).all()):
                f.return_(SINGULAR_POSE)
            with f.if_(((p.way[0] == 0.0) & (p.approach[0] < 0.0) & (p.distance[0] < UNAWARES)).all()):
                p.way[0] = FEELING
            with f.if_(((p.way[0] == FEELING) & (v.nearest < MEETS * MEETS)).all()):
                p.way[0] = MET
                f.return_(DEGRADED)
            with f.if_(((p.way[0] == FEELING) & (p.approach[0] > 0.0)).all()):
                p.way[0] = TURNED
                f.return_(DEGRADED)
            self.watch(f, e)
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
