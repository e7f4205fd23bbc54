"""Armature: the inertia that a geared rotor adds to one joint speed, and to nothing else."""

from __future__ import annotations

from dalembert.importers.naming import Names
from dalembert.parts.constraints import Coupling
from dalembert.parts.joints import Revolute
from dalembert.system import GROUND, System

WEIGHTLESS = 1e-6
"""Mass of a rotor by its inertia, in 1/m²: its mass does nothing."""


def add_rotor(s: System, bodies: Names, joints: Names, joint: str, inertia: float) -> None:
    """A flywheel that turns on the ground at the joint's own speed: its kinetic energy ½ J q̇² is the armature's, exactly.

    It turns about an axis through its mass centre, so gravity does no work on it and its mass does not matter. It starts
    where the joint starts.
    """
    wheel = bodies.new(f"{joint}_rotor")
    s.add_body(wheel, mass=WEIGHTLESS * inertia, inertia=(0.5 * inertia, 0.5 * inertia, inertia))
    follower = joints.new(f"{joint}_rotor")
    s.add_joint(follower, Revolute(), GROUND, wheel)
    s.add_constraint(joints.new(f"{joint}_gear"), Coupling({follower: 1.0, joint: -1.0}))
    for values in (s.initial, s.speeds):
        if joint in values:
            values[follower] = values[joint]
