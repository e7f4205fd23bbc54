"""A planar open chain, as source D describes it: absolute angles, arms fixed in bodies, slides along ways of the parents, straight or
curved [D Fig. 5.38].

Bodies are counted from 0 here; −1 is the ground, whose angle is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.parts.joints.curve import ALONG
from dalembert.trace import Expr, Scalar, cos, free_symbols, sin
from dalembert.trace.bind import expressions_in
from dalembert.vectors import Vector, across, vector

FLAT = 1e-9
"""Largest part of a unit vector out of the plane."""
POSES = 3
"""Poses in which it is tried whether everything stays in the plane."""


@dataclass(frozen=True, eq=False)
class Arm:
    """A vector of the plane fixed in a body: its two components where the body's absolute angle is 0."""

    at: Vector
    body: int

    def turned(self) -> Arm:
        """The arm turned by +90°."""
        return Arm(np.array([-self.at[1], self.at[0]]), self.body)

    def dot(self, other: Arm, angles: list[Any]) -> Scalar:
        """a·b cos(φ_b − φ_a) − a×b … of the two absolute angles only the difference enters [D 5.89]."""
        a, b = self.at, other.at
        along, across_ = a[0] * b[0] + a[1] * b[1], a[1] * b[0] - a[0] * b[1]
        difference = angles[other.body] - angles[self.body]
        if type(difference) is float and difference == 0.0:
            return along
        return along * cos(difference) + across_ * sin(difference)


@dataclass(frozen=True, eq=False)
class Acceleration:
    """A term of an acceleration along a direction: unit per ẇ of a column (None: none), and a known part."""

    direction: Arm
    column: int | None
    known: Any


@dataclass(frozen=True, eq=False)
class PlanarChain:
    """The constants of a planar chain, and its absolute angles."""

    parent: tuple[int, ...]
    turns: list[tuple[int, int, float] | None]
    """Turn of each joint: the places of its angle in q and of its speed in u, and the sense of its axis."""
    turns_with: list[int | None]
    """The column of the speed with which each body turns: its own joint's, or its parent's; None where it cannot turn."""
    slides: list[list[tuple[int, int]]]
    """Slides of each joint: columns, and which of the joint's speeds each is."""
    ways: list[np.ndarray]
    """Maps from each joint's axes on its parent to the plane's, where the parent's angle is 0: 2 × 3."""
    offsets: list[Arm]
    """r_k: from the parent's P to the joint, fixed in the parent."""
    centres: list[Arm]
    """c_k: from P_k to the mass centre."""
    J: list[Any]
    """Moments of inertia about P_k."""
    gravity: Arm
    absolute: np.ndarray
    """w = absolute · u."""
    relative: np.ndarray
    """u = relative · w."""

    def angles(self, q: Any) -> list[Any]:
        """φ of every body, and last (index −1) the ground's."""
        out: list[Any] = []
        for k, turn in enumerate(self.turns):
            carried = out[self.parent[k] - 1] if self.parent[k] else 0.0
            out.append(carried if turn is None else carried + turn[2] * q[turn[0]])
        return [*out, 0.0]

    def turning_rates(self, u: Any) -> list[Any]:
        """φ̇ of every body, and last the ground's."""
        out: list[Any] = []
        for k, turn in enumerate(self.turns):
            carried = out[self.parent[k] - 1] if self.parent[k] else 0.0
            out.append(carried if turn is None else carried + turn[2] * u[turn[1]])
        return [*out, 0.0]

    def arm(self, s: State, k: int) -> Arm:
        """r_k + x_k."""
        moved = self.ways[k] @ s.mechanism.joints[k].joint.translation(s.joint_q[k])
        return Arm(self.offsets[k].at + moved, self.parent[k] - 1)

    def directions(self, s: State, k: int) -> list[tuple[int, Arm]]:
        """x̂ of every slide of joint k, with its column."""
        sliding = s.mechanism.joints[k].joint.sliding(s.joint_q[k])
        return [(column, Arm(self.ways[k] @ sliding[:, i], self.parent[k] - 1)) for column, i in self.slides[k]]

    def bend(self, s: State, k: int) -> Arm | None:
        """ẋ̂ ẋ: what a curved way adds to the acceleration along it; None where it is straight."""
        change = s.mechanism.joints[k].joint.sliding_rate(s.joint_q[k], s.joint_u[k])
        if not any(type(x) is Expr or x != 0.0 for x in change.ravel()):
            return None
        return Arm(self.ways[k] @ (change @ s.joint_u[k]), self.parent[k] - 1)

    def slide_of(self, s: State, column: int) -> tuple[int, Arm] | None:
        """The joint that slides with a speed, and its direction."""
        for k in range(len(self.slides)):
            for at, direction in self.directions(s, k):
                if at == column:
                    return k, direction
        return None


def not_planar(m: Mechanism) -> str | None:
    """Why a mechanism is no planar open chain, or None."""
    bent = next((b.name for b in m.bodies if b.modes), None)
    if bent is not None:
        return f'body "{bent}" is elastic, and the path matrix describes rigid chains; choose "kane", "lagrange" or "hooker"'
    if m.cuts:
        return f'the path matrix describes open chains, and joint "{m.cuts[0].name}" closes a loop; choose "kane" or "lagrange"'
    if m.constraints:
        return f'the path matrix describes open chains, and "{next(iter(m.constraints))}" constrains it; choose "kane" or "lagrange"'
    for j in m.joints:
        if len(j.columns) < j.joint.n_u:
            return f'joint "{j.name}" has prescribed motion, which the path matrix does not take; choose "kane"'
    for j in m.joints:
        found = free_symbols(expressions_in([j.on_parent.rotation, j.on_child.rotation, j.joint]))
        named = [symbol for symbol in found if symbol is not ALONG]
        if named:
            return (
                f'which way joint "{j.name}" points depends on parameter "{named[0].name}", and the path matrix takes one plane for '
                'all values; choose "kane" or "lagrange"'
            )
    normal = _normal(m)
    for seed in range(POSES):
        s = _somewhere(m, seed)
        for k, j in enumerate(m.joints):
            why = _not_in_plane(s, k, normal)
            if why:
                return f'joint "{j.name}" {why}; choose "kane"'
    return None


def _not_in_plane(s: State, k: int, normal: Vector) -> str | None:
    """Why joint k does more than turn about the normal and slide across it, each by a coordinate of its own; or None."""
    j, q = s.mechanism.joints[k].joint, s.joint_q[k]
    axes = s.poses[s.mechanism.parent[k]].R @ s.mechanism.joints[k].on_parent.rotation
    turning, sliding = s.links[k].R_C @ j.turning(q), axes @ j.sliding(q)
    turns, slides = (np.abs(x).max(axis=0, initial=0.0) > FLAT for x in (turning, sliding))
    off = [normal @ sliding, *(normal @ axes @ np.diff(way, axis=0).T for way in j.tracks[:1] if way is not None)]
    if np.abs(np.cross(turning.T, normal)).max(initial=0.0) > FLAT or any(
        np.abs(x).max(initial=0.0) > FLAT for x in off
    ):
        return "moves out of the plane of the others, and the path matrix is for planar chains"
    if not j.rates_are_speeds:
        return "has speeds that are not the rates of its coordinates, and the path matrix takes one angle for each turn"
    if (turns & slides).any():
        return "turns and slides by one coordinate, and the path matrix takes turns and slides apart"
    return None


def _normal(m: Mechanism) -> Vector:
    """The axis of the first turn; where nothing turns, the direction most across all slides."""
    s = _somewhere(m)
    for partial in s.partials[1:]:
        for w in partial.W.T:
            size = np.linalg.norm(w)
            if size > FLAT:
                return np.asarray(w / size, dtype=float)
    slides = np.hstack([np.zeros((3, 1)), *(partial.V for partial in s.partials)])
    return np.asarray(np.linalg.svd(slides)[0][:, 2], dtype=float)


def _somewhere(m: Mechanism, seed: int = 0) -> State:
    """A numeric state in general position."""
    q = m.somewhere(np.random.default_rng(1 + seed), 0.5)
    made: State = State(m.numeric, 0.0, q, np.zeros(m.n_u))
    return made


_known: WeakKeyDictionary[Mechanism, PlanarChain] = WeakKeyDictionary()


def chain(m: Mechanism) -> PlanarChain:
    """The chain of a mechanism that is one."""
    if m not in _known:
        _known[m] = _read(m)
    return _known[m]


def _read(m: Mechanism) -> PlanarChain:
    normal = _normal(m)
    plane = np.array(across(normal))
    reference = State(m, 0.0, m.reference, np.zeros(m.n_u))  # all absolute angles 0; parameters stay symbols
    R = [pose.R for pose in reference.poses]

    def flat(body: int, v: Any) -> Arm:
        """A vector in axes of a body (0: the ground) as an arm."""
        return Arm(vector(list(plane @ (R[body] @ v))), body - 1)

    turns: list[tuple[int, int, float] | None] = []
    turns_with: list[int | None] = []
    slides: list[list[tuple[int, int]]] = []
    absolute = np.eye(m.n_u)
    for k, (j, parent) in enumerate(zip(m.joints, m.parent)):
        W = R[k + 1] @ j.on_child.rotation @ j.joint.turning(reference.joint_q[k])
        own: tuple[int, int, float] | None = None
        slides.append([])
        for i, (q_at, u_at) in enumerate(zip(j.q_at, j.u_at)):
            sense = float(normal @ W[:, i])
            if q_at is None or u_at is None:
                continue
            if abs(sense) > 0.5:
                own = (q_at, u_at, round(sense, 9))
            else:
                slides[k].append((u_at, i))
        turns.append(own)
        before = turns_with[parent - 1] if parent else None
        turns_with.append(before if own is None else own[1])
        if own is not None:
            absolute[own[1]] = absolute[before] if before is not None else 0.0
            absolute[own[1], own[1]] = own[2]
    return PlanarChain(
        m.parent,
        turns,
        turns_with,
        slides,
        [plane @ R[p] @ j.on_parent.rotation for j, p in zip(m.joints, m.parent)],
        [
            flat(p, j.on_parent.position - (m.joints[p - 1].on_child.position if p else np.zeros(3)))
            for j, p in zip(m.joints, m.parent)
        ],
        [flat(k + 1, b.com - j.on_child.position) for k, (b, j) in enumerate(zip(m.bodies, m.joints))],
        [_about_joint(m, k, R[k + 1].T @ normal, plane @ R[k + 1]) for k in range(m.n_bodies)],
        Arm(vector(list(plane @ m.gravity)), -1),
        absolute,
        np.linalg.inv(absolute),
    )


def _about_joint(m: Mechanism, k: int, n: Vector, plane: np.ndarray) -> Any:
    """J = nᵀI n + m c², c the mass centre's distance from P_k in the plane."""
    body = m.bodies[k]
    c = plane @ (body.com - m.joints[k].on_child.position)
    return n @ (body.inertia @ n) + body.mass * (c @ c)
