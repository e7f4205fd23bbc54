"""Studies: what they cost beside the raw compiled loop and beside `mujoco.rollout`, and the memory that they take.

A 6-joint arm (hinges with springs and dampers) with 5 uncertain masses, 0.5 s each by RK4 with a step of 1 ms, the peak of a joint's
torque wanted; then four-bars with uncertain lengths, assembled each, marched adaptively. All by one thread and its processor time.
The raw loop marches the same motions and keeps nothing but their ends. MuJoCo marches a part of them, a model for each run, and its
torques are reduced in NumPy from the states after every 10 ms.

    python -m benchmarks.studies [--runs 1000000] [--four-bars 100000] [--json]
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
    for _ in range(3):  # in turn: other programs slow both
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10**6)
    parser.add_argument("--four-bars", type=int, default=10**5)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found = {"arm": arm_study(asked.runs), "four-bars": four_bars(asked.four_bars)}
    if asked.json:
        print(json.dumps(found, indent=2))
        return
    for part in found.values():
        for name, value in part.items():
            print(f"{name:40} {value:.6g}")


if __name__ == "__main__":
    main()
