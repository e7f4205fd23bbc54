"""A study made from end to end: blocks are handed to an engine, and kept as they come back."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dalembert.errors import ArgumentError, SimulationError, SimulationWarning
from dalembert.studies.engines import engine_of
from dalembert.studies.handing_out import HandingOut
from dalembert.studies.stores import InMemory, RunBlock, Store, store_of
from dalembert.words import counted

if TYPE_CHECKING:
    from dalembert.studies.answers.study_result import StudyResult
    from dalembert.studies.study import Study

SHORTEST = 1e-9
"""Seconds that count as some, where a rate is taken."""
COPIES = 6
"""How many times the numbers of its motions a unit takes while it is worked on."""


@dataclass
class StudyProgress:
    """How far a study is: `done` of `runs`, `failed` of them, `rate` per second and `left` seconds."""

    runs: int
    done: int = 0
    failed: int = 0
    here: int = 0
    """Runs made since this call began."""
    began: float = field(default_factory=time.monotonic)

    @property
    def rate(self) -> float:
        return self.here / max(SHORTEST, time.monotonic() - self.began)

    @property
    def left(self) -> float:
        return (self.runs - self.done) / self.rate if self.here else float("inf")

    def __str__(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.done} of {self.runs} runs, {self.rate:.3g} per second, {self.left:.0f} s left{failed}"


def conduct(
    study: Study, threads: int | None, executor: Any, folder: Path | None, kind: str | None, memory: float, block: int | None,
    progress: bool | Callable[[StudyProgress], None] | None,
) -> StudyResult:  # fmt: skip
    """See `Study.run`."""
    from dalembert.studies.answers.study_result import StudyResult

    if executor is not None and threads is not None:
        raise ArgumentError("study: threads= and executor= exclude each other; leave one of them out")
    store = store_of(study, folder, kind, study.block_size(block))
    every = -(-study.runs // store.size)
    done = store.done()
    todo = [k for k in range(every) if k not in done]
    so_far = StudyProgress(study.runs)
    for found in store.blocks() if done else ():
        so_far.done, so_far.failed = so_far.done + len(found), so_far.failed + len(found.failures)
    ended = "end"
    if todo:
        engine = engine_of(study, executor, _threads(study, threads, memory, len(todo)))
        kept, tell = _Kept(study, store, so_far, memory), _teller(progress)
        ended = HandingOut(engine, kept.span, kept.keep, kept.broken, lambda: tell(so_far)).make(todo)
    result = StudyResult.of(study, store, ended)
    _warn(result, so_far)
    return result


class _Kept:
    """Blocks as they come back: counted, and put where they are kept."""

    def __init__(self, study: Study, store: Store, so_far: StudyProgress, memory: float):
        self.study, self.store, self.so_far, self.memory = study, store, so_far, memory

    def span(self, k: int) -> tuple[int, int]:
        """First and last run of a block."""
        first = k * self.store.size
        return first, min(first + self.store.size, self.study.runs)

    def keep(self, k: int, block: RunBlock) -> None:
        self._check_room(block)
        self.store.write(k, block)
        self.so_far.done, self.so_far.here = self.so_far.done + len(block), self.so_far.here + len(block)
        self.so_far.failed += len(block.failures)

    def _check_room(self, block: RunBlock) -> None:
        """Answers that stay in memory must have room there."""
        each = (block.inputs.nbytes + sum(x.nbytes for x in block.columns.values())) / len(block)
        if isinstance(self.store, InMemory) and each * self.study.runs > self.memory:
            raise SimulationError(
                f"study: the answers of {self.study.runs} runs take {each * self.study.runs / 1e6:.0f} MB, and memory={self.memory:g} "
                "bytes were allowed; say folder=, so that they are written as they come, or allow more"
            )

    def broken(self, problem: Exception) -> SimulationError:
        kept = f"{self.so_far.done} of {self.study.runs} runs are done"
        what = (
            "they are lost with this call; say folder= to keep them"
            if isinstance(self.store, InMemory)
            else "they are kept"
        )
        return SimulationError(
            f"study: the executor takes no more work ({type(problem).__name__}: {problem}); {kept}, {what}"
        )


def _threads(study: Study, asked: int | None, memory: float, blocks: int) -> int:
    """How many threads work at once: as many as there are processors, or as memory has room for."""
    m, runner = study.mechanism, study.runner
    width = COPIES * (m.n_q + m.n_u + m.n_z) + len(m.parameters)
    each = 8.0 * runner.unit * len(study.times) * width
    if each > memory:
        raise SimulationError(
            f"study: {runner.unit} motions of {len(study.times)} samples take {each / 1e6:.0f} MB while they are worked on, and memory="
            f"{memory:g} bytes were allowed; let options=da.SimulationOptions(output=…) have fewer times, or allow more"
        )
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(asked or processors, blocks, int(memory / each)))


def _teller(progress: bool | Callable[[StudyProgress], None] | None) -> Callable[[StudyProgress], None]:
    if callable(progress):
        return progress
    if not (sys.stderr.isatty() if progress is None else progress):
        return lambda so_far: None
    return _print


def _print(so_far: StudyProgress) -> None:
    end = "\n" if so_far.done == so_far.runs else ""
    print(f"\r\033[K{so_far}", end=end, file=sys.stderr, flush=True)


def _warn(result: StudyResult, so_far: StudyProgress) -> None:
    """Failed runs, runs with remarks and blocks that were lost are said once."""
    said = []
    if so_far.failed:
        first = result.failures[0]
        said.append(f"{so_far.failed} of {result.runs} runs failed; the first is run {first.run}: {first.reason}")
    remarks = result.remarks
    if remarks:
        run = min(remarks)
        said.append(f"{counted(len(remarks), 'run')} passed with a remark; the first is run {run}: {remarks[run]}")
    if result.ended == "lost":
        said.append(
            "workers died again and again at the same runs; these are missing (see .done), and made by the same call with its folder"
        )
    for text in said:
        warnings.warn(text, SimulationWarning, stacklevel=5)
