"""The operations a traced scalar may be made of: name, kind (for counting) and value on floats.

A new operation is one line here, one derivative rule in `derivatives.py`, and one entry in each printer.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False, slots=True)
class Op:
    """One operation. `kind` is the heading under which it is counted; `value` computes it on floats or arrays."""

    name: str
    kind: str
    value: Callable[..., Any]

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str:
        """Pickled as the constant of this module that it is."""
        return self.name.upper()


def _either(scalar: Callable[..., float], array: Callable[..., Any]) -> Callable[..., Any]:
    """Python's function on floats (fast), NumPy's on arrays and where Python's would raise: there it gives nan or inf."""

    def value(*args: Any) -> Any:
        if not any(isinstance(x, np.ndarray) for x in args):
            try:
                return scalar(*args)
            except (ValueError, ArithmeticError):
                pass
        return array(*args)

    return value


def _select(condition: Any, yes: Any, no: Any) -> Any:
    return np.where(condition, yes, no) if isinstance(condition, np.ndarray) else (yes if condition else no)


SYMBOL = Op("symbol", "symbol", lambda name: name)

ADD = Op("add", "additions", operator.add)
SUB = Op("sub", "additions", operator.sub)
NEG = Op("neg", "additions", operator.neg)
MUL = Op("mul", "multiplications", operator.mul)
DIV = Op("div", "divisions", _either(operator.truediv, np.divide))
POW = Op("pow", "other", _either(math.pow, np.power))
SQRT = Op("sqrt", "other", _either(math.sqrt, np.sqrt))
EXP = Op("exp", "other", _either(math.exp, np.exp))
LOG = Op("log", "other", _either(math.log, np.log))
ABS = Op("abs", "other", abs)
FLOOR = Op("floor", "other", _either(lambda x: float(math.floor(x)) or 0.0 * x, np.floor))
FMOD = Op("fmod", "other", _either(math.fmod, np.fmod))
SIGN = Op("sign", "other", lambda x: np.sign(x) * 1.0)

SIN = Op("sin", "trigonometric", _either(math.sin, np.sin))
COS = Op("cos", "trigonometric", _either(math.cos, np.cos))
TAN = Op("tan", "trigonometric", _either(math.tan, np.tan))
ASIN = Op("asin", "trigonometric", _either(math.asin, np.arcsin))
ACOS = Op("acos", "trigonometric", _either(math.acos, np.arccos))
ATAN = Op("atan", "trigonometric", _either(math.atan, np.arctan))
ATAN2 = Op("atan2", "trigonometric", lambda y, x: np.arctan2(y, x))
SINH = Op("sinh", "other", _either(math.sinh, np.sinh))
COSH = Op("cosh", "other", _either(math.cosh, np.cosh))
TANH = Op("tanh", "other", _either(math.tanh, np.tanh))

MIN = Op("min", "other", np.minimum)
MAX = Op("max", "other", np.maximum)
LT = Op("lt", "other", operator.lt)
LE = Op("le", "other", operator.le)
AND = Op("and", "other", np.logical_and)
OR = Op("or", "other", np.logical_or)
NOT = Op("not", "other", np.logical_not)
SELECT = Op("select", "other", _select)

COMMUTATIVE = frozenset({ADD, MUL})
"""Operations whose arguments stand in the order in which they were made in this process."""

BOOLEAN = frozenset({LT, LE, AND, OR, NOT})
"""Operations whose value is true or false; only `select` and each other may take them."""
