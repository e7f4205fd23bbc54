"""Bodies hinged at points move together: their places follow from the rotations and one vector for each group.

A group is a set of bodies joined by joints that turn about a point. A group that reaches the ground, or another external body, has
its places from the rotations and from the given motion of the hinge there [B Remark 3]; a floating one also needs its mass centre:
r_k = r_c + Σ_i d_ik with vectors d_ik that turn with body i [C 310], so that ṙ_k = ṙ_c + Σ_i ω_i × d_ik.
Joints with translational freedoms connect groups and stay as rows with their forces [B Remark 5].

w = (ṙ_c of each floating group, ω₁ … ω_n, q̇), without the external bodies: on an elastic body the points are nodes, d_ik deform with
it, and the rates of its own coordinates come in with ω_i.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.formulations.absolute.attachment import Lever
from dalembert.formulations.absolute.connection import Directions, JointConnection
from dalembert.formulations.absolute.dead_rows import without_dead
from dalembert.formulations.absolute.definite import row_weights, singular_bodies, strengthened
from dalembert.formulations.absolute.separate_bodies import Bodies, mode_names
from dalembert.formulations.equations import Equations
from dalembert.formulations.joint_directions import slides
from dalembert.mechanism import Mechanism


@dataclass(frozen=True)
class Groups:
    """For every body the root of its group, 0 where the group reaches an external body (index 0 is the ground itself)."""

    root: tuple[int, ...]
    external: tuple[int, ...]

    @property
    def floating(self) -> tuple[int, ...]:
        """Roots of the floating groups, ascending."""
        return tuple(sorted({r for r in self.root if r}))

    def members(self, root: int) -> list[int]:
        return [k for k, r in enumerate(self.root) if k and r == root and k not in self.external]


def groups(m: Mechanism) -> Groups:
    root = [0]
    for k, (j, parent) in enumerate(zip(m.joints, m.parent), start=1):
        root.append(k if slides(j.joint.inner) and m.path_columns[k] else root[parent])
    return Groups(tuple(root), m.external_bodies)


class Hinged:
    """The bodies of a state with the vectors d_ik of their groups, by (i, k); there is none where body i does not move body k."""

    def __init__(self, b: Bodies, d: dict[tuple[int, int], Lever]):
        self.bodies, self.groups, self.d = b, groups(b.mechanism), d
        self.size = self.n_places + b.size - 3 * b.n

    @property
    def n_places(self) -> int:
        return 3 * len(self.groups.floating)

    def centre_at(self, root: int) -> slice:
        first = 3 * self.groups.floating.index(root)
        return slice(first, first + 3)

    def turn_at(self, k: int) -> slice:
        first = self.n_places + 3 * self.bodies.place_of[k]
        return slice(first, first + 3)

    def modes_at(self, k: int) -> slice:
        modes, shift = self.bodies.at(k)[2], self.n_places - 3 * self.bodies.n
        return slice(modes.start + shift, modes.stop + shift)

    def own_at(self, k: int) -> list[int]:
        """Where (ω_k, q̇_k) stand."""
        return [self.n_places + i for i in self.bodies.own_at(k)]

    @cached_property
    def spread(self) -> np.ndarray:
        """X: the bodies' velocities (ṙ, ω, q̇) from w."""
        b = self.bodies
        X = b.zeros(b.size, self.size)
        X[3 * b.n :, self.n_places :] = np.eye(b.size - 3 * b.n)
        for k in b.numbers:
            place = b.at(k)[0]
            if self.groups.root[k]:
                X[place, self.centre_at(self.groups.root[k])] = np.eye(3)
            for i in b.numbers:
                if (i, k) in self.d:
                    X[place, self.own_at(i)] = self.d[i, k].motion
        return X

    @cached_property
    def bias(self) -> np.ndarray:
        """x₀: the bodies' accelerations are X ẇ + x₀, r̈_k = … + Σ ω_i × (ω_i × d_ik), and r̈₀ of the hinge on an external body."""
        b, hinges, s = self.bodies, base_hinges(self.bodies), self.bodies.state
        x0 = b.zeros(b.size)
        for k in b.numbers:
            place = b.at(k)[0]
            if k in hinges:
                x0[place] = hinges[k].hinge_acceleration
            for i in b.numbers:
                if (i, k) in self.d:
                    x0[place] = x0[place] + self.d[i, k].drift(s.velocities[i].w, s.modal_u(i))
        return x0

    @cached_property
    def given(self) -> np.ndarray:
        """The bodies' velocities where w = 0: ṙ₀ of the hinge on an external body."""
        b, hinges = self.bodies, base_hinges(self.bodies)
        out = b.zeros(b.size)
        for k, c in hinges.items():
            out[b.at(k)[0]] = c.given_velocity.v
        return out

    def velocities(self, w: Any) -> np.ndarray:
        """(ṙ, ω, q̇) of the bodies from w."""
        return self.spread @ np.asarray(w) + self.given

    @cached_property
    def joint_rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows, right-hand sides and weights of what the points leave over: all torques, and the forces of joints that slide."""
        b = self.bodies
        B, gamma, weights = [b.zeros(0, self.size)], [np.zeros(0)], [np.zeros(0)]
        for c in b.connections:
            X = c.blocked
            if c.pointed:
                X = Directions(X.force[:, 3:], X.torque[:, 3:])
                row = b.zeros(X.torque.shape[1], self.size)
                for k, sign, on in ((c.child, 1.0, c.on_child), (c.parent, -1.0, c.on_parent)):
                    if k:
                        row[:, self.turn_at(k)] = sign * X.torque.T
                        row[:, self.modes_at(k)] = sign * (X.torque.T @ on.turns)
                B.append(row)
                gamma.append(c.drift(X))
            else:
                reduced = self.reduced(b.row(c, X), c.drift(X))
                B.append(reduced[0])
                gamma.append(reduced[1])
            weights.append(row_weights(b.mechanism, X, c.child))
        return np.vstack(B), np.concatenate(gamma), np.concatenate(weights)

    def reduced(self, B: np.ndarray, gamma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows on all bodies' accelerations as rows on ẇ."""
        if not len(B):
            return B[:, : self.spread.shape[1]], gamma
        return without_dead(B @ self.spread, gamma - B @ self.bias, np.abs(B) @ np.abs(self.spread))

    def equations(self, A: np.ndarray, f: np.ndarray) -> Equations:
        """Equations with the joints' rows, then the loops'."""
        B, gamma, weights = self.joint_rows
        if singular_bodies(self.bodies.mechanism):
            A, f = strengthened(A, f, B, gamma, weights)
        loops = self.reduced(*self.bodies.loop_rows) if self.bodies.mechanism.constraint_rows else None
        if loops is None:
            return Equations(A, f, B, gamma)
        return Equations(A, f, np.vstack([B, loops[0]]), np.concatenate([gamma, loops[1]]))

    def gathered(self, velocities: np.ndarray) -> np.ndarray:
        """w from the bodies' velocities: the mean velocity of each floating group, and all ω."""
        b = self.bodies
        out = []
        for root in self.groups.floating:
            members = self.groups.members(root)
            momentum: Any = sum(b.masses[k - 1] * velocities[b.at(k)[0]] for k in members)
            out.append(momentum / sum(b.masses[k - 1] for k in members))
        return np.concatenate([*out, velocities[3 * b.n :]])


def base_hinges(b: Bodies) -> dict[int, JointConnection]:
    """For each body of a group that reaches an external body, the joint by which the group stands on that."""
    out: dict[int, JointConnection] = {}
    for c in b.connections:
        if c.pointed and not c.parent:
            out[c.child] = c
        elif c.pointed and c.parent in out:
            out[c.child] = out[c.parent]
    return out


def speeds(m: Mechanism) -> tuple[str, ...]:
    """ṙ_c of each floating group, named after its root, then the rotations and modes of all bodies."""
    return (*(f"{m.bodies[r - 1].name}.c{axis}" for r in groups(m).floating for axis in "xyz"), *rotations_and_modes(m))


def rotations_and_modes(m: Mechanism) -> tuple[str, ...]:
    """ω of every body, in world axes, then the modes of elastic bodies."""
    return (*(f"{m.bodies[k - 1].name}.w{axis}" for k in m.free_bodies for axis in "xyz"), *mode_names(m))


def first_order(m: Mechanism) -> int:
    """Coordinates, accelerations, the constraint torques and the forces of joints that slide, and the loops' multipliers."""
    joints = [m.joints[k - 1] for k in m.free_bodies]
    rows = sum((6 if slides(j.joint.inner) else 3) - j.n_own for j in joints)
    return m.n_q + len(speeds(m)) + rows + len(m.rows)


def weightless(m: Mechanism) -> str | None:
    """The sentence for a floating group without mass: its mass centre is nowhere."""
    g = groups(m)
    for root in g.floating:
        if sum(float(m.numeric.bodies[k - 1].mass) for k in g.members(root)) == 0.0:
            return (
                f'body "{m.bodies[root - 1].name}" and what is hinged to it have no mass, so they have no barycentre; '
                'give them some, or choose "newton_euler" or "kane"'
            )
    return None
