"""A place on a body: a point, and the axes there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.fields import Holds, Numbers3
from dalembert.parts.names import text
from dalembert.parts.numbers import numbers
from dalembert.portable import Portable
from dalembert.vectors import IDENTITY, ZERO, Matrix, Vector

ORTHOGONAL = 1e-9
"""Entry of RᵀR − 1 up to which a matrix turns."""


@dataclass(frozen=True, eq=False)
class Frame(Portable):
    """A place on a body: `da.Frame((1, 0, 0), da.turn((0, 0, 1), 0.5))`, wherever a joint or a shape asks for one.

    `position` is that of its origin in body axes; `rotation` R_BF turns frame components into body components.

    On an elastic body, `node` names the node that carries the frame, and position and rotation are in the node's axes.
    """

    position: Numbers3 = field(default_factory=lambda: ZERO)
    """Origin in the body's axes, m."""
    rotation: Annotated[Any, Holds("rotation")] = field(default_factory=lambda: IDENTITY)
    """R that turns components in this frame into components in the body's axes."""
    node: str | None = None
    """Node of an elastic body to which the frame is attached."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", numbers(self.position, (3,), "Frame: position"))
        object.__setattr__(self, "rotation", numbers(self.rotation, (3, 3), "Frame: rotation"))
        if self.node is not None:
            text(self.node, "Frame: node")

    @classmethod
    def trusted(cls, position: Vector, rotation: Matrix) -> Frame:
        """A frame from arrays already known to be right."""
        made = object.__new__(cls)
        object.__setattr__(made, "position", position)
        object.__setattr__(made, "rotation", rotation)
        return made

    def check(self, where: str) -> None:
        """The rotation (numbers) must be a rotation."""
        R = self.rotation.astype(float)
        if np.abs(R.T @ R - IDENTITY).max() > ORTHOGONAL or np.linalg.det(R) < 0.0:
            raise ModelError(
                f"{where}: the rotation of its frame is not a rotation matrix (its columns must be orthonormal and "
                "right-handed); build it with da.turn(axis, angle)"
            )


def as_frame(given: Any, where: str) -> Frame:
    """A Frame from a Frame, or from three numbers (a point with the body's own axes)."""
    if isinstance(given, Frame):
        return given
    return Frame(numbers(given, (3,), where))
