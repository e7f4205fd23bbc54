"""Arguments of functions that users call, checked by kind in one place.

`@takes(hold=names, t=real)` above a function brings these arguments into one form or refuses them by name. What is left at its default
of None is not checked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from dalembert.errors import ArgumentError

P = ParamSpec("P")
R = TypeVar("R")
Kind = Callable[[Any, str], Any]
"""(what was given, where) → the value in its proper form, or an ArgumentError."""


def takes(
    gather: Callable[[dict[str, Any]], dict[str, Any]] | None = None, /, **kinds: Kind
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """The decorated function's arguments of these names are of these kinds; `gather` makes several keywords into one."""

    def checked(function: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(function).parameters
        order = list(parameters)
        title = function.__name__
        assert set(kinds) <= set(order), f"{title} has no {set(kinds) - set(order)}"

        def proper(name: str, given: Any) -> Any:
            if name not in kinds or (given is None and parameters[name].default is None):
                return given
            return kinds[name](given, f"{title}: {name}")

        @wraps(function)
        def call(*arguments: P.args, **named: P.kwargs) -> R:
            first = [proper(order[i], x) if i < len(order) else x for i, x in enumerate(arguments)]
            keywords = named if gather is None else gather(named)
            return function(*first, **{name: proper(name, x) for name, x in keywords.items()})  # type: ignore[arg-type]

        return call

    return checked


def refused(where: str, wanted: str, given: Any) -> ArgumentError:
    """The one sentence for all of them."""
    shown = repr(given)
    return ArgumentError(f"{where} must be {wanted}, not {shown if len(shown) <= 80 else shown[:77] + '…'}")


def one_name(given: Any, where: str) -> str:
    """One name."""
    if not isinstance(given, str):
        raise refused(where, "a name in quotes", given)
    return given


def names(given: Any, where: str) -> list[str]:
    """Several names; a single one may stand by itself."""
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise refused(where, 'a list of names, ["A", "B"]', given)
    return [one_name(x, f"each of {where}") for x in given]


def names_or_values(given: Any, where: str) -> list[str] | dict[str, Any]:
    """Several names, or values by name."""
    return by_name(given, where) if isinstance(given, Mapping) else names(given, where)


def by_name(given: Any, where: str) -> dict[str, Any]:
    """Values by name."""
    if not isinstance(given, Mapping):
        raise refused(where, 'values by name, {"name": value}', given)
    return {one_name(key, f"each name in {where}"): value for key, value in given.items()}


def real(given: Any, where: str) -> float:
    """One number; that it is finite is the business of whom it is for."""
    try:
        value = float(given)
    except (TypeError, ValueError, OverflowError):
        raise refused(where, "a number", given) from None
    if isinstance(given, (str, bytes)):
        raise refused(where, "a number, not text", given)
    return value


def count(least: int) -> Kind:
    """A whole number from `least` on."""

    def check(given: Any, where: str) -> int:
        value = real(given, where)
        if isinstance(given, bool) or not value.is_integer() or value < least:
            raise refused(where, f"a whole number from {least} on", given)
        return int(value)

    return check


def flag(given: Any, where: str) -> bool:
    """True or False."""
    if not isinstance(given, bool | np.bool_):
        raise refused(where, "True or False", given)
    return bool(given)


def numbers(given: Any, where: str) -> np.ndarray:
    """Finite numbers in an array of any shape."""
    values = array(given, where)
    if not np.isfinite(values).all():
        raise refused(where, "finite numbers", given)
    return values


def array(given: Any, where: str) -> np.ndarray:
    """Numbers, finite or not, in an array of any shape."""
    try:
        return np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise refused(where, "numbers", given) from None


def row(given: Any, where: str) -> np.ndarray:
    """Finite numbers one after the other, at least one."""
    values = numbers(given, where)
    if values.ndim > 1 or not values.size:
        raise refused(where, "a row of numbers", given)
    return np.atleast_1d(values)


def function(given: Any, where: str) -> Callable[..., Any]:
    """Something to be called."""
    if not callable(given):
        raise refused(where, "a function", given)
    made: Callable[..., Any] = given
    return made


def file_path(given: Any, where: str) -> Path:
    """The name of a file."""
    if not isinstance(given, (str, os.PathLike)) or not os.fspath(given):
        raise refused(where, "the name of a file", given)
    return Path(os.fsdecode(given))


def points(given: Any, where: str) -> list[Any]:
    """Several points of bodies; a single one may stand by itself."""
    single = isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str) and np.ndim(given[1]) == 1
    if isinstance(given, str) or single:
        return [given]
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise refused(where, 'a list of points, ["body", ("body", (x, y, z))]', given)
    return list(given)
