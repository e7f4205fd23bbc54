"""Pieces of work handed to an engine, a few at a time, and taken back as they are done; a piece whose worker died is tried again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from typing import Any

from dalembert.studies.engines import RETRIES, Engine

IN_HAND = 2
"""Pieces handed out for each worker: one that it works on, and one that waits."""
LOOK_UP = 0.2
"""Seconds between looks at what came back."""
LOST = ("KilledWorker", "FutureCancelledError", "CommClosedError", "CancelledError")
"""What a cluster says of a piece whose worker died."""


class HandingOut:
    """Pieces under way, and what becomes of them: `keep` is called with the number and the result of each."""

    def __init__(
        self, engine: Engine, span: Callable[[int], tuple[int, int]], keep: Callable[[int, Any], None],
        broken: Callable[[Exception], Exception], told: Callable[[], None] = lambda: None,
    ):  # fmt: skip
        self.engine, self.span, self.keep, self.broken, self.told = engine, span, keep, broken, told
        self.under_way: dict[Future[Any], int] = {}
        self.tries: dict[int, int] = {}
        self.lost: list[int] = []

    def make(self, todo: Sequence[int]) -> str:
        """Make these pieces; how that ended."""
        waiting = iter(todo)
        ended = "end"
        try:
            self._fill(waiting)
            while self.under_way:
                self._collect(LOOK_UP)
                self._fill(waiting)
        except KeyboardInterrupt:
            ended = "interrupted"
            self._finish_what_runs()
        finally:
            for future in self.under_way:
                future.cancel()
            self.engine.close()
        return "lost" if self.lost and ended == "end" else ended

    def _fill(self, waiting: Iterator[int]) -> None:
        while len(self.under_way) < IN_HAND * self.engine.workers:
            k = next(waiting, None)
            if k is None:
                return
            self._submit(k)

    def _submit(self, k: int) -> None:
        try:
            self.under_way[self.engine.submit(*self.span(k))] = k
        except (BrokenExecutor, RuntimeError) as problem:
            raise self.broken(problem) from problem

    def _collect(self, timeout: float) -> None:
        done, _ = wait(self.under_way, timeout=timeout, return_when=FIRST_COMPLETED)
        for future in done:
            k = self.under_way.pop(future)
            try:
                self.keep(k, future.result())
            except BrokenExecutor as problem:
                raise self.broken(problem) from problem
            except CancelledError:
                self._again(k)
            except Exception as problem:
                if type(problem).__name__ not in LOST:
                    raise
                self._again(k)
        if done:
            self.told()

    def _again(self, k: int) -> None:
        """A piece whose worker died is tried again; one that kills its workers is left out."""
        self.tries[k] = self.tries.get(k, 0) + 1
        if self.tries[k] <= RETRIES:
            self._submit(k)
        else:
            self.lost.append(k)

    def _finish_what_runs(self) -> None:
        """After Ctrl-C: what no worker has begun is dropped, the rest is kept."""
        for future in list(self.under_way):
            if future.cancel():
                del self.under_way[future]
        while self.under_way:
            self._collect(LOOK_UP)
