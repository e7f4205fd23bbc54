"""The memory of a sweep: a record per body, with fields that neighbours read and slots that one step leaves to the next."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from dalembert.trace import Expr, symbol
from dalembert.trace.native import Output
from dalembert.trace.ops import SYMBOL


class Record:
    """Where things lie in a body's record. Fields have the same place in every class; slots follow, class by class."""

    def __init__(self, fields: dict[str, int]):
        self.fields: dict[str, tuple[int, int]] = {}
        self.size = 0
        for name, n in fields.items():
            self.fields[name] = (self.size, n)
            self.size += n

    def symbols(self, array: str, field: str, at: int = 0) -> np.ndarray:
        """Symbols standing for a field of the record that begins at element `at` of the array."""
        start, n = self.fields[field]
        return _array([symbol(f"#{array}{at + start + i}") for i in range(n)])


class Keeper:
    """What a class's steps leave for one another: traced values get slots, numbers and inputs are left as they are."""

    def __init__(self, start: int):
        self.next = start
        self._kept: dict[Expr, Expr] = {}
        self.outputs: list[Output] = []

    def keep(self, thing: Any) -> Any:
        """The thing with every computed value replaced by the symbol of the slot that will hold it."""
        if type(thing) is Expr:
            return self._slot(thing)
        if isinstance(thing, np.ndarray):
            if thing.dtype != object:
                return thing
            return _array([self.keep(x) for x in thing.ravel()]).reshape(thing.shape)
        if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
            return dataclasses.replace(
                thing, **{f.name: self.keep(getattr(thing, f.name)) for f in dataclasses.fields(thing)}
            )
        return thing

    def _slot(self, e: Expr) -> Expr:
        if e.op is SYMBOL:
            return e
        found = self._kept.get(e)
        if found is None:
            found = self._kept[e] = symbol(f"#r{self.next}")
            self.outputs.append(Output(e, "r", self.next))
            self.next += 1
        return found

    def taken(self) -> list[Output]:
        """The stores of the step just traced."""
        out, self.outputs = self.outputs, []
        return out


def _array(values: list[Any]) -> np.ndarray:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out
