"""Triangle meshes from STL and OBJ files, and from MuJoCo's own MSH."""

from __future__ import annotations

import io
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from dalembert.errors import ModelError
from dalembert.limited_read import MB, Unreadable, read_whole
from dalembert.parts.frames import Frame

ENDINGS = (".stl", ".obj", ".msh")
LARGEST = 64 * MB
MOST_FACES = 500_000
MOST_CORNERS = 10_000
"""Corners of one face."""


@dataclass(frozen=True, eq=False)
class Triangles:
    """`vertices` n × 3, `faces` m × 3 (numbers of vertices, counter-clockwise seen from outside)."""

    vertices: np.ndarray
    faces: np.ndarray

    def scaled(self, scale: np.ndarray) -> Triangles:
        """Stretched along the axes; a mirror image turns its faces round."""
        return Triangles(self.vertices * scale, self.faces[:, ::-1] if np.prod(scale) < 0.0 else self.faces)

    def placed(self, at: Frame) -> Triangles:
        return Triangles(self.vertices @ at.rotation.T + at.position, self.faces)

    @property
    def closed(self) -> bool:
        """Whether every edge is met once in each direction."""
        f = np.unique(self.vertices, axis=0, return_inverse=True)[1].reshape(-1)[self.faces]
        edges = np.concatenate([f[:, [0, 1]], f[:, [1, 2]], f[:, [2, 0]]]).astype(np.int64)
        n = len(self.vertices)
        there, again = np.sort(edges[:, 0] * n + edges[:, 1]), np.sort(edges[:, 1] * n + edges[:, 0])
        return bool(len(np.unique(there)) == len(there) and np.array_equal(there, again))


def check_ending(path: Path) -> str:
    """The ending of a mesh that can be read, in small letters."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise ModelError(f"{path.name}: only STL, OBJ and MSH meshes are read")
    return ending


def load(path: Path) -> Triangles:
    """A mesh by the file's extension."""
    reader = {".stl": _stl, ".obj": _obj, ".msh": _msh}[check_ending(path)]
    try:
        vertices, faces = reader(read_whole(path, LARGEST))
    except Unreadable as problem:
        raise ModelError(f"{path.name}: the mesh is not read: {problem}") from problem
    except (ValueError, IndexError, OverflowError) as problem:
        raise ModelError(f"{path.name}: the mesh is damaged ({problem})") from problem
    return checked(vertices, faces, path.name)


def checked(vertices: np.ndarray, faces: np.ndarray, name: str) -> Triangles:
    if not len(faces) or len(faces) > MOST_FACES:
        raise ModelError(f"{name}: the mesh has {len(faces)} triangles; there must be 1 to {MOST_FACES}")
    if not np.isfinite(vertices).all() or np.abs(vertices).max(initial=0.0) > 1e100:
        raise ModelError(f"{name}: a vertex of the mesh is not finite")
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise ModelError(f"{name}: a face of the mesh names a vertex that does not exist")
    return Triangles(vertices, faces)


_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def _stl(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    if len(data) >= 84 and len(data) == 84 + _RECORD.itemsize * int.from_bytes(data[80:84], "little"):
        corners = np.frombuffer(data, _RECORD, offset=84)["corners"].astype(float)
    else:
        words = (line.split() for line in _lines(data))
        vertex = (w[1:4] for w in words if w[:1] == [b"vertex"])
        corners = np.array([[float(x) for x in w] for w in islice(vertex, 3 * MOST_FACES + 3)]).reshape(-1, 3, 3)
    vertices, faces = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    return vertices, faces.reshape(-1, 3)


def _msh(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Four counts (vertices, normals, places in textures, faces), and then these."""
    vertices, normals, textures, faces = (int(x) for x in np.frombuffer(data, "<i4", 4))
    size = 16 + 12 * vertices + 12 * normals + 8 * textures + 12 * faces
    if min(vertices, normals, textures, faces) < 0 or len(data) != size:
        raise ValueError("its size is not what its counts say")
    corners = np.frombuffer(data, "<f4", 3 * vertices, offset=16).astype(float)
    return corners.reshape(-1, 3), np.frombuffer(data, "<i4", 3 * faces, offset=size - 12 * faces).reshape(-1, 3)


def _lines(data: bytes) -> io.BytesIO:
    """One after the other, whichever way they end; those that end in two characters are followed by an empty one."""
    return io.BytesIO(data.replace(b"\r", b"\n"))


def _obj(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    vertices: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for line in _lines(data):
        words = line.split(maxsplit=MOST_CORNERS + 1)
        if words[:1] == [b"v"]:
            vertices.append([float(x) for x in words[1:4]])
        elif words[:1] == [b"f"]:
            if len(words) > MOST_CORNERS + 1:
                raise Unreadable(f"a face has more than {MOST_CORNERS} corners")
            named = [int(w.split(b"/")[0]) for w in words[1:]]
            corners = [k - 1 if k > 0 else len(vertices) + k for k in named]
            faces += [(corners[0], a, b) for a, b in pairwise(corners[1:])]
        if len(faces) > MOST_FACES or len(vertices) > 3 * MOST_FACES:
            raise Unreadable(f"it has more than {MOST_FACES} triangles, or {3 * MOST_FACES} vertices")
    return np.array(vertices, dtype=float).reshape(-1, 3), np.array(faces, dtype=int).reshape(-1, 3)
