"""Joints on elastic bodies: which node a place means, and what a body's own coordinates add to the joint that carries it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.elastic.joint_with_modes import JointWithModes
from dalembert.elastic.node import Node
from dalembert.errors import ModelError
from dalembert.parts.frames import Frame
from dalembert.parts.joints import Joint
from dalembert.parts.names import unknown
from dalembert.parts.prescribed import PrescribedMotion

_SAME_PLACE = 1e-9
"""Part of the body's size within which a point counts as being at a node."""


def on_nodes(placement: Any, bodies: Mapping[str, Any]) -> Any:
    """A joint's placement with both its frames on nodes where its bodies are elastic."""
    made = {}
    for end, name in (("on_parent", placement.parent), ("on_child", placement.child)):
        where = f'joint "{placement.name}": at_{end[3:]}'
        made[end] = _on_node(getattr(placement, end), bodies.get(name), where)
    return replace(placement, **made)


def _on_node(frame: Frame, body: Any, where: str) -> Frame:
    if body is None or not body.modes:
        if frame.node:
            raise ModelError(f'{where}: node "{frame.node}" is named, but the body there is not elastic')
        return frame
    if frame.node == "frame":
        return replace(frame, node=None)
    if frame.node is not None:
        if frame.node not in body.nodes:
            raise unknown(frame.node, "node", ["frame", *body.nodes], where)
        return frame
    return replace(frame, node=node_at(body, frame.position, where), position=np.zeros(3))


def node_at(body: Any, place: Any, where: str) -> str:
    """The node at a point of the undeformed body."""
    points = {name: np.abs(np.asarray(place, dtype=float) - node.r).max() for name, node in body.nodes.items()}
    size = max((float(np.abs(node.r).max()) for node in body.nodes.values()), default=0.0) or 1.0
    near = [name for name, distance in points.items() if distance <= _SAME_PLACE * size]
    if not near:
        raise ModelError(
            f'{where}: body "{body.name}" is elastic and has no node at {tuple(map(float, place))}; name a node '
            f'({", ".join(body.nodes) or "it has none"}), or "frame" for its floating frame'
        )
    return near[0]


def with_modes(
    joint: Joint, on_child: Frame, law: PrescribedMotion, body: Any
) -> tuple[Joint, Frame, PrescribedMotion]:
    """The joint with the body's coordinates after its own; its frame on the body is then the floating frame."""
    n = len(body.modes)
    node = body.nodes[on_child.node] if on_child.node else Node.of(np.zeros(3), np.zeros((3, n)))
    free = (None,) * n
    more = PrescribedMotion((*law.q, *free), (*law.u, *free), (*law.udot, *free))
    return JointWithModes(joint, node, on_child, body.modes), Frame(), more
