"""What the arithmetic of `Expr` needs that makes no nodes: multiples, exact sums, powers, and arrays to loop over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.trace.ops import MUL, Op

if TYPE_CHECKING:
    from dalembert.trace.expr import Expr, Scalar


def base_of(x: Expr) -> Expr:
    """What a constant multiple is a multiple of."""
    return x.args[0] if x.op is MUL and type(x.args[1]) is float else x


def multiple_of(x: Expr) -> float:
    return x.args[1] if x.op is MUL and type(x.args[1]) is float else 1.0


def exact(a: float, b: float) -> bool:
    """Whether a + b is a number without rounding: multiples that only nearly cancel are left as they are, to be seen."""
    total = a + b
    return total - a == b and total - b == a


def integer_power(x: Scalar, n: int) -> Scalar:
    if n < 0:
        return 1.0 / integer_power(x, -n)
    if n == 0:
        return 1.0
    half = integer_power(x, n // 2)
    square = half * half
    return square * x if n % 2 else square


def elementwise(op: Op, a: Any, b: Any) -> Any:
    """Expr with an array: let NumPy loop; anything else is not a number."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        wrapped = [x if isinstance(x, np.ndarray) else boxed(x) for x in (a, b)]
        return op.value(*wrapped)
    return NotImplemented


def boxed(x: Any) -> np.ndarray:
    """As an array of no dimension, which NumPy takes as an object."""
    box = np.empty((), dtype=object)
    box[()] = x
    return box
