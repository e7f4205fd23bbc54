"""What builders of elastic bodies are given: numbers, checked by name. Parameters cannot be in them: modes are found by number.

The room of systems knows elastic bodies, so that it is asked only when a builder is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from dalembert.errors import ModelError
from dalembert.trace import Expr

_ROUNDING = 1e-9
"""Part of the largest entry by which a symmetric matrix may be unsymmetric."""

P = ParamSpec("P")
R = TypeVar("R")


def plain(given: Any, what: str) -> float:
    """One finite number."""
    from dalembert.parts.numbers import number

    value = number(given, what)
    if isinstance(value, Expr):
        raise _parameter(what)
    return float(value)


def above_zero(given: Any, what: str) -> float:
    value = plain(given, what)
    if not value > 0.0:
        raise ModelError(f"{what} must be positive, not {value:g}")
    return value


def not_negative(given: Any, what: str) -> float:
    value = plain(given, what)
    if not value >= 0.0:
        raise ModelError(f"{what} must not be negative, as {value:g} is")
    return value


def whole(given: Any, what: str, least: int = 0) -> int:
    """A whole number from `least` on."""
    value = plain(given, what)
    if isinstance(given, (bool, np.bool_)) or not value.is_integer() or value < least:
        raise ModelError(f"{what} must be a whole number from {least} on, not {given!r}")
    return int(value)


def yes_or_no(given: Any, what: str) -> bool:
    if not isinstance(given, (bool, np.bool_)):
        raise ModelError(f"{what} must be True or False, not {given!r}")
    return bool(given)


def array(given: Any, shape: tuple[int | None, ...], what: str) -> np.ndarray:
    """Finite numbers of this shape, a copy; None where any number of them will do."""
    size = f"({', '.join('any' if n is None else str(n) for n in shape)})"
    try:
        values = np.asarray(given)
        if values.dtype.kind not in "fiu":  # one by one: among them may be parameters
            values = np.array(given, dtype=object)
            if any(isinstance(x, Expr) for x in values.ravel()):
                raise _parameter(what)
        made = np.array(values, dtype=float)
    except (TypeError, ValueError, OverflowError) as problem:
        raise ModelError(f"{what} must be numbers of shape {size}, not {_short(given)}") from problem
    if made.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, made.shape)):
        raise ModelError(f"{what} must have shape {size}, not {made.shape}")
    if not np.isfinite(made).all():
        raise ModelError(f"{what} has entries that are not finite")
    return made


def symmetric(M: Any, what: str) -> np.ndarray:
    """A matrix, dense or sparse, that is its own transpose but for rounding."""
    if abs(M - M.T).max() > _ROUNDING * abs(M).max() if min(M.shape) else False:
        raise ModelError(f"{what} is not symmetric")
    return M


def by_name(given: Any, what: str) -> dict[str, Any]:
    """A mapping from names; empty where nothing is given."""
    made = {} if given is None else given
    if not isinstance(made, Mapping) or not all(isinstance(key, str) for key in made):
        raise ModelError(f'{what} must be given by name, {{"name": …}}, not {_short(given)}')
    return dict(made)


def mass_properties(given: Any, what: str) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, mass centre and inertia of a rigid body that an elastic one carries."""
    from dalembert.parts.bodies import MassProperties

    if not isinstance(given, MassProperties):
        raise ModelError(f"{what} must be da.box(…), da.particle(…) and the like, not {_short(given)}")
    inertia = array(given.inertia, (3, 3), f"{what}: inertia")
    return not_negative(given.mass, f"{what}: mass"), array(given.com, (3,), f"{what}: com"), inertia


def computed(function: Callable[P, R]) -> Callable[P, R]:
    """The builder, saying in a sentence where its numbers are too large, too small or too far apart to be computed with."""

    @wraps(function)
    def call(*given: P.args, **named: P.kwargs) -> R:
        try:
            with np.errstate(over="raise", invalid="raise", divide="raise"):
                return function(*given, **named)
        except (FloatingPointError, ZeroDivisionError, OverflowError, np.linalg.LinAlgError) as problem:
            raise ModelError(
                f"{function.__name__}: the numbers given are too large, too small or too far apart to be computed with "
                f"({problem}); look at their units"
            ) from problem

    return call


def _parameter(what: str) -> ModelError:
    return ModelError(
        f"{what} must be a number: there can be no parameters in the data of elastic bodies, whose modes are found by number. "
        "Build the body once for every value"
    )


def _short(given: Any) -> str:
    shown = repr(given)
    return shown if len(shown) <= 80 else shown[:77] + "…"
