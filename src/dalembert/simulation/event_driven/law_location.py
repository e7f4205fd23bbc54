"""Where the first margin of a law is violated within a piece of a step, and the step made again to end there: compiled.

The time is found on the dense output; then the step is made again of full order, as the dense output is less accurate than its ends,
and the event is placed by Newton's method.
"""

from __future__ import annotations

from typing import Any

from dalembert.kinematics.law_mode import SLOTS
from dalembert.simulation.integrators.integrator import Steps
from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.simulation.march.memory import PartPointers
from dalembert.trace.native import FunctionBuilder, Int, Pointer, Real, Signature, Variables, maximum, minimum

HALVINGS = 60
"""Enough to come down to the rounding of time."""
TOGETHER = 1e-14
"""Part of the time within which violations count as one event."""
WITHIN = 0.001
"""Part of a bracket next to its ends in which no time is tried."""
NEAR, FAR, PLACED = 1e-3, 0.1, 1e-16
"""Parts of a step over which the slope of a margin is taken, and beyond which its zero is not looked for; part of the time by which an
event is placed."""
ANY_ERROR = 1e6
"""Relative tolerance with which a step is made again."""
CORRECTIONS = 4
"""Steps of full order to an event, placed by Newton's method."""
NOT_THERE = 1
"""Status of a step made again that ended before the event."""

_RUN: dict[str, Any] = dict.fromkeys(("memory", "inputs", "work"), Pointer)


class LawLocation:
    """Code for one program. `margins_at(memory, inputs, work, t)` writes `margins`: `count` values, tolerances, rates of gaps."""

    def __init__(self, e: MarchedEquations, steps: Steps, adaptive: bool, margins_at: Signature, count: int):
        self.e, self.steps, self.adaptive, self.margins_at, self.count = e, steps, adaptive, margins_at, count
        self.elements = len(e.mechanism.law_table.elements)
        self.first_violation = self._emit_first_violation()
        self.step_to = self._emit_step_to()

    def _ask(self, f: FunctionBuilder, t: Any) -> None:
        f.call(self.margins_at, f.memory, f.inputs, f.work, t)

    # -- the first violation -------------------------------------------------------------------------------------------
    def _emit_first_violation(self) -> Signature:
        """`first_violation(memory, inputs, work, a, b)`: 0 where nothing is violated between a and b; else one more than the number
        of a margin that is, with the time in `event_t`, and `violated` set for all that are violated there."""
        n = self.count
        with self.e.module.function("first_violation", status=True, **_RUN, a=Real, b=Real) as f:
            p = self.e.layout.of(f.memory)
            now, which, new = p.margins, p.violated, f.array(n)
            v = f.variables(at=f.b, found=0, bad=0)
            self._lowest(f, p, v)
            which.clear(n)
            with f.loop(n + 2):
                self._ask(f, v.at)
                v.bad = 0
                with f.loop(n) as j:
                    new[j] = 0.0
                    with f.if_((~(now[j] >= -now[j + n])).any() & (which[j] == 0.0).all()):
                        new[j], v.bad = 1.0, 1
                f.stop_if(v.bad == 0)
                self._first_of(f, p, v, new)
            p.event_t[0] = v.at
            f.return_(v.found)
        return f.signature

    def _lowest(self, f: FunctionBuilder, p: PartPointers, v: Variables) -> None:
        """`v.at`: the time of the first open gap's least value, where that is below zero between times at which it is not; else b."""
        n, m = self.count, self.elements
        now, before, after = p.margins, f.array(m), f.array(m)
        for t, kept in ((f.a, before), (f.b, after)):
            self._ask(f, t)
            with f.loop(m) as i:
                kept[i] = now[i + 2 * n]
        x = f.variables(low=f.a, high=f.b, rises=True)
        with f.loop(m) as i, f.if_(((before[i] < 0.0) & (after[i] > 0.0)).all()):
            x.low, x.high = f.a, v.at
            self._ask(f, x.high)
            with f.if_((now[i + 2 * n] > 0.0).all()):
                with f.loop(HALVINGS):
                    middle = 0.5 * (x.low + x.high)
                    f.stop_if((~((x.low < middle) & (middle < x.high))).any())
                    self._ask(f, middle)
                    x.rises = ~(now[i + 2 * n] < 0.0).all()
                    with f.if_(x.rises):
                        x.high = middle
                    with f.else_():
                        x.low = middle
                self._ask(f, x.low)
                with f.if_((now[i * SLOTS] < -now[i * SLOTS + n]).all()):
                    v.at = x.low

    def _first_of(self, f: FunctionBuilder, p: PartPointers, v: Variables, new: Any) -> None:
        """`v.at` becomes the time at which the first of the `new` margins, violated there, falls below zero; `violated` are all that
        do so then."""
        which, x = p.violated, f.variables(first=v.at, t=v.at)
        which.clear(self.count)
        v.found = 0
        with f.loop(self.count) as j, f.if_((new[j] != 0.0).all()):
            x.t = self._falls_below(f, p, j, v.at)
            near = TOGETHER * maximum(f.real(1.0), abs(x.t))
            with f.if_((x.t < x.first - near).all()):
                which.clear(self.count)
                v.found = 0
            with f.if_((x.t <= x.first + near).all()):
                x.first, which[j] = minimum(x.t, x.first), 1.0
                with f.if_(v.found == 0):
                    v.found = j + 1
        v.at = x.first

    def _falls_below(self, f: FunctionBuilder, p: PartPointers, j: Any, end: Any) -> Any:
        """Regula falsi and bisection in turn; a margin that begins at zero is bisected until it is positive."""
        now = p.margins
        x = f.variables(low=f.a, high=end, at_low=0.0, at_high=0.0, allowed=0.0, part=0.5, above=False)
        self._ask(f, x.low)
        x.at_low, x.allowed = now[j], now[j + self.count]
        self._ask(f, x.high)
        x.at_high = now[j]
        with f.loop(3 * HALVINGS) as turn:
            x.part = minimum(maximum(x.at_low / (x.at_low - x.at_high), WITHIN), 1.0 - WITHIN)
            with f.if_((x.at_low <= 0.0).all() | (turn % 3 == 2)):
                x.part = 0.5
            middle = x.low + (x.high - x.low) * x.part
            f.stop_if((~((x.low < middle) & (middle < x.high))).any())
            self._ask(f, middle)
            x.above = (now[j] >= 0.0).all() | ((x.at_low <= 0.0) & (now[j] > -x.allowed)).all()
            with f.if_(x.above):
                x.low, x.at_low = middle, now[j]
            with f.else_():
                x.high, x.at_high = middle, now[j]
        return x.high

    # -- the step to it ------------------------------------------------------------------------------------------------
    def _emit_step_to(self) -> Signature:
        """`step_to(memory, inputs, work, to, margin)`: the last step again, of full order, to end at the event; placed so that the
        margin, unless it is −1, is zero there. `NOT_THERE` where it ends before, as it may next to a singular pose."""
        again = self._emit_again()
        with self.e.module.function("step_to", status=True, **_RUN, to=Real, margin=Int) as f:
            p, y = self.e.layout.of(f.memory), f.array(self.e.n)
            v = f.variables(begin=p.t_old[0], t=f.to, slope=0.0, shift=0.0)
            with f.loop(self.e.n) as i:
                y[i] = p.y_old[i]
            with f.if_((f.margin >= 0) & (f.to > v.begin).all()):
                small = NEAR * (f.to - v.begin)
                self._ask(f, f.to)
                v.slope = p.margins[f.margin]
                self._ask(f, f.to - small)
                v.slope = (v.slope - p.margins[f.margin]) / small
            with f.loop(CORRECTIONS) as turn:
                status = f.status_of(again, f.memory, f.inputs, f.work, v.begin, y, v.t)
                with f.if_(status != 0):
                    f.return_(status)
                f.stop_if((~(v.slope < 0.0)).any() | (turn == CORRECTIONS - 1))
                self._ask(f, v.t)
                v.shift = -p.margins[f.margin] / v.slope
                placed = abs(v.shift) <= PLACED * maximum(f.real(1.0), abs(v.t))
                f.stop_if((placed | (abs(v.shift) > FAR * (v.t - v.begin))).any())
                v.t = v.t + v.shift
        return f.signature

    def _emit_again(self) -> Signature:
        """`again(memory, inputs, work, begin, y, to)`: from the beginning of a step to a time within it, in one step whatever its
        error: it is shorter than one that was accepted."""
        e, steps = self.e, self.steps
        kept = [name for name in ("rtol", "last_error") if name in e.layout.parts]
        with e.module.function("again", status=True, public=False, **_RUN, begin=Real, y=Pointer, to=Real) as f:
            p = e.layout.of(f.memory)
            v = f.variables(**{name: getattr(p, name)[0] for name in kept}, status=0)
            p.t[0], p.counted_from[0], p.steps_counted[0], p.end[0] = f.begin, f.begin, 0.0, f.to
            with f.loop(e.n) as i:
                p.y[i] = f.y[i]
            with f.if_((f.to <= f.begin).all()):
                p.t_old[0] = f.begin
                with f.loop(e.n) as i:
                    p.y_old[i] = f.y[i]
                f.return_(0)
            p.rtol[0] = ANY_ERROR
            if self.adaptive:
                p.step[0] = f.to - f.begin
            f.call(steps.start, f.memory, f.inputs, f.work)
            v.status = f.status_of(steps.step, f.memory, f.inputs, f.work)
            for name in kept:
                getattr(p, name)[0] = getattr(v, name)
            with f.if_(v.status < 0):
                f.return_(v.status)
            with f.if_((p.t[0] < f.to).all()):
                f.return_(NOT_THERE)
        return f.signature
