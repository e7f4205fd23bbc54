"""Joints between links, of the URDF specification and of Drake's extension."""

from __future__ import annotations

from collections.abc import Callable

from dalembert.importers.xml_node import XmlNode
from dalembert.parts.joints import Free, Joint, Planar, Prismatic, Revolute, Screw, Spherical, Universal, Weld
from dalembert.parts.joints.axis import Axis


def axis(node: XmlNode) -> Axis:
    """<axis xyz="…">, of any length but zero; x where none is given."""
    given = node.one("axis")
    return (1.0, 0.0, 0.0) if given is None else given.unit(given.vector("xyz", (1.0, 0.0, 0.0)))


def _screw(node: XmlNode) -> Joint:
    """Drake's pitch: the advance in metres per turn."""
    return Screw(axis(node), pitch=node.need("drake:screw_thread_pitch").number("value"))


SPECIFIED: dict[str, Callable[[XmlNode], Joint]] = {
    "revolute": lambda node: Revolute(axis(node)),
    "continuous": lambda node: Revolute(axis(node)),
    "prismatic": lambda node: Prismatic(axis(node)),
    "planar": lambda node: Planar(axis(node)),
    "floating": lambda node: Free(),
    "fixed": lambda node: Weld(),
}
OF_DRAKE: dict[str, Callable[[XmlNode], Joint]] = {
    "ball": lambda node: Spherical(),
    "universal": lambda node: Universal(),
    "planar": lambda node: Planar(axis(node)),
    "screw": _screw,
}


def joint(node: XmlNode) -> Joint:
    """What a <joint> or <drake:joint> element connects with."""
    kinds = OF_DRAKE if node.tag.startswith("drake:") else SPECIFIED
    made = kinds[node.choice("type", tuple(kinds))]
    return node.checked(made, node)
