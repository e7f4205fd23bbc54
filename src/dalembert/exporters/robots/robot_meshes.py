"""Meshes beside a robot's file, as binary STL."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dalembert.atomic import make_folder, write_whole
from dalembert.parts.shapes import Mesh, MeshFile


@dataclass(eq=False)
class RobotMeshes:
    """Those of one robot, in a folder beside its file."""

    robot: Path
    made: dict[str, bytes] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        return f"{self.robot.stem}_meshes"

    def add(self, shape: Mesh | MeshFile, name: str) -> str:
        """The mesh's place beside the robot's file."""
        own, k = name, 2
        while own in self.made:
            own, k = f"{name}_{k}", k + 1
        self.made[own] = stl(np.asarray(shape.vertices, dtype=float), np.asarray(shape.faces))
        return f"{self.folder}/{own}.stl"

    def write(self) -> list[Path]:
        if self.made:
            make_folder(self.robot.parent / self.folder, "meshes")
        written = []
        for name, content in self.made.items():
            written.append(self.robot.parent / self.folder / f"{name}.stl")
            write_whole(written[-1], content, "mesh")
        return written


def stl(vertices: np.ndarray, faces: np.ndarray) -> bytes:
    """Triangles as binary STL."""
    v = vertices[faces].astype("<f4")
    row = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    rows = np.zeros(len(faces), dtype=row)
    rows["corners"] = v
    normal = np.cross(v[:, 1] - v[:, 0], v[:, 2] - v[:, 0])
    rows["normal"] = normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return b"binary STL".ljust(80, b"\0") + np.array([len(faces)], dtype="<u4").tobytes() + rows.tobytes()
