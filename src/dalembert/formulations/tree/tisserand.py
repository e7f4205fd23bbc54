"""Kane's equations with the motion of Tisserand's frames as speeds [C 134, II.A.2.i; Prop. 3].

The coordinates of a floating elastic body stay those of its own frame and modes. Its speeds are the angular velocity ω_T of the frame
in which it has no angular momentum of its own, the velocity v_c of its mass centre, and q̇. The kinematics say ω = ω_T − J⁻¹Crᵀq̇ and
v = v_c − ω × ρ_c − ρ̇_c; the dynamics fall apart:

m v̇_c = F,   J ω̇_T = M − J̇ ω_T − ω × J ω_T,   (Me − Cr J⁻¹Crᵀ) q̈ = Q − h_q + Cr J⁻¹h_ω,

with h what the motion demands where nothing accelerates, and Q and h taken about the mass centre. All other bodies keep their speeds,
and pull at these by partial velocities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.elastic.central import Central
from dalembert.elastic.inertia import Deformed
from dalembert.formulations.equations import Equations
from dalembert.formulations.joint_directions import left_inverse, motion
from dalembert.formulations.linear_systems import solve_definite
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.tree.in_speeds import first_order
from dalembert.formulations.tree.weighed_bodies import add_gram
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.loads import Loads, loads
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.vectors import Vector, cross

__all__ = ["equations", "explain", "first_order", "formulation_speeds", "refusal", "speeds", "state", "title", "udot"]

title = "Kane, Tisserand's frames"

ON_A_LINE = 1e-9
"""Part of its largest moment of inertia below which a body's smallest counts as nothing."""


def floating(m: Mechanism) -> list[int]:
    """The elastic bodies that a joint with six free speeds connects to the ground."""
    return [
        k
        for k, (j, b) in enumerate(zip(m.joints, m.bodies), start=1)
        if b.modes and m.parent[k - 1] == 0 and j.joint.inner.n_u == 6 and len(j.free) == 6 + len(b.modes)
    ]


def refusal(m: Mechanism) -> str | None:
    """A frame that floats is needed, and mass off a line."""
    found = floating(m)
    if not found:
        return (
            "no elastic body floats freely, so that there is no frame to choose the speeds of; "
            'connect one to the ground by da.Free(), or choose "kane"'
        )
    for k in found:
        moments = np.linalg.eigvalsh(m.bodies[k - 1].inertia)
        if moments[0] <= ON_A_LINE * moments[-1]:
            return (
                f'the mass of body "{m.bodies[k - 1].name}" lies on a line, about which Tisserand\'s frame could turn '
                'at any rate; give it rotary inertia, or choose "kane"'
            )
    return None


def speeds(m: Mechanism) -> tuple[str, ...]:
    """u, but ω_T (body axes) and v_c (world axes) of bodies that float."""
    names = list(m.speeds)
    for k in floating(m):
        for at, part in zip(m.joints[k - 1].columns, ("wx", "wy", "wz", "vx", "vy", "vz")):
            names[at] = f"{m.bodies[k - 1].name}.{part}"
    return tuple(names)


@dataclass(frozen=True, eq=False)
class Floating:
    """Body k in a pose, between its speeds u and w = (ω_T, v_c, q̇)."""

    s: State
    k: int

    @cached_property
    def central(self) -> Central:
        return Central(Deformed(self.s.mechanism.bodies[self.k - 1].data, self.s.modal_q(self.k)))

    @property
    def columns(self) -> list[int]:
        return list(self.s.mechanism.joints[self.k - 1].columns)

    @cached_property
    def frame_motion(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """ω (body axes), v of the frame's origin (world axes) and q̇, per unit of each of w."""
        c, R = self.central, self.s.poses[self.k].R
        n = c.slip.shape[1]
        none, modes = np.zeros((3, n)), np.hstack([np.zeros((n, 6)), np.eye(n)])
        W = np.hstack([np.eye(3), np.zeros((3, 3)), -c.slip])
        V = np.hstack([np.zeros((3, 3)), np.eye(3), none]) - R @ (cross(W, c.arm) + c.arm_columns @ modes)
        return W, V, modes

    @cached_property
    def speeds_per_own(self) -> np.ndarray:
        """X of u = X w: the joint's frame C sits on a node, and reads its speeds off that."""
        s, k = self.s, self.k
        j: Any = s.mechanism.joints[k - 1].joint
        q = s.joint_q[k - 1]
        W, V, modes = self.frame_motion
        turn, slide = j.joint_motion(q, W, s.links[k - 1].R_P.T @ V, modes)
        return np.vstack([left_inverse(motion(j.inner, q[: j.inner.n_q])) @ np.vstack([turn, slide]), modes])

    @cached_property
    def own(self) -> np.ndarray:
        """w."""
        at, c = self.s.instants[self.k - 1], self.central
        w = at.R.T @ at.w
        return np.concatenate([w + c.slip @ at.qd, at.v + cross(at.w, at.arm) + at.R @ (c.arm_columns @ at.qd), at.qd])

    @cached_property
    def gyration(self) -> Vector:
        """J̇ ω_T + ω × J ω_T, in body axes."""
        at, c, w_T = self.s.instants[self.k - 1], self.central, self.own[:3]
        return c.J_rate(at.qd) @ w_T + cross(at.R.T @ at.w, c.J @ w_T)

    @cached_property
    def drift(self) -> np.ndarray:
        """ẇ where u̇ = 0: from the force and moment that this motion takes."""
        at, a = self.s.instants[self.k - 1], self.s.bias_accelerations[self.k]
        force, moment = self.s.mechanism.bodies[self.k - 1].demands(at, a.w, a.v, np.zeros(len(at.qd)))
        turning = at.R.T @ moment - self.gyration
        return np.concatenate(
            [solve_definite(self.central.J, turning), force / self.central.mass, np.zeros(len(at.qd))]
        )

    def dynamic_residual(self, force: Vector, moment: Vector) -> np.ndarray:
        """What is left of the force and the moment about the mass centre where ẇ = 0."""
        at, c = self.s.instants[self.k - 1], self.central
        h_turn, h_slide, h_modes = c.shape.bias(at.R.T @ at.w, at.qd)
        left, about = at.R.T @ moment, h_turn - cross(c.arm, h_slide)
        modal = -h_modes - c.arm_columns.T @ (at.R.T @ force - h_slide) - c.slip.T @ (left - about)
        return np.concatenate([left - self.gyration, force, modal])

    def add_mass(self, A: np.ndarray) -> None:
        """diag(J, m 1, Me − Cr J⁻¹Crᵀ)."""
        c, turn, place, modes = self.central, self.columns[:3], self.columns[3:6], self.columns[6:]
        for rows, M in ((turn, c.J), (place, c.mass * np.eye(3)), (modes, c.own_mass)):
            A[np.ix_(rows, rows)] = A[np.ix_(rows, rows)] + M


@dataclass(frozen=True, eq=False)
class _Change:
    """u = X w and u̇ = X ẇ + u̇₀ of the whole mechanism."""

    bodies: list[Floating]
    X: np.ndarray

    @staticmethod
    def of(s: State) -> _Change:
        bodies = [Floating(s, k) for k in floating(s.mechanism)]
        X = np.eye(s.mechanism.n_u).astype(object if s.traced else float)
        for b in bodies:
            X[np.ix_(b.columns, b.columns)] = b.speeds_per_own
        return _Change(bodies, X)

    @cached_property
    def udot0(self) -> np.ndarray:
        out = np.zeros(len(self.X), dtype=self.X.dtype)
        for b in self.bodies:
            out[b.columns] = -(b.speeds_per_own @ b.drift)
        return out


def formulation_speeds(s: State) -> np.ndarray:
    w = np.array(s.speeds)
    for k in floating(s.mechanism):
        b = Floating(s, k)
        w[b.columns] = b.own
    return w


def state(m: Mechanism, t: Any, q: Any, w: Any) -> State:
    at_rest = State(m, t, q, np.zeros(m.n_u))
    u = np.array(w)
    for k in floating(m):
        b = Floating(at_rest, k)
        u[b.columns] = b.speeds_per_own @ u[b.columns]
    return State(m, t, q, u)


def udot(s: State, wdot: Any) -> np.ndarray:
    change = _Change.of(s)
    return np.asarray(change.X @ np.asarray(wdot) + change.udot0)


def equations(s: State) -> Equations:
    change, applied, m = _Change.of(s), loads(s), s.mechanism
    X, n = change.X, m.n_u
    A = np.zeros((n, n), dtype=X.dtype)
    f = np.zeros(n, dtype=X.dtype)
    for b in change.bodies:
        b.add_mass(A)
        f[b.columns] = f[b.columns] + b.dynamic_residual(applied.force[b.k - 1], applied.moment[b.k - 1])
    _add_others(s, change, applied, A, f)
    for joint, values in zip(m.joints, applied.joint):
        columns = joint.columns
        f[columns] = f[columns] + X[np.ix_(columns, columns)].T @ values[joint.free]
    rows = constraint_rows(s)
    if not len(rows.B):
        return Equations(A, f, rows.B, rows.gamma)
    return Equations(A, f, rows.B @ X, rows.gamma - rows.B @ change.udot0)


def _add_others(s: State, change: _Change, applied: Loads, A: np.ndarray, f: np.ndarray) -> None:
    """The bodies whose speeds stay as they are, on the speeds of their own paths."""
    m, known = s.mechanism, None
    for k, body in enumerate(m.bodies, start=1):
        columns = list(m.path_columns[k])
        if k in {b.k for b in change.bodies} or not columns or (body.massless and not applied.loaded(k)):
            continue
        known = s.accelerations(change.udot0) if known is None else known
        P, at = s.partials[k], s.instants[k - 1]
        X = change.X[np.ix_(columns, columns)]
        rows = body.weighed(at.R, at.arm, at.q, P.W, P.V)
        left = body.dynamic_residual(
            at, known[k].w, known[k].v, s.modal_udot(k, change.udot0), applied.force[k - 1], applied.moment[k - 1]
        )
        for (J, MJ), force in zip(rows, left):
            V = J @ X
            add_gram(A, columns, MJ @ X, V)
            f[columns] = f[columns] + V.T @ force


def explain(s: State) -> list[Quantity]:
    """J, Cr, Me and the slip of the floating bodies, and X of u = X w."""
    change, names, found = _Change.of(s), speeds(s.mechanism), []
    for b in change.bodies:
        body, c = s.mechanism.bodies[b.k - 1].name, b.central
        found += [
            quantity(f"J_{body}", f"J of {body}, deformed, about its mass centre [C 47]", c.J),
            quantity(f"Cr_{body}", "∫ρ × ∂x/∂q dm, a row for each mode", c.Cr),
            quantity(f"slip_{body}", "J⁻¹Crᵀ of ω_T = ω + J⁻¹Crᵀq̇", c.slip),
            quantity(f"Me_{body}", "Me − Cr J⁻¹Crᵀ, what is left of the modes' inertia", c.own_mass),
        ]
    return [*found, quantity("X", "X of u = X w", change.X, s.mechanism.speeds, names)]
