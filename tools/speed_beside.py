"""How fast two checkouts of the package are, measured together: ratios of processor time, new by old.

    OPENBLAS_NUM_THREADS=1 python -m tools.speed_beside OLD NEW [--rounds N] [--only WORD] [--compile]

OLD and NEW are folders of checkouts. Each has a process of its own, and the two take turns question by question, so that both meet the
same load. The best of the rounds counts. The models are those of `benchmarks/tree.py`, `rollout.py` and `loops.py`.
`--compile` times first calls instead, each in a process of its own with an empty cache.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

QUESTIONS = """
import sys, time
import numpy as np
sys.path.insert(0, "benchmarks")
import loop_models, loops, models
made = {}
def question(name):
    def put(f): made[name] = f
    return put
def of_tree(name):
    model = models.named(name)
    m = models.mechanism(model)
    q, u, x = model.states(512)
    for kernel in ("forward_dynamics", "inverse_dynamics"):
        call = getattr(m, kernel)
        question(f"tree: {name}, {kernel} of 512 states")(lambda: [call(q, u, x) for _ in range(5)])
    question(f"tree: {name}, mass_matrix of 512 states")(lambda: [m.mass_matrix(q) for _ in range(5)])
    calls = lambda: [m.forward_dynamics(q[0], u[0], x[0]) for _ in range(200)]
    question(f"tree: {name}, forward_dynamics of one state, 200 calls")(calls)
def of_rollout(name):
    model = models.named(name)
    m = models.mechanism(model)
    q, u, _ = model.states(64)
    q, u = 0.5 * q, 0.5 * u
    run = lambda duration: m.simulate(duration, q[0], u[0], step=1e-3, output=1e-3)
    question(f"rollout: {name}, one state, 20 short runs")(lambda: [run(0.01) for _ in range(20)])
    question(f"rollout: {name}, one state")(lambda: run(2.0))
    question(f"rollout: {name}, 64 states")(lambda: m.simulate_many(q, 0.1, u, step=1e-3, output=1e-3, threads=1))
def of_loop(name, make):
    p = make()
    question(f"loops: {name}")(lambda: loops.ours(p))
def all_of(only):
    for name in ("chain 6", "chain 24", "floating base + 30"): only in f"tree: {name}" and of_tree(name)
    for name in ("chain 6", "chain 24"): only in f"rollout: {name}" and of_rollout(name)
    every = {name: x[0] for name, x in loops.BESIDE.items()} | dict(loops.ALONE)
    for name, make in every.items(): only in f"loops: {name}" and of_loop(name, make)
"""

SERVE = (
    QUESTIONS
    + """
all_of(sys.argv[1])
for f in made.values(): f()
print(list(made), flush=True)
for line in sys.stdin:
    name = line.strip()
    began = time.thread_time(); made[name](); print(time.thread_time() - began, flush=True)
"""
)

FIRST = {
    "chain 24, forward_dynamics": (
        'm = models.mechanism(models.named("chain 24"))',
        "m.forward_dynamics([0.1] * 24, [0.0] * 24)",
    ),
    "four-bar, simulate": ("p = loop_models.crank_rocker()", "p.mechanism.simulate(1.0, p.initial, p.speeds)"),
    "Bricard, simulate": ("p = loop_models.bricard()", "p.mechanism.simulate(0.1, p.initial, p.speeds)"),
}
"""What is made, and what is called for the first time."""


def environment(checkout: Path, **more: str) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": f"{checkout / 'src'}{os.pathsep}{checkout}", "OPENBLAS_NUM_THREADS": "1", **more}


class Checkout:
    """A process that answers in one checkout."""

    def __init__(self, path: Path, only: str):
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVE, only],
            cwd=path, env=environment(path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.names: list[str] = eval(self._line())  # a list of texts, as this file itself prints it

    def _line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("a process ended; its error stands above")
        return line

    def seconds(self, name: str) -> float:
        assert self.process.stdin is not None
        print(name, file=self.process.stdin, flush=True)
        return float(self._line())


def marched(old: Path, new: Path, rounds: int, only: str) -> None:
    checkouts = [Checkout(path, only) for path in (old, new)]
    names = [n for n in checkouts[0].names if n in checkouts[1].names]
    best = {name: [float("inf")] * 2 for name in names}
    for _ in range(rounds):
        for name in names:
            for k, c in enumerate(checkouts):
                best[name][k] = min(best[name][k], c.seconds(name))
    for name, (before, now) in best.items():
        print(f"{name:70} {before * 1e3:10.3f} ms {now * 1e3:10.3f} ms  {now / before:5.2f}", flush=True)


def compiled(old: Path, new: Path, rounds: int) -> None:
    for name, (make, call) in FIRST.items():
        code = f"{QUESTIONS}\n{make}\nt = time.process_time()\n{call}\nprint(time.process_time() - t)"
        best = [float("inf")] * 2
        for _ in range(rounds):
            for k, path in enumerate((old, new)):
                with tempfile.TemporaryDirectory() as empty:
                    done = subprocess.run(
                        [sys.executable, "-c", code],
                        cwd=path, env=environment(path, DALEMBERT_CACHE_DIR=empty), capture_output=True, text=True, check=True,
                    )  # fmt: skip
                best[k] = min(best[k], float(done.stdout))
        print(f"first call: {name:58} {best[0]:10.3f} s  {best[1]:10.3f} s   {best[1] / best[0]:5.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="questions whose name has this in it")
    parser.add_argument("--compile", action="store_true")
    chosen = parser.parse_args()
    old, new = chosen.old.resolve(), chosen.new.resolve()
    if chosen.compile:
        compiled(old, new, chosen.rounds)
    else:
        marched(old, new, chosen.rounds, chosen.only)


if __name__ == "__main__":
    main()
