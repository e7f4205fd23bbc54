"""The steps that a march accepts, noted one by one."""

from __future__ import annotations

import numpy as np

from dalembert.mechanism import Mechanism
from dalembert.simulation.failure import failure, too_many_steps
from dalembert.simulation.kept_rows import KeptRows
from dalembert.simulation.march.program import Program
from dalembert.simulation.march.run import Run
from dalembert.simulation.run_options import Options
from dalembert.simulation.status import Status


def recorded_steps(m: Mechanism, o: Options, kept: KeptRows, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Times from the start to the end of the motion from (q, u), one for every end of a step."""
    run = _StepByStep(Program(m.kernels, o.method, kept=kept), m, o, [], None, None, str)
    run.begin(q, u, np.array(list(m.parameters.values()), dtype=float))
    return run.every_step()


class _StepByStep(Run):
    """A run that looks round after every step."""

    def every_step(self) -> np.ndarray:
        o, times, status = self.options, [self.options.start], int(Status.PAUSED)
        while status != Status.FINISHED:
            status = self._stretch(1)
            if status == Status.DEGRADED:
                self._look_at_rows()
            elif status < 0:
                raise failure(status, self.model, self.program, o, self.memory)
            while len(times) > 1 and times[-1] >= self.t:  # a step across a singular pose that was taken back
                times.pop()
            if self.t > times[-1]:
                times.append(self.t)
            if len(times) > o.max_steps:
                raise too_many_steps(o, self.t)
        return np.array([*times[:-1], o.end])
