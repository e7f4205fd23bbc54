"""Inverse dynamics by the Newton–Euler recursion, as two sweeps."""

from __future__ import annotations

from dalembert.kernels.tree.algorithm import Algorithm, joint_columns
from dalembert.kernels.tree.sweeps import Step
from dalembert.recursive import steps
from dalembert.recursive.steps import Spatial

FIELDS = {"w": 3, "a": 6}
"""Angular velocity, acceleration."""


def outward(s: Step) -> None:
    """Motion, and the force it demands of each link."""
    at = s.place()
    w, a = steps.accelerated(s.link, at, s.values, s.parent("w"), Spatial.of(s.parent("a")), s.x)
    if not s.leaf:
        s.put("w", w)
        s.put("a", a.array())
    force = steps.bias_force(s.link.inertia, w, a, s.load)
    s.later.at, s.later.force = s.keep(at), s.keep(force)


def inward(s: Step) -> None:
    """What each joint must supply."""
    at, force = s.later.at, s.later.force
    if not s.leaf:
        force = force + Spatial.of(s.own("f"))
    s.give(at.S[:, s.link.source.free].T @ force.array() - s.joint_load + s.link.armature * s.x)
    if not s.root:
        s.hand("f", steps.to_parent(at, force).array())


ALGORITHM = Algorithm(
    "inverse_dynamics",
    lambda m: FIELDS,
    [(outward, False), (inward, True)],
    joint_columns,
    lambda m: m.n_u,
    passed={"f": 6},
    grouped=True,
)
