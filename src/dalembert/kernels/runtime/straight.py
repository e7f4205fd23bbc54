"""Straight-line code on a kernel's arguments: whole kernels of small mechanisms, and the preparatory parts of large ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dalembert.mechanism import Mechanism
from dalembert.trace import Expr, free_symbols, symbol, symbols
from dalembert.trace.graph import flatten
from dalembert.trace.native import Array, Block, Output, Pointer, UniformPointer

NAMES = ("t", "q", "u", "x", "P", "y", "work")
"""Arguments of every kernel: time, coordinates, speeds, extra input, parameters, output, working memory."""

KERNEL: dict[str, Any] = dict.fromkeys(NAMES, Pointer)
"""Kinds of the arguments of a function that takes a state in each lane."""
ONE_STATE: dict[str, Any] = dict.fromkeys(NAMES, UniformPointer)
"""Kinds of the arguments of a function that takes plain arrays of one state and uses the lanes for something else."""


def extra_input(names: Iterable[Any]) -> np.ndarray:
    """Symbols of a kernel's extra input."""
    return symbols("#x.", names)


def known_symbols(m: Mechanism) -> dict[Expr, tuple[str, int]]:
    """Where the symbols of a state are found among the arguments."""
    known: dict[Expr, tuple[str, int]] = {symbol("t"): ("t", 0)}
    known |= {symbol(name): ("P", i) for i, name in enumerate(m.parameters)}
    known |= {symbol(f"q_{c}"): ("q", i) for i, c in enumerate(m.coordinates)}
    known |= {symbol(f"u_{c}"): ("u", i) for i, c in enumerate(m.speeds)}
    return known


def block(name: str, known: dict[Expr, tuple[str, int]], outputs: list[Output], apart: bool = False) -> Block:
    """A block on the kernel's arguments, reading only what it needs."""
    inputs = {s: known[s] for s in free_symbols([o.value for o in outputs])}
    return Block(name, [Array(argument) for argument in NAMES], inputs, outputs, apart)


def straight_block(m: Mechanism, values: Any, extra: Any) -> Block:
    """The kernel `run` that computes these expressions of the mechanism's state, parameters and extra input.

    Its output must be an array of its own.
    """
    known = known_symbols(m) | {s: ("x", i) for i, s in enumerate(extra)}
    return block("run", known, [Output(value, "y", i) for i, value in enumerate(flatten(values))], apart=True)
