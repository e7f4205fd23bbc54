"""All bodies taken apart: masses, forces and the joints' and loops' rows on their accelerations [B 4–10, 49].

w = (ṙ₁ … ṙ_n, ω₁ … ω_n), the velocities of the mass centres and the angular velocities, in world axes, of the n bodies whose motion
is to be found. External bodies move as prescribed and have no part in w: what they do stands on the right-hand sides [B Remark 3].
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from dalembert.formulations.absolute.connection import Directions, JointConnection
from dalembert.formulations.symmetric_solve import solve_symmetric
from dalembert.kinematics.loads import loads
from dalembert.kinematics.recursion import AT_REST, Rates
from dalembert.kinematics.state import State
from dalembert.vectors import ZERO, Matrix, Vector, cross


class Bodies:
    """Everything Newton's and Euler's laws need in a state; each quantity computed when first asked for."""

    def __init__(self, s: State):
        self.state, self.mechanism, self.numbers = s, s.mechanism, s.mechanism.free_bodies
        self.n = len(self.numbers)
        self.place_of = {k: i for i, k in enumerate(self.numbers)}
        """Where a body comes among those whose motion is to be found, from 0."""
        self.dtype = object if s.traced else float

    @cached_property
    def connections(self) -> list[JointConnection]:
        """Connections of the tree that carry these bodies, in the order of the joints."""
        return [JointConnection(self.state, k) for k in self.numbers]

    def at(self, k: int) -> tuple[slice, slice]:
        """Where ṙ_k and ω_k stand in w."""
        first = 3 * self.place_of[k]
        return slice(first, first + 3), slice(3 * self.n + first, 3 * self.n + first + 3)

    def zeros(self, *shape: int) -> np.ndarray:
        return np.zeros(shape, dtype=self.dtype)

    # -- motion -------------------------------------------------------------------------------------------------------
    @cached_property
    def velocities(self) -> np.ndarray:
        """w."""
        s = self.state
        places = [s.velocities[k].v + cross(s.velocities[k].w, s.com_arms[k - 1]) for k in self.numbers]
        turns = [s.velocities[k].w for k in self.numbers]
        return np.concatenate([[], *places, *turns])

    # -- Newton and Euler [B 2–5] -------------------------------------------------------------------------------------
    @cached_property
    def masses(self) -> list[Any]:
        """Masses of all bodies; index 0 is body 1, here as in the lists that follow."""
        return [b.mass for b in self.mechanism.bodies]

    @cached_property
    def inertias(self) -> list[Matrix]:
        """R I Rᵀ."""
        return [pose.R @ b.inertia @ pose.R.T for pose, b in zip(self.state.poses[1:], self.mechanism.bodies)]

    @cached_property
    def _applied(self) -> tuple[list[Vector], list[Vector]]:
        """F and G + C g: loads on the bodies, and motors and springs of the joints as forces and torques between them."""
        applied = loads(self.state)
        F, G = ([x.astype(self.dtype) for x in part] for part in (applied.force, applied.moment))
        for c in self.connections:
            values = applied.joint[c.child - 1]
            if not _nothing(values):
                force, torque = c.driven(values.astype(self.dtype))
                for k, sign, arm in ((c.child, 1.0, c.child_arm), (c.parent, -1.0, c.parent_arm)):
                    if k:
                        F[k - 1] = F[k - 1] + sign * force
                        G[k - 1] = G[k - 1] + sign * (torque + cross(arm, force))
        return F, G

    @property
    def forces(self) -> list[Vector]:
        """u₁ of each body."""
        return self._applied[0]

    @cached_property
    def torques(self) -> list[Vector]:
        """u₂ of each body: G + C g − ω × Iω."""
        out = []
        for k, (G, I) in enumerate(zip(self._applied[1], self.mechanism.bodies), start=1):
            R, w = self.state.poses[k].R, self.state.velocities[k].w
            w_K = R.T @ w
            out.append(G - R @ cross(w_K, I.inertia @ w_K))
        return out

    @cached_property
    def inertia(self) -> np.ndarray:
        """J = diag(M, I): 6n × 6n."""
        J = self.zeros(6 * self.n, 6 * self.n)
        for k in self.numbers:
            place, turn = self.at(k)
            J[place, place], J[turn, turn] = self.masses[k - 1] * np.eye(3), self.inertias[k - 1]
        return J

    @cached_property
    def inverse_inertia(self) -> np.ndarray:
        """J⁻¹ = diag(M⁻¹, R I⁻¹ Rᵀ): body by body."""
        out = self.zeros(6 * self.n, 6 * self.n)
        for k in self.numbers:
            place, turn = self.at(k)
            R, body = self.state.poses[k].R, self.mechanism.bodies[k - 1]
            out[place, place] = (1.0 / body.mass) * np.eye(3)
            out[turn, turn] = R @ solve_symmetric(body.inertia, np.eye(3)) @ R.T
        return out

    @cached_property
    def right(self) -> np.ndarray:
        """(u₁, u₂)."""
        parts = [[x[k - 1] for k in self.numbers] for x in (self.forces, self.torques)]
        return np.concatenate([[], *parts[0], *parts[1]])

    # -- rows ---------------------------------------------------------------------------------------------------------
    @cached_property
    def joint_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """H and its right-hand side: H ẇ = h says that no tree joint is broken, in the order of the joints."""
        parts = [(self.row(c, c.blocked), c.drift(c.blocked)) for c in self.connections]
        return np.vstack([self.zeros(0, 6 * self.n), *(p[0] for p in parts)]), np.concatenate(
            [[], *(p[1] for p in parts)]
        )

    @cached_property
    def row_places(self) -> list[slice]:
        """Where each joint's rows stand in H."""
        ends = np.cumsum([0, *(c.blocked.force.shape[1] for c in self.connections)])
        return [slice(int(a), int(b)) for a, b in pairwise(ends)]

    def row(self, c: JointConnection, X: Directions) -> np.ndarray:
        """Coefficients on ẇ of the joint's relative acceleration along X."""
        out = self.zeros(X.force.shape[1], 6 * self.n)
        for k, (on_place, on_turn) in ((c.child, c.child_row(X)), (c.parent, c.parent_row(X))):
            if k:
                place, turn = self.at(k)
                out[:, place], out[:, turn] = on_place, on_turn
        return out

    @cached_property
    def reading(self) -> tuple[np.ndarray, np.ndarray]:
        """U and c with u̇ = U ẇ − c: the free speeds' rates read off the bodies' accelerations."""
        U, c = self.zeros(self.mechanism.n_u, 6 * self.n), self.zeros(self.mechanism.n_u)
        for joint in self.connections:
            columns, X = joint.joint.columns, joint.in_world(joint.reading.T)
            U[columns], c[columns] = self.row(joint, X), joint.drift(X)
        return U, c

    @cached_property
    def loop_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """B and γ of the mechanism's closed loops and constraints on ẇ, in its order [B 63]."""
        parts = [self._constraint(d) for d in self.mechanism.constraint_rows.values()]
        return np.vstack([self.zeros(0, 6 * self.n), *(p[0] for p in parts)]), np.concatenate(
            [[], *(p[1] for p in parts)]
        )

    def _constraint(self, d: Any) -> tuple[np.ndarray, np.ndarray]:
        """C on the bodies' own accelerations; where joint speeds are named, they are read off the bodies."""
        _, _, C, rate = d.values(self.state, self._at_rest)
        B, gamma = self.zeros(len(C), 6 * self.n), -rate
        for i, k in enumerate(d.bodies):
            if k not in self.place_of:
                continue
            place, turn = self.at(k)
            on_turn, on_place = C[:, 6 * i : 6 * i + 3], C[:, 6 * i + 3 : 6 * i + 6]
            B[:, place] = on_place
            B[:, turn] = on_turn + cross(-self.state.com_arms[k - 1], on_place.T).T
        on_speeds = C[:, 6 * len(d.bodies) :]
        if not _nothing(on_speeds):
            U, c = self.reading
            B, gamma = B + on_speeds @ U, gamma + on_speeds @ c
        return B, gamma

    def loop_forces_on(self, k: int, lam: np.ndarray) -> tuple[Vector, Vector]:
        """Cᵀλ of the loops and constraints on (ω, v) of body k's origin: what it exerts on them."""
        on_turn, on_place, first = ZERO, ZERO, 0
        for d in self.mechanism.constraint_rows.values():
            C = d.values(self.state, self._at_rest)[2]
            own = lam[first : first + len(C)]
            first += len(C)
            for i in (i for i, body in enumerate(d.bodies) if body == k):
                on_turn = on_turn + own @ C[:, 6 * i : 6 * i + 3]
                on_place = on_place + own @ C[:, 6 * i + 3 : 6 * i + 6]
        return on_turn, on_place

    @cached_property
    def _at_rest(self) -> list[Rates]:
        """Accelerations of the bodies' origins where ẇ = 0: towards their mass centres; of external bodies, what they are."""
        s = self.state
        out = [AT_REST]
        for k in range(1, self.mechanism.n_bodies + 1):
            w, arm = s.velocities[k].w, s.com_arms[k - 1]
            out.append(Rates(ZERO, -cross(w, cross(w, arm))) if k in self.place_of else s.bias_accelerations[k])
        return out


def _nothing(values: np.ndarray) -> bool:
    return all(isinstance(x, float) and x == 0.0 for x in values.ravel())
