"""The recursive algorithms driven body by body: the reference interpreter on floats, straight-line code on traced scalars.

`articulated` is forward dynamics [articulated bodies], `newton_euler` inverse dynamics, `composite` the mass matrix.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from dalembert.kinematics.loads import loads
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.recursive import steps
from dalembert.recursive.inertia import Inertia, RigidInertia
from dalembert.recursive.links import Link, links
from dalembert.recursive.steps import NOTHING, JointValues, Moving, Placement, Spatial
from dalembert.vectors import ZERO


class Tree:
    """A mechanism's links in one state, with the outward pass done when first asked."""

    def __init__(self, state: State, reframed: tuple[Link, ...] | None = None):
        self.state = state
        self.links = links(state.mechanism) if reframed is None else reframed

    @property
    def mechanism(self) -> Mechanism:
        return self.state.mechanism

    @cached_property
    def placements(self) -> list[Placement]:
        return [steps.place(link, q) for link, q in zip(self.links, self.state.joint_q)]

    @cached_property
    def values(self) -> list[JointValues]:
        driven = self.state.joint_udot(np.zeros(self.mechanism.n_u))
        return [JointValues(*qu) for qu in zip(self.state.joint_q, self.state.joint_u, driven)]

    @cached_property
    def moving(self) -> list[Moving]:
        out = [Moving(ZERO, NOTHING)]
        for link, at, values in zip(self.links, self.placements, self.values):
            out.append(steps.move(link, at, values, out[link.parent].w))
        return out[1:]

    @cached_property
    def applied(self) -> tuple[list[Spatial], list[np.ndarray]]:
        """Forces without gravity: on links, in link axes about the link's origin, and on joint speeds."""
        s = self.state
        all_loads = loads(s, gravity=False)
        on_links = []
        for k, link in enumerate(self.links):
            if not all_loads.loaded(k + 1):
                on_links.append(NOTHING)
                continue
            R = s.poses[k + 1].R @ link.frame.rotation
            arm = s.com_arms[k] - s.poses[k + 1].R @ link.frame.position
            n, f = all_loads.moment[k], all_loads.force[k]
            on_links.append(Spatial(R.T @ (n + steps.cross(arm, f)), R.T @ f))
        return on_links, all_loads.joint

    @property
    def ground(self) -> Spatial:
        """The ground's acceleration, with gravity taken as one upward."""
        return Spatial(ZERO, -self.mechanism.gravity)


def articulated(tree: Tree, tau: Any) -> np.ndarray:
    """u̇ by articulated bodies; `tau` are generalized forces beyond the mechanism's own."""
    m, on_links = tree.mechanism, tree.applied[0]
    inertia: list[Inertia] = [link.inertia.blocks() for link in tree.links]
    bias = [steps.bias_force(link.inertia, mv, f) for link, mv, f in zip(tree.links, tree.moving, on_links)]
    factors = []
    for k in reversed(range(m.n_bodies)):
        link, at, torque = tree.links[k], tree.placements[k], joint_force(tree, k, tau)
        factor, U = steps.factorise(link, at, inertia[k], bias[k], torque)
        factors.append(factor)
        if link.parent:
            I, p = steps.hand_inward(link, at, inertia[k], bias[k], U, factor, tree.moving[k].c, torque)
            inertia[link.parent - 1], bias[link.parent - 1] = inertia[link.parent - 1] + I, bias[link.parent - 1] + p
    out: list[Any] = []
    acceleration = [tree.ground]
    for k, factor in enumerate(reversed(factors)):
        link = tree.links[k]
        udot, a = steps.accelerate(link, tree.placements[k], factor, tree.moving[k].c, acceleration[link.parent])
        out.extend(udot)
        acceleration.append(a)
    return steps.vector(out)


def joint_force(tree: Tree, k: int, tau: Any) -> np.ndarray:
    """Generalized forces on the free speeds of joint k."""
    source = tree.links[k].source
    own = tree.applied[1][k]
    return steps.vector([own[i] + tau[at] for i, at in zip(source.free, source.columns)])


def newton_euler(tree: Tree, udot: Any) -> np.ndarray:
    """τ that the mechanism's own forces leave to be supplied for the free speeds to change at the rate u̇."""
    forces: list[Spatial] = []
    acceleration = [tree.ground]
    for k, (link, at, mv) in enumerate(zip(tree.links, tree.placements, tree.moving)):
        a = steps.to_link(at, acceleration[link.parent]) + mv.c
        if link.source.free:
            a = a + Spatial.of(at.S[:, link.source.free] @ steps.vector([udot[i] for i in link.source.columns]))
        acceleration.append(a)
        inertial = Spatial(*link.inertia.times(a.a, a.b))
        forces.append(steps.bias_force(link.inertia, mv, tree.applied[0][k]) + inertial)
    out: list[Any] = [0.0] * tree.mechanism.n_u
    for k in reversed(range(len(forces))):
        link, at = tree.links[k], tree.placements[k]
        needed = at.S.T @ forces[k].array() - tree.applied[1][k]
        for i, column in zip(link.source.free, link.source.columns):
            out[column] = needed[i]
        if link.parent:
            forces[link.parent - 1] = forces[link.parent - 1] + steps.to_carrier(at, forces[k])
    return steps.vector(out)


def composite(tree: Tree) -> np.ndarray:
    """The mass matrix by composite bodies."""
    m = tree.mechanism
    inertia: list[RigidInertia] = [link.inertia for link in tree.links]
    entries: dict[tuple[int, int], Any] = {}
    for k in reversed(range(m.n_bodies)):
        link, at = tree.links[k], tree.placements[k]
        free, columns = link.source.free, link.source.columns
        for i, column in zip(free, columns):
            force = Spatial(*inertia[k].times(at.S[:3, i], at.S[3:, i]))
            for j, other in zip(free, columns):
                if other <= column:
                    entries[column, other] = at.S[:, j] @ force.array()
            here, pose = k, at
            while tree.links[here].parent:
                force = steps.to_carrier(pose, force)
                here = tree.links[here].parent - 1
                pose, outer = tree.placements[here], tree.links[here].source
                for j, other in zip(outer.free, outer.columns):
                    entries[column, other] = pose.S[:, j] @ force.array()
        if link.parent:
            inertia[link.parent - 1] = inertia[link.parent - 1] + inertia[k].carried(at.X, at.p)
    traced = any(steps._traced(x) for x in entries.values())
    A = np.zeros((m.n_u, m.n_u), dtype=object if traced else float)
    for (i, j), x in entries.items():
        A[i, j] = A[j, i] = x
    return A
