"""A mechanism's time loop with laws: their rows masked by the mode, margins evaluated in every step, losses integrated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dalembert.cached import cached_property
from dalembert.errors import SimulationError
from dalembert.kernels.masked.law_rhs import LawRightHandSide
from dalembert.mechanism import Mechanism
from dalembert.simulation.equation_choice import EquationChoice, kane_by
from dalembert.simulation.event_driven.law_margins import LawMargins, emit_look, emit_margins_at, memory_of_laws
from dalembert.simulation.event_driven.law_samples import SampledLaws
from dalembert.simulation.integrators.integrator import Steps, Unknowns, layout
from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.simulation.march.memory import Layout
from dalembert.simulation.march.program_with_laws import ProgramWithLaws
from dalembert.simulation.march.sampling import AroundSamples, sample_clocks
from dalembert.trace.native import Pointer, Signature


@dataclass(frozen=True, eq=False)
class LawProgram(ProgramWithLaws):
    """Equations with laws, whose events are located."""

    @cached_property
    def equation_choice(self) -> EquationChoice:
        """Laws are integrated in the mechanism's speeds, whichever formulation gives their rates."""
        return kane_by(self.catalogue, "range_space")

    @cached_property
    def rhs(self) -> LawRightHandSide:
        m, by, keep = self.catalogue.mechanism, self.chosen, self.kept.keep
        if by is None or by.usual:
            return self.catalogue.once(("laws", keep), lambda: LawRightHandSide(m, keep))
        from dalembert.kernels.masked.law_formulation_rhs import LawFormulationRightHandSide

        return LawFormulationRightHandSide(m, keep, by.form, by.constraints)

    @cached_property
    def _asked_for(self) -> tuple[Any, ...]:
        return (*super()._asked_for, None if self.chosen is None else self.chosen.code_depends_on)

    def _lay_out(self) -> Layout:
        m = self.mechanism
        unknowns = Unknowns(
            m.n_q, self.n_speeds, len(m.parameters), self.beside, self.rhs.watched, len(m.parts), n_z=m.n_z
        )
        n_clocks = len(sample_clocks(m).periods) if m.elements else 0
        return layout(self.integrator, unknowns, len(self.events), memory_of_laws(m.law_table), n_clocks)

    def _look(self, e: MarchedEquations, steps: Steps) -> Signature:
        """The look at every step; and what Python calls at events."""
        point: dict[str, Any] = dict.fromkeys(("t", "y", "dy", "inputs", "work"), Pointer)
        with e.module.function("slope_at", **point) as f:
            f.call(e.slope, f.t, f.y, f.dy, f.inputs, f.work)
        every: dict[str, Any] = dict.fromkeys(("t", "y", "inputs", "work"), Pointer)
        with e.module.function("brought_back", **every) as f:
            assert e.project is not None
            f.call(e.project, f.t, f.y, f.inputs, f.work)
        margins = LawMargins(e)
        at = emit_margins_at(e, steps, margins)
        e.written["margins"] = margins, at
        return emit_look(e, steps, margins, at, self.integrator.adaptive)

    def _around_samples(self, e: MarchedEquations) -> AroundSamples:
        return SampledLaws(e, *e.written["margins"]).around


def check_restitution(m: Mechanism, law: str) -> None:
    """Refuse a law of impacts by which not all laws of the mechanism can take part in them."""
    if law == "stronge" and m.law_table.loads:
        loaded = m.law_table.title(next(iter(m.law_table.loads)))
        raise SimulationError(
            f"law \"{loaded}\": friction by what a joint transmits takes part in impacts by Newton's or Poisson's law only; leave out "
            'restitution="stronge", or give the friction force itself'
        )
