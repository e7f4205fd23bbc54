"""`State`: the motion of a mechanism at one instant. Every quantity is computed when first asked for, once.

Bodies are looked up by number (0 is the ground) inside the package and by name in users' functions. All vectors are in world axes.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.kinematics import recursion as step
from dalembert.kinematics.recursion import JointRates, Link, Partials, Pose, Rates
from dalembert.mechanism import Mechanism
from dalembert.system.forces import Point
from dalembert.system.forces.points import point
from dalembert.system.joints import Joint
from dalembert.system.laws import at_time
from dalembert.system.names import unknown
from dalembert.trace import Expr, substitute
from dalembert.vectors import Matrix, Vector, cross, vector


class State:
    """(mechanism, t, q, u), over floats or traced scalars."""

    def __init__(self, mechanism: Mechanism, t: Any, q: Any, u: Any):
        self.mechanism = mechanism
        self.t = t
        self.coordinates = q
        self.speeds = u

    # -- joints: free values from the state, prescribed ones from time --------------------------------------------------
    @cached_property
    def joint_q(self) -> list[np.ndarray]:
        return [self._merged(self.coordinates, j.q_at, j.law.q) for j in self.mechanism.joints]

    @cached_property
    def joint_u(self) -> list[np.ndarray]:
        return [self._merged(self.speeds, j.u_at, j.law.u) for j in self.mechanism.joints]

    def joint_udot(self, udot: Any) -> list[np.ndarray]:
        return [self._merged(udot, j.u_at, j.law.udot) for j in self.mechanism.joints]

    def _merged(self, values: Any, places: tuple[int | None, ...], laws: tuple[Any, ...]) -> np.ndarray:
        return vector([at_time(law, self.t) if at is None else values[at] for at, law in zip(places, laws)])

    @property
    def rates(self) -> np.ndarray:
        """q̇ = N(q) u."""
        out: list[Any] = []
        for j, q, u in zip(self.mechanism.joints, self.joint_q, self.joint_u):
            rates = j.joint.rates(q, u)
            out += [r for r, at in zip(rates, j.q_at) if at is not None]
        return vector(out)

    # -- the recursion outward ----------------------------------------------------------------------------------------
    @cached_property
    def _placed(self) -> tuple[list[Pose], list[Link]]:
        poses, links = [step.WORLD], []
        for j, parent, q in zip(self.mechanism.joints, self.mechanism.parent, self.joint_q):
            pose, link = step.carry_pose(poses[parent], j, q)
            poses.append(pose)
            links.append(link)
        return poses, links

    @property
    def poses(self) -> list[Pose]:
        return self._placed[0]

    @property
    def links(self) -> list[Link]:
        """Every tree joint as it lies in the world; index 0 is the joint of body 1."""
        return self._placed[1]

    @cached_property
    def joint_rates(self) -> list[JointRates]:
        return [
            step.joint_rates(j, link, q, u)
            for j, link, q, u in zip(self.mechanism.joints, self.links, self.joint_q, self.joint_u)
        ]

    @cached_property
    def velocities(self) -> list[Rates]:
        """ω and v of every body's origin."""
        out = [step.AT_REST]
        for parent, link, rel in zip(self.mechanism.parent, self.links, self.joint_rates):
            out.append(step.carry_velocity(out[parent], link, rel))
        return out

    def accelerations(self, udot: Any) -> list[Rates]:
        """α and a of every body's origin where the free speeds change at the rate `udot`."""
        out = [step.AT_REST]
        m, vel, links, rels = self.mechanism, self.velocities, self.links, self.joint_rates
        for k, (j, parent, ud) in enumerate(zip(m.joints, m.parent, self.joint_udot(udot))):
            out.append(
                step.carry_acceleration(
                    out[parent], vel[parent], vel[k + 1], j, links[k], rels[k], self.joint_q[k], self.joint_u[k], ud
                )
            )
        return out

    @cached_property
    def bias_accelerations(self) -> list[Rates]:
        """Accelerations where u̇ = 0: Ω̇u + …, V̇u + …"""
        return self.accelerations(np.zeros(self.mechanism.n_u))

    @cached_property
    def partials(self) -> list[Partials]:
        """Partial velocities of every body's origin, columns as in `mechanism.path_columns`."""
        out = [step.UNMOVED]
        for k, (j, parent) in enumerate(zip(self.mechanism.joints, self.mechanism.parent)):
            out.append(step.carry_partials(out[parent], j, self.links[k], self.joint_q[k]))
        return out

    @cached_property
    def partial_rates(self) -> list[Partials]:
        """Time derivatives of the partial velocities."""
        out, P, vel = [step.UNMOVED], self.partials, self.velocities
        for k, (j, parent) in enumerate(zip(self.mechanism.joints, self.mechanism.parent)):
            out.append(
                step.carry_partial_rates(
                    P[parent], out[parent], P[k + 1], vel[parent], vel[k + 1], j, self.links[k],
                    self.joint_rates[k], self.joint_q[k], self.joint_u[k],
                )
            )  # fmt: skip
        return out

    # -- what users' functions ask, by name ---------------------------------------------------------------------------
    @property
    def q(self) -> _ByJoint:
        """`s.q["A"]`: the coordinate of a joint, or all of them where it has several."""
        return _ByJoint(self, self.joint_q)

    @property
    def u(self) -> _ByJoint:
        """`s.u["A"]`: the speed of a joint, or all of them where it has several."""
        return _ByJoint(self, self.joint_u)

    def joint(self, name: str) -> tuple[Joint, np.ndarray, np.ndarray]:
        """A joint with its coordinates and speeds."""
        k = self.joint_index(name)
        return self.mechanism.joints[k].joint, self.joint_q[k], self.joint_u[k]

    def joint_index(self, name: str) -> int:
        m = self.mechanism
        if name in m.joint_number:
            return m.joint_number[name] - 1
        if any(c.name == name for c in m.cuts):
            raise ModelError(
                f'joint "{name}" closes a loop, so it has no coordinates of its own; cut another joint of the loop'
            )
        raise unknown(name, "joint", m.joint_number, "state")

    def body_number(self, body: str) -> int:
        try:
            return self.mechanism.number_of[body]
        except KeyError:
            raise unknown(body, "body", self.mechanism.number_of, "state") from None

    def rotation(self, body: str) -> Matrix:
        """R_WB: turns body components into world components."""
        return self.poses[self.body_number(body)].R

    def angular_velocity(self, body: str) -> Vector:
        return self.velocities[self.body_number(body)].w

    def position(self, at: Any) -> Vector:
        """World position of a point: a body's name, ("name", (x, y, z)), or a Point."""
        p = point(at, "position")
        pose = self.poses[self.body_number(p.body)]
        return pose.p + pose.R @ p.at

    def velocity(self, at: Any) -> Vector:
        """World velocity of a point of a body."""
        p = point(at, "velocity")
        k = self.body_number(p.body)
        return self.velocities[k].v + cross(self.velocities[k].w, self.poses[k].R @ p.at)

    def acceleration(self, at: Any, udot: Any) -> Vector:
        """World acceleration of a point of a body, given u̇."""
        p = point(at, "acceleration")
        k = self.body_number(p.body)
        arm = self.poses[k].R @ p.at
        a, w = self.accelerations(udot)[k], self.velocities[k].w
        return a.v + cross(a.w, arm) + cross(w, cross(w, arm))

    def jacobian(self, at: Any) -> tuple[np.ndarray, np.ndarray]:
        """(∂ω/∂u, ∂v/∂u) of a point of a body, 3 × n_u each."""
        p: Point = point(at, "jacobian")
        k = self.body_number(p.body)
        P = self.partials[k]
        V = P.V + cross(P.W, self.poses[k].R @ p.at)
        columns = list(self.mechanism.path_columns[k])
        out = [np.zeros((3, self.mechanism.n_u), dtype=X.dtype) for X in (P.W, V)]
        out[0][:, columns], out[1][:, columns] = P.W, V
        return out[0], out[1]

    # -- mass centres -------------------------------------------------------------------------------------------------
    @cached_property
    def com_arms(self) -> list[Vector]:
        """From each body's origin to its mass centre; index 0 is body 1."""
        return [pose.R @ b.com for pose, b in zip(self.poses[1:], self.mechanism.bodies)]

    def settled(self, value: Any) -> Any:
        """What a user's function returned, with its parameters' values put in where the state is numeric."""
        values = np.asarray(value)
        if values.dtype != object:
            return values
        if not self.mechanism.parameters or self.traced:
            return values
        known = self.mechanism.parameter_values
        return vector([substitute(x, known) if type(x) is Expr else x for x in values.ravel()]).reshape(values.shape)

    @property
    def traced(self) -> bool:
        return type(self.t) is Expr or any(type(x) is Expr for x in (*self.coordinates, *self.speeds))


class _ByJoint:
    """Values by joint name: a scalar for one-freedom joints, an array otherwise."""

    def __init__(self, state: State, values: list[np.ndarray]):
        self._state, self._values = state, values

    def __getitem__(self, name: str) -> Any:
        values = self._values[self._state.joint_index(name)]
        return values[0] if len(values) == 1 else values
