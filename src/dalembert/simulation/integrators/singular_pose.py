"""What is done about singular poses, in which the rows of constraints become dependent: nothing, or a watch that limits steps.

Let s be the distance to a singular pose, the root of the smallest pivot of B A⁻¹ Bᵀ measured by reference norms of its rows.
Accelerations are exact on either side of s = 0 but not at it. Where s falls, the pose is D = −s/ṡ ahead.

A watch is made for the module under construction. Its functions are called by `adaptive.emit_step` in the order in which they stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dalembert.mechanism import Mechanism
from dalembert.simulation.integrators.integrator import Unknowns
from dalembert.simulation.integrators.step_control import SizeScale, StateScale, limited, unlimited
from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.simulation.march.memory import PartPointers
from dalembert.simulation.status import Status
from dalembert.trace.native import Bool, FunctionBuilder, Real, Signature, Variables, maximum, minimum, select, sqrt

WORTH_A_LOOK, WELL_AGAIN = 1e-4, 1e-2
"""Pivot at which another choice of rows may be better, and at which it is forgotten that this was asked."""
TOWARDS, LEAST = 0.5, 0.1
"""Part of the time to a singular pose that a step may take, and part of its wanted length that it takes at least."""
SINGULAR_DISTANCE = 1e-3
"""Distance to a singular pose at which a run ends that cannot be carried across: beyond, it could go on in either branch."""
EARLIER = 0.1
"""Part of the first pivot's worth from which on a pose is watched."""


class NoRows:
    """No constraints, and so no singular poses: steps are limited by `end` alone, and accepted by their error."""

    def __init__(self, e: MarchedEquations):
        self.e, self.scale = e, StateScale()

    @classmethod
    def parts(cls, m: Unknowns) -> dict[str, int]:
        """Sizes of its parts of the memory, for n unknowns."""
        return {}

    @classmethod
    def first_values(cls, m: Mechanism) -> dict[str, Any]:
        """What they begin with, where it is not zero."""
        return {}

    def emit_start(self, choose: Signature) -> Signature:
        """The start of a stretch, around `choose`, which evaluates the slope and chooses the first step."""
        return choose

    def enter(self, f: FunctionBuilder) -> None:
        """Called first in a step, the state still that of the last."""

    def begin(self, f: FunctionBuilder) -> None:
        """Called before the first trial of a step, the state remembered in y_old."""

    def limited(self, f: FunctionBuilder, h: Real) -> Real:
        """A trial not longer than allowed."""
        return limited(self.e.layout.of(f.memory), h)

    @contextmanager
    def stage(self, f: FunctionBuilder, number: int) -> Iterator[None]:
        """Around a stage of a trial: it may be left out after one that could not be evaluated."""
        yield

    def project_stage(self, f: FunctionBuilder, t: Real) -> None:
        """Bring the state in `stage` back onto the constraints, if its slope would not be good enough without."""

    def blocked(self, f: FunctionBuilder, v: Variables) -> None:
        """Begin another trial, if a stage of this one could not be evaluated."""

    def weighted(self, f: FunctionBuilder, h: Real, error: Real) -> Real:
        """The error by which a trial is judged."""
        return error

    def accepts(self, f: FunctionBuilder, v: Variables) -> Bool:
        """Whether a trial of the error v.error becomes the step."""
        fits: Bool = (v.error <= 1.0).all()
        return fits

    def following(self, f: FunctionBuilder, v: Variables, factor: Real) -> Real:
        """The length of the next step, `factor` times this one if nothing else limits it."""
        p, h = self.e.layout.of(f.memory), v.h
        return select(v.rejected, h * factor, unlimited(p, h, h * factor))

    def arrived(self, f: FunctionBuilder, v: Variables) -> None:
        """Called last in a step, the slope at its end known; may return a status."""


class StopAtPose(NoRows):
    """Steps that shorten towards a singular pose, so that none is stepped over; the run ends there.

    Memory: `distance` s to a singular pose and `approach`, its rate; `watch_level`, the pivot in parts of `WORTH_A_LOOK` below which
    the choice of rows is examined next.
    """

    def __init__(self, e: MarchedEquations):
        self.e, self.scale = e, SizeScale(e)

    @classmethod
    def parts(cls, m: Unknowns) -> dict[str, int]:
        return SizeScale.parts(m) | {"distance": 1, "approach": 1, "watch_level": 1}

    @classmethod
    def first_values(cls, m: Mechanism) -> dict[str, Any]:
        return SizeScale.first_values(m) | {"watch_level": 1.0}

    def emit_start(self, choose: Signature) -> Signature:
        """As without constraints; and how far the singular poses are."""
        e = self.e
        with e.function("start_watched") as f:
            p = e.layout.of(f.memory)
            e.evaluate(f, p.t[0], p.y, p.dy)
            with f.loop(e.n) as i:
                p.y_old[i] = p.y[i]
            self.scale.accept(f)
            self.scale.measure(f, 0.0)
            f.call(choose, f.memory, f.inputs, f.work)
            e.evaluate(f, p.t[0], p.y, p.dy)
            p.distance[0] = root(e.pivot(f))
            self.started(f)
        return f.signature

    def started(self, f: FunctionBuilder) -> None:
        """Called last in a start, the distance known."""

    def limited(self, f: FunctionBuilder, h: Real) -> Real:
        p = self.e.layout.of(f.memory)
        return minimum(limited(p, h), maximum(TOWARDS * time_left(p), LEAST * h))

    def arrived(self, f: FunctionBuilder, v: Variables) -> None:
        p, now = self.e.layout.of(f.memory), root(self.e.pivot(f))
        self.scale.accept(f)
        p.approach[0] = (now - p.distance[0]) / (p.t[0] - p.t_old[0])
        p.distance[0] = now
        with f.if_(((now < SINGULAR_DISTANCE) & (p.approach[0] < 0.0)).all()):
            f.return_(Status.SINGULAR_POSE)
        self.watch(f)

    def watch(self, f: FunctionBuilder) -> None:
        """Return from a step that was made if the rows look poor at the state last evaluated; not again until they are far poorer."""
        p, pivot = self.e.layout.of(f.memory), self.e.pivot(f)
        with f.if_((pivot > WELL_AGAIN).all()):
            p.watch_level[0] = 1.0
        with f.if_((pivot < WORTH_A_LOOK * p.watch_level[0]).all()):
            p.watch_level[0] = pivot / WORTH_A_LOOK * EARLIER
            f.return_(Status.DEGRADED)


def root(pivot: Real) -> Real:
    """s, the distance to a singular pose."""
    return sqrt(maximum(pivot, 0.0))


def time_left(p: PartPointers) -> Real:
    """D = −s/ṡ, without end where s does not fall."""
    falls = p.approach[0] < 0.0
    left: Real = select(falls, -p.distance[0] / select(falls, p.approach[0], -1.0), 1e300)
    return left
