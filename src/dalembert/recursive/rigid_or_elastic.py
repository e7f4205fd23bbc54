"""Rigid or elastic, as the recursions see it: what a joint stands on, and a link's inertia.

A joint stands on the parent's link itself, or on a node of an elastic parent. A link's inertia is rigid, or that of its present shape;
it is in link axes about the link's origin. Of a joint's base everything is in the parent's link axes on one side and in the axes of
the base on the other. With E = [[1, 0, W], [−x̃, 1, U]] the base's acceleration is E (α, a, q̈) + β; forces and inertias go the other
way by Eᵀ. The joint's load acts on the displaced node, because W and U follow the deformation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.elastic.inertia import Deformed
from dalembert.elastic.node_motion import NodeMotion
from dalembert.recursive.spatial_inertia import RigidInertia, SpatialInertia
from dalembert.recursive.steps import NO_MODES, Spatial
from dalembert.recursive.turns import FullTurn
from dalembert.vectors import IDENTITY, Vector, cross, skew


@dataclass(frozen=True, eq=False)
class FixedBase:
    """The parent's link frame itself, whose body may have n modes that do not move it."""

    n: int

    def spin(self, w: Vector, qd: Any) -> Vector:
        return w

    def turned(self, b: Vector) -> Vector:
        """A vector of the parent's in the base's axes."""
        return b

    def acceleration(self, a: Spatial, w: Vector, qd: Any, qdd: Any) -> Spatial:
        return a

    def bias(self, w: Vector, qd: Any) -> Spatial | None:
        """β; None where there is none."""
        return None

    def force(self, f: Spatial) -> tuple[Spatial, np.ndarray]:
        """On the parent's link, and on its modes."""
        return f, np.zeros(self.n)

    def inertia(self, I: SpatialInertia) -> SpatialInertia:
        return SpatialInertia(I.A, I.B, I.M, np.zeros((6, self.n)), np.zeros((self.n, self.n)))

    def rigid_inertia(self, I: RigidInertia) -> tuple[RigidInertia, np.ndarray, np.ndarray]:
        """Inertia of the child's subtree, as one body; its coupling with the parent's modes (6 × n), and its share in their mass."""
        return I, np.zeros((6, self.n)), np.zeros((self.n, self.n))


@dataclass(frozen=True, eq=False)
class NodeBase:
    """A node of an elastic parent."""

    node: NodeMotion

    @cached_property
    def _turn(self) -> FullTurn:
        return FullTurn(self.node.R)

    def spin(self, w: Vector, qd: Any) -> Vector:
        return self.node.R.T @ (w + self.node.W @ qd)

    def turned(self, b: Vector) -> Vector:
        return self.node.R.T @ b

    def acceleration(self, a: Spatial, w: Vector, qd: Any, qdd: Any) -> Spatial:
        moved = Spatial(a.a + self.node.W @ qdd, a.b + cross(a.a, self.node.x) + self.node.U @ qdd)
        return Spatial(self.node.R.T @ moved.a, self.node.R.T @ moved.b) + self.bias(w, qd)

    def bias(self, w: Vector, qd: Any) -> Spatial:
        """β = (ω × W q̇ + Ẇ q̇, ω × (ω × x + 2 U q̇) + U̇ q̇), in the base's axes."""
        n = self.node
        turned, slid = n.W @ qd, n.U @ qd
        turning = cross(w, turned) + n.W_rate(qd) @ qd
        sliding = cross(w, cross(w, n.x) + slid + slid) + n.U_rate(qd) @ qd
        return Spatial(n.R.T @ turning, n.R.T @ sliding)

    def force(self, f: Spatial) -> tuple[Spatial, np.ndarray]:
        turning, sliding = self.node.R @ f.a, self.node.R @ f.b
        modal = self.node.W.T @ turning + self.node.U.T @ sliding
        return Spatial(turning + cross(self.node.x, sliding), sliding), modal

    def inertia(self, I: SpatialInertia) -> SpatialInertia:
        there = I.in_parent(self._turn, self.node.x)
        return SpatialInertia(there.A, there.B, there.M, *self._coupled(there.matrix()))

    def rigid_inertia(self, I: RigidInertia) -> tuple[RigidInertia, np.ndarray, np.ndarray]:
        there = I.in_parent(self._turn, self.node.x)
        return there, *self._coupled(there.blocks().matrix())

    def _coupled(self, I: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Columns of the modes' motion about the parent's origin, (W, U − W × x), with the inertia taken there."""
        N = np.vstack([self.node.W, self.node.U - cross(self.node.W, self.node.x)])
        C = I @ N
        E = N.T @ C
        return C, np.where(np.tri(len(E), dtype=bool), E, E.T)


JointBase = FixedBase | NodeBase
GROUND = FixedBase(0)


Composite = tuple[RigidInertia, np.ndarray, np.ndarray]
"""Inertia as one body, its coupling with the modes (6 × n), and the modes' own mass (n × n)."""


@dataclass(frozen=True, eq=False)
class RigidLinkInertia:
    """No modes."""

    own: RigidInertia

    def inertia(self) -> SpatialInertia:
        return self.own.blocks()

    def composite(self) -> Composite:
        return self.own, np.zeros((6, 0)), np.zeros((0, 0))

    def demands(self, w: Vector, qd: Any, a: Spatial, qdd: Any) -> tuple[Spatial, np.ndarray]:
        """The force it takes to turn, deform and accelerate so: on the link, and on its modes."""
        return Spatial(*self.own.demands(w, a.a, a.b)), NO_MODES


@dataclass(frozen=True, eq=False)
class ElasticLinkInertia:
    """An elastic body; its link frame is its floating frame."""

    shape: Deformed

    def inertia(self) -> SpatialInertia:
        d = self.shape
        return SpatialInertia(d.J, skew(d.c), d.body.m * IDENTITY, np.vstack([d.Cr.T, d.Ct.T]), d.Me)

    def composite(self) -> Composite:
        d = self.shape
        return RigidInertia(d.body.m, d.c, d.J), np.vstack([d.Cr.T, d.Ct.T]), d.Me

    def demands(self, w: Vector, qd: Any, a: Spatial, qdd: Any) -> tuple[Spatial, np.ndarray]:
        (*steady, on_modes), (*accelerated, modal) = self.shape.bias(w, qd), self.shape.momenta(a.a, a.b, qdd)
        return Spatial(*steady) + Spatial(*accelerated), on_modes + modal


LinkInertia = RigidLinkInertia | ElasticLinkInertia
