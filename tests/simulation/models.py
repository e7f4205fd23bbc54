"""Mechanisms whose motion is known, or known to keep something."""

from __future__ import annotations

import numpy as np

import dalembert as da
from tests.mechanisms import frame, matter


def pendulum() -> da.Mechanism:
    """A01: 1 kg on a massless rod of 1 m, 9.81 m/s² along −y; the angle is from the x axis."""
    s = da.System("A01", gravity=(0, -9.81, 0))
    s.add_body("bob", da.particle(1.0, (1, 0, 0)))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "bob")
    return s.build()


def oscillator(stiffness: float = 1.0, damping: float = 0.0) -> da.Mechanism:
    """1 kg on a spring, x(0) free to choose: x = x₀ cos √k t without damping."""
    s = da.System("oscillator")
    k = s.parameter("k", stiffness)
    s.add_body("mass", da.particle(1.0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "mass")
    s.add_force("spring", da.JointSpring("x", stiffness=k, damping=damping))
    return s.build()


def heavy_top(orientation: str = "euler_parameters") -> da.Mechanism:
    """The heavy top of the reference problems: spins at 150 rad/s about its axis y, which begins horizontal."""
    s = da.System("heavy top", gravity=(0, 0, -9.81))
    s.add_body("top", mass=15, com=(0, 1, 0), inertia=(0.234375, 0.46875, 0.234375))
    s.add_joint("O", da.Spherical(orientation), "ground", "top")
    return s.build()


TOP_SPEEDS = {"O": (0.0, 150.0, -4.61538)}


def free_body() -> da.Mechanism:
    """An asymmetric body with nothing acting on it."""
    s = da.System("free body")
    s.add_body("stone", mass=2.0, com=(0.1, -0.2, 0.3), inertia=(1.0, 2.0, 2.5))
    s.add_joint("float", da.Free(), "ground", "stone")
    return s.build()


def chain(n: int, seed: int = 0) -> da.Mechanism:
    """Revolute joints about x, y, z in turn, random frames and bodies."""
    rng = np.random.default_rng(seed)
    s = da.System(f"chain of {n}", gravity=(0, 0, -9.81))
    parent = "ground"
    for i in range(n):
        s.add_body(f"b{i}", matter(rng))
        s.add_joint(f"j{i}", da.Revolute(np.eye(3)[i % 3]), parent, f"b{i}", frame(rng), frame(rng))
        parent = f"b{i}"
    return s.build()
