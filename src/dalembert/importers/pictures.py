"""Shapes for drawing, from the forms that robot files know."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.parts.data_file import DataFile
from dalembert.parts.frames import Frame
from dalembert.parts.meshes import Triangles
from dalembert.parts.shapes import Box, Capsule, Cylinder, Mesh, MeshFile, Shape, Sphere

LEAST_OPACITY = 0.05
"""What a shape that is all but invisible is drawn with."""


def sphere(radius: float, at: Frame, rgba: np.ndarray | None) -> Shape:
    return Sphere(radius, at=at, **_look(rgba))


def box(edges: np.ndarray, at: Frame, rgba: np.ndarray | None) -> Shape:
    return Box(edges, at=at, **_look(rgba))


def cylinder(radius: float, length: float, at: Frame, rgba: np.ndarray | None) -> Shape:
    return Cylinder(radius, length, at=at, **_look(rgba))


def capsule(radius: float, length: float, at: Frame, rgba: np.ndarray | None) -> Shape:
    """`length` is that of the straight part."""
    return Capsule(radius, length, at=at, **_look(rgba))


def mesh(triangles: Triangles, at: Frame, rgba: np.ndarray | None) -> Shape:
    return Mesh(triangles.vertices, triangles.faces, at=at, **_look(rgba))


def mesh_file(file: DataFile, scale: np.ndarray, at: Frame, rgba: np.ndarray | None) -> Shape:
    """Triangles that stay in their file."""
    return MeshFile(file, scale, at=at, **_look(rgba))


def ellipsoid(half_axes: np.ndarray, at: Frame, rgba: np.ndarray | None) -> Shape:
    """A ball of 16 × 8 fields, stretched."""
    n, m = 16, 8
    polar, round_ = np.meshgrid(np.linspace(0.0, np.pi, m + 1), np.arange(n) * (2.0 * np.pi / n), indexing="ij")
    ball = np.stack([np.sin(polar) * np.cos(round_), np.sin(polar) * np.sin(round_), np.cos(polar)], axis=-1)
    i, j = (x.ravel() for x in np.meshgrid(np.arange(m), np.arange(n), indexing="ij"))
    a, b, c, d = n * i + j, n * (i + 1) + j, n * (i + 1) + (j + 1) % n, n * i + (j + 1) % n
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return mesh(Triangles(ball.reshape(-1, 3) * half_axes, faces), at, rgba)


def _look(rgba: np.ndarray | None) -> dict[str, Any]:
    """Colour and opacity, as shapes take them; what is invisible in the file is drawn faintly."""
    if rgba is None:
        return {}
    r, g, b, alpha = (min(1.0, max(0.0, float(x))) for x in rgba)
    return {"colour": "#" + "".join(f"{round(255 * x):02x}" for x in (r, g, b)), "opacity": max(alpha, LEAST_OPACITY)}
