"""A link's inertia as the recursions see it: rigid, or elastic in its present shape; in link axes about the link's origin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.elastic.inertia import Deformed
from dalembert.recursive.spatial_inertia import RigidInertia, SpatialInertia
from dalembert.recursive.steps import NO_MODES, Spatial
from dalembert.vectors import IDENTITY, Vector, skew

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
