"""Who makes the runs: threads of this process, any `concurrent.futures.Executor`, or a cluster of `dask.distributed`.

An engine takes blocks and gives futures. Scheduling, retries and the way of results are the executor's own affair.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections import OrderedDict
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from dalembert.errors import ArgumentError, SimulationError
from dalembert.optional import optional
from dalembert.studies.stores import RunBlock, joined
from dalembert.version import __version__

if TYPE_CHECKING:
    from dalembert.studies.study import Study

RETRIES = 3
"""How often a block is tried again whose worker died."""
STUDIES = 4
"""Studies that a worker keeps, compiled."""
_known: OrderedDict[bytes, Study] = OrderedDict()


class Engine:
    """The contract: `submit` a block, `workers` that work at once, `close` what was opened for the study."""

    workers: int

    def submit(self, first: int, last: int) -> Future[RunBlock]:
        raise NotImplementedError

    def close(self) -> None:
        """What belongs to somebody else stays open."""


class Threads(Engine):
    """Threads of this process; compiled code runs beside other compiled code."""

    def __init__(self, study: Study, threads: int):
        self._study, self.workers = study, threads
        self._pool = ThreadPoolExecutor(threads)

    def submit(self, first: int, last: int) -> Future[RunBlock]:
        return self._pool.submit(block_of, self._study, first, last)

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


class OnExecutor(Engine):
    """An executor of somebody else. The study goes with every block, as few bytes, and is made anew once in every process."""

    def __init__(self, study: Study, executor: Executor):
        self._executor, self._packed = executor, packed(study, by_value=False)
        self.workers = int(getattr(executor, "_max_workers", None) or os.cpu_count() or 1)

    def submit(self, first: int, last: int) -> Future[RunBlock]:
        return self._executor.submit(block_from, self._packed, first, last)


class OnDask(Engine):
    """A cluster: the study is sent to every worker once, and compiled once on every machine before the others begin."""

    def __init__(self, study: Study, client: Any, own: bool):
        self._client, self._own = client, own
        threads = client.nthreads()
        if not threads:
            raise SimulationError(f"study: the cluster at {client.scheduler.address} has no workers yet; start some")
        self.workers = sum(threads.values())
        self._packed = packed(study, by_value=True)
        self._sent = client.scatter(self._packed, broadcast=True, hash=False)
        self._executor = client.get_executor(retries=RETRIES, pure=False)
        machines = {urlsplit(address).hostname: address for address in reversed(list(threads))}
        ready = [
            client.submit(prepared, self._sent, workers=[address], allow_other_workers=True, pure=False)
            for address in machines.values()
        ]
        client.gather(ready)

    def submit(self, first: int, last: int) -> Future[RunBlock]:
        if self._sent.status != "finished":  # all that had it are gone
            self._sent = self._client.scatter(self._packed, broadcast=True, hash=False)
        made: Future[RunBlock] = self._executor.submit(block_from, self._sent, first, last)
        return made

    def close(self) -> None:
        self._sent.release()
        if self._own:
            self._client.close()


def engine_of(study: Study, executor: Any, threads: int) -> Engine:
    """The engine for what a user hands over."""
    if executor is None:
        return Threads(study, threads)
    if isinstance(executor, str):
        return OnDask(study, _client(executor), own=True)
    if type(executor).__module__.partition(".")[0] == "distributed" and hasattr(executor, "get_executor"):
        return OnDask(study, executor, own=False)
    if isinstance(executor, Executor):
        return OnExecutor(study, executor)
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


def packed(study: Study, by_value: bool) -> bytes:
    """The study as bytes; functions of a program's own by value, where another machine has not the program."""
    if not by_value:
        try:
            return pickle.dumps((__version__, study))
        except (pickle.PicklingError, AttributeError, TypeError):
            pass
    pickler = optional("cloudpickle", "a study with functions of one's own in other processes", SimulationError)
    try:
        made: bytes = pickler.dumps((__version__, study))
    except (pickle.PicklingError, AttributeError, TypeError) as problem:
        raise SimulationError(f"study: it cannot be sent to other processes: {problem}; run it by threads") from None
    return made


def study_from(sent: bytes) -> Study:
    """The study, made once in this process; found again by all that was sent."""
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
    """Compile what the study needs by making its first runs."""
    study = study_from(sent)
    study.run_block(0, min(study.runner.unit, study.runs))
    return True


def block_from(sent: bytes, first: int, last: int) -> RunBlock:
    """A block, in a process that may not know the study yet."""
    return block_of(study_from(sent), first, last)


def block_of(study: Study, first: int, last: int) -> RunBlock:
    return joined(first, study.run_block(first, last))
