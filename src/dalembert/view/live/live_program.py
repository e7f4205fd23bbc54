"""The code of a page: march, assembly, the hand, what is shown and how the drawing follows parameters, in one WebAssembly module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.kernels.rhs.loop_closing import LoopClosing
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.runtime.straight import known_symbols
from dalembert.parts.events import Event
from dalembert.pivoting import pivoted
from dalembert.simulation.march.marched_equations import emit_slope, layout_of_inputs
from dalembert.simulation.march.memory import Layout
from dalembert.simulation.march.program import Program
from dalembert.simulation.time_stepping.stepping_program import SteppingProgram
from dalembert.trace import free_symbols
from dalembert.trace.native import WASM32, Array, Block, Module, Output, Signature, cached_code
from dalembert.trace.native.module import Prefixed
from dalembert.trace.native.wasm import WasmModule, link
from dalembert.view.live.hand import MOST_BODIES, SIZE, emit_hand
from dalembert.view.live.live_model import LiveModel
from dalembert.view.live.page_actions import emit_acting
from dalembert.view.live.shown import Shown

CLOSING = "loop_"
"""What names of functions that close loops begin with, where the march has rows of its own."""
MOST_CHOICES = 6
"""Sets of rows that a page has programs for, where rows must be chosen anew on the way."""


@dataclass(frozen=True, eq=False)
class LiveProgram(Program):
    """A `Program` whose equations know a hand, and whose module computes what a page shows."""

    shown: Shown | None = None
    geometry: Sequence[Any] = ()
    """Expressions of parameters: places and sizes of what is drawn."""
    acting: Sequence[Event] = ()
    """Events that act."""
    notes: dict[str, Any] = field(default_factory=dict)
    """What the writing of the module found out: places and sizes."""

    @property
    def dragged(self) -> bool:
        """Whether a hand can pull at its bodies."""
        return self.catalogue.mechanism.n_bodies <= MOST_BODIES

    @property
    def assembles(self) -> bool:
        return False  # with places of its own, below

    @cached_property
    def input_layout(self) -> Layout:
        return layout_of_inputs(self.catalogue.mechanism, len(self.scales), 0, hand=SIZE)

    def _slope(self, module: Module) -> tuple[Signature, int]:
        m, at = self.catalogue.mechanism, self.input_layout
        hand = emit_hand(module, m, at) if self.dragged else None
        slope, work = emit_slope(module, self.catalogue, self.rhs, self.lanes, at, hand)
        self.notes.update(slope=slope, work=work, hand=hand)
        return slope, work

    @property
    def _further_forces(self) -> Signature | None:
        found: Signature | None = self.notes["hand"]
        return found

    @property
    def _closes(self) -> RangeSpaceRightHandSide | None:
        """Equations whose rows close loops at a start."""
        return self.rhs if isinstance(self.rhs, RangeSpaceRightHandSide) else None

    def _module(self) -> Module:
        module = super()._module()
        more = emit_acting(module, self.catalogue, self.acting) if self.acting else 0
        if self.shown is not None:
            slope, work = self.notes["slope"], self.notes["work"]
            self.notes["work"] = max(more, self.shown.emit(module, slope, self.rhs, self.input_layout, work))
            _emit_geometry(module, self.catalogue.mechanism, self.geometry)
        if self._closes is not None:
            closing = LoopClosing(self._closes, Prefixed(module, CLOSING) if self._closes is not self.rhs else module)
            closing.emit()
            self.notes["start"], self.notes["still"] = closing.places, closing.still
        return module

    def linked(self) -> WasmModule:
        """The module that a browser instantiates."""
        return link(cached_code(self._module()))


@dataclass(frozen=True, eq=False)
class LiveSteppingProgram(LiveProgram, SteppingProgram):
    """The same by time stepping, where laws take part."""

    @cached_property
    def _closes(self) -> RangeSpaceRightHandSide | None:
        return RangeSpaceRightHandSide(self.mechanism, self.kept.keep) if self.mechanism.constraint_rows else None


def _emit_geometry(module: Module, m: Any, geometry: Sequence[Any]) -> None:
    """`geometry(P, y)`: every expression's value."""
    known = {s: place for s, place in known_symbols(m).items() if place[0] == "P"}
    inputs = {s: known[s] for s in free_symbols(list(geometry))}
    outputs = [Output(x, "y", i) for i, x in enumerate(geometry)]
    module.block(Block("geometry", [Array("P"), Array("y")], inputs, outputs))


def live_programs(live: LiveModel, shown: Shown, geometry: Sequence[Any]) -> list[LiveProgram]:
    """The program of a page; more of them where it may be that rows are chosen anew, each with another choice."""
    catalogue, o = live.mechanism.kernels, live.options
    when, directions = [e.when for e in live.events], [e.direction for e in live.events]
    kind = LiveSteppingProgram if live.stepping else LiveProgram
    acting = [e for e in live.events if e.actions]
    first = kind(
        catalogue, o.method, 1, when, directions, live.kept, for_target=WASM32, shown=shown, geometry=geometry, acting=acting
    )  # fmt: skip
    if live.stepping:
        return [first]
    others = [replace(live.kept, rows=rows) for rows in other_row_choices(live)]
    return [first, *(replace(first, kept=kept, shown=None, geometry=(), notes={}) for kept in others)]


def other_row_choices(live: LiveModel) -> list[tuple[int, ...]]:
    """Other sets of rows that stand best somewhere along the motion."""
    from dalembert.constraints.diagnosis.diagnose import scaled_rows

    kept, m = live.kept, live.mechanism.numeric
    if not kept.others:
        return []
    found: dict[tuple[int, ...], None] = {}
    for k in np.unique(np.linspace(0, len(live.motion) - 1, 60).astype(int)):
        Y = scaled_rows(m, live.motion.q[k], float(live.motion.t[k]), kept.norms)
        found[tuple(sorted(pivoted(Y)[1][: len(kept.rows)].tolist()))] = None
    found.pop(kept.rows, None)
    return list(found)[: MOST_CHOICES - 1]
