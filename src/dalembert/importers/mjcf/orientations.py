"""Where things are: the orientation attributes of MJCF, in the units its compiler is set to use."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dalembert.importers.poses import quaternion, z_towards
from dalembert.importers.xml_node import XmlNode
from dalembert.parts import MassProperties
from dalembert.parts.frames import Frame
from dalembert.vectors import IDENTITY, ZERO, Matrix, Vector, cross, turn

ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
NO_LENGTH = 1e-12
"""Length that is none."""


@dataclass(frozen=True)
class Compiler:
    """What <compiler> says about the reading of the rest."""

    degrees: bool = True
    sequence: str = "xyz"
    inertia_from_geoms: str = "auto"
    geom_groups: tuple[int, int] = (0, 5)
    mesh_folder: str = ""
    texture_folder: str = ""
    auto_limits: bool = True
    """Whether a range alone makes a limit."""
    least_mass: float = 0.0
    least_inertia: float = 0.0
    balanced: bool = False
    """Whether moments of inertia that no body has become their mean."""
    total_mass: float = -1.0
    """Mass of all bodies together, if it is above zero."""

    @classmethod
    def of(cls, sections: list[XmlNode]) -> Compiler:
        made = cls()
        for node in sections:
            if node.choice("coordinate", ("local", "global"), "local") == "global":
                raise node.error(
                    'coordinate="global" is no longer part of MJCF; save the model with coordinate="local"'
                )
            sequence = node.get("eulerseq") or made.sequence
            if len(sequence) != 3 or set(sequence) - set("xyzXYZ"):
                raise node.error(f"eulerseq={sequence!r} must be three letters of x, y, z, X, Y, Z")
            low, high = node.vector("inertiagrouprange", made.geom_groups, size=2)
            made = cls(
                node.choice("angle", ("degree", "radian"), "degree" if made.degrees else "radian") == "degree",
                sequence,
                node.choice("inertiafromgeom", ("true", "false", "auto"), made.inertia_from_geoms),
                (int(low), int(high)),
                node.get("meshdir") or node.get("assetdir") or made.mesh_folder,
                node.get("texturedir") or node.get("assetdir") or made.texture_folder,
                node.flag("autolimits", made.auto_limits),
                node.number("boundmass", made.least_mass),
                node.number("boundinertia", made.least_inertia),
                node.flag("balanceinertia", made.balanced),
                node.number("settotalmass", made.total_mass),
            )
        return made

    def bounded(self, p: MassProperties) -> MassProperties:
        """Mass properties of a body, as `boundmass`, `boundinertia` and `balanceinertia` change them."""
        moments, axes = np.linalg.eigh(p.inertia)
        changed = np.maximum(moments, self.least_inertia)
        if self.balanced and changed[0] + changed[1] < changed[2]:
            changed = np.full(3, changed.mean())
        inertia = p.inertia if np.array_equal(changed, moments) else (axes * changed) @ axes.T
        return MassProperties(max(p.mass, self.least_mass), p.com, 0.5 * (inertia + inertia.T))

    def limits(self, node: XmlNode, what: str) -> tuple[float, float] | None:
        """The range that `what`limited and `what`range set; None where there is none."""
        limited = node.choice(f"{what}limited", ("true", "false", "auto"), "auto")
        ranged = node.vector(f"{what}range", (0.0, 0.0), size=2) if node.has(f"{what}range") else None
        if limited == "false" or ranged is None or (limited == "auto" and not self.auto_limits):
            return None
        low, high = (float(x) for x in ranged)
        if low > high:
            raise node.error(f"{what}range= must have the smaller number first")
        return None if limited == "auto" and low == high else (low, high)

    def angle(self, given: float) -> float:
        return math.radians(given) if self.degrees else given

    def place(self, node: XmlNode) -> Frame:
        return Frame(node.vector("pos", ZERO), self.rotation(node))

    def rotation(self, node: XmlNode) -> Matrix:
        """One of quat, axisangle, euler, xyaxes, zaxis; the body's own axes where none is given."""
        said = [[name for name in ORIENTATIONS if name in level.attributes] for level in (node, *node.defaults)]
        given = next((names for names in said if names), [])
        for name in {name for names in said for name in names}:
            node.get(name)  # what a nearer class says in other words counts as read
        if len(given) > 1:
            raise node.error(f"it has both {given[0]}= and {given[1]}=; give one orientation")
        if not given:
            return IDENTITY
        match given[0]:
            case "quat":
                e = node.numbers("quat", 4)
                return quaternion(e / _length(node, e, "quat"))
            case "axisangle":
                a = node.numbers("axisangle", 4)
                return turn(a[:3] / _length(node, a[:3], "axisangle"), self.angle(float(a[3])))
            case "euler":
                return self.turned(node.numbers("euler", 3))
            case "zaxis":
                z = node.numbers("zaxis", 3)
                return z_towards(z / _length(node, z, "zaxis"))
            case _:
                xy = node.numbers("xyaxes", 6)
                x = xy[:3] / _length(node, xy[:3], "xyaxes")
                y = xy[3:] - (x @ xy[3:]) * x
                y = y / _length(node, y, "xyaxes")
                return np.stack([x, y, cross(x, y)], axis=1)

    def turned(self, angles: Vector) -> Matrix:
        """Small letters turn about axes that move along, capital letters about axes that stay."""
        R = IDENTITY
        for letter, angle in zip(self.sequence, angles):
            step = turn(IDENTITY["xyz".index(letter.lower())], self.angle(float(angle)))
            R = R @ step if letter.islower() else step @ R
        return R


def _length(node: XmlNode, given: Vector, name: str) -> float:
    length = float(np.linalg.norm(given))
    if length < NO_LENGTH:
        raise node.error(f"{name}= has no direction")
    return length
