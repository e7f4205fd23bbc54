"""Moments of a deformed body about its mass centre, and the angular velocity of Tisserand's frame [C II.A.2.i].

With ρ from the mass centre the body's angular momentum is H = J ω + Crᵀq̇. Tisserand's frame turns at ω_T = J⁻¹H, so that the body has
no angular momentum relative to it. Then T = ½ m v_c² + ½ ω_T·J ω_T + ½ q̇ᵀ(Me − Cr J⁻¹Crᵀ) q̇: three parts that do not know of each
other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.cached import cached_property
from dalembert.elastic.inertia import Deformed
from dalembert.vectors import IDENTITY, Matrix, Vector, cross


@dataclass(frozen=True, eq=False)
class Central:
    """Central moments of a body at the elastic coordinates in `shape`, in body axes; floats or traced scalars."""

    shape: Deformed

    @property
    def mass(self) -> float:
        return self.shape.body.m

    @cached_property
    def arm(self) -> Vector:
        """Arm from the frame's origin to the mass centre."""
        return self.shape.c / self.mass

    @cached_property
    def arm_columns(self) -> np.ndarray:
        """∂arm/∂q, 3 × n."""
        return self.shape.Ct.T / self.mass

    @cached_property
    def J(self) -> Matrix:
        return _inertia(self.shape.P - np.outer(self.arm, self.shape.c))

    @cached_property
    def Cr(self) -> np.ndarray:
        """∫ρ × ∂x/∂q_j dm, a row per mode."""
        return self.shape.Cr - cross(self.arm, self.shape.Ct.T).T

    @cached_property
    def Me(self) -> np.ndarray:
        """∫∂x/∂q_i · ∂x/∂q_j dm, relative to the mass centre."""
        return self.shape.Me - self.shape.Ct @ self.arm_columns

    def J_rate(self, qd: np.ndarray) -> Matrix:
        """J̇ in body axes."""
        one = np.tensordot(qd, self.shape.X, 1) - np.outer(self.arm, self.shape.Ct.T @ qd)
        return _inertia(one + one.T)

    @cached_property
    def inertia(self) -> np.ndarray:
        """[J Crᵀ; Cr Me], 3 + n."""
        return np.block([[self.J, self.Cr.T], [self.Cr, self.Me]])

    def bias(self, w: Vector, qd: np.ndarray) -> np.ndarray:
        """What turning and deforming at constant rates demand, without stiffness and damping: on ω, then on the modes."""
        turning, sliding, modal = self.shape.bias(w, qd)
        return np.concatenate([turning - cross(self.arm, sliding), modal - self.arm_columns.T @ sliding])

    # -- Tisserand's frame ------------------------------------------------------------------------------------------------
    @cached_property
    def slip(self) -> np.ndarray:
        """J⁻¹Crᵀ, 3 × n: ω_T − ω per unit of each q̇."""
        return inverse(self.J) @ self.Cr.T

    @cached_property
    def own_mass(self) -> np.ndarray:
        """Me − Cr J⁻¹Crᵀ: the modal mass that Tisserand's frame sees."""
        made = self.Me - self.Cr @ self.slip
        upper = np.triu_indices(len(made), 1)
        made[upper] = made.T[upper]
        return made


def _inertia(P: Matrix) -> Matrix:
    return np.trace(P) * IDENTITY - P


def adjugate(J: Matrix) -> Matrix:
    """The inverse of a 3 × 3 matrix times its determinant: cross products of its rows."""
    a, b, c = J
    return np.array([cross(b, c), cross(c, a), cross(a, b)]).T


def inverse(J: Matrix) -> Matrix:
    """The inverse of a 3 × 3 matrix."""
    columns = adjugate(J)
    return columns / (J[0] @ columns[:, 0])
