"""What a straight-line kernel is: which memory it reads, what it computes, where the results go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TypeGuard

from dalembert.errors import TraceError
from dalembert.trace.expr import Expr, Scalar
from dalembert.trace.graph import free_symbols
from dalembert.trace.ops import SYMBOL


@dataclass(frozen=True)
class Array:
    """A pointer parameter. With W lanes, element i of lane l is at [i·W + l]; a `uniform` array has one double for all."""

    name: str
    uniform: bool = False


@dataclass(frozen=True)
class Output:
    """Store the value into an array's element, or add it to what is there."""

    value: Scalar
    array: str
    index: int
    add: bool = False

    @property
    def place(self) -> tuple[str, int]:
        return self.array, self.index


@dataclass(frozen=True)
class Block:
    """The function `void name(arrays…)`. All inputs are read before any output is written, so arrays may overlap.

    Outputs are written in the order given; `inputs` says in which array and element each symbol is found. Where the arrays are
    `apart`, no two of them share memory, and a result is written as soon as it is known: it need not wait in a register.
    """

    name: str
    arrays: Sequence[Array]
    inputs: Mapping[Expr, tuple[str, int]]
    outputs: Sequence[Output]
    apart: bool = False

    def early(self, read_before: bool) -> dict[Expr, list[Output]]:
        """What may be written at once, by value: results whose place nothing else writes.

        Nor may an input be read from it, unless whoever writes has `read_before`.
        """
        if not self.apart:
            return {}
        writes = Counter(out.place for out in self.outputs)
        read = set() if read_before else set(self.inputs.values())
        found: dict[Expr, list[Output]] = {}
        for out in self.outputs:
            if _computed(out.value) and writes[out.place] == 1 and out.place not in read:
                found.setdefault(out.value, []).append(out)
        return found

    def late(self, early: Mapping[Expr, list[Output]]) -> list[Output]:
        """The others, to be written at the end."""
        done = {out.place for outputs in early.values() for out in outputs}
        return [out for out in self.outputs if out.place not in done]

    def taking(self, arrays: Sequence[Array]) -> Block:
        """The same with fewer parameters, all that it uses among them."""
        made = copy(self)
        object.__setattr__(made, "arrays", arrays)
        return made

    @property
    def used(self) -> set[str]:
        """The arrays it reads or writes."""
        return {array for array, _ in self.inputs.values()} | {out.array for out in self.outputs}

    def __post_init__(self) -> None:
        layout = {a.name: a for a in self.arrays}
        if len(layout) != len(self.arrays):
            raise TraceError(f"block {self.name!r}: two arrays have the same name")
        for symbol, (array, _) in self.inputs.items():
            if array not in layout:
                raise TraceError(
                    f"block {self.name!r}: {symbol.name!r} is read from {array!r}, which is not one of its arrays"
                )
        for out in self.outputs:
            if out.array not in layout or layout[out.array].uniform:
                raise TraceError(f"block {self.name!r}: {out.array!r} is not an array it can write to (a lane array)")
        missing = [s.name for s in free_symbols([o.value for o in self.outputs]) if s not in self.inputs]
        if missing:
            raise TraceError(f"block {self.name!r}: no input is given for {', '.join(missing)}")


def _computed(x: Scalar) -> TypeGuard[Expr]:
    return type(x) is Expr and x.op is not SYMBOL
