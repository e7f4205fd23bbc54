"""Trees that float: their bodies, and their motion relative to the axes of their roots.

The joint that connects a tree to the ground has six free speeds. What is relative to its frame C on the root is computed in a state
whose root coordinates are those of reference and at rest, so that the attitude enters nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.formulations.joint_directions import left_inverse, motion
from dalembert.formulations.tree.tisserand import ON_A_LINE
from dalembert.formulations.tree.weighed_bodies import add_gram
from dalembert.kinematics.loads import Loads
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.parts.bodies import Instant
from dalembert.trace import Scalar
from dalembert.vectors import IDENTITY, ZERO, Matrix, Vector, cross, skew


@dataclass(frozen=True)
class FloatingTree:
    """A root that floats, the bodies it carries with itself, and where the speeds between them stand in u."""

    root: int
    members: tuple[int, ...]
    own: tuple[int, ...]
    """Places in u of the root's six speeds."""
    internal: tuple[int, ...]
    """Places in u of all others."""


def floating_trees(m: Mechanism) -> list[FloatingTree]:
    """The trees that a joint with six free speeds connects to the ground."""
    root_of, out = [0], []
    for k, parent in enumerate(m.parent, start=1):
        j = m.joints[k - 1]
        floats = parent == 0 and j.joint.inner.n_u == 6 and j.n_own == 6
        root_of.append(k if floats else root_of[parent])
    for root in sorted(set(root_of) - {0}):
        members = tuple(k for k, r in enumerate(root_of) if r == root)
        own = m.joints[root - 1].columns[:6]
        internal = [at for k in members for at in m.joints[k - 1].columns if at not in own]
        out.append(FloatingTree(root, members, tuple(own), tuple(internal)))
    return out


def with_roots_at_rest(s: State) -> State:
    """The same state with every floating root at its reference and at rest."""
    m, q, u = s.mechanism, np.array(s.coordinates), np.array(s.speeds)
    for tree in floating_trees(m):
        j = m.joints[tree.root - 1]
        for at, value in zip(j.own_q, j.joint.inner.reference):
            q[at] = value
        u[list(tree.own)] = 0.0
    return State(m, s.t, q, u)


class TreeMotion:
    """A floating tree in a state. Vectors are in the axes of the world in which the root is at its reference, unless said otherwise."""

    def __init__(self, s: State, relative: State, tree: FloatingTree):
        self.s, self.relative, self.tree, self.mechanism = s, relative, tree, s.mechanism
        self.joint = s.mechanism.joints[tree.root - 1]
        self.dtype = object if s.traced else float

    # -- the root's frame -----------------------------------------------------------------------------------------------
    @cached_property
    def _own_q(self) -> np.ndarray:
        return self.s.joint_q[self.tree.root - 1][: self.joint.joint.inner.n_q]

    @cached_property
    def _R_P(self) -> Matrix:
        return self.relative.links[self.tree.root - 1].R_P

    @cached_property
    def _R_C(self) -> Matrix:
        """Axes of C where the root is at its reference."""
        inner = self.joint.joint.inner
        return self._R_P @ inner.rotation(inner.reference)

    @cached_property
    def R(self) -> Matrix:
        """Rotation from these axes into those of the world."""
        return self._R_P @ self.joint.joint.inner.rotation(self._own_q) @ self._R_C.T

    @cached_property
    def _motion(self) -> np.ndarray:
        """S of the root's joint."""
        return motion(self.joint.joint.inner, self._own_q)

    @cached_property
    def _root_motion(self) -> np.ndarray:
        """Angular velocity of C in its axes, and the velocity of its origin in those of the joint's frame on the ground."""
        return np.asarray(self._motion @ np.array([self.s.speeds[at] for at in self.tree.own]))

    @cached_property
    def w(self) -> Vector:
        """ω of the root's frame C."""
        return np.asarray(self._R_C @ self._root_motion[:3])

    # -- bodies relative to it ------------------------------------------------------------------------------------------
    @cached_property
    def places(self) -> dict[int, Vector]:
        """Arms from C's origin to the origins of the bodies."""
        inner, relative = self.joint.joint.inner, self.relative
        origin = self.joint.on_parent.position + self._R_P @ inner.translation(inner.reference)
        poses = relative.poses_from(origin) if origin.dtype != object else None
        return {k: poses[k].p if poses is not None else relative.poses[k].p - origin for k in self.tree.members}

    def columns(self, k: int) -> list[int]:
        """Where the internal speeds on the path of body k stand among all internal ones."""
        return [self._place[at] for at in self.mechanism.path_columns[k][6:]]

    @cached_property
    def _place(self) -> dict[int, int]:
        return {at: i for i, at in enumerate(self.tree.internal)}

    @cached_property
    def internal(self) -> np.ndarray:
        """The internal speeds."""
        return np.array([self.s.speeds[at] for at in self.tree.internal])

    @cached_property
    def mass(self) -> Scalar:
        return sum(self.mechanism.bodies[k - 1].mass for k in self.tree.members)

    @cached_property
    def centre(self) -> Vector:
        """ρ, from C's origin to the mass centre of the tree."""
        arms = self.relative.com_arms
        parts = [self.mechanism.bodies[k - 1].mass * (self.places[k] + arms[k - 1]) for k in self.tree.members]
        return np.asarray(sum(parts[1:], start=parts[0]) / self.mass)

    @cached_property
    def centre_velocity(self) -> Vector:
        """ρ̇ relative to the root."""
        bodies, instants = self.mechanism.bodies, self.relative.instants
        parts = [bodies[k - 1].momentum(instants[k - 1]) for k in self.tree.members]
        return np.asarray(sum(parts[1:], start=parts[0]) / self.mass)

    def instant(self, k: int) -> Instant:
        """The motion of body k, turning with the root; its velocity is not needed."""
        at = self.relative.instants[k - 1]
        return Instant(at.R, at.arm, self.w + at.w, ZERO, at.q, at.qd)

    # -- Kane's equations about the mass centre ---------------------------------------------------------------------------
    def mass_and_forces(self, applied: Loads) -> tuple[np.ndarray, np.ndarray]:
        """A and f in (ω̇, u̇ of the internal speeds): Kane's equations in the accelerations of C, that of its origin eliminated.

        The loads have no part of uniform gravity, which moves the mass centre alone.
        """
        n = 6 + len(self.tree.internal)
        A, f = np.zeros((n, n), dtype=self.dtype), np.zeros(n, dtype=self.dtype)
        for k in self.tree.members:
            if not self.mechanism.bodies[k - 1].massless or applied.loaded(k):
                self._add(k, applied, A, f)
        f[6:] = f[6:] + self._driven(applied)
        keep, centre = [0, 1, 2, *range(6, n)], [3, 4, 5]
        P = A[np.ix_(centre, keep)]
        reduced = np.array(A[np.ix_(keep, keep)])
        add_gram(reduced, list(range(len(keep))), -P / self.mass, P)
        return reduced, f[keep] - P.T @ (f[centre] / self.mass)

    def _add(self, k: int, applied: Loads, A: np.ndarray, f: np.ndarray) -> None:
        """Body k, with ω, the velocity of C's origin and the internal speeds on its path."""
        body, relative, d = self.mechanism.bodies[k - 1], self.relative, self.places[k]
        partial, rates, bias = relative.partials[k], relative.velocities[k], relative.bias_accelerations[k]
        W = np.hstack([IDENTITY, np.zeros((3, 3)), partial.W[:, 6:]])
        V = np.hstack([-skew(d), IDENTITY, partial.V[:, 6:]])
        at, columns = self.instant(k), [*range(6), *(6 + i for i in self.columns(k))]
        alpha = cross(self.w, rates.w) + bias.w
        a = cross(self.w, cross(self.w, d) + 2.0 * rates.v) + bias.v
        force, moment = self.in_root_axes(applied.force[k - 1]), self.in_root_axes(applied.moment[k - 1])
        left = body.dynamic_residual(at, alpha, a, np.zeros(len(at.q)), force, moment)
        for (J, MJ), rest in zip(body.weighed(at.R, at.arm, at.q, W, V), left):
            add_gram(A, columns, MJ, J)
            f[columns] = f[columns] + J.T @ rest

    def in_root_axes(self, x: Vector) -> Vector:
        """A vector of the world in the root's axes."""
        return x if all(type(v) is float and v == 0.0 for v in np.asarray(x)) else self.R.T @ x

    def _driven(self, applied: Loads) -> np.ndarray:
        """What drives, springs and stiffness put on the internal speeds."""
        out = np.zeros(len(self.tree.internal), dtype=self.dtype)
        for k in self.tree.members:
            j, values = self.mechanism.joints[k - 1], applied.joint[k - 1]
            for i, at in zip(j.free, j.columns):
                if at in self._place:
                    out[self._place[at]] = out[self._place[at]] + values[i]
        return out

    def moment(self, applied: Loads) -> Vector:
        """Moment of the applied loads about the mass centre, world axes."""
        total: Any = ZERO
        for k in self.tree.members:
            if applied.loaded(k):
                arm = self.R @ (self.places[k] + self.relative.com_arms[k - 1] - self.centre)
                total = total + applied.moment[k - 1] + cross(arm, applied.force[k - 1])
        return np.asarray(total)

    # -- inertia and angular momentum about the mass centre ---------------------------------------------------------------
    @cached_property
    def inertia(self) -> Matrix:
        """I of all bodies about the mass centre."""
        total: Any = np.zeros((3, 3))
        for k in self.tree.members:
            body, at = self.mechanism.bodies[k - 1], self.relative.instants[k - 1]
            d = self.places[k] + at.arm - self.centre
            total = total + at.R @ body.central_inertia(at.q)[:3, :3] @ at.R.T
            total = total + body.mass * ((d @ d) * IDENTITY - np.outer(d, d))
        return np.asarray(total)

    @cached_property
    def inertia_rate(self) -> Matrix:
        """dI/dt in the root's frame."""
        total: Any = np.zeros((3, 3))
        for k in self.tree.members:
            body, at = self.mechanism.bodies[k - 1], self.relative.instants[k - 1]
            I, turning = at.R @ body.central_inertia(at.q)[:3, :3] @ at.R.T, skew(at.w)
            total = total + turning @ I - I @ turning
            if body.modes:
                total = total + at.R @ body.inertia_rate(at.q, at.qd) @ at.R.T
            if not body.massless:
                d = self.places[k] + at.arm - self.centre
                v = body.momentum(at) / body.mass - self.centre_velocity
                both = np.outer(d, v)
                total = total + body.mass * (2.0 * (d @ v) * IDENTITY - both - both.T)
        return np.asarray(total)

    @cached_property
    def relative_momentum(self) -> Vector:
        """∫ρ × ρ̇ dm relative to the root's frame, about the mass centre."""
        total: Any = ZERO
        for k in self.tree.members:
            body, at = self.mechanism.bodies[k - 1], self.relative.instants[k - 1]
            total = total + body.spin(at) + cross(self.places[k] + at.arm - self.centre, body.momentum(at))
        return np.asarray(total)

    @cached_property
    def relative_demand(self) -> Vector:
        """Rate of the relative momentum in the root's frame where the internal speeds do not change."""
        total: Any = ZERO
        for k in self.tree.members:
            body, at, a = (
                self.mechanism.bodies[k - 1],
                self.relative.instants[k - 1],
                self.relative.bias_accelerations[k],
            )
            force, moment = body.demands(at, a.w, a.v, np.zeros(len(at.q)))
            total = total + moment + cross(self.places[k] + at.arm - self.centre, force)
        return np.asarray(total)

    # -- between the root's speeds and (ω, v_c) ---------------------------------------------------------------------------
    @cached_property
    def centre_speed(self) -> Vector:
        """v_c of the mass centre, world axes."""
        origin = self._R_P @ self._root_motion[3:]
        return np.asarray(origin + self.R @ (cross(self.w, self.centre) + self.centre_velocity))

    def root_speeds(self, w: Vector, v_c: Vector) -> np.ndarray:
        """The root's six speeds where C turns at ω and the mass centre moves at v_c (world axes)."""
        origin = v_c - self.R @ (cross(w, self.centre) + self.centre_velocity)
        return np.asarray(left_inverse(self._motion) @ np.concatenate([self._R_C.T @ w, self._R_P.T @ origin]))

    def root_rates(self, alpha: Vector, a_c: Vector, internal: np.ndarray) -> np.ndarray:
        """Rates of the root's six speeds where C turns at the rate α more, the mass centre accelerates at a_c (world axes) and the
        internal speeds change at these rates."""
        w, rho, columns = self.w, self.centre, self.centre_columns
        moved = cross(alpha, rho) + cross(w, cross(w, rho) + 2.0 * self.centre_velocity) + self.centre_drift
        origin = a_c - self.R @ (moved + columns @ internal if len(internal) else moved)
        j, q, u = self.joint.joint.inner, self._own_q, np.array([self.s.speeds[at] for at in self.tree.own])
        bias = np.concatenate([j.turning_rate(q, u) @ u, j.sliding_rate(q, u) @ u])
        return np.asarray(
            left_inverse(self._motion) @ (np.concatenate([self._R_C.T @ alpha, self._R_P.T @ origin]) - bias)
        )

    @cached_property
    def centre_columns(self) -> np.ndarray:
        """∂ρ̇/∂u of the internal speeds."""
        out = np.zeros((3, len(self.tree.internal)), dtype=self.dtype)
        for k in self.tree.members:
            body, at, P = self.mechanism.bodies[k - 1], self.relative.instants[k - 1], self.relative.partials[k]
            V = P.V[:, 6:] + cross(P.W[:, 6:], at.arm)
            if body.modes:
                n = len(body.modes)
                V = V + np.hstack([np.zeros((3, V.shape[1] - n)), body.arm_columns(at.R, at.q)])
            out[:, self.columns(k)] = out[:, self.columns(k)] + body.mass * V
        return out / self.mass

    @cached_property
    def centre_drift(self) -> Vector:
        """ρ̈ relative to the root where the internal speeds do not change."""
        total: Any = ZERO
        for k in self.tree.members:
            body, at, a = (
                self.mechanism.bodies[k - 1],
                self.relative.instants[k - 1],
                self.relative.bias_accelerations[k],
            )
            total = total + body.demands(at, a.w, a.v, np.zeros(len(at.q)))[0]
        return np.asarray(total / self.mass)


def mass_on_a_line(m: Mechanism, tree: FloatingTree, whose: str) -> str | None:
    """Why a frame that needs mass off a line does not suit a tree; None where it does."""
    s = m.numeric.state(m.reference)
    moments = np.linalg.eigvalsh(TreeMotion(s, with_roots_at_rest(s), tree).inertia)
    if moments[0] > ON_A_LINE * moments[-1]:
        return None
    return (
        f'the mass of "{m.bodies[tree.root - 1].name}" and what it carries lies on a line, about which {whose} frame could turn at '
        'any rate; give it rotary inertia, or choose "system_root"'
    )
