"""Sampled elements beside laws: what happens at one instant, and in which order.

At an instant first what the laws say of it comes to pass, then what events ask for, then elements are sampled, which read what came of
it. Where a mode cannot last with the forces that follow from a sample, another is chosen at once.
"""

from __future__ import annotations

from typing import Any

from dalembert.kinematics.law_mode import SLOTS
from dalembert.simulation.event_driven.law_location import TOGETHER
from dalembert.simulation.event_driven.law_margins import LawMargins
from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.simulation.march.memory import PartPointers
from dalembert.simulation.march.sampling import AroundSamples
from dalembert.trace.native import FunctionBuilder, Signature, maximum


class SampledLaws:
    """Code for one program. A mode's `trigger` says which margins are violated; then the stretch ends, and laws are asked."""

    def __init__(self, e: MarchedEquations, margins: LawMargins, margins_at: Signature):
        self.e, self.margins, self.margins_at = e, margins, margins_at
        part = margins.rhs.mode.parts["trigger"]
        self.trigger = e.input_layout.parts["P"].start + margins.rhs.mode_at + part.start
        self.triggers = part.stop - part.start
        self.around = AroundSamples(self._emit_act_first(), self._emit_mode_lasts())

    def _emit_act_first(self) -> Signature:
        """`act_first(memory, inputs, work)`: 1 where laws act at this instant, also on a gap that closes at it but for rounding."""
        n, elements = self.margins.count, len(self.margins.elements)
        with self.e.function("act_first") as f:
            p, v = self.e.layout.of(f.memory), f.variables(acts=0)
            with f.loop(self.triggers) as j, f.if_((f.inputs[j + self.trigger] != 0.0).any()):
                v.acts = 1
            with f.if_(v.acts != 0):
                f.return_(1)
            f.call(self.margins_at, f.memory, f.inputs, f.work, p.t[0])
            soon = TOGETHER * maximum(f.real(1.0), abs(p.t[0]))
            with f.loop(elements) as i:
                gap, rate = p.margins[i * SLOTS], p.margins[i + 2 * n]
                with f.if_(((rate < 0.0) & (gap + soon * rate <= 0.0)).all()):
                    self._trigger(f, p, i * SLOTS)
                    v.acts = 1
            f.return_(v.acts)
        signature: Signature = f.signature
        return signature

    def _emit_mode_lasts(self) -> Signature:
        """`mode_lasts(memory, inputs, work)`: the stretch ends at once where a margin is violated by what a sample has changed."""
        n = self.margins.count
        with self.e.function("mode_lasts") as f:
            p = self.e.layout.of(f.memory)
            f.call(self.margins_at, f.memory, f.inputs, f.work, p.t[0])
            with f.loop(n) as j, f.if_((~(p.margins[j] >= -p.margins[j + n])).any()):
                self._trigger(f, p, j)
        signature: Signature = f.signature
        return signature

    def _trigger(self, f: FunctionBuilder, p: PartPointers, j: Any) -> None:
        f.inputs[j + self.trigger] = 1.0
        p.end[0] = p.t[0]
