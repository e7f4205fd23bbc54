"""Rigid and articulated inertia in the axes of a link frame, and how they move to the parent's frame.

Force = I acceleration, with spatial vectors (angular, linear): I = [[A, B], [Bᵀ, M]].
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.recursive.turns import Turn
from dalembert.vectors import IDENTITY, Matrix, Vector, cross, plus_cross, skew


@dataclass(frozen=True, eq=False)
class RigidInertia:
    """Mass, first moment h = m c, and second moment I about the frame's origin."""

    m: Any
    h: Vector
    I: Matrix

    def blocks(self) -> SpatialInertia:
        return SpatialInertia(self.I, skew(self.h), self.m * IDENTITY)

    def times(self, w: Vector, v: Vector) -> tuple[Vector, Vector]:
        """(I w + h × v, m v − h × w)."""
        return plus_cross(self.I @ w, self.h, v), plus_cross(self.m * v, w, self.h)

    def demands(self, w: Vector, alpha: Vector, a: Vector) -> tuple[Vector, Vector]:
        """The force it takes to turn at the rate ω, accelerated so: (I α + h × a + ω × Iω, m a + α × h + ω × (ω × h))."""
        n, f = self.times(alpha, a)
        return n + cross(w, self.I @ w), f + cross(w, cross(w, self.h))

    def in_parent(self, X: Turn, p: Vector) -> RigidInertia:
        """The same inertia in the parent's frame."""
        return self.turned(X).slid(p)

    def turned(self, X: Turn) -> RigidInertia:
        """In the parent's axes."""
        return RigidInertia(self.m, X.out(self.h), X.sym(self.I))

    def slid(self, p: Vector) -> RigidInertia:
        """About the point at −p."""
        h, I, m = self.h, self.I, self.m
        hp = h @ p
        along = hp + hp + m * (p @ p)
        mp = m * p
        J = np.empty((3, 3), dtype=np.result_type(h.dtype, I.dtype, p.dtype, np.asarray(along).dtype))
        for i in range(3):
            for j in range(i + 1):
                x = I[i, j] - (h[i] * p[j] + p[i] * (h[j] + mp[j]))
                J[i, j] = J[j, i] = x + along if i == j else x
        return RigidInertia(m, h + mp, J)

    def __add__(self, other: RigidInertia) -> RigidInertia:
        return RigidInertia(self.m + other.m, self.h + other.h, self.I + other.I)


@dataclass(frozen=True, eq=False)
class SpatialInertia:
    """A symmetric 6 × 6 by its blocks; of an elastic body 6 + n, with its coupling C (6 × n) to the modes and their own block E."""

    A: Matrix
    B: Matrix
    M: Matrix
    C: np.ndarray = field(default_factory=lambda: np.zeros((6, 0)))
    E: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

    def __add__(self, other: SpatialInertia) -> SpatialInertia:
        return SpatialInertia(self.A + other.A, self.B + other.B, self.M + other.M, self.C + other.C, self.E + other.E)

    def times(self, w: Vector, v: Vector) -> tuple[Vector, Vector]:
        return self.A @ w + self.B @ v, self.B.T @ w + self.M @ v

    def matrix(self) -> np.ndarray:
        return np.block([[self.A, self.B], [self.B.T, self.M]])

    @staticmethod
    def of(I: np.ndarray) -> SpatialInertia:
        return SpatialInertia(I[:3, :3], I[:3, 3:], I[3:, 3:])

    def in_parent(self, X: Turn, p: Vector) -> SpatialInertia:
        """[[1, p̃], [0, 1]] R I Rᵀ [[1, 0], [−p̃, 1]]."""
        return self.turned(X).slid(p)

    def turned(self, X: Turn) -> SpatialInertia:
        """In the parent's axes."""
        return SpatialInertia(X.sym(self.A), X.gen(self.B), X.sym(self.M))

    def slid(self, p: Vector) -> SpatialInertia:
        """About the point at −p."""
        A, B, M = self.A, self.B, self.M
        moved = B + _cross_columns(p, M)
        return SpatialInertia(_symmetric(A, _cross_columns(p, moved.T), _cross_columns(p, B.T).T), moved, M)


def _cross_columns(p: Vector, M: Matrix) -> Matrix:
    """p̃ M."""
    return np.array([p[1] * M[2] - p[2] * M[1], p[2] * M[0] - p[0] * M[2], p[0] * M[1] - p[1] * M[0]])


def _symmetric(*terms: Matrix) -> Matrix:
    """The sum of matrices whose sum is symmetric: its lower triangle, mirrored."""
    total = np.empty((3, 3), dtype=np.result_type(*(t.dtype for t in terms)))
    for i in range(3):
        for j in range(i + 1):
            total[i, j] = total[j, i] = sum((t[i, j] for t in terms[1:]), start=terms[0][i, j])
    return total
