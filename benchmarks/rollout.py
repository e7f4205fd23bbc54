"""Marching in time: dalembert beside MuJoCo's `mujoco.rollout`, in one run on one machine.

Chains of hinges, RK4 with a step of 1 ms, contacts off; both write the state after every step. The two motions are compared first. One
thread is timed by its processor time, several by the clock; rounds are short and interleaved, and the best of each counts, because
other programs on the machine only ever slow one down. dalembert marches all 1000 states in every round; MuJoCo, which takes them one by
one and many times as long, a piece of them at a time. Then, for dalembert alone: how long the very first call takes on a machine, and
the first call in a new process, and an adaptive run.

    python benchmarks/rollout.py [--json] [--quick]

`--json` prints the figures and targets instead of the table. `--quick` takes short rounds and writes nothing.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import models
import numpy as np
import reporting
from models import Model, MuJoCo

import dalembert as da

try:
    import mujoco
    from mujoco import rollout
except ImportError as missing:
    sys.exit(f"{missing.name} is not installed: run `make bench`, or pip install -r benchmarks/requirements.txt")

STEP = 1e-3
STATES = 1000
PIECE = 25
"""States of one of MuJoCo's rounds."""
CHAINS = ("chain 6", "chain 24", "chain 6 aligned", "chain 24 aligned")
TARGETS = {"one state": 6.0, "1000 states, one thread": 30.0, "two threads": 1.7}
TOLERANCE = 1e-6


# -- the same motion twice --------------------------------------------------------------------------------------------------
class Theirs:
    """MuJoCo with RK4."""

    def __init__(self, model: Model) -> None:
        self.model = MuJoCo(model).model
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        self.model.opt.timestep = STEP
        self.data = mujoco.MjData(self.model)

    def march(self, q: np.ndarray, u: np.ndarray, steps: int) -> np.ndarray:
        """(K, steps, n): q and u after every step."""
        start = np.hstack([np.zeros((len(q), 1)), q, u])
        state, _ = rollout.rollout(self.model, self.data, start, nstep=steps)
        return np.asarray(state)[:, :, 1:]


def one(m: da.Mechanism, q: np.ndarray, u: np.ndarray, steps: int) -> Any:
    return m.simulate(steps * STEP, q, u, step=STEP, output=STEP)


def many(m: da.Mechanism, q: np.ndarray, u: np.ndarray, steps: int, threads: int) -> Any:
    return m.simulate_many(q, steps * STEP, u, step=STEP, output=STEP, threads=threads)


def difference(m: da.Mechanism, theirs: Theirs, q: np.ndarray, u: np.ndarray) -> float:
    """Largest over the first tenth of a second, by the size of the motion."""
    ours, b = many(m, q[:8], u[:8], 100, 1), theirs.march(q[:8], u[:8], 100)
    a = np.concatenate([ours.q, ours.u], axis=2)[:, 1:]
    return float(abs(a - b).max() / abs(b).max())


# -- timing -----------------------------------------------------------------------------------------------------------------
def best(rounds: int, tasks: dict[str, tuple[Callable[[], Any], Callable[[], float]]]) -> dict[str, float]:
    """Seconds of each task by its clock: the fastest of its rounds."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, (task, clock) in tasks.items():
            start = clock()
            task()
            times[name].append(clock() - start)
    return {name: min(taken) for name, taken in times.items()}


def compare(name: str, quick: bool) -> dict[str, Any]:
    model = models.named(name)
    m, theirs = models.mechanism(model), Theirs(model)
    q, u, _ = model.states(STATES)
    q, u = 0.5 * q, 0.5 * u
    alone, batch = (2000, 20) if quick else (5000, 100)
    pieces = itertools.cycle(range(0, STATES, PIECE))

    def piece() -> None:
        k = next(pieces)
        theirs.march(q[k : k + PIECE], u[k : k + PIECE], batch)

    processor, clock = time.process_time, time.perf_counter
    gap = difference(m, theirs, q, u)
    one(m, q[0], u[0], 10)
    taken = best(
        2 if quick else 40,
        {
            "dalembert, one state": (lambda: one(m, q[0], u[0], alone), processor),
            "MuJoCo, one state": (lambda: theirs.march(q[:1], u[:1], alone), processor),
            "dalembert, 1000 states": (lambda: many(m, q, u, batch, 1), processor),
            "MuJoCo, 1000 states": (piece, processor),
            "dalembert, 1000 states by the clock": (lambda: many(m, q, u, batch, 1), clock),
            "dalembert, two threads": (lambda: many(m, q, u, batch, 2), clock),
        },
    )
    steps = {name: alone if name.endswith("one state") else STATES * batch for name in taken}
    steps["MuJoCo, 1000 states"] = PIECE * batch
    rate = {name: steps[name] / seconds for name, seconds in taken.items()}
    return {
        "model": name,
        "difference": gap,
        "steps per second": rate,
        "ratios": {
            "one state": rate["dalembert, one state"] / rate["MuJoCo, one state"],
            "1000 states, one thread": rate["dalembert, 1000 states"] / rate["MuJoCo, 1000 states"],
            "two threads": rate["dalembert, two threads"] / rate["dalembert, 1000 states by the clock"],
        },
    }


# -- waiting ----------------------------------------------------------------------------------------------------------------
_FIRST = """
import sys, time
sys.path.insert(0, {here!r})
import models
m = models.mechanism(models.chain(6, aligned=False))
start = time.perf_counter(), time.process_time()
m.simulate(1.0, [0.3] * 6)
print(time.perf_counter() - start[0], time.process_time() - start[1])
"""


def first_calls(tries: int) -> dict[str, list[float]]:
    """[seconds waited, seconds of processor time] of the first `simulate` in a process: nothing cached, then all of it.

    Python's own byte code is there, as after an installation.
    """
    found: dict[str, list[list[float]]] = {"first ever": [], "new process, warm cache": []}
    with tempfile.TemporaryDirectory() as byte_code:
        settings = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        settings["PYTHONPYCACHEPREFIX"] = byte_code

        def timed(cache: str) -> list[float]:
            done = subprocess.run(
                [sys.executable, "-c", _FIRST.format(here=str(Path(__file__).parent))],
                env=settings | {"DALEMBERT_CACHE_DIR": cache}, capture_output=True, text=True, check=True,
            )  # fmt: skip
            return [float(x) for x in done.stdout.split()]

        timed("off")
        for _ in range(tries):
            with tempfile.TemporaryDirectory() as cache:
                for name in found:
                    found[name].append(timed(cache))
    return {name: [min(x[k] for x in taken) for k in range(2)] for name, taken in found.items()}


def adaptive(rounds: int) -> dict[str, Any]:
    """The chain of 6 for 10 s at a relative tolerance of 1e-9."""
    m = models.mechanism(models.chain(6, aligned=False))
    task = lambda: m.simulate(10.0, [0.3] * 6, rtol=1e-9)  # noqa: E731
    motion = task()
    energy = motion.energy()
    drift = float(abs(energy.total - energy.total[0]).max() / energy.kinetic.max())
    seconds = best(rounds, {"run": (task, time.process_time)})["run"]
    return {"seconds": seconds, "steps": motion.record["steps"], "drift": drift}


# -- telling ----------------------------------------------------------------------------------------------------------------
def table(results: dict[str, Any]) -> str:
    """Markdown."""
    rows = []
    for x in results["rows"]:
        rate, ratio = x["steps per second"], x["ratios"]
        for name, key in (("one state", "one state"), ("1000 states", "1000 states, one thread")):
            ours, their = rate[f"dalembert, {name}"], rate[f"MuJoCo, {name}"]
            rows.append(f"| {x['model']} | {key} | {ours:,.0f} | {their:,.0f} | {ratio[key]:.1f}× |")
        rows.append(
            f"| {x['model']} | 1000 states, two threads | {rate['dalembert, two threads']:,.0f} | | "
            f"{ratio['two threads']:.2f}× one thread |"
        )
    waits = results["first calls"]
    about = reporting.in_words(results["about"])
    a = results["adaptive"]
    gaps = ", ".join(f"{x['difference']:.0e}" for x in results["rows"])
    return (
        "# Marching chains of hinges: RK4, 1 ms, every step written\n\n"
        "Steps per second; MuJoCo's `rollout` in the same run, contacts off. Written by `benchmarks/rollout.py`. *aligned*: axes z y y "
        "z y z, offsets along one axis, as robot arms are built; else random frames between the hinges.\n\n"
        "| model | what | dalembert | MuJoCo | ratio |\n|---|---|---:|---:|---:|\n" + "\n".join(rows) + "\n\n"
        f"The motions differ by {gaps} after 0.1 s. First `simulate` of the chain of 6: {waits['first ever'][0]:.2f} s with an empty "
        f"cache, {waits['new process, warm cache'][0]:.2f} s in a new process with a warm one (processor time "
        f"{waits['first ever'][1]:.2f} and {waits['new process, warm cache'][1]:.2f} s). Adaptive, 10 s at 1e-9: "
        f"{a['seconds'] * 1e3:.1f} ms, {a['steps']} steps, energy kept to {a['drift']:.0e}.\n\n{about}\n"
    )


def verdict(rows: list[dict[str, Any]]) -> list[str]:
    """What falls short of the targets, in words."""
    short = [f"{x['model']}: the motions differ by {x['difference']:.0e}" for x in rows if x["difference"] > TOLERANCE]
    for x in rows:
        for name, target in TARGETS.items():
            if x["ratios"][name] < target:
                short.append(f"{x['model']}, {name}: {x['ratios'][name]:.2f} times, not {target:g}")
    return short


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options.add_argument("--quick", action="store_true", help="short rounds, nothing written")
    given = options.parse_args()
    rows = [compare(name, given.quick) for name in CHAINS]
    results = {
        "about": reporting.about(mujoco),
        "targets": TARGETS,
        "rows": rows,
        "first calls": first_calls(1 if given.quick else 3),
        "adaptive": adaptive(3 if given.quick else 10),
    }
    if not given.quick:
        reporting.keep("rollout", results, table(results))
    print(json.dumps(results, indent=1) if given.json else table(results))
    return reporting.say_what_falls_short(verdict(rows))


if __name__ == "__main__":
    sys.exit(main())
