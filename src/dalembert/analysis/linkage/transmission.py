"""Transmission angle of loops of four links: that between the coupler and the normal to the way its far end must go.

From the input round the loop the joints are J0, J1, J2, J3. The coupler pushes along J1 J2; the follower's joint J3 lets the point
J2 move along v. With the axis a of the input, −v × a is the direction from J2 to J3 for a rocker, the normal of the guide for a
slider; the angle to it is 90° where the coupler pushes best and 0 or 180° where it cannot move the follower.
"""

from __future__ import annotations

import numpy as np

from dalembert.mechanism import CutJoint, Mechanism, TreeJoint
from dalembert.topology import loops

FOUR = 4
PLANAR = 1e-6
"""Part of a direction that may point out of the plane."""


def transmission_angles(m: Mechanism, joint: str, poses: np.ndarray, t: float) -> dict[str, np.ndarray]:
    """Transmission angles of the loops of four links that the joint is part of, if they are plane: radians, by cut joint."""
    m = m.numeric
    out = {}
    for cut, loop in zip(m.cuts, loops(m.tree)):
        around = _around(m, cut, loop.bodies, joint)
        if len(loop.bodies) != FOUR or around is None:
            continue
        angles = [_angle(m, around, q, t) for q in poses]
        if all(a is not None for a in angles):
            out[cut.name] = np.array(angles, dtype=float)
    return out


Around = list[tuple[TreeJoint | CutJoint, int, int]]
"""Joints with their parent and child bodies."""


def _around(m: Mechanism, cut: CutJoint, bodies: tuple[int, ...], first: str) -> Around | None:
    """The loop's joints in order, the first one first, on towards the moving side; None where it is not part of the loop."""
    ring: Around = []
    for a, b in zip(bodies, (*bodies[1:], bodies[0])):
        if {a, b} == {cut.parent, cut.child} and len(ring) == len(bodies) - 1:
            ring.append((cut, cut.parent, cut.child))
        else:
            child = a if m.parent[a - 1] == b and a else b
            ring.append((m.joints[child - 1], m.parent[child - 1], child))
    names = [j.name for j, _, _ in ring]
    if first not in names:
        return None
    k = names.index(first)
    ring = ring[k:] + ring[:k]
    # the link after the input must be the one that it moves, not the frame it stands on
    ahead = {ring[0][1], ring[0][2]} & {ring[1][1], ring[1][2]}
    return ring if ring[0][2] in ahead else [ring[0], *ring[:0:-1]]


def _angle(m: Mechanism, around: Around, q: np.ndarray, t: float) -> float | None:
    state = m.state(q, np.zeros(m.n_u), t)

    def place(k: int) -> np.ndarray:
        joint, parent, _ = around[k]
        pose = state.poses[parent]
        at: np.ndarray = pose.p + pose.R @ joint.on_parent.position
        return at

    one, two, last = around[1], around[2], around[3]
    if around[0][0].joint.n_u != 1 or last[0].joint.n_u != 1:
        return None
    first = state.poses[around[0][2]].R @ around[0][0].on_child.rotation
    axis = first @ around[0][0].joint.turning(around[0][0].joint.reference)[:, 0]
    slides = [np.any(j.joint.sliding(j.joint.reference) != 0.0) for j, _, _ in (one, two)]
    if any(slides) or np.linalg.norm(axis) == 0.0:
        return None
    axis = axis / np.linalg.norm(axis)
    joint, parent, child = last
    R_P, R_C = state.poses[parent].R @ joint.on_parent.rotation, state.poses[child].R @ joint.on_child.rotation
    end, begin = place(2), place(1)
    turning = R_C @ joint.joint.turning(joint.joint.reference)[:, 0]
    way = np.cross(turning, end - place(3)) + R_P @ joint.joint.sliding(joint.joint.reference)[:, 0]
    normal, coupler = -np.cross(way, axis), begin - end
    if turning @ axis < 0.0:
        normal = -normal
    sizes = np.linalg.norm(normal), np.linalg.norm(coupler)
    if min(sizes) == 0.0 or abs(way @ axis) > PLANAR * np.linalg.norm(way) or abs(coupler @ axis) > PLANAR * sizes[1]:
        return None
    return float(np.arccos(np.clip(normal @ coupler / (sizes[0] * sizes[1]), -1.0, 1.0)))
