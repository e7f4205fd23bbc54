"""Fixed tendons: combinations of joint coordinates, with springs and dampers along them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dalembert.importers.imported import Notes
from dalembert.importers.mjcf.defaults import Defaults
from dalembert.importers.mjcf.joints import JointPart
from dalembert.importers.mjcf.numbers import first_of
from dalembert.importers.node import Node
from dalembert.system.forces import Tendon


@dataclass(frozen=True, eq=False)
class FixedTendon:
    """L = Σ factor · coordinate; `zero` is L in the reference pose, `rest` where the joints' springs are at rest."""

    name: str
    node: Node
    factors: dict[str, float]
    zero: float
    rest: float

    def forces(self, notes: Notes) -> Iterator[Tendon]:
        """Its spring and damper, if it has them."""
        stiffness = first_of(self.node, "stiffness", notes)
        damping = first_of(self.node, "damping", notes)
        rest = self.node.numbers("springlength", 1, 2) if self.node.has("springlength") else np.array([-1.0])
        low, high = rest[0], rest[-1]
        if stiffness and low != high:
            notes.add(self.node, "a spring with a slack range is not represented; only its damping is")
            stiffness = 0.0
        if stiffness or damping:
            yield Tendon(self.factors, stiffness, damping, self.rest if low == -1.0 else float(low))


def fixed_tendons(
    section: Node, joints: dict[str, JointPart], defaults: Defaults, notes: Notes
) -> Iterator[tuple[str, FixedTendon]]:
    for node in section.all("fixed", "spatial"):
        full = Node(node.tag, node.attributes, node.file, node.line, read=node.read)
        full.defaults = defaults.applied(Node("tendon", {}, node.file, node.line), node.get("class")).defaults
        said = node.get("name") or f"tendon_{node.line}"
        if node.tag == "spatial":
            node.forget()
            notes.add(node, "tendons through space are not represented; add a da.Spring between points to the system")
            continue
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
        yield said, FixedTendon(said, full, factors, zero, rest)
