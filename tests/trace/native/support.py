"""Compile expressions and run them on samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.trace import Expr
from dalembert.trace.native import Array, Block, Module, Output, aligned


def compiled_values(
    outputs: Sequence[Any], samples: Mapping[Expr, Sequence[float]], lanes: int, largest: int = 1000
) -> np.ndarray:
    """The outputs' values, (number of outputs, number of samples), computed by machine code `lanes` samples at a time."""
    symbols = list(samples)
    inputs = {s: ("x", i) for i, s in enumerate(symbols)}
    block = Block("f", [Array("x"), Array("y")], inputs, [Output(v, "y", i) for i, v in enumerate(outputs)])
    module = Module()
    module.block(block, lanes=lanes, largest=largest)
    f = module.compile().f
    given = np.array([samples[s] for s in symbols], dtype=float).reshape(len(symbols), -1)
    count = given.shape[1]
    x, y = aligned((len(symbols), lanes)), aligned((len(outputs), lanes))
    result = np.empty((len(outputs), count))
    for start in range(0, count, lanes):
        part = [min(start + lane, count - 1) for lane in range(lanes)]
        x[:] = given[:, part]
        f(x, y)
        width = min(lanes, count - start)
        result[:, start : start + width] = y[:, :width]
    return result
