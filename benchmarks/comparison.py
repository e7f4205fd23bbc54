"""Every formulation with every constraint method, on the sources' own examples, on elastic models and on reference mechanisms:
`m.compare()` in tables, with what a whole motion costs to an accuracy of 1e-6.

    python benchmarks/comparison.py [--only "rolling sphere" …] [--states 5]

Writes results/comparison.md and results/comparison.json. Run it on a quiet machine: nanoseconds are the best of a few short runs.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT.parent))

import dalembert as da  # noqa: E402
from benchmarks import loop_models, models, reporting  # noqa: E402
from dalembert.analysis.comparison.comparison import HEADS, Comparison, ComparisonEntry, columns, written  # noqa: E402
from dalembert.formulations import FORMULATIONS  # noqa: E402

SMALL = ("range_space", "sparse_augmented", "null_space_qr", "svd")
ENERGIES = ("lagrange", "boltzmann_hamel", "momentum", "hamilton")
"""Differentiate energies: their graphs outgrow large systems."""


@dataclass(frozen=True)
class Case:
    """A mechanism to compare on, where it comes from, and what is left out because it would take too long to compile."""

    title: str
    source: str
    build: Callable[[], da.Mechanism]
    constraints: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    duration: float = 10.0
    """Seconds of the whole motion."""
    start: Any = None
    speeds: Any = None
    """Initial values of it; the model's own if not given."""


# -- mechanisms ------------------------------------------------------------------------------------------------------------
def rolling_sphere() -> da.Mechanism:
    s = da.System("rolling sphere", gravity=(0, 0, -9.81))
    s.add_body("sphere", da.sphere(2.0, 0.3))
    s.add_joint("free", da.Free("angles"), "ground", "sphere", at_parent=(0, 0, 0.3))
    s.add_constraint("floor", da.RollingBall("sphere", radius=0.3))
    return s.build()


def satellite() -> da.Mechanism:
    s = da.System("three-body satellite")
    s.add_body("hub", mass=3.0, inertia=(2.0, 1.1, 1.6))
    s.add_joint("float", da.Free(), "ground", "hub")
    for i, side in ((1, 1.0), (2, -1.0)):
        s.add_body(f"rod{i}", da.rod(0.7, 2.6, axis=(0, side, 0)))
        s.add_joint(f"hinge{i}", da.Revolute((1, 0, 0)), "hub", f"rod{i}", at_parent=(0, side * 0.4, 0))
        s.add_force(f"spring{i}", da.JointSpring(f"hinge{i}", stiffness=5.0))
    return s.build()


def robot() -> da.Mechanism:
    """Links 1 → 2 → {3, 4}, all in one plane; link 1 turns on a massless carriage that slides upwards."""
    s = da.System("four-link robot", gravity=(0, -9.81, 0))
    s.add_body("carriage", mass=0.0)
    s.add_joint("x1", da.Prismatic((0, 1, 0)), "ground", "carriage")
    for k, parent, at in ((1, "carriage", 0.0), (2, "link1", 0.7), (3, "link2", 0.8), (4, "link2", 0.9)):
        s.add_body(f"link{k}", da.box(1.0 + 0.3 * k, (0.6, 0.1, 0.1), com=(0.3, 0, 0)))
        s.add_joint(f"phi{k}", da.Revolute(), parent, f"link{k}", at_parent=(at, 0, 0))
    return s.build()


def six_bodies() -> da.Mechanism:
    """The tree of source B's Fig. 3a, afloat, with pins, universals and balls."""
    rng = np.random.default_rng(6)
    s = da.System("six-body tree")
    joints = {2: da.Revolute((0, 1, 0)), 3: da.Universal(), 4: da.Spherical(), 5: da.Revolute(), 6: da.Universal()}
    s.add_body("body1", da.box(6.0, rng.uniform(0.1, 0.4, 3)))
    s.add_joint("float", da.Free(), "ground", "body1")
    for k, parent in {2: 1, 3: 1, 4: 2, 5: 2, 6: 2}.items():
        s.add_body(f"body{k}", da.box(4.0 / k, rng.uniform(0.1, 0.4, 3)))
        arms = rng.uniform(-0.4, 0.4, (2, 3))
        s.add_joint(f"hinge{k}", joints[k], f"body{parent}", f"body{k}", *arms)
    return s.build()


def eight_bodies() -> da.Mechanism:
    """Source E's tree: parents (0, 1, 2, 1, 2, 1, 1, 7), every joint with three angles and three translations."""
    rng = np.random.default_rng(8)
    s = da.System("eight-body tree", gravity=(0, 0, -9.81))
    for k, parent in enumerate((0, 1, 2, 1, 2, 1, 1, 7), start=1):
        s.add_body(f"body{k}", da.box(4.0 / k, rng.uniform(0.1, 0.4, 3)))
        arms = rng.uniform(-0.4, 0.4, (2, 3))
        s.add_joint(f"joint{k}", da.General(), f"body{parent}" if parent else "ground", f"body{k}", *arms)
    return s.build()


def pendulum() -> da.Mechanism:
    s = da.System("ten-link pendulum", gravity=(0, -9.81, 0))
    parent, end = "ground", (0.0, 0.0, 0.0)
    for i in range(10):
        s.add_body(f"link{i}", da.box(1.0, (1.0, 0.1, 0.1), com=(0.5, 0, 0)))
        s.add_joint(f"hinge{i}", da.Revolute(), parent, f"link{i}", at_parent=end)
        parent, end = f"link{i}", (1.0, 0.0, 0.0)
    return s.build()


def example(name: str) -> Callable[[], da.Mechanism]:
    return lambda: da.load(ROOT.parent / "examples" / f"{name}.yaml")


CASES = [
    Case("rolling sphere", "source C", rolling_sphere, speeds={"free.wx": 1.0, "free.wz": 2.0}),
    Case("rhombic linkage", "source A", lambda: loop_models.rhombic_linkage().mechanism, start=[-1.0, 1.0, -1.0 - np.pi]),
    Case("three-body satellite", "source C", satellite, SMALL, speeds={"float": [0.2, 1.0, 0.3, 0, 0, 0], "hinge1": 0.5}),
    Case("four-link robot", "source D", robot, SMALL, start={"phi1": 0.5, "phi2": -0.8}, speeds={"phi3": 2.0}, duration=4.0),
    Case("six-body tree", "source B, Fig. 3", six_bodies, SMALL[:2], ("hamilton",), speeds={"float.wz": 1.0, "hinge2": 2.0}),
    Case("six bodies in closed chains", "source B, Fig. 6", example("six_body_chains"), SMALL, ENERGIES, 5.0),
    Case("ship crane", "source B, Remark 3: on an external body", example("ship_crane"), SMALL[:2]),
    Case("eight-body tree", "source E", eight_bodies, SMALL[:2], (*ENERGIES, "gauss"), speeds={"joint1.wz": 1.0}, duration=3.0),
    Case("spin-up beam", "elastic: a beam on a turning hub", example("spin_up_beam"), SMALL[:2], duration=5.0),
    Case("flexible satellite", "elastic: a hub with four booms", example("flexible_satellite"), SMALL[:2], (*ENERGIES, "gauss"), 5.0),
    Case("flexible four-bar", "elastic, in a loop", example("flexible_four_bar"), SMALL[:2], (*ENERGIES, "gauss"), duration=0.5),
    Case("ten-link pendulum", "benchmark", pendulum, SMALL[:2], ("hamilton",), duration=2.0),
    Case(
        "seven-hinge arm", "benchmark", lambda: models.mechanism(models.chain(7, aligned=True)), SMALL[:2], ENERGIES, 2.0,
        speeds=[0.5, -0.4, 0.6, 0.3, -0.5, 0.7, 0.2],
    ),
    Case("Bricard linkage", "benchmark A04", lambda: loop_models.bricard().mechanism, SMALL, ("hamilton",)),
    Case(
        "Stewart platform", "benchmark", lambda: loop_models.stewart_platform().mechanism, SMALL[:2], (*ENERGIES, "gauss"), 0.5
    ),
]  # fmt: skip


# -- tables ----------------------------------------------------------------------------------------------------------------
def markdown(entries: list[ComparisonEntry]) -> list[str]:
    keys = columns(entries)
    lines = [f"| {' | '.join(HEADS[k] for k in keys)} |", "| --- | --- |" + " ---: |" * (len(keys) - 2)]
    lines += [f"| {' | '.join(written(k, e.row()[k]) for k in keys)} |" for e in entries]
    return lines


def fastest(c: Comparison) -> list[ComparisonEntry]:
    """Of each formulation."""
    return [
        next(e for e in c.entries if e.formulation == name) for name in dict.fromkeys(e.formulation for e in c.entries)
    ]


def section(case: Case, m: da.Mechanism, c: Comparison, left_out: list[str]) -> list[str]:
    rows = len(m.rows)
    size = f"{m.n_bodies} bodies, {m.n_u} speeds, {rows} rows of loops and constraints"
    whole = f"A motion of {case.duration:g} s to {c.accuracy:g}, marched by dop853."
    lines = [f"## {case.title}", "", f"{case.source}; {size}; {c.states} consistent states. {whole}", ""]
    if rows:
        lines += ["Each formulation with its fastest constraint method:", ""]
    lines += [*markdown(fastest(c)), ""]
    by_kane = [e for e in c.entries if e.formulation == "kane"]
    if len(by_kane) > 1:
        lines += ["Kane's equations with each constraint method:", "", *markdown(by_kane), ""]
    if c.refusals:
        lines += ["Refused:", "", *(f"- {r}" for r in c.refusals), ""]
    if left_out:
        lines += [f"Left out, because their graphs take minutes to compile here: {', '.join(left_out)}.", ""]
    return lines


HEAD = [
    "# Formulations and constraint methods compared", "",
    "`m.compare()`: largest differences from Kane's equations solved by SVD, sizes, operations in the graph of A, f, B and γ, "
    "and time of one evaluation of all accelerations in machine code, solution included. Sorted by that time. Then what a whole "
    "motion takes until its coordinates are within 1e-6 rad, or of the mechanism's length: steps, and ms of compiled code. "
    "Equations without rows are solved by elimination in a static order, as those with rows are by `sparse_augmented`. Times of a "
    "table are taken in turn within one run: compare them with each other, not with those of another table. Trace and compile times "
    "are taken once. Written by `benchmarks/comparison.py`.", "",
]  # fmt: skip


def compared(case: Case, states: int) -> dict[str, Any]:
    """What the comparison found: its numbers, and its part of the page."""
    begun = time.perf_counter()
    m = case.build()
    names = [name for name in FORMULATIONS if name not in case.without]
    found = m.compare(
        names, case.constraints, states=states, duration=case.duration, start=case.start, speeds=case.speeds
    )
    left_out = [name for name in case.without if name in FORMULATIONS]
    print(f"{found}\n[{time.perf_counter() - begun:.1f} s]\n", flush=True)
    rows = [
        {k: None if isinstance(x, float) and math.isnan(x) else x for k, x in e.row().items()} for e in found.entries
    ]
    about = {"entries": rows, "refusals": [str(r) for r in found.refusals], "left out": left_out}
    return about | {"page": section(case, m, found, left_out)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", help="titles of the cases to run; the others stay as they were")
    parser.add_argument("--states", type=int, default=5)
    asked = parser.parse_args()
    before = ROOT / "results" / "comparison.json"
    known = json.loads(before.read_text(encoding="utf-8"))["cases"] if asked.only and before.exists() else {}
    record = {title: found for title, found in known.items() if "page" in found}
    for case in (c for c in CASES if not asked.only or c.title in asked.only):
        record[case.title] = compared(case, asked.states)
        every = [record[c.title] for c in CASES if c.title in record]
        about = reporting.about()
        text = [*HEAD, *(line for found in every for line in found["page"]), reporting.in_words(about), ""]
        reporting.keep("comparison", {"about": about, "cases": record}, "\n".join(text))


if __name__ == "__main__":
    main()
