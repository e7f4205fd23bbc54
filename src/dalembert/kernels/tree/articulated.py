"""Forward dynamics by articulated bodies, as three sweeps."""

from __future__ import annotations

import numpy as np

from dalembert.kernels.tree.algorithm import Algorithm, joint_columns
from dalembert.kernels.tree.sweeps import Step
from dalembert.recursive import steps
from dalembert.recursive.spatial_inertia import SpatialInertia
from dalembert.recursive.steps import Spatial
from dalembert.vectors import ZERO

FIELDS = {"w": 3, "b": 3, "a": 6}
"""Angular velocity; acceleration of the origin while no speed changes; acceleration beyond that."""
HANDED = {"I": 21, "f": 6}
"""Articulated inertia and force."""


def outward(s: Step) -> None:
    """Placement, angular velocity, what turning demands."""
    at = s.place()
    moving = steps.move(s.link, at, s.values, s.parent("w"), s.parent("b"))
    if not s.leaf:
        s.put("w", moving.w)
        s.put("b", moving.b)
    s.later.at, s.later.c = s.keep(at), s.keep(moving.c)
    s.later.bias = s.keep(steps.bias_force(s.link.inertia, moving.w, Spatial(ZERO, moving.b), s.load))


def inward(s: Step) -> None:
    """Articulated inertia and force; the factor for the way back."""
    I, f = s.link.inertia.blocks(), s.later.bias
    if not s.leaf:
        I, f = I + unpacked(s.own("I")), f + Spatial.of(s.own("f"))
    s.drop(s.later.bias)
    tau = s.x + s.joint_load
    I, f = steps.inertia_in_joint(s.later.at, I), steps.force_in_joint(s.later.at, f)
    if s.root:
        _accelerated(s, *steps.accelerate_root(s.link, s.later.at, I, f, s.later.c, tau))
        return
    factor, U = steps.factorise(s.link, s.later.at, I, f, tau)
    s.later.factor = s.keep(factor)
    handed, force = steps.articulated_to_parent(s.link, s.later.at, I, f, U, factor, s.later.c, tau)
    s.hand("I", packed(handed))
    s.hand("f", force.array())


def onward(s: Step) -> None:
    """Accelerations; those of roots are known already."""
    if s.root:
        return
    udot, a = steps.accelerate(s.link, s.later.at, s.later.factor, s.later.c, Spatial.of(s.parent("a")))
    _accelerated(s, udot, a)


def _accelerated(s: Step, udot: np.ndarray, a: Spatial) -> None:
    s.give(udot)
    if not s.leaf:
        s.put("a", a.array())


SWEEPS = [(outward, False), (inward, True), (onward, False)]
"""Each step and whether it runs from the tips to the root."""

ALGORITHM = Algorithm(
    "forward_dynamics",
    lambda m: FIELDS,
    SWEEPS,
    joint_columns,
    lambda m: m.n_u,
    passed=HANDED,
    grouped=True,
    late=("a",),
)

_LOWER = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]


def packed(I: SpatialInertia) -> list[object]:
    """The 21 different numbers of an inertia, in the order in which they are best computed: M needs nothing of the others."""
    return [*(I.M[i, j] for i, j in _LOWER), *(I.A[i, j] for i, j in _LOWER), *I.B.ravel()]


def unpacked(values: np.ndarray) -> SpatialInertia:
    A, M = np.empty((3, 3), dtype=object), np.empty((3, 3), dtype=object)
    for n, (i, j) in enumerate(_LOWER):
        M[i, j] = M[j, i] = values[n]
        A[i, j] = A[j, i] = values[6 + n]
    return SpatialInertia(A, values[12:].reshape(3, 3), M)
