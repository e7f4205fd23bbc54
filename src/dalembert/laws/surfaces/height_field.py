"""HeightField: ground whose height is a function of two coordinates, or a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import ModelError
from dalembert.laws.surfaces.surface import NearestPoint, Surface
from dalembert.parts.fields import BodyName, Function, Holds, Place
from dalembert.parts.forces.points import Point
from dalembert.parts.frames import Frame
from dalembert.portable import Portable
from dalembert.trace import Expr, directional, maximum, sqrt, substitute, symbol
from dalembert.trace.table import Table
from dalembert.vectors import Vector

if TYPE_CHECKING:
    from dalembert.kinematics.state import State

X, Y = symbol("#ground.x"), symbol("#ground.y")
"""The variables of every height."""
NEWTON_STEPS = 8
"""Steps from the point below to the nearest one."""
LEAST_CURVATURE = 0.1
"""Part of a determinant that a step divides by at least, far above hollow ground."""
NO_PART = 1e-15
"""Part of the largest height below which a product of tables adds nothing."""

Rows = Annotated[Any, Holds("rows")]
"""Rows of plain numbers."""
Row = Annotated[Any, Holds("list")]
OfPlace = Annotated[Any, Function(("x", "y"), constant=False)]


@dataclass(frozen=True, eq=False)
class HeightTable(Portable):
    """Heights at the points of a grid, `z[k][i]` at `x[i]`, `y[k]`; between them a smooth surface, of cubic splines both ways."""

    x: Row
    y: Row
    z: Rows

    def __post_init__(self) -> None:
        for name in ("x", "y", "z"):
            try:
                given = np.array(getattr(self, name), dtype=float)
            except (TypeError, ValueError, OverflowError):
                raise ModelError(f"HeightTable: {name} must be numbers, not {getattr(self, name)!r}") from None
            given.flags.writeable = False
            object.__setattr__(self, name, given)
        if self.x.ndim != 1 or self.y.ndim != 1 or self.z.shape != (len(self.y), len(self.x)):
            raise ModelError(
                f"HeightTable: z must have a row for each of {self.y.size} y, of a height for each of {self.x.size} x; "
                f"it has the shape {self.z.shape}"
            )
        if not np.isfinite(self.z).all():
            raise ModelError("HeightTable: heights must be finite numbers")

    @cached_property
    def _products(self) -> list[tuple[Table, Table]]:
        """Tables of x and of y whose products add up to the heights."""
        left, sizes, right = np.linalg.svd(self.z)
        count = max(1, int((sizes > NO_PART * sizes[0]).sum()))
        return [
            (Table(self.x, right[k] * sizes[k], outside="hold"), Table(self.y, left[:, k], outside="hold"))
            for k in range(count)
        ]

    def __call__(self, x: Any, y: Any) -> Any:
        return sum(along(x) * aside(y) for along, aside in self._products)


@dataclass(frozen=True, eq=False)
class SurfaceHeightField(Surface):
    """Ground of height z = `height`(x, y) in the axes of a frame of a body, or by a `table`. Beyond a table its edge goes on level.

    Balls touch it where they are nearest: it must not be hollowed more sharply than they are round.
    """

    height: OfPlace = None
    table: HeightTable | None = None
    body: BodyName = "ground"
    frame: Place = field(default_factory=Frame)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.height is None) == (self.table is None):
            raise ModelError("height_field: give its height, a function of x and y, or a table")

    @property
    def sharp(self) -> bool:
        return False

    @property
    def place(self) -> Point:
        return Point(self.body, self.frame.position)

    @cached_property
    def _height(self) -> list[Any]:
        """z, z_x, z_y, z_xx, z_xy, z_yy."""
        given: Any = self.table if self.height is None else self.height
        z = given(X, Y)

        def rate(of: Any, variable: Expr) -> Any:
            return directional([of], {variable: 1.0})[0] if isinstance(of, Expr) else 0.0

        zx, zy = rate(z, X), rate(z, Y)
        return [z, zx, zy, rate(zx, X), rate(zx, Y), rate(zy, Y)]

    def _at(self, x: Any, y: Any) -> list[Any]:
        return [substitute([e], {X: x, Y: y})[0] if isinstance(e, Expr) else e for e in self._height]

    def distance(self, s: State, x: Vector) -> NearestPoint:
        R = s.rotation(self.body) @ self.frame.rotation
        p = R.T @ (x - s.position(self.place))
        a, b = p[0], p[1]
        for _ in range(NEWTON_STEPS):
            z, zx, zy, zxx, zxy, zyy = self._at(a, b)
            high = z - p[2]
            f, g = a - p[0] + high * zx, b - p[1] + high * zy
            fa, fb, gb = 1.0 + zx * zx + high * zxx, zx * zy + high * zxy, 1.0 + zy * zy + high * zyy
            det = maximum(fa * gb - fb * fb, LEAST_CURVATURE * (1.0 + zx * zx + zy * zy))
            a, b = a - (gb * f - fb * g) / det, b - (fa * g - fb * f) / det
        z, zx, zy = self._at(a, b)[:3]
        n = np.array([-zx, -zy, 1.0]) / sqrt(1.0 + zx * zx + zy * zy)
        return NearestPoint(n @ np.array([p[0] - a, p[1] - b, p[2] - z]), R @ n)
