"""Closed loops: dalembert at its default settings beside MuJoCo at its stiffest, in one run on one machine.

Both give the motion over ten seconds at every millisecond: MuJoCo by RK4 with steps of 1 ms and loop joints as stiff soft constraints,
dalembert by its default method and tolerance. Gap and energy are judged for both by the same functions. Wall time is that of the whole
call, everything compiled; rounds are interleaved and the best counts. Then, for dalembert alone: time per evaluation of the N-four-bar
as N grows, and the very first call on a machine.

    python benchmarks/loops.py [--json] [--quick]

`--json` prints the figures and targets instead of the table. `--quick` takes few rounds, small N, and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np

import dalembert as da
from benchmarks import loop_models, reporting
from benchmarks.loop_models import Problem
from dalembert.kinematics.constraint_rows import closure

try:
    import mujoco
    from mujoco import rollout
except ImportError as missing:
    sys.exit(f"{missing.name} is not installed: run `make bench`, or pip install -r benchmarks/requirements.txt")

STEP = 1e-3
BESIDE = {
    "four-bar": (loop_models.crank_rocker, 5.0),
    "Bricard": (loop_models.bricard, 5.0),
    "2-four-bar": (lambda: loop_models.n_four_bar(2), 5.0),
    "10-four-bar": (lambda: loop_models.n_four_bar(10), 5.0),
    "40-four-bar": (lambda: loop_models.n_four_bar(40), 10.0),
}
"""Mechanisms, and how many times faster than MuJoCo they are to be."""
ALONE = {
    "1-four-bar": lambda: loop_models.n_four_bar(1),
    "5-four-bar": lambda: loop_models.n_four_bar(5),
    "change-point four-bar": loop_models.change_point,
    "Stewart platform": loop_models.stewart_platform,
    "Andrews' squeezer": loop_models.andrews_squeezer,
    "six bodies": loop_models.six_body_chains,
}
LARGEST_GAP, LARGEST_ENERGY_ERROR = 1e-12, 1e-10
GROWTH, LARGEST_GROWTH = (10, 40, 100, 200), 1.4
FIRST_WITHIN = 2.0
STIFF = 'solref="0.002 1" solimp="0.9999 0.9999 0.001 0.5 2"'


# -- MuJoCo -----------------------------------------------------------------------------------------------------------------
class Theirs:
    """A mechanism of hinges: its tree as bodies, its cut hinges as points held together."""

    def __init__(self, p: Problem) -> None:
        self.model = mujoco.MjModel.from_xml_string(_mjcf(p.mechanism))
        self.model.opt.tolerance, self.model.opt.iterations = 1e-14, 100
        self.data = mujoco.MjData(self.model)
        names = [self.model.joint(k).name for k in range(self.model.njnt)]
        self.order = [names.index(j.name) for j in p.mechanism.joints]
        q, u = p.mechanism.assemble(p.initial, p.speeds)
        self.data.qpos[self.order], self.data.qvel[self.order] = q, u
        spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
        self.start = np.zeros((1, mujoco.mj_stateSize(self.model, spec)))
        mujoco.mj_getState(self.model, self.data, self.start[0], spec)

    def march(self, steps: int) -> tuple[np.ndarray, np.ndarray]:
        state, _ = rollout.rollout(self.model, self.data, self.start, nstep=steps)
        n = self.model.nv
        return state[0, :, 1 : 1 + n][:, self.order], state[0, :, 1 + n : 1 + 2 * n][:, self.order]


def _mjcf(m: da.Mechanism) -> str:
    sites: dict[int, list[str]] = {k: [] for k in range(m.n_bodies + 1)}
    equalities = []
    for cut in m.cuts:
        # a hinge in space is two points of its axis; in the plane one will do
        along = [np.zeros(3)] if _planar(m) else [np.zeros(3), np.array(cut.joint.axis, dtype=float)]
        for i, offset in enumerate(along):
            for body, frame in ((cut.parent, cut.on_parent), (cut.child, cut.on_child)):
                place = frame.position + frame.rotation @ offset
                sites[body].append(f'<site name="{cut.name}{i}{body}" pos="{_text(place)}"/>')
            equalities.append(f'<connect site1="{cut.name}{i}{cut.parent}" site2="{cut.name}{i}{cut.child}" {STIFF}/>')

    def body(k: int) -> str:
        j, b = m.joints[k - 1], m.bodies[k - 1]
        I = b.inertia
        full = _text([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
        inner = f'<inertial pos="{_text(b.com)}" mass="{b.mass!r}" fullinertia="{full}"/>'
        axis = _text(np.asarray(j.joint.axis, dtype=float))
        inner += f'<joint name="{j.name}" pos="{_text(j.on_child.position)}" axis="{axis}"/>'
        inner += "".join(sites[k]) + "".join(body(c) for c, parent in enumerate(m.parent, start=1) if parent == k)
        return f'<body pos="{_text(j.on_parent.position - j.on_child.position)}">{inner}</body>'

    roots = "".join(sites[0]) + "".join(body(c) for c, parent in enumerate(m.parent, start=1) if parent == 0)
    return (
        f'<mujoco><compiler balanceinertia="false" boundinertia="1e-12"/><option integrator="RK4" timestep="{STEP}" '
        f'gravity="{_text(m.gravity)}"><flag contact="disable"/></option><worldbody>{roots}</worldbody>'
        f"<equality>{''.join(equalities)}</equality></mujoco>"
    )


def _planar(m: da.Mechanism) -> bool:
    axes = np.array([j.joint.axis for j in m.joints], dtype=float)
    return bool(np.abs(axes - axes[0]).max() == 0.0)


def _text(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


# -- judging and timing -------------------------------------------------------------------------------------------------------
def judged(m: da.Mechanism, t: np.ndarray, q: np.ndarray, u: np.ndarray) -> dict[str, float]:
    """Largest gap over a part of the samples, and energy error by the largest kinetic energy over all."""
    gaps = [np.nanmax(np.abs(closure(m.state(a, b, c))[0])) for a, b, c in zip(q[::37], u[::37], t[::37])]
    E = m.energies(q, u, t)
    total = E.sum(axis=1)
    return {"gap_m": float(max(gaps)), "energy": float(np.abs(total - total[0]).max() / E[:, 0].max())}


def ours(p: Problem) -> Any:
    interval = min(STEP, p.duration / 1000)
    return p.mechanism.simulate(p.duration, p.initial, p.speeds, output=interval)


def beside(name: str, rounds: int) -> dict[str, Any]:
    make, wanted = BESIDE[name]
    p = make()
    theirs = Theirs(p)
    steps = round(p.duration / STEP)
    motion, seconds = ours(p), ([], [])
    for _ in range(rounds):
        for way, run in zip(seconds, (lambda: ours(p), lambda: theirs.march(steps))):
            began = time.perf_counter()
            run()
            way.append(time.perf_counter() - began)
    q, u = theirs.march(steps)
    mine, other = (min(x) for x in seconds)
    return {
        "mechanism": name, "dalembert_s": mine, "mujoco_s": other, "ratio": other / mine, "wanted": wanted,
        "samples": len(motion), "steps": motion.record["steps"],
        "dalembert": judged(p.mechanism, motion.t, motion.q, motion.u),
        "mujoco": judged(p.mechanism, STEP * np.arange(1, steps + 1), q, u),
    }  # fmt: skip


def alone(name: str) -> dict[str, Any]:
    p = ALONE[name]()
    motion = ours(p)
    began = time.perf_counter()
    motion = ours(p)
    seconds = time.perf_counter() - began
    found = judged(p.mechanism, motion.t, motion.q, motion.u)
    return {
        "mechanism": name,
        "dalembert_s": seconds,
        "samples": len(motion),
        "steps": motion.record["steps"],
        "dalembert": found,
    }


def evaluation(n: int, rounds: int) -> float:
    """Seconds for the accelerations of one state of the N-four-bar, in a batch."""
    p = loop_models.n_four_bar(n)
    q, _ = p.mechanism.assemble(p.initial, p.speeds)
    theta = np.linspace(0.3, 2.8, 512)[:, None]
    sign = np.sign(q)
    batch, rates = sign * theta, sign * np.linspace(-1.0, 1.0, 512)[:, None]
    p.mechanism.forward_dynamics(batch, rates)
    best = np.inf
    for _ in range(rounds):
        began = time.perf_counter()
        p.mechanism.forward_dynamics(batch, rates)
        best = min(best, time.perf_counter() - began)
    return float(best / len(batch))


def first_call() -> float:
    """Seconds of `m.simulate` of the four-bar in a new process with an empty cache."""
    code = (
        "import time\nfrom benchmarks.loop_models import crank_rocker\np = crank_rocker()\nt = time.perf_counter()\n"
        "p.mechanism.simulate(10.0, p.initial, p.speeds)\nprint(time.perf_counter() - t)"
    )
    root = str(Path(__file__).parent.parent)
    with tempfile.TemporaryDirectory() as empty:
        there = os.environ | {"DALEMBERT_CACHE_DIR": empty, "PYTHONPATH": root}
        out = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=there, cwd=root
        )
    return float(out.stdout)


# -- report -------------------------------------------------------------------------------------------------------------------
def measured(quick: bool) -> dict[str, Any]:
    rounds = 2 if quick else 7
    names = [name for name in BESIDE if not (quick and name.startswith("40"))]
    rows = []
    for name in names:
        rows.append(beside(name, rounds))
        print(f"{name}: {rows[-1]['ratio']:.1f}×", file=sys.stderr, flush=True)
    others = [alone(name) for name in ALONE]
    growth = {n: evaluation(n, rounds) for n in (GROWTH[:2] if quick else GROWTH)}
    found = {
        "about": reporting.about(mujoco),
        "beside": rows,
        "alone": others,
        "evaluation_s": growth,
        "first_call_s": first_call(),
    }
    return found | {"targets": targets(found)}


def targets(found: dict[str, Any]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []

    def at_most(what: str, measured: float, limit: float) -> None:
        made.append({"what": what, "measured": measured, "wanted": f"≤ {limit:g}", "met": measured <= limit})

    for r in found["beside"]:
        what, wanted = f"{r['mechanism']}: times faster than MuJoCo", r["wanted"]
        made.append({"what": what, "measured": r["ratio"], "wanted": f"≥ {wanted:g}", "met": r["ratio"] >= wanted})
    for r in found["beside"] + found["alone"]:
        at_most(f"{r['mechanism']}: gap, m", r["dalembert"]["gap_m"], LARGEST_GAP)
        at_most(f"{r['mechanism']}: energy error", r["dalembert"]["energy"], LARGEST_ENERGY_ERROR)
    per_loop = {n: seconds / n for n, seconds in found["evaluation_s"].items()}
    first, last = min(per_loop), max(per_loop)
    at_most(f"time per loop at N = {last} against {first}", per_loop[last] / per_loop[first], LARGEST_GROWTH)
    at_most("first four-bar on a machine, s", found["first_call_s"], FIRST_WITHIN)
    return made


HEADINGS = ("mechanism", "ms", "MuJoCo, ms", "ratio", "gap, m", "MuJoCo's", "energy error", "MuJoCo's")


def table(found: dict[str, Any]) -> str:
    lines = ["# Closed loops", "", reporting.in_words(found["about"]), ""]
    lines += [_row(HEADINGS), _row(["---"] * len(HEADINGS))]
    for r in found["beside"] + found["alone"]:
        a, b = r["dalembert"], r.get("mujoco")
        times = [
            f"{1e3 * r['dalembert_s']:.1f}",
            *([f"{1e3 * r['mujoco_s']:.0f}", f"{r['ratio']:.1f}×"] if b else ["", ""]),
        ]
        both = [(f"{a[key]:.0e}", f"{b[key]:.0e}" if b else "") for key in ("gap_m", "energy")]
        lines.append(_row([r["mechanism"], *times, *both[0], *both[1]]))
    growth = ", ".join(f"N = {n}: {1e6 * s:.2f} µs" for n, s in found["evaluation_s"].items())
    lines += ["", f"An evaluation of the N-four-bar, in a batch: {growth}."]
    lines += [
        "",
        f"The first call on a machine with an empty cache, four-bar over 10 s: {found['first_call_s']:.2f} s.",
        "",
    ]
    lines += [_row(("target", "measured", "wanted", "met")), _row(["---"] * 4)]
    lines += [
        _row([t["what"], f"{t['measured']:.3g}", t["wanted"], "yes" if t["met"] else "no"]) for t in found["targets"]
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Any) -> str:
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print the figures and targets as JSON")
    parser.add_argument("--quick", action="store_true", help="few rounds, and write nothing")
    asked = parser.parse_args()
    found = measured(asked.quick)
    if not asked.quick:
        reporting.keep("loops", found, table(found))
    print(json.dumps(reporting.rounded(found), indent=1) if asked.json else table(found))


if __name__ == "__main__":
    main()
