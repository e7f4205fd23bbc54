"""What a joint transmits, as it depends on accelerations and on the multipliers of all rows: w = w₀ + W u̇ + X λ.

w is the torque about the joint's frame on its child, in that frame's axes, and the force, in the axes of its frame on the parent, that
the parent exerts on the child through the joint, motors and springs included. For a joint of the tree it follows from Newton's and
Euler's laws for all bodies that the joint carries, for a joint that closes a loop from its own rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dalembert.errors import ModelError
from dalembert.kinematics.constraint_rows import Differentiated
from dalembert.kinematics.loads import loads
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.trace import jacobian, substitute, symbols, tracing
from dalembert.vectors import Matrix, Vector, cross, vector


class Transmitted(NamedTuple):
    """w₀ (6), W (6 × n_u) and X (6 × rows of loops, then of laws); last, forces of motors and springs along the joint's speeds."""

    w0: np.ndarray
    W: np.ndarray
    X: np.ndarray
    own: np.ndarray
    sign: float = 1.0
    """−1 where the tree sees the joint turned round: its speeds are the child's motion, but w is on the parent of the tree."""


def needed(s: State, udot: Any) -> list[list[Any]]:
    """For every body what its motion needs beside the applied forces: torque about its origin, and force, world axes."""
    m, acc, applied = s.mechanism, s.accelerations(udot), loads(s)
    out = []
    for k, b in enumerate(m.bodies, start=1):
        force, moment = b.demands(s.instants[k - 1], acc[k].w, acc[k].v, s.modal_udot(k, udot))
        f, n = force - applied.force[k - 1], moment - applied.moment[k - 1]
        out.append([*(n + cross(s.com_arms[k - 1], f)), *f])
    return out


def carried(m: Mechanism, number: int) -> list[int]:
    """The body and all that it carries."""
    out = {number}
    for k, parent in enumerate(m.parent, start=1):
        if parent in out:
            out.add(k)
    return sorted(out)


def transmitted(s: State, joint: str) -> Transmitted:
    """See the module's text."""
    m = s.mechanism
    if joint in m.closures:
        return _by_own_rows(s, joint)
    return _by_newton_euler(s, m.joint_number[joint])


def joint_wrench(s: State, joint: str) -> Vector:
    """Torque and force that a joint transmits to its child, in the axes above, where u̇ and, for a joint of a loop, λ are known."""
    m = s.mechanism
    closing = joint in m.closures
    bodies = [] if closing else carried(m, s.joint_index(joint) + 1)
    in_loops = closing or bool(_crossing(m, bodies, m.constraint_rows))
    laws = list(m.laws) if in_loops else _crossing(m, bodies, m.law_rows)
    if laws:
        raise ModelError(
            f'what joint "{joint}" transmits hangs on the forces of law "{laws[0]}", which may be shared with what else holds: '
            f'read them after the run, by motion.reaction("{joint}"), or leave out the law (m.without_laws())'
        )
    made, udot = transmitted(s, joint), np.asarray(s.udot)
    found = made.w0 + made.W @ udot
    return np.asarray(found + made.X @ np.asarray(s.multipliers) if in_loops else found)


def sensed_joints(m: Mechanism) -> dict[str, tuple[str, ...]]:
    """Joints in loops whose reactions sampled elements read, by element: see `Mechanism.sensed_joints`."""
    asked: list[str] = []

    class Listening(State):
        """A state that keeps in mind which joints it was asked for."""

        def joint_wrench(self, joint: str) -> Vector:
            found = joint_wrench(self, joint)
            if joint in m.closures or _crossing(m, carried(m, self.joint_index(joint) + 1), m.constraint_rows):
                asked.append(joint)
            return found

    made = {}
    with tracing():
        sampled = m.sampled_state()
        s = Listening(m, sampled.t, sampled.coordinates, sampled.speeds).with_udot(sampled.udot, sampled.multipliers)
        for name, p in m.elements.items():
            if p.element.period is not None:
                asked.clear()
                p.update(s)
                made[name] = tuple(dict.fromkeys(asked))
    return {name: joints for name, joints in made.items() if joints}


def _crossing(m: Mechanism, bodies: list[int], rows: Mapping[str, Differentiated]) -> list[str]:
    """Those of constraints or laws that act between these bodies and others."""
    found = []
    for name, d in rows.items():
        inside = [m.number_of[body] in bodies for body in d.constraint.bodies]
        inside += [m.body_of(k) in bodies for k in d.bodies]
        if any(inside) and not all(inside):
            found.append(name)
    return found


def _every_row(m: Mechanism) -> list[Differentiated]:
    return [*m.constraint_rows.values(), *m.law_rows.values()]


def _by_newton_euler(s: State, number: int) -> Transmitted:
    m = s.mechanism
    at, R_C, R_P, sign = _frames(s, number)
    bodies = carried(m, number)
    udot = symbols("#udot.", range(m.n_u))

    def about(wrench: Any, place: Vector) -> Vector:
        torque, force = np.asarray(wrench[:3]), np.asarray(wrench[3:])
        return vector([*(torque + cross(place - at, force)), *force])

    def total(rates: Any) -> Vector:
        every = needed(s, rates)
        return vector(sum(about(every[k - 1], s.poses[k].p) for k in bodies))

    w0 = total(np.zeros(m.n_u))
    W = jacobian(total(udot), list(udot))
    if not s.traced:  # linear in u̇, so that its symbols are gone where parameters have their values
        W = np.asarray(substitute(W, m.parameter_values), dtype=float)
    columns = []
    for d in _every_row(m):
        C = d.values(s)[2]
        for row in C:
            parts = [
                about(row[6 * i : 6 * i + 6], s.poses[k].p) for i, k in enumerate(d.bodies) if m.body_of(k) in bodies
            ]
            columns.append(vector(sum(parts)) if parts else np.zeros(6))
    X = np.array(columns).T if columns else np.zeros((6, 0))
    own = np.asarray(loads(s).joint[number - 1][: m.joints[number - 1].joint.inner.n_u])
    w0, W, X = (sign * _in_axes(x, R_C, R_P) for x in (w0, W, X))
    return Transmitted(w0, W, X, sign * own, sign)


def _frames(s: State, number: int) -> tuple[Vector, Matrix, Matrix, float]:
    """Place of the user's child frame, axes of the user's child and parent frames, and whether the tree sees the joint turned round."""
    m = s.mechanism
    j, inner, link = m.joints[number - 1], s.poses[m.stands_on[number - 1]], s.links[number - 1]
    joint, p_P = j.joint.inner, inner.p + inner.R @ j.on_parent.position
    q = s.joint_q[number - 1][: joint.n_q]
    p_C, R_C = p_P + link.R_P @ joint.translation(q), link.R_P @ joint.rotation(q)
    return (p_P, link.R_P, R_C, -1.0) if m.tree.reversed[number - 1] else (p_C, R_C, link.R_P, 1.0)


def _by_own_rows(s: State, name: str) -> Transmitted:
    """−Cᵀλ on the child, of its own rows; from the parent's side where the child is the ground."""
    m = s.mechanism
    closure = m.closures[name]
    (p_C, _), (R_C, R_P), (child, parent) = closure.acts_at(s), closure.axes(s), closure.ends
    d = m.constraint_rows[name]
    frames = [s.body_number(child), s.body_number(parent)]
    side = 0 if frames[0] in d.bodies else 1
    i, place = d.bodies.index(frames[side]), s.poses[frames[side]].p
    C = d.values(s)[2][:, 6 * i : 6 * i + 6]
    sign = -1.0 if side == 0 else 1.0
    columns = []
    for rows in _every_row(m):
        for k in range(len(rows.g)):
            if rows is not d:
                columns.append(np.zeros(6))
                continue
            torque, force = C[k, :3], C[k, 3:]
            columns.append(vector([*(sign * (torque + cross(place - p_C, force))), *(sign * force)]))
    X = _in_axes(np.array(columns).T, R_C, R_P)
    return Transmitted(np.zeros(6), np.zeros((6, m.n_u)), X, np.zeros(closure.joint.n_u))


def _in_axes(w: np.ndarray, R_C: Matrix, R_P: Matrix) -> np.ndarray:
    return np.concatenate([R_C.T @ w[:3], R_P.T @ w[3:]])
