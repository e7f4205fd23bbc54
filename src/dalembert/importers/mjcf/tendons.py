"""Tendons: springs and dampers along combinations of joint coordinates, or straight between two sites."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.importers.imported import AT_LIMITS, Notes
from dalembert.importers.mjcf.body_tree import BodyTree
from dalembert.importers.mjcf.defaults import Defaults
from dalembert.importers.mjcf.law_coefficients import first_of
from dalembert.importers.mjcf.mjcf_joints import JointPart
from dalembert.importers.mjcf.spatial_tendons import Slack, SpatialTendon
from dalembert.importers.xml_node import XmlNode
from dalembert.laws import Law, Limit, Rope
from dalembert.parts.forces import Cord, Force, Spring, Tendon


@dataclass(frozen=True, eq=False)
class FixedTendon:
    """L = Σ factor · coordinate; `zero` is L in the reference pose, `rest` where the joints' springs are at rest."""

    factors: dict[str, float]
    zero: float
    rest: float


@dataclass(frozen=True, eq=False)
class Tendons:
    """Reads the tendons of a model; what acts along them is a force."""

    tree: BodyTree
    defaults: Defaults
    notes: Notes
    laws: bool = False
    paths: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Ways through space, as a `Cord` takes them, by tendon."""
    limits: list[tuple[str, Law]] = field(default_factory=list)
    """Ends of their lengths, by tendon, where laws are asked for."""
    read: dict[str, XmlNode] = field(default_factory=dict)
    """Tendons with their defaults, by name."""

    def fixed(self, section: XmlNode) -> Iterator[tuple[str, FixedTendon, Force | None]]:
        for node in section.all("fixed"):
            made = _combination(node, self.tree.joints)
            law = self._law(node, made.rest)
            ends = self._ends(node)
            if ends is not None:
                self.limits.append((_name(node), Limit(made.factors, *ends)))
            if law[3] is not None:
                self.notes.add(node, "a spring with a slack range is not represented; only its damping is")
                self.notes.edits.change(node, stiffness="0")
            yield _name(node), made, Tendon(made.factors, *law[:3]) if any(law[:2]) else None

    def through_space(self, section: XmlNode) -> Iterator[tuple[str, Force]]:
        """Tendons over sites, and round spheres and cylinders."""
        for node in section.all("spatial"):
            read = SpatialTendon(self.tree, node)
            why = read.refusal()
            if why:
                node.forget()
                self.notes.add(node, f"{why}: the tendon is left out")
                self.notes.edits.change(node, stiffness="0", damping="0")
                continue
            made = self.paths[_name(node)] = read.path()
            law = self._law(node, read.rest())
            length = self._ends(node)
            if len(made["points"]) == 2:
                if length is not None:
                    shortest = length[0] if length[0] > 0.0 else None
                    self.limits.append((_name(node), node.checked(Rope, *made["points"], length[1], shortest)))
                if any(law[:2]) or law[3] is not None:
                    yield _name(node), node.checked(Spring, *made["points"], *law)
                continue
            if length is not None:
                self.notes.add(node, "ends of lengths over several points are left out", AT_LIMITS, "spatial ends")
            if any(law[:2]) or law[3] is not None:
                stiffness, damping, rest, tension = law
                yield (
                    _name(node),
                    node.checked(Cord, **made, stiffness=stiffness, damping=damping, rest=rest, tension=tension),
                )

    def _ends(self, node: XmlNode) -> tuple[float, float] | None:
        """Least and largest length that a range sets."""
        full = self.read[_name(node)] = self.defaults.applied(node, kept_as="tendon")
        return self.tree.compiler.limits(full, "") if self.laws else None

    def _law(self, node: XmlNode, rest: float) -> tuple[float, float, float, Slack | None]:
        """Stiffness, damping, rest length, and what replaces stiffness where it is slack between two lengths; −1 stands for the length
        where the joints' springs are at rest."""
        full = self.defaults.applied(node, kept_as="tendon")
        stiffness, damping = (first_of(full, name, self.notes) for name in ("stiffness", "damping"))
        given = full.numbers("springlength", 1, 2) if full.has("springlength") else np.array([-1.0])
        length = rest if given[0] == -1.0 else float(given[0])
        if stiffness and given[0] != given[-1]:
            return 0.0, damping, length, Slack(stiffness, float(given[-1]) - length)
        return stiffness, damping, length, None


def _name(node: XmlNode) -> str:
    return node.get("name") or f"tendon_{node.line}"


def _combination(node: XmlNode, joints: dict[str, JointPart]) -> FixedTendon:
    factors: dict[str, float] = {}
    zero = rest = 0.0
    for part in node.all("joint"):
        joint, factor = part.refers("joint", joints, "joint"), part.number("coef")
        if not joint.single:
            raise part.error(f'joint "{joint.name}" is no hinge or slide, so it has no single coordinate')
        factors[joint.name] = factors.get(joint.name, 0.0) + factor
        zero += factor * float(joint.zero[0])
        rest += factor * joint.rest
    if not factors:
        raise node.error("it needs a <joint joint=… coef=…/>")
    return FixedTendon(factors, zero, rest)
