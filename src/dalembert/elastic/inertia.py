"""Inertia of an elastic body in a deformed state, over floats or traced scalars [C 41–42, 76].

Components are (rotation, translation, modal) in body axes about the frame's origin. With a the ordinary acceleration of
that origin, M(q) (α, a, q̈) + h(q, ω, q̇) is what the motion demands; T = ½ yᵀM y with y = (ω, v, q̇). These are exactly
the equations that follow from T, the second-order field included, so that energy is kept whatever is truncated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.cached import cached_property
from dalembert.elastic.body import ElasticBody
from dalembert.elastic.tensors import axial
from dalembert.trace import Scalar
from dalembert.vectors import IDENTITY, Matrix, Vector, cross, skew


@dataclass(frozen=True, eq=False)
class Deformed:
    """The moments of the body at the elastic coordinates q."""

    body: ElasticBody
    q: np.ndarray

    @cached_property
    def Ct(self) -> np.ndarray:
        """∂c/∂q_j = S_j + Σ q_i G0_ij, a row per mode."""
        return self.body.S[1:] + np.tensordot(self.q, self.body.G0, 1)

    @cached_property
    def c(self) -> Vector:
        """∫x dm = S_0 + ½ Σ q_j (S_j + Ct_j)."""
        return self.body.S[0] + 0.5 * (self.q @ (self.body.S[1:] + self.Ct))

    @cached_property
    def X(self) -> np.ndarray:
        """∫x (∂x/∂q_j)ᵀ dm = P_0j + Σ q_i (P_ij + H_ij)."""
        return self.body.P[0, 1:] + np.tensordot(self.q, self.body.P[1:, 1:] + self.body.H, 1)

    @cached_property
    def P(self) -> Matrix:
        """∫x xᵀ dm = P_00 + ½ Σ q_j (P_0j + X_j), and its transpose."""
        half = 0.5 * np.tensordot(self.q, self.body.P[0, 1:] + self.X, 1)
        return self.body.P[0, 0] + half + half.T

    @cached_property
    def J(self) -> Matrix:
        """Inertia about the frame's origin."""
        return np.trace(self.P) * IDENTITY - self.P

    @cached_property
    def Cr(self) -> np.ndarray:
        """∫x × ∂x/∂q_j dm, a row per mode."""
        return axial(self.X)

    @property
    def Me(self) -> np.ndarray:
        return self.body.Me

    def mass_matrix(self) -> np.ndarray:
        """M(q), 6 + n."""
        m = self.body.m * IDENTITY
        return np.block(
            [[self.J, skew(self.c), self.Cr.T], [skew(self.c).T, m, self.Ct.T], [self.Cr, self.Ct, self.Me]]
        )

    def momenta(self, w: Vector, v: Vector, qd: np.ndarray) -> tuple[Vector, Vector, np.ndarray]:
        """M (ω, v, q̇): angular about the origin, linear, modal."""
        return (
            self.J @ w + cross(self.c, v) + self.Cr.T @ qd,
            self.body.m * v + cross(w, self.c) + self.Ct.T @ qd,
            self.Cr @ w + self.Ct @ v + self.Me @ qd,
        )

    def bias(self, w: Vector, qd: np.ndarray) -> tuple[Vector, Vector, np.ndarray]:
        """h: what turning and deforming at constant rates demand, without stiffness and damping."""
        Q = np.tensordot(qd, self.X, 1)
        twice = 2.0 * (np.trace(Q) * w - Q.T @ w)
        second = np.tensordot(qd, np.tensordot(qd, self.body.H, 1), 1)
        turning = cross(w, self.J @ w) + twice + axial(second)
        drift = self.Ct.T @ qd
        sliding = cross(w, cross(w, self.c) + drift + drift) + qd @ np.tensordot(qd, self.body.G0, 1)
        trace = np.trace(self.X, axis1=1, axis2=2)
        centrifugal = (self.X @ w) @ w - (w @ w) * trace
        coriolis = 2.0 * (np.tensordot(qd, axial(self.body.P[1:, 1:]), 1) @ w)
        return turning, sliding, centrifugal + coriolis

    def strain_energy(self) -> Scalar:
        return 0.5 * (self.q @ (self.body.Ke @ self.q))
