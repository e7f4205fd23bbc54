"""Functions of a scalar that may be a float or a traced value. On floats they are `math`'s; what `math` lacks keeps a NaN, and what is
too large for a float is infinite, as in compiled code."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar, overload

from dalembert.trace.expr import Expr, Scalar, node, plain
from dalembert.trace.ops import ATAN2, FLOOR, FMOD, MAX, MIN, SELECT

S = TypeVar("S", float, Expr, Scalar)


def sin(x: S) -> S:
    """Sine of an angle in radians."""
    return x.sin() if type(x) is Expr else math.sin(x)


def cos(x: S) -> S:
    """Cosine of an angle in radians."""
    return x.cos() if type(x) is Expr else math.cos(x)


def tan(x: S) -> S:
    """Tangent of an angle in radians."""
    return x.tan() if type(x) is Expr else math.tan(x)


def asin(x: S) -> S:
    """The angle in [−π/2, π/2] whose sine is x."""
    return x.arcsin() if type(x) is Expr else math.asin(x)


def acos(x: S) -> S:
    """The angle in [0, π] whose cosine is x."""
    return x.arccos() if type(x) is Expr else math.acos(x)


def atan(x: S) -> S:
    """The angle in (−π/2, π/2) whose tangent is x."""
    return x.arctan() if type(x) is Expr else math.atan(x)


@overload
def atan2(y: float, x: float) -> float: ...
@overload
def atan2(y: Expr, x: Scalar) -> Expr: ...
@overload
def atan2(y: Scalar, x: Expr) -> Expr: ...
def atan2(y: Scalar, x: Scalar) -> Scalar:
    """The angle in (−π, π] of the point (x, y)."""
    if type(y) is Expr:
        return y.arctan2(x)
    if type(x) is Expr:
        return node(ATAN2, plain(y), x)
    return math.atan2(y, x)


def _finite_or(function: Callable[[float], float], x: float, beyond: float) -> float:
    try:
        return function(x)
    except OverflowError:
        return beyond


def sinh(x: S) -> S:
    """Hyperbolic sine."""
    return x.sinh() if type(x) is Expr else _finite_or(math.sinh, x, math.copysign(math.inf, x))


def cosh(x: S) -> S:
    """Hyperbolic cosine."""
    return x.cosh() if type(x) is Expr else _finite_or(math.cosh, x, math.inf)


def tanh(x: S) -> S:
    """Hyperbolic tangent."""
    return x.tanh() if type(x) is Expr else math.tanh(x)


def exp(x: S) -> S:
    """e to the power x."""
    return x.exp() if type(x) is Expr else _finite_or(math.exp, x, math.inf)


def log(x: S) -> S:
    """Natural logarithm."""
    return x.log() if type(x) is Expr else math.log(x)


def sqrt(x: S) -> S:
    """Square root."""
    return x.sqrt() if type(x) is Expr else math.sqrt(x)


def sign(x: S) -> S:
    """−1, 0 or 1; NaN of NaN."""
    return x.sign() if type(x) is Expr else 1.0 if x > 0 else -1.0 if x < 0 else x + 0.0


def floor(x: S) -> S:
    """The largest whole number that is not above x."""
    return node(FLOOR, x) if type(x) is Expr else float(math.floor(x)) or 0.0 * x


@overload
def fmod(a: float, b: float) -> float: ...
@overload
def fmod(a: Expr, b: Scalar) -> Expr: ...
@overload
def fmod(a: Scalar, b: Expr) -> Expr: ...
def fmod(a: Scalar, b: Scalar) -> Scalar:
    """What is left of a after whole parts of b, with the sign of a."""
    return node(FMOD, plain(a), plain(b)) if Expr in (type(a), type(b)) else math.fmod(a, b)


@overload
def minimum(a: float, b: float) -> float: ...
@overload
def minimum(a: Expr, b: Scalar) -> Expr: ...
@overload
def minimum(a: Scalar, b: Expr) -> Expr: ...
def minimum(a: Scalar, b: Scalar) -> Scalar:
    """The smaller of the two; NaN if either is."""
    return _pick(MIN, a, b) if Expr in (type(a), type(b)) else a if a != a or a < b else b


@overload
def maximum(a: float, b: float) -> float: ...
@overload
def maximum(a: Expr, b: Scalar) -> Expr: ...
@overload
def maximum(a: Scalar, b: Expr) -> Expr: ...
def maximum(a: Scalar, b: Scalar) -> Scalar:
    """The larger of the two; NaN if either is."""
    return _pick(MAX, a, b) if Expr in (type(a), type(b)) else a if a != a or a > b else b


@overload
def select(condition: bool, yes: float, no: float) -> float: ...
@overload
def select(condition: Scalar, yes: Scalar, no: Scalar) -> Scalar: ...
def select(condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
    """`yes` where the condition holds, else `no`: the `if` of traced code, `da.select(s.t < 1.0, 2.0, 0.0)`."""
    if type(condition) is not Expr:
        return yes if condition else no
    return yes if yes == no else node(SELECT, condition, plain(yes), plain(no))


def _pick(op: Any, a: Any, b: Any) -> Any:
    return a if a is b else node(op, plain(a), plain(b))
