"""A short text that differs whenever two computations or descriptions differ: the key under which machine code is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.trace import ops
from dalembert.trace.expr import Expr
from dalembert.trace.graph import flatten, ordered


def fingerprint(*parts: Any, places: Mapping[Expr, str] | None = None) -> str:
    """Of numbers, texts, arrays and expressions in nested lists. Symbols count by name, or as `places` calls them."""
    digest = hashlib.sha256()
    for part in parts:
        _feed(digest, part, places or {})
    return digest.hexdigest()


def _feed(digest: Any, part: Any, places: Mapping[Expr, str]) -> None:
    if isinstance(part, np.ndarray) and part.dtype != object:
        digest.update(f"{part.shape}{part.dtype}".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    elif isinstance(part, (list, tuple)) and not any(isinstance(x, Expr) for x in part):
        digest.update(f"({len(part)}".encode())
        for x in part:
            _feed(digest, x, places)
    elif isinstance(part, (list, tuple, np.ndarray, Expr)):
        _feed_expressions(digest, flatten(part), places)
    else:
        digest.update(f"{type(part).__name__}:{part!r};".encode())


def _feed_expressions(digest: Any, outputs: list[Any], places: Mapping[Expr, str]) -> None:
    """Every node by its operation and the numbers of its arguments, so that equal graphs give equal text."""
    number: dict[Expr, int] = {}
    for e in ordered(outputs):
        number[e] = len(number)
        if e.op is ops.SYMBOL:
            digest.update(f"{places.get(e, e.name)};".encode())
        else:
            digest.update((e.op.name + " " + " ".join(_argument(a, number) for a in e.args) + ";").encode())
    digest.update(f"[{len(outputs)}]".encode() + " ".join(_argument(x, number) for x in outputs).encode())


def _argument(a: Any, number: dict[Expr, int]) -> str:
    return f"#{number[a]}" if type(a) is Expr else float(a).hex() if isinstance(a, (int, float)) else repr(a)
