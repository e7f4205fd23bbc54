"""Joints of an SDF model. Where all stand at zero, links are where the file puts them; a joint's frame is given on its child."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dalembert.importers.imported import ACCELERATIONS, AT_LIMITS, Notes
from dalembert.importers.sdf.frame_graph import FrameGraph, ModelScope
from dalembert.importers.sdf.sdf_values import direction, end, flag, value
from dalembert.importers.xml_node import XmlNode
from dalembert.parts.joints import Joint, Prismatic, Revolute, Screw, Spherical, Universal, Weld
from dalembert.parts.joints.axis import Axis

EXPRESSED_IN_MODEL = (1, 5)
"""Version before which axes stand in the axes of the model."""


@dataclass(frozen=True, eq=False)
class SdfJoint:
    """A joint of the file: its frame by name, and the links it connects."""

    name: str
    node: XmlNode
    scope: ModelScope
    frame: str
    parent: str
    child: str
    joint: Joint
    freedoms: tuple[XmlNode, ...]
    """The <axis> elements of the joint, one for each freedom that has limits and damping."""


def axis(node: XmlNode, tag: str, frame: str, scope: ModelScope, frames: FrameGraph) -> Axis:
    """The direction of <axis>, in the axes of the joint's frame."""
    given = node.need(tag)
    xyz = given.one("xyz")
    if xyz is None:
        return (0.0, 0.0, 1.0)
    said = xyz.get("expressed_in")
    if said:
        into = frames.named(said, scope, xyz)
    elif flag(given, "use_parent_model_frame", scope.version < EXPRESSED_IN_MODEL):
        into = scope.model
    else:
        return direction(xyz, np.eye(3))
    return direction(xyz, frames.pose(frame).rotation.T @ frames.pose(into).rotation)


def _pitch(node: XmlNode) -> float:
    """Advance per turn, m; before version 1.10 SDF gave −2π over it."""
    if node.one("screw_thread_pitch") is not None:
        return value(node, "screw_thread_pitch")
    given = value(node, "thread_pitch", 1.0)
    if not given:
        raise node.error("thread_pitch of zero does not slide; use a revolute joint")
    return -2.0 * math.pi / given


AXES: dict[str, tuple[str, ...]] = {
    "revolute": ("axis",), "continuous": ("axis",), "prismatic": ("axis",), "screw": ("axis",),
    "universal": ("axis", "axis2"), "revolute2": ("axis", "axis2"), "ball": (), "fixed": (),
}  # fmt: skip
"""Kinds of joints, with the axes that each has."""
MAKE: dict[str, Callable[..., Joint]] = {
    "revolute": Revolute, "continuous": Revolute, "prismatic": Prismatic, "universal": Universal, "revolute2": Universal,
    "ball": Spherical, "fixed": Weld,
}  # fmt: skip
GEARBOX = "gearbox"


def read_joint(node: XmlNode, frame: str, scope: ModelScope, frames: FrameGraph) -> SdfJoint:
    """A joint but a gearbox, which is none: it relates two others."""
    ends = []
    for side in ("parent", "child"):
        said = node.need(side)
        ends.append(frames.link(frames.named(said.text.strip(), scope, said)))
    kind = node.choice("type", tuple(AXES))
    axes = [axis(node, tag, frame, scope, frames) for tag in AXES[kind]]
    made = node.checked(Screw, axes[0], _pitch(node)) if kind == "screw" else node.checked(MAKE[kind], *axes)
    freedoms = tuple(node.need(tag) for tag in AXES[kind])
    for unused in node.children:
        if unused.tag in ("axis", "axis2") and unused.tag not in AXES[kind]:
            unused.forget()  # a ball and a weld turn about none
    return SdfJoint(frame, node, scope, frame, ends[0], ends[1], made, freedoms)


@dataclass(frozen=True)
class AxisLaw:
    """What acts along one freedom."""

    ends: tuple[float, float] | None
    damping: float
    friction: float
    stiffness: float
    rest: float


def axis_law(node: XmlNode, notes: Notes) -> AxisLaw:
    """<limit> and <dynamics> of an <axis>."""
    ends, damping, friction, stiffness, rest = None, 0.0, 0.0, 0.0, 0.0
    limit = node.one("limit")
    if limit is not None:
        low, high = end(limit, "lower", -math.inf), end(limit, "upper", math.inf)
        ends = (low, high) if low < high and (low, high) != (-math.inf, math.inf) else None
        for tag in ("effort", "velocity"):
            if math.isfinite(end(limit, tag, math.inf)) and end(limit, tag, math.inf) >= 0.0:
                notes.add(limit, "effort and speed of joints are unbounded here", AT_LIMITS, "effort and speed")
        for tag in ("stiffness", "dissipation"):
            if limit.one(tag) is not None:
                notes.add(limit, "ends of ways are hard here: their stiffness has no meaning", AT_LIMITS, "soft ends")
    dynamics = node.one("dynamics")
    if dynamics is not None:
        damping, friction = value(dynamics, "damping", 0.0), value(dynamics, "friction", 0.0)
        stiffness, rest = value(dynamics, "spring_stiffness", 0.0), value(dynamics, "spring_reference", 0.0)
        if friction < 0.0:
            raise dynamics.error("<friction> is negative")
    return AxisLaw(ends, damping, friction, stiffness, rest)


@dataclass(frozen=True, eq=False)
class Gearbox:
    """θ₂ = −ratio θ₁: θ₁ from the reference link to the parent about the axis, θ₂ to the child about the second axis."""

    node: XmlNode
    reference: str
    parent: str
    child: str
    axes: tuple[np.ndarray, np.ndarray]
    """In the world, where all joints stand at zero."""
    ratio: float

    def factors(
        self, joints: list[SdfJoint], frames: FrameGraph, names: dict[str, str], notes: Notes
    ) -> dict[str, float] | None:
        """Σ factor · coordinate = 0; None where the two turns are not those of two joints."""
        made: dict[str, float] = {}
        for link, along, factor in ((self.parent, self.axes[0], self.ratio), (self.child, self.axes[1], 1.0)):
            found = [j for j in joints if {j.parent, j.child} == {self.reference, link} and j.joint.n_u == 1]
            if not found:
                what = f'no joint turns "{link}" on the reference "{self.reference}": the gearbox is left out'
                notes.add(self.node, what, ACCELERATIONS)
                return None
            j = found[0]
            same = float(frames.pose(j.frame).rotation @ np.array(j.joint.axis) @ along)  # type: ignore[attr-defined]
            sign = math.copysign(1.0, same) * (1.0 if j.parent == self.reference else -1.0)
            made[names[j.name]] = made.get(names[j.name], 0.0) + sign * factor
        return made


def read_gearbox(node: XmlNode, frame: str, scope: ModelScope, frames: FrameGraph) -> Gearbox:
    links = []
    for tag in ("gearbox_reference_body", "parent", "child"):
        said = node.need(tag)
        links.append(frames.link(frames.named(said.text.strip(), scope, said)))
    R = frames.pose(frame).rotation
    first, second = (R @ np.array(axis(node, tag, frame, scope, frames)) for tag in ("axis", "axis2"))
    reference, parent, child = links
    return Gearbox(node, reference, parent, child, (first, second), value(node, "gearbox_ratio", 1.0))
