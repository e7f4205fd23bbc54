"""Searches from many starts, made by the engines of studies: threads, an executor or a cluster; the same wherever they are made."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from dalembert.arguments import refused
from dalembert.design.trust_region import SearchEnd, Sought, search
from dalembert.errors import DalembertError, SimulationError
from dalembert.portable import Portable
from dalembert.studies.engines import engine_of
from dalembert.studies.handing_out import HandingOut


class Searches(Portable):
    """A problem and its starts, a row for each: what an engine is given."""

    def __init__(self, problem: Sought, starts: np.ndarray):
        self.problem, self.starts = problem, starts

    def piece(self, first: int, last: int) -> list[SearchEnd]:
        """The searches from these starts."""
        return [search(self.problem, x) for x in self.starts[first:last]]

    def prepare(self) -> None:
        """Compile what is needed."""
        try:
            problem, begun = self.problem.begun(self.starts[0])
            problem.evaluate(begun)
        except DalembertError:  # what is wrong with that start is told where it is searched from
            return


def searched(problem: Sought, starts: np.ndarray, threads: int | None, executor: Any, what: str) -> list[SearchEnd]:
    """Where the searches from all starts ended, in the order of the starts."""
    if executor is not None and threads is not None:
        raise refused(f"{what}: threads", "left out beside executor=, which has workers of its own", threads)
    work = Searches(problem, starts)
    work.prepare()
    ends: dict[int, SearchEnd] = {}

    def keep(k: int, found: list[SearchEnd]) -> None:
        ends[k] = found[0]

    def broken(why: Exception) -> Exception:
        return SimulationError(f"{what}: the executor takes no more work ({type(why).__name__}: {why})")

    engine = engine_of(work, executor, min(len(starts), threads or os.cpu_count() or 1))
    ended = HandingOut(engine, lambda k: (k, k + 1), keep, broken).make(range(len(starts)))
    if ended == "interrupted" and not ends:
        raise KeyboardInterrupt
    return [ends[k] for k in sorted(ends)]
