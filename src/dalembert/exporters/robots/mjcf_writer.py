"""MJCF: bodies in bodies, each with the joints that carry it; loops and couplings as equalities."""

from __future__ import annotations

import math
from collections.abc import Iterable
from xml.etree import ElementTree

import numpy as np

from dalembert.exporters.robots.joint_rows import BALL, FREE, HINGE, SCREW, SLIDE, RowJoint
from dalembert.exporters.robots.robot_meshes import RobotMeshes
from dalembert.exporters.robots.robot_tree import LoopJoint, RobotLink, RobotTree, at_start, colour_of
from dalembert.exporters.robots.xml_text import element
from dalembert.importers.imported import ACCELERATIONS, DRAWING
from dalembert.importers.poses import euler_parameters, then
from dalembert.parts.constraints import Coupling, Polynomial
from dalembert.parts.forces import Force, Motor, Spring, Tendon
from dalembert.parts.frames import Frame
from dalembert.parts.joints import Revolute, Spherical, Weld
from dalembert.parts.shapes import Box, Capsule, Cylinder, Mesh, MeshFile, Shape, Sphere

LEAST = 1e-14
"""Mass, kg, and moments, kg m², that bodies get which have less: MuJoCo takes none without."""
APART = 0.1
"""Half the distance, m, between the two balls that stand for a hinge which closes a loop."""
FAR = 1e10
"""What stands for an end where a joint has none."""


def principal(inertia: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments, none larger than the two others together by rounding, and the axes as columns."""
    moments, axes = np.linalg.eigh(inertia)
    moments = np.maximum(moments, 0.0)
    while moments[2] > moments[0] + moments[1]:
        moments[2] = np.nextafter(min(moments[2], moments[0] + moments[1]), 0.0)
    return moments, axes * [1.0, 1.0, np.sign(np.linalg.det(axes))]


class MjcfWriter:
    def __init__(self, tree: RobotTree, meshes: RobotMeshes):
        self.tree, self.meshes = tree, meshes

    def root(self) -> ElementTree.Element:
        tree = self.tree
        self.mujoco = element(None, "mujoco", model=tree.name)
        light = any(min(principal(x.matter.inertia)[0]) < LEAST or x.matter.mass < LEAST for x in tree.links)
        least = LEAST if light else None
        if light:
            tree.note(
                f"bodies get {LEAST:g} kg and kg m² where they have less: MuJoCo takes none without", ACCELERATIONS
            )
        element(self.mujoco, "compiler", angle="radian", boundmass=least, boundinertia=least)
        element(self.mujoco, "option", gravity=tree.gravity)
        self.asset, world = element(self.mujoco, "asset"), element(self.mujoco, "worldbody")
        self.tendon, self.equality, self.actuator = (
            element(self.mujoco, tag) for tag in ("tendon", "equality", "actuator")
        )
        self.body_of: dict[str, ElementTree.Element] = {"": world}
        self.qpos: list[float] = []
        self.qvel: list[float] = []
        self.ctrl: list[float] = []
        self._shapes(world, tree.ground_shapes, "ground")
        for k, link in enumerate(tree.links, start=1):
            if not link.parent:
                self._body(world, k, link)
        for name, coupling in tree.couplings.items():
            if not self._coupling(name, coupling):
                tree.leave_out("constraint", [name])
        for loop in tree.loops:
            self._loop(loop)
        for name, force in tree.forces.items():
            if not self._force(name, force):
                tree.leave_out("force", [name])
        if self.qpos:
            key = element(element(self.mujoco, "keyframe"), "key", name="start", qpos=self.qpos, qvel=self.qvel)
            key.attrib.update({"ctrl": " ".join(map(repr, self.ctrl))} if self.ctrl else {})
        for part in (self.asset, self.tendon, self.equality, self.actuator):
            if not len(part):
                self.mujoco.remove(part)
        return self.mujoco

    # -- bodies ---------------------------------------------------------------------------------------------------------
    def _body(self, around: ElementTree.Element, number: int, link: RobotLink) -> None:
        floats = [j.kind for j in link.row] == [FREE] and not link.parent and _is_origin(link.at)
        at = at_start(link.row[0]) if floats else link.at
        body = element(around, "body", name=link.name, pos=at.position, quat=euler_parameters(at.rotation))
        self.body_of[link.name] = body
        moments, axes = principal(link.matter.inertia)
        quat = euler_parameters(axes)
        element(body, "inertial", pos=link.matter.com, quat=quat, mass=link.matter.mass, diaginertia=moments)
        for joint in link.row:
            if floats:
                element(body, "freejoint", name=joint.name)
                self.qpos += [*joint.start[4:], *joint.start[:4]]
                self.qvel += [*joint.rate[3:], *joint.rate[:3]]
                if joint.armature or joint.damping:
                    self.tree.note(f'armature and damping of the free joint "{joint.name}" cannot be said')
            else:
                self._joint(body, joint)
        self._shapes(body, link.shapes, link.name)
        for k, child in enumerate(self.tree.links, start=1):
            if child.parent == number:
                self._body(body, k, child)

    def _joint(self, body: ElementTree.Element, joint: RowJoint) -> None:
        acts = {
            "damping": joint.damping or None, "stiffness": joint.stiffness or None, "springref": joint.rest or None,
            "frictionloss": joint.friction or None, "armature": joint.armature or None,
        }  # fmt: skip
        if joint.ends is not None:
            acts["range"] = np.clip(joint.ends, -FAR, FAR)  # type: ignore[assignment]
        match joint.kind:
            case "hinge" | "slide":
                element(body, "joint", name=joint.name, type=joint.kind, axis=joint.axis, **acts)
                self._starts(joint.start, joint.rate)
            case "ball":
                element(body, "joint", name=joint.name, type=BALL, **acts)
                self._starts(joint.start, joint.rate)
            case "screw":
                self._screw(body, joint, acts)
            case _:
                self._floating(body, joint, acts)

    def _floating(self, body: ElementTree.Element, joint: RowJoint, acts: dict[str, float | None]) -> None:
        """Three slides and a ball, where MuJoCo lets no body float: on another, or from a place of its own."""
        for k, axis in enumerate(np.eye(3)):
            element(body, "joint", name=f"{joint.name}_{'xyz'[k]}", type=SLIDE, axis=axis, **acts)
        element(body, "joint", name=f"{joint.name}_{BALL}", type=BALL, **acts)
        self._starts((*joint.start[4:], *joint.start[:4]), (*joint.rate[3:], *joint.rate[:3]))

    def _screw(self, body: ElementTree.Element, joint: RowJoint, acts: dict[str, float | None]) -> None:
        """A hinge and a slide that follows it."""
        element(body, "joint", name=joint.name, type=HINGE, axis=joint.axis, **acts)
        element(body, "joint", name=f"{joint.name}_advance", type=SLIDE, axis=joint.axis)
        h = joint.pitch / (2.0 * math.pi)
        polycoef = [0.0, h, 0.0, 0.0, 0.0]
        element(self.equality, "joint", joint1=f"{joint.name}_advance", joint2=joint.name, polycoef=polycoef)
        self._starts((joint.start[0], h * joint.start[0]), (joint.rate[0], h * joint.rate[0]))

    def _starts(self, q: Iterable[float], u: Iterable[float]) -> None:
        self.qpos += q
        self.qvel += u

    # -- what holds and acts --------------------------------------------------------------------------------------------
    def _coupling(self, name: str, coupling: Coupling | Polynomial) -> bool:
        if isinstance(coupling, Polynomial):
            if len(coupling.follower) != 1 or len(coupling.leader) != 1 or len(coupling.coefficients) > 5:
                return False
            ((y, f),), ((x, g),) = coupling.follower.items(), coupling.leader.items()
            a = [float(c) * float(g) ** k / float(f) for k, c in enumerate(coupling.coefficients)]
            one, two = self.tree.row_joint(y).name, self.tree.row_joint(x).name
            element(self.equality, "joint", name=name, joint1=one, joint2=two, polycoef=[*a, *[0.0] * (5 - len(a))])
            return True
        factors = {self.tree.row_joint(x).name: float(c) for x, c in coupling.factors.items()}
        offset = float(coupling.offset)
        if len(factors) > 2:
            self._fixed(f"{name}_sum", factors)
            element(self.equality, "tendon", name=name, tendon1=f"{name}_sum", polycoef=[offset, 0, 0, 0, 0])
            return True
        (one, c), *more = factors.items()
        joint2, slope = (more[0][0], -more[0][1] / c) if more else (None, 0.0)
        element(self.equality, "joint", name=name, joint1=one, joint2=joint2, polycoef=[offset / c, slope, 0, 0, 0])
        return True

    def _fixed(self, name: str, factors: dict[str, float], **acts: float | None) -> None:
        node = element(self.tendon, "fixed", name=name, **acts)
        for joint, factor in factors.items():
            element(node, "joint", joint=joint, coef=factor)

    def _loop(self, loop: LoopJoint) -> None:
        if not isinstance(loop.joint, (Spherical, Weld, Revolute)):
            self.tree.leave_out("joint that closes a loop,", [loop.name])
            return
        if isinstance(loop.joint, Revolute):
            along = APART * np.array(loop.joint.axis)
            for k, shift in enumerate((along, -along)):
                self._tie("connect", f"{loop.name}_{k + 1}", loop, Frame(shift))
            return
        self._tie("weld" if isinstance(loop.joint, Weld) else "connect", loop.name, loop, Frame())

    def _tie(self, tag: str, name: str, loop: LoopJoint, shift: Frame) -> None:
        sites = []
        for number, on in ((loop.parent, loop.on_parent), (loop.child, loop.on_child)):
            link = self.tree.links[number - 1].name if number else ""
            sites.append(f"{name}_on_{link or 'world'}")
            self._site(sites[-1], link, then(on, shift))
        element(self.equality, tag, name=name, site1=sites[0], site2=sites[1])

    def _site(self, name: str, link: str, at: Frame) -> None:
        element(self.body_of[link], "site", name=name, pos=at.position, quat=euler_parameters(at.rotation))

    def _force(self, name: str, force: Force) -> bool:
        if isinstance(force, Spring) and self.tree.linear(force):
            node_acts = {"stiffness": float(force.stiffness) or None, "damping": float(force.damping) or None}
            node = element(self.tendon, "spatial", name=name, springlength=float(force.length), **node_acts)
            for k, end in enumerate((force.a, force.b)):
                link, at = self.tree.point(end)
                self._site(f"{name}_{k + 1}", link, Frame(at))
                element(node, "site", site=f"{name}_{k + 1}")
            return True
        if isinstance(force, Motor) and isinstance(force.torque, (int, float)):
            coordinate = f"{force.joint}.{force.coordinate}" if force.coordinate else force.joint
            if self.tree.has(coordinate):
                element(self.actuator, "motor", name=name, joint=self.tree.row_joint(coordinate).name)
                self.ctrl.append(float(force.torque))
                return True
        if isinstance(force, Tendon) and all(map(self.tree.has, force.factors)):
            factors = {self.tree.row_joint(x).name: float(c) for x, c in force.factors.items()}
            acts = {"stiffness": float(force.stiffness) or None, "damping": float(force.damping) or None}
            self._fixed(name, factors, springlength=float(force.rest), **acts)
            if force.pull:
                element(self.actuator, "motor", name=f"{name}_pull", tendon=name)
                self.ctrl.append(float(force.pull))
            return True
        return False

    # -- looks ----------------------------------------------------------------------------------------------------------
    def _shapes(self, body: ElementTree.Element, shapes: tuple[Shape, ...], name: str) -> None:
        for k, shape in enumerate(shapes):
            at = Frame(np.asarray(shape.at.position, dtype=float), np.asarray(shape.at.rotation, dtype=float))
            look = {
                "pos": at.position, "quat": euler_parameters(at.rotation), "rgba": colour_of(shape), "contype": "0",
                "conaffinity": "0", "group": "2", "mass": "0",
            }  # fmt: skip
            match shape:
                case Box():
                    element(body, "geom", type="box", size=0.5 * np.asarray(shape.size, dtype=float), **look)
                case Sphere():
                    element(body, "geom", type="sphere", size=shape.radius, **look)
                case Cylinder():
                    element(body, "geom", type="cylinder", size=[shape.radius, 0.5 * shape.length], **look)
                case Capsule():
                    element(body, "geom", type="capsule", size=[shape.radius, 0.5 * shape.length], **look)
                case Mesh() | MeshFile():
                    file = self.meshes.add(shape, f"{name}_{k}")
                    element(self.asset, "mesh", name=f"{name}_{k}", file=file, inertia="shell")
                    # MuJoCo moves a mesh into its own principal axes by itself, and geoms with it
                    element(body, "geom", type="mesh", mesh=f"{name}_{k}", **look)
                case _:
                    self.tree.note(f'a {shape.kind} on "{name}" cannot be drawn in MJCF', DRAWING)


def _is_origin(at: Frame) -> bool:
    return not np.any(at.position) and np.array_equal(at.rotation, np.eye(3))


__all__ = ["SCREW", "MjcfWriter"]
