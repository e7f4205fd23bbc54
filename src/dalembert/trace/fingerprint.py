"""A short text that differs whenever two computations or descriptions differ: what a saved motion or a checkpoint belongs to."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from dalembert.trace import ops
from dalembert.trace.expr import Expr
from dalembert.trace.graph import flatten, ordered


def fingerprint(*parts: Any) -> str:
    """A hash of numbers, texts, arrays and expressions in nested lists. Symbols count by name."""
    digest = hashlib.sha256()
    for part in parts:
        _feed(digest, part)
    return digest.hexdigest()


def _feed(digest: Any, part: Any) -> None:
    if isinstance(part, np.ndarray) and part.dtype != object:
        digest.update(f"{part.shape}{part.dtype}".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    elif isinstance(part, (list, tuple)) and not any(isinstance(x, Expr) for x in part):
        digest.update(f"({len(part)}".encode())
        for x in part:
            _feed(digest, x)
    elif isinstance(part, (list, tuple, np.ndarray, Expr)):
        _feed_expressions(digest, flatten(part))
    else:
        digest.update(f"{type(part).__name__}:{part!r};".encode())


def _feed_expressions(digest: Any, outputs: list[Any]) -> None:
    """Every node by its operation and its arguments' digests, so that equal graphs give equal text.

    Arguments that may change places are sorted: their order in the graph depends on which was made first in this process.
    """
    known: dict[Expr, bytes] = {}
    for e in ordered(outputs):
        if e.op is ops.SYMBOL:
            text = b"symbol " + e.name.encode()
        else:
            parts = [_argument(a, known) for a in e.args]
            text = e.op.name.encode() + b" " + b" ".join(sorted(parts) if e.op in ops.COMMUTATIVE else parts)
        known[e] = hashlib.blake2b(text, digest_size=16).digest()
    digest.update(f"[{len(outputs)}]".encode() + b" ".join(_argument(x, known) for x in outputs))


def _argument(a: Any, known: dict[Expr, bytes]) -> bytes:
    if type(a) is Expr:
        return known[a]
    return (float(a).hex() if isinstance(a, (int, float)) else repr(a)).encode()
