"""Many motions one after the other, compiled: what a thread takes of them, without Python between.

`share(queue, taken, statuses, memory, inputs, work, counters, times, out, width, count, budget, most)` marches one group of states
after the other and writes what came of each to `statuses`. The next group is `queue[0]`, on which all threads count; `taken[0]` is the
one that this thread has in hand, NONE to begin with. It returns when no group is left, or when its budget of steps is used up; called
again, it goes on. A group that has made `most` steps is left as it is, paused. It returns, too, where a group has come upon a nearly
singular pose, for that to be described.
"""

from __future__ import annotations

from typing import Any

from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.simulation.march.memory import N_COUNTERS, STEPS
from dalembert.simulation.status import Crossing, Status
from dalembert.trace.native import Int, IntPointer, Pointer, Signature, UniformPointer

NONE = -1
"""In hand, as long as no group is."""


def emit_share(e: MarchedEquations, begin: Signature, march: Signature) -> None:
    """Add `share` to the module."""
    numbers: dict[str, Any] = dict.fromkeys(("width", "count", "budget", "most"), Int)
    with e.module.function(
        "share", lanes=e.lanes, status=True, queue=IntPointer, taken=IntPointer, statuses=IntPointer, memory=Pointer,
        inputs=Pointer, work=Pointer, counters=IntPointer, times=UniformPointer, out=UniformPointer, **numbers,
    ) as f:  # fmt: skip
        v = f.variables(left=f.budget)
        with f.while_(lambda: v.left > 0):
            with f.if_(f.taken[0] == NONE):
                f.taken[0] = f.queue.take(0)
            g = f.taken[0]
            with f.if_(g * e.lanes >= f.count):
                f.return_(Status.FINISHED)
            memory, inputs = f.memory + g * e.layout.size, f.inputs + g * e.input_layout.size
            counters, before = f.counters + g * N_COUNTERS, f.variables(steps=0)
            with f.if_(f.statuses[g] == Status.WAITING):
                f.call(begin, memory, inputs, f.work)
            before.steps = counters[STEPS]
            states = f.variables(n=f.count - g * e.lanes)
            with f.if_(states.n > e.lanes):
                states.n = e.lanes
            out = f.out + g * e.lanes * f.width
            allowed = f.variables(steps=f.most - before.steps)
            with f.if_(allowed.steps > v.left):
                allowed.steps = v.left
            status = f.status_of(
                march, memory, inputs, f.work, counters, f.times, out, f.width, states.n, allowed.steps
            )
            f.statuses[g] = status
            v.left = v.left - (counters[STEPS] - before.steps)
            with f.if_(status == Status.PAUSED), f.if_(counters[STEPS] < f.most):
                f.return_(Status.PAUSED)
            if "crossing" in e.layout.parts:
                with (
                    f.if_(status == Status.DEGRADED),
                    f.if_((e.layout.of(memory).crossing[0] >= Crossing.TURNED).all()),
                ):
                    f.return_(Status.DEGRADED)
            f.next_if(status == Status.DEGRADED)
            f.taken[0] = NONE
        f.return_(Status.PAUSED)
