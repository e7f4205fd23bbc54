"""NumPy's functions of traced values, composed of the operations of the graph.

Each gives what NumPy gives on floats, to rounding: sums that would cancel are written so that they do not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from dalembert.errors import TraceError
from dalembert.trace.expr import Expr, node, plain
from dalembert.trace.operands import boxed
from dalembert.trace.ops import AND, BOOLEAN, NOT, OR
from dalembert.trace.scalar_functions import atan2, exp, floor, fmod, log, maximum, minimum, select, sign, sqrt, tanh

_LARGE = 2.0**27
"""Beside the square of such a number, 1 is less than rounding."""
_LN2 = math.log(2.0)


# -- rounding ----------------------------------------------------------------------------------------------------------
def _ceil(x: Any) -> Any:
    return -floor(-x)


def _trunc(x: Any) -> Any:
    return select(x < 0.0, _ceil(x), floor(x))


def _rint(x: Any) -> Any:
    """Halves go to the even neighbour."""
    below = floor(x)
    over = x - below
    even = 2.0 * floor((below + 1.0) * 0.5)
    return select(over < 0.5, below, select(over <= 0.5, even, below + 1.0))


def _mod(a: Any, b: Any) -> Any:
    """Remainder with the sign of b, as Python's %."""
    rest = fmod(a, b)
    astray = ((rest < 0.0) & (b > 0.0)) | ((rest > 0.0) & (b < 0.0))
    return select(astray, rest + b, rest)


def _floor_divide(a: Any, b: Any) -> Any:
    """Quotient from the exact remainder, so that a quotient just below a whole number is not taken for it."""
    return _rint((a - _mod(a, b)) / b)


# -- exponentials and logarithms ---------------------------------------------------------------------------------------
def _expm1(x: Any) -> Any:
    return tanh(x * 0.5) * (exp(x) + 1.0)


def _log1p(x: Any) -> Any:
    """Near zero log(1 + x) knows x to an absolute rounding only; a step of Newton's method knows the rest of it."""
    rough = log(x + 1.0)
    grown = _expm1(rough)
    return select(abs(x) < 0.5, rough - (grown - x) / (grown + 1.0), rough)


def _log2(x: Any) -> Any:
    return log(x) / _LN2


def _log10(x: Any) -> Any:
    return log(x) / math.log(10)


def _exp2(x: Any) -> Any:
    return 2.0**x


def _cbrt(x: Any) -> Any:
    """The power 1/3, which is no double, and a step of Newton's method."""
    size = abs(x)
    rough = size ** (1.0 / 3.0)
    root = rough - (rough - size / (rough * rough)) / 3.0
    return select(size > 0.0, sign(x) * root, x)


def _arcsinh(x: Any) -> Any:
    size = abs(x)
    near = _log1p(size + size * size / (sqrt(size * size + 1.0) + 1.0))
    return sign(x) * select(size < _LARGE, near, log(size) + _LN2)


def _arccosh(x: Any) -> Any:
    beyond = x - 1.0
    near = _log1p(beyond + sqrt(beyond * (x + 1.0)))
    return select(x < _LARGE, near, log(x) + _LN2)


def _arctanh(x: Any) -> Any:
    size = abs(x)
    return 0.5 * sign(x) * _log1p(2.0 * size / (1.0 - size))


# -- choices -----------------------------------------------------------------------------------------------------------
def _heaviside(x: Any, at_zero: Any) -> Any:
    return select(x < 0.0, 0.0, select(x > 0.0, 1.0, at_zero))


def _clip(x: Any, low: Any = None, high: Any = None) -> Any:
    x = x if low is None else maximum(x, low)
    return x if high is None else minimum(x, high)


def _copysign(x: Any, of: Any) -> Any:
    return select(of < 0.0, -abs(x), abs(x))


def _hypot(a: Any, b: Any) -> Any:
    return sqrt(a * a + b * b)


def _less(a: Any, b: Any) -> Any:
    return plain(a) < plain(b)


def _at_most(a: Any, b: Any) -> Any:
    return plain(a) <= plain(b)


def _condition(x: Any) -> Any:
    """A traced condition, or true or false; a number has no truth that could be traced."""
    if type(x) is Expr and x.op not in BOOLEAN:
        raise TraceError(f"{x!r} is a traced number, not a condition: compare it, as in {x!r} > 0")
    return x if type(x) is Expr else bool(x)


def _both(a: Any, b: Any) -> Any:
    a, b = _condition(a), _condition(b)
    return node(AND, a, b) if type(a) is type(b) is Expr else (b if a is True else a if b is True else False)


def _either(a: Any, b: Any) -> Any:
    a, b = _condition(a), _condition(b)
    return node(OR, a, b) if type(a) is type(b) is Expr else (b if a is False else a if b is False else True)


def _not(a: Any) -> Any:
    a = _condition(a)
    return node(NOT, a) if type(a) is Expr else not a


ONE_ARGUMENT: dict[str, Callable[[Any], Any]] = {
    "floor": floor, "ceil": _ceil, "trunc": _trunc, "rint": _rint, "fabs": lambda x: abs(x),
    "expm1": _expm1, "log1p": _log1p, "log2": _log2, "log10": _log10, "exp2": _exp2, "cbrt": _cbrt,
    "arcsinh": _arcsinh, "arccosh": _arccosh, "arctanh": _arctanh,
    "deg2rad": lambda x: x * (math.pi / 180.0), "radians": lambda x: x * (math.pi / 180.0),
    "rad2deg": lambda x: x * (180.0 / math.pi), "degrees": lambda x: x * (180.0 / math.pi),
}  # fmt: skip
"""Functions that NumPy calls by name on the elements of arrays."""

for _name, _method in {**ONE_ARGUMENT, "hypot": _hypot, "fmod": fmod, "clip": _clip}.items():
    setattr(Expr, _name, _method)

_UFUNCS: dict[np.ufunc, Callable[..., Any]] = {
    **{getattr(np, name): f for name, f in ONE_ARGUMENT.items()},
    np.sign: sign, np.arctan2: atan2, np.hypot: _hypot, np.heaviside: _heaviside, np.copysign: _copysign,
    np.maximum: maximum, np.minimum: minimum, np.fmod: fmod, np.mod: _mod, np.floor_divide: _floor_divide,
    np.less: _less, np.greater: lambda a, b: _less(b, a),
    np.less_equal: _at_most, np.greater_equal: lambda a, b: _at_most(b, a),
    np.logical_and: _both, np.logical_or: _either, np.logical_not: _not,
    np.float_power: lambda a, b: plain(a) ** plain(b),
}  # fmt: skip
"""Beside those that NumPy computes on any objects: sums, products, powers, and what `Expr` has methods for."""


# -- functions that are not of one element each -------------------------------------------------------------------------
def _where(condition: Any, yes: Any, no: Any) -> Any:
    return _each(lambda c, a, b: select(_condition(c), a, b), condition, yes, no)


def _select(conditions: Any, choices: Any, default: Any = 0.0) -> Any:
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        default = _where(condition, choice, default)
    return default


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    """Between samples a straight line; before the first and after the last `left` and `right`, else their values."""
    from dalembert.trace.table import Table

    at, of = np.asarray(xp), np.asarray(fp)
    if at.dtype == object or of.dtype == object or at.ndim != 1 or at.shape != of.shape:
        raise TraceError("np.interp of a traced value takes xp and fp of numbers, as many of the one as of the other")
    first, last = float(of[0]) if left is None else left, float(of[-1]) if right is None else right
    inside = Table(at, of, "linear", outside="hold")(x) if len(at) > 1 else float(of[0])
    return select(x < float(at[0]), first, select(float(at[-1]) < x, last, inside))


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where,
    np.select: _select,
    np.interp: lambda x, xp, fp, left=None, right=None: _each(lambda one: _interp(one, xp, fp, left, right), x),
    np.clip: lambda a, a_min=None, a_max=None: _each(_clip, a, a_min, a_max),
}
"""Functions of NumPy that handle traced values among their arguments."""

SUPPORTED = tuple(
    sorted(
        {
            *(f.__name__ for f in _UFUNCS),
            *("where", "select", "interp", "clip", "absolute", "add", "cos", "cosh", "cross", "divide", "dot", "exp"),
            *("linalg.norm", "log", "multiply", "negative", "power", "reciprocal", "sin", "sinh", "sqrt", "square"),
            *("subtract", "sum", "tan", "tanh", "arcsin", "arccos", "arctan"),
        }
    )
)
"""Names of NumPy's functions that traced values take."""


def of_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """`ufunc` of arguments of which one at least is a traced value."""
    rule = _UFUNCS.get(ufunc) if method == "__call__" and not options else None
    if rule is not None:
        return _each(rule, *inputs)
    try:
        return _opened(getattr(ufunc, method)(*_in_arrays(inputs), **options))
    except (TraceError, TypeError) as problem:
        raise unsupported(ufunc.__name__) from problem


def of_function(function: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Another of NumPy's functions, of arguments of which one at least is a traced value."""
    try:
        if function in _FUNCTIONS:
            return _FUNCTIONS[function](*arguments, **options)
    except TypeError as problem:  # called in a way that is not known here
        raise unsupported(function.__name__) from problem
    try:
        return _opened(function(*_in_arrays(arguments), **dict(zip(options, _in_arrays(options.values())))))
    except (TraceError, TypeError, ValueError, AttributeError) as problem:
        raise unsupported(function.__name__) from problem


def unsupported(name: str) -> TraceError:
    return TraceError(
        f"{name} cannot be traced in this way. Of NumPy's functions, traced values take {', '.join(SUPPORTED)}; "
        "arrays of them take those that do not compare"
    )


def _each(rule: Callable[..., Any], *arguments: Any) -> Any:
    """The rule on numbers, or on every element of arrays."""
    if not any(isinstance(x, (np.ndarray, list, tuple)) and np.ndim(x) for x in arguments):
        return rule(*(x.item() if isinstance(x, (np.ndarray, np.generic)) else x for x in arguments))
    return np.frompyfunc(rule, len(arguments), 1)(*_in_arrays(arguments))


def _in_arrays(values: Iterable[Any]) -> list[Any]:
    """Traced values, also those within lists, as arrays of no dimension, which NumPy takes as objects."""
    return [boxed(x) if type(x) is Expr else _in_arrays(x) if type(x) in (list, tuple) else x for x in values]


def _opened(x: Any) -> Any:
    return x.item() if isinstance(x, np.ndarray) and x.ndim == 0 else x
