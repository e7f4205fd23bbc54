"""Axes as users give them: three numbers of unit length."""

from __future__ import annotations

import math
from typing import Any

from dalembert.errors import ModelError

Axis = tuple[float, float, float]


def unit_axis(joint: Any, field: str) -> None:
    """Check and store the axis named `field` of a joint under construction as a tuple of floats."""
    kind = type(joint).__name__
    given = getattr(joint, field)
    try:
        axis = tuple(float(x) for x in given)
        length = math.sqrt(sum(x * x for x in axis))
    except (TypeError, ValueError) as problem:
        raise ModelError(f"{kind}: {field}={given!r} must be three numbers") from problem
    if len(axis) != 3 or not math.isfinite(length):
        raise ModelError(f"{kind}: {field}={given!r} must be three finite numbers")
    if length == 0.0:
        raise ModelError(f"{kind}: {field}={given!r} has no direction; give a unit vector such as (0, 0, 1)")
    if abs(length - 1.0) > 1e-9:
        unit = ", ".join(f"{x / length:.12g}" for x in axis)
        raise ModelError(f"{kind}: {field}={given!r} has length {length:.6g}, not 1; did you mean ({unit})?")
    object.__setattr__(joint, field, tuple(x / length for x in axis))  # exact to rounding
