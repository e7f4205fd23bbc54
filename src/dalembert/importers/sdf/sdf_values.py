"""Values that SDF writes as the text of elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dalembert.importers.poses import quaternion, rpy
from dalembert.importers.xml_node import XmlNode
from dalembert.parts.frames import Frame
from dalembert.parts.joints.axis import Axis

NO_END = 1e16
"""What SDF writes where a range has no end."""


def values(node: XmlNode, tag: str, count: int, default: Any = None) -> np.ndarray:
    """The numbers in a child's text."""
    child = node.one(tag) if default is not None else node.need(tag)
    if child is None:
        return np.array(default, dtype=float)
    return child.listed(child.text, count, count, "its text ")


def value(node: XmlNode, tag: str, default: float | None = None) -> float:
    return float(values(node, tag, 1, None if default is None else [default])[0])


def end(node: XmlNode, tag: str, default: float) -> float:
    """A number that may be infinite."""
    child = node.one(tag)
    said = "" if child is None else child.text.strip().lower().lstrip("+")
    if said in ("inf", "-inf", "infinity", "-infinity"):
        return -math.inf if said.startswith("-") else math.inf
    given = value(node, tag, default)
    return math.copysign(math.inf, given) if abs(given) >= NO_END else given


def word(node: XmlNode, tag: str) -> str | None:
    """A child's text."""
    child = node.one(tag)
    return None if child is None else child.text.strip()


def flag(node: XmlNode, tag: str, default: bool) -> bool:
    child = node.one(tag)
    if child is None:
        return default
    said = child.text.strip().lower()
    if said not in ("true", "false", "1", "0"):
        raise child.error(f"its text {said!r} must be true or false")
    return said in ("true", "1")


def pose(node: XmlNode) -> Frame:
    """Six numbers, x y z roll pitch yaw; or seven with rotation_format="quat_xyzw"."""
    if not node.text.strip():
        return Frame()
    if node.choice("rotation_format", ("euler_rpy", "quat_xyzw"), "euler_rpy") == "quat_xyzw":
        seven = node.listed(node.text, 7, 7, "its text ")
        if not np.linalg.norm(seven[3:]):
            raise node.error("the quaternion has no direction; give one of length 1")
        return Frame(seven[:3], quaternion([seven[6], *seven[3:6]]))
    six = node.listed(node.text, 6, 6, "its text ")
    return Frame(six[:3], rpy(np.radians(six[3:]) if node.flag("degrees") else six[3:]))


def own_pose(node: XmlNode) -> Frame:
    """The <pose> of an element that belongs to a link."""
    at = node.one("pose")
    if at is not None and not at.attributes.get("frame"):
        at.read.add("frame")
    return Frame() if at is None else pose(at)


def direction(node: XmlNode, R: np.ndarray) -> Axis:
    """The axis in <xyz>, turned by R."""
    return node.unit(R @ node.listed(node.text, 3, 3, "its text "))
