"""Meshes and materials that geoms refer to."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import ModelError
from dalembert.importers import pictures
from dalembert.importers.enclosed import enclosed, shell, unsigned
from dalembert.importers.folder import Folder
from dalembert.importers.imported import DRAWING, MEASURED, Notes
from dalembert.importers.mesh_files import MeshFiles
from dalembert.importers.mjcf.defaults import Defaults
from dalembert.importers.mjcf.orientations import Compiler
from dalembert.importers.poses import HERE, back, quaternion
from dalembert.importers.xml_node import XmlNode
from dalembert.parts import MassProperties, meshes
from dalembert.parts.data_file import DataFile
from dalembert.parts.frames import Frame
from dalembert.parts.meshes import Triangles
from dalembert.parts.shapes import Shape
from dalembert.vectors import ZERO

OVERCOUNTED = 0.01
"""Part of a mesh's mass by which MuJoCo's default may differ from what it encloses without a word."""


@dataclass(frozen=True, eq=False)
class MeshAsset:
    """A mesh of the file itself, or of another, which is read when it is needed; and how MJCF wants its inertia."""

    source: Triangles | DataFile | None
    inertia: str
    scale: np.ndarray
    shift: Frame
    """Where the origin of the geom is in the mesh."""

    @cached_property
    def triangles(self) -> Triangles:
        """In the geom's frame."""
        if not isinstance(self.source, DataFile):
            assert self.source is not None
            return self.source.placed(back(self.shift)).scaled(self.scale)
        assert self.source.read is not None
        made = _single(self.source.read(self.source.path)).placed(back(self.shift)).scaled(self.scale)
        return _single(made)

    def shape(self, at: Frame, rgba: np.ndarray | None) -> Shape | None:
        """What is drawn of it, with its geom at `at`."""
        if isinstance(self.source, DataFile) and self.shift is HERE:
            return pictures.mesh_file(self.source, self.scale, at, rgba)
        try:
            return None if self.source is None else pictures.mesh(self.triangles, at, rgba)
        except ModelError:
            return None

    def mass_properties(self, node: XmlNode, density: float, notes: Notes) -> MassProperties | None:
        """Mass properties of the geom that shows it, in the mesh's own frame."""
        try:
            missing = None if self.source is not None and self.triangles else "there is no such mesh"
        except ModelError as problem:
            missing = str(problem)
        if missing:
            notes.add(node, f"the mesh could not be read, so the geom has no mass here: {missing}")
            return None
        match self.inertia:
            case "convex":
                return node.checked(enclosed, hull(self.triangles.vertices), density)
            case "shell":
                return node.checked(shell, self.triangles, density)
            case "legacy":
                return self._legacy(node, density, notes)
        if not self.triangles.closed:
            raise node.error(
                'its mesh is not closed, so that inertia="exact" has no volume; choose "convex" or "shell"'
            )
        return node.checked(enclosed, self.triangles, density)

    def _legacy(self, node: XmlNode, density: float, notes: Notes) -> MassProperties:
        """MuJoCo's default, which counts more than there is where a mesh is not convex; how much more is said."""
        made: MassProperties = node.checked(unsigned, self.triangles, density)
        try:
            exact = enclosed(self.triangles, density).mass if self.triangles.closed else None
        except ModelError:
            exact = None
        if exact is None or abs(made.mass - exact) > OVERCOUNTED * made.mass:
            real = "it is not closed" if exact is None else f"what it encloses would have {exact:.4g} kg"
            notes.add(
                node,
                f"its mesh has {made.mass:.4g} kg by MuJoCo's default, which counts hollows twice; {real}. "
                'Say inertia="exact", "convex" or "shell", or give the body an <inertial>',
                MEASURED,
                "overcounted mesh",
            )
        return made


def _single(mesh: Triangles) -> Triangles:
    """In single precision, as MuJoCo keeps the vertices of files."""
    return Triangles(mesh.vertices.astype(np.float32).astype(float), mesh.faces)


def hull(vertices: np.ndarray) -> Triangles:
    """The convex hull of points, its faces turned outwards."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        found = ConvexHull(vertices)
    except (QhullError, ValueError) as problem:
        raise ModelError("its points have no convex hull with a volume") from problem
    faces = found.simplices.copy()
    v = found.points[faces]
    inward = np.einsum("fi,fi->f", np.cross(v[:, 1] - v[:, 0], v[:, 2] - v[:, 0]), found.equations[:, :3]) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return Triangles(found.points, faces)


@dataclass(frozen=True, eq=False)
class Assets:
    meshes: dict[str, MeshAsset] = field(default_factory=dict)
    colours: dict[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def of(
        cls, sections: list[XmlNode], defaults: Defaults, compiler: Compiler, folder: Folder, start: Path, notes: Notes
    ) -> Assets:
        made, files = cls(), MeshFiles()
        for section in sections:
            for node in section.all("mesh"):
                mesh = defaults.applied(node)
                name = node.get("name") or PurePosixPath(node.text_of("file").replace("\\", "/")).stem
                mode = mesh.choice("inertia", ("exact", "legacy", "convex", "shell"), "legacy")
                scale = mesh.vector("scale", (1.0, 1.0, 1.0))
                source, shift = _source(mesh, compiler, folder, start, notes, files), _shift(mesh)
                made.meshes[name] = MeshAsset(source, mode, scale, shift)
            for node in section.all("material"):
                material = defaults.applied(node)
                if material.has("rgba"):
                    made.colours[node.text_of("name")] = material.numbers("rgba", 4)
        return made

    def mesh(self, node: XmlNode) -> MeshAsset:
        return node.refers("mesh", self.meshes, "mesh")

    def colour(self, node: XmlNode) -> np.ndarray | None:
        """A geom's own, or its material's."""
        material = node.get("material")
        if node.has("rgba"):
            return node.numbers("rgba", 4)
        return self.colours.get(material) if material else None


def _source(
    node: XmlNode, compiler: Compiler, folder: Folder, start: Path, notes: Notes, files: MeshFiles
) -> Triangles | DataFile | None:
    try:
        if node.has("vertex"):
            made = _given(node)
            files.count(len(made.faces), "vertex=")
            return made
        name = node.text_of("file")
        file = folder.inside(f"{compiler.mesh_folder}/{name}" if compiler.mesh_folder else name, start)
        return files.named(file, start)
    except ModelError as problem:
        if node.has("vertex"):
            raise node.error(problem) from problem
        notes.add(node, f"the mesh is not read: {problem}", DRAWING)
        return None


def _shift(node: XmlNode) -> Frame:
    if not node.has("refpos") and not node.has("refquat"):
        return HERE
    turned = node.vector("refquat", (1.0, 0.0, 0.0, 0.0), size=4)
    if not turned.any():
        raise node.error("refquat= has no direction")
    return Frame(node.vector("refpos", ZERO), quaternion(turned))


def _given(node: XmlNode) -> Triangles:
    """Vertices in the file itself; without faces they stand for their convex hull."""
    count = 3 * meshes.MOST_FACES
    vertices = node.numbers("vertex", 12, count)
    if len(vertices) % 3:
        raise ModelError("vertex= must be three numbers for each vertex")
    vertices = vertices.reshape(-1, 3)
    if not node.has("face"):
        return hull(vertices)
    faces = node.numbers("face", 3, count)
    if len(faces) % 3:
        raise ModelError("face= must be three numbers for each face")
    return meshes.checked(vertices, faces.astype(int).reshape(-1, 3), "face=")
