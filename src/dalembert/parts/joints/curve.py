"""A curve in space: three expressions of one variable, with its tangent, and the point of it that is nearest to another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import DalembertError, ModelError
from dalembert.parts.numbers import number
from dalembert.trace import (
    Expr,
    Scalar,
    directional,
    evaluate,
    maximum,
    minimum,
    ordered,
    select,
    sqrt,
    substitute,
    symbol,
)
from dalembert.trace.table import Table, TableOp
from dalembert.vectors import IDENTITY, Vector, cross, vector

ALONG = symbol("#along")
"""The variable of every curve."""
SAMPLES, NEWTON_STEPS = 32, 8
"""Points of a curve among which the nearest is looked for, and steps from there to the point itself."""
LEAST_CURVATURE = 0.1
"""Part of |c′|² that a step divides by at least, beside a centre of curvature."""
FEWEST = 4
"""Points through which a curve can be laid."""

ENDLESS = 1e299
"""Beyond this a table goes on for ever."""


@dataclass(frozen=True, eq=False)
class Curve:
    """c(x), three numbers or expressions of `ALONG` and of parameters; from x = `ends[0]` to `ends[1]`, where they are known."""

    at: tuple[Any, Any, Any]
    ends: tuple[float, float] | None = None

    def point(self, x: Any) -> Vector:
        """c(x)."""
        return self._value(self.at, x)

    def tangent(self, x: Any) -> Vector:
        """c′(x)."""
        return self._value(self._first, x)

    def bend(self, x: Any) -> Vector:
        """c″(x)."""
        return self._value(self._second, x)

    @cached_property
    def _first(self) -> Any:
        return tuple(directional(np.array(self.at, dtype=object), {ALONG: 1.0}))

    @cached_property
    def _second(self) -> Any:
        return tuple(directional(np.array(self._first, dtype=object), {ALONG: 1.0}))

    @staticmethod
    def _value(of: Any, x: Any) -> Vector:
        """On a traced x, or on a number where no parameter is left; else parameters stay symbols."""
        return vector(list(substitute(list(of), {ALONG: x})))

    @property
    def numeric(self) -> bool:
        """Whether it has no parameters."""
        return all(e is ALONG or e.args for x in self.at if type(x) is Expr for e in ordered([x]))

    # -- frames and places along it ----------------------------------------------------------------------------------------
    def across(self, x: Any) -> tuple[Vector, Vector]:
        """Two unit vectors across the tangent, which turn with it smoothly."""
        t, beside = self.tangent(x), IDENTITY[self._beside]
        first = cross(beside, t)
        second = cross(t, first)
        return first / sqrt(first @ first), second / sqrt(second @ second)

    @cached_property
    def _beside(self) -> int:
        """The axis that the tangent is never near to: one along which the curve does not go, or goes least."""
        still = [i for i, x in enumerate(self._first) if type(x) is not Expr and x == 0.0]
        if still or not self.numeric or self.ends is None:
            return still[-1] if still else 2
        with np.errstate(all="ignore"):
            t = np.array([self.tangent(x) for x in np.linspace(*self.ends, SAMPLES)], dtype=float)
            along = np.abs(t) / np.linalg.norm(t, axis=1, keepdims=True)
        return int(np.argmin(np.nanmax(along, axis=0)))

    def nearest(self, p: Vector) -> Scalar:
        """x of the point nearest to p: of some points along the curve, and from there by Newton's method on (c − p)·c′ = 0."""
        assert self.ends is not None
        low, high = self.ends
        best: Any = None
        x: Any = low
        for at in np.linspace(low, high, SAMPLES).tolist():
            apart = p - self.point(at)
            square = apart @ apart
            if best is None:
                best = square
                continue
            closer = square < best
            x, best = select(closer, at, x), select(closer, square, best)
        for _ in range(NEWTON_STEPS):
            c, t, b = self.point(x), self.tangent(x), self.bend(x)
            slope, square = (c - p) @ t, t @ t
            x = x - slope / maximum(square + (c - p) @ b, LEAST_CURVATURE * square)
            x = minimum(maximum(x, low), high)
        return x

    def why_not_at(self, x: float) -> str | None:
        """Why nothing can be at x (a number), in words."""
        c, t = (np.asarray(evaluate(list(of), {ALONG: x}), dtype=float) for of in (self.at, self._first))
        if not np.isfinite(c).all() or not np.isfinite(t).all():
            return f"its curve has no point at {x:.6g}; a table that it comes from may end there"
        if not np.abs(t).max() > 0.0:
            return f"its curve has no direction at {x:.6g}, where all three derivatives vanish: give it by another variable"
        return None


def as_curve(given: Any, ends: Any, what: str) -> Curve:
    """A curve from a function of one variable, a table of three columns, or points in a row (4 or more)."""
    if isinstance(given, Curve):
        at = given.at
    elif callable(given):
        at = _three(_traced(given, what), what)
    else:
        rows = np.asarray(given, dtype=object)
        at = _through(rows, what) if rows.ndim == 2 else _three(rows, what)
    if not any(type(x) is Expr and ALONG in ordered([x]) for x in at):
        raise ModelError(f"{what} is one point, not a curve: {given!r}")
    return Curve(at, _ends(ends, at, what) if ends is not None else _of_tables(at))


def _traced(given: Callable[[Any], Any], what: str) -> Any:
    try:
        return given(ALONG)
    except (DalembertError, TypeError) as problem:
        raise ModelError(
            f"{what} must be a function of one variable written with NumPy's or dalembert's functions ({problem})"
        ) from problem


def _three(values: Any, what: str) -> tuple[Any, Any, Any]:
    made = np.asarray(values, dtype=object)
    if made.shape != (3,):
        raise ModelError(f"{what} must give three numbers, x, y and z in the parent's axes, not {values!r}")
    x, y, z = (number(v, what) for v in made)
    return x, y, z


def _through(rows: np.ndarray, what: str) -> tuple[Any, Any, Any]:
    """A smooth curve through points; its variable is the distance from the first along the chords."""
    try:
        points = rows.astype(float)
    except (TypeError, ValueError, OverflowError):
        points = np.zeros((0, 0))
    if points.shape[1:] != (3,) or len(points) < FEWEST or not np.isfinite(points).all():
        raise ModelError(f"{what} must be a function of one variable, or at least {FEWEST} points of three numbers")
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if not (chords > 0.0).all():
        raise ModelError(f"{what} has the same point twice in a row")
    return _three(Table(np.concatenate([[0.0], np.cumsum(chords)]), points, names=("x", "y", "z"))(ALONG), what)


def _ends(given: Any, at: Any, what: str) -> tuple[float, float]:
    try:
        low, high = (float(x) for x in given)
    except (TypeError, ValueError, OverflowError):
        low = high = np.nan
    if not (np.isfinite([low, high]).all() and low < high):
        raise ModelError(f"{what}: ends={given!r} must be two numbers, the lower first")
    return low, high


def _of_tables(at: Any) -> tuple[float, float] | None:
    """Where all tables in it that are read at the variable itself have values."""
    found = [
        (e.op.breaks[0], e.op.breaks[-1])
        for x in at
        if type(x) is Expr
        for e in ordered([x])
        if isinstance(e.op, TableOp) and e.args[0] is ALONG and abs(e.op.breaks[0]) < ENDLESS
    ]
    return (float(max(a for a, _ in found)), float(min(b for _, b in found))) if found else None
