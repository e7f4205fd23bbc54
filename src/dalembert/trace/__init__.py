"""Scalars that remember how they were computed, their derivatives and their text. Knows nothing of mechanics."""

from dalembert.trace import numpy_calls as numpy_calls
from dalembert.trace.derivatives import directional, gradient, jacobian
from dalembert.trace.expr import Expr, Nodes, Scalar, node, symbol, symbols, tracing
from dalembert.trace.graph import (
    Operations,
    count_operations,
    depends_on,
    evaluate,
    free_symbols,
    ordered,
    substitute,
)
from dalembert.trace.numeric_function import NumericFunction
from dalembert.trace.scalar_functions import (
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
    select,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)  # fmt: skip

__all__ = [
    "Expr", "Nodes", "NumericFunction", "Operations", "Scalar", "acos", "asin", "atan", "atan2", "cos", "cosh",
    "count_operations", "depends_on", "directional", "evaluate", "exp", "floor", "fmod", "free_symbols", "gradient",
    "jacobian", "log", "maximum", "minimum", "node", "ordered", "select", "sign", "sin", "sinh", "sqrt",
    "substitute", "symbol", "symbols", "tan", "tanh", "tracing",
]  # fmt: skip
