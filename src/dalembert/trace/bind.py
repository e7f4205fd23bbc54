"""Giving numbers to the named parameters inside a nested description."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.trace.expr import Expr
from dalembert.trace.graph import substitute


def bind(thing: Any, values: Mapping[Expr, float]) -> Any:
    """A copy of nested dataclasses, tuples, mappings and arrays with the symbols in every expression replaced.

    What holds no expression is returned as it is. Functions are left alone: what they return is bound when they are called.
    """
    if type(thing) is Expr:
        return substitute(thing, values)
    if isinstance(thing, np.ndarray):
        return _tidy(substitute(thing, values)) if thing.dtype == object else thing
    if isinstance(thing, tuple):
        made = tuple(bind(x, values) for x in thing)
        return thing if all(a is b for a, b in zip(made, thing)) else made
    if isinstance(thing, Mapping):
        return {k: bind(v, values) for k, v in thing.items()}
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        fields = {f.name: bind(getattr(thing, f.name), values) for f in dataclasses.fields(thing) if f.init}
        changed = {k: v for k, v in fields.items() if v is not getattr(thing, k)}
        return dataclasses.replace(thing, **changed) if changed else thing
    return thing


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
