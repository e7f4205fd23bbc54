"""Studies: what they cost beside the raw compiled loop and beside `mujoco.rollout`, and the memory that they take.

A 6-joint arm (hinges with springs and dampers) with 5 uncertain masses, 0.5 s each by RK4 with a step of 1 ms, the peak of a joint's
torque wanted; then four-bars with uncertain lengths, assembled each, marched adaptively. All by one thread and its processor time.
The raw loop marches the same motions and keeps nothing but their ends. MuJoCo marches a part of them, a model for each run, and its
torques are reduced in NumPy from the states after every 10 ms.

    python -m benchmarks.studies [--runs 1000000] [--four-bars 100000] [--workers 16] [--tasks 200] [--json]
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import models

import dalembert as da
from dalembert.files.gallery import find

STIFFNESS, DAMPING = 20.0, 2.0
STEP, DURATION, EVERY = 1e-3, 0.5, 0.01
JOINT = 1
"""The joint whose torque is wanted."""
MASSES = tuple(f"b{k}.mass" for k in range(1, 6))
TOLERANCE = 0.1
RESULT = Path(__file__).parent / "results" / "studies.md"
THEIR_RUNS = 64
"""MuJoCo's runs; each has a model of its own."""


def arm() -> da.Mechanism:
    """The chain of 6 with springs and dampers in its joints."""
    model = models.chain(6, aligned=True)
    s = da.System("arm", models.GRAVITY)
    for i, b in enumerate(model.bodies):
        s.add_body(f"b{i}", mass=b.mass, com=b.com, inertia=b.inertia)
        parent = "ground" if b.parent is None else f"b{b.parent}"
        at = da.Frame(b.position, b.rotation)
        s.add_joint(f"j{i}", da.Revolute(tuple(models.AXES[b.axis])), parent, f"b{i}", at_parent=at)
        s.add_force(f"m{i}", da.Motor(f"j{i}", lambda s, name=f"j{i}": -STIFFNESS * s.q[name] - DAMPING * s.u[name]))
    return s.build()


def clocked(task: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    found = task()
    return time.process_time() - began, found


def arm_study(runs: int) -> dict[str, Any]:
    begun = {f"j{i}": 0.5 for i in range(6)}
    spread = {name: f"±{100 * TOLERANCE:g}% uniform" for name in MASSES}
    options = da.SimulationOptions(step=STEP, output=EVERY)
    study = da.Study(arm(), spread, [f"peak motor m{JOINT}"], runs, duration=DURATION, initial=begun, options=options)
    study.run_block(0, min(256, runs))  # compiled
    m, part = study.mechanism, min(runs, 2048)
    values = study.values(0, part)
    parameters = {i.key: values[:, k] for k, i in enumerate(study.inputs.every)}

    def raw() -> None:
        for a in range(0, part, 256):
            own = {k: x[a : a + 256] for k, x in parameters.items()}
            count = len(next(iter(own.values())))
            m.simulate_many(
                np.tile(np.full(6, 0.5), (count, 1)),
                DURATION,
                None,
                step=STEP,
                output=[DURATION],
                parameters=own,
                threads=1,
            )

    raw()
    loops, ours = [], []
    for _ in range(5):  # in turn: other programs slow both
        loops.append(clocked(raw)[0] / part)
        ours.append(clocked(lambda: study.run_block(0, part))[0] / part)
    with tempfile.TemporaryDirectory() as folder:
        seconds, found = clocked(lambda: study.run(threads=1, folder=Path(folder) / "study", memory=5e8))
        theirs = _mujoco(study, found)
        mean = float(found.summary().mean[0])
    return {
        "runs": runs, "µs per run of the raw loop": 1e6 * min(loops), "µs per run of the study": 1e6 * min(ours),
        "part of the raw loop's throughput": min(loops) / min(ours), "µs per run, written to a folder": 1e6 * seconds / runs,
        "MB at most": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "mean of the peak torque": mean, **theirs,
    }  # fmt: skip


def _mujoco(study: da.Study, found: Any) -> dict[str, Any]:
    """The same motions by `mujoco.rollout`, the peak taken in NumPy; nothing where MuJoCo is not there."""
    try:
        import mujoco
        from mujoco import rollout
    except ImportError:
        return {}
    count = min(THEIR_RUNS, study.runs)
    values = study.values(0, count)
    base = models.MuJoCo(models.chain(6, aligned=True)).model
    base.opt.integrator, base.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, STEP
    base.jnt_stiffness[:], base.dof_damping[:] = STIFFNESS, DAMPING
    import copy

    each = []
    for row in values:
        one = copy.copy(base)
        one.body_mass[2:7] = row
        each.append(one)
    start = np.hstack([np.zeros((count, 1)), np.full((count, 6), 0.5), np.zeros((count, 6))])
    data, steps, every = mujoco.MjData(base), round(DURATION / STEP), round(EVERY / STEP)

    def task() -> np.ndarray:
        state, _ = rollout.rollout(each, data, start, nstep=steps)
        q, u = np.asarray(state)[:, every - 1 :: every, 1:7], np.asarray(state)[:, every - 1 :: every, 7:13]
        return np.abs(STIFFNESS * q[:, :, JOINT] + DAMPING * u[:, :, JOINT]).max(axis=1)

    task()
    seconds, peaks = min((clocked(task) for _ in range(3)), key=lambda x: x[0])
    ours = found[f"peak motor m{JOINT}"][:count]
    return {
        "µs per run of MuJoCo": 1e6 * seconds / count,
        "largest difference from MuJoCo": float(np.abs(peaks / ours - 1.0).max()),
    }


def four_bars(runs: int) -> dict[str, Any]:
    vary = {name: "±1%" for name in ("crank", "coupler", "rocker", "base")}
    options = da.SimulationOptions(rtol=1e-6, output=0.02)
    study = da.Study(da.load(find("four_bar")), vary, ["max swing"], runs, duration=0.5, options=options)
    study.run_block(0, min(256, runs))
    seconds, found = clocked(lambda: study.run(threads=1))
    return {
        "four-bars": runs, "µs per run": 1e6 * seconds / runs, "failed": int(found.failed.sum()),
    }  # fmt: skip


def small_workers(workers: int, blocks: int) -> dict[str, Any]:
    """What a scheduler of Dask takes for each task, with many workers of one thread each, all in this process: processor time of the
    whole study less that of its runs by one thread."""
    try:
        import distributed
    except ImportError:
        return {}
    options = da.SimulationOptions(step=STEP, output=EVERY)
    spread = {name: f"±{100 * TOLERANCE:g}% uniform" for name in MASSES}
    study = da.Study(arm(), spread, [f"peak motor m{JOINT}"], 256 * blocks, duration=DURATION, options=options)
    study.run_block(0, 256)
    alone, own = clocked(lambda: study.run(threads=1, block=256))
    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.gather(client.map(abs, range(workers)))
        seconds, found = clocked(lambda: study.run(executor=client, block=256))
    same = all(np.array_equal(own[x], found[x]) for x in own.names)
    each = max(0.0, seconds - alone) / blocks
    return {
        "workers": workers, "tasks": blocks, "ms of processor time per task beside its runs": 1e3 * each,
        "µs per run, in tasks of 256": 1e6 * each / 256, "answers bit for bit those of threads": same,
    }  # fmt: skip


ON_PAPER = """## On paper: 10⁹ runs on 1 000 cores

With {run:.0f} µs of processor time per run, 10⁹ runs take {hours:.1f} hours of one core and {minutes:.1f} minutes of 1 000.
In blocks of {block} runs there are {tasks:.1e} tasks; one scheduler that takes {task:.1f} ms for each is busy for
{scheduler:.0f} minutes. So **the scheduler limits**, as long as blocks take less than {least:.1f} s: `block={wanted}` and
more keep 1 000 cores busy. Answers of 16 bytes a run and inputs of 40 are 56 GB in all. A summary reads one column
at a time, 8 GB: that wants a machine with as much memory.
"""


def on_paper(arm: dict[str, Any], cluster: dict[str, Any]) -> str:
    """What limits a thousand times as many runs."""
    run, block = arm["µs per run of the study"], 1024
    task = cluster.get("ms of processor time per task beside its runs", 1.0) or 1.0
    least = task  # ms of one scheduler for a task times 1000 cores, in s
    wanted = int(np.ceil(least / (run * 1e-6) / 256) * 256)
    return ON_PAPER.format(
        run=run, hours=run * 1e3 / 3600.0, minutes=run / 60.0, block=block, tasks=1e9 / block, task=task,
        scheduler=1e9 / block * task * 1e-3 / 60.0, least=least, wanted=wanted,
    )  # fmt: skip


def report(found: dict[str, dict[str, Any]]) -> str:
    """As a page."""
    lines = ["# Studies", "", *(__doc__ or "").splitlines()[:6], ""]
    for title, part in found.items():
        lines += [f"## {title}", "", "| | |", "|---|---|"]
        lines += [
            f"| {name} | {value if isinstance(value, (bool, str)) else format(value, '.6g')} |"
            for name, value in part.items()
        ]
        lines.append("")
    if "Arm" in found:
        lines.append(on_paper(found["Arm"], found.get("Many small workers", {})))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10**6)
    parser.add_argument("--four-bars", type=int, default=10**5)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--json", action="store_true", help="print numbers instead of writing the page")
    asked = parser.parse_args()
    found = {
        "Arm": arm_study(asked.runs), "Four-bars": four_bars(asked.four_bars),
        "Many small workers": small_workers(asked.workers, asked.tasks),
    }  # fmt: skip
    if asked.json:
        print(json.dumps(found, indent=2))
        return
    RESULT.write_text(report(found), encoding="utf-8")
    print(f"written: {RESULT}")


if __name__ == "__main__":
    main()
