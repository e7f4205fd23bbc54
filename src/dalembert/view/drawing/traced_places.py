"""Points of a drawing that remember the expressions of parameters they came from, so that the page can move what stands there.

All decisions (what is drawn, how thick) are made with numbers, once; only places, lengths and sizes follow the parameters later.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.trace import Expr
from dalembert.vectors import Vector


class TracedPlace(np.ndarray):
    """Three numbers, with expressions for them. What is computed from it is numbers alone."""

    expression: Any = None


def place(numbers: Any, expression: Any) -> Vector:
    """The numbers, remembering the expressions if there are any."""
    made = np.asarray(numbers, dtype=float)
    if not has_symbols(expression):
        return made
    remembering = made.view(TracedPlace)
    remembering.expression = np.asarray(expression, dtype=object)
    return remembering


def expression_of(x: Any) -> np.ndarray:
    """What a point came from; itself, where it is numbers alone."""
    found = getattr(x, "expression", None)
    return np.asarray(x, dtype=float) if found is None else found


def has_symbols(values: Any) -> bool:
    return any(type(x) is Expr for x in np.ravel(np.asarray(values, dtype=object)))
