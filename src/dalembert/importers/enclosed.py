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
