"""Joints of a body, in the order in which they move it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.importers.mjcf.orientations import Compiler
from dalembert.importers.poses import back, euler_parameters, then
from dalembert.importers.xml_node import XmlNode
from dalembert.parts.frames import Frame
from dalembert.parts.joints import Free, Joint, Prismatic, Revolute, Spherical
from dalembert.vectors import ZERO, turn

KINDS = ("hinge", "slide", "ball", "free")


@dataclass(frozen=True, eq=False)
class JointPart:
    """A joint as MJCF has it, with the frames it connects."""

    name: str
    node: XmlNode
    kind: str
    joint: Joint
    zero: np.ndarray
    """Coordinates in the pose in which the file describes the body, ours."""
    before: Frame
    """Frame P relative to the body in that pose."""
    after: Frame
    """Frame C on the body."""
    rest: float = 0.0
    """Where its spring is at rest."""

    @property
    def single(self) -> bool:
        return self.kind in ("hinge", "slide")

    @property
    def n_qpos(self) -> int:
        return {"free": 7, "ball": 4}.get(self.kind, 1)

    def moved(self) -> Frame:
        """The body, from where the file describes it, when the joint stands where its spring is at rest."""
        q = np.array([self.rest]) if self.single else self.zero
        return then(self.before, then(Frame(self.joint.translation(q), self.joint.rotation(q)), back(self.after)))

    def coordinates(self, qpos: np.ndarray) -> float | list[float]:
        """MuJoCo's numbers as ours: position then quaternion for a free body, where ours has the orientation first."""
        if self.single:
            return float(qpos[0])
        e = qpos[-4:] / np.linalg.norm(qpos[-4:])
        return [float(x) for x in (*e, *qpos[:-4])]

    def speeds(self, qvel: np.ndarray) -> float | list[float]:
        """A free body's velocity comes first in MuJoCo, its angular velocity first here."""
        return float(qvel[0]) if self.single else [float(x) for x in (*qvel[-3:], *qvel[:-3])]


def read_joint(node: XmlNode, name: str, inside: Frame, body: Frame, compiler: Compiler) -> JointPart:
    """`node` with its defaults; `inside` the frame elements around it; `body` the body's place in the world.

    A hinge or slide stands at ref in the pose of the file: turned or shifted back by it, frame P makes our coordinate MuJoCo's.
    """
    kind = "free" if node.tag == "freejoint" else node.choice("type", KINDS, "hinge")
    if kind in ("free", "ball"):
        node.get("axis")
    if kind == "free":
        node.get("pos")
        zero = np.array([*euler_parameters(body.rotation), *body.position])
        return JointPart(name, node, kind, Free(), zero, Frame(), Frame())
    at = then(inside, Frame(node.vector("pos", ZERO))).position
    if kind == "ball":
        return JointPart(name, node, kind, Spherical(), np.array([1.0, 0, 0, 0]), Frame(at), Frame(at))
    axis = node.unit(inside.rotation @ node.vector("axis", (0.0, 0.0, 1.0)))
    ref, rest = node.number("ref", 0.0), node.number("springref", 0.0)
    if kind == "slide":
        start = Frame(at - ref * np.array(axis))
        return JointPart(name, node, kind, Prismatic(axis), np.array([ref]), start, Frame(at), rest)
    ref = compiler.angle(ref)
    start = Frame(at, turn(np.array(axis), -ref))
    return JointPart(name, node, kind, Revolute(axis), np.array([ref]), start, Frame(at), compiler.angle(rest))
