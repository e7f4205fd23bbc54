"""Rotations as users ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert import vectors
from dalembert.parts.joints.axis import unit
from dalembert.parts.numbers import number
from dalembert.vectors import Matrix

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dalembert.aliases import Scalar


def turn(axis: ArrayLike, angle: Scalar) -> Matrix:
    """The rotation by an angle (rad, or an expression) about a unit axis: `da.Frame((1, 0, 0), da.turn((0, 0, 1), 0.5))`."""
    return vectors.turn(np.array(unit(axis, "turn: axis")), number(angle, "turn: angle"))
