"""SDF: links where they stand at zero, joints on their children; loops as joints, where they are closed at zero."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from dalembert.exporters.robots.joint_rows import BALL, FREE, HINGE, SCREW, SLIDE, RowJoint
from dalembert.exporters.robots.robot_meshes import RobotMeshes
from dalembert.exporters.robots.robot_tree import (
    LoopJoint,
    RobotLink,
    RobotTree,
    at_start,
    closed_at_zero,
    colour_of,
    rpy_of,
)
from dalembert.exporters.robots.xml_text import element, words
from dalembert.importers.imported import DRAWING, MEASURED
from dalembert.importers.poses import then
from dalembert.parts.constraints import Coupling
from dalembert.parts.frames import Frame
from dalembert.parts.joints import Prismatic, Revolute, Spherical, Universal, Weld
from dalembert.parts.shapes import Box, Capsule, Cylinder, Mesh, MeshFile, Shape, Sphere

VERSION = "1.11"
"""Which knows <mimic>."""
GRAVITY = (0.0, 0.0, -9.8)
"""What a model alone has."""
WORLD = "world"
KINDS = {HINGE: "revolute", SLIDE: "prismatic", BALL: "ball", SCREW: "screw"}
LOOPS = {Spherical: "ball", Revolute: "revolute", Prismatic: "prismatic", Weld: "fixed", Universal: "universal"}


class SdfWriter:
    def __init__(self, tree: RobotTree, meshes: RobotMeshes):
        self.tree, self.meshes = tree, meshes

    def root(self) -> ElementTree.Element:
        tree = self.tree
        sdf = element(None, "sdf", version=VERSION)
        around = sdf
        if not np.array_equal(tree.gravity, GRAVITY):
            around = element(sdf, "world", name=tree.name)
            element(around, "gravity", tree.gravity)
        if tree.ground_shapes:
            still = element(around, "model", name="surroundings")
            element(still, "static", "true")
            self._visuals(element(still, "link", name="ground"), tree.ground_shapes, "ground")
        self.model = element(around, "model", name=tree.name)
        self._name_apart()
        for link in tree.links:
            self._link(link)
        for name, coupling in tree.couplings.items():
            if not self._mimic(coupling):
                tree.leave_out("constraint", [name])
        for loop in tree.loops:
            self._loop(loop)
        tree.leave_out("force", list(tree.forces))
        if any(x for j in tree.rows for x in (*(j.start if j.single else ()), *j.rate)):
            tree.note("where and how fast its joints begin cannot be said in SDF", MEASURED)
        return sdf

    def _name_apart(self) -> None:
        """Links and joints share their names in SDF: a joint that is called as a link gets another."""
        links = {link.name for link in self.tree.links}
        named: list[RowJoint | LoopJoint] = [*self.tree.rows, *self.tree.loops]
        for joint in named:
            if joint.name in links:
                self.tree.note(f'joint "{joint.name}" is called "{joint.name}_joint", as a link has its name', MEASURED)
                joint.name = f"{joint.name}_joint"

    def _named(self, number: int) -> str:
        return self.tree.links[number - 1].name if number else WORLD

    def _link(self, link: RobotLink) -> None:
        """The link after those without mass that stand between the joints of its row."""
        below, at = self._named(link.parent), link.at
        row: list[RowJoint | None] = [*link.row] or [None]
        for k, joint in enumerate(row):
            last = k == len(row) - 1
            name = link.name if last else f"{link.name}_{joint.coordinates[0] if joint else ''}"
            place = then(at, at_start(joint)) if joint is not None and joint.kind == FREE else at
            node = element(self.model, "link", name=name)
            relative = None if below == WORLD else below
            element(node, "pose", [*place.position, *rpy_of(place.rotation)], relative_to=relative)
            if last:
                self._matter(node, link)
                self._visuals(node, link.shapes, link.name)
            else:
                self._inertial(node, 0.0, np.zeros(3), np.zeros((3, 3)))
            self._joint(joint, link.joint, below, name)
            below, at = name, Frame()

    def _matter(self, node: ElementTree.Element, link: RobotLink) -> None:
        self._inertial(node, link.matter.mass, link.matter.com, link.matter.inertia)

    def _inertial(self, node: ElementTree.Element, mass: float, com: np.ndarray, I: np.ndarray) -> None:
        inertial = element(node, "inertial")
        element(inertial, "pose", [*com, 0.0, 0.0, 0.0])
        element(inertial, "mass", mass)
        inertia = element(inertial, "inertia")
        for i in range(3):
            for k in range(i, 3):
                element(inertia, f"i{'xyz'[i]}{'xyz'[k]}", I[i, k])

    def _joint(self, joint: RowJoint | None, name: str, parent: str, child: str) -> None:
        if joint is not None and joint.kind == FREE:
            if parent != WORLD:
                self.tree.note(f'"{child}" floats from the world, not from "{parent}", as SDF has it', MEASURED)
            if joint.armature or joint.damping:
                self.tree.note(f'armature and damping of the free joint "{joint.name}" cannot be said in SDF')
            return
        kind = "fixed" if joint is None else KINDS[joint.kind]
        named = joint.name if joint is not None else f"{name}_joint" if name == child else name
        node = element(self.model, "joint", name=named, type=kind)
        element(node, "parent", parent)
        element(node, "child", child)
        if joint is None:
            return
        if joint.armature:
            self.tree.note(f'armature of joint "{joint.name}" cannot be said in SDF')
        if joint.kind == SCREW:
            element(node, "screw_thread_pitch", joint.pitch)
        if not joint.single:
            if joint.damping:
                self.tree.note(f'damping of the ball joint "{joint.name}" cannot be said in SDF')
            return
        axis = element(node, "axis")
        element(axis, "xyz", joint.axis)
        if joint.ends is not None:
            limit = element(axis, "limit")
            for tag, x in zip(("lower", "upper"), joint.ends):
                element(limit, tag, x if np.isfinite(x) else ("inf" if x > 0 else "-inf"))
        acts = {
            "damping": joint.damping, "friction": joint.friction, "spring_reference": joint.rest,
            "spring_stiffness": joint.stiffness,
        }  # fmt: skip
        if any(acts.values()):
            dynamics = element(axis, "dynamics")
            for tag, x in acts.items():
                element(dynamics, tag, x)

    def _mimic(self, coupling: object) -> bool:
        if not isinstance(coupling, Coupling) or len(coupling.factors) != 2:
            return False
        (one, c1), (two, c2) = ((self.tree.row_joint(x).name, float(c)) for x, c in coupling.factors.items())
        axis = next(x for x in self.model if x.tag == "joint" and x.get("name") == one).find("axis")
        if axis is None or axis.find("mimic") is not None:
            return False
        mimic = element(axis, "mimic", joint=two)
        for tag, x in (("multiplier", -c2 / c1), ("offset", float(coupling.offset) / c1), ("reference", 0.0)):
            element(mimic, tag, x)
        return True

    def _loop(self, loop: LoopJoint) -> None:
        if type(loop.joint) not in LOOPS:
            self.tree.leave_out("joint that closes a loop,", [loop.name])
            return
        if not closed_at_zero(self.tree, loop):
            what = f'the loop at joint "{loop.name}" is open where all joints stand at zero, which SDF cannot say: it is left out'
            self.tree.note(what)
            return
        node = element(self.model, "joint", name=loop.name, type=LOOPS[type(loop.joint)])
        # the joint's frame is said on the child: a joint to the world is turned round
        a, b = (loop.parent, loop.child) if loop.child else (loop.child, loop.parent)
        on_child = loop.on_child if loop.child else loop.on_parent
        element(node, "pose", [*on_child.position, *rpy_of(on_child.rotation)])
        element(node, "parent", self._named(a))
        element(node, "child", self._named(b))
        names = [name for name in ("axis", "axis_parent", "axis_child") if hasattr(loop.joint, name)]
        for tag, name in zip(("axis", "axis2"), names):
            element(element(node, tag), "xyz", getattr(loop.joint, name))

    def _visuals(self, node: ElementTree.Element, shapes: tuple[Shape, ...], name: str) -> None:
        for k, shape in enumerate(shapes):
            visual = element(node, "visual", name=f"{name}_{k}")
            R = np.asarray(shape.at.rotation, dtype=float)
            element(visual, "pose", [*np.asarray(shape.at.position, dtype=float), *rpy_of(R)])
            geometry = element(visual, "geometry")
            match shape:
                case Box():
                    element(element(geometry, "box"), "size", shape.size)
                case Sphere():
                    element(element(geometry, "sphere"), "radius", shape.radius)
                case Cylinder() | Capsule():
                    form = element(geometry, shape.kind)
                    element(form, "radius", shape.radius)
                    element(form, "length", shape.length)
                case Mesh() | MeshFile():
                    element(element(geometry, "mesh"), "uri", self.meshes.add(shape, f"{name}_{k}"))
                case _:
                    node.remove(visual)
                    self.tree.note(f'a {shape.kind} on "{name}" cannot be drawn in SDF', DRAWING)
                    continue
            rgba = colour_of(shape)
            if rgba is not None:
                element(element(visual, "material"), "diffuse", words(rgba))
