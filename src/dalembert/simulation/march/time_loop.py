"""The time loop, compiled: steps, output at the requested times, events; it returns to Python only to pause, for events and at the end.

`march(memory, inputs, work, counters, times, out, width, states, budget)` writes rows of `out` for as many `times` as it gets to and
returns a status. Called again, it goes on as if it had never returned.
"""

from __future__ import annotations

from dalembert.simulation.integrators.integrator import Steps
from dalembert.simulation.march.event_search import emit_search
from dalembert.simulation.march.marched_equations import MarchedEquations, write_rows
from dalembert.simulation.march.memory import NEXT, PENDING, STEPS, TOTAL, PartPointers
from dalembert.simulation.march.sampling import emit_due
from dalembert.simulation.status import Status
from dalembert.trace.native import (
    FunctionBuilder,
    Int,
    IntPointer,
    Pointer,
    Signature,
    UniformPointer,
    maximum,
    minimum,
    select,
)

FALLEN = 0.2
"""Part of its former pivot ratio below which a choice of speeds is examined."""


def emit_march(
    e: MarchedEquations, steps: Steps, events: Signature | None, directions: list[int], look: Signature | None = None,
    sample: Signature | None = None,
) -> tuple[Signature, Signature]:  # fmt: skip
    """Add `begin` and `march` to the module. `look(memory, inputs, work)` sees every step first, and ends the stretch where it returns
    a status; `sample(memory, inputs, work)` is called when an element is sampled, all before that instant being written."""
    search = None if events is None else emit_search(e, steps, events, directions)
    begin = _emit_begin(e, steps, events)
    with e.module.function(
        "march", lanes=e.lanes, status=True, memory=Pointer, inputs=Pointer, work=Pointer, counters=IntPointer,
        times=UniformPointer, out=UniformPointer, width=Int, states=Int, budget=Int,
    ) as f:  # fmt: skip
        p = e.layout.of(f.memory)
        row = f.array(e.n)
        v = f.variables(left=f.budget)
        with f.while_(lambda: f.counters[NEXT] < f.counters[TOTAL]):
            if sample is not None:
                _sample_if_due(f, e, p, sample)
            _write_output(f, e, p, steps, row)
            with f.if_(f.counters[PENDING] != 0):  # everything before the event is written
                f.return_(Status.EVENT)
            if look is not None:
                with f.if_((p.looked_to[0] < p.t[0]).all()):
                    seen = f.status_of(look, f.memory, f.inputs, f.work)
                    with f.if_(seen != 0):
                        f.return_(seen)
            unseen = (p.searched_to[0] < p.t[0]).all()
            with f.if_(unseen):
                if search is None:
                    p.searched_to[0] = p.t[0]
                else:
                    found = f.status_of(search, f.memory, f.inputs, f.work, f.counters)
                    with f.if_(found != 0):
                        f.counters[PENDING] = 1
            f.next_if(unseen)
            with f.if_((p.t[0] >= p.end[0]).all()):
                f.return_(Status.AT_END)
            with f.if_(v.left <= 0):
                f.return_(Status.PAUSED)
            v.left = v.left - 1
            f.counters[STEPS] = f.counters[STEPS] + 1
            failed = f.status_of(steps.step, f.memory, f.inputs, f.work)
            with f.if_(failed != 0):
                f.return_(failed)
            if e.pivots is not None:
                _look_at_choice(f, e, p)
        with f.if_(f.counters[PENDING] != 0):
            f.return_(Status.EVENT)
        f.return_(Status.FINISHED)
    return begin, f.signature


def _sample_if_due(f: FunctionBuilder, e: MarchedEquations, p: PartPointers, sample: Signature) -> None:
    """Sample where an instant has come, everything before it is written and no event is pending; then the loop goes on."""
    before = (f.times[f.counters[NEXT]] < p.t[0]).all()
    clocks = e.layout.parts["next_sample"]
    due = emit_due(f, p, clocks.stop - clocks.start) & (p.searched_to[0] >= p.t[0]).all()
    v = f.variables(done=0)
    v.done = 0
    with f.if_(due & ~before & (f.counters[PENDING] == 0)):
        v.done = f.status_of(sample, f.memory, f.inputs, f.work)
    f.next_if(v.done != 0)


def _write_output(f: FunctionBuilder, e: MarchedEquations, p: PartPointers, steps: Steps, row: Pointer) -> None:
    """What is due by the time that events were searched to, several at once where that can be; then the loop goes on."""
    k = f.counters[NEXT]
    time = f.times[k]
    due = (time <= p.searched_to[0]).all()
    if steps.several is not None:
        last = k + (e.wide_lanes - 1)
        together = f.variables(are=False)
        with f.if_(last < f.counters[TOTAL]):
            together.are = ((f.times[last] <= p.searched_to[0]) & (f.times[last] < p.t[0]) & (time > p.t_old[0])).all()
        with f.if_(together.are):
            f.call(steps.several, f.memory, f.inputs, f.work, f.times + k, f.out + k * e.n)
            f.counters[NEXT] = k + e.wide_lanes
        f.next_if(together.are)
    with f.if_(due):
        target = (f.out + k * e.n).rows(f.width, f.states)
        with f.if_((time == p.t[0]).all()):
            write_rows(f, e.n, p.y, target)
        with f.if_((time != p.t[0]).any()):
            f.call(steps.dense, f.memory, f.inputs, f.work, time, row)
            write_rows(f, e.n, row, target)
        f.counters[NEXT] = k + 1
    f.next_if(due)


def _look_at_choice(f: FunctionBuilder, e: MarchedEquations, p: PartPointers) -> None:
    """Return if the pivots of the chosen speeds are far smaller than they were, or if within the step the speeds did not determine the
    others.

    `least_pivot_ratio` is the least that will do, `determinant_sign` that of the matrix the others are solved with.
    """
    n = e.n_dependent
    found, v, lengths = f.array(n), f.variables(smallest=1e300, sign=1.0), e.input_layout.of(f.inputs).lengths
    p.time[0] = p.t[0]
    assert e.pivots is not None
    f.call(e.pivots, p.time, p.y, found, f.inputs)
    with f.loop(n) as i:
        v.smallest = minimum(v.smallest, abs(found[i]) / lengths[i])
        v.sign = select(found[i] < 0.0, -v.sign, v.sign)
    with f.if_((v.sign * p.determinant_sign[0] < 0.0).all()):
        f.return_(Status.CROSSED)
    p.determinant_sign[0] = v.sign
    with f.if_(~(v.smallest >= p.least_pivot_ratio[0]).all()):
        f.return_(Status.DEGRADED)
    p.least_pivot_ratio[0] = maximum(p.least_pivot_ratio[0], FALLEN * v.smallest)


def _emit_begin(e: MarchedEquations, steps: Steps, events: Signature | None) -> Signature:
    """`begin(memory, inputs, work)`: slopes and event functions at the state in memory, where a stretch begins."""
    with e.module.function("begin", lanes=e.lanes, memory=Pointer, inputs=Pointer, work=Pointer) as f:
        p = e.layout.of(f.memory)
        f.call(steps.start, f.memory, f.inputs, f.work)
        if events is not None:
            p.time[0] = p.t[0]
            f.call(events, p.time, p.y, p.event_values, f.inputs)
    return f.signature
