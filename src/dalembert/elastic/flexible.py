"""A named elastic body: the contract of a body (`system.bodies.RigidBody`) on the data of `ElasticBody`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.elastic.body import ElasticBody
from dalembert.elastic.central import Central
from dalembert.elastic.inertia import Deformed
from dalembert.elastic.node import Node
from dalembert.parts.bodies import Instant
from dalembert.parts.shapes import Shape
from dalembert.trace import Scalar
from dalembert.vectors import Matrix, Vector, cross

SPENT = 1e-9
"""Eigenvalue of a body's inertia, in units of its own, by which it may be negative from rounding."""


@dataclass(frozen=True, eq=False)
class FlexibleBody:
    """6 + n equations: those of its floating frame, and one for each mode."""

    name: str
    data: ElasticBody
    shapes: tuple[Shape, ...] = ()
    """For drawing only; they move with the floating frame."""
    stiffness_factor: Any = 1.0
    """A factor on its stiffness and damping."""

    @property
    def mass(self) -> float:
        return self.data.m

    @property
    def com(self) -> Vector:
        """Undeformed."""
        return self.data.com

    @property
    def inertia(self) -> Matrix:
        """Undeformed, about the mass centre."""
        return self.data.inertia

    @property
    def modes(self) -> tuple[str, ...]:
        return self.data.modes

    @property
    def nodes(self) -> Mapping[str, Node]:
        return self.data.nodes

    @property
    def massless(self) -> bool:
        return False

    def slack(self, stiffness_factor: Any = 0.0) -> FlexibleBody:
        return replace(self, stiffness_factor=stiffness_factor)

    def sound(self, q: Any) -> bool:
        """Whether its inertia is positive, as it is unless it bends far beyond what its data hold for; at numbers."""
        M = Deformed(self.data, q).mass_matrix().astype(float)
        units = np.concatenate([np.full(3, self.data.length), np.ones(3), self.data.modal_scales / self.data.length])
        return bool(np.linalg.eigvalsh(M / np.outer(units, units))[0] >= -SPENT * self.mass)

    def arm(self, R: Matrix, q: Any) -> Vector:
        return R @ (Deformed(self.data, q).c / self.mass)

    def arm_columns(self, R: Matrix, q: Any) -> np.ndarray:
        return R @ Central(Deformed(self.data, q)).arm_columns

    def arm_second(self, R: Matrix, q: Any, qd: Any) -> Vector:
        return R @ (qd @ np.tensordot(qd, self.data.G0, 1)) / self.mass

    def central_inertia(self, q: Any) -> np.ndarray:
        """[J Crᵀ; Cr Me]."""
        return Central(Deformed(self.data, q)).inertia

    def central_bias(self, w: Vector, q: Any, qd: Any) -> np.ndarray:
        return Central(Deformed(self.data, q)).bias(w, qd)

    def inertia_rate(self, q: Any, qd: Any) -> Matrix:
        """dJ/dt about the mass centre, in the body's frame and axes."""
        return Central(Deformed(self.data, q)).J_rate(qd)

    def moment_with_reference(self, q: Any) -> Matrix:
        """∫ρ ρ̄ᵀdm, with ρ̄ in the undeformed body."""
        data, now = self.data, Deformed(self.data, q)
        both = data.P[0, 0] + np.tensordot(q, data.P[1:, 0], 1)
        both = both + 0.5 * np.tensordot(q, np.tensordot(q, np.swapaxes(data.H, -1, -2), 1), 1)
        return np.asarray(both - np.outer(now.c, data.S[0]) / self.mass)

    def _momenta(self, at: Instant) -> tuple[Vector, Vector, np.ndarray]:
        return Deformed(self.data, at.q).momenta(at.R.T @ at.w, at.R.T @ at.v, at.qd)

    def momentum(self, at: Instant) -> Vector:
        return at.R @ self._momenta(at)[1]

    def spin(self, at: Instant) -> Vector:
        turning, linear, _ = self._momenta(at)
        return at.R @ turning - cross(at.arm, at.R @ linear)

    def kinetic_energy(self, at: Instant) -> Scalar:
        """½ yᵀM y [C 76]."""
        turning, linear, modal = self._momenta(at)
        return 0.5 * ((at.R.T @ at.w) @ turning + (at.R.T @ at.v) @ linear + at.qd @ modal)

    def strain_energy(self, q: Any) -> Scalar:
        return self.stiffness_factor * Deformed(self.data, q).strain_energy()

    def strain_forces(self, q: Any) -> np.ndarray:
        """−Ke q."""
        return -self.stiffness_factor * (self.data.Ke @ q)

    def modal_forces(self, R: Matrix, q: Any, qd: Any, gravity: Vector) -> np.ndarray:
        """Ct·g − De q̇."""
        return Deformed(self.data, q).Ct @ (R.T @ gravity) - self.stiffness_factor * (self.data.De @ qd)

    def demands(self, at: Instant, alpha: Vector, a: Vector, qdd: Any) -> tuple[Vector, Vector]:
        d = Deformed(self.data, at.q)
        turning, sliding, _ = d.momenta(at.R.T @ alpha, at.R.T @ a, qdd)
        h_turning, h_sliding, _ = d.bias(at.R.T @ at.w, at.qd)
        force = at.R @ (sliding + h_sliding)
        return force, at.R @ (turning + h_turning) - cross(at.arm, force)

    def weighed(self, R: Matrix, arm: Vector, q: Any, W: Any, V: Any) -> list[tuple[np.ndarray, np.ndarray]]:
        """Partial velocities of the floating frame in body axes, then the modes themselves: the last speeds on the body's path."""
        n = len(self.modes)
        own = np.hstack([np.zeros((n, W.shape[1] - n)), np.eye(n)])
        W, V = R.T @ W, R.T @ V
        return [(np.vstack([W, V, own]), np.vstack(Deformed(self.data, q).momenta(W, V, own)))]

    def dynamic_residual(
        self, at: Instant, alpha: Vector, a: Vector, qdd: Any, force: Vector, moment: Vector
    ) -> list[np.ndarray]:
        """[C 41–42]. Stiffness, damping and loads at nodes act on the modes from outside."""
        R, d = at.R, Deformed(self.data, at.q)
        demanded = zip(d.momenta(R.T @ alpha, R.T @ a, qdd), d.bias(R.T @ at.w, at.qd))
        applied = [R.T @ (moment + cross(at.arm, force)), R.T @ force, np.zeros(len(at.q))]
        return [np.concatenate([f - accelerated - h for f, (accelerated, h) in zip(applied, demanded)])]
