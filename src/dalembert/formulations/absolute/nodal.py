"""Newton–Euler on nodal bodies [C III.B, Propositions 1–4]: F = m A and M = Ḣ for every nodal body, and for every rigid one.

m_k r̈_k = F_k + φ_k and I_k ω̇_k = M_k − ω_k × I_k ω_k + μ_k, where φ and μ are what the massless structure and the joints exert on the
body. The accelerations are those that the freedoms u allow, r̈_k = V_k u̇ + V̇_k u and ω̇_k = Ω_k u̇ + Ω̇_k u; and the work of φ and μ in
those freedoms is that of the structure's elasticity and of the joints' drives, Σ V_kᵀφ_k + Ω_kᵀμ_k = Q. No moment of a mode shape is
used.

w holds u and the velocities of all bodies; the multipliers are −φ and −μ. Displacements are linear in the modes, and where nodal bodies
are mass points, the other formulations' equations are these. Nodal bodies with inertia turn as rigid bodies do; modal data keep their
turn to second order, so that the equations are the same to first degree in the deformation, as C's propositions mean it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.elastic.node import Node
from dalembert.elastic.node_motion import NodeMotion
from dalembert.formulations.absolute.definite import strengthened
from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.kinematics import node_frames
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.loads import Loads, generalized, loads
from dalembert.kinematics.recursion import Partials, Rates
from dalembert.kinematics.state import State
from dalembert.kinematics.totals import total_inertia
from dalembert.mechanism import Mechanism
from dalembert.vectors import ZERO, Matrix, Vector, cross

title = "Newton–Euler, nodal bodies"


def refusal(m: Mechanism) -> str | None:
    """Elastic bodies are needed, each lumped into nodal bodies."""
    if not m.elastic:
        return 'every body is rigid, so that there are no nodal bodies; choose "newton_euler"'
    for b in m.bodies:
        if not b.modes:
            continue
        lumps = b.data.lumps
        if lumps is None or not lumps.make(b.data.S, b.data.P):
            return (
                f'the nodal bodies of elastic body "{b.name}" are not known, or displaced in more than the first order; '
                "make it by da.elastic.nodal_bodies or given_modes without a second-order field, in their own frame"
            )
    return None


def approximation(m: Mechanism) -> str | None:
    """Nodal bodies that turn do so exactly here, and to second order in the modal data of all other formulations."""
    turning = [b.name for b in m.bodies if b.modes and b.data.lumps is not None and b.data.lumps.turn]
    if not turning:
        return None
    return (
        f'nodal bodies of elastic body "{turning[0]}" turn: exactly here, to second order in the modal data of the other formulations, '
        "so that accelerations agree to first degree in the deformation"
    )


def speeds(m: Mechanism) -> tuple[str, ...]:
    """u, then ṙ and ω of every rigid body, and of every nodal body (ω where it has inertia), in world axes."""
    return (*m.speeds, *(f"{p.name}.{part}{axis}" for p in _pieces(m) for part in p.parts for axis in "xyz"))


def first_order(m: Mechanism) -> int:
    """Coordinates, all accelerations, a force for each body's, and the loops' multipliers."""
    own = 3 * sum(len(p.parts) for p in _pieces(m))
    return m.n_q + m.n_u + 2 * own + len(m.rows)


@dataclass(frozen=True, eq=False)
class _Piece:
    """A rigid body or a nodal body: mass, inertia about its mass centre in its own axes, the body it belongs to, its node there."""

    name: str
    mass: Any
    inertia: Matrix | None
    body: int
    node: Node | None

    @property
    def parts(self) -> str:
        return "v" if self.inertia is None else "vw"


def _pieces(m: Mechanism) -> list[_Piece]:
    out: list[_Piece] = []
    for k, b in enumerate(m.bodies, start=1):
        if not b.modes:
            out.append(_Piece(b.name, b.mass, b.inertia, k, None))
            continue
        x = b.data.lumps
        for i, D in enumerate(x.D):
            inertia = np.trace(D) * np.eye(3) - D if np.any(D) else None
            out.append(_Piece(f"{b.name}.{i + 1}", x.m[i], inertia, k, Node.of(x.r[i], x.Phi[i], x.Psi[i])))
    return out


@dataclass(frozen=True, eq=False)
class _MovingPiece:
    """A piece in a state."""

    s: State
    piece: _Piece

    @cached_property
    def _at(self) -> NodeMotion | None:
        return None if self.piece.node is None else NodeMotion(self.piece.node, self.s.modal_q(self.piece.body))

    @cached_property
    def R(self) -> Matrix:
        own = self.s.poses[self.piece.body].R
        return own if self._at is None else own @ self._at.R

    @cached_property
    def rates(self) -> Rates:
        """ω and ṙ."""
        s, k = self.s, self.piece.body
        own = s.velocities[k]
        if self._at is not None:
            return node_frames.velocity(s.poses[k], own, self._at, s.modal_u(k))
        return Rates(own.w, own.v + cross(own.w, s.com_arms[k - 1]))

    @cached_property
    def partials(self) -> Partials:
        s, k = self.s, self.piece.body
        own = s.partials[k]
        if self._at is not None:
            return node_frames.partials(s.poses[k], own, self._at)
        return Partials(own.W, own.V + cross(own.W, s.com_arms[k - 1]))

    @cached_property
    def drift(self) -> Rates:
        """ω̇ and r̈ where u̇ = 0."""
        s, k = self.s, self.piece.body
        own, w = s.bias_accelerations[k], s.velocities[k].w
        if self._at is not None:
            qd = s.modal_u(k)
            return node_frames.acceleration(s.poses[k], s.velocities[k], own, self._at, qd, np.zeros(len(qd)))
        arm = s.com_arms[k - 1]
        return Rates(own.w, own.v + cross(own.w, arm) + cross(w, cross(w, arm)))

    def turning(self, moment: Vector) -> Vector:
        """M − ω × Iω."""
        w = self.R.T @ self.rates.w
        return moment - self.R @ cross(w, self.piece.inertia @ w)


def formulation_speeds(s: State) -> np.ndarray:
    parts = [s.speeds]
    for piece in _pieces(s.mechanism):
        rates = _MovingPiece(s, piece).rates
        parts += [rates.v] if piece.inertia is None else [rates.v, rates.w]
    return np.concatenate(parts)


def state(m: Mechanism, t: Any, q: Any, w: Any) -> State:
    return State(m, t, q, np.asarray(w)[: m.n_u])


def udot(s: State, wdot: Any) -> np.ndarray:
    return np.asarray(wdot)[: s.mechanism.n_u]


def equations(s: State) -> Equations:
    m, applied = s.mechanism, loads(s)
    moving = [_MovingPiece(s, piece) for piece in _pieces(m)]
    n, size = m.n_u, m.n_u + sum(3 * len(x.piece.parts) for x in moving)
    dtype = object if s.traced else float
    A, f = np.zeros((size, size), dtype=dtype), np.zeros(size, dtype=dtype)
    H, h, weights = np.zeros((size - n, size), dtype=dtype), np.zeros(size - n, dtype=dtype), np.zeros(size - n)
    f[:n] = generalized(s, _on_elastic(s, applied))
    at = n
    for x in moving:
        columns = list(m.path_columns[x.piece.body])
        force, moment = _direct(s, x.piece, applied)
        blocks = [(x.piece.mass * np.eye(3), force, x.partials.V, x.drift.v)]
        if x.piece.inertia is not None:
            I = x.R @ x.piece.inertia @ x.R.T
            blocks.append((I, x.turning(moment), x.partials.W, x.drift.w))
        for (inertia, right, partial, drift), weight in zip(blocks, total_inertia(m, x.piece.body)):
            own, rows = slice(at, at + 3), slice(at - n, at - n + 3)
            A[own, own], f[own] = inertia, right
            H[rows, own], h[rows], weights[rows] = np.eye(3), drift, weight
            H[np.ix_(range(at - n, at - n + 3), columns)] = -partial
            at += 3
    A, f = strengthened(A, f, H, h, weights)  # u has no mass of its own
    loops = constraint_rows(s)
    B = np.hstack([loops.B, np.zeros((len(loops.B), size - n))])
    return Equations(A, f, np.vstack([H, B]), np.concatenate([h, loops.gamma]))


def _direct(s: State, piece: _Piece, applied: Loads) -> tuple[Vector, Vector]:
    """What acts on a body from outside: on a rigid one everything, on a nodal one gravity."""
    if piece.node is not None:
        return piece.mass * s.mechanism.gravity, ZERO
    return applied.force[piece.body - 1], applied.moment[piece.body - 1]


def _on_elastic(s: State, applied: Loads) -> Loads:
    """What does work in the freedoms besides: drives of joints, stiffness and damping, loads at nodes. Gravity is on the bodies."""
    m, still = s.mechanism, loads(s, gravity=False)
    force = [still.force[k] if b.modes else ZERO for k, b in enumerate(m.bodies)]
    moment = [still.moment[k] if b.modes else ZERO for k, b in enumerate(m.bodies)]
    joint = [still.joint[k] if b.modes else applied.joint[k] for k, b in enumerate(m.bodies)]
    return Loads(force, moment, joint)


def explain(s: State) -> list[Quantity]:
    """Masses of the bodies and nodal bodies, and their partial velocities in world axes."""
    m, found, pieces = s.mechanism, [], _pieces(s.mechanism)
    for x in (_MovingPiece(s, piece) for piece in pieces):
        columns, words = [m.speeds[at] for at in m.path_columns[x.piece.body]], f"of {x.piece.name}, world axes"
        found.append(quantity(f"V_{x.piece.name}", f"∂ṙ/∂u {words}", x.partials.V, "xyz", columns))
        if x.piece.inertia is not None:
            found.append(quantity(f"W_{x.piece.name}", f"∂ω/∂u {words}", x.partials.W, "xyz", columns))
    return [quantity("m", "masses", [p.mass for p in pieces], [p.name for p in pieces]), *found]
