"""Numbers as users give them: floats, or expressions of named parameters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.trace import Expr, Scalar
from dalembert.vectors import vector


def number(given: Any, what: str) -> Scalar:
    """A finite float or an expression."""
    if type(given) is Expr:
        return given
    try:
        value = float(given)
    except (TypeError, ValueError, OverflowError) as problem:
        raise ModelError(f"{what} must be a number, not {given!r}") from problem
    if isinstance(given, (str, bytes)):
        raise ModelError(f"{what} must be a number, not the text {given!r}")
    if not math.isfinite(value):
        raise ModelError(f"{what} must be finite, not {given!r}")
    return value


def checked_range(name: str, value: Any, low: Any, high: Any) -> tuple[float | None, float | None]:
    """Least and largest value of a parameter, its value between them; None where it is not said."""
    said = [
        x if x is None else plain_number(x, f'parameter "{name}": {which}')
        for x, which in ((low, "min"), (high, "max"))
    ]
    known = [x for x in (said[0], value, said[1]) if x is not None]
    if sorted(known) != known or (None not in said and said[0] == said[1]):
        raise ModelError(
            f'parameter "{name}": its value {value} must lie between min={low} and max={high}, which differ'
        )
    return said[0], said[1]


def numbers(given: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    """A read-only array of finite floats or expressions of this shape."""
    try:
        values = np.array(given, dtype=object)
    except ValueError as problem:
        raise ModelError(f"{what} must have shape {shape}, not {given!r}") from problem
    if values.shape != shape:
        size = " × ".join(map(str, shape))
        raise ModelError(f"{what} must be {size} numbers, not {given!r}")
    made = vector([number(x, what) for x in values.ravel()]).reshape(shape)
    made.flags.writeable = False
    return made


def positive(given: Any, what: str) -> Scalar:
    """A length: a number above zero, or an expression."""
    value = number(given, what)
    if isinstance(value, float) and value <= 0.0:
        raise ModelError(f"{what} must be positive, not {value:g}")
    return value


def plain_number(given: Any, what: str, above_zero: bool = False) -> float:
    """A finite float, no expression; above zero where that is asked for."""
    value = number(given, what)
    if not isinstance(value, float):
        raise ModelError(f"{what} must be a plain number, not the expression {given}")
    if above_zero and value <= 0.0:
        raise ModelError(f"{what} must be a positive number, not {value:g}")
    return value


def whole_number(given: Any, what: str) -> int:
    """A whole number from 1 on."""
    value = plain_number(given, what)
    if isinstance(given, bool) or not value.is_integer() or value < 1.0:
        raise ModelError(f"{what} must be a whole number from 1 on, not {given!r}")
    return int(value)
