"""Random expression graphs of every operation, each kept inside its domain and near 1, so that all values compare well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from dalembert.trace import (
    Expr,
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    exp,
    floor,
    fmod,
    log,
    maximum,
    minimum,
    ops,
    select,
    sign,
    sin,
    sinh,
    sqrt,
    symbols,
    tan,
    tanh,
)

X = symbols("x", ["0", "1", "2", "_A.e0"])
"""The symbols all random graphs are made of."""

STEPS: dict[ops.Op, Callable[..., Any]] = {
    ops.ADD: lambda a, b, c: a + b,
    ops.SUB: lambda a, b, c: a - b,
    ops.NEG: lambda a, b, c: -a,
    ops.MUL: lambda a, b, c: a * sin(b),
    ops.DIV: lambda a, b, c: a / (b * b + 1.0),
    ops.POW: lambda a, b, c: (a * a + 0.5) ** tanh(b) + (b * b + 0.5) ** -1.3 + 0.7 ** sin(a),
    ops.SQRT: lambda a, b, c: sqrt(a * a + 0.3),
    ops.EXP: lambda a, b, c: exp(sin(a)),
    ops.LOG: lambda a, b, c: log(a * a + 0.4),
    ops.ABS: lambda a, b, c: abs(a),
    ops.SIGN: lambda a, b, c: sign(a) * b,
    ops.FLOOR: lambda a, b, c: floor(3.0 * a) * b,
    ops.FMOD: lambda a, b, c: fmod(a, 0.7) + fmod(1.3, b * b + 0.5),
    ops.SIN: lambda a, b, c: sin(a),
    ops.COS: lambda a, b, c: cos(a),
    ops.TAN: lambda a, b, c: tan(tanh(a)),
    ops.ASIN: lambda a, b, c: asin(0.9 * sin(a)),
    ops.ACOS: lambda a, b, c: acos(0.9 * sin(a)),
    ops.ATAN: lambda a, b, c: atan(a),
    ops.ATAN2: lambda a, b, c: atan2(a, b * b + 0.5) + atan2(0.4, a),
    ops.SINH: lambda a, b, c: sinh(cos(a)),
    ops.COSH: lambda a, b, c: cosh(sin(a)),
    ops.TANH: lambda a, b, c: tanh(a),
    ops.MIN: lambda a, b, c: minimum(a, b) - minimum(b, 0.3),
    ops.MAX: lambda a, b, c: maximum(a, b) - maximum(0.2, b),
    ops.LT: lambda a, b, c: select(a < b, c, 0.25),
    ops.LE: lambda a, b, c: select(a <= b, c, -c),
    ops.AND: lambda a, b, c: select((a < 0.5) & (b < c), a, b),
    ops.OR: lambda a, b, c: select((a < -0.5) | (b <= c), a, c),
    ops.NOT: lambda a, b, c: select(~((a < b) | (c < a)), b, a * 0.5),
    ops.SELECT: lambda a, b, c: select(
        a < 0.1, sqrt(0.1 - a), log(a + 0.9)
    ),  # each branch outside its domain in the other
}
"""One way to use each operation, on any three values."""

_step = st.tuples(st.sampled_from(list(STEPS)), *(st.integers(0, 50) for _ in range(3)))


@st.composite
def graphs(draw: st.DrawFn, min_steps: int = 3, max_steps: int = 20, outputs: int = 3) -> list[Any]:
    """A few outputs that share parts: expressions, now and then a constant or a symbol."""
    pool: list[Any] = list(X)
    for op, *chosen in draw(st.lists(_step, min_size=min_steps, max_size=max_steps)):
        arguments = [pool[-1 - k % len(pool)] for k in chosen]
        made = STEPS[op](*(x if type(x) is Expr else X[0] for x in arguments))
        pool.append(made)
    return pool[-outputs:]


@st.composite
def values(draw: st.DrawFn) -> dict[Expr, float]:
    """A generic value for every symbol: no ties, no kinks."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return dict(zip(X, rng.uniform(-1.5, 1.5, len(X)).tolist()))
