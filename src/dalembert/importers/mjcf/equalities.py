"""Equality constraints, which MuJoCo holds with soft forces: exact here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Polynomial as Series

from dalembert.importers.imported import MEASURED, Notes
from dalembert.importers.mjcf.body_tree import BodyTree, MjcfBody
from dalembert.importers.mjcf.defaults import Defaults
from dalembert.importers.mjcf.tendons import FixedTendon
from dalembert.importers.poses import back, quaternion, then
from dalembert.importers.xml_node import XmlNode
from dalembert.parts.constraints import Constraint, Coupling, Polynomial
from dalembert.parts.frames import Frame
from dalembert.parts.joints import Joint, Spherical, Weld
from dalembert.system import System
from dalembert.vectors import ZERO


@dataclass(frozen=True, eq=False)
class Equalities:
    """Adds them to a system; `connect` and `weld` become joints that close loops."""

    system: System
    tree: BodyTree
    tendons: dict[str, FixedTendon]
    defaults: Defaults
    notes: Notes

    def add(self, section: XmlNode) -> tuple[str, ...]:
        """The names of the joints that close loops."""
        cut: list[str] = []
        for node in section.all("connect", "weld", "joint", "tendon"):
            full = self.defaults.applied(node, kept_as="equality")
            if full.has("active") and not full.flag("active", True):
                node.forget()
                self.notes.add(node, "the constraint is switched off in the file and left out here", MEASURED)
                continue
            match node.tag:
                case "connect":
                    cut.append(self._closed(full, Spherical(), *self._connect(full)))
                case "weld":
                    cut.append(self._closed(full, Weld(), *self._weld(full)))
                case "joint":
                    self._related(full, "joint")
                case _:
                    self._related(full, "tendon")
        return tuple(cut)

    def _closed(self, node: XmlNode, joint: Joint, a: MjcfBody, b: MjcfBody, on_a: Frame, on_b: Frame) -> str:
        if a is b:
            raise node.error("it connects a body with itself")
        name = self.tree.joint_names.new(node.get("name") or f"{node.tag}_{a.name}_{b.name}")
        node.checked(self.system.add_joint, name, joint, a.name, b.name, on_a, on_b)
        return name

    def _connect(self, node: XmlNode) -> tuple[MjcfBody, MjcfBody, Frame, Frame]:
        """A point of body1 and the point of body2 that meets it in the reference pose; or two sites."""
        if node.has("site1"):
            return self._sites(node)
        a, b = self._bodies(node)
        on_a = Frame(node.numbers("anchor", 3))
        return a, b, on_a, Frame(then(back(b.world), then(a.world, on_a)).position)

    def _weld(self, node: XmlNode) -> tuple[MjcfBody, MjcfBody, Frame, Frame]:
        """body2 as it stands to body1 in the reference pose, or with its anchor where `relpose` says."""
        if node.has("site1"):
            return self._sites(node)
        a, b = self._bodies(node)
        anchor = Frame(node.vector("anchor", ZERO))
        relpose = node.vector("relpose", np.zeros(7), size=7)
        if np.linalg.norm(relpose[3:]) > 0.0:
            return a, b, Frame(relpose[:3], quaternion(relpose[3:])), anchor
        return a, b, then(back(a.world), then(b.world, anchor)), anchor

    def _bodies(self, node: XmlNode) -> tuple[MjcfBody, MjcfBody]:
        first = node.refers("body1", self.tree.by_name, "body")
        second = node.refers("body2", self.tree.by_name, "body") if node.has("body2") else self.tree.world
        return first, second

    def _sites(self, node: XmlNode) -> tuple[MjcfBody, MjcfBody, Frame, Frame]:
        one, two = (node.refers(name, self.tree.sites, "site") for name in ("site1", "site2"))
        of = {b.name: b for b in (*self.tree.bodies, self.tree.world)}
        return of[one.body], of[two.body], one.at, two.at

    def _related(self, node: XmlNode, kind: str) -> None:
        """y − y₀ = a₀ + a₁ (x − x₀) + … + a₄ (x − x₀)⁴ of joint coordinates, or of the lengths of fixed tendons."""
        if kind == "tendon":
            for name in ("tendon1", "tendon2"):
                if node.get(name) and node.get(name) not in self.tendons:
                    self.notes.add(node, f"{name}={node.get(name)!r} is no fixed tendon, so the constraint is left out")
                    return
        y, y0 = self._quantity(node, f"{kind}1", kind)
        a = node.overlaid("polycoef", (0.0, 1.0, 0.0, 0.0, 0.0))
        if node.get(f"{kind}2") is None:
            made: Constraint = Coupling(y, y0 + a[0])
        else:
            x, x0 = self._quantity(node, f"{kind}2", kind)
            c = np.zeros(5)
            shifted = Series(a)(Series([-x0, 1.0])).coef
            c[: len(shifted)] = shifted
            c[0] += y0
            if set(x) & set(y) or c[2:].any():
                made = Polynomial(y, x, tuple(float(v) for v in np.trim_zeros(c, "b")) or (0.0,))
            else:
                made = Coupling({**y, **{k: -c[1] * v for k, v in x.items()}}, c[0])
        name = self.tree.joint_names.new(node.get("name") or f"equality_{next(iter(y))}")
        node.checked(self.system.add_constraint, name, made)

    def _quantity(self, node: XmlNode, name: str, kind: str) -> tuple[dict[str, float], float]:
        """Factors on joint coordinates, and their sum in the reference pose."""
        if kind == "tendon":
            tendon = self.tendons[node.text_of(name)]
            return tendon.factors, tendon.zero
        joint = node.refers(name, self.tree.joints, "joint")
        if not joint.single:
            raise node.error(f"{name}={node.get(name)!r} is no hinge or slide, so it has no single coordinate")
        return {joint.name: 1.0}, float(joint.zero[0])
