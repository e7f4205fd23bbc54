"""Closed loops and further elements that extensions of URDF describe.

- `<loop_joint>` of Isaac Sim (and, with an axis, of Drake's first parser): a frame on each of two links.
- `<drake:ball_constraint>`: a point on each of two links.
- `<gazebo>` around an SDFormat `<joint>`: a pose on the child; the parent's follows from where the links are at zero.
- `<drake:linear_spring_damper>`, and the rotor inertia of a `<transmission>`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from dalembert.importers.poses import back, rpy, then
from dalembert.importers.urdf.link_tree import LinkTree
from dalembert.importers.urdf.urdf_joints import axis
from dalembert.importers.urdf.urdf_links import pose
from dalembert.importers.xml_node import XmlNode
from dalembert.parts.forces import Spring
from dalembert.parts.frames import Frame
from dalembert.parts.joints import Joint, Prismatic, Revolute, Spherical, Universal, Weld
from dalembert.parts.joints.axis import Axis


@dataclass(frozen=True, eq=False)
class Closure:
    """A joint that closes a loop between two links."""

    name: str
    joint: Joint
    parent: str
    child: str
    on_parent: Frame
    on_child: Frame


def closures(robot: XmlNode, tree: LinkTree) -> Iterator[tuple[XmlNode, Closure]]:
    for node in robot.all("loop_joint"):
        yield node, _loop_joint(node, tree)
    for node in robot.all("drake:ball_constraint"):
        yield node, _ball_constraint(node, tree)
    for gazebo in robot.children:
        if gazebo.tag == "gazebo" and "reference" not in gazebo.attributes:
            for node in gazebo.all("joint"):
                gazebo.used = True
                yield node, _sdf_joint(node, tree)


def _loop_joint(node: XmlNode, tree: LinkTree) -> Closure:
    ends = list(node.all("link1", "link2"))
    if len(ends) != 2:
        raise node.error("it needs <link1 link=…/> and <link2 link=…/>")
    kinds: dict[str, Callable[[], Joint]] = {
        "spherical": Spherical,
        "revolute": lambda: Revolute(axis(node)),
        "continuous": lambda: Revolute(axis(node)),
        "prismatic": lambda: Prismatic(axis(node)),
        "fixed": Weld,
    }
    made = kinds[node.choice("type", tuple(kinds), default="revolute")]()
    (a, on_a), (b, on_b) = ((tree.link(end.text_of("link"), end), pose(end)) for end in ends)
    return Closure(node.text_of("name"), made, a, b, on_a, on_b)


def _ball_constraint(node: XmlNode, tree: LinkTree) -> Closure:
    (a, on_a), (b, on_b) = _points(node, tree, "drake:ball_constraint")
    return Closure(f"ball_{node.line}", Spherical(), a, b, Frame(on_a), Frame(on_b))


def _points(node: XmlNode, tree: LinkTree, prefix: str) -> Iterator[tuple[str, np.ndarray]]:
    """Drake's point P of body A and Q of body B."""
    for body, point in (("A", "AP"), ("B", "BQ")):
        link = node.need(f"{prefix}_body_{body}")
        yield tree.link(link.text_of("name"), link), node.need(f"{prefix}_p_{point}").numbers("value", 3)


def _sdf_joint(node: XmlNode, tree: LinkTree) -> Closure:
    """[SDFormat: the pose of a joint is given on its child, its axis in its own frame.]"""
    parent, child = (_named(node.need(side), tree) for side in ("parent", "child"))
    at = node.one("pose")
    six = np.zeros(6) if at is None else at.listed(at.text, 6, 6, "its text ")
    on_child = Frame(six[:3], rpy(six[3:]))
    kinds: dict[str, Callable[[], Joint]] = {
        "revolute": lambda: Revolute(_xyz(node, "axis")),
        "continuous": lambda: Revolute(_xyz(node, "axis")),
        "prismatic": lambda: Prismatic(_xyz(node, "axis")),
        "universal": lambda: Universal(_xyz(node, "axis"), _xyz(node, "axis2")),
        "ball": Spherical,
        "fixed": Weld,
    }
    made = node.checked(kinds[node.choice("type", tuple(kinds))])
    on_parent = then(back(tree.pose(parent)), then(tree.pose(child), on_child))
    return Closure(node.text_of("name"), made, parent, child, on_parent, on_child)


def _named(node: XmlNode, tree: LinkTree) -> str:
    return tree.link(node.text.strip(), node)


def _xyz(node: XmlNode, tag: str) -> Axis:
    given = node.need(tag).need("xyz")
    return given.unit(given.listed(given.text, 3, 3, "its text "))


def springs(robot: XmlNode, tree: LinkTree, body_of: dict[str, str]) -> Iterator[tuple[str, Spring]]:
    """Drake's spring and damper between two points, on the bodies that the links became."""
    prefix = "drake:linear_spring_damper"
    for node in robot.all(prefix):
        length, stiffness, damping = (
            node.need(f"{prefix}_{what}").number("value") for what in ("free_length", "stiffness", "damping")
        )
        a, b = ((body_of[link], at) for link, at in _points(node, tree, prefix))
        yield f"spring_{node.line}", node.checked(Spring, a, b, stiffness, damping, length)


def rotors(robot: XmlNode) -> Iterator[tuple[XmlNode, str, float]]:
    """The inertia that Drake's rotors add to the joints of transmissions: gear_ratio² · rotor_inertia."""
    for node in robot.all("transmission"):
        actuator, driven = next(node.all("actuator"), None), next(node.all("joint"), None)
        inertia = actuator.one("drake:rotor_inertia") if actuator else None
        if actuator is None or driven is None or inertia is None:
            continue
        gear = actuator.one("drake:gear_ratio")
        ratio = 1.0 if gear is None else gear.number("value")
        yield driven, driven.text_of("name"), ratio * ratio * inertia.number("value")
