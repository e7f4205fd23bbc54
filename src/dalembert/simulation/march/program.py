"""A mechanism's time loop as machine code: equations, method and events in one library, kept in the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.formulations.formulation import formulation_speed_symbols
from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.rhs.right_hand_side import RightHandSide, right_hand_side
from dalembert.simulation.equation_choice import EquationChoice, kane_by
from dalembert.simulation.integrators.integrator import Integrator, Steps, Unknowns, layout
from dalembert.simulation.kept_rows import NO_ROWS_KEPT, KeptRows
from dalembert.simulation.march.callback import make_known
from dalembert.simulation.march.marched_equations import (
    MarchedEquations,
    emit_projection,
    emit_slope,
    emit_values,
    layout_of_inputs,
)
from dalembert.simulation.march.memory import Layout
from dalembert.simulation.march.sampling import AroundSamples, Beside, emit_sample, sample_clocks
from dalembert.simulation.march.share import emit_share
from dalembert.simulation.march.time_loop import emit_march
from dalembert.trace import tracing
from dalembert.trace.fingerprint import fingerprint
from dalembert.trace.native import PLAIN, Library, Module, Signature, Target, aligned
from dalembert.trace.native.module import Prefixed

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class Program:
    """Everything about a run that is settled before its numbers: what is compiled, and how its memory is laid out."""

    catalogue: Catalogue
    integrator: Integrator
    lanes: int = 1
    events: Sequence[Callable[[Any], Any]] = ()
    directions: Sequence[int] = ()
    kept: KeptRows = NO_ROWS_KEPT
    """How loops and constraints are kept."""
    chosen: EquationChoice | None = None
    """Choice by which formulation and constraint method; None for the usual ones."""
    many: bool = False
    """Whether many motions are marched at a time."""
    for_target: Target | None = None
    """What it is compiled for, if it is not what the mechanism is."""

    @cached_property
    def equation_choice(self) -> EquationChoice:
        return self.chosen or kane_by(self.catalogue, "range_space")

    @cached_property
    def rhs(self) -> RightHandSide:
        """What is integrated."""
        by = self.equation_choice
        return right_hand_side(self.catalogue, by.form, by.constraints, self.kept.keep)

    @property
    def constrained(self) -> bool:
        """Whether there are loops or constraints."""
        return bool(self.catalogue.mechanism.constraint_rows)

    @property
    def n_speeds(self) -> int:
        """How many speeds are integrated."""
        return self.rhs.n_speeds

    @property
    def beside(self) -> int:
        """How many numbers are integrated beside them: first z, the states of elements."""
        return self.catalogue.mechanism.n_z

    @cached_property
    def unknowns(self) -> list[str]:
        """What is integrated, in words."""
        return list(self.catalogue.once(("unknowns", self.equation_choice.speed_names), self._named))

    def _named(self) -> tuple[str, ...]:
        of_pose = (f'coordinate "{c}"' for c in self.catalogue.mechanism.coordinates)
        of_elements = (f'state "{c}"' for c in self.catalogue.mechanism.states)
        return *of_pose, *(f'speed "{c}"' for c in self.equation_choice.speed_names), *of_elements

    @property
    def _projects_in_lanes(self) -> bool:
        """Whether outputs are projected several at a time."""
        return self.rhs.projects_in_lanes and self.lanes == 1

    @property
    def assembles(self) -> bool:
        """Whether its library can close loops: see `RightHandSide.emit_assembly`."""
        return self.rhs.assembles and self.lanes == 1 and self.beside == self.catalogue.mechanism.n_z

    @cached_property
    def layout(self) -> Layout:
        """How the integrator's memory is laid out."""
        return self.catalogue.once(("memory", self._asked_for), self._lay_out)

    def _lay_out(self) -> Layout:
        m = self.catalogue.mechanism
        unknowns = Unknowns(
            m.n_q, self.n_speeds, len(m.parameters), self.beside, self.rhs.watched, len(m.parts), n_z=m.n_z
        )
        n_clocks = len(sample_clocks(m).periods) if m.elements else 0
        return layout(self.integrator, unknowns, len(self.events), n_clocks=n_clocks)

    @cached_property
    def input_layout(self) -> Layout:
        """How the inputs of its equations are laid out."""
        return self.catalogue.once(("inputs", self._asked_for), self._lay_out_inputs)

    def _lay_out_inputs(self) -> Layout:
        return layout_of_inputs(self.catalogue.mechanism, len(self.scales), self.equation_choice.n_dependent)

    @property
    def scales(self) -> np.ndarray:
        """What the rows of constraints are measured by."""
        return self.rhs.row_scales(self.kept.norms, self.kept.sizes)

    def first_values(self, m: Mechanism) -> dict[str, Any]:
        """What the integrator's parts of the memory begin with, for the mechanism with the parameters of the run."""
        found = self.integrator.first_values(m.numeric, self.rhs.watched)
        at = self.layout.parts.get("size")  # of coordinates known, of all else not yet
        more = [] if at is None else [0.0] * (at.stop - at.start - len(found["size"]))
        return found if at is None else found | {"size": [*found["size"], *more]}

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
        self.rhs.make_known()
        return self.catalogue.mechanism.code.library(self._asked_for, self._module)

    @cached_property
    def _asked_for(self) -> tuple[Any, ...]:
        """Everything that `_module` reads, besides the mechanism."""
        h, b = self.kept, self.equation_choice
        rows = (h.rows, h.others, h.stabilise)
        opaque = self.catalogue.opaque is not None
        return (
            type(self), self.integrator, self.lanes, self._events_asked_for, tuple(self.directions), rows, b.code_depends_on,
            self.many, opaque, self.beside, self.target,
        )  # fmt: skip

    @property
    def _events_asked_for(self) -> str:
        if not self.events:
            return ""
        with tracing():
            return fingerprint(self._event_values())

    @cached_property
    def work_size(self) -> int:
        return self.library.work_size() or 0

    def memory(self) -> np.ndarray:
        return aligned((self.layout.size, self.lanes))

    def input_memory(self) -> np.ndarray:
        return aligned((self.input_layout.size, self.lanes))

    def work(self) -> np.ndarray:
        return aligned((self.work_size + 1, self.lanes))

    def _event_values(self) -> list[Any]:
        if not self.events:
            return []
        from dalembert.simulation.march.run_events import traced_value

        m, b = self.catalogue.mechanism, self.equation_choice
        s = m.symbolic_state()
        if not b.uses_mechanism_speeds:
            s = b.form.state(m, s.t, s.coordinates, formulation_speed_symbols(b.form, m))
        return [traced_value(event, s) for event in self.events]

    def _pivots(self, module: Module) -> Signature | None:
        """Code that watches the choice of speeds; None where nothing is chosen."""
        with tracing():
            pivots = self.rhs.speed_pivots()
            m = self.catalogue.mechanism
            if not pivots:
                return None
            return emit_values(module, m, "pivots", pivots, self.lanes, self.input_layout, self.n_speeds)

    def _slope(self, module: Module) -> tuple[Signature, int]:
        return emit_slope(module, self.catalogue, self.rhs, self.lanes, self.input_layout)

    @property
    def _further_forces(self) -> Signature | None:
        """Code of forces beside those of a controller, once the slope is written."""
        return None

    def _projection(self, module: Module) -> Signature | None:
        return emit_projection(module, self.rhs, self.lanes, self.input_layout)

    def _look(self, e: MarchedEquations, steps: Steps) -> Signature | None:
        """Code that looks at a step before its outputs are written; None where there is nothing to look for."""
        return None

    def _around_samples(self, e: MarchedEquations) -> AroundSamples | None:
        """Code of what comes before and after samples; None where nothing does."""
        return None

    def _beside_samples(self, e: MarchedEquations) -> Beside | None:
        """What a sample does to what is integrated beside the state; None where it does nothing."""
        return None

    def _module(self) -> Module:
        module, m = Module(self.target.lanes, self.target), self.catalogue.mechanism
        slope, work = self._slope(module)
        project = self._projection(module)
        wide, project_wide = self.target.lanes if self._projects_in_lanes else 1, None
        if wide > 1:
            project_wide = emit_projection(Prefixed(module, "wide_"), self.rhs, wide, self.input_layout)
        e = MarchedEquations(
            module, self.lanes, self.catalogue, self.rhs, self.layout, self.input_layout, slope, project, work, project_wide, wide,
            self._pivots(module), self.beside, self._further_forces,
        )  # fmt: skip
        steps = self.integrator.emit(e)
        events = None
        if self.events:
            with tracing():
                events = emit_values(
                    module, m, "events", self._event_values(), self.lanes, self.input_layout, self.n_speeds
                )
        look = self._look(e, steps)
        sample = emit_sample(e, steps, self._around_samples, self._beside_samples) if m.elements else None
        marching = emit_march(e, steps, events, list(self.directions), look, sample)
        if self.many:
            emit_share(e, *marching)
        if self.assembles:
            self.rhs.emit_assembly(module)
        with module.function("work_size", status=True) as f:
            f.return_(work + steps.scratch)
        return module
