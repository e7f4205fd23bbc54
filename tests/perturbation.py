"""Kernels that round otherwise, as those of another processor do: `pytest --perturb SEED`.

Sums and products are taken in another order wherever machine code is written from a graph, and what constraints say on numbers is
off in its last digit. Whatever is decided the other way under some seed hangs on rounding.
"""

from __future__ import annotations

import os
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.trace import Expr
from dalembert.trace.graph import ordered, rebuild
from dalembert.trace.native.block import Block
from dalembert.trace.ops import ADD, MUL, NEG, SUB, SYMBOL

LAST_DIGIT = 2.0**-52


def apply(seed: int) -> None:
    """From now on, in this process; nothing of it is kept on disk."""
    os.environ["DALEMBERT_CACHE_DIR"] = "off"
    _perturb_machine_code(seed)
    _perturb_rows(seed)


def _perturb_machine_code(seed: int) -> None:
    """Each block in an order of its own, the same whenever it is compiled."""
    from dalembert.trace.native import module

    emit = module.emit_block

    def emitted(text: Any, block: Block, *args: Any, **options: Any) -> None:
        ops = "".join(e.op.name for e in ordered([out.value for out in block.outputs if type(out.value) is Expr]))
        emit(text, reassociated(block, np.random.default_rng([seed, zlib.crc32(ops.encode())])), *args, **options)

    module.emit_block = emitted


def _perturb_rows(seed: int) -> None:
    """By amounts that hang on the numbers alone, so that the same question has the same answer."""
    from dalembert.kinematics.constraint_rows import Differentiated

    in_speeds, placed = Differentiated._in_speeds, Differentiated._placed

    def off(x: np.ndarray, size: Any) -> np.ndarray:
        x = np.ascontiguousarray(x, dtype=float)
        rng = np.random.default_rng([seed, zlib.crc32(x.tobytes())])
        return x + size * LAST_DIGIT * rng.integers(-1, 2, x.shape)

    def rows(self: Differentiated, s: Any, C: np.ndarray) -> np.ndarray:
        B = in_speeds(self, s, C)
        return B if s.traced else off(B, np.abs(B))

    def closed(self: Differentiated, s: Any) -> tuple[Any, Any]:
        g, C = placed(self, s)
        return off(np.asarray(g), _rounded_poses(self, s, np.abs(np.asarray(C, dtype=float)))), C

    Differentiated._in_speeds, Differentiated._placed = rows, closed  # type: ignore[method-assign]


def _rounded_poses(d: Any, s: Any, C: np.ndarray) -> np.ndarray:
    """How much a last digit of the bodies' places, of their orientations and of the coordinates makes of each row.

    A row that compares directions is not off by metres: in µm these would be 1e6 times its rounding.
    """
    bodies = np.linalg.norm(C[:, : 6 * len(d.bodies)].reshape(len(C), len(d.bodies), 2, 3), axis=3)
    far = np.array([np.abs(s.poses[k].p).max() for k in d.bodies])
    values = np.abs(np.asarray(s.coordinates, dtype=float)) if s.mechanism.n_q == s.mechanism.n_u else 0.0
    every = [bodies[:, :, 0], bodies[:, :, 1] * far, C[:, 6 * len(d.bodies) :] * values]
    return np.asarray(np.hstack(every).max(axis=1, initial=0.0))


def reassociated(block: Block, rng: np.random.Generator) -> Block:
    """The same block with its sums and products in another order."""
    values = in_another_order([out.value for out in block.outputs], block.inputs, rng)
    return replace(block, outputs=[replace(out, value=x) for out, x in zip(block.outputs, values, strict=True)])


def in_another_order(outputs: list[Any], known: Iterable[Expr], rng: np.random.Generator) -> list[Any]:
    """The outputs rebuilt: a sum of several terms, or a product of several factors, goes through them as the dice fall."""
    leaves = set(known)
    nodes = ordered([x for x in outputs if type(x) is Expr])
    uses = Counter(a for e in nodes for a in e.args if type(a) is Expr)
    uses.update(x for x in outputs if type(x) is Expr)
    new: dict[Any, Any] = {}

    def now(x: Any) -> Any:
        return new[x] if type(x) is Expr else x

    def inner(x: Any, ops: tuple[Any, ...]) -> bool:
        return type(x) is Expr and x.op in ops and uses[x] == 1 and x not in leaves

    def terms(e: Any, sign: int) -> list[tuple[int, Any]]:
        found = []
        for k, a in enumerate(e.args):
            s = -sign if e.op is NEG or (e.op is SUB and k == 1) else sign
            found += terms(a, s) if inner(a, (ADD, SUB, NEG)) else [(s, now(a))]
        return found

    def factors(e: Any) -> list[Any]:
        return [x for a in e.args for x in (factors(a) if inner(a, (MUL,)) else [now(a)])]

    for e in nodes:
        if e.op is SYMBOL or e in leaves:
            new[e] = e
        elif e.op in (ADD, SUB):
            parts = terms(e, 1)
            total: Any = 0.0
            for k in rng.permutation(len(parts)):
                sign, x = parts[k]
                total = total + x if sign > 0 else total - x
            new[e] = total
        elif e.op is MUL:
            parts = factors(e)
            product: Any = 1.0
            for k in rng.permutation(len(parts)):
                product = product * parts[k]
            new[e] = product
        else:
            new[e] = rebuild(e.op, [now(a) for a in e.args])
    return [now(x) for x in outputs]
