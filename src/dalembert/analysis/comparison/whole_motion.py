"""What a whole motion costs to a given accuracy, by one formulation and constraint method: steps and seconds.

All are marched by the same integrator with the same projection, each in its own speeds and from its equations as they are written:
Kane's of a tree, too, without the recursion that `m.simulate` has for these. Tolerances are tightened until the coordinates are as near
the reference as was asked for. The seconds are those of compiled code alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.analysis.comparison.processor_time import processor_time
from dalembert.cached import cached_property
from dalembert.errors import SimulationError
from dalembert.kernels.rhs.formulation_rhs import FormulationRightHandSide
from dalembert.kernels.rhs.right_hand_side import RightHandSide, right_hand_side
from dalembert.mechanism import Mechanism
from dalembert.mechanism.simulation_options import SimulationOptions
from dalembert.simulation.constrained_start import kept_at
from dalembert.simulation.equation_choice import equation_choice
from dalembert.simulation.kept_rows import NO_ROWS_KEPT, KeptRows
from dalembert.simulation.march.between_stretches import Progress
from dalembert.simulation.march.memory import STEPS
from dalembert.simulation.march.program import Program
from dalembert.simulation.march.run import Run
from dalembert.simulation.run_options import options

if TYPE_CHECKING:
    from dalembert.aliases import JointValues


OUTPUTS = 20
"""Times of the motion at which it is compared."""
BEST, NEXT_BEST = 1e-13, 1e-12
"""Tolerances of the reference, and of a second run by which it is judged."""
LOOSEST, TIGHTER, TIGHTEST = 1e-3, 10.0**0.25, 1e-13
"""Tolerances that are tried: the first, the factor from one to the next, and the last."""
IN_VAIN = 8
"""Tolerances in a row that take more steps and bring the motion no nearer, after which no more are tried."""
MOST_STEPS = 20_000
"""Steps of one motion."""
ROUNDS = 5
"""How often the motion that is near enough is timed; the best counts."""
DOUBT = 0.1
"""Part of the accuracy asked for by which two best computations may differ."""


@dataclass(frozen=True)
class MotionCost:
    """A motion near enough to the reference: the tolerance it took, its error, steps and seconds of compiled code."""

    rtol: float
    error: float
    steps: int
    seconds: float


class ProgramAsWritten(Program):
    """A program that marches equations as their formulation writes them."""

    @cached_property
    def rhs(self) -> RightHandSide:
        by, m = self.equation_choice, self.catalogue.mechanism
        if m.constraint_rows:
            return right_hand_side(self.catalogue, by.form, by.constraints, self.kept.keep)
        return FormulationRightHandSide(m, by.form, by.constraints, self.kept.keep)


class WholeMotion:
    """One motion of a mechanism, by which formulations are compared."""

    def __init__(
        self, m: Mechanism, duration: float, initial: JointValues | None, speeds: JointValues | None, accuracy: float
    ):
        self.m, self.duration, self.accuracy = m, duration, accuracy
        usual = [
            m.simulate(duration, initial, speeds, method="dop853", rtol=rtol, output=duration / OUTPUTS)
            for rtol in (BEST, NEXT_BEST)
        ]
        self.t, self.q = usual[0].t, usual[0].q
        self.start = usual[0].q[0], usual[0].u[0]
        doubt = self.error(usual[1].q)
        if not doubt <= DOUBT * accuracy:
            raise SimulationError(
                f'mechanism "{m.name}": two computations of this motion differ by {doubt:.1g} at their best, so that it cannot be said '
                f"what is within {accuracy:g}; compare over a shorter duration, or to a lower accuracy"
            )

    def error(self, q: np.ndarray) -> float:
        """The largest difference of a coordinate from the reference, in rad and in the mechanism's own length."""
        return float(np.abs((q - self.q) / self.m.scales.coordinates).max(initial=0.0))

    @cached_property
    def _kept(self) -> KeptRows:
        if not self.m.constraint_rows:
            return NO_ROWS_KEPT
        o = options(self.m, self.duration, SimulationOptions())
        return kept_at(self.m, self.start[0], 0.0, o.stabilise)

    def cost(self, formulation: str, constraints: str) -> MotionCost:
        """What it takes by this pair; where the accuracy is not met, an error says how near it came."""
        nearest, since, most, rtol, program = np.inf, 0, 0, LOOSEST, None
        while rtol > TIGHTEST / TIGHTER and since < IN_VAIN:
            run = self._run(formulation, constraints, rtol, program)
            program = run.program
            self._marched(run)
            error = self.error(run.rows[:, : self.m.n_q])
            steps = int(run.counters[STEPS])
            if error < 0.5 * nearest:
                since = 0
            elif steps > most:  # as many as before say nothing: the motion is smoother than the tolerance asks for
                since += 1
            nearest, most = min(nearest, error), max(most, steps)
            if error <= self.accuracy:
                times = [self._marched(self._run(formulation, constraints, rtol, program)) for _ in range(ROUNDS)]
                return MotionCost(rtol, error, steps, min(times))
            rtol /= TIGHTER
        raise SimulationError(f"its motion came within {nearest:.1g} of the reference, not within {self.accuracy:g}")

    def _run(self, formulation: str, constraints: str, rtol: float, program: Program | None) -> Run:
        said = SimulationOptions(
            method="dop853",
            rtol=rtol,
            output=self.t,
            formulation=formulation,
            constraints=constraints,
            max_steps=MOST_STEPS,
        )
        q, u = self.start
        o = options(self.m, self.duration, said).beginning(self.m, q, u)
        if program is None:
            by = equation_choice(self.m.kernels, formulation, constraints, o, q)
            program = ProgramAsWritten(self.m.kernels, o.method, 1, (), (), self._kept, by)
        run = Run(program, self.m, o, [], None, None, lambda: "")
        run.begin(q, u, np.array(list(self.m.parameters.values()), dtype=float))
        return run

    @staticmethod
    def _marched(run: Run) -> float:
        begun = processor_time()
        run.go(Progress(False), None)
        return processor_time() - begun
