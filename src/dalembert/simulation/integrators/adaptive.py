"""Steps as long as the tolerances allow: the first step, and the step that every integrator with an error estimate makes.

What differs is handed in: a `Stepper` makes a trial and measures its error, a step control chooses lengths, a watch over singular poses
limits them.
"""

from __future__ import annotations

from typing import Any, ClassVar

from dalembert.mechanism import Mechanism
from dalembert.simulation.integrators.integrator import Integrator, Steps, Unknowns
from dalembert.simulation.integrators.singular_pose import NoRows, StopAtPose
from dalembert.simulation.integrators.step_control import FINITE, StepControl, arrival, by_state, least_step, too_small
from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.simulation.status import Status
from dalembert.trace.native import FunctionBuilder, Real, Signature, Variables, maximum, minimum, select, sqrt

SAFETY = 0.9
"""Part of the length at which a step would just be accepted."""
NO_SIZE, NO_CHANGE = 1e-5, 1e-15
"""First step [Hairer, Nørsett and Wanner, II.4]: size of state or slope, by the tolerances, that says nothing; change that is none."""
TRIAL, FIRST_PART, LONGER = 1e-6, 0.01, 100.0
"""First step, likewise: what is tried where nothing says more, in s; the part of the state it may change; how many times as long as the
trial it may be."""
ABOVE_LEAST = 10.0
"""How many times the step that rounding of time allows a first step is at least."""
SHORTER = 1e-3
"""Part of the trial step that is taken where nothing changes."""
BLIND = 1e-6
"""Part of the run that is taken as a first step where the trial was not finite."""


class Stepper:
    """An integrator's functions in the module under construction, for the mechanism at hand."""

    scratch: int = 0
    """Elements of working memory beyond those of the equations."""

    def __init__(self, e: MarchedEquations, poses: NoRows):
        self.e, self.poses = e, poses

    def remember(self, f: FunctionBuilder) -> None:
        """Begin a step: y_old and t_old from y and t, with whatever else the trials begin from."""
        raise NotImplementedError

    def attempt(self, f: FunctionBuilder, v: Variables) -> Real:
        """Write a trial of length v.h, its end into y, and give its error; `again_if` begins another. May set v.safety."""
        raise NotImplementedError

    def arrived(self, f: FunctionBuilder) -> None:
        """Take note of the slope in dy at the end of the step."""

    def emit_dense(self) -> Signature:
        """`dense` of `Steps`."""
        raise NotImplementedError

    def emit_several(self) -> Signature | None:
        """`several` of `Steps`, where outputs are projected in lanes."""
        return None


class AdaptiveStep(Integrator):
    """An integrator with an error estimate; one lane."""

    adaptive = True
    control: ClassVar[StepControl]
    singular_pose: ClassVar[type[NoRows]] = StopAtPose
    """What is done about singular poses where there are constraints."""

    def stage_parts(self, m: Unknowns) -> dict[str, int]:
        """Sizes of the stepper's parts of the memory."""
        raise NotImplementedError

    def stepper(self, e: MarchedEquations, poses: NoRows) -> Stepper:
        raise NotImplementedError

    def parts(self, m: Unknowns) -> dict[str, int]:
        return self.stage_parts(m) | self.control.parts() | self._poses(m.watched).parts(m)

    def first_values(self, m: Mechanism, watched: bool) -> dict[str, Any]:
        return self.control.first_values() | self._poses(watched).first_values(m)

    def _poses(self, watched: bool) -> type[NoRows]:
        return self.singular_pose if watched else NoRows

    def emit(self, e: MarchedEquations) -> Steps:
        poses = self._poses(e.rhs.watched)(e)
        stepper = self.stepper(e, poses)
        start = poses.emit_start(emit_first_step(e, self.order))
        step = emit_step(e, stepper, self.control, poses)
        return Steps(start, step, stepper.emit_dense(), stepper.scratch, stepper.emit_several())


def emit_step(e: MarchedEquations, stepper: Stepper, control: StepControl, poses: NoRows) -> Signature:
    """`step`: trials until one is accepted; its end projected, its slope evaluated.

    `v` holds what is known of the trial: its length `h` and the one `wanted` before it was limited, its `error` and whether that was
    `finite`, the `safety` with which the next is chosen, whether it is `accepted` and whether one was `rejected` before.
    """
    with e.function("step") as f:
        p = e.layout.of(f.memory)
        poses.enter(f)
        stepper.remember(f)
        poses.begin(f)
        v = f.variables(
            h=p.step[0], wanted=0.0, error=0.0, safety=SAFETY, finite=True, accepted=False, rejected=False
        )  # fmt: skip
        with f.while_(lambda: ~v.accepted):
            v.wanted = v.h
            v.h = poses.limited(f, v.h)
            with f.if_(too_small(p, v.h)):
                f.return_(select(v.finite, f.integer(Status.STEP_TOO_SMALL), f.integer(Status.NOT_FINITE)))
            v.error = poses.weighted(f, v.h, stepper.attempt(f, v))
            v.finite = (v.error < FINITE).all()
            v.accepted = poses.accepts(f, v)
            with f.if_(~v.accepted):
                v.rejected = True
                v.h = control.shortened(p, v)
        factor = control.factor(p, v)
        p.step[0] = poses.following(f, v, select(v.rejected, minimum(factor, 1.0), factor))
        control.remember(p, v)
        p.t[0] = arrival(p, v.h)
        e.projected(f, p.t[0], p.y)
        e.evaluate(f, p.t[0], p.y, p.dy)
        stepper.arrived(f)
        poses.arrived(f, v)
    return f.signature


def again_if(f: FunctionBuilder, v: Variables, failed: Any, part: float) -> None:
    """Begin another trial, with that part of its length, if this one could not be made."""
    with f.if_(failed):
        v.rejected = True
        v.h = part * v.h
    f.next_if(failed)


def emit_first_step(e: MarchedEquations, order: int) -> Signature:
    """`start`: the slope at the state in memory; and where no step is known yet, the first (Hairer's choice, I, II.4).

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
            scale = by_state(p, p.rtol[0], i)
            v.y = v.y + (p.y[i] / scale) * (p.y[i] / scale)
            v.dy = v.dy + (p.dy[i] / scale) * (p.dy[i] / scale)
        y, dy = sqrt(v.y / count), sqrt(v.dy / count)
        span = minimum(p.end[0] - p.t[0], p.longest_step[0])
        tiny = (y < NO_SIZE) | (dy < NO_SIZE)
        h = minimum(select(tiny, f.real(TRIAL), FIRST_PART * y / dy), span)
        with f.loop(n) as i:
            p.y_old[i] = p.y[i] + h * p.dy[i]
        e.evaluate(f, p.t[0] + h, p.y_old, p.dy_old)
        with f.loop(n) as i:
            p.y_old[i] = p.y[i]
            bend = (p.dy_old[i] - p.dy[i]) / by_state(p, p.rtol[0], i)
            v.ddy = v.ddy + bend * bend
        ddy = sqrt(v.ddy / count) / h
        fastest = maximum(dy, ddy)
        chosen = select(
            fastest <= NO_CHANGE, maximum(f.real(TRIAL), SHORTER * h), (FIRST_PART / fastest) ** (1.0 / order)
        )
        seen = ABOVE_LEAST * least_step(
            p, p.t[0]
        )  # at rest little tells how fast it will be: a guess may be far too short
        first = minimum(maximum(minimum(LONGER * h, chosen), seen), span)
        p.step[0] = select(first > 0.0, first, BLIND * span)  # also where the trial was not finite
    return f.signature
