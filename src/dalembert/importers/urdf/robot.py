"""A robot from a URDF file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dalembert.errors import ModelError
from dalembert.importers import xml
from dalembert.importers.edits import EditedFile
from dalembert.importers.folder import Folder
from dalembert.importers.imported import MEASURED, Imported, Notes
from dalembert.importers.naming import Names
from dalembert.importers.repairs import Repairs
from dalembert.importers.urdf.closures import closures, rotors, springs
from dalembert.importers.urdf.collisions import ContactsWithGround
from dalembert.importers.urdf.link_tree import LinkTree, link_tree, named
from dalembert.importers.urdf.reasons import REASONS
from dalembert.importers.urdf.urdf_joints import joint
from dalembert.importers.urdf.urdf_links import Looks, mass_properties, origin
from dalembert.importers.within_ends import add_stop
from dalembert.importers.xml_node import XmlNode
from dalembert.laws import JointFriction
from dalembert.parts.constraints import Coupling
from dalembert.parts.forces import JointSpring
from dalembert.parts.joints import Free, Joint, Weld
from dalembert.parts.names import unknown
from dalembert.system import GROUND, System

WORLD = "world"


def load(
    file: Path, base: str, gravity: Any, folder: str | Path | None, strict: bool, laws: bool, contacts: str
) -> Imported:
    """See `importers.load_urdf`."""
    if base not in ("fixed", "free"):
        raise ModelError(f'base={base!r} is not known; choose "fixed" or "free"')
    root = xml.read(file)
    if root.tag != "robot":
        raise root.error("a URDF file begins with <robot>; is this another kind of file?")
    return _UrdfImport(root, file, Folder.of(file, folder), strict).run(base, gravity, laws, contacts)


class _UrdfImport:
    """One import under way."""

    def __init__(self, robot: XmlNode, file: Path, folder: Folder, strict: bool):
        self.robot, self.notes = robot, Notes()
        self.repairs = Repairs(self.notes, strict)
        self.looks = Looks(folder, file.parent.resolve(), self.notes, self.repairs)
        for node in (child for child in robot.children if child.tag == "joint"):
            self._keep_first(node, "axis")
        self.joint_nodes = named(robot, "joint", "drake:joint")
        self.joints: dict[str, Joint] = {}
        self.bodies, self.names = Names({GROUND}), Names()
        self.body_of: dict[str, str] = {}
        self.joint_of: dict[str, str] = {}

    def _keep_first(self, node: XmlNode, tag: str) -> None:
        """The first of several elements counts where one is meant."""
        found = [child for child in node.children if child.tag == tag]
        for child in found[1:]:
            self.repairs.mended(child, f"there must be only one <{tag}> in {node}", "the first counts")
            node.children.remove(child)

    def run(self, base: str, gravity: Any, laws: bool, contacts: str) -> Imported:
        if contacts == "all":
            raise self.robot.error(
                'URDF does not say which links may touch each other; contacts="ground" lets them touch the plane z = 0'
            )
        self.tree = link_tree(self.robot, self.joint_nodes)
        self.system = System(self.robot.get("name") or "robot", gravity)
        self.looks.learn(self.robot)
        self._add_links(base)
        armature = self._armature()
        self._lock_massless(armature)
        for node in self.joint_nodes.values():
            self._add_joint(node, armature.get(node.text_of("name"), 0.0))
        for node in self.joint_nodes.values():
            self._add_mimic(node)
        self.system.cut = self._add_extensions()
        for node in self.joint_nodes.values() if laws else ():
            self._add_laws(node)
        if contacts == "ground":
            ContactsWithGround(self.system, self.notes, self.robot).add(self.tree, self.body_of)
        self.robot.read.add("version")
        self.notes.of_unread(self.robot, REASONS)
        return Imported(self.system, self.notes.ranked(), EditedFile(self.robot, self.notes.edits))

    def _add_links(self, base: str) -> None:
        tree: LinkTree = self.tree
        for name, link in tree.links.items():
            shapes = tuple(self.looks.shapes(link))
            if name == tree.root == WORLD:
                self.body_of[name] = GROUND
                self.system.ground_shapes = shapes
                if base == "free":
                    self.notes.add(link, 'a link called world is the ground: base="free" has nothing to free')
                continue
            self.body_of[name] = self._named(link, self.bodies)
            self.system.add_body(self.body_of[name], mass_properties(link, self.repairs), shapes=shapes)
        if tree.root != WORLD:
            body = self.body_of[tree.root]
            self.system.add_joint(self.names.new(f"base_{body}"), Free() if base == "free" else Weld(), GROUND, body)

    def _lock_massless(self, armature: dict[str, float]) -> None:
        """A joint that moves links without any mass has no equation of motion, unless a loop or another joint decides it."""
        if self.repairs.strict or any(True for _ in closures(self.robot, self.tree)):
            return
        decided = [node.attributes["name"] for node in self.joint_nodes.values() if node.one("mimic") is not None]
        weighs = {self.tree.root, *(self._carried(name) for name in (*decided, *armature) if name in self.joint_nodes)}
        weighs |= {
            name for name, body in self.body_of.items() if body != GROUND and not self.system.bodies[body].massless
        }
        for name in list(weighs):
            while name in self.tree.parent:
                name = self.tree.parent[name]
                weighs.add(name)
        for link, node in self.tree.joint_of.items():
            if link not in weighs and joint(node).n_u:
                self.repairs.mended(
                    node, "what it moves has no mass, so that its motion is not determined", "it is locked"
                )
                node.attributes["type"] = "fixed"

    def _carried(self, name: str) -> str:
        return self.joint_nodes[name].need("child").text_of("link")

    def _armature(self) -> dict[str, float]:
        """What the rotors of transmissions add to the joints they drive."""
        made: dict[str, float] = {}
        for node, name, inertia in rotors(self.robot):
            if name not in self.joint_nodes:
                raise node.error(unknown(name, "joint", self.joint_nodes, "name="))
            if joint(self.joint_nodes[name]).n_u != 1:
                raise node.error(f'joint "{name}" is no joint with one coordinate, so no rotor can drive it')
            if inertia < 0.0:
                raise node.error("the rotor inertia is negative")
            made[name] = made.get(name, 0.0) + inertia
        return made

    def _add_joint(self, node: XmlNode, armature: float) -> None:
        name = node.text_of("name")
        self.joints[name], self.joint_of[name] = joint(node), self._named(node, self.names)
        parent, child = (self.body_of[node.need(side).text_of("link")] for side in ("parent", "child"))
        made = self.joint_of[name]
        at = origin(node)
        node.checked(self.system.add_joint, made, self.joints[name], parent, child, at_parent=at, armature=armature)
        if not self.joints[name].n_u:
            for idle in node.all("axis", "limit", "dynamics", "safety_controller", "calibration"):
                idle.forget()
        elif node.get("type") == "continuous":
            for limit in (child for child in node.children if child.tag == "limit"):
                limit.read.update(("lower", "upper"))
        dynamics = node.one("dynamics")
        damping = 0.0 if dynamics is None else dynamics.number("damping", 0.0)
        if damping and self.joints[name].n_u:
            self.system.add_force(f"{made}_damping", JointSpring(made, damping=damping))

    def _add_laws(self, node: XmlNode) -> None:
        """Ends of a joint's way as a stop, and its dry friction."""
        name, limit, dynamics = self.joint_of[node.text_of("name")], node.one("limit"), node.one("dynamics")
        if self.joints[node.text_of("name")].n_u != 1:
            return
        if limit is not None and node.get("type") != "continuous":
            low, high = limit.number("lower", 0.0), limit.number("upper", 0.0)
            if low < high:
                add_stop(self.system, self.notes, node, name, (low, high), 0.0)
        friction = 0.0 if dynamics is None else dynamics.number("friction", 0.0)
        if friction:
            self.system.add_law(f"{name}_friction", node.checked(JointFriction, name, force=friction))

    def _add_mimic(self, node: XmlNode) -> None:
        """q = multiplier · q_other + offset."""
        mimic = node.one("mimic")
        if mimic is None:
            return
        other = mimic.text_of("joint")
        if other not in self.joints:
            self.repairs.mended(mimic, str(unknown(other, "joint", self.joints, "joint=")), "it mimics nothing")
            mimic.forget()
            return
        for name in (node.text_of("name"), other):
            if self.joints[name].n_u > 1:
                raise mimic.error(f'joint "{name}" has no single coordinate, so it cannot take part in mimicry')
        if other == node.text_of("name"):
            raise mimic.error("a joint cannot mimic itself")
        own = self.joint_of[node.text_of("name")]
        fixed = [name for name in (node.text_of("name"), other) if not self.joints[name].n_u]
        if fixed:
            what = f'joint "{fixed[0]}" is fixed, so it cannot take part in mimicry'
            stays = f'"{own}" stays where the multiplied 0 of "{other}" puts it'
            self.repairs.mended(mimic, what, "there is nothing to hold" if fixed[0] != other else stays)
            mimic.read.update(mimic.attributes)
        factors = {own: 1.0, self.joint_of[other]: -mimic.number("multiplier", 1.0)}
        if fixed and not self.joints[node.text_of("name")].n_u:
            return
        if fixed:
            factors = {own: 1.0}
        self.system.add_constraint(self.names.new(f"{own}_mimic"), Coupling(factors, mimic.number("offset", 0.0)))

    def _add_extensions(self) -> tuple[str, ...]:
        """The names of the joints that close loops."""
        cut = []
        for node, c in closures(self.robot, self.tree):
            name, a, b = self.names.new(c.name), self.body_of[c.parent], self.body_of[c.child]
            if a == b:
                raise node.error(f'it connects link "{c.parent}" with itself; name two links')
            node.checked(self.system.add_joint, name, c.joint, a, b, c.on_parent, c.on_child)
            cut.append(name)
        forces = Names(set(self.system.forces))
        for name, spring in springs(self.robot, self.tree, self.body_of):
            self.system.add_force(forces.new(name), spring)
        return tuple(cut)

    def _named(self, node: XmlNode, names: Names) -> str:
        said = node.text_of("name")
        made = names.new(said)
        if made != said:
            self.notes.add(
                node,
                f'it is called "{made}" here: names have no spaces, dots, quotes or slashes, each only once',
                MEASURED,
            )
        return made
