"""Giving numbers to the named parameters inside a nested description, and taking its numbers out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from dalembert.errors import ModelError
from dalembert.trace.expr import Expr
from dalembert.trace.graph import free_symbols, substitute

T = TypeVar("T")


class NoValueError(ModelError):
    """An expression of parameters has no value where they are."""


def bind(thing: T, values: Mapping[Expr, float]) -> T:
    """A copy of nested dataclasses, tuples, mappings and arrays with the symbols in every expression replaced.

    What holds no expression is returned as it is. Functions are left alone: what they return is bound when they are called.
    """

    def array(x: np.ndarray) -> np.ndarray:
        return _tidy(_substituted(x, values)) if x.dtype == object else x

    bound: T = _replaced(thing, lambda x: _substituted(x, values) if type(x) is Expr else x, array)
    return bound


def _substituted(x: Any, values: Mapping[Expr, float]) -> Any:
    """The values in the places of their symbols; refused where an expression has none there."""
    try:
        return substitute(x, values)
    except (ZeroDivisionError, OverflowError):
        used = free_symbols([y for y in np.ravel(x) if type(y) is Expr])
        values_used = ", ".join(sorted(f"{s.name} = {values[s]:g}" for s in used if s in values))
        raise NoValueError(
            f"an expression of parameters has no value at {values_used}: it divides by zero, or is too large"
        ) from None


def lift(thing: T, instead: Callable[[float], Any]) -> T:
    """The inverse: a copy with something instead of every float; tables and other functions are left alone."""

    def number(x: Any) -> Any:
        return instead(x) if isinstance(x, float) else x

    def array(x: np.ndarray) -> np.ndarray:
        made = np.array([number(y) for y in x.ravel().tolist()], dtype=object).reshape(x.shape)
        return made if x.dtype == object else _tidy(made)

    lifted: T = _replaced(thing, number, array)
    return lifted


def _replaced(thing: Any, scalar: Callable[[Any], Any], array: Callable[[np.ndarray], np.ndarray]) -> Any:
    if isinstance(thing, np.ndarray):
        return array(thing)
    if isinstance(thing, tuple):
        made = tuple(_replaced(x, scalar, array) for x in thing)
        return thing if all(a is b for a, b in zip(made, thing)) else made
    if isinstance(thing, Mapping):
        return {k: _replaced(v, scalar, array) for k, v in thing.items()}
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        fields = {f.name: _replaced(getattr(thing, f.name), scalar, array) for f in dataclasses.fields(thing) if f.init}
        changed = {k: v for k, v in fields.items() if v is not getattr(thing, k)}
        return dataclasses.replace(thing, **changed) if changed else thing
    return scalar(thing)


def expressions_in(thing: Any) -> list[Expr]:
    """All expressions among the numbers of a nested description."""
    if type(thing) is Expr:
        return [thing]
    if isinstance(thing, np.ndarray):
        return [x for x in thing.ravel() if type(x) is Expr] if thing.dtype == object else []
    if isinstance(thing, (tuple, list)):
        return [e for x in thing for e in expressions_in(x)]
    if isinstance(thing, Mapping):
        return [e for x in thing.values() for e in expressions_in(x)]
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return [e for f in dataclasses.fields(thing) if f.init for e in expressions_in(getattr(thing, f.name))]
    return []


def _tidy(values: Any) -> Any:
    """Floats once nothing traced is left."""
    return values if any(type(x) is Expr for x in values.ravel()) else values.astype(float)
