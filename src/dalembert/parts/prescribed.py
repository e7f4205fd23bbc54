"""Prescribed motion: joint coordinates given as functions of time, with the speeds and accelerations that follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.errors import DalembertError, ModelError
from dalembert.parts.joints import Joint
from dalembert.parts.numbers import number
from dalembert.trace import Expr, Scalar, directional, evaluate, substitute, symbol

TIME = symbol("t")


@dataclass(frozen=True, eq=False)
class PrescribedMotion:
    """One entry per coordinate (q) and per speed (u, udot): a function of time, or None where the freedom is left free."""

    q: tuple[Any, ...]
    u: tuple[Any, ...]
    udot: tuple[Any, ...]


def free_law(joint: Joint) -> PrescribedMotion:
    """Nothing prescribed."""
    return PrescribedMotion((None,) * joint.n_q, (None,) * joint.n_u, (None,) * joint.n_u)


def make_law(joint: Joint, given: Any, name: str) -> PrescribedMotion:
    """A law from a function of time (one-coordinate joint: a number; else all coordinates), or {coordinate: function}."""
    if isinstance(given, Mapping):
        return _partial_law(joint, given, name)
    values = np.atleast_1d(np.array(_traced(given, name), dtype=object))
    values[:] = [number(x, _what(name)) for x in values]
    if values.shape != (joint.n_q,):
        raise ModelError(
            f'joint "{name}": its prescribed motion gives {values.size} values, but the joint has {joint.n_q} coordinates '
            f"({', '.join(c or name for c in joint.coordinates)})"
        )
    rates = directional(values, {TIME: 1.0})
    u = np.asarray(joint.speeds_from_rates(values, rates), dtype=object)
    return PrescribedMotion(tuple(values), tuple(u), tuple(directional(u, {TIME: 1.0})))


def _partial_law(joint: Joint, given: Mapping[str, Any], name: str) -> PrescribedMotion:
    if not joint.rates_are_speeds:
        raise ModelError(
            f'joint "{name}": its speeds are not the rates of its coordinates, so single coordinates cannot be prescribed; '
            "prescribe all of them with one function of time"
        )
    unknown = [c for c in given if c not in joint.coordinates]
    if unknown:
        its = ", ".join(joint.coordinates) or ("one, without a name: give a function of time" if joint.n_q else "none")
        raise ModelError(f'joint "{name}": no coordinate {unknown[0]!r}; it has {its}')
    q = [number(_traced(given[c], name), _what(name)) if c in given else None for c in joint.coordinates]
    u = [None if x is None else directional(x, {TIME: 1.0}) for x in q]
    udot = [None if x is None else directional(x, {TIME: 1.0}) for x in u]
    return PrescribedMotion(tuple(q), tuple(u), tuple(udot))


def _what(name: str) -> str:
    return f'joint "{name}": a value of its prescribed motion'


def _traced(given: Callable[[Any], Any] | Any, name: str) -> Any:
    if not callable(given):
        return given
    try:
        return given(TIME)
    except (DalembertError, TypeError) as problem:
        raise ModelError(
            f"joint \"{name}\": its prescribed motion must be a function of time written with NumPy's or dalembert's "
            f"functions, so that it can be differentiated ({problem})"
        ) from problem


def at_time(value: Scalar, t: Scalar) -> Scalar:
    """The value of a function of time, at a number or at a traced time."""
    if type(value) is not Expr or t is TIME:
        return value
    return substitute(value, {TIME: t}) if type(t) is Expr else evaluate(value, {TIME: t})
