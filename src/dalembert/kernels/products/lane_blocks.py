"""Straight-line code of a state in every lane, with vectors beside it: what products of derivatives are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from dalembert.errors import FormulationError
from dalembert.kernels.runtime.straight import known_symbols
from dalembert.mechanism import Mechanism
from dalembert.trace import Expr, Scalar, directional, free_symbols, gradient, symbol, symbols
from dalembert.trace.native import Array, Block, Output

STATE = ("t", "q", "u", "P")
"""What a state is given by: time, coordinates, speeds, parameters with the states of elements among them."""
DIRECTION = ("dt", "dq", "du", "dP")
"""Arrays of a direction (δt, δq, δu, δp), and of a gradient."""
NOTHING: Mapping[Expr, Expr] = MappingProxyType({})


def check_differentiable(m: Mechanism, what: str) -> None:
    """Refuse, in words, what has no derivatives that are written here."""
    if m.kernels.opaque is not None:
        names = ", ".join(f'"{f}"' for f in m.kernels.opaque.forces)
        raise FormulationError(
            f"{what}: force {names} is a Python function that cannot be traced, so it has no derivatives; write it with da.sin, "
            "da.select and the like"
        )
    if m.laws:
        names = ", ".join(f'"{name}"' for name in m.laws)
        raise FormulationError(
            f"{what} does not go through the events of laws ({names}); m.sensitivities does, and m.without_laws() has none"
        )
    for name, placed in m.elements.items():
        if placed.element.period is not None:
            raise FormulationError(
                f'{what}: element "{name}" is sampled every {placed.element.period:g} s, and jumps at its samples; use it without a '
                "period"
            )


class LaneBlock:
    """Inputs and outputs of one block: the state, further vectors by name, and what is written where."""

    def __init__(self, m: Mechanism, vectors: Mapping[str, int]):
        """`vectors`: arrays beside the state, and how many numbers each has."""
        self.m, self.vectors = m, vectors
        self.known: dict[Expr, tuple[str, int]] = dict(known_symbols(m))
        self._names = list(dict.fromkeys((*STATE, *vectors)))

    def vector(self, name: str) -> np.ndarray:
        """Symbols of a vector."""
        made = symbols(f"#{name}.", range(self.vectors[name]))
        self.known |= {x: (name, i) for i, x in enumerate(made)}
        return made

    def along(self, values: Sequence[Any] | np.ndarray, further: Mapping[Expr, Expr] = NOTHING) -> list[Scalar]:
        """Rates of values of the state along the direction that lies in `dt`, `dq`, `du`, `dP`; `further` symbols change as is said."""
        found = {symbol(f"#d {s.name}"): (f"d{array}", i) for s, (array, i) in known_symbols(self.m).items()}
        self.known |= found
        return directional(list(values), {s: symbol(f"#d {s.name}") for s in known_symbols(self.m)} | dict(further))

    def gradient(self, value: Any) -> list[Output]:
        """The gradient of one number in the state, added to what lies in `dt`, `dq`, `du`, `dP`."""
        places = list(known_symbols(self.m).items())
        found = gradient(value, [s for s, _ in places])
        return [
            Output(x, f"d{array}", i, add=True)
            for x, (_, (array, i)) in zip(found, places)
            if type(x) is Expr or x != 0.0
        ]

    def block(self, name: str, outputs: Sequence[Output]) -> Block:
        """The code: arrays are the state's, then the vectors in their order, then those of a direction."""
        arrays = [Array(a) for a in (*self._names, *(a for a in DIRECTION if a not in self._names))]
        inputs = {s: self.known[s] for s in free_symbols([o.value for o in outputs])}
        return Block(name, arrays, inputs, list(outputs))
