"""A mechanism from an SDF file: one model, or the models of a world."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dalembert.errors import ModelError
from dalembert.importers import xml
from dalembert.importers.folder import Folder
from dalembert.importers.imported import DRAWING, MEASURED, Imported, Notes
from dalembert.importers.naming import Names
from dalembert.importers.poses import back, euler_parameters, then
from dalembert.importers.repairs import Repairs
from dalembert.importers.sdf.frame_graph import MODEL, WORLD, FrameEntry, FrameGraph, ModelScope
from dalembert.importers.sdf.reasons import REASONS
from dalembert.importers.sdf.sdf_included import SdfFiles, version
from dalembert.importers.sdf.sdf_joints import GEARBOX, SdfJoint, axis_law, read_gearbox, read_joint
from dalembert.importers.sdf.sdf_links import SdfLooks, mass_properties
from dalembert.importers.sdf.sdf_values import flag, pose, value, values, word
from dalembert.importers.within_ends import add_stop
from dalembert.importers.xml_node import XmlNode
from dalembert.laws import JointFriction
from dalembert.parts.constraints import Coupling
from dalembert.parts.forces import JointSpring, Load
from dalembert.parts.frames import Frame
from dalembert.parts.joints import Free, Weld
from dalembert.system import GROUND, System

GRAVITY = (0.0, 0.0, -9.8)
"""Where none is said, m/s² (SDF's)."""


def load(file: Path, base: str, gravity: Any, folder: str | Path | None, strict: bool, laws: bool) -> Imported:
    """See `importers.load_sdf`."""
    if base not in ("fixed", "free"):
        raise ModelError(f'base={base!r} is not known; choose "fixed" or "free"')
    root = xml.read(file)
    if root.tag != "sdf":
        raise root.error("an SDF file begins with <sdf>; is this another kind of file?")
    return _SdfImport(root, file, Folder.of(file, folder), strict).run(base, gravity, laws)


@dataclass(frozen=True, eq=False)
class SdfLink:
    node: XmlNode
    scope: ModelScope
    static: bool
    folder: Path


class _SdfImport:
    """One import under way."""

    def __init__(self, root: XmlNode, file: Path, folder: Folder, strict: bool):
        self.root, self.here, self.notes = root, file.parent.resolve(), Notes()
        self.repairs = Repairs(self.notes, strict)
        self.files, self.looks = SdfFiles(folder), SdfLooks(folder, self.notes, self.repairs)
        self.frames = FrameGraph()
        self.links: dict[str, SdfLink] = {}
        self.joint_nodes: list[tuple[str, XmlNode, ModelScope]] = []
        self.roots: list[XmlNode] = [root]
        self.bodies, self.joint_names = Names({GROUND}), Names()
        self.body_of: dict[str, str] = {WORLD: GROUND}

    def run(self, base: str, gravity: Any, laws: bool) -> Imported:
        self._read()
        self.system = System(self.name, self.gravity if gravity is None else gravity)
        self._add_links()
        joints, gearboxes = self._joints()
        self._add_joints(joints, base)
        for j in joints:
            self._act(j, laws)
        for box in gearboxes:
            factors = box.factors(joints, self.frames, self.joint_of, self.notes)
            if factors is not None:
                self.system.add_constraint(self.joint_names.new(f"gearbox_{box.node.line}"), Coupling(factors))
        for j in joints:
            self._mimic(j, {x.name: x for x in joints})
        self._add_frames()
        for root in self.roots:
            self.notes.of_unread(root, REASONS)
        return Imported(self.system, self.notes.ranked())

    # -- reading --------------------------------------------------------------------------------------------------------
    def _read(self) -> None:
        top, number = self.root, version(self.root)
        worlds = list(top.all("world"))
        for world in worlds[1:]:
            world.forget()
            self.notes.add(world, "only the first world is read")
        top = worlds[0] if worlds else top
        self.gravity = values(top, "gravity", 3, GRAVITY)
        models = list(top.all("model", "include"))
        if not models:
            raise top.error("it has no <model>")
        self.name = (worlds or models)[0].attributes.get("name") or "model"
        outer = ModelScope("", number)
        moving = [node for node in models if not _scenery(node)] if len(models) > 1 else models
        for node in models:
            self._model(node, outer, WORLD, self.here, alone=moving == [node], static=False, depth=0)
        for node in top.all("frame"):
            self._frame(node, outer, WORLD)
        for node in top.all("joint"):
            self._joint(node, outer)

    def _model(
        self, node: XmlNode, scope: ModelScope, around: str, start: Path, *, alone: bool, static: bool, depth: int
    ) -> None:
        """A <model>, or the one that an <include> names, with its own name, place and frame for these."""
        said, number = node, scope.version
        if node.tag == "include":
            if _given_by_gazebo(node):
                node.forget()
                self.notes.add(node, "light and ground of Gazebo are not represented", DRAWING)
                return
            said, start, number = self.files.included(node, start, depth)
            self.roots.append(said)
        name = word(node, "name") or said.text_of("name")
        merged = node.tag == "include" and node.flag("merge")
        if not alone and not merged and f"{scope.prefix}{name}::{MODEL}" in self.frames.entries:
            taken, k = name, 2
            while f"{scope.prefix}{name}::{MODEL}" in self.frames.entries:
                name, k = f"{taken}_{k}", k + 1
            self.repairs.mended(said, f'there is a model "{taken}" already', f'this one is "{name}"', MEASURED)
        prefix = scope.prefix if alone or merged else f"{scope.prefix}{name}::"
        if depth > xml.DEEPEST or (merged and alone):
            raise node.error('merge="true" has a meaning in a model only')
        inner = ModelScope(prefix, number)
        home = f"_merged_{name}::{MODEL}" if merged else MODEL
        own = node if node.one("pose") is not None else said
        at, relative = self._pose(own, around)
        placement = word(node, "placement_frame") or said.get("placement_frame")
        static = flag(node, "static", flag(said, "static", static))
        links = [x for x in said.children if x.tag in ("link", "model")]
        if not links and not any(x.tag == "include" for x in said.children):
            raise said.error("a model needs a <link>")
        canonical = said.get("canonical_link")
        first = links[0].text_of("name") if links else next(word(x, "name") or "" for x in said.all("include"))
        attached = WORLD if static else f"{prefix}{canonical or first}"
        entry = FrameEntry(node, scope, at, relative, attached, None if merged else placement)
        self.frames.add(f"{prefix}{home}", entry)
        for link in said.all("link"):
            full, (here, to) = f"{prefix}{link.text_of('name')}", self._pose(link, home)
            self.frames.add(full, FrameEntry(link, inner, here, to, full))
            self.links[full] = SdfLink(link, inner, static, start)
        for child in said.all("model", "include"):
            self._model(child, inner, home, start, alone=False, static=static, depth=depth + 1)
        for child in said.all("frame"):
            self._frame(child, inner, home)
        for child in said.all("joint"):
            self._joint(child, inner)

    def _pose(self, node: XmlNode, default: str) -> tuple[Frame, str]:
        """A pose and the name of the frame that it is given in."""
        at = node.one("pose")
        if at is None:
            return Frame(), default
        return pose(at), at.get("relative_to") or at.get("frame") or default

    def _frame(self, node: XmlNode, scope: ModelScope, default: str) -> None:
        attached = node.get("attached_to") or default
        at, relative = self._pose(node, attached)
        full = f"{scope.prefix}{node.text_of('name')}"
        on = WORLD if attached == WORLD else f"{scope.prefix}{attached}"
        self.frames.add(full, FrameEntry(node, scope, at, relative, on))

    def _joint(self, node: XmlNode, scope: ModelScope) -> None:
        child = node.need("child").text.strip()
        at, relative = self._pose(node, child)
        full = f"{scope.prefix}{node.text_of('name')}"
        self.frames.add(full, FrameEntry(node, scope, at, relative, f"{scope.prefix}{child}"))
        self.joint_nodes.append((full, node, scope))

    # -- building -------------------------------------------------------------------------------------------------------
    def _add_links(self) -> None:
        for name, link in self.links.items():
            shapes = tuple(self.looks.shapes(link.node, link.folder, self.here))
            if link.static:
                self.body_of[name] = GROUND
                place = self.frames.pose(name)
                moved = (replace(s, at=then(place, s.at)) for s in shapes)
                self.system.ground_shapes = (*self.system.ground_shapes, *moved)
                if (inertial := link.node.one("inertial")) is not None:
                    inertial.forget()
                continue
            made = self.body_of[name] = self._named(link.node, self.bodies, name)
            matter = mass_properties(link.node, name, self.repairs)
            self.system.add_body(made, matter, shapes=shapes)
            if not flag(link.node, "gravity", True) and matter.mass:
                lift = Load((made, matter.com), force=-matter.mass * self.system.gravity)
                self.system.add_force(f"{made}_without_gravity", lift)

    def _joints(self) -> tuple[list[SdfJoint], list[Any]]:
        joints, gearboxes = [], []
        for name, node, scope in self.joint_nodes:
            if node.get("type") == GEARBOX:
                gearboxes.append(read_gearbox(node, name, scope, self.frames))
            else:
                joints.append(read_joint(node, name, scope, self.frames))
        return joints, gearboxes

    def _add_joints(self, joints: list[SdfJoint], base: str) -> None:
        """All joints; those that close a loop are cut. What then hangs on nothing floats, or is fixed where it stands."""
        island = {body: body for body in (GROUND, *self.system.bodies)}
        self.joint_of: dict[str, str] = {}
        cut = []
        for j in joints:
            a, b = self.body_of[j.parent], self.body_of[j.child]
            if a == b:
                if a == GROUND:
                    j.node.forget()
                    self.joint_of[j.name] = ""
                    continue
                raise j.node.error(f'it connects "{j.parent}" with itself; name two links')
            name = self.joint_of[j.name] = self._named(j.node, self.joint_names, j.name)
            at = self.frames.pose(j.frame)
            on_parent, on_child = (then(back(self._place(link)), at) for link in (j.parent, j.child))
            j.node.checked(self.system.add_joint, name, j.joint, a, b, on_parent, on_child)
            if island[a] == island[b]:
                cut.append(name)
            else:
                gone, stays = island[b], island[a]
                island = {body: stays if x == gone else x for body, x in island.items()}
        self.system.cut = tuple(cut)
        carried = {self.body_of[j.child] for j in joints if self.joint_of[j.name] not in self.system.cut}
        for name in sorted(self.links, key=lambda x: self.body_of[x] in carried):
            body = self.body_of[name]
            if island[body] != island[GROUND]:
                gone, stays = island[body], island[GROUND]
                island = {other: stays if x == gone else x for other, x in island.items()}
                self._set_down(name, body, base)

    def _set_down(self, link: str, body: str, base: str) -> None:
        place, name = self._place(link), self.joint_names.new(f"base_{body}")
        if base == "fixed":
            self.system.add_joint(name, Weld(), GROUND, body, place)
            return
        self.system.add_joint(name, Free(), GROUND, body)
        self.system.initial[name] = [float(x) for x in (*euler_parameters(place.rotation), *place.position)]

    def _place(self, link: str) -> Frame:
        """The pose of a link in the world; what is static is the ground itself."""
        return Frame() if self.body_of[link] == GROUND else self.frames.pose(link)

    def _act(self, j: SdfJoint, laws: bool) -> None:
        """Springs, damping, ends and friction along the freedoms of a joint."""
        name = self.joint_of[j.name]
        for k, node in enumerate(j.freedoms):
            law = axis_law(node, self.notes)
            if not name:
                continue
            own = None if j.joint.n_u == 1 else j.joint.speeds[k]
            title = name if own is None else f"{name}_{own}"
            if law.stiffness or law.damping:
                spring = JointSpring(name, law.stiffness, law.damping, law.rest, own)
                self.system.add_force(f"{title}_spring", spring)
            if not laws:
                continue
            if law.ends is not None and own is None and j.node.get("type") != "continuous":
                add_stop(self.system, self.notes, j.node, name, law.ends, 0.0)
            elif law.ends is not None and own is not None:
                self.notes.add(node, "ends of the ways of joints with several freedoms are left out", "limits")
            if law.friction and own is None:
                self.system.add_law(f"{name}_friction", JointFriction(name, force=law.friction))
            elif law.friction:
                self.notes.add(node, "dry friction of joints with several freedoms is left out", "limits")

    def _mimic(self, j: SdfJoint, joints: dict[str, SdfJoint]) -> None:
        """q = multiplier · (q_other − reference) + offset."""
        node = next((found for x in j.freedoms if (found := x.one("mimic")) is not None), None)
        if node is None:
            return
        said = self.frames.named(node.text_of("joint"), j.scope, node)
        if said not in joints or {j.joint.n_u, joints[said].joint.n_u} != {1}:
            raise node.error("mimicry is between joints with one freedom each")
        m, rest, offset = value(node, "multiplier"), value(node, "reference", 0.0), value(node, "offset", 0.0)
        own = self.joint_of[j.name]
        made = Coupling({own: 1.0, self.joint_of[said]: -m}, offset - m * rest)
        self.system.add_constraint(self.joint_names.new(f"{own}_mimic"), made)

    def _add_frames(self) -> None:
        names = Names(set(self.system.frames))
        for full, entry in self.frames.entries.items():
            if entry.node.tag == "frame":
                link = self.frames.link(full)
                at = then(back(self._place(link)), self.frames.pose(full))
                self.system.add_frame(names.new(full), self.body_of[link], at)

    def _named(self, node: XmlNode, names: Names, wanted: str) -> str:
        made = names.new(wanted)
        if made != wanted:
            what = f'it is called "{made}" here: names have no spaces, dots, quotes or slashes, each only once'
            self.notes.add(node, what, MEASURED)
        return made


def _scenery(node: XmlNode) -> bool:
    """Whether it stands still, or is what every world of Gazebo has: beside one other model, that one's names need no prefix."""
    said = {x.tag: x.text.strip() for x in node.children if x.tag in ("uri", "static")}
    return said.get("static") in ("true", "1") or _given_by_gazebo(node)


def _given_by_gazebo(node: XmlNode) -> bool:
    """Light and ground."""
    return node.tag == "include" and any(
        x.tag == "uri" and x.text.strip() in ("model://sun", "model://ground_plane") for x in node.children
    )
