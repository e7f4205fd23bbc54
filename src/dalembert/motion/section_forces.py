"""Loads inside a beam by equilibrium: what the part beyond a section exerts on the part before it.

Newton's and Euler's laws for the part beyond give it: all that acts there (joints, constraints, forces, weight) less what its motion
demands. That needs no strain, so that shear and the pull of a spinning beam without axial modes come out as well, and it converges as
fast as accelerations do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.elastic.slices import Moved, Slices
from dalembert.errors import ModelError
from dalembert.mechanism import Mechanism
from dalembert.motion import quantities
from dalembert.motion.reactions import joint_ends, transmitted
from dalembert.motion.samples import Samples, evaluate, evaluate_with_loads
from dalembert.parts.forces import BodyLoad
from dalembert.vectors import cross

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class SectionForces:
    """At the sections `x` (P,), at every sample: `force` (K, P, 3), pull and both shears, and `moment` (K, P, 3), torsion and both
    bendings, about the section's displaced place; in the axes of the floating frame. Seen just beyond x, at the last just before it."""

    x: np.ndarray
    force: np.ndarray
    moment: np.ndarray


@dataclass(frozen=True, eq=False)
class _External:
    """A wrench on the body (S, 6), torque first, about its origin and in its axes, and its place along the beam."""

    along: float
    wrench: np.ndarray


def section_forces(x: Samples, body: str) -> SectionForces:
    m = x.mechanism
    k = m.number_of.get(body, 0)
    if not k or not m.bodies[k - 1].modes:
        known = ", ".join(b.name for b in m.bodies if b.modes) or "none"
        raise ModelError(f'there is no elastic body "{body}"; the mechanism has {known}')
    slices = m.bodies[k - 1].data.slices
    if slices is None:
        raise ModelError(f'body "{body}" is not a beam made by da.beam, so that it has no sections')
    force, moment, along = _inertial(x, k, slices)
    parts = [(np.concatenate([-moment, -force], axis=2), along)]
    external = _external(x, k)
    if external:
        wrenches = np.stack([e.wrench for e in external], axis=1)
        parts.append((wrenches, np.array([e.along for e in external])))
    total = sum(np.einsum("pk,skc->spc", slices.beyond(at).astype(float), wrench) for wrench, at in parts)
    q, none = quantities.deformation(x, k)[0], np.zeros((len(x), len(m.bodies[k - 1].modes)))
    places = Moved.of(slices.axis, q, none, none).x
    total = np.asarray(total)
    return SectionForces(slices.x, total[..., 3:], total[..., :3] - np.cross(places, total[..., 3:]))


def _inertial(x: Samples, k: int, s: Slices) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(S, K, 3) m(ẍ − g) of every slice and its moment about the frame's origin, in body axes; and the slices' places."""
    q, qd, qdd = quantities.deformation(x, k)
    R = x.body_motion.rotation[:, k - 1]
    acc = quantities.acceleration(x, x.mechanism.bodies[k - 1].name)
    w, alpha, a = (
        np.einsum("sba,sb->sa", R, v)[:, None]
        for v in (x.body_motion.angular_velocity[:, k - 1], acc.angular, acc.linear - _gravity(x.mechanism))
    )
    p = Moved.of(s.points, q, qd, qdd)
    moving = a + np.cross(alpha, p.x) + np.cross(w, np.cross(w, p.x) + 2.0 * p.rate) + p.second
    force = s.m[:, None] * moving
    moment = np.cross(p.x, force) + _turning(s, q, qd, qdd, w, alpha)
    return force, moment, s.along


def _turning(s: Slices, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, w: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """I ω̇ + ω × Iω of every slice, turned by its modes to first order."""
    Psi = np.array([n.Psi for n in s.points])
    turn, rate, second = (np.einsum("kaj,sj->ska", Psi, x) for x in (q, qd, qdd))
    inertia = np.trace(s.D, axis1=1, axis2=2)[:, None, None] * np.eye(3) - s.D

    def times(v: np.ndarray) -> np.ndarray:
        """I + θ̃ I − I θ̃ on vectors."""
        plain, turned = np.einsum("kab,skb->ska", inertia, v), np.cross(turn, v)
        return plain + np.cross(turn, plain) - np.einsum("kab,skb->ska", inertia, turned)

    own = w + rate
    return times(alpha + second + np.cross(w, rate)) + np.cross(own, times(own))


def _gravity(m: Mechanism) -> np.ndarray:
    return np.asarray(m.numeric.gravity, dtype=float)


def _external(x: Samples, k: int) -> list[_External]:
    """All that joints, constraints and forces exert at the body's nodes."""
    m, R, origin = x.mechanism, x.body_motion.rotation[:, k - 1], x.body_motion.position[:, k - 1]

    def here(wrench: np.ndarray, about: np.ndarray) -> np.ndarray:
        torque = wrench[:, :3] + np.cross(about - origin, wrench[:, 3:])
        return np.hstack([np.einsum("sba,sb->sa", R, part) for part in (torque, wrench[:, 3:])])

    out = []
    for number, j in enumerate(m.joints, start=1):
        if number == k or m.parent[number - 1] == k:
            carried: Any = j.joint
            node = carried.node if number == k else m.bodies[k - 1].nodes.get(j.on_parent.node or "")
            about = joint_ends(x, number).places[0]
            wrench = transmitted(x, number, about) * (1.0 if number == k else -1.0)
            out.append(_External(0.0 if node is None else float(node.r[0]), here(wrench, about)))
    for name, d in m.constraint_rows.items():
        frames = [f for f in d.bodies if m.body_of(f) == k]
        if len(frames) > 1:
            raise ModelError(
                f'"{name}" acts at several nodes of body "{m.bodies[k - 1].name}"; its parts are not known'
            )
        if frames:
            out.append(_External(_along(m, frames[0]), here(x.body_forces.exerted[name][k], origin)))
    return out + _applied(x, k, here)


def _along(m: Mechanism, frame: int) -> float:
    """Where a node frame sits along its beam; the floating frame itself counts as its beginning."""
    if frame <= m.n_bodies:
        return 0.0
    at = m.node_frames[frame - m.n_bodies - 1]
    return float(m.bodies[at.body - 1].nodes[at.node].r[0])


def _applied(x: Samples, k: int, here: Any) -> list[_External]:
    """Forces of the model at the body's nodes."""
    m = x.mechanism
    frames = [m.node_frame_number[s.body, s.node] for s in m.node_frames if s.body == k]
    if not m.forces or not frames:
        return []

    def formula(s: State, _: Any) -> Any:
        rows = {frame: [np.zeros(3), np.zeros(3)] for frame in frames}
        for force in s.mechanism.forces.values():
            for load in force.loads(s):
                if isinstance(load, BodyLoad) and (frame := s.body_number(load.body)) in rows:
                    F, T = s.settled(load.force), s.settled(load.torque)
                    at = s.poses[frame].p if load.at is None else load.at
                    rows[frame][0] = rows[frame][0] + T + cross(at - s.poses[k].p, F)
                    rows[frame][1] = rows[frame][1] + F
        return [[*torque, *force] for torque, force in rows.values()]

    found = evaluate_with_loads(x, formula)
    origin = evaluate(x, lambda s, _: s.poses[k].p)
    return [
        _External(_along(m, frame), here(found[:, i], origin)) for i, frame in enumerate(frames) if np.any(found[:, i])
    ]
