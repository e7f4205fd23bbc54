"""What programs with laws have in common, whether events are located or steps are of one length: the mode among their inputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.cached import cached_property
from dalembert.kernels.masked.law_rhs import LawRightHandSide
from dalembert.kinematics.law_mode import LawMode
from dalembert.kinematics.law_rows import LawTable
from dalembert.mechanism import Mechanism
from dalembert.simulation.march.program import Program


@dataclass(frozen=True, eq=False)
class ProgramWithLaws(Program):
    """A time loop with laws. Two numbers are integrated for every law: what it takes for good, and the work of its forces."""

    @cached_property
    def rhs(self) -> LawRightHandSide:
        raise NotImplementedError

    @property
    def mechanism(self) -> Mechanism:
        return self.catalogue.mechanism

    @property
    def table(self) -> LawTable:
        return self.mechanism.law_table

    @property
    def beside(self) -> int:
        return self.mechanism.n_z + 2 * len(self.mechanism.laws)

    @cached_property
    def unknowns(self) -> list[str]:
        more = [f'{what} of law "{name}"' for name in self.mechanism.laws for what in ("losses", "work")]
        return super().unknowns + more

    @property
    def scales(self) -> np.ndarray:
        k = self.kept
        return self.rhs.row_scales(np.concatenate([k.norms, k.law_norms]), np.concatenate([k.sizes, k.law_sizes]))

    @cached_property
    def mode_at(self) -> slice:
        """Where the mode lies among the inputs."""
        start = self.input_layout.parts["P"].start + self.rhs.mode_at
        return slice(start, start + self.rhs.mode.size)

    def mode(self, inputs: np.ndarray) -> LawMode:
        """The mode among these inputs; what is written into it is written there."""
        return LawMode(self.rhs.mode, self.table, inputs[self.mode_at, 0])
