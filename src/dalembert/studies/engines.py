"""Who makes the runs: threads of this process, any `concurrent.futures.Executor`, or a cluster of `dask.distributed`.

An engine takes pieces of work and gives futures. Scheduling, retries and the way of results are the executor's own affair.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections import OrderedDict
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, Protocol
from urllib.parse import urlsplit

from dalembert.errors import ArgumentError, SimulationError
from dalembert.optional import optional
from dalembert.version import __version__

RETRIES = 3
"""How often a block is tried again whose worker died."""
STUDIES = 4
"""Studies that a worker keeps, compiled."""
_known: OrderedDict[bytes, Work] = OrderedDict()


class Work(Protocol):
    """What an engine does, piece by piece: the runs of a study, the starts of a search."""

    def piece(self, first: int, last: int) -> object:
        """The results of `first` … `last` − 1, the same wherever they are worked out."""

    def prepare(self) -> None:
        """Compile what is needed."""


class Engine:
    """The contract: `submit` a piece, `workers` that work at once, `close` what was opened for the study."""

    workers: int

    def submit(self, first: int, last: int) -> Future[Any]:
        raise NotImplementedError

    def close(self) -> None:
        """What belongs to somebody else stays open."""


class Threads(Engine):
    """Threads of this process; compiled code runs beside other compiled code."""

    def __init__(self, work: Work, threads: int):
        self._work, self.workers = work, threads
        self._pool = ThreadPoolExecutor(threads)

    def submit(self, first: int, last: int) -> Future[Any]:
        return self._pool.submit(_piece, self._work, first, last)

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


class OnExecutor(Engine):
    """An executor of somebody else. The study goes with every block, as few bytes, and is made anew once in every process."""

    def __init__(self, work: Work, executor: Executor):
        self._executor, self._packed = executor, packed(work, by_value=False)
        self.workers = int(getattr(executor, "_max_workers", None) or os.cpu_count() or 1)

    def submit(self, first: int, last: int) -> Future[Any]:
        return self._executor.submit(piece_from, self._packed, first, last)


class OnDask(Engine):
    """A cluster: the study is sent to every worker once, and compiled once on every machine before the others begin."""

    def __init__(self, work: Work, client: Any, own: bool):
        self._client, self._own = client, own
        threads = client.nthreads()
        if not threads:
            raise SimulationError(f"study: the cluster at {client.scheduler.address} has no workers yet; start some")
        self.workers = sum(threads.values())
        self._packed = packed(work, by_value=True)
        self._sent = client.scatter(self._packed, broadcast=True, hash=False)
        self._executor = client.get_executor(retries=RETRIES, pure=False)
        machines = {urlsplit(address).hostname: address for address in reversed(list(threads))}
        ready = [
            client.submit(prepared, self._sent, workers=[address], allow_other_workers=True, pure=False)
            for address in machines.values()
        ]
        client.gather(ready)

    def submit(self, first: int, last: int) -> Future[Any]:
        if self._sent.status != "finished":  # all that had it are gone
            self._sent = self._client.scatter(self._packed, broadcast=True, hash=False)
        made: Future[Any] = self._executor.submit(piece_from, self._sent, first, last)
        return made

    def close(self) -> None:
        self._sent.release()
        if self._own:
            self._client.close()


def engine_of(work: Work, executor: Any, threads: int) -> Engine:
    """The engine for what a user hands over."""
    if executor is None:
        return Threads(work, threads)
    if isinstance(executor, str):
        return OnDask(work, _client(executor), own=True)
    if type(executor).__module__.partition(".")[0] == "distributed" and hasattr(executor, "get_executor"):
        return OnDask(work, executor, own=False)
    if isinstance(executor, Executor):
        return OnExecutor(work, executor)
    raise ArgumentError(
        f"study: executor={executor!r} must be a concurrent.futures.Executor, a dask.distributed.Client or the address of a Dask "
        'scheduler, "tcp://host:8786"'
    )


def _client(address: str) -> Any:
    distributed = optional("distributed", "a study on a Dask cluster")
    if "://" not in address:
        raise ArgumentError(
            f'study: {address!r} is no address of a Dask scheduler; say for example "tcp://127.0.0.1:8786"'
        )
    try:
        return distributed.Client(address, timeout=10)
    except (OSError, TimeoutError, ValueError) as problem:
        raise SimulationError(
            f"study: there is no Dask scheduler at {address} ({type(problem).__name__}); start one with `dask scheduler`, and workers "
            f"with `dask worker {address}`"
        ) from None


def packed(work: Work, by_value: bool) -> bytes:
    """The work as bytes; functions of a program's own by value, where another machine has not the program."""
    if not by_value:
        try:
            return pickle.dumps((__version__, work))
        except (pickle.PicklingError, AttributeError, TypeError):
            pass
    pickler = optional("cloudpickle", "a study with functions of one's own in other processes", SimulationError)
    try:
        made: bytes = pickler.dumps((__version__, work))
    except (pickle.PicklingError, AttributeError, TypeError) as problem:
        raise SimulationError(f"study: it cannot be sent to other processes: {problem}; run it by threads") from None
    return made


def work_from(sent: bytes) -> Work:
    """The work, made once in this process; found again by all that was sent."""
    asked = hashlib.sha256(sent).digest()
    found = _known.get(asked)
    if found is None:
        version, found = pickle.loads(sent)
        if version != __version__:
            raise SimulationError(
                f"study: a worker has dalembert {__version__}, and the study comes from {version}; let them be the same"
            )
        _known[asked] = found
        while len(_known) > STUDIES:
            _known.popitem(last=False)
    return found


def prepared(sent: bytes) -> bool:
    """Compile what is needed, in a process that may not know the work yet."""
    work_from(sent).prepare()
    return True


def piece_from(sent: bytes, first: int, last: int) -> object:
    """A piece, in a process that may not know the work yet."""
    return work_from(sent).piece(first, last)


def _piece(work: Work, first: int, last: int) -> object:
    return work.piece(first, last)
