"""The functions and constants an expression may use. To add one: a line here."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dalembert.trace import scalar_functions as f

FUNCTIONS: dict[str, tuple[Callable[..., Any], int]] = {
    "sin": (f.sin, 1),
    "cos": (f.cos, 1),
    "tan": (f.tan, 1),
    "asin": (f.asin, 1),
    "acos": (f.acos, 1),
    "atan": (f.atan, 1),
    "atan2": (f.atan2, 2),
    "sinh": (f.sinh, 1),
    "cosh": (f.cosh, 1),
    "tanh": (f.tanh, 1),
    "exp": (f.exp, 1),
    "log": (f.log, 1),
    "sqrt": (f.sqrt, 1),
    "abs": (abs, 1),
    "sign": (f.sign, 1),
    "floor": (f.floor, 1),
    "fmod": (f.fmod, 2),
    "min": (f.minimum, 2),
    "max": (f.maximum, 2),
    "select": (f.select, 3),
}
"""Name → (function, number of arguments). `select(condition, a, b)` is a where the condition holds, else b."""

CONSTANTS = {"pi": math.pi, "deg": math.pi / 180.0}
"""`30*deg` is 30 degrees in radians."""
