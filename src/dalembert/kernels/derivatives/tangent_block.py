"""The tangent of straight-line code: how its outputs change along a direction of its inputs."""

from __future__ import annotations

from dalembert.trace import directional, free_symbols, symbol
from dalembert.trace.native import Array, Block, Output

STEADY = frozenset({"K", "t"})
"""Arrays without a direction: constants, and time."""


def tangent(block: Block) -> Block:
    """The block that reads a direction d<array> beside each array and writes the outputs' rates along it."""
    arrays = [a for a in block.arrays if a.name not in STEADY]
    moving = {s: symbol(f"#d {s.name}") for s, (array, _) in block.inputs.items() if array not in STEADY}
    rates = directional([o.value for o in block.outputs], moving)
    outputs = [Output(rate, f"d{o.array}", o.index, o.add) for rate, o in zip(rates, block.outputs)]
    used = free_symbols(rates)
    places = dict(block.inputs) | {d: (f"d{block.inputs[s][0]}", block.inputs[s][1]) for s, d in moving.items()}
    return Block(
        f"d_{block.name}",
        [*block.arrays, *(Array(f"d{a.name}") for a in arrays)],
        {s: places[s] for s in used},
        outputs,
    )
