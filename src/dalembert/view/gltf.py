"""A motion as glTF 2.0: solids, their places over time, colours, in one binary file (.glb) that Blender and web viewers open.

A node per body is turned and shifted by the animation; the solids of its drawing hang below it. Elastic bodies are drawn straight.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.atomic import write_whole
from dalembert.errors import SimulationError
from dalembert.motion.motion import Motion
from dalembert.motion.quaternions import quaternions
from dalembert.version import __version__
from dalembert.view.drawing.primitives import Primitive
from dalembert.view.drawing.scene import scene
from dalembert.view.shown_samples import restricted, thinned

BUDGET = 64_000_000
"""Bytes of the motion's samples; of longer ones, evenly chosen samples are written."""
ALMOST_DOWN = -1.0 + 1e-12
"""Cosine from which on a direction is taken for down, where the shortest turn is any."""
AROUND, ALONG = 24, 12
"""Corners around a ball, a cylinder or a ring, and along them."""
ROLES = {"joint": "#5b6270", "cut": "#e4607b", "axis": "#8a8f98", "slide": "#8a8f98", "ground": "#8a8f98"}
"""Colours of what the page paints by its theme."""
LAYERS = ("bodies", "joints", "ground")
FLOAT, UINT = 5126, 5125
"""glTF's numbers of the types of arrays."""
Triangles = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Corners, normals, and threes of corners."""


def write_gltf(motion: Motion, path: str | Path) -> Path:
    """Write the file, whole or not at all."""
    m = motion.mechanism
    if m is None:
        raise SimulationError(
            "this motion was loaded without its mechanism; give it with da.load_motion(path, mechanism=m)"
        )
    shown = _increasing(thinned(motion, BUDGET))
    bodies = shown.body_motion()
    view = scene(m.with_parameters(**motion.record["parameters"]).numeric, bodies.rotation, bodies.position)
    made = _File()
    nodes = [
        made.node({"name": name, "children": [made.solid(p, colour) for p in parts if p.layer in LAYERS]})
        for name, colour, parts in zip(["ground", *motion.bodies], [ROLES["ground"], *view.colours[1:]], view.parts)
    ]
    made.animate(nodes[1:], shown.t - shown.t[0], bodies.position, quaternions(bodies.rotation))
    made.root = made.node({"name": m.name, "rotation": _quaternion(_upright(view.up)), "children": nodes})
    target = Path(path)
    write_whole(target, made.binary(), "glTF")
    return target


def _increasing(motion: Motion) -> Motion:
    """The motion without samples whose time, in the digits that glTF has, is that of another one."""
    t = (motion.t - motion.t[0]).astype(np.float32)
    return restricted(motion, np.unique(t, return_index=True)[1])


def _upright(up: np.ndarray) -> np.ndarray:
    """The shortest turn that brings this direction along y, which is up in glTF."""
    x, y, z = (float(a) for a in up / np.linalg.norm(up))
    if y < ALMOST_DOWN:
        return np.diag([1.0, -1.0, -1.0])
    cross = np.array([[0.0, -x, 0.0], [x, 0.0, z], [0.0, -z, 0.0]])
    return np.asarray(np.eye(3) + cross + cross @ cross / (1.0 + y))


@dataclass(eq=False)
class _File:
    """Lists of a glTF file as they grow, and the bytes that its arrays lie in."""

    lists: dict[str, list[Any]] = field(default_factory=dict)
    content: bytearray = field(default_factory=bytearray)
    root: int = 0
    forms: list[dict[str, Any]] = field(default_factory=list)
    """Solids without a colour."""
    _known: dict[Any, int] = field(default_factory=dict)

    def add(self, kind: str, entry: dict[str, Any]) -> int:
        """The number of a new entry."""
        entries = self.lists.setdefault(kind, [])
        entries.append({k: v for k, v in entry.items() if not (isinstance(v, list) and not v)})
        return len(entries) - 1

    def node(self, entry: dict[str, Any]) -> int:
        return self.add("nodes", entry)

    def array(self, values: np.ndarray, kind: str, bounded: bool = False) -> int:
        """An accessor of a new array of float32, or of uint32 for places."""
        places = values.dtype.kind in "iu"
        made = np.ascontiguousarray(values, dtype="<u4" if places else "<f4")
        view = self.add("bufferViews", {"buffer": 0, "byteOffset": len(self.content), "byteLength": made.nbytes})
        self.content += made.tobytes()  # all are of four bytes, so every array begins at a multiple of them
        entry = {"bufferView": view, "componentType": UINT if places else FLOAT, "count": len(made), "type": kind}
        if bounded:
            table = made.reshape(len(made), -1)
            entry |= {"min": table.min(axis=0).tolist(), "max": table.max(axis=0).tolist()}
        return self.add("accessors", entry)

    def solid(self, p: Primitive, colour: str) -> int:
        """A node for a primitive, below its body's."""
        painted = ROLES.get(p.colour or "", p.colour or colour)
        return self.node(
            {
                "mesh": self._mesh(p, self._material(painted, p.opacity)),
                "translation": [float(x) for x in p.position],
                "rotation": _quaternion(p.rotation),
                "scale": [float(max(x, 1e-9)) for x in p.size],
            }
        )

    def animate(self, nodes: list[int], t: np.ndarray, position: np.ndarray, rotation: np.ndarray) -> None:
        """Places and turns of the nodes over time, linear in between."""
        samplers: list[Any] = []
        channels: list[Any] = []
        times = self.array(t, "SCALAR", bounded=True)
        for k, node in enumerate(nodes):
            for path, kind, values in (("translation", "VEC3", position), ("rotation", "VEC4", rotation)):
                self.lists["nodes"][node][path] = values[0, k].tolist()
                samplers.append({"input": times, "output": self.array(values[:, k], kind), "interpolation": "LINEAR"})
                channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})
        if channels:
            self.add("animations", {"name": "motion", "samplers": samplers, "channels": channels})

    def binary(self) -> bytes:
        """The file: a head, the lists as JSON, the arrays."""
        about = {
            "asset": {"version": "2.0", "generator": f"dalembert {__version__}"},
            "scene": 0,
            "scenes": [{"nodes": [self.root]}],
            "buffers": [{"byteLength": len(self.content)}],
        }
        text = json.dumps(about | self.lists, separators=(",", ":"), allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        chunks = [(text, b"JSON"), (bytes(self.content), b"BIN\0")]
        body = b"".join(struct.pack("<I", len(data)) + kind + data for data, kind in chunks)
        return b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body

    def _material(self, colour: str, opacity: float) -> int:
        def make() -> int:
            base = [*(_linear(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5)), float(opacity)]
            look = {"baseColorFactor": base, "metallicFactor": 0.1, "roughnessFactor": 0.6}
            entry = {"pbrMetallicRoughness": look, "doubleSided": True}
            return self.add("materials", entry | ({"alphaMode": "BLEND"} if opacity < 1.0 else {}))

        return self._once(("material", colour, opacity), make)

    def _mesh(self, p: Primitive, material: int) -> int:
        form = p.kind if p.vertices is None else id(p.vertices)

        def make_form() -> int:
            corners, normals, faces = _FORMS[p.kind]() if p.vertices is None else _flat(p.vertices, p.faces)
            attributes = {"POSITION": self.array(corners, "VEC3", True), "NORMAL": self.array(normals, "VEC3")}
            self.forms.append({"attributes": attributes, "indices": self.array(faces.ravel(), "SCALAR")})
            return len(self.forms) - 1

        def make() -> int:
            return self.add("meshes", {"primitives": [{**self.forms[of], "material": material}]})

        of = self._once(("form", form), make_form)
        return self._once(("mesh", form, material), make)

    def _once(self, key: Any, make: Any) -> int:
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]


def _quaternion(R: np.ndarray) -> list[float]:
    return [float(x) for x in quaternions(np.asarray(R, dtype=float)[None, None])[0, 0]]


def _linear(x: float) -> float:
    """A colour's part of light, as glTF wants it."""
    return x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4


# -- solids of unit size ------------------------------------------------------------------------------------------------
def _flat(vertices: np.ndarray | None, faces: np.ndarray | None) -> Triangles:
    """Triangles with an edge between any two of them."""
    assert vertices is not None and faces is not None
    corners = vertices[faces].astype(float)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    upright = np.where(np.linalg.norm(normal, axis=1, keepdims=True) > 0.5, normal, [0.0, 0.0, 1.0])
    return corners.reshape(-1, 3), np.repeat(upright, 3, axis=0), np.arange(3 * len(faces)).reshape(-1, 3)


def _grid(rows: int, columns: int) -> Iterator[tuple[int, int, int]]:
    """Triangles between rows of points, the last of a row beside its first."""
    for i in range(rows - 1):
        for j in range(columns):
            a, b = i * columns + j, i * columns + (j + 1) % columns
            c, d = a + columns, b + columns
            yield from ((a, b, d), (a, d, c))


def _box() -> Triangles:
    faces, corners = [], []
    for axis in range(3):
        for side in (-0.5, 0.5):
            square = np.full((4, 3), side)
            square[:, (axis + 1) % 3] = [-0.5, 0.5, 0.5, -0.5]
            square[:, (axis + 2) % 3] = [-0.5, -0.5, 0.5, 0.5]
            corners.append(square if side > 0 else square[::-1])
            faces += [np.array([0, 1, 2]) + 4 * (len(corners) - 1), np.array([0, 2, 3]) + 4 * (len(corners) - 1)]
    every = np.vstack(corners)
    normals = np.repeat([np.cross(c[1] - c[0], c[2] - c[0]) for c in corners], 4, axis=0)
    return every, normals, np.array(faces)


def _sphere() -> Triangles:
    down, around = np.linspace(0.0, np.pi, ALONG + 1), 2.0 * np.pi * np.arange(AROUND) / AROUND
    points = np.array([[np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)] for a in down for b in around])
    return points, points, np.array([f[::-1] for f in _grid(ALONG + 1, AROUND)])


def _cylinder() -> Triangles:
    around = 2.0 * np.pi * np.arange(AROUND) / AROUND
    ring = np.column_stack([np.cos(around), np.sin(around), np.zeros(AROUND)])
    up = np.array([0.0, 0.0, 1.0])
    points, normals = [ring - 0.5 * up, ring + 0.5 * up], [ring, ring]
    faces = list(_grid(2, AROUND))
    for side in (-1.0, 1.0):  # the ends, with edges of their own
        first = AROUND * len(points)
        points.append(ring + 0.5 * side * up)
        normals.append(np.tile(side * up, (AROUND, 1)))
        fan = [(first, first + j, first + j + 1) for j in range(1, AROUND - 1)]
        faces += fan if side > 0 else [f[::-1] for f in fan]
    return np.vstack(points), np.vstack(normals), np.array(faces)


def _ring() -> Triangles:
    large, small = 2.0 * np.pi * np.arange(AROUND + 1) / AROUND, 2.0 * np.pi * np.arange(ALONG) / ALONG
    points, normals = [], []
    for a in large:
        for b in small:
            outward = np.array([np.cos(a), np.sin(a), 0.0])
            normals.append(np.cos(b) * outward + [0.0, 0.0, np.sin(b)])
            points.append(outward + 0.12 * normals[-1])
    return np.array(points), np.array(normals), np.array([f[::-1] for f in _grid(AROUND + 1, ALONG)])


_FORMS = {"box": _box, "sphere": _sphere, "cylinder": _cylinder, "ring": _ring}
