"""Mechanisms with laws whose motions are known."""

from __future__ import annotations

import math

import dalembert as da

G = 9.81


def slider(**gravity: float) -> da.System:
    """A mass of 1 kg on a slide along x."""
    s = da.System("slider", gravity=(gravity.get("x", 0.0), 0, gravity.get("z", 0.0)))
    s.add_body("m", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "m")
    return s


def pendulum(upper: float = 0.3, restitution: float = 0.7) -> da.System:
    """A uniform rod of 1 m, its angle from straight down, with a stop."""
    s = da.System("pendulum", gravity=(0, -G, 0))
    s.add_body("rod", da.rod(mass=1.0, length=1.0))
    down = da.Frame((0, 0, 0), da.turn((0, 0, 1), -math.pi / 2))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "rod", at_parent=down)
    s.add_law("stop", da.Stop("A", upper=upper, restitution=restitution))
    return s


def belt() -> da.System:
    """A mass on a spring of 4 N/m, on a belt that moves at 0.1 m/s: friction 1.5 N at rest, 1 N sliding."""
    s = da.System("belt")
    s.add_body("belt")
    s.add_body("m", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.add_joint("belt", da.Prismatic((1, 0, 0)), "ground", "belt", prescribed=lambda t: 0.1 * t)
    s.add_joint("x", da.Prismatic((1, 0, 0)), "belt", "m")
    s.add_force("spring", da.Load("m", force=lambda state: (-4.0 * state.position("m")[0], 0, 0)))
    s.add_law("dry", da.JointFriction("x", force=1.0, static_force=1.5))
    return s
