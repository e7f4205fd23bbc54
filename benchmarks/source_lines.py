"""Lines of the printed equations beside those of the sources; `python -m benchmarks.source_lines` prints docs/equations.md's table.

Counted are the lines of `text()` that are not empty, headings and all. Of a source they are its scalar equations with the rates of the
coordinates, each printed line of a long one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import dalembert as da


def free_body() -> da.System:
    """C's single rigid body [C 167–214]: angles in the sequence 1-2-3."""
    s = da.System("free body")
    s.add_body("b", mass=s.parameter("M", 2.0), inertia=[s.parameter(f"I{k}", 1.0 + k) for k in (1, 2, 3)])
    s.add_joint("q", da.Free("123"), "ground", "b")
    return s


def rolling_sphere() -> da.System:
    """C's Figs. 5 and 6 [C 215–258]: angles in the sequence 3-1-3."""
    s = da.System("rolling sphere")
    a = s.parameter("a", 0.3)
    s.add_body("sphere", da.sphere(s.parameter("M", 2.0), a))
    s.add_joint("q", da.Free("313"), "ground", "sphere")
    s.add_constraint("floor", da.RollingBall("sphere", radius=a))
    return s


def in_world_axes() -> da.System:
    """The same with C's choice of speeds [C 228]: ω along inertial axes."""
    s = rolling_sphere()
    s.choose_speeds("world axes")
    return s


def three_bodies() -> da.System:
    """C's Fig. 7 [C 259–303]: M of the whole, rods of mass m and length 2L hinged at r, J of a rod about its hinge."""
    s = da.System("three bodies")
    values = {
        "M": 4.4,
        "m": 0.7,
        "L": 1.3,
        "r": 0.4,
        "k": 5.0,
        "J": 4 * 0.7 * 1.3**2 / 3,
        "I1": 9.0,
        "I2": 1.1,
        "I3": 8.6,
    }
    M, m, L, r, k, J, I1, I2, I3 = (s.parameter(name, value) for name, value in values.items())
    rods = 2 * (m * r * r + 2 * m * r * L + J)
    s.add_body("hub", mass=M - 2 * m, inertia=(I1 - rods, I2, I3 - rods))
    s.add_joint("attitude", da.Free(), "ground", "hub")
    for i, side in ((1, 1.0), (2, -1.0)):
        s.add_body(f"rod{i}", mass=m, com=(0, side * L, 0), inertia=(J - m * L * L, 0.0, J - m * L * L))
        s.add_joint(f"gamma{i}", da.Revolute((1, 0, 0)), "hub", f"rod{i}", at_parent=(0, side * r, 0))
        s.add_force(f"spring{i}", da.JointSpring(f"gamma{i}", stiffness=k))
    return s


def in_eta(drop: tuple[str, ...] = ()) -> da.System:
    """The same in sums and differences of the angles [C 262]."""
    s = three_bodies()
    both = {
        "eta1": lambda s: s.q["gamma1"] + s.q["gamma2"],
        "eta2": lambda s: s.q["gamma1"] - s.q["gamma2"],
    }
    s.choose_coordinates(both, drop)
    return s


@dataclass(frozen=True)
class Printed:
    """Equations that a source prints too: its lines, or the most that was asked for where it leaves attitude and translation out."""

    title: str
    system: Callable[[], da.System]
    formulation: str
    source: str
    source_lines: int
    most: int
    small: tuple[str, ...] = ()

    @property
    def equations(self) -> Any:
        return self.system().build().equations(self.formulation, small=list(self.small))

    @cached_property
    def lines(self) -> int:
        return sum(bool(line.strip()) for line in self.equations.text().splitlines())


def _of(title: str, system: Callable[[], da.System], **methods: tuple[str, int]) -> list[Printed]:
    return [Printed(title, system, name, source, n, 2 * n) for name, (source, n) in methods.items()]


PRINTED = [
    *_of(
        "free body",
        free_body,
        recursive_newton_euler=("169, 171", 12),
        dalembert=("183", 15),
        kane=("171, 181", 12),
        lagrange=("183", 15),
        boltzmann_hamel=("171, 200", 12),
        hamilton=("214", 17),
    ),
    *_of(
        "rolling sphere",
        rolling_sphere,
        newton_euler=("224", 15),
        kane=("224", 15),
        kane_minimal=("232", 9),
        lagrange=("238", 15),
        boltzmann_hamel=("251", 15),
        hamilton=("258", 15),
        momentum=("258", 15),
    ),
    *_of("rolling sphere, ω in inertial axes", in_world_axes, kane_minimal=("231, 232", 9), kane=("224", 15)),
    Printed("three bodies", three_bodies, "system_root", "259", 5, 60, ("gamma1", "gamma2")),
    Printed("three bodies, η", in_eta, "system_root", "263", 5, 60, ("eta1", "eta2")),
    Printed("three bodies, η₁ alone", lambda: in_eta(("eta2",)), "system_root", "263a–d", 4, 60, ("eta1",)),
]
"""The first are at most twice as long as the source. Of Fig. 7 C prints neither attitude nor translation."""


def table() -> list[str]:
    rows = ["| | by | [C] | its lines | `text()` | at most |", "| --- | --- | --- | ---: | ---: | ---: |"]
    return rows + [
        f"| {p.title} | `{p.formulation}` | {p.source} | {p.source_lines} | {p.lines} | {p.most} |" for p in PRINTED
    ]


if __name__ == "__main__":
    sys.stdout.write("\n".join(table()) + "\n")
