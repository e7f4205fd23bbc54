"""Frames of bodies as the joints see them: where they are from the mass centre, and how they move with the body's own coordinates.

A point that is carried along by the frame is at ℓ from the mass centre. It moves at ṙ + ω × ℓ + L q̇, with L = ∂ℓ/∂q of the
coordinates q of an elastic body; the frame itself turns at ω + W q̇. A rigid body has no q.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.elastic.node_motion import NodeMotion
from dalembert.kinematics.state import State
from dalembert.vectors import ZERO, Matrix, Vector, cross, skew


@dataclass(frozen=True, eq=False)
class Lever:
    """A vector of a body that turns and deforms with it, in world axes: ℓ, its columns L, and ℓ̈ in the body's frame where q̈ = 0.

    Sums and multiples of levers of one body are levers.
    """

    r: Vector
    columns: np.ndarray
    second: Vector

    def __add__(self, other: Lever) -> Lever:
        return Lever(self.r + other.r, self.columns + other.columns, self.second + other.second)

    def __mul__(self, factor: Any) -> Lever:
        return Lever(factor * self.r, factor * self.columns, factor * self.second)

    __rmul__ = __mul__

    def __neg__(self) -> Lever:
        return Lever(-self.r, -self.columns, -self.second)

    def __truediv__(self, by: Any) -> Lever:
        return Lever(self.r / by, self.columns / by, self.second / by)

    @cached_property
    def motion(self) -> np.ndarray:
        """[−ℓ̃, L], 3 × (3 + n): what ω and q̇ make of its end."""
        return np.hstack([-skew(self.r), self.columns])

    def work(self, force: Vector) -> np.ndarray:
        """[ℓ × F, LᵀF]: what a force at its end does to the turning and deforming of its body."""
        return np.concatenate([cross(self.r, force), self.columns.T @ force])

    def drift(self, w: Vector, qd: np.ndarray) -> Vector:
        """d²ℓ/dt² where neither ω nor q̇ changes: ω × (ω × ℓ + 2 L q̇) + ℓ̈."""
        slid = self.columns @ qd if len(qd) else ZERO
        return cross(w, cross(w, self.r) + 2.0 * slid) + self.second


NO_LEVER = Lever(ZERO, np.zeros((3, 0)), ZERO)


class Attachment:
    """The frame of body k in a state, or that of one of its nodes; the ground is k = 0."""

    def __init__(self, s: State, k: int, node: NodeMotion | None = None):
        self._s, self.k, self._node = s, k, node

    @staticmethod
    def of_frame(s: State, frame: int) -> Attachment:
        """A numbered frame of the mechanism."""
        k = s.mechanism.body_of(frame)
        return Attachment(s, k, s.node(frame) if frame != k else None)

    @cached_property
    def _own(self) -> tuple[Matrix, np.ndarray]:
        """The body's axes, and the rates of its own coordinates."""
        s, k = self._s, self.k
        return s.poses[k].R, s.modal_u(k) if k else np.zeros(0)

    @cached_property
    def R(self) -> Matrix:
        """The frame's axes."""
        R, _ = self._own
        return R if self._node is None else R @ self._node.R

    @cached_property
    def w(self) -> Vector:
        """Angular velocity of the frame."""
        w = self._s.velocities[self.k].w
        return w + self.turns @ self._own[1] if self._moves else w

    @property
    def _moves(self) -> bool:
        return self._node is not None and not self._node.node.fixed

    @cached_property
    def turns(self) -> np.ndarray:
        """W, 3 × n: how the frame turns in the body per unit of each q̇."""
        R, qd = self._own
        return np.zeros((3, len(qd))) if self._node is None or not self._moves else R @ self._node.W

    @cached_property
    def turn_drift(self) -> Vector:
        """Angular acceleration of the frame where neither ω nor q̇ changes."""
        if not self._moves or self._node is None:
            return ZERO
        R, qd = self._own
        return R @ (self._node.W_rate(qd) @ qd) + cross(self._s.velocities[self.k].w, self.turns @ qd)

    def lever(self, offset: Vector = ZERO) -> Lever:
        """Lever from the mass centre to a point at `offset` (world axes) from the frame's origin, carried along by the frame."""
        s, k = self._s, self.k
        if not k:
            return Lever(offset, np.zeros((3, 0)), ZERO)
        body, (R, qd) = s.mechanism.bodies[k - 1], self._own
        to_centre = s.com_arms[k - 1]
        if not body.modes:
            return Lever(offset - to_centre, np.zeros((3, 0)), ZERO)
        q = s.modal_q(k)
        r, columns, second = offset - to_centre, -body.arm_columns(R, q), -body.arm_second(R, q, qd)
        if self._node is not None:
            r = r + R @ self._node.x
        if self._node is not None and self._moves:
            turned = self.turns @ qd
            columns = columns + R @ self._node.U + cross(self.turns, offset)
            second = second + R @ (self._node.U_rate(qd) @ qd)
            second = second + cross(R @ (self._node.W_rate(qd) @ qd), offset) + cross(turned, cross(turned, offset))
        return Lever(r, columns, second)
