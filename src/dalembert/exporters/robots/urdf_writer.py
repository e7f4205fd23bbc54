"""URDF: links on joints. Joints in a row stand on links without mass; loops are `<loop_joint>`, springs are Drake's."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from dalembert.exporters.robots.joint_rows import BALL, FREE, HINGE, SCREW, SLIDE, RowJoint
from dalembert.exporters.robots.robot_meshes import RobotMeshes
from dalembert.exporters.robots.robot_tree import LoopJoint, RobotLink, RobotTree, colour_of, rpy_of
from dalembert.exporters.robots.xml_text import element, words
from dalembert.importers.imported import ACCELERATIONS, AT_LIMITS, DRAWING, MEASURED
from dalembert.parts.constraints import Coupling
from dalembert.parts.forces import Spring
from dalembert.parts.frames import Frame
from dalembert.parts.joints import Prismatic, Revolute, Spherical, Weld
from dalembert.parts.shapes import Box, Capsule, Cylinder, Mesh, MeshFile, Shape, Sphere

GRAVITY = (0.0, 0.0, -9.81)
"""What readers of URDF take."""
WORLD = "world"
DRAKE = "http://drake.mit.edu"
KINDS = {HINGE: "revolute", SLIDE: "prismatic", FREE: "floating", BALL: "ball", SCREW: "screw"}
LOOPS = {Spherical: "spherical", Revolute: "revolute", Prismatic: "prismatic", Weld: "fixed"}
UNBOUNDED = 1e9
"""Effort and speed where a joint has limits, which URDF wants with them."""


class UrdfWriter:
    def __init__(self, tree: RobotTree, meshes: RobotMeshes):
        self.tree, self.meshes = tree, meshes

    def root(self) -> ElementTree.Element:
        tree = self.tree
        self.robot = element(None, "robot", name=tree.name)
        self.robot.set("xmlns:drake", DRAKE)
        if not np.array_equal(tree.gravity, GRAVITY):
            tree.note(
                f"gravity {words(tree.gravity)} cannot be said in URDF: give it where the file is read", ACCELERATIONS
            )
        self._world()
        for link in tree.links:
            self._link(link)
        for name, coupling in tree.couplings.items():
            if not self._mimic(coupling):
                tree.leave_out("constraint", [name])
        for loop in tree.loops:
            self._loop(loop)
        for name, force in tree.forces.items():
            if isinstance(force, Spring) and tree.linear(force):
                self._spring(force)
            else:
                tree.leave_out("force", [name])
        if any(x for j in tree.rows for x in (*j.start[: 0 if j.kind in (FREE, BALL) else None], *j.rate)):
            tree.note("where and how fast it begins cannot be said in URDF", MEASURED)
        return self.robot

    def _world(self) -> None:
        world = element(self.robot, "link", name=WORLD)
        for k, shape in enumerate(self.tree.ground_shapes):
            self._visual(world, shape, f"ground_{k}")

    def _named(self, number: int) -> str:
        return self.tree.links[number - 1].name if number else WORLD

    def _link(self, link: RobotLink) -> None:
        """The link on its joints; between two of them stands a link without mass."""
        node = element(self.robot, "link", name=link.name)
        if not link.massless or link.matter.inertia.any():
            inertial = element(node, "inertial")
            element(inertial, "origin", xyz=link.matter.com, rpy="0 0 0")
            element(inertial, "mass", value=link.matter.mass)
            I = link.matter.inertia
            six = {f"i{'xyz'[i]}{'xyz'[k]}": I[i, k] for i in range(3) for k in range(i, 3)}
            element(inertial, "inertia", **six)
        for k, shape in enumerate(link.shapes):
            self._visual(node, shape, f"{link.name}_{k}")
        below, at = self._named(link.parent), link.at
        row: list[RowJoint | None] = [*link.row] or [None]
        for k, joint in enumerate(row):
            last = k == len(row) - 1
            child = link.name if last else f"{link.name}_{joint.coordinates[0] if joint else ''}"
            if not last:
                element(self.robot, "link", name=child)
            self._joint(joint, link.joint, below, child, at)
            below, at = child, Frame()

    def _joint(self, joint: RowJoint | None, name: str, parent: str, child: str, at: Frame) -> None:
        kind = "fixed" if joint is None else KINDS[joint.kind]
        endless = (
            joint is not None and joint.kind == HINGE and (joint.ends is None or not np.isfinite(joint.ends).all())
        )
        drakes = kind in ("ball", "screw")
        named = name if joint is None else joint.name
        node = element(
            self.robot, "drake:joint" if drakes else "joint", name=named, type="continuous" if endless else kind
        )
        element(node, "parent", link=parent)
        element(node, "child", link=child)
        element(node, "origin", xyz=at.position, rpy=rpy_of(at.rotation))
        if joint is None:
            return
        if drakes:
            self.tree.note(f'joint "{named}" is a <drake:joint>, which Drake and dalembert read only', MEASURED)
        if joint.single:
            element(node, "axis", xyz=joint.axis)
        if joint.kind == SCREW:
            element(node, "drake:screw_thread_pitch", value=joint.pitch)
        if joint.kind == SLIDE or (joint.ends is not None and not endless):
            low, high = joint.ends or (-UNBOUNDED, UNBOUNDED)
            ends = {} if joint.ends is None else {"lower": max(low, -UNBOUNDED), "upper": min(high, UNBOUNDED)}
            said = ends or {"lower": -UNBOUNDED, "upper": UNBOUNDED}
            element(node, "limit", effort=UNBOUNDED, velocity=UNBOUNDED, **said)
        if joint.damping or joint.friction:
            element(node, "dynamics", damping=joint.damping, friction=joint.friction)
        self._beside(joint, endless)

    def _beside(self, joint: RowJoint, endless: bool) -> None:
        """What URDF cannot say of a joint, or says elsewhere."""
        if joint.stiffness:
            self.tree.note(f'the spring of joint "{joint.name}" cannot be said in URDF')
        if endless and joint.ends is not None:
            self.tree.note(f'joint "{joint.name}" ends on one side only, which URDF cannot say of hinges', AT_LIMITS)
        if joint.armature and joint.single:
            transmission = element(self.robot, "transmission", name=f"{joint.name}_rotor")
            element(transmission, "joint", name=joint.name)
            actuator = element(transmission, "actuator", name=f"{joint.name}_rotor")
            element(actuator, "drake:rotor_inertia", value=joint.armature)
        elif joint.armature:
            self.tree.note(f'armature of joint "{joint.name}" cannot be said in URDF')

    def _mimic(self, coupling: object) -> bool:
        """q₁ = −(c₂/c₁) q₂ + offset/c₁."""
        if not isinstance(coupling, Coupling) or len(coupling.factors) != 2:
            return False
        (one, c1), (two, c2) = ((self.tree.row_joint(x).name, float(c)) for x, c in coupling.factors.items())
        node = next(x for x in self.robot if x.tag in ("joint", "drake:joint") and x.get("name") == one)
        if node.find("mimic") is not None:
            return False
        element(node, "mimic", joint=two, multiplier=-c2 / c1, offset=float(coupling.offset) / c1)
        return True

    def _loop(self, loop: LoopJoint) -> None:
        if type(loop.joint) not in LOOPS:
            self.tree.leave_out("joint that closes a loop,", [loop.name])
            return
        node = element(self.robot, "loop_joint", name=loop.name, type=LOOPS[type(loop.joint)])
        for tag, number, at in (("link1", loop.parent, loop.on_parent), ("link2", loop.child, loop.on_child)):
            element(node, tag, link=self._named(number), xyz=at.position, rpy=rpy_of(at.rotation))
        axis = getattr(loop.joint, "axis", None)
        if axis is not None:
            element(node, "axis", xyz=axis)

    def _spring(self, force: Spring) -> None:
        """Drake's spring and damper between two points."""
        prefix = "drake:linear_spring_damper"
        node = element(self.robot, prefix)
        for which, point, end in (("A", "AP", force.a), ("B", "BQ", force.b)):
            body, position = self.tree.point(end)
            element(node, f"{prefix}_body_{which}", name=body or WORLD)
            element(node, f"{prefix}_p_{point}", value=position)
        for tag, value in (("free_length", force.length), ("stiffness", force.stiffness), ("damping", force.damping)):
            element(node, f"{prefix}_{tag}", value=float(value))

    def _visual(self, node: ElementTree.Element, shape: Shape, name: str) -> None:
        visual = element(node, "visual")
        element(visual, "origin", xyz=shape.at.position, rpy=rpy_of(np.asarray(shape.at.rotation, dtype=float)))
        geometry = element(visual, "geometry")
        match shape:
            case Box():
                element(geometry, "box", size=shape.size)
            case Sphere():
                element(geometry, "sphere", radius=shape.radius)
            case Cylinder():
                element(geometry, "cylinder", radius=shape.radius, length=shape.length)
            case Capsule():
                element(geometry, "capsule", radius=shape.radius, length=shape.length)
            case Mesh() | MeshFile():
                element(geometry, "mesh", filename=self.meshes.add(shape, name))
            case _:
                node.remove(visual)
                self.tree.note(f'a {shape.kind} on "{node.get("name")}" cannot be drawn in URDF', DRAWING)
                return
        rgba = colour_of(shape)
        if rgba is not None:
            element(element(visual, "material", name=name), "color", rgba=rgba)
