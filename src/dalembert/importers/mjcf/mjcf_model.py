"""A mechanism from an MJCF file."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from dalembert.errors import ModelError
from dalembert.importers.contact_forms import ContactAdder
from dalembert.importers.edits import EditedFile
from dalembert.importers.folder import Folder
from dalembert.importers.imported import Imported, Notes
from dalembert.importers.mjcf.actuators import Actuators
from dalembert.importers.mjcf.assets import Assets
from dalembert.importers.mjcf.body_tree import BodyTree, MjcfBody
from dalembert.importers.mjcf.contacts import GeomContacts
from dalembert.importers.mjcf.defaults import Defaults
from dalembert.importers.mjcf.equalities import Equalities
from dalembert.importers.mjcf.geoms import Geoms
from dalembert.importers.mjcf.included import document
from dalembert.importers.mjcf.keyframes import start
from dalembert.importers.mjcf.law_coefficients import first_of
from dalembert.importers.mjcf.medium import Medium
from dalembert.importers.mjcf.mjcf_joints import JointPart
from dalembert.importers.mjcf.orientations import Compiler
from dalembert.importers.mjcf.reasons import IN_CONTACT, REASONS
from dalembert.importers.mjcf.tendons import FixedTendon, Tendons
from dalembert.importers.naming import Names
from dalembert.importers.poses import HERE, then
from dalembert.importers.repairs import Repairs
from dalembert.importers.within_ends import add_stop
from dalembert.importers.xml_node import XmlNode
from dalembert.kinematics.state import State
from dalembert.laws import JointFriction
from dalembert.parts import MassProperties
from dalembert.parts.forces import JointSpring, Load
from dalembert.parts.joints import Weld
from dalembert.recursive.algorithms import Tree, composite
from dalembert.system import System
from dalembert.vectors import ZERO

EARTH = 9.81
"""Gravity where none is said, m/s² (MuJoCo's)."""


def load(file: Path, folder: str | Path | None, strict: bool, laws: bool, contacts: str) -> Imported:
    """See `importers.load_mjcf`."""
    allowed = Folder.of(file, folder)
    return _MjcfImport(document(file, allowed), file, allowed, strict).run(laws, contacts)


UNREFERENCED = frozenset({"keyframe", "sensor", "custom", "visual"})
"""Sections that change no accelerations and may name what is left out."""


def _folders(compiler: Compiler, here: Path) -> str:
    """Where the files beside a model are, wherever its text is."""
    own = {"meshdir": here / compiler.mesh_folder, "texturedir": here / compiler.texture_folder}
    return f"<compiler {' '.join(f'{name}={quoteattr(str(x))}' for name, x in own.items())}/>"


@dataclass(frozen=True)
class JointInertia:
    """What a joint's own force has to accelerate: with all other joints fixed, and with all others loose."""

    fixed: float
    loose: float


class _MjcfImport:
    """One import under way."""

    def __init__(self, root: XmlNode, file: Path, folder: Folder, strict: bool):
        self.root, self.notes = root, Notes()
        self.repairs = Repairs(self.notes, strict)
        compiler = Compiler.of(list(root.all("compiler")))
        self.defaults = Defaults.of(list(root.all("default")))
        self.here = file.parent.resolve()
        assets = Assets.of(list(root.all("asset")), self.defaults, compiler, folder, self.here, self.notes)
        self.tree = BodyTree(compiler, self.defaults, Geoms(compiler, assets, self.notes), self.notes, self.repairs)
        self.system = System(root.get("model") or file.stem, self._gravity())
        self.forces = Names()
        self.at_zero: dict[str, JointInertia] | None = None

    def run(self, laws: bool, contacts: str) -> Imported:
        self.laws = laws
        tree, system = self.tree, self.system
        for section in self.root.all("worldbody"):
            tree.read(section)
        system.ground_shapes = tree.world.shapes
        weighed = [tree.mass_properties(body) for body in tree.bodies]
        total, wanted = sum(p.mass for p in weighed), tree.compiler.total_mass
        by = wanted / total if wanted > 0.0 and total > 0.0 else 1.0
        if by != 1.0:
            weighed = [MassProperties(by * p.mass, p.com, by * p.inertia) for p in weighed]
        for body, p in zip(tree.bodies, weighed):
            self._add_body(body, p)
        for j in tree.all_joints:
            self._spring(j)
        for name, site in tree.sites.items():
            system.add_frame(Names(set(system.frames)).new(name), site.body, site.at)
        tendons = self._tendons()
        equalities = Equalities(system, tree, tendons, self.defaults, self.notes)
        system.cut = tuple(name for section in self.root.all("equality") for name in equalities.add(section))
        controls, self.activations = self._actuators(tendons)
        self._add_medium(weighed)
        begin = start(list(self.root.all("keyframe")), tree.all_joints, controls, self.activations, self.repairs)
        system.parameters.update(begin.controls)
        system.initial, system.speeds = begin.initial, begin.speeds
        if system.cut or system.constraints:  # numbers of a file close no loop to the last digit
            states = {name: x for name, x in begin.initial.items() if name in self.activations}
            system.guess, system.initial = {k: x for k, x in begin.initial.items() if k not in states}, states
        if laws:
            self._add_laws()
        if contacts != "none":
            adder = ContactAdder(system, self.notes, Names(set(system.laws)))
            GeomContacts(tree, self.defaults, adder, self.notes).add(self.root, contacts)
        self.defaults.forget_unused()
        self.notes.of_unread(self.root, REASONS if contacts == "none" else REASONS | IN_CONTACT)
        read = EditedFile(self.root, self.notes.edits, UNREFERENCED, partial(_folders, self.tree.compiler, self.here))
        return Imported(system, self.notes.ranked(), read)

    def _gravity(self) -> np.ndarray:
        g = np.array([0.0, 0.0, -EARTH])
        for option in self.root.all("option"):
            g = option.vector("gravity", g)
            flag = option.one("flag")
            if flag is not None and flag.choice("gravity", ("enable", "disable"), "enable") == "disable":
                g = ZERO
        return g

    def _add_body(self, body: MjcfBody, own: MassProperties) -> None:
        """The body on its joints, one after the other: between two of them stands a body without mass."""
        self.system.add_body(body.name, own, shapes=body.shapes)
        self._compensate(body, own.mass, own.com)
        if not body.joints:
            if body.node.get("mocap") == "true":
                self.notes.add(body.node, "a body that follows motion capture stands still here")
            name = self.tree.joint_names.new(f"{body.name}_weld")
            self.system.add_joint(name, Weld(), body.parent, body.name, body.at)
        parent, at = body.parent, body.at
        for j in body.joints:
            last = j is body.joints[-1]
            child = body.name if last else self.tree.names.new(f"{body.name}_{j.name}")
            if not last:
                self.system.add_body(child)
            place = HERE if j.kind == "free" else then(at, j.before)
            J = self._armature(j)
            j.node.checked(self.system.add_joint, j.name, j.joint, parent, child, place, j.after, armature=J)
            parent, at = child, HERE

    def _spring(self, j: JointPart) -> None:
        stiffness, damping = (first_of(j.node, name, self.notes) for name in ("stiffness", "damping"))
        time, ratio = j.node.vector("springdamper", (0.0, 0.0), size=2)
        if time > 0.0 and ratio > 0.0 and j.single:
            free = self._inertias().get(j.name)
            if free is None:
                self.notes.add(
                    j.node, "stiffness and damping from a time constant need an inertia that is not known; give these"
                )
            else:
                stiffness, damping = free.loose / (time * ratio) ** 2, 2.0 * free.loose / time
        if stiffness and not j.single:
            self.notes.add(j.node, f"the spring of a {j.kind} joint is not represented")
            self.notes.edits.change(j.node, stiffness="0")
            stiffness = 0.0
        if stiffness or damping:
            self.system.add_force(self.forces.new(f"{j.name}_spring"), JointSpring(j.name, stiffness, damping, j.rest))

    def _compensate(self, body: MjcfBody, mass: float, com: np.ndarray) -> None:
        """The part of its weight that MuJoCo takes from a body."""
        part = body.node.number("gravcomp", 0.0)
        if part and mass:
            lift = Load((body.name, com), force=-part * mass * self.system.gravity)
            self.system.add_force(self.forces.new(f"{body.name}_gravcomp"), lift)

    def _tendons(self) -> dict[str, FixedTendon]:
        reader = Tendons(self.tree, self.defaults, self.notes, self.laws)
        made: dict[str, FixedTendon] = {}
        for section in self.root.all("tendon"):
            for name, tendon, force in reader.fixed(section):
                made[name] = tendon
                if force is not None:
                    self.system.add_force(self.forces.new(name), force)
            for name, force in reader.through_space(section):
                self.system.add_force(self.forces.new(name), force)
        self._tendons_read, self._paths = reader.read, reader.paths
        self._tendon_laws = [(f"{name}_limit", law) for name, law in reader.limits] if self.laws else []
        return made

    def _actuators(self, tendons: dict[str, FixedTendon]) -> tuple[list[str], list[str]]:
        adder = Actuators(
            self.system,
            self.tree,
            tendons,
            self.defaults,
            self.forces,
            self.notes,
            self._inertia,
            self._paths,
            self._tendons_read,
        )
        controls: list[str] = []
        for section in self.root.all("actuator"):
            controls += adder.add(section, len(controls) + 1)
        return controls, adder.activations

    def _add_medium(self, weighed: list[MassProperties]) -> None:
        medium = Medium.of(list(self.root.all("option")))
        if medium.acts:
            for body, p in zip(self.tree.bodies, weighed):
                medium.add(self.system, self.tree, body, p, self.forces)

    def _add_laws(self) -> None:
        """Ranges of hinges and slides as stops, and their dry friction; MuJoCo holds both softly, here they are exact."""
        for j in self.tree.all_joints:
            if not j.single:
                continue
            ends = self.tree.compiler.limits(j.node, "")
            if ends is not None:
                angle = self.tree.compiler.angle if j.kind == "hinge" else float
                j.node.get("margin")
                begins = {**self.system.guess, **self.system.initial}.get(j.name, float(j.zero[0]))
                add_stop(self.system, self.notes, j.node, j.name, (angle(ends[0]), angle(ends[1])), float(begins))
            friction = j.node.number("frictionloss", 0.0)
            if friction < 0.0:
                raise j.node.error("frictionloss= is negative")
            if friction:
                self.system.add_law(f"{j.name}_friction", JointFriction(j.name, force=friction))
        for name, law in self._tendon_laws:
            self.system.add_law(name, law)

    def _inertias(self) -> dict[str, JointInertia]:
        """Inertia of each joint with one speed in the pose of the file; none where it cannot be built."""
        if self.at_zero is None:
            s = copy(self.system)
            s.joints = {name: joint for name, joint in s.joints.items() if name not in s.cut}
            s.cut, s.constraints, s.forces = (), {}, {}
            try:
                m = s.build().numeric
            except ModelError:
                return {}
            q = m.reference.copy()
            zero = {j.name: j.zero for j in self.tree.all_joints}
            for j in m.joints:
                if j.name in zero:
                    q[[at for at in j.q_at if at is not None]] = zero[j.name]
            A = composite(Tree(State(m, 0.0, q, np.zeros(m.n_u))))
            fixed, loose = np.diag(A), 1.0 / np.diag(np.linalg.inv(A))
            single = [(j.name, j.columns[0]) for j in m.joints if len(j.columns) == 1]
            self.at_zero = {name: JointInertia(float(fixed[k]), float(loose[k])) for name, k in single}
        return self.at_zero

    def _inertia(self, joint: str) -> float | None:
        found = self._inertias().get(joint)
        return None if found is None else found.fixed

    def _armature(self, j: JointPart) -> float:
        inertia = j.node.number("armature", 0.0)
        if inertia < 0.0:
            raise j.node.error("armature= is negative")
        return inertia
