"""The mass properties of what a triangle mesh encloses."""

from __future__ import annotations

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts import MassProperties
from dalembert.parts.meshes import Triangles


def enclosed(mesh: Triangles, density: float) -> MassProperties:
    """Mass properties of a uniform solid: signed tetrahedra from a point amid the vertices, ∫ x xᵀ dV = V/20 (Σ v vᵀ + s sᵀ), s = Σ
    v."""
    origin = mesh.vertices.mean(axis=0)
    v = (mesh.vertices - origin)[mesh.faces]
    volumes = np.einsum("fi,fi->f", v[:, 0], np.cross(v[:, 1], v[:, 2])) / 6.0
    s = v.sum(axis=1)
    volume = float(volumes.sum())
    if volume <= 0.0:
        raise ModelError("it encloses no volume, or its faces point inwards")
    com = volumes @ s / 4.0 / volume
    second = (np.einsum("f,fki,fkj->ij", volumes, v, v) + np.einsum("f,fi,fj->ij", volumes, s, s)) / 20
    second -= volume * np.outer(com, com)
    return MassProperties(density * volume, origin + com, density * (np.trace(second) * np.eye(3) - second))


def unsigned(mesh: Triangles, density: float) -> MassProperties:
    """Mass properties as MuJoCo's legacy mode has them: the tetrahedra from a centre to the faces all count as positive.

    The centre is that of the faces, then the mass centre found from it. A convex mesh has its solid's; any other has more.
    """
    v = mesh.vertices[mesh.faces]
    areas = 0.5 * np.linalg.norm(np.cross(v[:, 1] - v[:, 0], v[:, 2] - v[:, 0]), axis=1)
    if not areas.sum() > 0.0:
        raise ModelError("its faces have no area")
    middle = areas @ v.mean(axis=1) / areas.sum()
    volumes, s, _ = _tetrahedra(v - middle)
    if not volumes.sum() > 0.0:
        raise ModelError("it encloses no volume")
    com = middle + volumes @ s / 4.0 / volumes.sum()
    volumes, _, second = _tetrahedra(v - com)
    return MassProperties(density * float(volumes.sum()), com, density * (np.trace(second) * np.eye(3) - second))


def _tetrahedra(v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Volumes from the origin to each face, sums of the faces' corners, and the second moments of all."""
    volumes = np.abs(np.einsum("fi,fi->f", v[:, 0], np.cross(v[:, 1], v[:, 2]))) / 6.0
    s = v.sum(axis=1)
    second = (np.einsum("f,fki,fkj->ij", volumes, v, v) + np.einsum("f,fi,fj->ij", volumes, s, s)) / 20
    return volumes, s, second


def shell(mesh: Triangles, density: float) -> MassProperties:
    """Mass properties of the faces alone, `density` in kg/m²: ∫ x xᵀ dA = A/12 (Σ v vᵀ + s sᵀ)."""
    v = mesh.vertices[mesh.faces]
    areas = 0.5 * np.linalg.norm(np.cross(v[:, 1] - v[:, 0], v[:, 2] - v[:, 0]), axis=1)
    area = float(areas.sum())
    if not area > 0.0:
        raise ModelError("its faces have no area")
    com = areas @ v.mean(axis=1) / area
    v = v - com
    s = v.sum(axis=1)
    second = (np.einsum("f,fki,fkj->ij", areas, v, v) + np.einsum("f,fi,fj->ij", areas, s, s)) / 12.0
    return MassProperties(density * area, com, density * (np.trace(second) * np.eye(3) - second))
