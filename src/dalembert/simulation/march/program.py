"""A mechanism's time loop as machine code: equations, method and events in one library, kept in the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.formulations import FORMULATIONS
from dalembert.formulations.formulation import ChoosesSpeeds
from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.rhs.formulation_speeds import own_speed_symbols, settled_choice
from dalembert.simulation.equation_choice import Balance
from dalembert.simulation.integrators.integrator import Method, Unknowns, layout
from dalembert.simulation.kept_rows import Holding
from dalembert.simulation.march.callback import make_known
from dalembert.simulation.march.equations import (
    Equations,
    Prefixed,
    emit_projection,
    emit_slope,
    emit_values,
    given_layout,
)
from dalembert.simulation.march.memory import Layout
from dalembert.simulation.march.share import emit_share
from dalembert.simulation.march.time_loop import emit_march
from dalembert.trace import tracing
from dalembert.trace.fingerprint import fingerprint
from dalembert.trace.native import PLAIN, Library, Module, Signature, Target, aligned
from dalembert.trace.native.driver import lapack

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism
    from dalembert.simulation.equation_choice import Held


@dataclass(frozen=True, eq=False)
class Program:
    """Everything about a run that is settled before its numbers: what is compiled, and how its memory is laid out."""

    catalogue: Catalogue
    named_method: Method
    lanes: int = 1
    events: Sequence[Callable[[Any], Any]] = ()
    directions: Sequence[int] = ()
    holding: Holding | None = None
    """How loops and constraints are kept; None where there are none."""
    balanced: Balance | None = None
    """By which formulation and constraint method; None for the usual ones."""
    many: bool = False
    """Whether many motions are marched at a time."""
    for_target: Target | None = None
    """What it is compiled for, if it is not what the mechanism is."""

    @cached_property
    def balance(self) -> Balance:
        return self.balanced or Balance(self.catalogue.mechanism, "kane", "range_space", FORMULATIONS["kane"])

    @property
    def n_speeds(self) -> int:
        """How many speeds are integrated."""
        return self.balance.n_speeds

    @property
    def beside(self) -> int:
        """How many numbers are integrated beside them."""
        return 0

    @cached_property
    def unknowns(self) -> list[str]:
        """What is integrated, in words."""
        m = self.catalogue.mechanism
        speeds = self.balance.form.speeds(m)
        return [*(f'coordinate "{c}"' for c in m.coordinates), *(f'speed "{c}"' for c in speeds)]

    @cached_property
    def method(self) -> Method:
        """The method, in its variant for constraints where they are kept by projection on the mechanism's own speeds."""
        projected = self.holding is not None and self.holding.stabilise.projects and self.balance.own
        return (self.named_method.held if projected else None) or self.named_method

    @property
    def _projects_in_lanes(self) -> bool:
        """Whether outputs are projected several at a time."""
        h = self.holding
        return h is not None and h.stabilise.projects and self.balance.usual and self.lanes == 1

    @cached_property
    def layout(self) -> Layout:
        m = self.catalogue.mechanism
        unknowns = Unknowns(m.n_q, self.n_speeds, len(m.parameters), self.beside, len(m.parts))
        return layout(self.method, unknowns, len(self.events))

    @cached_property
    def given(self) -> Layout:
        return given_layout(self.catalogue.mechanism, len(self.scales), self.balance.n_dependent)

    @property
    def scales(self) -> np.ndarray:
        return self.balance.scales(self.holding)

    def first_values(self, m: Mechanism) -> dict[str, Any]:
        """What the method's parts of the memory begin with, for the mechanism with the parameters of the run."""
        return self.method.first_values(m.numeric)

    @property
    def target(self) -> Target:
        """What it is compiled for."""
        return self.for_target or self.catalogue.mechanism.compiled_for

    @property
    def identity(self) -> str:
        """The same text for the same code, on whichever processor it runs."""
        return replace(self, for_target=PLAIN)._module().source

    @cached_property
    def library(self) -> Library:
        if self.catalogue.opaque is not None:
            make_known()
        if not self.balance.usual:
            lapack.make_known()
        return self.catalogue.mechanism.code.library(self._asked_for, self._module)

    @property
    def _asked_for(self) -> tuple[Any, ...]:
        """Everything that `_module` reads, besides the mechanism."""
        with tracing():
            events = fingerprint(self._event_values())
        h, b = self.holding, self.balance
        held = None if h is None else (h.rows, h.others, h.stabilise)
        opaque = self.catalogue.opaque is not None
        balanced = (b.formulation, settled_choice(b.form, self.catalogue.mechanism), b.constraints)
        return (
            type(self), self.named_method, self.lanes, events, tuple(self.directions), held, balanced, self.many, opaque,
            self.beside, self.target,
        )  # fmt: skip

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
        if not self.events:
            return []
        from dalembert.simulation.march.events import traced_value

        m, b = self.catalogue.mechanism, self.balance
        s = m.symbolic_state()
        if not b.own:
            s = b.form.state(m, s.t, s.coordinates, own_speed_symbols(b.form, m))
        return [traced_value(event, s) for event in self.events]

    def _pivots(self, module: Module) -> Signature | None:
        """Code that watches the choice of speeds; None where nothing is chosen."""
        m, form = self.catalogue.mechanism, self.balance.form
        if not isinstance(form, ChoosesSpeeds) or not self.balance.n_dependent:
            return None
        with tracing():
            return emit_values(module, m, "pivots", list(form.pivots(m.symbolic_state())), self.lanes, self.given)

    def _slope(self, module: Module, held: Held | None) -> tuple[Signature, int]:
        return emit_slope(module, self.catalogue, self.lanes, self.given, held)

    def _projection(self, module: Module, held: Held | None) -> Signature | None:
        return emit_projection(module, self.catalogue.mechanism, self.lanes, self.given, held)

    def _module(self) -> Module:
        from dalembert.kernels.rhs.range_space import Constrained

        module, m = Module(self.target.lanes, self.target), self.catalogue.mechanism
        h = self.holding
        held = self.balance.code(m, h)
        slope, work = self._slope(module, held)
        projected = held if (not self.balance.own if h is None else h.stabilise.projects) else None
        project = self._projection(module, projected)
        pivot = None if held is None else held.places.get("pivot")
        wide, project_wide = self.target.lanes if self._projects_in_lanes else 1, None
        if wide > 1:
            project_wide = emit_projection(Prefixed(module, "wide_"), m, wide, self.given, projected)  # type: ignore[arg-type]
        e = Equations(
            module, self.lanes, m, self.catalogue, self.layout, self.given, slope, project, work, pivot, project_wide,
            wide, self._pivots(module), self.balance.n_dependent, self.n_speeds, held if isinstance(held, Constrained) else None,
            self.beside,
        )  # fmt: skip
        steps = self.method.emit(e)
        events = None
        if self.events:
            with tracing():
                events = emit_values(module, m, "events", self._event_values(), self.lanes, self.given, self.n_speeds)
        marching = emit_march(e, steps, events, list(self.directions))
        if self.many:
            emit_share(e, *marching)
        with module.function("work_size", status=True) as f:
            f.return_(work + steps.scratch)
        return module
