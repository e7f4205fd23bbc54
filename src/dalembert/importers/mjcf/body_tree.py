"""The tree of bodies, read depth first as MuJoCo numbers it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from dalembert.importers.imported import MEASURED, Notes
from dalembert.importers.mjcf.defaults import Defaults
from dalembert.importers.mjcf.geoms import Geom, Geoms
from dalembert.importers.mjcf.mjcf_joints import JointPart, read_joint
from dalembert.importers.mjcf.orientations import ORIENTATIONS, Compiler
from dalembert.importers.mjcf.replicas import write_out
from dalembert.importers.naming import Names
from dalembert.importers.poses import HERE, then
from dalembert.importers.repairs import Repairs
from dalembert.importers.xml_node import XmlNode
from dalembert.parts import MassProperties
from dalembert.parts.frames import Frame
from dalembert.parts.shapes import Shape
from dalembert.system import GROUND
from dalembert.vectors import IDENTITY, ZERO

PRINCIPAL = 1e-9
"""Part of the largest moment that products of inertia may have about principal axes."""
NOTHING = MassProperties(0.0, ZERO, np.zeros((3, 3)))


@dataclass(frozen=True, eq=False)
class MjcfBody:
    """A body as the file describes it: `at` in its parent, `world` in the world, joints at their reference."""

    name: str
    node: XmlNode
    parent: str
    at: Frame
    world: Frame
    joints: list[JointPart] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    inertial: list[XmlNode] = field(default_factory=list)
    weighed: list[Geom] = field(default_factory=list)
    """Geoms that its mass is made of."""

    @property
    def shapes(self) -> tuple[Shape, ...]:
        return tuple(g.shape for g in self.geoms if g.shape is not None)


@dataclass(frozen=True, eq=False)
class Site:
    body: str
    at: Frame


@dataclass(eq=False)
class BodyTree:
    """What <worldbody> holds; things by their names in the file."""

    compiler: Compiler
    defaults: Defaults
    forms: Geoms
    notes: Notes
    repairs: Repairs
    names: Names = field(default_factory=lambda: Names({GROUND}))
    joint_names: Names = field(default_factory=Names)
    world: MjcfBody = field(
        default_factory=lambda: MjcfBody(GROUND, XmlNode("worldbody", {}, "", 0), GROUND, HERE, HERE)
    )
    bodies: list[MjcfBody] = field(default_factory=list)
    by_name: dict[str, MjcfBody] = field(default_factory=dict)
    joints: dict[str, JointPart] = field(default_factory=dict)
    sites: dict[str, Site] = field(default_factory=dict)

    def read(self, section: XmlNode) -> None:
        self.by_name["world"] = self.world
        self._contents(section, self.world, None)

    @property
    def all_joints(self) -> list[JointPart]:
        return [j for b in self.bodies for j in b.joints]

    def mass_properties(self, body: MjcfBody) -> MassProperties:
        """Mass properties from <inertial>, from geoms, or whichever is there."""
        mode = self.compiler.inertia_from_geoms
        if body.inertial and mode != "true":
            return self._inertial(body.inertial[0], body.name)
        for node in body.inertial:
            node.forget()
        total = NOTHING
        for geom in body.geoms if mode != "false" else []:
            part = geom.weigh()
            if part is not None:
                body.weighed.append(geom)
                total = part if total is NOTHING else total + part
        found = self.compiler.bounded(MassProperties(total.mass, total.com, total.inertia))
        return self.repairs.mass_properties(body.node, found, body.name)

    def principal_axes(self, body: MjcfBody, inertia: np.ndarray) -> np.ndarray:
        """Principal axes of a body, as columns: those that the file says, where two moments are equal and any others would do."""
        said = [self.compiler.rotation(x) for x in body.inertial if not x.has("fullinertia")]
        if not said:
            said = [g.form.at.rotation for g in body.weighed if g.form is not None][:2]
            said = said if len(said) == 1 else [IDENTITY]
        for R in said:
            off = R.T @ inertia @ R
            if np.abs(off - np.diag(np.diag(off))).max() <= PRINCIPAL * np.abs(off).max():
                return R
        axes: np.ndarray = np.linalg.eigh(inertia)[1]
        return axes * [1.0, 1.0, np.sign(np.linalg.det(axes))]

    def at_rest(self, site: Site) -> Frame:
        """Where a site is in the world when every joint stands where its spring is at rest."""
        of = {b.name: b for b in self.bodies}
        at, body = site.at, site.body
        while body != GROUND:
            for j in reversed(of[body].joints):
                at = then(j.moved(), at)
            if not any(j.kind == "free" for j in of[body].joints):
                at = then(of[body].at, at)
            body = of[body].parent
        return at

    # -- reading --------------------------------------------------------------------------------------------------------
    def _flat(self, node: XmlNode, at: Frame, childclass: str | None) -> Iterator[tuple[XmlNode, Frame, str | None]]:
        """The children, those inside <frame> elements too, with the frame and class that hold for them."""
        for child in node.children:
            if child.tag == "replicate":
                write_out(child, self.compiler)
            if child.tag == "frame":
                child.used = True
                place = then(at, self.compiler.place(child))
                yield from self._flat(child, place, child.get("childclass") or childclass)
            else:
                yield child, at, childclass

    def _contents(self, node: XmlNode, body: MjcfBody, childclass: str | None) -> None:
        inner: list[tuple[XmlNode, Frame, str | None]] = []
        for child, inside, given in self._flat(node, HERE, childclass):
            match child.tag:
                case "body":
                    inner.append((child, inside, given))
                case "joint" | "freejoint":
                    self._joint(child, inside, given, body)
                case "geom":
                    made = self.forms.read(self.defaults.applied(child, given), inside)
                    body.geoms.append(made.on(body.name))
                case "site":
                    self._site(child, inside, given, body)
                case "inertial":
                    if body.inertial or inside is not HERE:
                        raise child.error("a body has one <inertial>, directly in it")
                    body.inertial.append(child)
                case _:
                    continue
            child.used = True
        for child, inside, given in inner:
            self._body(child, inside, given, body)

    def _body(self, node: XmlNode, inside: Frame, childclass: str | None, parent: MjcfBody) -> None:
        said = node.get("name")
        if said in self.by_name:
            raise node.error(f"the name is used in line {self.by_name[said].node.line} already")
        name = self.names.new(said or f"body{len(self.bodies) + 1}")
        if said and said != name:
            self.notes.add(node, f'it is called "{name}" here: names have no spaces, dots, quotes or slashes', MEASURED)
        at = then(inside, self.compiler.place(node))
        body = MjcfBody(name, node, parent.name, at, then(parent.world, at))
        self.bodies.append(body)
        if said:
            self.by_name[said] = body
        self._contents(node, body, node.get("childclass") or childclass)
        self._check_joints(body)

    def _joint(self, node: XmlNode, inside: Frame, childclass: str | None, body: MjcfBody) -> None:
        if body is self.world:
            raise node.error("the world has no joints; put it into a body")
        full = node if node.tag == "freejoint" else self.defaults.applied(node, childclass)
        said = node.get("name")
        if said in self.joints:
            raise node.error(f"the name is used in line {self.joints[said].node.line} already")
        name = self.joint_names.new(said or f"{body.name}_joint")
        if said and said != name:
            self.notes.add(node, f'it is called "{name}" here: names have no spaces, dots, quotes or slashes', MEASURED)
        made = read_joint(full, name, inside, body.world, self.compiler)
        body.joints.append(made)
        if said:
            self.joints[said] = made

    def _check_joints(self, body: MjcfBody) -> None:
        for j in body.joints:
            if j.kind == "free" and (len(body.joints) > 1 or body.parent != GROUND):
                raise j.node.error("a free joint must be the only joint of a body that the world carries")

    def _site(self, node: XmlNode, inside: Frame, childclass: str | None, body: MjcfBody) -> None:
        full = self.defaults.applied(node, childclass)
        if node.get("name") in self.sites:
            raise node.error("the name is used by another site already")
        if full.has("fromto"):
            ends = full.numbers("fromto", 6)
            at = Frame(0.5 * (ends[:3] + ends[3:]))
            self.notes.add(node, "only the middle of a site with fromto= is represented", MEASURED)
        else:
            at = self.compiler.place(full)
        if node.get("name"):
            self.sites[node.text_of("name")] = Site(body.name, then(inside, at))

    def _inertial(self, node: XmlNode, body: str) -> MassProperties:
        mass, at = node.number("mass"), self.compiler.place(node)
        if node.has("fullinertia"):
            if any(node.has(name) for name in ORIENTATIONS):
                raise node.error("fullinertia= is in the body's axes; leave out the orientation")
            xx, yy, zz, xy, xz, yz = node.numbers("fullinertia", 6)
            about = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            about = at.rotation @ np.diag(node.vector("diaginertia", ZERO)) @ at.rotation.T
        made = MassProperties(mass, at.position, 0.5 * (about + about.T))

        def rewrite(mended: MassProperties) -> None:
            I = mended.inertia
            full = " ".join(repr(float(I[i, k])) for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
            without = dict.fromkeys(("diaginertia", *ORIENTATIONS))
            self.notes.edits.change(node, mass=repr(mended.mass), **without, fullinertia=full)

        return self.repairs.mass_properties(node, self.compiler.bounded(made), body, rewrite)
