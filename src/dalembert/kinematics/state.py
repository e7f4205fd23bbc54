"""`State`: the motion of a mechanism at one instant. Every quantity is computed when first asked for, once.

Bodies are looked up by number (0 is the ground) inside the package and by name in users' functions; the node frames of
elastic bodies, which move with their modes, are numbered after the bodies. All vectors are in world axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from dalembert.cached import cached_property
from dalembert.elastic.node_motion import NodeMotion
from dalembert.elastic.placing import node_at
from dalembert.errors import ModelError
from dalembert.kinematics import in_variables, node_frames
from dalembert.kinematics import recursion as step
from dalembert.kinematics.by_name import StateByName, closing_joint
from dalembert.kinematics.in_variables import InVariables
from dalembert.kinematics.recursion import JointInWorld, JointRates, Partials, Pose, Rates
from dalembert.mechanism import Mechanism
from dalembert.parts.bodies import Instant
from dalembert.parts.forces.points import point
from dalembert.parts.joints import Joint
from dalembert.parts.names import unknown
from dalembert.parts.prescribed import at_time
from dalembert.trace import Expr, substitute
from dalembert.vectors import ZERO, Matrix, Vector, cross, vector
from dalembert.words import listed, shown

if TYPE_CHECKING:
    from dalembert.aliases import PointOfBody, Scalar

View = TypeVar("View")


class State(InVariables):
    """A mechanism's motion at one instant: `s = m.state(q, u)`, and what functions of the state are given.

    `s.t`, `s.q["A"]`, `s.u["A"]`; `s.position(("rod", (1, 0, 0)))`, `s.velocity`, `s.rotation("rod")`, `s.angular_velocity` …
    It is (mechanism, t, q, u), over floats or traced scalars.
    """

    def __init__(self, mechanism: Mechanism, t: Scalar, q: Vector | Sequence[Scalar], u: Vector | Sequence[Scalar]):
        self.mechanism = mechanism
        self.t: Any = t
        self.coordinates = cast(Vector, q)
        self.speeds = cast(Vector, u)

    def __repr__(self) -> str:
        m = self.mechanism
        if self.traced:
            return f"<State of {m.name!r} in symbols: {listed(m.coordinates)}>"
        values = [f"{c} = {shown(x)}" for c, x in zip(m.coordinates, self.coordinates)]
        values += [f"{c}' = {shown(x)}" for c, x in zip(m.speeds, self.speeds)]
        return f"<State of {m.name!r} at t = {self.t:g} s: {listed(values)}>"

    @cached_property
    def _views(self) -> dict[Callable[[State], Any], Any]:
        return {}

    def view(self, make: Callable[[State], View]) -> View:
        """What `make` makes of this state, made once: a formulation's own quantities, each computed when first asked for."""
        if make not in self._views:
            self._views[make] = make(self)
        made: View = self._views[make]
        return made

    # -- joints: free values from the state, prescribed ones from time --------------------------------------------------
    @cached_property
    def joint_q(self) -> list[np.ndarray]:
        """Coordinates of every tree joint: free and prescribed."""
        if self.mechanism.variables is not None:
            return self.base.joint_q
        return [self._merged(self.coordinates, j.q_at, j.law.q) for j in self.mechanism.joints]

    @cached_property
    def joint_u(self) -> list[np.ndarray]:
        """Speeds of every tree joint: free and prescribed."""
        if self.mechanism.variables is not None:
            return self.base.joint_u
        return [self._merged(self.speeds, j.u_at, j.law.u) for j in self.mechanism.joints]

    def joint_udot(self, udot: Vector) -> list[np.ndarray]:
        """For every tree joint, the rates of its speeds, where the free ones change at the rate u̇."""
        if self.mechanism.variables is not None:
            return self.base.joint_udot(self.speed_map.rates_before(udot))
        return [self._merged(udot, j.u_at, j.law.udot) for j in self.mechanism.joints]

    def _merged(self, values: Any, places: tuple[int | None, ...], laws: tuple[Any, ...]) -> np.ndarray:
        return vector([at_time(law, self.t) if at is None else values[at] for at, law in zip(places, laws)])

    @property
    def rates(self) -> np.ndarray:
        """q̇ = N(q) u."""
        if self.mechanism.variables is not None:
            return in_variables.rates(self)
        out: list[Any] = []
        for j, q, u in zip(self.mechanism.joints, self.joint_q, self.joint_u):
            rates = j.joint.rates(q, u)
            out += [r for r, at in zip(rates, j.q_at) if at is not None]
        return vector(out)

    # -- elastic bodies -----------------------------------------------------------------------------------------------
    def modal_q(self, k: int) -> np.ndarray:
        """The coordinates of body k itself."""
        return self.joint_q[k - 1][self.mechanism.joints[k - 1].joint.inner.n_q :]

    def modal_u(self, k: int) -> np.ndarray:
        """The rates of body k's own coordinates."""
        return self.joint_u[k - 1][self.mechanism.joints[k - 1].joint.inner.n_u :]

    def modal_udot(self, k: int, udot: Vector) -> np.ndarray:
        """Accelerations of the links, where the free speeds change at the rate u̇."""
        return self.joint_udot(udot)[k - 1][self.mechanism.joints[k - 1].joint.inner.n_u :]

    @cached_property
    def _nodes(self) -> dict[int, NodeMotion]:
        return {}

    def node(self, frame: int) -> NodeMotion:
        """Motion of the node at a node frame, in its body's axes."""
        if frame not in self._nodes:
            m = self.mechanism
            at = m.node_frames[frame - m.n_bodies - 1]
            self._nodes[frame] = NodeMotion(m.bodies[at.body - 1].nodes[at.node], self.modal_q(at.body))
        return self._nodes[frame]

    # -- the forward pass: from parent to child ------------------------------------------------------------------------
    def _forward(
        self, ground: Any, child: Callable[[int, Any], Any], node: Callable[[int, int, Any], Any]
    ) -> list[Any]:
        """The ground, every body and every node frame: `child(k, its joint's base)`, `node(frame, k, body k)`."""
        m = self.mechanism
        out = [ground, *(None for _ in range(m.n_bodies + len(m.node_frames)))]
        for k, on in enumerate(m.stands_on, start=1):
            out[k] = child(k, out[on])
            for name in m.bodies[k - 1].nodes:
                frame = m.node_frame_number[k, name]
                out[frame] = node(frame, k, out[k])
        return out

    @cached_property
    def _placed(self) -> tuple[list[Pose], list[JointInWorld]]:
        if self.mechanism.variables is not None:  # the very same frames, which partial velocities are said in
            return self.base._placed
        links: list[JointInWorld] = []

        def child(k: int, parent: Pose) -> Pose:
            pose, link = step.child_pose(parent, self.mechanism.joints[k - 1], self.joint_q[k - 1])
            links.append(link)
            return pose

        return self._forward(step.WORLD, child, lambda f, k, pose: node_frames.pose(pose, self.node(f))), links

    @property
    def poses(self) -> list[Pose]:
        """Poses of the ground, the bodies, the node frames."""
        return self._placed[0]

    @cached_property
    def _near(self) -> dict[tuple[float, ...], list[Pose]]:
        return {}

    def poses_from(self, origin: Vector) -> list[Pose]:
        """The same with positions from another point of the world than its origin: differences of them keep their digits beside it."""
        if not np.any(origin):
            return self.poses
        key = tuple(origin.tolist())
        if key not in self._near:
            poses, links = self._placed
            self._near[key] = self._forward(
                step.away_from(origin),
                lambda k, on: step.child_pose_near(
                    on, self.mechanism.joints[k - 1], links[k - 1], poses[k].R, self.joint_q[k - 1]
                ),
                lambda f, k, pose: node_frames.pose(pose, self.node(f)),
            )
        return self._near[key]

    @property
    def links(self) -> list[JointInWorld]:
        """Every tree joint as it lies in the world; index 0 is the joint of body 1."""
        return self._placed[1]

    @cached_property
    def joint_rates(self) -> list[JointRates]:
        if self.mechanism.variables is not None:
            return self.base.joint_rates
        return [
            step.joint_rates(j, link, q, u)
            for j, link, q, u in zip(self.mechanism.joints, self.links, self.joint_q, self.joint_u)
        ]

    @cached_property
    def velocities(self) -> list[Rates]:
        """ω and v of every body's origin, and of the node frames."""
        if self.mechanism.variables is not None:
            return self.base.velocities
        links, rels = self._placed[1], self.joint_rates
        return self._forward(
            step.AT_REST,
            lambda k, parent: step.child_velocity(parent, links[k - 1], rels[k - 1]),
            lambda f, k, own: node_frames.velocity(self.poses[k], own, self.node(f), self.modal_u(k)),
        )

    def accelerations(self, udot: Vector) -> list[Rates]:
        """α and a of every body's origin, and of the node frames, where the free speeds change at the rate `udot`."""
        m, vel, links, rels = self.mechanism, self.velocities, self._placed[1], self.joint_rates
        uds = self.joint_udot(udot)

        def child(k: int, parent: Rates) -> Rates:
            i, on = k - 1, m.stands_on[k - 1]
            return step.child_acceleration(
                parent, vel[on], vel[k], m.joints[i], links[i], rels[i], self.joint_q[i], self.joint_u[i], uds[i]
            )

        def node(frame: int, k: int, own: Rates) -> Rates:
            modal = uds[k - 1][m.joints[k - 1].joint.inner.n_u :]
            return node_frames.acceleration(self.poses[k], vel[k], own, self.node(frame), self.modal_u(k), modal)

        return self._forward(step.AT_REST, child, node)

    @cached_property
    def bias_accelerations(self) -> list[Rates]:
        """Accelerations where u̇ = 0: Ω̇u + …, V̇u + …"""
        return self.accelerations(np.zeros(self.mechanism.n_u))

    @cached_property
    def partials(self) -> list[Partials]:
        """Partial velocities of every body's origin, and of the node frames, columns as in `mechanism.path_columns`."""
        if self.mechanism.variables is not None:
            return in_variables.partials(self)
        m, links = self.mechanism, self._placed[1]
        return self._forward(
            step.UNMOVED,
            lambda k, parent: step.child_partials(parent, m.joints[k - 1], links[k - 1], self.joint_q[k - 1]),
            lambda f, k, own: node_frames.partials(self.poses[k], own, self.node(f)),
        )

    @cached_property
    def partial_rates(self) -> list[Partials]:
        """Time derivatives of the partial velocities."""
        if self.mechanism.variables is not None:
            return in_variables.partial_rates(self)
        m, P, vel = self.mechanism, self.partials, self.velocities

        def child(k: int, parent: Partials) -> Partials:
            i, on = k - 1, m.stands_on[k - 1]
            return step.child_partial_rates(
                P[on], parent, P[k], vel[on], vel[k], m.joints[i], self._placed[1][i], self.joint_rates[i],
                self.joint_q[i], self.joint_u[i],
            )  # fmt: skip

        def node(frame: int, k: int, own: Partials) -> Partials:
            return node_frames.partial_rates(self.poses[k], vel[k], P[k], own, self.node(frame), self.modal_u(k))

        return self._forward(step.UNMOVED, child, node)

    # -- what users' functions ask, by name ---------------------------------------------------------------------------
    @property
    def q(self) -> StateByName:
        """`s.q["A"]`: coordinate of a joint, or all where it has several; of an elastic body, its modes'; `s.q["A.x"]`: one of them."""
        return StateByName(self, 0)

    @property
    def u(self) -> StateByName:
        """`s.u["A"]`: the speed of a joint, or all where it has several; of an elastic body, its modes'; `s.u["A.x"]`: one of them."""
        return StateByName(self, 1)

    def joint(self, name: str) -> tuple[Joint, np.ndarray, np.ndarray]:
        """A joint with its coordinates and speeds; of one that closes a loop, as its frames show them."""
        if name in self.mechanism.closures:
            return closing_joint(self, self.mechanism.closures[name])
        k = self.joint_index(name)
        joint = self.mechanism.joints[k].joint.inner
        return joint, self.joint_q[k][: joint.n_q], self.joint_u[k][: joint.n_u]

    def closes_loop(self, joint: str) -> bool:
        """Whether a joint closes a loop, so that its coordinates are not among those of the mechanism."""
        return joint in self.mechanism.closures

    def freedoms(self, name: str) -> tuple[tuple[str, ...], tuple[str, ...], np.ndarray, np.ndarray]:
        """Freedoms of a joint, or of the modes of an elastic body: names of coordinates and speeds, coordinates, speeds."""
        m = self.mechanism
        k = 0 if name in m.joint_number else m.number_of.get(name, 0)
        if k and m.bodies[k - 1].modes:
            modes = m.bodies[k - 1].modes
            return modes, modes, self.modal_q(k), self.modal_u(k)
        self.joint_index(name)
        joint, q, u = self.joint(name)
        return joint.coordinates, joint.speeds, q, u

    def joint_index(self, name: str) -> int:
        m = self.mechanism
        if name in m.joint_number:
            return m.joint_number[name] - 1
        if any(c.name == name for c in m.cuts):
            raise ModelError(
                f'joint "{name}" closes a loop, so it has no coordinates of its own; cut another joint of the loop'
            )
        raise unknown(name, "joint", m.joint_number, "state")

    def body_number(self, body: PointOfBody) -> int:
        """The number of the frame of a body, or of a node of an elastic body: ("name", "node")."""
        return self._frame(body, "state")[0]

    def _frame(self, at: PointOfBody, what: str) -> tuple[int, Vector]:
        """The numbered frame that carries a point, and the point in its axes."""
        p, m = point(at, what), self.mechanism
        if p.body not in m.number_of:
            raise unknown(p.body, "body", m.number_of, "state")
        k, node, offset = m.number_of[p.body], p.node, p.at
        if node is None and k and m.bodies[k - 1].modes and np.any(p.at):
            node, offset = node_at(m.bodies[k - 1], p.at, what), ZERO
        if node is None or node == "frame":
            return k, offset
        if (k, node) not in m.node_frame_number:
            known = m.bodies[k - 1].nodes if k else ()
            raise unknown(node, "node", known, f'{what}: body "{p.body}"')
        return m.node_frame_number[k, node], offset

    def rotation(self, body: PointOfBody) -> Matrix:
        """R_WB: turns body components into world components."""
        return self.poses[self.body_number(body)].R

    def angular_velocity(self, body: PointOfBody) -> Vector:
        """Angular velocity of a body, in world axes: `s.angular_velocity("rod")`."""
        return self.velocities[self.body_number(body)].w

    def position(self, at: PointOfBody) -> Vector:
        """World position of a point: a body's name, ("name", (x, y, z)), ("name", "node"), or a Point."""
        k, offset = self._frame(at, "position")
        return self.poses[k].p + self.poses[k].R @ offset

    def velocity(self, at: PointOfBody) -> Vector:
        """World velocity of a point of a body."""
        k, offset = self._frame(at, "velocity")
        return self.velocities[k].v + cross(self.velocities[k].w, self.poses[k].R @ offset)

    def acceleration(self, at: PointOfBody, udot: Vector) -> Vector:
        """World acceleration of a point of a body, given u̇."""
        k, offset = self._frame(at, "acceleration")
        arm = self.poses[k].R @ offset
        a, w = self.accelerations(udot)[k], self.velocities[k].w
        return a.v + cross(a.w, arm) + cross(w, cross(w, arm))

    def jacobian(self, at: PointOfBody) -> tuple[np.ndarray, np.ndarray]:
        """(∂ω/∂u, ∂v/∂u) of a point of a body, 3 × n_u each."""
        k, offset = self._frame(at, "jacobian")
        P = self.partials[k]
        V = P.V + cross(P.W, self.poses[k].R @ offset)
        columns = list(self.mechanism.path_columns[k])
        out = [np.zeros((3, self.mechanism.n_u), dtype=X.dtype) for X in (P.W, V)]
        out[0][:, columns], out[1][:, columns] = P.W, V
        return out[0], out[1]

    # -- mass centres -------------------------------------------------------------------------------------------------
    @cached_property
    def com_arms(self) -> list[Vector]:
        """Arms from each body's origin to its mass centre; index 0 is body 1."""
        return [b.arm(self.poses[k].R, self.modal_q(k)) for k, b in enumerate(self.mechanism.bodies, start=1)]

    @cached_property
    def instants(self) -> list[Instant]:
        """Every body's motion, as bodies want it; index 0 is body 1."""
        return [
            Instant(pose.R, arm, rate.w, rate.v, self.modal_q(k), self.modal_u(k))
            for k, (pose, rate, arm) in enumerate(zip(self.poses[1:], self.velocities[1:], self.com_arms), start=1)
        ]

    def settled(self, value: Any) -> np.ndarray:
        """What a user's function returned, with its parameters' values put in where the state is numeric."""
        values = np.asarray(value)
        if values.dtype != object:
            return values
        if not self.mechanism.parameters or self.traced:
            return values
        known = self.mechanism.parameter_values
        return vector([substitute(x, known) if type(x) is Expr else x for x in values.ravel()]).reshape(values.shape)

    @cached_property
    def traced(self) -> bool:
        """Whether its values are symbols instead of numbers."""
        return type(self.t) is Expr or any(type(x) is Expr for x in (*self.coordinates, *self.speeds))
