"""Links: mass, mass centre, inertia, and what they look like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dalembert.errors import ModelError
from dalembert.importers import pictures
from dalembert.importers.folder import Folder
from dalembert.importers.imported import DRAWING, Notes
from dalembert.importers.mesh_files import MeshFiles
from dalembert.importers.poses import quaternion, rpy
from dalembert.importers.repairs import Repairs
from dalembert.importers.xml_node import XmlNode
from dalembert.parts import MassProperties
from dalembert.parts.frames import Frame
from dalembert.parts.shapes import Shape
from dalembert.vectors import ZERO


def origin(node: XmlNode) -> Frame:
    """The <origin> of an element: where it is on the link or joint it belongs to."""
    at = node.one("origin")
    return Frame() if at is None else pose(at)


def pose(node: XmlNode) -> Frame:
    """xyz with rpy, or with the quaternion quat_xyzw of version 1.1."""
    xyz = node.vector("xyz", ZERO)
    if not node.has("quat_xyzw"):
        return Frame(xyz, rpy(node.vector("rpy", ZERO)))
    x, y, z, w = node.numbers("quat_xyzw", 4)
    if not np.linalg.norm([w, x, y, z]):
        raise node.error("quat_xyzw= has no direction; give a quaternion of length 1")
    return Frame(xyz, quaternion([w, x, y, z]))


def mass_properties(link: XmlNode, repairs: Repairs) -> MassProperties:
    """Mass properties of <inertial>; a link without one has no mass."""
    node = link.one("inertial")
    if node is None:
        return MassProperties(0.0, ZERO, np.zeros((3, 3)))
    at, mass = origin(node), node.need("mass").number("value")
    given = node.one("inertia")
    about = np.zeros((3, 3))
    for i, row in enumerate("xyz"):
        for j, column in enumerate("xyz"):
            if given is not None and i <= j:
                about[i, j] = about[j, i] = given.number(f"i{row}{column}", 0.0)
    made = MassProperties(mass, at.position, at.rotation @ about @ at.rotation.T)
    made = MassProperties(made.mass, made.com, 0.5 * (made.inertia + made.inertia.T))

    def rewrite(mended: MassProperties) -> None:
        R = at.rotation
        own = R.T @ mended.inertia @ R
        edits = repairs.notes.edits
        edits.change(node.need("mass"), value=repr(mended.mass))
        if given is not None:
            six = {f"i{'xyz'[i]}{'xyz'[k]}": repr(float(own[i, k])) for i in range(3) for k in range(i, 3)}
            edits.change(given, **six)

    return repairs.mass_properties(node, made, link.text_of("name"), rewrite)


@dataclass(frozen=True, eq=False)
class Looks:
    """Turns <visual> elements into shapes."""

    folder: Folder
    start: Path
    notes: Notes
    repairs: Repairs
    materials: dict[str, np.ndarray] = field(default_factory=dict)
    files: MeshFiles = field(default_factory=MeshFiles)

    def learn(self, robot: XmlNode) -> None:
        """Colours that links refer to by name."""
        for node in robot.all("material"):
            self._colour(node)

    def shapes(self, link: XmlNode) -> Iterator[Shape]:
        for visual in link.all("visual"):
            at, rgba = origin(visual), self._material(visual)
            geometry = visual.need("geometry")
            for form in geometry.all("box", "cylinder", "sphere", "capsule", "mesh", "drake:capsule"):
                made = self._drawn(form, at, rgba)
                if made is not None:
                    yield made

    def _drawn(self, form: XmlNode, at: Frame, rgba: np.ndarray | None) -> Shape | None:
        """The shape; one that cannot be is not drawn."""
        try:
            return self._shape(form, at, rgba)
        except ModelError as problem:
            self.repairs.mended(form, str(problem), "it is not drawn", DRAWING)
            return None

    def _shape(self, form: XmlNode, at: Frame, rgba: np.ndarray | None) -> Shape | None:
        match form.tag.removeprefix("drake:"):
            case "box":
                return pictures.box(form.numbers("size", 3), at, rgba)
            case "sphere":
                return pictures.sphere(form.number("radius"), at, rgba)
            case "cylinder":
                return pictures.cylinder(form.number("radius"), form.number("length"), at, rgba)
            case "capsule":
                return pictures.capsule(form.number("radius"), form.number("length"), at, rgba)
            case _:
                return self._mesh(form, at, rgba)

    def _mesh(self, form: XmlNode, at: Frame, rgba: np.ndarray | None) -> Shape | None:
        name, scale = form.text_of("filename"), form.vector("scale", (1.0, 1.0, 1.0))
        try:
            file = self.folder.of_package(name, self.start)
            return pictures.mesh_file(self.files.named(file, self.start.resolve()), scale, at, rgba)
        except ModelError as problem:
            self.notes.add(form, f"the mesh is not drawn: {problem}", DRAWING)
            return None

    def _material(self, visual: XmlNode) -> np.ndarray | None:
        node = visual.one("material")
        if node is None:
            return None
        rgba = self._colour(node)
        return self.materials.get(node.attributes.get("name", "")) if rgba is None else rgba

    def _colour(self, node: XmlNode) -> np.ndarray | None:
        colour = node.one("color")
        if colour is None:
            return None
        try:
            rgba = colour.numbers("rgba", 4)
        except ModelError as problem:
            self.repairs.mended(colour, str(problem), "it has no colour", DRAWING)
            return None
        self.materials.setdefault(node.attributes.get("name", ""), rgba)
        return rgba
