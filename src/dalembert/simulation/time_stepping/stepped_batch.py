"""Many motions of a mechanism with laws by time stepping, a state in each lane; and what their laws did."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dalembert.cached import cached_property
from dalembert.kernels.catalogue import Catalogue
from dalembert.motion.law_history import LawHistory
from dalembert.simulation.kept_rows import KeptRows, law_rows_kept
from dalembert.simulation.march.march_many import Batch, Models
from dalembert.simulation.march.memory import fill_inputs
from dalembert.simulation.march.program import Program
from dalembert.simulation.run_options import Options
from dalembert.simulation.time_stepping.stepping_notes import stepped_history
from dalembert.simulation.time_stepping.stepping_program import SteppingProgram

if TYPE_CHECKING:
    from dalembert.simulation.many import Motions


def stepped_batch(
    c: Catalogue, o: Options, lanes: int, kept: KeptRows, q: np.ndarray, u: np.ndarray, P: np.ndarray, models: Models
) -> Batch:
    """All states' memory, with the mode in which each begins."""
    m = c.mechanism
    if m.laws:
        kept = law_rows_kept(models[0], kept, q[0], o.start)
    program = SteppingProgram(c, o.method, lanes, kept=kept, many=True)
    batch = Batch(program, o, q, u, P, models, lambda _: np.zeros(m.n_q + m.n_u + program.beside))
    batch.memory[:, program.layout.parts["theta"]] = o.theta
    modes = np.array([program.first_mode(models[k], q[k], o.start).numbers for k in range(len(q))])
    batch.inputs[:, program.mode_at] = batch.in_lanes(modes.reshape(len(q), program.rhs.mode.size))
    return batch


@dataclass(frozen=True, eq=False)
class SteppedLaws:
    """Losses, works, forces and states of laws in many motions, from which the history of each is made when asked for."""

    batch: Program
    options: Options
    q: np.ndarray
    """Coordinates at the start."""
    rows: np.ndarray
    """(K, T, numbers behind the state)."""

    @cached_property
    def program(self) -> SteppingProgram:
        """The same for one state at a time."""
        assert isinstance(self.batch, SteppingProgram)
        return replace(self.batch, lanes=1, many=False)

    def history(self, motions: Motions, k: int, t: np.ndarray, q: np.ndarray, u: np.ndarray) -> LawHistory:
        """The history of motion k at its times."""
        program, inputs = self.program, self.program.input_memory()
        values = {name: float(x[k]) for name, x in motions.parameters.items()}
        fill_inputs(inputs, program, np.array(list(values.values()), dtype=float))
        m = motions.mechanism.with_parameters(**values) if values else motions.mechanism
        inputs[program.mode_at, 0] = program.first_mode(m, self.q[k], self.options.start).numbers
        return stepped_history(program, inputs, t, np.hstack([q, u, self.rows[k, : len(t)]]), range(len(t)))
