"""Motion of a node in its body's frame, over floats or traced scalars.

The node's axes are turned by the rotation whose Cayley vector is half of ϑ = Ψq + ½ qᵀΓq. It agrees with exp ϑ to the second
order, which is all a mode set knows, and needs neither sines nor a special case at rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.cached import cached_property
from dalembert.elastic.node import Node
from dalembert.vectors import IDENTITY, Matrix, Vector, cross, skew


@dataclass(frozen=True, eq=False)
class NodeMotion:
    """At the coordinates q: position x, axes R, and the columns of its velocity U = ∂x/∂q and turning W (body axes)."""

    node: Node
    q: np.ndarray

    @cached_property
    def U(self) -> np.ndarray:
        return self.node.Phi + np.tensordot(self.q, self.node.G, 1).T

    @cached_property
    def x(self) -> Vector:
        return self.node.r + 0.5 * ((self.node.Phi + self.U) @ self.q)

    @cached_property
    def _turn(self) -> tuple[Vector, np.ndarray]:
        """p = ϑ/2 and ∂p/∂q."""
        Theta = self.node.Psi + np.tensordot(self.q, self.node.Gam, 1).T
        return 0.25 * ((self.node.Psi + Theta) @ self.q), 0.5 * Theta

    @cached_property
    def _scale(self) -> object:
        """2 / (1 + p·p)."""
        p, _ = self._turn
        return 2.0 / (1.0 + p @ p)

    @cached_property
    def R(self) -> Matrix:
        """1 + 2 (p̃ + p̃p̃) / (1 + p·p)."""
        p = skew(self._turn[0])
        return IDENTITY + self._scale * (p + p @ p)

    @cached_property
    def W(self) -> np.ndarray:
        """ω = 2 (ṗ + p × ṗ) / (1 + p·p), per unit of each q̇."""
        p, dp = self._turn
        return self._scale * (dp + cross(p, dp))

    def U_rate(self, qd: np.ndarray) -> np.ndarray:
        return np.tensordot(qd, self.node.G, 1).T

    def W_rate(self, qd: np.ndarray) -> np.ndarray:
        """dW/dt."""
        p, dp = self._turn
        pd = dp @ qd
        ddp = 0.5 * np.tensordot(qd, self.node.Gam, 1).T
        shrink = -(self._scale * (p @ pd))
        return self._scale * (ddp + cross(p, ddp) + cross(pd, dp)) + shrink * self.W
