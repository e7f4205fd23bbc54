"""The recursive algorithms driven body by body: the reference interpreter on floats, straight-line code on traced scalars.

`articulated` is forward dynamics [articulated bodies], `newton_euler` inverse dynamics, `composite` the mass matrix,
`composite_solved` forward dynamics with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.elastic.inertia import Deformed
from dalembert.kinematics.in_variables import (
    in_joint_variables,
    joint_speed_rates,
    joint_speeds_per_speed,
    on_joint_speeds,
    on_speeds,
    speed_rates,
)  # fmt: skip
from dalembert.kinematics.loads import loads
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.recursive import steps
from dalembert.recursive.links import Link, links
from dalembert.recursive.rigid_or_elastic import (
    ElasticLinkInertia,
    FixedBase,
    JointBase,
    LinkInertia,
    NodeBase,
    RigidLinkInertia,
)
from dalembert.recursive.steps import NO_MODES, NOTHING, JointValues, Moving, Placement, Spatial
from dalembert.vectors import ZERO, Vector


class Tree:
    """A mechanism's links in one state, with the outward pass done when first asked.

    The recursions go along the joints' own speeds; where the mechanism has others, they are changed for these and back again.
    """

    def __init__(self, given: State, reframed: tuple[Link, ...] | None = None):
        self.given = given
        self.state = in_joint_variables(given)
        self.links = links(self.state.mechanism) if reframed is None else reframed

    @property
    def changed(self) -> bool:
        """Whether the mechanism has speeds other than its joints'."""
        return self.given is not self.state

    def joint_rates(self, udot: Any) -> np.ndarray:
        """Rates of the joints' speeds, from those of the mechanism's."""
        return joint_speed_rates(self.given, udot) if self.changed else udot

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
    def link_inertias(self) -> list[LinkInertia]:
        s = self.state
        return [
            ElasticLinkInertia(Deformed(b.data, s.modal_q(k))) if b.modes else RigidLinkInertia(link.inertia)
            for k, (b, link) in enumerate(zip(self.mechanism.bodies, self.links), start=1)
        ]

    @cached_property
    def bases(self) -> list[JointBase]:
        """What each joint stands on."""
        m = self.mechanism
        return [
            FixedBase(len(m.bodies[link.parent - 1].modes) if link.parent else 0)
            if on == link.parent
            else NodeBase(self.state.node(on))
            for link, on in zip(self.links, m.stands_on)
        ]

    def modal_u(self, k: int) -> np.ndarray:
        """Rates of the modes of body k; of the ground, which has none, too."""
        return self.state.modal_u(k) if k else NO_MODES

    def bias(self, k: int) -> tuple[Spatial, np.ndarray]:
        """What the motion of link k (from 0) demands when nothing but its origin is accelerated, less the applied force: of the link,
        and of its modes."""
        return self.demanded(k, Spatial(ZERO, self.moving[k].b), np.zeros(len(self.modal_u(k + 1))))

    def demanded(self, k: int, a: Spatial, bending: np.ndarray) -> tuple[Spatial, np.ndarray]:
        """The force it takes to move and accelerate link k (from 0) so, less the applied one: on the link, and on its modes."""
        force, modal = self.link_inertias[k].demands(self.spin(k + 1), self.modal_u(k + 1), a, bending)
        return force - self.applied[0][k], modal

    @cached_property
    def moving(self) -> list[Moving]:
        out = [Moving(ZERO, ZERO, self.ground.b)]
        for k, (link, at, values) in enumerate(zip(self.links, self.placements, self.values)):
            parent, base = out[link.parent], self.bases[k]
            spin = base.spin(parent.w, self.modal_u(link.parent))
            out.append(steps.move(link, at, values, spin, base.turned(parent.b)))
        return out[1:]

    def spin(self, k: int) -> Vector:
        """Angular velocity of link k = 1, 2, … in its own axes; of the ground, none."""
        return self.moving[k - 1].w if k else ZERO

    def base_spin(self, k: int) -> Vector:
        """Angular velocity of what joint k (from 0) stands on."""
        parent = self.links[k].parent
        return self.bases[k].spin(self.spin(parent), self.modal_u(parent))

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

    def base_acceleration(self, k: int, motion: Spatial, bending: np.ndarray) -> Spatial:
        """Acceleration of the base of joint k (from 0), from that of its parent body and of the parent's modes."""
        parent = self.links[k].parent
        return self.bases[k].acceleration(motion, self.spin(parent), self.modal_u(parent), bending)

    @property
    def ground(self) -> Spatial:
        """The ground's acceleration, with gravity taken as one upward."""
        return Spatial(ZERO, -self.mechanism.gravity)


class StillTree(Tree):
    """The same links in the same pose, where nothing moves and nothing pulls: what is left of Newton and Euler's recursion is A u̇."""

    @cached_property
    def values(self) -> list[JointValues]:
        return [
            JointValues(q, np.zeros(len(u)), np.zeros(len(u))) for q, u in zip(self.state.joint_q, self.state.joint_u)
        ]

    @property
    def ground(self) -> Spatial:
        return NOTHING

    @cached_property
    def applied(self) -> tuple[list[Spatial], list[np.ndarray]]:
        return [NOTHING for _ in self.links], [np.zeros(j.joint.n_u) for j in self.mechanism.joints]

    def modal_u(self, k: int) -> np.ndarray:
        return np.zeros(len(self.mechanism.bodies[k - 1].modes)) if k else NO_MODES

    def joint_rates(self, udot: Any) -> np.ndarray:
        return joint_speeds_per_speed(self.given) @ np.asarray(udot) if self.changed else udot


def articulated(tree: Tree, tau: Any) -> np.ndarray:
    """u̇ by articulated bodies; `tau` are generalized forces beyond the mechanism's own.

    Where coordinates are dropped, joints do not move by themselves, and the mass matrix is solved with instead.
    """
    if not tree.changed:
        return _articulated(tree, tau)
    if tree.given.mechanism.dropped:
        return composite_solved(tree, tau)
    return speed_rates(tree.given, _articulated(tree, on_joint_speeds(tree.given, tau)))


def _articulated(tree: Tree, tau: Any) -> np.ndarray:
    m = tree.mechanism
    inertia = [own.inertia() for own in tree.link_inertias]
    both = [tree.bias(k) for k in range(m.n_bodies)]
    bias, modal = [b[0] for b in both], [b[1] for b in both]
    factors = []
    for k in reversed(range(m.n_bodies)):
        link, at, torque = tree.links[k], tree.placements[k], joint_force(tree, k, tau)
        own, p = steps.inertia_in_joint(at, inertia[k]), steps.force_in_joint(at, bias[k])
        factor, U = steps.factorise(link, at, own, p, torque, modal[k])
        factors.append(factor)
        if link.parent:
            J, base = link.parent - 1, tree.bases[k]
            I, p = steps.articulated_to_parent(link, at, own, p, U, factor, tree.moving[k].c, torque)
            beta = base.bias(tree.spin(link.parent), tree.modal_u(link.parent))
            if beta is not None:
                p = p + Spatial(*I.times(beta.a, beta.b))
            force, on_modes = base.force(p)
            inertia[J], bias[J], modal[J] = inertia[J] + base.inertia(I), bias[J] + force, modal[J] + on_modes
    out: list[Any] = []
    acceleration, bending = [NOTHING], [NO_MODES]
    for k, factor in enumerate(reversed(factors)):
        link = tree.links[k]
        motion = tree.base_acceleration(k, acceleration[link.parent], bending[link.parent])
        udot, a = steps.accelerate(link, tree.placements[k], factor, tree.moving[k].c, motion)
        out.extend(udot)
        acceleration.append(a)
        bending.append(udot[link.source.n_own :])
    return steps.vector(out)


def joint_force(tree: Tree, k: int, tau: Any) -> np.ndarray:
    """Generalized forces on the free speeds of joint k."""
    source = tree.links[k].source
    own = tree.applied[1][k]
    return steps.vector([own[i] + tau[at] for i, at in zip(source.free, source.columns)])


def newton_euler(tree: Tree, udot: Any) -> np.ndarray:
    """τ that the mechanism's own forces leave to be supplied for the free speeds to change at the rate u̇."""
    needed = _newton_euler(tree, tree.joint_rates(udot))
    return on_speeds(tree.given, needed) if tree.changed else needed


def _newton_euler(tree: Tree, udot: Any) -> np.ndarray:
    forces: list[Spatial] = []
    modal: list[np.ndarray] = []
    acceleration, bending = [tree.ground], [NO_MODES]
    for k, (link, at) in enumerate(zip(tree.links, tree.placements)):
        motion = tree.base_acceleration(k, acceleration[link.parent], bending[link.parent])
        own = steps.vector([udot[i] for i in link.source.columns])
        _, a = steps.accelerated(link, at, tree.values[k], tree.base_spin(k), motion, own)
        acceleration.append(a)
        bending.append(own[link.source.n_own :])
        force, on_modes = tree.demanded(k, a, bending[-1])
        forces.append(force)
        modal.append(on_modes)
    out: list[Any] = [0.0] * tree.mechanism.n_u
    for k in reversed(range(len(forces))):
        link, at = tree.links[k], tree.placements[k]
        needed = at.S.T @ forces[k].array() - tree.applied[1][k]
        needed = needed + np.concatenate([np.zeros(len(needed) - len(modal[k])), modal[k]])
        for i, column, J in zip(link.source.free, link.source.columns, link.source.armatures):
            out[column] = needed[i] + J * udot[column]
        if link.parent:
            handed, on_modes = tree.bases[k].force(steps.to_parent(at, forces[k]))
            forces[link.parent - 1] = forces[link.parent - 1] + handed
            modal[link.parent - 1] = modal[link.parent - 1] + on_modes
    return steps.vector(out)


def composite(tree: Tree) -> np.ndarray:
    """The mass matrix by composite bodies."""
    A = _composite(tree)
    if not tree.changed:
        return A
    T = joint_speeds_per_speed(tree.given)
    A = np.asarray(T.T @ A @ T)
    upper = np.triu_indices(len(A), 1)
    A[upper] = A.T[upper]
    return A


def _composite(tree: Tree) -> np.ndarray:
    m = tree.mechanism
    parts = [own.composite() for own in tree.link_inertias]
    entries: dict[tuple[int, int], Any] = {}
    for k in reversed(range(m.n_bodies)):
        link, at = tree.links[k], tree.placements[k]
        inertia, C, E = parts[k]
        source = link.source
        modes = [None] * source.n_own + list(range(C.shape[1]))
        for i, column, mode, J in zip(source.free, source.columns, modes, source.armatures):
            force, on_modes = Spatial(*inertia.times(at.S[:3, i], at.S[3:, i])), C.T @ at.S[:, i]
            if mode is not None:
                force, on_modes = force + Spatial.of(C[:, mode]), on_modes + E[:, mode]
            for j, other, along in zip(source.free, source.columns, modes):
                if other <= column:
                    entries[column, other] = _along(at.S[:, j], force, on_modes, along)
            entries[column, column] = entries[column, column] + J
            here, pose = k, at
            while tree.links[here].parent:
                force, on_modes = tree.bases[here].force(steps.to_parent(pose, force))
                here = tree.links[here].parent - 1
                pose, outer = tree.placements[here], tree.links[here].source
                bending = [None] * outer.n_own + list(range(len(on_modes)))
                for j, other, along in zip(outer.free, outer.columns, bending):
                    entries[column, other] = _along(pose.S[:, j], force, on_modes, along)
        if link.parent:
            I, coupling, share = tree.bases[k].rigid_inertia(steps.inertia_to_parent(at, inertia))
            own = parts[link.parent - 1]
            parts[link.parent - 1] = own[0] + I, own[1] + coupling, own[2] + share
    traced = any(steps._traced(x) for x in entries.values())
    A = np.zeros((m.n_u, m.n_u), dtype=object if traced else float)
    for (i, j), x in entries.items():
        A[i, j] = A[j, i] = x
    return A


def composite_solved(tree: Tree, tau: Any) -> np.ndarray:
    """u̇ from A u̇ = τ − h with composite bodies. Tips are eliminated first, so that the zeros between branches do not fill in."""
    n = tree.given.mechanism.n_u
    h = newton_euler(tree, np.zeros(n))
    inward = slice(None, None, -1)
    udot, _ = steps.solve_symmetric(composite(tree)[inward, inward], (tau - h)[inward], np.zeros((n, 0)))
    return udot[inward]


def _along(S: np.ndarray, force: Spatial, on_modes: np.ndarray, mode: int | None) -> Any:
    """The generalized force on one speed: along its motion column, and directly where it is a mode's."""
    along = S @ force.array()
    return along if mode is None else along + on_modes[mode]
