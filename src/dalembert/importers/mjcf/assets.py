"""Meshes and materials that geoms refer to."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np

from dalembert.errors import ModelError
from dalembert.importers.enclosed import enclosed, shell, unsigned
from dalembert.importers.folder import Folder
from dalembert.importers.imported import DRAWING, MEASURED, Notes
from dalembert.importers.mesh_files import MeshFiles
from dalembert.importers.mjcf.defaults import Defaults
from dalembert.importers.mjcf.orientations import Compiler
from dalembert.importers.poses import back, quaternion
from dalembert.importers.xml_node import XmlNode
from dalembert.parts import MassProperties, meshes
from dalembert.parts.data_file import DataFile
from dalembert.parts.frames import Frame
from dalembert.parts.meshes import Triangles
from dalembert.vectors import ZERO

OVERCOUNTED = 0.01
"""Part of a mesh's mass by which MuJoCo's default may differ from what it encloses without a word."""


@dataclass(frozen=True, eq=False)
class MeshAsset:
    """Triangles, or nothing where the file could not be read; and how MJCF wants their inertia."""

    triangles: Triangles | None
    inertia: str
    file: DataFile | None = None
    """Where the triangles are as they stand, but for their scale."""
    scale: np.ndarray = field(default_factory=lambda: np.ones(3))

    def mass_properties(self, node: XmlNode, density: float, notes: Notes) -> MassProperties | None:
        """Mass properties of the geom that shows it, in the mesh's own frame."""
        if self.triangles is None:
            notes.add(node, "the mesh could not be read, so the geom has no mass here")
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
        assert self.triangles is not None
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
                triangles = _triangles(mesh, compiler, folder, start, notes, files)
                made.meshes[name] = MeshAsset(triangles, mode, _beside(mesh, compiler, folder, start), scale)
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


def _triangles(
    node: XmlNode, compiler: Compiler, folder: Folder, start: Path, notes: Notes, files: MeshFiles
) -> Triangles | None:
    try:
        if node.has("vertex"):
            made = _given(node)
            files.count(len(made.faces), "vertex=")
        else:
            made = files.load(_file(node, compiler, folder, start))
    except ModelError as problem:
        if node.has("vertex"):
            raise node.error(problem) from problem
        notes.add(node, f"the mesh is not read: {problem}", DRAWING)
        return None
    turned = node.vector("refquat", (1.0, 0.0, 0.0, 0.0), size=4)
    if not turned.any():
        raise node.error("refquat= has no direction")
    shift = Frame(node.vector("refpos", ZERO), quaternion(turned))
    return made.placed(back(shift)).scaled(node.vector("scale", (1.0, 1.0, 1.0)))


def _file(node: XmlNode, compiler: Compiler, folder: Folder, start: Path) -> Path:
    name = node.text_of("file")
    return folder.inside(f"{compiler.mesh_folder}/{name}" if compiler.mesh_folder else name, start)


def _beside(node: XmlNode, compiler: Compiler, folder: Folder, start: Path) -> DataFile | None:
    """The mesh's own file, where it lies with the model and its triangles are neither turned nor shifted."""
    if node.has("vertex") or node.has("refpos") or node.has("refquat"):
        return None
    try:
        file, here = _file(node, compiler, folder, start), start.resolve()
    except ModelError:
        return None
    return DataFile(file.relative_to(here).as_posix(), start) if file.is_relative_to(here) else None


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
