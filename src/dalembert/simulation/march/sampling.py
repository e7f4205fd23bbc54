"""Sampled elements in the compiled march: at their instants states are updated, between them they keep their values.

`sample(memory, inputs, work)` updates the elements whose instants have come, each by what those before it have become, sets the end of
the stretch to the next instant, lets the integrator begin anew, and returns 1; where something else has to happen first, it does
nothing and returns 0. Output at such an instant shows the states after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dalembert.kernels.runtime.straight import block, extra_input
from dalembert.mechanism import Mechanism
from dalembert.simulation.integrators.integrator import Steps
from dalembert.simulation.march.marched_equations import MarchedEquations, put_states
from dalembert.simulation.march.memory import PartPointers
from dalembert.trace import free_symbols, symbol, symbols, tracing
from dalembert.trace.native import Bool, FunctionBuilder, Output, Signature, minimum

NEVER = 1e300
"""Later than any instant, s."""


@dataclass(frozen=True)
class SampleClocks:
    """Periods that differ, and for every sampled element in the order of updates its name and the number of its period."""

    periods: tuple[float, ...]
    elements: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class AroundSamples:
    """What laws have to do with samples: `waits(memory, inputs, work)` is nonzero where they act first at this instant, and
    `after(memory, inputs, work)` ends the stretch where they have to act upon what was sampled."""

    waits: Signature
    after: Signature


Beside = Callable[[Any, Any, Any, str, Any], None]
"""What is written before an element is updated, of what is integrated beside the state: `(f, memory, inputs, name, rates)`, with the
rates of all that is integrated, where they are known."""


def sample_clocks(m: Mechanism) -> SampleClocks:
    """The clocks of a mechanism. An element that reads another at the same instant follows it; in circles the order is theirs."""
    found = {name: float(p.element.period) for name, p in m.elements.items() if p.element.period is not None}
    periods = tuple(dict.fromkeys(found.values()))
    return SampleClocks(periods, tuple((name, periods.index(found[name])) for name in _in_order(m, list(found))))


def _in_order(m: Mechanism, names: list[str]) -> list[str]:
    """Those first whose states the others read."""
    if len(names) < 2:
        return names
    own = {symbol(state): name for name in names for state in m.elements[name].state_names}
    reads: dict[str, set[str]] = {}
    with tracing():
        s = m.sampled_state()
        for name in names:
            seen = free_symbols([x for x in m.elements[name].update(s)])
            reads[name] = {own[x] for x in seen if x in own} - {name}
    made: list[str] = []
    while len(made) < len(names):
        left = [name for name in names if name not in made]
        made.append(next((name for name in left if reads[name] <= set(made)), left[0]))
    return made


def reads_accelerations(m: Mechanism) -> list[str]:
    """Sampled elements that read rates of the speeds, or reactions."""
    with tracing():
        s, found = m.sampled_state(), []
        rates = {*s.udot, *s.multipliers}
        for name, p in m.elements.items():
            if p.element.period is not None and rates & set(free_symbols(p.update(s))):
                found.append(name)
    return found


def emit_sample(
    e: MarchedEquations, steps: Steps, around_samples: Callable[[MarchedEquations], AroundSamples | None],
    beside: Callable[[MarchedEquations], Beside | None],
) -> Signature | None:  # fmt: skip
    """Add `sample` to the module; None where nothing is sampled."""
    m, clocks = e.mechanism, sample_clocks(e.mechanism)
    if not clocks.elements:
        return None
    around = around_samples(e)
    updates = [_emit_update(e, name) for name, _ in clocks.elements]
    changes = beside(e)
    multipliers = e.rhs.emit_multipliers(e.module, e.lanes) if m.sensed_joints else None
    z_at, measures = e.n_q + e.n_u, reads_accelerations(m)
    with e.function("sample") as f:
        if around is not None:
            waits = f.status_of(around.waits, f.memory, f.inputs, f.work)
            with f.if_(waits != 0):
                f.return_(0)
        p, inputs = e.layout.of(f.memory), e.input_layout.of(f.inputs)
        p.time[0] = p.t[0]
        slopes = _emit_known(e, f, multipliers) if measures else inputs.x
        known = slopes + e.n_q if measures else slopes
        for (name, clock), update in zip(clocks.elements, updates):
            own = z_at + m.states.index(m.elements[name].state_names[0])
            with f.if_((p.next_sample[clock] <= p.t[0]).all()):
                put_states(f, m, p.y + z_at, inputs.P)
                if changes is not None:
                    changes(f, p, inputs, name, slopes)
                f.call(update, p.time, p.y, p.y + e.n_q, known, inputs.P, p.y + own, f.work)
        v = f.variables(next=NEVER)
        for clock, period in enumerate(clocks.periods):
            with f.if_((p.next_sample[clock] <= p.t[0]).all()):
                p.samples[clock] = p.samples[clock] + 1.0
                p.next_sample[clock] = p.samples_from[0] + p.samples[clock] * period
            v.next = minimum(v.next, p.next_sample[clock])
        p.end[0] = minimum(p.until[0], v.next)
        f.call(steps.start, f.memory, f.inputs, f.work)
        if around is not None:
            f.call(around.after, f.memory, f.inputs, f.work)
        f.return_(1)
    signature: Signature = f.signature
    return signature


def _emit_known(e: MarchedEquations, f: FunctionBuilder, multipliers: Signature | None) -> Any:
    """Rates of all that is integrated; where joints of loops are measured, behind those of the speeds the multipliers of all rows."""
    p, inputs, m = e.layout.of(f.memory), e.input_layout.of(f.inputs), e.mechanism
    slopes = f.array(e.n + len(m.rows))
    f.call(e.slope, p.time, p.y, slopes, f.inputs, f.work)
    if multipliers is not None:
        own = e.catalogue.opaque is not None or e.further is not None
        forces = f.work + (e.work - m.n_u) if own else inputs.x  # where the slope has left them
        after = slopes + (e.n_q + e.n_u)
        f.call(multipliers, p.time, p.y, p.y + e.n_q, forces, inputs.P, after, f.work)
    return slopes


def _emit_update(e: MarchedEquations, name: str) -> Signature:
    """The states of one element after a sample."""
    with tracing():
        s, known = e.rhs.symbolic_unknowns()
        wdot, multipliers = extra_input(range(e.n_u)), symbols("#lam.", range(len(e.mechanism.rows)))
        known |= {x: ("x", i) for i, x in enumerate([*wdot, *multipliers])}
        values = s.mechanism.elements[name].update(s.with_udot(e.rhs.speed_rates(s, wdot), multipliers))
        outputs = [Output(x, "y", i) for i, x in enumerate(values)]
        return e.module.block(block(f"update_{list(e.mechanism.elements).index(name)}", known, outputs), e.lanes)


def emit_due(f: FunctionBuilder, p: PartPointers, count: int) -> Bool:
    """Whether an instant has come."""
    v = f.variables(next=NEVER)
    for clock in range(count):
        v.next = minimum(v.next, p.next_sample[clock])
    return (v.next <= p.t[0]).all()
