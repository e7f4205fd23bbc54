"""Augmented bodies and their barycentres [B 29–35; C 309–310].

At each hinge of a body place the mass of everything beyond it: all augmented bodies of a group then have the group's mass
m, and the mass centre of an augmented body is its barycentre. d_ii leads from the barycentre of body i to its mass centre,
d_ik to its hinge towards body k. In a group that reaches the ground, the mass beyond the inner hinge is infinite: the
barycentre is that hinge.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.formulations.absolute.hinged import Groups, groups
from dalembert.formulations.absolute.separate_bodies import Bodies
from dalembert.kinematics.state import State
from dalembert.vectors import ZERO, Matrix, Vector, cross, skew


@dataclass(frozen=True, eq=False)
class Hinge:
    """A hinge of a body: ℓ from its mass centre, and the bodies beyond (None: the ground and everything on it)."""

    arm: Vector
    beyond: tuple[int, ...] | None


class AugmentedBodies:
    """Augmented bodies of all groups in a state. Bodies are numbered from 1; vectors are in world axes."""

    def __init__(self, s: State):
        self.bodies = s.view(Bodies)
        self.groups: Groups = groups(s.mechanism)

    def mass(self, i: int) -> Any:
        """m, the mass of the group of body i; infinite where it reaches the ground."""
        return self._mass_of(self.groups.members(self.groups.root[i])) if self.groups.root[i] else np.inf

    @cached_property
    def hinges(self) -> list[list[Hinge]]:
        """Hinges of each body: the inner one first, then one for each body hinged outside."""
        b, out = self.bodies, []
        carried = self._carried
        for c in b.connections:
            own, i = [], c.child
            if c.pointed:
                inside = set(self.groups.members(self.groups.root[i])) - set(carried[i])
                own.append(Hinge(c.child_arm, tuple(sorted(inside)) if self.groups.root[i] else None))
            for other in b.connections:
                if other.parent == i and other.pointed:
                    own.append(Hinge(other.parent_arm, carried[other.child]))
            out.append(own)
        return out

    @cached_property
    def _carried(self) -> list[tuple[int, ...]]:
        """The bodies of its own group that each body carries, itself included; index 0 is not used."""
        out: list[list[int]] = [[k] for k in range(self.bodies.n + 1)]
        for c in reversed(self.bodies.connections):
            if c.pointed:
                out[c.parent] += out[c.child]
        return [tuple(sorted(x)) for x in out]

    def _mass_of(self, members: Any) -> Any:
        return sum(self.bodies.masses[k - 1] for k in members)

    # -- barycentric vectors ------------------------------------------------------------------------------------------
    @cached_property
    def to_centre(self) -> list[Vector]:
        """d_ii = −Σ ℓ (mass beyond) / m over the hinges [C 309]; index 0 is body 1."""
        out = []
        for i, hinges in enumerate(self.hinges, start=1):
            if self.groups.root[i]:
                total = sum((self._mass_of(h.beyond) * h.arm for h in hinges), start=ZERO)
                out.append(-total / self.mass(i))
            else:
                out.append(-hinges[0].arm)
        return out

    def d(self, i: int, k: int) -> Vector:
        """d_ik [B 29, C 309]: from the barycentre of body i to its hinge towards body k, to its mass centre where k = i."""
        return ZERO if (found := self.moving(i, k)) is None else found

    def moving(self, i: int, k: int) -> Vector | None:
        """d_ik, or None where it is nothing: bodies of different groups, or k not carried by i in a group on the ground."""
        if self.groups.root[i] != self.groups.root[k]:
            return None
        return self._toward[i - 1].get(k)

    @cached_property
    def _toward(self) -> list[dict[int, Vector]]:
        out = []
        for i, hinges in enumerate(self.hinges, start=1):
            d = {i: self.to_centre[i - 1]}
            for h in hinges:
                d |= dict.fromkeys(h.beyond or (), self.to_centre[i - 1] + h.arm)
            out.append(d)
        return out

    # -- the system matrix --------------------------------------------------------------------------------------------
    def own_inertia(self, i: int) -> Matrix:
        """K_ii − R I Rᵀ = −Σ m_k d̃_ik d̃_ik: that of the point masses about the barycentre [B 30]."""
        total = self._point(self.bodies.masses[i - 1], self.d(i, i))
        for h in self.hinges[i - 1]:
            if h.beyond:
                total = total + self._point(self._mass_of(h.beyond), self.to_centre[i - 1] + h.arm)
        return total

    @staticmethod
    def _point(mass: Any, r: Vector) -> Matrix:
        return mass * ((r @ r) * np.eye(3) - np.outer(r, r))

    def pair(self, i: int, j: int) -> tuple[Vector, Vector] | None:
        """x, y with K_ij = x̃ ỹ, or None where the bodies do not feel each other.

        In a floating group m d_ij and d_ji [B 31]; on the ground, where d_ji → 0 as m → ∞, m d_ji is minus the moment of the mass that
        body j carries about its inner hinge.
        """
        if i == j or self.groups.root[i] != self.groups.root[j]:
            return None
        if self.groups.root[i]:
            return self.mass(i) * self.d(i, j), self.d(j, i)
        if j in self._toward[i - 1]:
            return self.d(i, j), -self._moments[j - 1]
        if i in self._toward[j - 1]:
            return -self._moments[i - 1], self.d(j, i)
        return None

    @cached_property
    def _moments(self) -> list[Vector]:
        """Σ_k m_k d_ik of the bodies of groups on the ground."""
        out = []
        for i, hinges in enumerate(self.hinges, start=1):
            total = self.bodies.masses[i - 1] * self.to_centre[i - 1]
            for h in hinges:
                if h.beyond:
                    total = total + self._mass_of(h.beyond) * (self.to_centre[i - 1] + h.arm)
            out.append(total)
        return out

    @cached_property
    def K(self) -> np.ndarray:
        """The system matrix [B 35]: 3n × 3n, K_ii = R I Rᵀ − Σ m_k d̃_ik d̃_ik and K_ij = m d̃_ij d̃_ji."""
        b = self.bodies
        K = b.zeros(3 * b.n, 3 * b.n)
        for i in range(1, b.n + 1):
            rows = slice(3 * i - 3, 3 * i)
            K[rows, rows] = b.inertias[i - 1] + self.own_inertia(i)
            for j in range(1, i):
                pair, columns = self.pair(i, j), slice(3 * j - 3, 3 * j)
                if pair is not None:
                    K[rows, columns] = skew(pair[0]) @ skew(pair[1])
                    K[columns, rows] = K[rows, columns].T
        return K

    @cached_property
    def right(self) -> np.ndarray:
        """G + C g − ω × K_ii ω + D̃F + N 1 [B 38]: 3n."""
        b = self.bodies
        out = []
        for i in range(1, b.n + 1):
            w = b.state.velocities[i].w
            total = b.torques[i - 1] - cross(w, self.own_inertia(i) @ w) + self._pulled(i)
            for j in range(1, b.n + 1):
                pair = self.pair(i, j)
                if pair is not None:
                    w_j = b.state.velocities[j].w
                    total = total + cross(pair[0], cross(w_j, cross(w_j, pair[1])))
            out.append(total)
        return np.concatenate(out)

    def _pulled(self, i: int) -> Vector:
        """Σ_k d_ik × F_k: the forces beyond each hinge act there."""
        F = self.bodies.forces
        total = cross(self.d(i, i), F[i - 1])
        for h in self.hinges[i - 1]:
            if h.beyond:
                total = total + cross(self.to_centre[i - 1] + h.arm, sum((F[k - 1] for k in h.beyond), start=ZERO))
        return total
