"""The same answers, bit for bit, from threads, processes and a cluster; a worker that dies takes nothing with it."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import dalembert as da
from tests.studies.models import four_bar
from tests.studies.test_stores import equal, study

distributed = pytest.importorskip("distributed")


def loops(runs: int) -> da.Study:
    options = da.SimulationOptions(output=0.05, rtol=1e-8)
    asked = {"crank": "±2%", "A'": (1.0, 2.0)}
    return da.Study(four_bar(), asked, {"end": "end D", "own": ("max", lambda s: s.q["D"] ** 2)}, runs, duration=0.3,
                    initial={"A": 1.0}, options=options)  # fmt: skip


def test_any_executor_gives_the_same_answers():
    asked = loops(300)
    own = asked.run(threads=2)
    with ThreadPoolExecutor(2) as pool:
        assert equal(asked.run(executor=pool, block=256), own)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert equal(study(300).run(executor=pool, block=256), study(300).run())


@pytest.fixture(scope="module")
def cluster():
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_a_cluster_of_processes_gives_the_same_bits_and_loses_nothing_with_a_worker(cluster):
    """One of two workers is killed with SIGKILL in mid-study."""
    asked = loops(1024)
    own = asked.run(threads=2)
    pids = cluster.run(os.getpid)
    killed = threading.Event()

    def kill_one(told):
        if not killed.is_set():
            killed.set()
            os.kill(next(iter(pids.values())), signal.SIGKILL)

    found = asked.run(executor=cluster, block=256, progress=kill_one)
    assert killed.is_set() and found.ended == "end"
    assert equal(found, own)
    assert np.array_equal(found.summary().mean, own.summary().mean)


def test_wrong_executors_are_refused_in_words():
    with pytest.raises(da.ArgumentError, match=r"must be a concurrent\.futures\.Executor"):
        study().run(executor=3)
    with pytest.raises(da.ArgumentError, match="leave one of them out"):
        study().run(executor=3, threads=2)
    with pytest.raises(da.ArgumentError, match="is no address"):
        study().run(executor="localhost")
    began = time.monotonic()
    with pytest.raises(da.SimulationError, match=r"no Dask scheduler at tcp://127\.0\.0\.1:1"):
        study().run(executor="tcp://127.0.0.1:1")
    assert time.monotonic() - began < 60
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(da.SimulationError, match="takes no more work"):
        study().run(executor=pool)
