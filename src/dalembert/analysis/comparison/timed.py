"""Machine code of a formulation with a constraint method, and how long one evaluation takes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalembert.analysis.comparison.processor_time import processor_time
from dalembert.kernels.rhs.formulation_kernel import FormulationSpeedsKernel
from dalembert.kinematics.state import State
from dalembert.trace.native import aligned
from dalembert.trace.native.driver.lapack import make_known

ROUNDS = 9
ROUND_SECONDS = 1e-3
"""How long each pair runs in every round."""
ROOM = 128_000
"""Bytes of input and output of one call: many evaluations, none of which waits for memory."""


class TimedKernel:
    """A pair's machine code, compiled afresh so that its time can be measured, and called over many states at once."""

    def __init__(self, kernel: FormulationSpeedsKernel):
        make_known()
        self.kernel = kernel
        module = kernel.module(1)
        begun = processor_time()
        self.library = module.compile()
        self.compile_seconds = processor_time() - begun
        self.work = aligned(max(1, self.library.work_size() or 0))
        self.given: list[np.ndarray] = []

    def evaluate(self, states: Sequence[State], own: Sequence[np.ndarray]) -> np.ndarray:
        """(q̇, ẇ) at the states, one row each."""
        m = self.kernel.mechanism
        t = np.array([[s.t] for s in states], dtype=float)
        q = np.array([s.coordinates for s in states], dtype=float).reshape(len(states), m.n_q)
        w = np.array(own, dtype=float).reshape(len(states), -1)
        self.given = [t, q, w, np.zeros((1, m.n_u)), np.array([list(m.parameters.values())], dtype=float)]
        run = TimedRun(self, len(states))
        run.once()
        return run.y

    def run(self) -> TimedRun:
        """The states just evaluated, as often as they fit."""
        row = 8 * (self.kernel.n_output + sum(x.shape[1] for x in self.given if len(x) > 1))
        return TimedRun(self, max(16, ROOM // row))


class TimedRun:
    """A call over many states, those of the pair in turn; a single row serves all."""

    def __init__(self, native: TimedKernel, count: int):
        self.count, self.y = count, np.empty((count, native.kernel.n_output))
        given = [np.resize(x, (count, x.shape[1])) if len(x) > 1 else x for x in native.given]
        steps = [x.shape[1] if len(x) > 1 else 0 for x in given]
        self.once = native.library.batch.bind(count, *given, *steps, self.y, native.work)
        self.times = max(1, int(ROUND_SECONDS / self.seconds(1)))

    def seconds(self, times: int) -> float:
        begun = processor_time()
        for _ in range(times):
            self.once()
        return processor_time() - begun


def nanoseconds(pairs: Sequence[TimedKernel]) -> list[float]:
    """Per evaluation: all pairs in rounds, one after the other, and the best round of each."""
    runs = [pair.run() for pair in pairs]
    best = [np.inf] * len(runs)
    for _ in range(ROUNDS):
        for k, run in enumerate(runs):
            best[k] = min(best[k], 1e9 * run.seconds(run.times) / run.times / run.count)
    return best
