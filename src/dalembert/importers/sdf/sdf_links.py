"""Links of an SDF model: mass, mass centre, inertia, and what they look like."""

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
from dalembert.importers.repairs import Repairs
from dalembert.importers.sdf.sdf_values import own_pose, value, values, word
from dalembert.importers.solid_forms import placed, solid
from dalembert.importers.xml_node import XmlNode
from dalembert.parts import MassProperties
from dalembert.parts.frames import Frame
from dalembert.parts.shapes import Shape

FORMS = ("box", "sphere", "cylinder", "capsule", "ellipsoid", "mesh")
WATER = 1000.0
"""Density where none is said, kg/m³ (SDF's)."""


def mass_properties(link: XmlNode, name: str, repairs: Repairs) -> MassProperties:
    """Mass properties of <inertial>; what is not said is 1 kg and 1 kg m², as SDF has it."""
    node = link.one("inertial")
    if node is None:
        repairs.notes.add(link, "it has no <inertial>: 1 kg and moments of 1 kg m², as SDF has it", DRAWING, "inertial")
        return MassProperties(1.0, np.zeros(3), np.eye(3))
    if node.flag("auto"):
        return _of_collisions(link, node, repairs)
    at, given, about = own_pose(node), node.one("inertia"), np.eye(3)
    for i, row in enumerate("xyz"):
        for j, column in enumerate("xyz"):
            if given is not None and i <= j:
                about[i, j] = about[j, i] = value(given, f"i{row}{column}", float(i == j))
    inertia = at.rotation @ about @ at.rotation.T
    made = MassProperties(value(node, "mass", 1.0), at.position, 0.5 * (inertia + inertia.T))
    return repairs.mass_properties(node, made, name)


def _of_collisions(link: XmlNode, node: XmlNode, repairs: Repairs) -> MassProperties:
    """<inertial auto="true">: uniform solids of the collision forms, by their density or the link's."""
    density = value(node, "density", WATER)
    parts = []
    for collision in link.all("collision"):
        for form in collision.need("geometry").children:
            form.used = True
            if form.tag not in FORMS or form.tag == "mesh":
                raise form.error(
                    'inertial auto="true" knows boxes, spheres, cylinders, capsules and ellipsoids; give an <inertia>'
                )
            kind, size = form.tag, half_sizes(form)
            volume, unit = solid(kind, size)
            parts.append(placed(unit, own_pose(collision), value(collision, "density", density) * volume))
    if not parts:
        raise node.error('auto="true" needs a <collision> to weigh; give <mass> and <inertia>')
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return repairs.mass_properties(node, total, link.text_of("name"))


def half_sizes(form: XmlNode) -> np.ndarray:
    """Half edges, radius, radius and half length, or half axes."""
    match form.tag:
        case "box":
            return np.array(0.5 * values(form, "size", 3))
        case "sphere":
            return np.array([value(form, "radius")])
        case "ellipsoid":
            return values(form, "radii", 3)
        case _:
            return np.array([value(form, "radius"), 0.5 * value(form, "length")])


@dataclass(frozen=True, eq=False)
class SdfLooks:
    """Turns <visual> elements into shapes."""

    folder: Folder
    notes: Notes
    repairs: Repairs
    files: MeshFiles = field(default_factory=MeshFiles)

    def shapes(self, link: XmlNode, start: Path, here: Path) -> Iterator[Shape]:
        """`start` is the folder of the file that the link stands in, `here` that of the model."""
        for visual in link.all("visual"):
            at, rgba = own_pose(visual), _colour(visual)
            for form in visual.need("geometry").all(*FORMS):
                try:
                    made = self._shape(form, at, rgba, start, here)
                except ModelError as problem:
                    self.repairs.mended(form, str(problem), "it is not drawn", DRAWING)
                    continue
                if made is not None:
                    yield made

    def _shape(self, form: XmlNode, at: Frame, rgba: np.ndarray | None, start: Path, here: Path) -> Shape | None:
        if form.tag == "mesh":
            return self._mesh(form, at, rgba, start, here)
        size = half_sizes(form)
        match form.tag:
            case "box":
                return pictures.box(2.0 * size, at, rgba)
            case "sphere":
                return pictures.sphere(float(size[0]), at, rgba)
            case "ellipsoid":
                return pictures.ellipsoid(size, at, rgba)
            case "cylinder":
                return pictures.cylinder(float(size[0]), 2.0 * float(size[1]), at, rgba)
            case _:
                return pictures.capsule(float(size[0]), 2.0 * float(size[1]), at, rgba)

    def _mesh(self, form: XmlNode, at: Frame, rgba: np.ndarray | None, start: Path, here: Path) -> Shape | None:
        uri, scale = word(form, "uri") or "", values(form, "scale", 3, (1.0, 1.0, 1.0))
        try:
            file = self.folder.of_package(uri, start)
            return pictures.mesh_file(self.files.named(file, here), scale, at, rgba)
        except ModelError as problem:
            self.notes.add(form, f"the mesh is not drawn: {problem}", DRAWING)
            return None


def _colour(visual: XmlNode) -> np.ndarray | None:
    material = visual.one("material")
    for tag in ("diffuse", "ambient"):
        found = None if material is None else material.one(tag)
        if found is not None:
            rgba = found.listed(found.text, 3, 4, "its text ")
            return rgba if len(rgba) == 4 else np.array([*rgba, 1.0])
    return None
