"""Where users wait: starts of simulations, batches of short motions, first use, single calls, large mechanisms.

Every row is a process of its own and is measured in processor time, on one thread; the best of several tries counts. Starts are taken
from a motion of the mechanism, so that each of them is another one.

    python -m benchmarks.waiting [names …] [--json FILE] [--beside FILE] [--keep]

`--json FILE` writes the figures; `--beside FILE` prints them beside those of an earlier run, at first those of
`results/waiting_before.json`: the same rows on the same machine, before starts and calls were compiled. `--keep` writes figures and
table into the folder of results. Names choose rows by how they begin.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from benchmarks import loop_models, models, reporting
from benchmarks.loop_models import Problem

LOOPS: dict[str, Callable[[], Problem]] = {
    "four-bar": loop_models.crank_rocker,
    "Bricard": loop_models.bricard,
    "Stewart": loop_models.stewart_platform,
    "10-four-bar": lambda: loop_models.n_four_bar(10),
    "40-four-bar": lambda: loop_models.n_four_bar(40),
}
STARTS, BATCH, MOMENT = 12, 256, 1e-6
LONGEST = 900.0
"""Seconds after which a row is given up."""
BEFORE = reporting.RESULTS / "waiting_before.json"
EXAMPLES = Path(__file__).parent.parent / "examples"


# -- starts ---------------------------------------------------------------------------------------------------------------
def start(name: str) -> dict[str, float]:
    """Milliseconds of a `simulate` that makes one tiny step: the same start again, and another one each time."""
    p = LOOPS[name]()
    m = p.mechanism

    def same() -> None:
        m.simulate(MOMENT, p.initial, p.speeds, output=MOMENT)

    same()
    q, u = _states(p, 4 * STARTS)
    others = iter([(a, b) for a, b in zip(q, u)])

    def another() -> None:
        m.simulate(MOMENT, *next(others), output=MOMENT)

    return {"same start, ms": 1e3 * _best(same, STARTS), "new start, ms": 1e3 * _middle(another, 4 * STARTS)}


def many(name: str) -> dict[str, float]:
    """Microseconds for each of many motions of one step."""
    p = LOOPS[name]()
    q, u = _states(p, BATCH)

    def batch() -> None:
        p.mechanism.simulate_many(q, MOMENT, u, step=MOMENT, output=MOMENT, threads=1)

    batch()
    return {"per motion, µs": 1e6 * _best(batch, 3) / BATCH}


def _states(p: Problem, count: int) -> tuple[np.ndarray, np.ndarray]:
    """States of a motion, some time apart."""
    motion = p.mechanism.simulate(1.0, p.initial, p.speeds, output=1.0 / count)
    return motion.q[1:], motion.u[1:]


# -- first use ------------------------------------------------------------------------------------------------------------
def first(name: str) -> dict[str, float]:
    """Seconds to import, to build and to simulate for the first time, with an empty cache and with a full one."""
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = (_process("first_use", name, cache) for _ in range(2))
    return {"import, s": warm["import"], "cold, s": cold["first"], "warm, s": warm["first"]}


def first_use(name: str) -> dict[str, float]:
    """What `first` measures, in a process that has done nothing else but import."""
    begun, imported = time.process_time(), IMPORTED
    p = LOOPS[name]() if name in LOOPS else _other(name)
    p.mechanism.simulate(MOMENT, p.initial, p.speeds, output=MOMENT)
    return {"import": imported, "first": time.process_time() - begun}


def _other(name: str) -> Problem:
    if name.endswith(" distances"):
        return Problem(_distances(int(name.split()[0])), {}, {}, MOMENT)
    return Problem(da.load(EXAMPLES / f"{name}.yaml"), None, None, MOMENT)


def _distances(n: int) -> da.Mechanism:
    """Free balls in a row, each at a fixed distance from the next."""
    s = da.System("row of balls", gravity=(0, 0, -9.81))
    for i in range(n + 1):
        s.add_body(f"b{i}", da.sphere(0.1, 0.02))
        s.add_joint(f"j{i}", da.Free(), "ground", f"b{i}", at_parent=(0.1 * i, 0, 0))
    for i in range(n):
        s.add_constraint(f"d{i}", da.Distance((f"b{i}", (0, 0, 0)), (f"b{i + 1}", (0, 0, 0)), 0.1))
    return s.build()


# -- size -----------------------------------------------------------------------------------------------------------------
def tree(size: str) -> dict[str, float]:
    """Seconds to build a chain of hinges."""
    begun = time.process_time()
    _chain(int(size))
    return {"build, s": time.process_time() - begun}


def _chain(n: int, outputs: int = 0) -> da.Mechanism:
    s = da.System("chain", gravity=(0, 0, -9.81))
    for i in range(n):
        s.add_body(f"b{i}", mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
        axis = [(1, 0, 0), (0, 1, 0), (0, 0, 1)][i % 3]
        s.add_joint(f"j{i}", da.Revolute(axis), f"b{i - 1}" if i else "ground", f"b{i}", at_parent=(0.2, 0, 0))
    for k in range(outputs):
        s.add_output(f"o{k}", da.outputs.Position((f"b{k % n}", (0.01 * (k % 7), 0, 0))))
    return s.build()


def outputs(count: str) -> dict[str, float]:
    """Seconds for all outputs of a motion of 24 bodies, when first asked for."""
    motion = _chain(24, int(count)).simulate(0.01, rtol=1e-6)
    begun = time.process_time()
    motion.to_xarray()
    return {"first asked, s": time.process_time() - begun}


def loops(size: str) -> dict[str, float]:
    """Seconds to build and assemble an N-four-bar, and to its first motion."""
    begun = time.process_time()
    p = loop_models.n_four_bar(int(size))
    p.mechanism.assemble(p.initial, p.speeds)
    assembled = time.process_time()
    p.mechanism.simulate(MOMENT, p.initial, p.speeds, output=MOMENT)
    return {"assemble, s": assembled - begun, "first simulate, s": time.process_time() - assembled}


def lattice(size: str) -> dict[str, float]:
    """Seconds to assemble a net of n × n square cells of rods, then microseconds of one evaluation."""
    begun = time.process_time()
    m = _lattice(int(size))
    q, u = m.assemble()
    assembled = time.process_time()
    m.forward_dynamics(q, u)
    compiled = time.process_time()
    each = _best(lambda: m.forward_dynamics(q, u), 30)
    return {"assemble, s": assembled - begun, "first evaluation, s": compiled - assembled, "evaluation, µs": 1e6 * each}


def _lattice(n: int) -> da.Mechanism:
    """Rods of 1 m and 1 kg in a square net, pinned where they meet; the first rod hangs on the ground."""
    s, at = da.System(f"net of {n} × {n} cells", gravity=(0, -9.81, 0)), {}
    for j in range(n + 1):
        for i in range(n + 1):
            for across, rod, end in ((1, f"h{i}_{j}", (i + 1, j)), (0, f"v{i}_{j}", (i, j + 1))):
                if (i if across else j) < n:
                    s.add_body(rod, da.rod(1.0, 1.0))
                    turn = 0.0 if across else np.pi / 2
                    at.setdefault((i, j), []).append((rod, 0.0, turn))
                    at.setdefault(end, []).append((rod, 1.0, turn))
    s.add_joint("hang", da.Revolute(), "ground", "h0_0")
    for node, rods in at.items():
        first_rod, place, turn = rods[0]
        for k, (rod, end, own) in enumerate(rods[1:]):
            c, sine = np.cos(own - turn), np.sin(own - turn)
            turned = np.array([[c, -sine, 0.0], [sine, c, 0.0], [0.0, 0.0, 1.0]])
            seat = da.Frame((place, 0.0, 0.0), turned)
            s.add_joint(
                f"p{node[0]}_{node[1]}_{k}", da.Revolute(), first_rod, rod, at_parent=seat, at_child=(end, 0, 0)
            )
    return s.build()


def elastic(size: str) -> dict[str, float]:
    """Seconds to the first evaluation of a chain of elastic links with four modes each."""
    begun = time.process_time()
    beam = da.beam(1.0, E=7e10, rho=2700.0, A=1e-4, Iy=2e-9, Iz=3e-9, modes={"y": 2, "z": 2})
    s = da.System("elastic chain", gravity=(0, -9.81, 0))
    for i in range(int(size)):
        s.add_body(f"b{i}", elastic=beam)
        ends = (f"b{i - 1}", "tip") if i else ("ground", (0, 0, 0))
        s.add_joint(f"j{i}", da.Revolute(), ends[0], f"b{i}", at_parent=ends[1], at_child="root")
    m = s.build()
    built = time.process_time()
    m.forward_dynamics(np.array(m.reference), np.zeros(m.n_u))
    return {"build, s": built - begun, "first evaluation, s": time.process_time() - built}


# -- one call -------------------------------------------------------------------------------------------------------------
def call(name: str) -> dict[str, float]:
    """Microseconds of one forward dynamics from Python."""
    model = models.named(name)
    m, (q, u, _) = models.mechanism(model), model.states(1)
    q, u = q[0], u[0]

    def thousand() -> None:
        for _ in range(1000):
            m.forward_dynamics(q, u)

    thousand()
    return {"forward dynamics, µs": 1e3 * _best(thousand, 8)}


def _best(run: Callable[[], Any], times: int) -> float:
    return float(min(_times(run, times)))


def _middle(run: Callable[[], Any], times: int) -> float:
    return float(np.median(_times(run, times)))


def _times(run: Callable[[], Any], times: int) -> list[float]:
    found = []
    for _ in range(times):
        begun = time.process_time()
        run()
        found.append(time.process_time() - begun)
    return found


ROWS: dict[str, tuple[Callable[[str], dict[str, float]], tuple[str, ...]]] = {
    "start": (start, tuple(LOOPS)),
    "many": (many, ("four-bar", "Stewart")),
    "first": (first, ("four-bar", "Stewart", "40-four-bar", "jansen_linkage", "bicycle", "pendulum", "30 distances")),
    "loops": (loops, ("100", "400")),
    "tree": (tree, ("10000", "100000")),
    "outputs": (outputs, ("100", "1000")),
    "call": (call, ("chain 2", "chain 6", "chain 24")),
    "lattice": (lattice, ("5", "10")),
    "elastic": (elastic, ("10", "30")),
}
"""What is measured, by its name, of what."""
PROGRAMS = {name: run for name, (run, _) in ROWS.items()} | {"first_use": first_use}


def _process(what: str, of: str, cache: str | None = None) -> dict[str, float]:
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"} | ({"DALEMBERT_CACHE_DIR": cache} if cache else {})
    command = [sys.executable, "-m", "benchmarks.waiting", "--one", what, of]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=LONGEST, cwd=EXAMPLES.parent
        )
    except subprocess.TimeoutExpired:
        return {"given up after, s": LONGEST}
    if done.returncode:
        return {done.stderr.strip().splitlines()[-1][:60]: float("nan")}
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def measured(chosen: list[str]) -> dict[str, dict[str, float]]:
    """All rows, or those whose names begin so; sizes are measured with an empty cache."""
    found = {}
    for what, (_, names) in ROWS.items():
        for name in names:
            row = f"{what} {name}"
            if chosen and not any(row.startswith(x) for x in chosen):
                continue
            with tempfile.TemporaryDirectory() as cache:
                found[row] = _process(what, name, cache if what in ("loops", "outputs", "lattice", "elastic") else None)
            print(row, reporting.rounded(found[row]), file=sys.stderr, flush=True)
    return found


def table(found: dict[str, dict[str, float]], before: dict[str, dict[str, float]]) -> str:
    """The figures as a table; with those of an earlier run, both and how many times quicker it has become."""
    lines = ["| row | what | now |", "|---|---|---:|"]
    if before:
        lines = ["| row | what | before | now | quicker |", "|---|---|---:|---:|---:|"]
    for row, figures in found.items():
        for what, value in figures.items():
            was = before.get(row, {}).get(what)
            both = f" {'–' if was is None else f'{was:.3g}'} | {value:.3g} |" if before else f" {value:.3g} |"
            gain = "" if not before else f" {'–' if was is None else f'{was / value:.1f}×'} |"
            lines.append(f"| {row} | {what} |{both}{gain}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="rows that begin so; all, if none is given")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    parser.add_argument("--beside", type=Path, default=BEFORE, help="the figures of an earlier run")
    parser.add_argument("--keep", action="store_true", help="write into the folder of results")
    chosen = parser.parse_args()
    found = measured(chosen.names)
    kept = {"about": reporting.about(), "rows": reporting.rounded(found)}
    if chosen.json:
        chosen.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    before = json.loads(chosen.beside.read_text(encoding="utf-8"))["rows"] if chosen.beside.exists() else {}
    page = f"Processor time, one thread. {reporting.in_words(reporting.about())}\n\n{table(found, before)}\n"
    print(page)
    if chosen.keep:
        reporting.keep("waiting", kept, f"# Where users wait\n\n{page}")


IMPORTED = time.process_time()
if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(PROGRAMS[sys.argv[2]](sys.argv[3])))
    else:
        main()
