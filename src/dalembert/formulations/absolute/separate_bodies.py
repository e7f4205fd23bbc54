"""All bodies taken apart: masses, forces and the joints' and loops' rows on their accelerations [B 4–10, 49].

w = (ṙ₁ … ṙ_n, ω₁ … ω_n, q̇), the velocities of the mass centres and the angular velocities, in world axes, of the n bodies whose motion
is to be found, then the rates of the elastic bodies' own coordinates. External bodies move as prescribed and have no part in w: what
they do stands on the right-hand sides [B Remark 3].
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.formulations.absolute.attachment import Attachment
from dalembert.formulations.absolute.connection import Directions, JointConnection
from dalembert.formulations.symmetric_solve import solve_symmetric
from dalembert.kinematics import node_frames
from dalembert.kinematics.loads import loads
from dalembert.kinematics.recursion import AT_REST, Rates
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.vectors import ZERO, Matrix, Vector, cross


def speeds(m: Mechanism) -> tuple[str, ...]:
    """ṙ of every mass centre, then ω of every body, in world axes, then the modes of elastic bodies; of bodies whose motion is not
    given."""
    frames = (f"{m.bodies[k - 1].name}.{part}{axis}" for part in "vw" for k in m.free_bodies for axis in "xyz")
    return (*frames, *mode_names(m))


def mode_names(m: Mechanism) -> tuple[str, ...]:
    """Names of the rates of the elastic bodies' own coordinates."""
    return tuple(f"{b.name}.{mode}" for b in m.bodies for mode in b.modes)


class Bodies:
    """Everything Newton's and Euler's laws need in a state; each quantity computed when first asked for."""

    def __init__(self, s: State):
        self.state, self.mechanism, self.numbers = s, s.mechanism, s.mechanism.free_bodies
        self.n = len(self.numbers)
        self.place_of = {k: i for i, k in enumerate(self.numbers)}
        """Where a body comes among those whose motion is to be found, from 0."""
        self.dtype = object if s.traced else float
        self._first_mode = np.cumsum([0, *(len(s.mechanism.bodies[k - 1].modes) for k in self.numbers)])
        self.size = 6 * self.n + int(self._first_mode[-1])

    @cached_property
    def connections(self) -> list[JointConnection]:
        """Connections of the tree that carry these bodies, in the order of the joints."""
        return [JointConnection(self.state, k) for k in self.numbers]

    def at(self, k: int) -> tuple[slice, slice, slice]:
        """Where ṙ_k, ω_k and q̇_k stand in w."""
        place = self.place_of[k]
        first, modes = 3 * place, 6 * self.n + self._first_mode[place : place + 2]
        turn = slice(3 * self.n + first, 3 * self.n + first + 3)
        return slice(first, first + 3), turn, slice(int(modes[0]), int(modes[1]))

    def own_at(self, k: int) -> list[int]:
        """Where (ω_k, q̇_k) stand in (ω₁ … ω_n, q̇)."""
        _, turn, modes = self.at(k)
        return [i - 3 * self.n for part in (turn, modes) for i in range(part.start, part.stop)]

    def zeros(self, *shape: int) -> np.ndarray:
        return np.zeros(shape, dtype=self.dtype)

    # -- motion -------------------------------------------------------------------------------------------------------
    @cached_property
    def velocities(self) -> np.ndarray:
        """w."""
        s, places = self.state, []
        for k, b in self._numbered:
            v = s.velocities[k].v + cross(s.velocities[k].w, s.com_arms[k - 1])
            places.append(v + b.arm_columns(s.poses[k].R, s.modal_q(k)) @ s.modal_u(k) if b.modes else v)
        turns, modes = ([of(k) for k in self.numbers] for of in (lambda k: s.velocities[k].w, s.modal_u))
        return np.concatenate([[], *places, *turns, *modes])

    def accelerations(self, udot: Any) -> np.ndarray:
        """ẇ where the free speeds change at the rate u̇."""
        s = self.state
        rates = s.accelerations(udot)
        places = [self.centre_acceleration(k, rates[k], udot) for k in self.numbers]
        modes = [s.modal_udot(k, udot) for k in self.numbers]
        return np.concatenate([[], *places, *(rates[k].w for k in self.numbers), *modes])

    def centre_acceleration(self, k: int, rates: Rates, udot: Any) -> Vector:
        """Acceleration of the mass centre of body k, from those of its frame."""
        s, body = self.state, self.mechanism.bodies[k - 1]
        a = rates.v + cross(rates.w, s.com_arms[k - 1]) + self._towards_centre(k)
        return a + body.arm_columns(s.poses[k].R, s.modal_q(k)) @ s.modal_udot(k, udot) if body.modes else a

    def _towards_centre(self, k: int) -> Vector:
        """d²/dt² of the arm from the origin to the mass centre where neither ω nor q̇ changes."""
        s, b, w = self.state, self.mechanism.bodies[k - 1], self.state.velocities[k].w
        if not b.modes:
            return cross(w, cross(w, s.com_arms[k - 1]))
        R, q, qd = s.poses[k].R, s.modal_q(k), s.modal_u(k)
        slid = b.arm_columns(R, q) @ qd
        return cross(w, cross(w, s.com_arms[k - 1]) + slid + slid) + b.arm_second(R, q, qd)

    # -- Newton and Euler [B 2–5] -------------------------------------------------------------------------------------
    @cached_property
    def masses(self) -> list[Any]:
        """Masses of all bodies; index 0 is body 1, here as in the lists that follow."""
        return [b.mass for b in self.mechanism.bodies]

    @cached_property
    def inertias(self) -> list[Matrix]:
        """R I Rᵀ, and for an elastic body the inertia of its own coordinates with it: 3 + n."""
        bodies = enumerate(self.mechanism.bodies, start=1)
        return [self._turned(k, b.central_inertia(self.state.modal_q(k))) for k, b in bodies]

    @property
    def _numbered(self) -> list[tuple[int, Any]]:
        """The bodies whose motion is to be found, with their numbers."""
        return [(k, self.mechanism.bodies[k - 1]) for k in self.numbers]

    def _turned(self, k: int, M: Matrix) -> Matrix:
        """M, whose first three rows are in body axes, with these in world axes."""
        R = self.state.poses[k].R
        if len(M) == 3:
            return R @ M @ R.T
        coupled = R @ M[:3, 3:]
        return np.block([[R @ M[:3, :3] @ R.T, coupled], [coupled.T, M[3:, 3:]]])

    @cached_property
    def _applied(self) -> tuple[list[Vector], list[np.ndarray]]:
        """F, and (G + C g, Q): loads on the bodies, and motors and springs of the joints as forces and torques between them.

        Q is what acts on an elastic body's own coordinates while its mass centre stays where it is.
        """
        s, applied = self.state, self.state.view(loads)
        F = [x.astype(self.dtype) for x in applied.force]
        own: list[np.ndarray] = []
        for k, body in enumerate(self.mechanism.bodies, start=1):
            modal = applied.joint[k - 1][self.mechanism.joints[k - 1].joint.inner.n_u :]
            if body.modes:
                modal = modal - body.arm_columns(s.poses[k].R, s.modal_q(k)).T @ F[k - 1]
            own.append(np.concatenate([applied.moment[k - 1], modal]).astype(self.dtype))
        for c in self.connections:
            values = applied.joint[c.child - 1][: c.inner.n_u]
            if not _nothing(values):
                force, torque = c.driven(values.astype(self.dtype))
                for k, sign, on, lever in (
                    (c.child, 1.0, c.on_child, c.child_lever),
                    (c.parent, -1.0, c.on_parent, c.parent_lever),
                ):
                    if k:
                        F[k - 1] = F[k - 1] + sign * force
                        turned = np.concatenate([torque, on.turns.T @ torque])
                        own[k - 1] = own[k - 1] + sign * (turned + lever.work(force))
        return F, own

    @property
    def forces(self) -> list[Vector]:
        """u₁ of each body."""
        return self._applied[0]

    @property
    def applied_torques(self) -> list[np.ndarray]:
        """G + C g of each body, then what acts on an elastic one's own coordinates."""
        return self._applied[1]

    @cached_property
    def torques(self) -> list[np.ndarray]:
        """u₂ of each body: G + C g − ω × Iω; then, for an elastic one, what acts on its own coordinates less what they demand."""
        out, s = [], self.state
        for k, (body, own) in enumerate(zip(self.mechanism.bodies, self._applied[1]), start=1):
            R, w = s.poses[k].R, s.velocities[k].w
            bias = body.central_bias(R.T @ w, s.modal_q(k), s.modal_u(k))
            out.append(own - np.concatenate([R @ bias[:3], bias[3:]]))
        return out

    @cached_property
    def inertia(self) -> np.ndarray:
        """J = diag(M, I): 6n × 6n, and more for elastic bodies."""
        J = self.zeros(self.size, self.size)
        for k in self.numbers:
            self._put(J, k, self.masses[k - 1], self.inertias[k - 1])
        return J

    @cached_property
    def inverse_inertia(self) -> np.ndarray:
        """J⁻¹ = diag(M⁻¹, R I⁻¹ Rᵀ): body by body."""
        out = self.zeros(self.size, self.size)
        for k, body in self._numbered:
            own = body.central_inertia(self.state.modal_q(k))
            self._put(out, k, 1.0 / body.mass, self._turned(k, solve_symmetric(own, np.eye(len(own)))))
        return out

    def _put(self, J: np.ndarray, k: int, mass: Any, block: np.ndarray) -> None:
        own = [3 * self.n + i for i in self.own_at(k)]
        J[self.at(k)[0], self.at(k)[0]], J[np.ix_(own, own)] = mass * np.eye(3), block

    @cached_property
    def right(self) -> np.ndarray:
        """(u₁, u₂)."""
        forces, own = ([x[k - 1] for k in self.numbers] for x in (self.forces, self.torques))
        return np.concatenate([[], *forces, *(x[:3] for x in own), *(x[3:] for x in own)])

    # -- rows ---------------------------------------------------------------------------------------------------------
    @cached_property
    def joint_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """H and its right-hand side: H ẇ = h says that no tree joint is broken, in the order of the joints."""
        parts = [(self.row(c, c.blocked), c.drift(c.blocked)) for c in self.connections]
        return self._stacked(parts)

    def _stacked(self, parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
        rows = np.vstack([self.zeros(0, self.size), *(p[0] for p in parts)])
        return rows, np.concatenate([[], *(p[1] for p in parts)])

    @cached_property
    def row_places(self) -> list[slice]:
        """Where each joint's rows stand in H."""
        ends = np.cumsum([0, *(c.blocked.force.shape[1] for c in self.connections)])
        return [slice(int(a), int(b)) for a, b in pairwise(ends)]

    def row(self, c: JointConnection, X: Directions) -> np.ndarray:
        """Coefficients on ẇ of the joint's relative acceleration along X."""
        out = self.zeros(X.force.shape[1], self.size)
        for k, coefficients in ((c.child, c.child_row(X)), (c.parent, c.parent_row(X))):
            if k:
                for at, part in zip(self.at(k), coefficients):
                    out[:, at] = part
        return out

    @cached_property
    def speed_rates(self) -> tuple[np.ndarray, np.ndarray]:
        """U and c with u̇ = U ẇ − c: the free speeds' rates read off the bodies' accelerations."""
        U, c = self.zeros(self.mechanism.n_u, self.size), self.zeros(self.mechanism.n_u)
        for joint in self.connections:
            X = joint.in_world(joint.speeds_from_motion.T)
            U[joint.columns], c[joint.columns] = self.row(joint, X), joint.drift(X)
            modes = joint.joint.columns[joint.joint.n_own :]
            U[modes, self.at(joint.child)[2]] = np.eye(len(modes))
        return U, c

    @cached_property
    def loop_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """B and γ of the mechanism's closed loops and constraints on ẇ, in its order [B 63]."""
        return self._stacked([self._constraint(d) for d in self.mechanism.constraint_rows.values()])

    def _constraint(self, d: Any) -> tuple[np.ndarray, np.ndarray]:
        """C on the bodies' own accelerations; where joint speeds are named, they are read off the bodies."""
        _, _, C, rate = d.values(self.state, self._at_rest)
        B, gamma = self.zeros(len(C), self.size), -rate
        for i, frame in enumerate(d.bodies):
            on = Attachment.of_frame(self.state, frame)
            if on.k not in self.place_of:
                continue
            lever = on.lever()
            on_turn, on_place = C[:, 6 * i : 6 * i + 3], C[:, 6 * i + 3 : 6 * i + 6]
            parts = (
                on_place,
                on_turn + cross(lever.r, on_place.T).T,
                on_place @ lever.columns + on_turn @ on.turns,
            )
            for at, part in zip(self.at(on.k), parts):
                B[:, at] = B[:, at] + part
        on_speeds = C[:, 6 * len(d.bodies) :]
        if not _nothing(on_speeds):
            U, c = self.speed_rates
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
        """Accelerations of all frames where ẇ = 0: bodies' origins move towards their mass centres; external bodies as they do."""
        s, m = self.state, self.mechanism
        out = [AT_REST]
        for k in range(1, m.n_bodies + 1):
            free = k in self.place_of
            out.append(Rates(ZERO, -self._towards_centre(k)) if free else s.bias_accelerations[k])
        for frame, at in enumerate(m.node_frames, start=m.n_bodies + 1):
            k, qd = at.body, s.modal_u(at.body)
            node = s.node(frame)
            out.append(node_frames.acceleration(s.poses[k], s.velocities[k], out[k], node, qd, np.zeros(len(qd))))
        return out


def _nothing(values: np.ndarray) -> bool:
    return all(isinstance(x, float) and x == 0.0 for x in values.ravel())
