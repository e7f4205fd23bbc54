"""The memory of a sweep: a record per body, with fields that neighbours read and slots that one step leaves to the next."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from dalembert.trace import Expr, symbol
from dalembert.trace.native import Output
from dalembert.trace.ops import SYMBOL

T = TypeVar("T")


class Record:
    """Where things lie in a body's record: fields, which have the same place in every class; then for each free speed of the joint the
    fields of its column; then slots, class by class. Places of `late` fields, filled in a body's last step, are slots before."""

    def __init__(
        self,
        fields: Mapping[str, int],
        late: Sequence[str] = (),
        columns: Mapping[str, int] = MappingProxyType({}),
    ):
        self.fields, self.size = _placed(fields)
        self.columns, self.column_size = _placed(columns)
        self.free = [start + i for start, n in (self.fields[name] for name in late) for i in range(n)]

    def symbols(self, array: str, field: str, at: int = 0) -> np.ndarray:
        """Symbols standing for a field of the record that begins at element `at` of the array."""
        start, n = self.fields[field]
        return _array([symbol(f"#{array}{at + start + i}") for i in range(n)])


def _placed(sizes: Mapping[str, int]) -> tuple[dict[str, tuple[int, int]], int]:
    """Where each begins and how long it is, one after the other, and the end."""
    places, end = {}, 0
    for name, n in sizes.items():
        places[name] = (end, n)
        end += n
    return places, end


class Keeper:
    """What a class's steps leave for one another: traced values get slots, numbers and inputs are left as they are."""

    def __init__(self, start: int, free: Sequence[int] = ()):
        self.end = start
        """Where the slots given so far end."""
        self._free = sorted(free, reverse=True)
        self._kept: dict[Expr, Expr] = {}
        self._uses: Counter[Expr] = Counter()
        self.outputs: list[Output] = []

    def keep(self, thing: T) -> T:
        """The thing with every computed value replaced by the symbol of the slot that will hold it."""
        return mapped(thing, self._slot)

    def drop(self, thing: Any) -> None:
        """No step after this one will read what was kept of the thing: its slots can be given to others."""

        def give_back(s: Expr) -> Expr:
            if self._uses[s]:
                self._uses[s] -= 1
                if not self._uses[s]:
                    self._free.append(int(s.name[2:]))
            return s

        mapped(thing, give_back)
        self._free.sort(reverse=True)
        self._kept.clear()  # the same symbol may soon mean something else

    def _slot(self, e: Expr) -> Expr:
        if e.op is SYMBOL:
            return e
        found = self._kept.get(e)
        if found is None:
            if not self._free:
                self._free.append(self.end)
                self.end += 1
            place = self._free.pop()
            found = self._kept[e] = symbol(f"#r{place}")
            self.outputs.append(Output(e, "r", place))
        self._uses[found] += 1
        return found

    def taken(self) -> list[Output]:
        """The stores of the step just traced."""
        out, self.outputs = self.outputs, []
        return out


def mapped(thing: Any, change: Callable[[Expr], Any]) -> Any:
    """The thing (an expression, an array, a dataclass of such) with every expression changed."""
    if type(thing) is Expr:
        return change(thing)
    if isinstance(thing, np.ndarray):
        if thing.dtype != object:
            return thing
        return _array([mapped(x, change) for x in thing.ravel()]).reshape(thing.shape)
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        changed = {f.name: mapped(getattr(thing, f.name), change) for f in dataclasses.fields(thing)}
        return dataclasses.replace(thing, **changed)
    return thing


def _array(values: list[Any]) -> np.ndarray:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out
