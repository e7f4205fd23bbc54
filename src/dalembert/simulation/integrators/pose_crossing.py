"""Steps that are carried across singular poses, which is what explicit methods with a wide gap between their stages can do.

The time D to the pose is predicted, the step is placed so that the pose falls into the gap, and near it every stage is projected before
it is evaluated.

Where lengths miss those at which branches meet, s does not come down to 0: the mechanism turns into another branch, in a bend as narrow
as s is small. A step across then fails, and a shorter one fails the more. So the pose is approached in steps that shorten with s. If s
stays large enough for accelerations to have digits left, that has been the motion; if not, rounding cannot tell whether branches meet,
and the run returns to before the pose, to be carried straight on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from dalembert.simulation.integrators.integrator import Unknowns
from dalembert.simulation.integrators.singular_pose import StopAtPose, root, time_left
from dalembert.simulation.integrators.step_control import limited
from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.simulation.march.memory import PartPointers
from dalembert.simulation.status import Crossing, Status
from dalembert.trace.native import Bool, FunctionBuilder, Real, Signature, Variables, maximum, minimum, select

NEAR_STEPS, NEAR = 4.0, 0.3
"""Stages are projected if the singular pose is that many steps ahead, or that near."""
ON_POSE, RETRIES, RETRY = 1e-4, 4, 0.9
"""A stage on the singular pose itself (by its part of the pivot at the start of the step) is avoided by that part of the step, a few
times."""
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
"""Distance at which a pose is approached though no crossing was tried: steps come no nearer to one that was predicted."""
TOWARDS = 0.5
"""Part of the time to such a pose that a step takes then."""
ACROSS, LEAVING = 0.1, 0.3
"""Weight of the error of a step across a singular pose, or begun within that part of its length from one."""
AHEAD = 1e-3
"""Part of the first step after which s is examined again, to know ṡ before a step was made."""


@dataclass(frozen=True)
class Gap:
    """The widest gap between two stages, in parts of a step, and a stage before the end from which ṡ is taken."""

    begin: float
    middle: float
    late: float
    """Part of a step beyond which a singular pose is no longer in the gap."""
    end: float
    stage: int
    stage_at: float


class CrossPose(StopAtPose):
    """A watch by which a step has the singular pose in its gap.

    Memory, besides that of `StopAtPose`: `project_stages`, whether stages are projected; `crossing`, how the pose is taken;
    `crossing_error` of the last step across that failed; `let_pass`, the largest error, by the size of what moves, of any step that was
    accepted above the tolerance; `return_y` and `return_to`, the state before the pose with its time, step, distance, approach and
    `let_pass`.
    """

    gap: ClassVar[Gap]

    def __init__(self, e: MarchedEquations):
        super().__init__(e)
        self._keep, self._go_back = self._emit_keep(), self._emit_go_back()
        self._v: Any = None  # what the step under construction knows of the pose

    @classmethod
    def parts(cls, m: Unknowns) -> dict[str, int]:
        more = {"project_stages": 1, "crossing": 1, "crossing_error": 1, "let_pass": 1, "return_y": m.n, "return_to": 5}
        return super().parts(m) | more

    # -- the state before the pose -------------------------------------------------------------------------------------
    def _emit_keep(self) -> Signature:
        """`keep(memory, inputs, work)`: the state before a step, to which there may be a reason to return."""
        with self.e.function("keep") as f:
            p = self.e.layout.of(f.memory)
            for i in f.each(self.e.n):
                p.return_y[i] = p.y_old[i]
            for k, x in enumerate((p.t_old[0], p.step[0], p.distance[0], p.approach[0], p.let_pass[0])):
                p.return_to[k] = x
        return f.signature

    def _emit_go_back(self) -> Signature:
        """`go_back(memory, inputs, work)`: there, to go straight on: a long step is carried across far better than a short one."""
        with self.e.function("go_back") as f:
            p = self.e.layout.of(f.memory)
            for i in f.each(self.e.n):
                p.y_old[i] = p.return_y[i]
                p.y[i] = p.return_y[i]
            p.t[0], p.t_old[0], p.step[0] = p.return_to[0], p.return_to[0], p.return_to[1]
            p.distance[0], p.approach[0], p.crossing[0] = p.return_to[2], p.return_to[3], Crossing.STRAIGHT
            p.let_pass[0] = p.return_to[4]
            self.e.evaluate(f, p.t[0], p.y, p.dy)
        return f.signature

    def started(self, f: FunctionBuilder) -> None:
        """The rate of s, by a look ahead; later the last step gives it."""
        e, p = self.e, self.e.layout.of(f.memory)
        p.t_old[0] = p.t[0]
        f.call(
            self._keep, f.memory, f.inputs, f.work
        )  # forces may have changed, so that there is no way back beyond this
        with f.if_((p.t[0] == p.counted_from[0]).all()):
            ahead = AHEAD * p.step[0]
            with f.loop(e.n) as i:
                p.stage[i] = p.y[i] + ahead * p.dy[i]
            e.evaluate(f, p.t[0] + ahead, p.stage, p.dy_old)
            p.approach[0] = (root(e.pivot(f)) - p.distance[0]) / ahead

    def enter(self, f: FunctionBuilder) -> None:
        p = self.e.layout.of(f.memory)
        with f.if_((p.crossing[0] == Crossing.MET).all()):
            f.call(self._go_back, f.memory, f.inputs, f.work)

    def begin(self, f: FunctionBuilder) -> None:
        p = self.e.layout.of(f.memory)
        with f.if_((~(p.approach[0] < 0.0) | (p.distance[0] > GONE)).all()):
            f.call(self._keep, f.memory, f.inputs, f.work)
        self._v = f.variables(error=0.0, nearest=1.0, before_end=1.0, blocked=False, tries=0)

    # -- the length of a trial -----------------------------------------------------------------------------------------
    def limited(self, f: FunctionBuilder, h: Real) -> Real:
        p = self.e.layout.of(f.memory)
        near = (time_left(p) < NEAR_STEPS * h) | (p.distance[0] < NEAR)
        p.project_stages[0] = select(near, f.real(1.0), f.real(0.0))
        chosen = select(
            p.crossing[0] >= Crossing.APPROACHED,
            limited(p, minimum(h, TOWARDS * time_left(p))),
            self._ending(p, limited(p, self._placed(p, h))),
        )
        self._v.blocked, self._v.nearest = False, 1.0
        return chosen

    def _placed(self, p: PartPointers, h: Real) -> Real:
        """A step that leaves the singular pose ahead, or has it in the gap between its stages."""
        D, gap = time_left(p), self.gap
        short = select(gap.middle * h < D, D - gap.begin * h, D / gap.middle)
        return select((1.0 + gap.middle) * h > D, select(gap.end * h < D, D - gap.middle * h, short), h)

    def _ending(self, p: PartPointers, h: Real) -> Real:
        """A step that leads to `end` across a singular pose too near to it is made in two, the second with the pose in its gap."""
        left, rest = time_left(p), p.end[0] - p.t_old[0]
        badly = (h >= rest) & (left < rest) & (left > self.gap.late * rest)
        return select(badly, (left - self.gap.middle * rest) / (1.0 - self.gap.middle), h)

    # -- its stages ----------------------------------------------------------------------------------------------------
    @contextmanager
    def stage(self, f: FunctionBuilder, number: int) -> Iterator[None]:
        """A stage that comes to lie on the pose blocks those after it, unless the pose is approached anyway."""
        p, v = self.e.layout.of(f.memory), self._v
        with f.if_(~v.blocked):
            yield
            pivot = self.e.pivot(f)
            v.nearest = minimum(v.nearest, pivot)
            on_pose = ~(pivot > ON_POSE * p.distance[0] * p.distance[0])
            v.blocked = (on_pose & ~(p.crossing[0] >= Crossing.APPROACHED)).all() & (v.tries < RETRIES)
            if number == self.gap.stage:
                v.before_end = root(pivot)

    def project_stage(self, f: FunctionBuilder, t: Real) -> None:
        p = self.e.layout.of(f.memory)
        with f.if_((p.project_stages[0] > 0.0).all()):
            self.e.projected(f, t, p.stage)

    def blocked(self, f: FunctionBuilder, v: Variables) -> None:
        with f.if_(self._v.blocked):
            self._v.tries = self._v.tries + 1
            v.rejected = True
            v.h = RETRY * v.h
        f.next_if(self._v.blocked)

    # -- its error -----------------------------------------------------------------------------------------------------
    def weighted(self, f: FunctionBuilder, h: Real, error: Real) -> Real:
        """Rounding of accelerations grows as 1/s², and no step is asked to be better."""
        p = self.e.layout.of(f.memory)
        rounding = NOISE / (maximum(self._v.nearest, MEETS * MEETS) * p.rtol[0])
        self._v.error = error
        return error * _weight(f, p, h) / (1.0 + rounding)

    def accepts(self, f: FunctionBuilder, v: Variables) -> Bool:
        """A step straight on is accepted by what it is off, not by the tolerance.

        One across that fails, and fails again or badly, shows that the lengths miss: then the pose is approached.
        """
        p = self.e.layout.of(f.memory)
        crossing = time_left(p) < v.h
        straight = (p.crossing[0] == Crossing.STRAIGHT) & crossing & (self._v.error * p.rtol[0] < WORST)
        accepted = ((v.error <= 1.0) | straight).all()
        with f.if_(~accepted & (crossing & (p.crossing[0] == Crossing.PLANNED)).all()):
            stuck = (p.crossing_error[0] > 0.0) & (v.error > GAINS * p.crossing_error[0])
            hopeless = stuck | ~(v.error < HOPELESS)
            p.crossing[0] = select(hopeless, f.real(Crossing.APPROACHED), f.real(Crossing.PLANNED))
            p.crossing_error[0] = v.error
        return accepted

    # -- the step made -------------------------------------------------------------------------------------------------
    def following(self, f: FunctionBuilder, v: Variables, factor: Real) -> Real:
        """A step that was only placed, not rejected, is followed by the one that had been wanted; straight on, by the one before the
        pose: there errors tell of lengths, not of steps."""
        p, h, wanted = self.e.layout.of(f.memory), v.h, v.wanted
        length = maximum(h * factor, select((wanted > h) & (factor >= 1.0), wanted, f.real(0.0)))
        return select(p.crossing[0] == Crossing.STRAIGHT, p.return_to[1], length)

    def arrived(self, f: FunctionBuilder, v: Variables) -> None:
        p, gap, off = self.e.layout.of(f.memory), self.gap, self._v.error
        p.let_pass[0] = maximum(p.let_pass[0], select(off > 1.0, off * p.rtol[0], f.real(0.0)))
        self.scale.accept(f)
        p.distance[0] = root(self.e.pivot(f))
        p.approach[0] = (p.distance[0] - self._v.before_end) / ((1.0 - gap.stage_at) * v.h)
        self._judge(f, p)
        self.watch(f)

    def _judge(self, f: FunctionBuilder, p: PartPointers) -> None:
        """How the pose is taken from here on, s and ṡ being known."""
        rises, falls = p.approach[0] > 0.0, p.approach[0] < 0.0
        with f.if_((rises & (p.distance[0] > GONE)).all()):
            p.crossing_error[0], p.crossing[0] = 0.0, Crossing.PLANNED
        with f.if_(((p.crossing[0] == Crossing.STRAIGHT) & (p.distance[0] < MEETS)).all()):
            f.return_(Status.SINGULAR_POSE)
        with f.if_(((p.crossing[0] == Crossing.PLANNED) & falls & (p.distance[0] < UNAWARES)).all()):
            p.crossing[0] = Crossing.APPROACHED
        with f.if_(((p.crossing[0] == Crossing.APPROACHED) & (self._v.nearest < MEETS * MEETS)).all()):
            p.crossing[0] = Crossing.MET
            f.return_(Status.DEGRADED)
        with f.if_(((p.crossing[0] == Crossing.APPROACHED) & rises).all()):
            p.crossing[0] = Crossing.TURNED
            f.return_(Status.DEGRADED)


def _weight(f: FunctionBuilder, p: PartPointers, h: Real) -> Real:
    """Noise of accelerations grows as 1/s²: a step across s = 0 that a controller's instants force to be short is made all the same,
    as none that is shorter would be better."""
    across = time_left(p) < h
    leaving = (p.approach[0] > 0.0) & (p.distance[0] < LEAVING * h * p.approach[0])
    part = minimum(1.0, h / p.step[0])
    return select(across | leaving, ACROSS * part * part, f.real(1.0))
