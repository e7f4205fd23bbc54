"""Events: where a function of the state crosses zero within a step, by bisection on the dense output."""

from __future__ import annotations

from typing import Any

from dalembert.simulation.integrators.integrator import Steps
from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.simulation.march.memory import WHICH, PartPointers
from dalembert.trace.native import Int, IntPointer, Mask, Real, Signature, select

PARTS = 8
"""Pieces of a step in which a crossing is looked for: two crossings within one piece are not seen."""

HALVINGS = 60
"""Enough to come down to the rounding of time."""


def emit_search(e: MarchedEquations, steps: Steps, events: Signature, directions: list[int]) -> Signature:
    """`search(memory, inputs, work, counters)`: nonzero if an event was found between `searched_to` and t.

    Then `event_t`, `event_y` and counters[WHICH] say which and where, and `searched_to` is at the event; else `searched_to` is t.
    """
    values = _emit_values_at(e, steps, events)
    with e.function("search", counters=IntPointer) as f:
        p = e.layout.of(f.memory)
        n = len(directions)
        begin, end = p.searched_to[0], p.t[0]
        table = e.module.int_table(directions)
        v = f.variables(a=begin, b=begin, low=begin, found=-1)
        with f.loop(1, PARTS + 1) as part:
            share = f.real(part) / PARTS
            v.b = select(share >= 1.0, end, begin + share * (end - begin))
            f.call(values, f.memory, f.inputs, f.work, v.b)
            with f.loop(n) as k, f.if_(_crosses(p, k, table[k]).all()):
                v.low = v.a
                with f.loop(HALVINGS):
                    middle = v.low + 0.5 * (v.b - v.low)
                    f.stop_if(((middle <= v.low) | (middle >= v.b)).all())
                    f.call(values, f.memory, f.inputs, f.work, middle)
                    with f.if_(_crosses(p, k, table[k]).all()):
                        v.b = middle
                    with f.else_():
                        v.low = middle
                f.call(values, f.memory, f.inputs, f.work, v.b)
                v.found = k
            with f.loop(n) as k:
                p.event_crossed[k] = select(_crosses(p, k, table[k]), f.real(1.0), f.real(0.0))
                p.event_values[k] = p.event_values_new[k]
            v.a = v.b
            f.stop_if(v.found >= 0)
        p.searched_to[0] = v.b
        with f.if_(v.found >= 0):
            p.event_t[0] = v.b
            f.counters[WHICH] = v.found
            f.return_(1)
    return f.signature


def _crosses(p: PartPointers, k: Int, direction: Int) -> Mask:
    """Crossing from below to zero or above (unless only downward counts), or the other way round."""
    before, after = p.event_values[k], p.event_values_new[k]
    body = before.body
    up, down = (before < 0.0) & (after >= 0.0), (before > 0.0) & (after <= 0.0)
    counts = [_everywhere(body, direction >= 0), _everywhere(body, direction <= 0)]
    return (up & counts[0]) | (down & counts[1])


def _everywhere(body: Any, condition: Any) -> Mask:
    """A truth for all lanes as one per lane; events run in a single lane, where both are the same bit."""
    return Mask(body, condition.name)


def _emit_values_at(e: MarchedEquations, steps: Steps, events: Signature) -> Signature:
    """`values_at(memory, inputs, work, t)`: the state at t into `event_y`, the event functions there into `event_values_new`."""
    with e.function("values_at", at=Real) as f:
        p = e.layout.of(f.memory)
        with f.if_((f.at == p.t[0]).all()), f.loop(e.n) as i:
            p.event_y[i] = p.y[i]
        with f.if_((f.at != p.t[0]).any()):
            f.call(steps.dense, f.memory, f.inputs, f.work, f.at, p.event_y)
        p.time[0] = f.at
        f.call(events, p.time, p.event_y, p.event_values_new, f.inputs)
    return f.signature
