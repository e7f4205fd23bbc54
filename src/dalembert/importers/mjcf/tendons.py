"""Tendons: springs and dampers along combinations of joint coordinates, or straight between two sites."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from dalembert.importers.imported import Notes
from dalembert.importers.mjcf.body_tree import BodyTree
from dalembert.importers.mjcf.defaults import Defaults
from dalembert.importers.mjcf.law_coefficients import first_of
from dalembert.importers.mjcf.mjcf_joints import JointPart
from dalembert.importers.xml_node import XmlNode
from dalembert.laws import Law, Limit, Rope
from dalembert.parts.forces import Force, Spring, Tendon


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
    limits: list[tuple[str, Law]] = field(default_factory=list)
    """Ends of their lengths, by tendon, where laws are asked for."""

    def fixed(self, section: XmlNode) -> Iterator[tuple[str, FixedTendon, Force | None]]:
        for node in section.all("fixed"):
            made = _combination(node, self.tree.joints)
            law = self._law(node, made.rest)
            ends = self._ends(node)
            if ends is not None:
                self.limits.append((_name(node), Limit(made.factors, *ends)))
            yield _name(node), made, Tendon(made.factors, *law) if any(law[:2]) else None

    def straight(self, section: XmlNode) -> Iterator[tuple[str, Force]]:
        """Tendons through space with two sites and nothing between them; the others are noted."""
        for node in section.all("spatial"):
            if [part.tag for part in node.children] != ["site", "site"]:
                node.forget()
                self.notes.add(node, "a tendon round geoms or over more than two sites is not represented")
                continue
            ends = [part.refers("site", self.tree.sites, "site") for part in node.all("site")]
            places = [self.tree.at_rest(site) for site in ends]
            law = self._law(node, float(np.linalg.norm(places[1] - places[0])))
            a, b = ((site.body, site.at.position) for site in ends)
            length = self._ends(node)
            if length is not None:
                shortest = length[0] if length[0] > 0.0 else None
                self.limits.append((_name(node), node.checked(Rope, a, b, length[1], shortest)))
            if any(law[:2]):
                yield _name(node), Spring(a, b, *law)

    def _ends(self, node: XmlNode) -> tuple[float, float] | None:
        """Least and largest length that a range sets."""
        full = self.defaults.applied(node, kept_as="tendon")
        return self.tree.compiler.limits(full, "") if self.laws else None

    def _law(self, node: XmlNode, rest: float) -> tuple[float, float, float]:
        """Stiffness, damping and rest length; −1 stands for the length where the joints' springs are at rest."""
        full = self.defaults.applied(node, kept_as="tendon")
        stiffness, damping = (first_of(full, name, self.notes) for name in ("stiffness", "damping"))
        given = full.numbers("springlength", 1, 2) if full.has("springlength") else np.array([-1.0])
        if stiffness and given[0] != given[-1]:
            self.notes.add(node, "a spring with a slack range is not represented; only its damping is")
            stiffness = 0.0
        return stiffness, damping, rest if given[0] == -1.0 else float(given[0])


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
