"""Where joints are on their bodies; on elastic ones, while they are not deformed."""

from __future__ import annotations

import numpy as np

from dalembert.mechanism import CutJoint, Mechanism, TreeJoint
from dalembert.parts.frames import Frame
from dalembert.vectors import Vector
from dalembert.view.drawing.traced_places import place


def on_parent(m: Mechanism, j: TreeJoint | CutJoint, parent: int) -> Frame:
    """The joint's frame in the parent body's axes."""
    return _in_body(m, j.on_parent, parent)


def on_child(m: Mechanism, j: TreeJoint | CutJoint, child: int) -> Frame:
    """The joint's frame in the child body's axes: from where its own coordinates lead, as those of the body begin."""
    frame = _in_body(m, j.on_child, child)
    own, whole = j.joint.inner, j.joint
    q, Q = own.reference, whole.reference
    R = np.asarray(whole.rotation(Q), dtype=float).T
    back = R @ np.asarray(own.translation(q) - whole.translation(Q), dtype=float)
    return Frame(frame.position + frame.rotation @ back, frame.rotation @ R @ np.asarray(own.rotation(q), dtype=float))


def place_on_parent(m: Mechanism, of: Mechanism, number: int, cut: bool = False) -> Vector:
    """Place of a joint, or of one that closes a loop, on its parent; `of` has parameters where `m` has numbers."""
    j, traced = (m.cuts[number], of.cuts[number]) if cut else (m.joints[number], of.joints[number])
    parent = m.cuts[number].parent if cut else m.parent[number]
    found = on_parent(m, j, parent).position
    return place(found, traced.on_parent.position + (found - j.on_parent.position.astype(float)))


def place_on_child(m: Mechanism, of: Mechanism, number: int, cut: bool = False) -> Vector:
    """The same on its child."""
    j, traced = (m.cuts[number], of.cuts[number]) if cut else (m.joints[number], of.joints[number])
    found = on_child(m, j, m.cuts[number].child if cut else number + 1).position
    return place(found, traced.on_child.position + (found - j.on_child.position.astype(float)))


def tracks(m: Mechanism, j: TreeJoint | CutJoint, parent: int, child: int) -> dict[int, list[Vector]]:
    """Points of the curve that the joint guides along, by the body that it is drawn on, in the body's axes."""
    ends = ((parent, on_parent(m, j, parent)), (child, _in_body(m, j.on_child, child)))
    return {
        body: [frame.position + frame.rotation @ p for p in points]
        for (body, frame), points in zip(ends, j.joint.inner.tracks)
        if points is not None
    }


def _in_body(m: Mechanism, frame: Frame, body: int) -> Frame:
    at = m.bodies[body - 1].nodes[frame.node].r if frame.node and body else np.zeros(3)
    return Frame(at + frame.position.astype(float), frame.rotation.astype(float))
