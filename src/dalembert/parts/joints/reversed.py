"""A joint seen from its other end: what the tree needs where it meets a joint at the child's side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.parts.joints.joint import Joint
from dalembert.trace import Expr
from dalembert.vectors import Matrix, Vector, skew


@dataclass(frozen=True)
class Reversed(Joint):
    """The same joint, coordinates and speeds, with parent and child exchanged."""

    joint: Joint

    @property
    def coordinates(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.joint.coordinates

    @property
    def speeds(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.joint.speeds

    @property
    def rates_are_speeds(self) -> bool:  # type: ignore[override]
        return self.joint.rates_are_speeds

    @property
    def kind(self) -> str:
        return self.joint.kind

    @property
    def reference(self) -> np.ndarray:
        return self.joint.reference

    @property
    def limits(self) -> np.ndarray:
        return self.joint.limits

    def rotation(self, q: Vector) -> Matrix:
        return self.joint.rotation(q).T

    def translation(self, q: Vector) -> Vector:
        return -self._arm(q)

    def turning(self, q: Vector) -> np.ndarray:
        return -self.joint.rotation(q) @ self.joint.turning(q)

    def turning_rate(self, q: Vector, u: Vector) -> np.ndarray:
        R, W, dW = self.joint.rotation(q), self.joint.turning(q), self.joint.turning_rate(q, u)
        return -R @ (skew(W @ u) @ W + dW)

    def sliding(self, q: Vector) -> np.ndarray:
        return -skew(self._arm(q)) @ self.joint.turning(q) - self.joint.rotation(q).T @ self.joint.sliding(q)

    def sliding_rate(self, q: Vector, u: Vector) -> np.ndarray:
        R, W, dW = self.joint.rotation(q), self.joint.turning(q), self.joint.turning_rate(q, u)
        S, dS = self.joint.sliding(q), self.joint.sliding_rate(q, u)
        w = skew(W @ u)
        arm = self._arm(q)
        arm_rate = R.T @ (S @ u) - w @ arm
        return -skew(arm_rate) @ W - skew(arm) @ dW + w @ (R.T @ S) - R.T @ dS

    def closure(self, R: Matrix, p: Vector) -> np.ndarray:
        return self.joint.closure(R.T, -(R.T @ p))

    @property
    def closes_loops(self) -> bool:
        return self.joint.closes_loops

    def blocked(self, q: Vector) -> np.ndarray | None:
        """The same wrench on what is now the child: its couple about the other frame's origin, each in the other's axes."""
        X = self.joint.blocked(q)
        if X is None:
            return None
        R = self.joint.rotation(q)
        force = R.T @ X[3:]
        return np.vstack([R @ (X[:3] + skew(self._arm(q)) @ force), force])

    @property
    def tracks(self) -> tuple[np.ndarray | None, np.ndarray | None]:
        parent, child = self.joint.tracks
        return child, parent

    def facing(self, R: Matrix, p: Vector) -> float | Expr:
        return self.joint.facing(R.T, -(R.T @ p))

    def coordinates_at(self, R: Matrix, p: Vector) -> Vector:
        return self.joint.coordinates_at(R.T, -(R.T @ p))

    def rates(self, q: Vector, u: Vector) -> Vector:
        return self.joint.rates(q, u)

    def speeds_from_rates(self, q: Vector, rates: Vector) -> Vector:
        return self.joint.speeds_from_rates(q, rates)

    def turned_momenta(self, q: Vector, u: Vector, pi: Vector) -> Vector | None:
        return self.joint.turned_momenta(q, u, pi)

    def admissible(self, q: Vector) -> Vector:
        return self.joint.admissible(q)

    def condition(self, q: Vector) -> np.ndarray:
        return self.joint.condition(q)

    def singularity(self, q: Vector) -> str | None:
        return self.joint.singularity(q)

    def _arm(self, q: Vector) -> Vector:
        """The joint's translation in the axes of its own child."""
        return self.joint.rotation(q).T @ self.joint.translation(q)
