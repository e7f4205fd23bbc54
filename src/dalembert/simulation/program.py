"""A mechanism's time loop as machine code: equations, method and events in one library, kept in the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.errors import SimulationError
from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.constrained import Constrained
from dalembert.mechanism import Mechanism
from dalembert.simulation.callback import make_known
from dalembert.simulation.equations import (
    Equations,
    emit_projection,
    emit_slope,
    emit_values,
    given_layout,
)
from dalembert.simulation.layout import Layout
from dalembert.simulation.march import emit_march
from dalembert.simulation.method import Method, layout
from dalembert.trace import tracing
from dalembert.trace.fingerprint import fingerprint
from dalembert.trace.native import Library, Module, aligned, cached


def marching_catalogue(m: Mechanism) -> Catalogue:
    """The kernels of a mechanism that can be marched, or why it cannot."""
    if m.n_u == 0:
        raise SimulationError(f'mechanism "{m.name}" has no free speeds, so there is nothing to integrate')
    return m.kernels


@dataclass(frozen=True, eq=False)
class Program:
    """Everything about a run that is settled before its numbers: what is compiled, and how its memory is laid out."""

    catalogue: Catalogue
    method: Method
    lanes: int = 1
    events: Sequence[Callable[[Any], Any]] = ()
    directions: Sequence[int] = ()
    rows: tuple[int, ...] | None = None
    """Of a mechanism with loops or constraints, the independent rows; None without."""

    @cached_property
    def layout(self) -> Layout:
        return layout(self.method, self.catalogue.mechanism, len(self.events))

    @cached_property
    def given(self) -> Layout:
        return given_layout(self.catalogue.mechanism)

    @cached_property
    def key(self) -> str:
        """Everything the machine code depends on."""
        with tracing():
            values = self._event_values()
            opaque = self.catalogue.opaque is not None
            traced = fingerprint(values, list(self.directions), opaque)
        return f"{self.catalogue.key} march {self.method.name} lanes={self.lanes} events={traced} rows={self.rows}"

    @cached_property
    def library(self) -> Library:
        if self.catalogue.opaque is not None:
            make_known()
        return cached(self.key, self._module)

    @cached_property
    def work_size(self) -> int:
        return self.library.work_size() or 0

    def memory(self) -> np.ndarray:
        return aligned((self.layout.size, self.lanes))

    def given_memory(self) -> np.ndarray:
        return aligned((self.given.size, self.lanes))

    def work(self) -> np.ndarray:
        return aligned((self.work_size + 1, self.lanes))

    def _event_values(self) -> list[Any]:
        from dalembert.simulation.events import traced_value

        s = self.catalogue.mechanism.symbolic_state()
        return [traced_value(event, s) for event in self.events]

    def _module(self) -> Module:
        module, m = Module(), self.catalogue.mechanism
        held = None if self.rows is None else Constrained(m, self.rows)
        slope, work = emit_slope(module, self.catalogue, self.lanes, held)
        project = emit_projection(module, m, self.lanes, held)
        e = Equations(module, self.lanes, m, self.catalogue, self.layout, slope, project, work)
        steps = self.method.emit(e)
        events = None
        if self.events:
            with tracing():
                events = emit_values(module, m, "events", self._event_values(), self.lanes)
        emit_march(e, steps, events, list(self.directions))
        with module.function("work_size", status=True) as f:
            f.return_(work + steps.scratch)
        return module
