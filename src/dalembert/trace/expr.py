"""`Expr`: a scalar that remembers how it was computed.

Nodes are hash-consed (the same operation on the same arguments is the same object), constants are folded and 0, ±1 eliminated
while the graph is built, so that ordinary numerical code run on `Expr` instead of `float` leaves a compact graph behind.
A node's arguments are other nodes or plain floats.
"""

from __future__ import annotations

import gc
import itertools
import math
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias, cast, final

import numpy as np

from dalembert.errors import TraceError
from dalembert.trace.operands import base_of, boxed, elementwise, exact, integer_power, multiple_of

from dalembert.trace.ops import (  # isort: skip
    ABS, ACOS, ADD, AND, ASIN, ATAN, ATAN2, COS, COSH, DIV, EXP, FLOOR, LE, LOG, LT, MUL, NEG, NOT, OR, POW,
    SIGN, SIN, SINH, SQRT, SUB, SYMBOL, TAN, TANH, Op,
)  # fmt: skip

Scalar: TypeAlias = "float | Expr"
"""A float or an `Expr`."""
_OPERANDS = (int, float, np.generic, np.ndarray)
"""What % and // may stand beside, besides an `Expr`."""
_UFUNC: Any = np
"""NumPy's functions, which hand a traced value to `__array_ufunc__`."""
_ARITHMETIC = frozenset({np.add, np.subtract, np.multiply, np.divide})
"""What NumPy does on any objects, element by element."""


def _function(op: Op) -> Callable[[Any], Any]:
    def of(x: Expr) -> Expr:
        return node(op, x)

    of.__name__ = op.name
    return of


@final
class Expr:
    """A node of the expression graph. Arithmetic and NumPy's functions on it build further nodes."""

    __slots__ = ("args", "op", "serial")
    op: Op
    args: tuple[Any, ...]
    serial: int

    def __reduce__(self) -> tuple[Any, ...]:
        """Made again node by node, so that it is the one there is. An integer among the arguments is the number of another node."""
        from dalembert.trace.graph import as_rows, from_rows

        return from_rows, (as_rows(self),)

    # -- arithmetic: Expr arguments first in creation order, a float last, signs outside products ----------------------
    def __add__(self, other: Any) -> Any:
        if type(other) is not Expr:
            if isinstance(other, (int, float)):
                return self if other == 0 else _add_constant(self, float(other))
            return elementwise(ADD, self, other)
        if other.op is NEG:
            return self - other.args[0]
        if self.op is NEG:
            return other - self.args[0]
        if base_of(self) is base_of(other) and exact(multiple_of(self), multiple_of(other)):
            return _times_constant(base_of(self), multiple_of(self) + multiple_of(other))
        return node(ADD, self, other) if _in_order(self, other) else node(ADD, other, self)

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __sub__(self, other: Any) -> Any:
        if type(other) is not Expr:
            if isinstance(other, (int, float)):
                return self if other == 0 else _add_constant(self, -float(other))
            return elementwise(SUB, self, other)
        if self is other:
            return 0.0
        if other.op is NEG:
            return self + other.args[0]
        if self.op is NEG:
            return -(self.args[0] + other)
        if base_of(self) is base_of(other) and exact(multiple_of(self), -multiple_of(other)):
            return _times_constant(base_of(self), multiple_of(self) - multiple_of(other))
        return node(SUB, self, other)

    def __rsub__(self, other: Any) -> Any:
        if not isinstance(other, (int, float)):
            return elementwise(SUB, other, self)
        if other == 0:
            return -self
        return self.args[0] + other if self.op is NEG else node(SUB, float(other), self)

    def __neg__(self) -> Any:
        if self.op is NEG:
            return self.args[0]
        if self.op is SUB:
            first, second = self.args
            return second - first
        return node(NEG, self)

    def __pos__(self) -> Expr:
        return self

    def __mul__(self, other: Any) -> Any:
        if type(other) is not Expr:
            if isinstance(other, (int, float)):
                return _times_constant(self, float(other))
            return elementwise(MUL, self, other)
        if other.op is NEG:
            return -(self * other.args[0])
        if self.op is NEG:
            return -(self.args[0] * other)
        return node(MUL, self, other) if _in_order(self, other) else node(MUL, other, self)

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __truediv__(self, other: Any) -> Any:
        if type(other) is not Expr:
            if isinstance(other, (int, float)):
                if other == 0:
                    raise ZeroDivisionError("a traced value is divided by the constant 0")
                return _times_constant(self, 1.0 / float(other))
            return elementwise(DIV, self, other)
        if self is other:
            return 1.0
        if other.op is NEG:
            return -(self / other.args[0])
        return -(self.args[0] / other) if self.op is NEG else node(DIV, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        if not isinstance(other, (int, float)):
            return elementwise(DIV, other, self)
        if other == 0:
            return 0.0
        if self.op is NEG:
            return -(other / self.args[0])
        return -node(DIV, -float(other), self) if other < 0 else node(DIV, float(other), self)

    def __pow__(self, exponent: Any) -> Any:
        if type(exponent) is not Expr:
            if not isinstance(exponent, (int, float)):
                return elementwise(POW, self, exponent)
            if abs(exponent) <= 16 and exponent == int(exponent):
                return integer_power(self, int(exponent))
            if exponent == 0.5:
                return self.sqrt()
        return node(POW, self, plain(exponent))

    def __rpow__(self, base: Any) -> Any:
        return node(POW, plain(base), self) if isinstance(base, (int, float)) else elementwise(POW, base, self)

    def __abs__(self) -> Any:
        if self.op is NEG:
            return abs(self.args[0])
        return self if self.op in (ABS, SQRT) else node(ABS, self)

    # -- comparisons give traced conditions, for `select` --------------------------------------------------------------
    def __lt__(self, other: Any) -> Any:
        return node(LT, self, plain(other))

    def __gt__(self, other: Any) -> Any:
        return node(LT, plain(other), self)

    def __le__(self, other: Any) -> Any:
        return node(LE, self, plain(other))

    def __ge__(self, other: Any) -> Any:
        return node(LE, plain(other), self)

    def __and__(self, other: Any) -> Any:
        if type(other) is Expr:
            return node(AND, self, other)
        return self if other else False

    def __or__(self, other: Any) -> Any:
        if type(other) is Expr:
            return node(OR, self, other)
        return True if other else self

    __rand__, __ror__ = __and__, __or__

    def __invert__(self) -> Any:
        return node(NOT, self)

    def __bool__(self) -> bool:
        raise TraceError(
            "a traced value has no truth value while the equations are being written: "
            "use da.select(condition, a, b) instead of `if`, and da.minimum/da.maximum instead of min/max"
        )

    def __float__(self) -> float:
        from dalembert.trace.numpy_calls import SUPPORTED

        raise TraceError(
            f"{self!r} is a traced value, not a number: use dalembert's functions on it, or these of NumPy's: "
            f"{', '.join(SUPPORTED)}"
        )

    def __floor__(self) -> Any:
        return node(FLOOR, self)

    def __ceil__(self) -> Any:
        return -node(FLOOR, -self)

    def __trunc__(self) -> Any:
        return _UFUNC.trunc(self)

    def __mod__(self, other: Any) -> Any:
        return _UFUNC.mod(self, other) if isinstance(other, (Expr, *_OPERANDS)) else NotImplemented

    def __rmod__(self, other: Any) -> Any:
        return _UFUNC.mod(other, self) if isinstance(other, (Expr, *_OPERANDS)) else NotImplemented

    def __floordiv__(self, other: Any) -> Any:
        return _UFUNC.floor_divide(self, other) if isinstance(other, (Expr, *_OPERANDS)) else NotImplemented

    def __rfloordiv__(self, other: Any) -> Any:
        return _UFUNC.floor_divide(other, self) if isinstance(other, (Expr, *_OPERANDS)) else NotImplemented

    # -- NumPy asks these where an argument is a traced value ----------------------------------------------------------
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if ufunc in _ARITHMETIC and method == "__call__" and not options:
            return ufunc(*[boxed(x) if type(x) is Expr else x for x in inputs])
        from dalembert.trace.numpy_calls import of_ufunc

        return of_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        from dalembert.trace.numpy_calls import of_function

        return of_function(function, arguments, options)

    # -- NumPy calls these by name on object arrays --------------------------------------------------------------------
    def sin(self) -> Expr:
        return -node(SIN, self.args[0]) if self.op is NEG else node(SIN, self)

    def cos(self) -> Expr:
        return node(COS, self.args[0]) if self.op is NEG else node(COS, self)

    def arctan2(self, other: Scalar) -> Expr:
        return node(ATAN2, self, plain(other))

    tan, arcsin, arccos, arctan = map(_function, (TAN, ASIN, ACOS, ATAN))
    sinh, cosh, tanh = map(_function, (SINH, COSH, TANH))
    exp, log, sqrt, sign = map(_function, (EXP, LOG, SQRT, SIGN))

    @property
    def name(self) -> str:
        """A symbol's name."""
        if self.op is not SYMBOL:
            raise TraceError(f"only a symbol has a name; this is {self!r}")
        return cast(str, self.args[0])

    @property
    def operands(self) -> tuple[Expr, ...]:
        """The arguments that are nodes."""
        return tuple(a for a in self.args if type(a) is Expr)

    def __copy__(self) -> Expr:
        return self

    def __deepcopy__(self, memo: Any) -> Expr:
        return self  # a copy would be another node, and no symbol's value would reach it

    def __repr__(self) -> str:
        from dalembert.trace.text.python import expression_text

        return expression_text(self)


# -- interning ---------------------------------------------------------------------------------------------------------
_new = object.__new__
_serials = itertools.count()
_one_thread = threading.RLock()
"""Threads trace one after the other."""
_symbols: dict[str, Expr] = {}


class Nodes(defaultdict[Op, dict[tuple[Any, ...], Expr]]):
    """Nodes by operation and arguments."""

    def __init__(self) -> None:
        super().__init__(dict)


_nodes = Nodes()


def node(op: Op, *args: Any) -> Expr:
    """The one node for this operation on these arguments."""
    table = _nodes[op]  # one table per operation, so that `args` is key and content at once
    found = table.get(args)
    if found is None:
        found = table[args] = _new(Expr)
        found.op, found.args, found.serial = op, args, next(_serials)
    return found


def _in_order(a: Expr, b: Expr) -> bool:
    """Whether operands that may change places stand as they do in every process: symbols first, by name, then nodes as they were made.
    Symbols outlive every scope, so when one was made says what was asked before, and rounding would hang on that.
    """
    if a.op is SYMBOL:
        return b.op is not SYMBOL or a.args[0] <= b.args[0]
    return b.op is not SYMBOL and a.serial <= b.serial


def symbol(name: str) -> Expr:
    """The symbol of this name; symbols of one name are one object everywhere."""
    found = _symbols.get(name)
    if found is None:
        found = _symbols[name] = _new(Expr)
        found.op, found.args, found.serial = SYMBOL, (name,), next(_serials)
    return found


def unshared_symbol(name: str) -> Expr:
    """Another symbol of this name, no one's but the caller's: it is newer than all there are."""
    made = _new(Expr)
    made.op, made.args, made.serial = SYMBOL, (name,), next(_serials)
    return made


def symbols(prefix: str, names: Any) -> np.ndarray:
    """An object array of symbols `prefix + name`."""
    out = np.empty(len(names), dtype=object)
    out[:] = [symbol(f"{prefix}{n}") for n in names]
    return out


@contextmanager
def tracing(nodes: Nodes | None = None) -> Iterator[None]:
    """A scope with its own table of nodes: what is not returned from it is forgotten when it closes, unless the caller keeps `nodes`
    and opens the scope with them again.

    Python's cyclic collector is off inside: a graph has no cycles, and scanning it over and over costs half the time.
    """
    global _nodes
    with _one_thread:
        outer, _nodes = _nodes, Nodes() if nodes is None else nodes
        collecting = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            _nodes = outer
            if collecting:
                gc.enable()


# -- the rules that need more than a line ------------------------------------------------------------------------------
_SMALLEST = sys.float_info.min


def _add_constant(x: Expr, c: float) -> Any:
    if x.op is ADD and type(x.args[1]) is float:
        x, c = x.args[0], x.args[1] + c
    elif x.op is NEG:
        return node(SUB, c, x.args[0])
    return x if c == 0.0 else node(ADD, x, c)


def _times_constant(x: Expr, c: float) -> Any:
    if c == 0.0:
        return 0.0
    if c < 0.0:
        return -_times_constant(x, -c)
    if x.op is NEG:
        return -_times_constant(x.args[0], c)
    if x.op is MUL and type(x.args[1]) is float and _SMALLEST <= x.args[1] * c < math.inf:
        x, c = x.args[0], x.args[1] * c
    return x if c == 1.0 else node(MUL, x, c)


def plain(x: Any) -> Expr | float:
    """As an argument of a node: an Expr, or a float whose zero has no sign (0.0 and −0.0 would be one key)."""
    return x if type(x) is Expr else float(x) + 0.0
