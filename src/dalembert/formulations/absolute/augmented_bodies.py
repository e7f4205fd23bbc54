"""Augmented bodies and their barycentres [B 29–35; C 309–310].

At each hinge of a body place the mass of everything beyond it: all augmented bodies of a group then have the group's mass
m, and the mass centre of an augmented body is its barycentre. d_ii leads from the barycentre of body i to its mass centre,
d_ik to its hinge towards body k. In a group that reaches the ground or another external body, the mass beyond the inner hinge is
infinite: the barycentre is that hinge. Where the external body accelerates, each body feels −m r̈₀ besides its forces [B Remark 3].

An elastic body is augmented as it is deformed: its hinges are on nodes, and its vectors d_ik deform with it. They change at
X_ik y_i, with y_i = (ω_i, q̇_i) and X_ik = [−d̃_ik, ∂d_ik/∂q_i]. Like d_ik itself, X_ik is the same for all bodies behind one hinge,
and Σ_k m_k X_ik = 0. From that follows K_ij = Σ_k m_k X_ikᵀX_jk = −m X_ijᵀX_ji, as for rigid bodies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.formulations.absolute.attachment import Lever
from dalembert.formulations.absolute.hinged import Groups, base_hinges, groups
from dalembert.formulations.absolute.separate_bodies import Bodies
from dalembert.kinematics.state import State
from dalembert.trace import Scalar
from dalembert.vectors import ZERO, Vector, cross


@dataclass(frozen=True, eq=False)
class Hinge:
    """A hinge of a body: ℓ from its mass centre, and the bodies beyond (None: an external body and everything on it)."""

    lever: Lever
    beyond: tuple[int, ...] | None


class AugmentedBodies:
    """Augmented bodies of all groups in a state, without the external ones. Vectors are in world axes."""

    def __init__(self, s: State):
        self.bodies = s.view(Bodies)
        self.groups: Groups = groups(s.mechanism)

    def mass(self, i: int) -> Scalar:
        """m, the mass of the group of body i; infinite where it reaches an external body."""
        return self._mass_of(self.groups.members(self.groups.root[i])) if self.groups.root[i] else np.inf

    @cached_property
    def hinges(self) -> dict[int, list[Hinge]]:
        """Hinges of each body: the inner one first, then one for each body hinged outside."""
        b, out = self.bodies, {}
        carried = self._carried
        for c in b.connections:
            own, i = [], c.child
            if c.pointed:
                inside = set(self.groups.members(self.groups.root[i])) - set(carried[i])
                own.append(Hinge(c.child_lever, tuple(sorted(inside)) if self.groups.root[i] else None))
            for other in b.connections:
                if other.parent == i and other.pointed:
                    own.append(Hinge(other.parent_lever, carried[other.child]))
            out[i] = own
        return out

    @cached_property
    def _carried(self) -> dict[int, tuple[int, ...]]:
        """The bodies of its own group that each body carries, itself included."""
        out = {k: [k] for k in self.bodies.numbers}
        for c in reversed(self.bodies.connections):
            if c.pointed and c.parent:
                out[c.parent] += out[c.child]
        return {k: tuple(sorted(x)) for k, x in out.items()}

    def _mass_of(self, members: Any) -> Any:
        return sum(self.bodies.masses[k - 1] for k in members)

    # -- barycentric vectors ------------------------------------------------------------------------------------------
    @cached_property
    def to_centre(self) -> dict[int, Lever]:
        """d_ii = −Σ ℓ (mass beyond) / m over the hinges [C 309]."""
        out = {}
        for i, hinges in self.hinges.items():
            if self.groups.root[i]:
                out[i] = -self._total(i, [self._mass_of(h.beyond) * h.lever for h in hinges]) / self.mass(i)
            else:
                out[i] = -hinges[0].lever
        return out

    def d(self, i: int, k: int) -> Vector:
        """d_ik [B 29, C 309]: from the barycentre of body i to its hinge towards body k, to its mass centre where k = i."""
        return ZERO if (found := self.moving(i, k)) is None else found.r

    def moving(self, i: int, k: int) -> Lever | None:
        """d_ik, or None where it is nothing: bodies of different groups, or k not carried by i in a group on the ground."""
        if self.groups.root[i] != self.groups.root[k]:
            return None
        return self._toward[i].get(k)

    @cached_property
    def _toward(self) -> dict[int, dict[int, Lever]]:
        out = {}
        for i, hinges in self.hinges.items():
            d = {i: self.to_centre[i]}
            for h in hinges:
                d |= dict.fromkeys(h.beyond or (), self.to_centre[i] + h.lever)
            out[i] = d
        return out

    @cached_property
    def _masses(self) -> dict[int, list[tuple[tuple[int, ...], Any, Lever]]]:
        """The point masses of each augmented body, with the bodies they stand for: its own, and those at its hinges."""
        out: dict[int, list[tuple[tuple[int, ...], Any, Lever]]] = {}
        for i, hinges in self.hinges.items():
            beyond = [h.beyond for h in hinges if h.beyond]
            out[i] = [(of, self._mass_of(of), self._toward[i][of[0]]) for of in ((i,), *beyond)]
        return out

    def _total(self, i: int, levers: list[Lever]) -> Lever:
        none = Lever(ZERO, np.zeros((3, len(self.bodies.own_at(i)) - 3)), ZERO)
        return sum(levers[1:], start=levers[0]) if levers else none

    # -- the system matrix --------------------------------------------------------------------------------------------
    def own_inertia(self, i: int) -> np.ndarray:
        """K_ii − R I Rᵀ = Σ m_k X_ikᵀX_ik: that of the point masses about the barycentre, −Σ m_k d̃_ik d̃_ik of a rigid body [B 30]."""
        first, *others = (_point(mass, lever) for _, mass, lever in self._masses[i])
        return np.asarray(sum(others, start=first))

    def pair(self, i: int, j: int) -> tuple[Lever, Lever] | None:
        """x, y with K_ij = −XᵀY, x̃ ỹ of rigid bodies, or None where the bodies do not feel each other.

        In a floating group m d_ij and d_ji [B 31]; on the ground, where d_ji → 0 as m → ∞, m d_ji is minus the moment of the mass that
        body j carries about its inner hinge.
        """
        if i == j or self.groups.root[i] != self.groups.root[j]:
            return None
        if self.groups.root[i]:
            return self.mass(i) * self._toward[i][j], self._toward[j][i]
        if j in self._toward[i]:
            return self._toward[i][j], -self._moments[j]
        if i in self._toward[j]:
            return -self._moments[i], self._toward[j][i]
        return None

    @cached_property
    def _moments(self) -> dict[int, Lever]:
        """Σ_k m_k d_ik of the bodies of groups on external bodies."""
        return {i: self._total(i, [mass * lever for _, mass, lever in own]) for i, own in self._masses.items()}

    @cached_property
    def K(self) -> np.ndarray:
        """The system matrix [B 35], 3n × 3n and more for elastic bodies: K_ii = R I Rᵀ + Σ m_k X_ikᵀX_ik and K_ij = −m X_ijᵀX_ji."""
        b = self.bodies
        K = b.zeros(b.size - 3 * b.n, b.size - 3 * b.n)
        for i in b.numbers:
            rows = b.own_at(i)
            K[np.ix_(rows, rows)] = b.inertias[i - 1] + self.own_inertia(i)
            for j in b.numbers[: b.place_of[i]]:
                pair, columns = self.pair(i, j), b.own_at(j)
                if pair is not None:
                    block = -(pair[0].motion.T @ pair[1].motion)
                    K[np.ix_(rows, columns)], K[np.ix_(columns, rows)] = block, block.T
        return K

    @cached_property
    def right(self) -> np.ndarray:
        """G + C g − ω × K_ii ω + D̃F + N 1 [B 38], and the same of the elastic bodies' own coordinates."""
        b = self.bodies
        out = b.zeros(b.size - 3 * b.n)
        for i in b.numbers:
            total = b.torques[i - 1] + self._pulled(i) - self._own_demand(i)
            for j in b.numbers:
                pair = self.pair(i, j)
                if pair is not None:
                    total = total + pair[0].work(self._drift(j, pair[1]))
            out[b.own_at(i)] = total
        return out

    def _own_demand(self, i: int) -> np.ndarray:
        """What the point masses about the barycentre demand as they are carried round: ω × (K_ii − R I Rᵀ) ω of a rigid body."""
        if len(self.bodies.own_at(i)) == 3:
            w = self.bodies.state.velocities[i].w
            return cross(w, self.own_inertia(i) @ w)
        first, *others = (lever.work(mass * self._drift(i, lever)) for _, mass, lever in self._masses[i])
        return np.asarray(sum(others, start=first))

    def _drift(self, i: int, lever: Lever) -> Vector:
        s = self.bodies.state
        return lever.drift(s.velocities[i].w, s.modal_u(i))

    def _pulled(self, i: int) -> np.ndarray:
        """Σ_k X_ikᵀF_k, d_ik × F_k of a rigid body: the forces beyond each hinge act there."""
        F = self._forces
        first, *others = (lever.work(sum((F[k] for k in of), start=ZERO)) for of, _, lever in self._masses[i])
        return np.asarray(sum(others, start=first))

    @cached_property
    def _forces(self) -> dict[int, Vector]:
        """F, less m r̈₀ where the group stands on an external body."""
        b, hinges = self.bodies, base_hinges(self.bodies)
        own = {k: b.forces[k - 1] for k in b.numbers}
        return own | {k: own[k] - b.masses[k - 1] * c.hinge_acceleration for k, c in hinges.items()}


def _point(mass: Any, lever: Lever) -> np.ndarray:
    """Inertia of a point mass at the end of a lever."""
    r, L = lever.r, lever.columns
    turning = (r @ r) * np.eye(3) - np.outer(r, r)
    if not L.shape[1]:
        return np.asarray(mass * turning)
    return np.asarray(mass * np.block([[turning, cross(r, L)], [cross(r, L).T, L.T @ L]]))
