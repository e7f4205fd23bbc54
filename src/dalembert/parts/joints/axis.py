"""Axes as users say them, three numbers of unit length, and rotations about them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, cast

import numpy as np

from dalembert import vectors
from dalembert.errors import ModelError
from dalembert.parts.fields import Holds
from dalembert.parts.numbers import number
from dalembert.vectors import Matrix, across

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dalembert.aliases import Scalar

Axis = Annotated[tuple[float, float, float], Holds("axis")]
Z_AXIS: Axis = (0.0, 0.0, 1.0)
"""What a joint turns about where nothing else is said."""
UNIT, EXACTLY_UNIT = 1e-9, 1e-15
"""How far from 1 an axis may be long, and from what on it is divided by its length."""


def opposite(axis: Axis) -> Axis:
    return (-axis[0], -axis[1], -axis[2])


def to_z(axis: Axis) -> Matrix:
    """A rotation whose third column is the axis: it turns z into it."""
    z = np.array(axis)
    return np.stack([*across(z), z], axis=1)


def unit(given: Any, what: str) -> Axis:
    """The axis as a tuple of floats, its length exact to rounding."""
    try:
        axis = tuple(float(x) for x in given)
        length = math.sqrt(sum(x * x for x in axis))
    except (TypeError, ValueError, OverflowError) as problem:
        raise ModelError(f"{what}={given!r} must be three numbers") from problem
    if len(axis) != 3 or not math.isfinite(length):
        raise ModelError(f"{what}={given!r} must be three finite numbers")
    if length == 0.0:
        raise ModelError(f"{what}={given!r} has no direction; give a unit vector such as (0, 0, 1)")
    if abs(length - 1.0) > UNIT:
        near = ", ".join(f"{x / length:.12g}" for x in axis)
        raise ModelError(f"{what}={given!r} has length {length:.6g}, not 1; did you mean ({near})?")
    exact = (
        abs(length - 1.0) <= EXACTLY_UNIT
    )  # dividing again would change the last bit of an axis that was divided before
    return cast(Axis, axis if exact else tuple(x / length for x in axis))


def unit_axis(joint: Any, field: str, kind: str | None = None) -> None:
    """Check and store the axis named `field` of a joint (or another `kind` of thing) under construction."""
    object.__setattr__(joint, field, unit(getattr(joint, field), f"{kind or type(joint).__name__}: {field}"))


def turn(axis: ArrayLike, angle: Scalar) -> Matrix:
    """The rotation by an angle (rad, or an expression) about a unit axis: `da.Frame((1, 0, 0), da.turn((0, 0, 1), 0.5))`."""
    return vectors.turn(np.array(unit(axis, "turn: axis")), number(angle, "turn: angle"))
