"""How long it takes from a mechanism to a kernel that can be called: compiling, and loading what an earlier process compiled.

Each measurement is a process of its own: `python benchmarks/latency.py "chain 6"` prints its times as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time

import models

from dalembert.kernels.catalogue import Catalogue
from dalembert.trace.native import host


def compile_times(name: str, tries: int) -> dict[str, list[float]]:
    """[seconds waited, seconds of processor time], each the best of several tries: with an empty cache, then from what it kept."""
    runs = []
    for _ in range(tries):
        with tempfile.TemporaryDirectory() as cache:
            first, second = (_in_a_process_of_its_own(name, cache) for _ in range(2))
        runs.append(
            {
                "build": first["build"],
                "compile, one lane": first["one lane"],
                "compile, lanes": first["lanes"],
                "from cache, one lane": second["one lane"],
                "from cache, lanes": second["lanes"],
            }
        )
    return {key: [min(run[key][clock] for run in runs) for clock in range(2)] for key in runs[0]}


def _in_a_process_of_its_own(name: str, cache: str) -> dict[str, list[float]]:
    command, environment = [sys.executable, __file__, name], os.environ | {"DALEMBERT_CACHE_DIR": cache}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    times: dict[str, list[float]] = json.loads(done.stdout)
    return times


def measure(name: str) -> dict[str, list[float]]:
    """Forward dynamics on one lane, then on all. Python's modules and LLVM have been loaded before."""
    model = models.named(name)
    host()
    times, clocks = {}, _clocks()

    def lap(what: str) -> None:
        nonlocal clocks
        times[what] = [now - before for now, before in zip(_clocks(), clocks)]
        clocks = _clocks()

    m = models.mechanism(model)
    lap("build")
    catalogue = Catalogue(m)
    catalogue.forward_dynamics.library(1)
    lap("one lane")
    catalogue.forward_dynamics.library(catalogue.forward_dynamics.lanes)
    lap("lanes")
    return times


def _clocks() -> tuple[float, float]:
    return time.perf_counter(), time.thread_time()


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
