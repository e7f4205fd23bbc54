"""Geoms: what a body is made of, and what it looks like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dalembert.importers import pictures
from dalembert.importers.contact_forms import ContactForm
from dalembert.importers.imported import Notes
from dalembert.importers.mjcf.assets import Assets, MeshAsset
from dalembert.importers.mjcf.orientations import Compiler
from dalembert.importers.poses import then, z_towards
from dalembert.importers.solid_forms import placed, solid
from dalembert.importers.xml_node import XmlNode
from dalembert.parts import MassProperties
from dalembert.parts.frames import Frame
from dalembert.parts.shapes import Shape
from dalembert.vectors import ZERO

SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
"""How many numbers each form needs; `fromto` saves the last."""
WITHOUT_MASS = ("plane", "hfield")
NO_LENGTH = 1e-12
"""Length that is none."""
WATER = 1000.0
"""Density where none is said, kg/m³ (MuJoCo's)."""


@dataclass(frozen=True, eq=False)
class Geom:
    """Both in the body's frame. It is weighed only where the body's mass is not given otherwise; None: it has no mass of its own."""

    weigh: Callable[[], MassProperties | None] = lambda: None
    shape: Shape | None = None
    in_fluid: bool = False
    """Whether the medium acts on it as on an ellipsoid."""
    form: ContactForm | None = None
    """What touches; its body is said by who knows it."""

    def on(self, body: str) -> Geom:
        """The same on a body."""
        return self if self.form is None else replace(self, form=replace(self.form, body=body))


@dataclass(frozen=True, eq=False)
class Geoms:
    compiler: Compiler
    assets: Assets
    notes: Notes

    def read(self, node: XmlNode, inside: Frame) -> Geom:
        """`node` with its defaults, `inside` the frame elements around it."""
        for name in ("mass", "density", "group", "shellinertia", "fluidcoef"):
            node.get(name)
        made = self._read(node, inside)
        return replace(made, in_fluid=True) if node.get("fluidshape") == "ellipsoid" else made

    def _read(self, node: XmlNode, inside: Frame) -> Geom:
        kind = node.choice("type", (*WITHOUT_MASS, *SIZES, "mesh", "sdf"), "sphere")
        if kind in WITHOUT_MASS:
            place = then(inside, self.compiler.place(node))
            return Geom(form=ContactForm(node, "", kind, ZERO, place))
        if kind == "sdf" or (node.has("mesh") and kind != "mesh"):
            what = "given by a distance function" if kind == "sdf" else "fitted to a mesh"
            self.notes.add(node, f"a form {what} is not represented: it is not drawn and has no mass here")
            return Geom(form=ContactForm(node, "", "mesh", ZERO, inside))
        if kind == "mesh":
            return self._mesh(node, then(inside, self.compiler.place(node)))
        place, size = self._form(node, kind)
        at = then(inside, place)
        shape = node.checked(_shape, kind, size, at, self.assets.colour(node))
        return Geom(lambda: self._solid(node, kind, size, at), shape, form=ContactForm(node, "", kind, size, at))

    def _mesh(self, node: XmlNode, at: Frame) -> Geom:
        asset, rgba = self.assets.mesh(node), self.assets.colour(node)
        shape = node.checked(asset.shape, at, rgba)
        return Geom(lambda: self._solid_mesh(node, asset, at), shape, form=ContactForm(node, "", "mesh", ZERO, at))

    def _solid_mesh(self, node: XmlNode, asset: MeshAsset, at: Frame) -> MassProperties | None:
        if not self._mass(node, 1.0) or not self._in_group(node):
            return None
        own = asset.mass_properties(node, node.number("density", WATER), self.notes)
        if own is None:
            return None
        unit = MassProperties(1.0, own.com, own.inertia / own.mass)
        return placed(unit, at, node.number("mass", own.mass))

    def _solid(self, node: XmlNode, kind: str, size: np.ndarray, at: Frame) -> MassProperties | None:
        volume, unit = solid(kind, size)
        mass = self._mass(node, volume)
        if not mass or not self._in_group(node):
            return None
        if node.has("shellinertia") and node.flag("shellinertia"):
            self.notes.add(node, "the geom is taken as solid, not as a shell")
        return placed(unit, at, mass)

    def _form(self, node: XmlNode, kind: str) -> tuple[Frame, np.ndarray]:
        """Place and half sizes; `fromto` says both where the axis runs and how long it is."""
        count, given = SIZES[kind], node.overlaid("size", ZERO)
        if not node.has("fromto") or kind == "sphere":
            size = given[:count]
            place = self.compiler.place(node)
        else:
            ends = node.numbers("fromto", 6)
            node.get("pos")
            along = ends[:3] - ends[3:]
            half = 0.5 * float(np.linalg.norm(along))
            if half < NO_LENGTH:
                raise node.error("fromto= has two ends that are the same point")
            across = [given[0]] * (count - 1)
            place, size = Frame(0.5 * (ends[:3] + ends[3:]), z_towards(along)), np.array([*across, half])
        if not size.min() > 0.0:
            raise node.error(f"size= must have {count} positive numbers, or one beside fromto=")
        return place, size

    def _mass(self, node: XmlNode, volume: float) -> float:
        mass = node.number("mass", node.number("density", WATER) * volume)
        if mass < 0.0:
            raise node.error("its mass is negative")
        return mass

    def _in_group(self, node: XmlNode) -> bool:
        low, high = self.compiler.geom_groups
        return low <= node.number("group", 0.0) <= high


def _shape(kind: str, size: np.ndarray, at: Frame, rgba: np.ndarray | None) -> Shape:
    match kind:
        case "sphere":
            return pictures.sphere(size[0], at, rgba)
        case "box":
            return pictures.box(2.0 * size, at, rgba)
        case "ellipsoid":
            return pictures.ellipsoid(size, at, rgba)
        case "cylinder":
            return pictures.cylinder(size[0], 2.0 * size[1], at, rgba)
        case _:
            return pictures.capsule(size[0], 2.0 * size[1], at, rgba)
