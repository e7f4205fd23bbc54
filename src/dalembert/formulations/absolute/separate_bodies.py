"""All bodies taken apart: masses, forces and the joints' and loops' rows on their accelerations [B 4–10, 49].

w = (ṙ₁ … ṙ_n, ω₁ … ω_n), the velocities of the mass centres and the angular velocities, in world axes.
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
        self.state, self.mechanism, self.n = s, s.mechanism, s.mechanism.n_bodies
        self.dtype = object if s.traced else float

    @cached_property
    def connections(self) -> list[JointConnection]:
        """Connections of the tree, joint 1 first."""
        return [JointConnection(self.state, k) for k in range(1, self.n + 1)]

    def at(self, k: int) -> tuple[slice, slice]:
        """Where ṙ_k and ω_k stand in w."""
        first = 3 * (k - 1)
        return slice(first, first + 3), slice(3 * self.n + first, 3 * self.n + first + 3)

    def zeros(self, *shape: int) -> np.ndarray:
        return np.zeros(shape, dtype=self.dtype)

    # -- motion -------------------------------------------------------------------------------------------------------
    @cached_property
    def velocities(self) -> np.ndarray:
        """w."""
        s = self.state
        places = [s.velocities[k].v + cross(s.velocities[k].w, s.com_arms[k - 1]) for k in range(1, self.n + 1)]
        turns = [s.velocities[k].w for k in range(1, self.n + 1)]
        return np.concatenate([*places, *turns])

    # -- Newton and Euler [B 2–5] -------------------------------------------------------------------------------------
    @cached_property
    def masses(self) -> list[Any]:
        return [b.mass for b in self.mechanism.bodies]

    @cached_property
    def inertias(self) -> list[Matrix]:
        """R I Rᵀ."""
        return [pose.R @ b.inertia @ pose.R.T for pose, b in zip(self.state.poses[1:], self.mechanism.bodies)]

    @cached_property
    def _applied(self) -> tuple[list[Vector], list[Vector]]:
        """F and G + C g: loads on the bodies, and motors and springs of the joints as forces and torques between them."""
        applied = self.state.view(loads)
        F, G = ([x.astype(self.dtype) for x in part] for part in (applied.force, applied.moment))
        for c, values in zip(self.connections, applied.joint):
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
        for k, (mass, I) in enumerate(zip(self.masses, self.inertias), start=1):
            place, turn = self.at(k)
            J[place, place], J[turn, turn] = mass * np.eye(3), I
        return J

    @cached_property
    def inverse_inertia(self) -> np.ndarray:
        """J⁻¹ = diag(M⁻¹, R I⁻¹ Rᵀ): body by body."""
        out = self.zeros(6 * self.n, 6 * self.n)
        for k, body in enumerate(self.mechanism.bodies, start=1):
            place, turn = self.at(k)
            R = self.state.poses[k].R
            out[place, place] = (1.0 / body.mass) * np.eye(3)
            out[turn, turn] = R @ solve_symmetric(body.inertia, np.eye(3)) @ R.T
        return out

    @cached_property
    def right(self) -> np.ndarray:
        """(u₁, u₂)."""
        return np.concatenate([*self.forces, *self.torques])

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
        for joint, columns in zip(self.connections, (j.columns for j in self.mechanism.joints)):
            X = joint.in_world(joint.reading.T)
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
            place, turn = self.at(k)
            on_turn, on_place = C[:, 6 * i : 6 * i + 3], C[:, 6 * i + 3 : 6 * i + 6]
            B[:, place] = on_place
            B[:, turn] = on_turn + cross(-self.state.com_arms[k - 1], on_place.T).T
        on_speeds = C[:, 6 * len(d.bodies) :]
        if not _nothing(on_speeds):
            U, c = self.reading
            B, gamma = B + on_speeds @ U, gamma + on_speeds @ c
        return B, gamma

    @cached_property
    def _at_rest(self) -> list[Rates]:
        """Accelerations of the bodies' origins where ẇ = 0: towards their mass centres."""
        s = self.state
        turning = [(s.velocities[k].w, s.com_arms[k - 1]) for k in range(1, self.n + 1)]
        return [AT_REST, *(Rates(ZERO, -cross(w, cross(w, arm))) for w, arm in turning)]


def _nothing(values: np.ndarray) -> bool:
    return all(isinstance(x, float) and x == 0.0 for x in values.ravel())
