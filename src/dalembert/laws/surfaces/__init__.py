"""Surfaces by which bodies touch, one file each. To add one: write its file and add it here.

`da.surfaces.sphere("ball", radius=0.1)` and its like are what `da.PairContact` takes.
"""

from __future__ import annotations

from typing import Annotated, Any

from dalembert.errors import ModelError
from dalembert.laws.surfaces.box import SurfaceBox
from dalembert.laws.surfaces.cam import SurfaceCam
from dalembert.laws.surfaces.capsule import SurfaceCapsule
from dalembert.laws.surfaces.closed_curve import SurfaceCurve
from dalembert.laws.surfaces.corners import SurfaceCorners
from dalembert.laws.surfaces.cylinder import SurfaceCylinder
from dalembert.laws.surfaces.disc import SurfaceDisc
from dalembert.laws.surfaces.height_field import HeightTable, SurfaceHeightField
from dalembert.laws.surfaces.plane import SurfacePlane
from dalembert.laws.surfaces.sphere import SurfaceSphere
from dalembert.laws.surfaces.surface import Surface
from dalembert.parts.fields import Holds

SURFACES: tuple[type[Surface], ...] = (
    SurfacePlane, SurfaceSphere, SurfaceCapsule, SurfaceCorners, SurfaceBox, SurfaceDisc, SurfaceCylinder, SurfaceCam,
    SurfaceCurve, SurfaceHeightField,
)  # fmt: skip
"""The surfaces a model file can name."""

plane, sphere, capsule, corners, box = SurfacePlane, SurfaceSphere, SurfaceCapsule, SurfaceCorners, SurfaceBox
disc, cylinder, cam, curve, height_field = SurfaceDisc, SurfaceCylinder, SurfaceCam, SurfaceCurve, SurfaceHeightField


def as_surface(given: object, where: str) -> Surface:
    """A surface; anything else is refused."""
    if not isinstance(given, Surface):
        raise ModelError(f'{where}: {given!r} is no surface; use for example da.surfaces.sphere("ball", radius=0.1)')
    return given


SurfaceLike = Annotated[Any, Holds("surface", check=as_surface)]

__all__ = [
    "SURFACES", "HeightTable", "Surface", "SurfaceBox", "SurfaceCam", "SurfaceCapsule", "SurfaceCorners", "SurfaceCurve",
    "SurfaceCylinder", "SurfaceDisc", "SurfaceHeightField", "SurfaceLike", "SurfacePlane", "SurfaceSphere", "as_surface", "box",
    "cam", "capsule", "corners", "curve", "cylinder", "disc", "height_field", "plane", "sphere",
]  # fmt: skip
