"""A march of the variational equations under laws: state, books of the laws and X, in whatever mode the inputs say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dalembert.cached import cached_property
from dalembert.kernels.masked.law_rhs import LawRightHandSide
from dalembert.simulation.equation_choice import EquationChoice, kane_by
from dalembert.simulation.integrators.integrator import Steps
from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.simulation.march.program import Program
from dalembert.simulation.march.program_with_laws import ProgramWithLaws
from dalembert.simulation.march.sensitivity_march import SensitivityProgram
from dalembert.trace.native import Pointer, Signature


@dataclass(frozen=True, eq=False)
class LawSensitivityProgram(SensitivityProgram, ProgramWithLaws):
    """Kane's equations by range space with rows of laws masked by the mode, and `along` directions. Behind (q, u, z) stand losses and
    works of the laws, then X."""

    @cached_property
    def equation_choice(self) -> EquationChoice:
        return kane_by(self.catalogue, "range_space")

    @cached_property
    def rhs(self) -> LawRightHandSide:
        m, keep = self.catalogue.mechanism, self.kept.keep
        return self.catalogue.once(("laws", keep), lambda: LawRightHandSide(m, keep))

    @property
    def books(self) -> int:
        """How many numbers stand between the state and X."""
        return 2 * len(self.mechanism.laws)

    @property
    def beside(self) -> int:
        return super().beside + self.books

    @property
    def _sensitivity_at(self) -> int:
        return super()._sensitivity_at + self.books

    @cached_property
    def unknowns(self) -> list[str]:
        own = super(SensitivityProgram, self).unknowns
        lanes = [f"the sensitivity of {name}" for name in own[: len(own) - self.books] for _ in range(self.width)]
        return own + lanes * self.groups

    def _look(self, e: MarchedEquations, steps: Steps) -> Signature | None:
        """What Python calls at events."""
        point: dict[str, Any] = dict.fromkeys(("t", "y", "dy", "inputs", "work"), Pointer)
        with e.module.function("slope_at", **point) as f:
            f.call(e.slope, f.t, f.y, f.dy, f.inputs, f.work)
        return Program._look(self, e, steps)
