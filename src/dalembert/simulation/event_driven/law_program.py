"""A mechanism's time loop with laws: their rows masked by the mode, margins looked at in every step, losses integrated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.kernels.masked.law_rhs import LawRightHandSide
from dalembert.mechanism import Mechanism
from dalembert.simulation.equation_choice import EquationChoice, kane_by
from dalembert.simulation.event_driven.law_margins import LawMargins, emit_look, memory_of_laws
from dalembert.simulation.integrators.integrator import Steps, Unknowns, layout
from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.simulation.march.memory import Layout
from dalembert.simulation.march.program import Program
from dalembert.trace.native import Pointer, Signature


@dataclass(frozen=True, eq=False)
class LawProgram(Program):
    """Equations with laws. Two numbers are integrated for every law: what it takes for good, and the work of its
    forces."""

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

    @property
    def mechanism(self) -> Mechanism:
        return self.catalogue.mechanism

    @property
    def beside(self) -> int:
        return self.mechanism.n_z + 2 * len(self.mechanism.laws)

    @cached_property
    def unknowns(self) -> list[str]:
        more = [f'{what} of law "{name}"' for name in self.mechanism.laws for what in ("losses", "work")]
        return super().unknowns + more

    def _lay_out(self) -> Layout:
        m = self.mechanism
        unknowns = Unknowns(m.n_q, self.n_speeds, len(m.parameters), self.beside, self.rhs.watched, len(m.parts), m.n_z)
        return layout(self.integrator, unknowns, len(self.events), memory_of_laws(m.law_table))

    @property
    def scales(self) -> np.ndarray:
        k = self.kept
        return self.rhs.row_scales(np.concatenate([k.norms, k.law_norms]), np.concatenate([k.sizes, k.law_sizes]))

    def _look(self, e: MarchedEquations, steps: Steps) -> Signature:
        """The look at every step; and what Python calls at events."""
        point: dict[str, Any] = dict.fromkeys(("t", "y", "dy", "inputs", "work"), Pointer)
        with e.module.function("slope_at", **point) as f:
            f.call(e.slope, f.t, f.y, f.dy, f.inputs, f.work)
        every: dict[str, Any] = dict.fromkeys(("t", "y", "inputs", "work"), Pointer)
        with e.module.function("brought_back", **every) as f:
            assert e.project is not None
            f.call(e.project, f.t, f.y, f.inputs, f.work)
        return emit_look(e, steps, LawMargins(e), self.integrator.adaptive)
