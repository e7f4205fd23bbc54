"""Transmission angle of loops of four links: that between the coupler and the normal to the way its far end must go.

From the input round the loop the joints are J0, J1, J2, J3. The coupler pushes along J1 J2; the follower's joint J3 lets the point
J2 move along v. With the axis a of the input, −v × a is the direction from J2 to J3 for a rocker, the normal of the guide for a
slider; the angle to it is 90° where the coupler pushes best and 0 or 180° where it cannot move the follower.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.mechanism import CutJoint, Mechanism, TreeJoint
from dalembert.topology import loops
from dalembert.trace import Scalar, acos, maximum, minimum, sign, sqrt
from dalembert.vectors import cross

FOUR = 4
PLANAR = 1e-6
"""Part of a direction that may point out of the plane."""


Around = list[tuple[TreeJoint | CutJoint, int, int]]
"""Joints with their parent and child bodies."""


def transmission_angles(m: Mechanism, joint: str, poses: np.ndarray, t: float) -> dict[str, np.ndarray]:
    """Transmission angles of the loops of four links that the joint is part of, if they are plane: radians, by cut joint."""
    m = m.numeric
    still = np.zeros(m.n_u)
    out = {}
    for name, around in four_link_loops(m, joint).items():
        states = [m.state(q, still, t) for q in poses]
        if all(is_plane(s, around) for s in states):
            out[name] = np.array([transmission_angle(s, around) for s in states], dtype=float)
    return out


def four_link_loops(m: Mechanism, joint: str) -> dict[str, Around]:
    """The loops of four links that a joint is part of, by cut joint: their joints in order, this one first."""
    found = {}
    for cut, loop in zip(m.cuts, loops(m.tree)):
        around = _around(m, cut, loop.bodies, joint)
        if len(loop.bodies) == FOUR and around is not None and _turns(around):
            found[cut.name] = around
    return found


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


def _turns(around: Around) -> bool:
    """Whether the input turns, and the coupler's joints do not slide."""
    if around[0][0].joint.n_u != 1 or around[3][0].joint.n_u != 1:
        return False
    slides = [np.any(j.joint.sliding(j.joint.reference) != 0.0) for j, _, _ in around[1:3]]
    return not any(slides) and bool(np.any(around[0][0].joint.turning(around[0][0].joint.reference) != 0.0))


def _directions(state: Any, around: Around) -> tuple[Any, Any, Any, Any]:
    """The axis of the input, the way of the coupler's far end, its normal, and the coupler from its far end back."""

    def place(k: int) -> Any:
        joint, parent, _ = around[k]
        pose = state.poses[parent]
        return pose.p + pose.R @ joint.on_parent.position

    first = state.poses[around[0][2]].R @ around[0][0].on_child.rotation
    axis = first @ around[0][0].joint.turning(around[0][0].joint.reference)[:, 0]
    joint, parent, child = around[3]
    R_P, R_C = state.poses[parent].R @ joint.on_parent.rotation, state.poses[child].R @ joint.on_child.rotation
    end, begin = place(2), place(1)
    turning = R_C @ joint.joint.turning(joint.joint.reference)[:, 0]
    way = cross(turning, end - place(3)) + R_P @ joint.joint.sliding(joint.joint.reference)[:, 0]
    turned = 1.0 + 2.0 * minimum(
        0.0, sign(turning @ axis)
    )  # both about one axis, or the other way round; 0 for a slider
    return axis, way, -turned * cross(way, axis), begin - end


def is_plane(state: Any, around: Around) -> bool:
    """Whether a loop of numbers moves in the plane across its input's axis."""
    axis, way, normal, coupler = _directions(state, around)
    size = np.linalg.norm(axis)
    long, sizes = np.linalg.norm(way), (np.linalg.norm(normal), np.linalg.norm(coupler))
    if min(sizes) == 0.0:
        return False
    return bool(abs(way @ axis) <= PLANAR * long * size and abs(coupler @ axis) <= PLANAR * sizes[1] * size)


def transmission_angle(state: Any, around: Around) -> Scalar:
    """The angle in a state of numbers or symbols, radians."""
    _, _, normal, coupler = _directions(state, around)
    cosine = (normal @ coupler) / sqrt((normal @ normal) * (coupler @ coupler))
    angle: Scalar = acos(minimum(1.0, maximum(-1.0, cosine)))
    return angle
