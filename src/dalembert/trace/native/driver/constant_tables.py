"""Constants that compiled code looks up while it runs. With a Python index a table answers at once, like a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from dalembert.errors import TraceError
from dalembert.trace.native.driver.driver_values import Int
from dalembert.trace.native.driver.pointers import IntPointer, UniformPointer
from dalembert.trace.native.driver.reals import Real
from dalembert.trace.native.driver.signature import Signature


@dataclass(frozen=True)
class FunctionPointer:
    """A function known only when the compiled code runs."""

    signature: Signature
    name: str


@dataclass(frozen=True)
class IntTable:
    """Integers, in the module under this name."""

    name: str
    values: tuple[int, ...]

    @property
    def definition(self) -> str:
        return _numbers(self.name, np.array(self.values, dtype="<i8"))

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: Int) -> Int: ...
    def __getitem__(self, index: Int | int) -> Int | int:
        if not isinstance(index, Int):
            return self.values[index]
        if index.body.lanes.several:
            raise TraceError("in a loop over each element, places cannot be looked up: a register takes the next few")
        return (self + index)[0]

    def __add__(self, index: Int) -> IntPointer:
        """The address of an element."""
        return IntPointer(index.body, self.name) + index


@dataclass(frozen=True)
class RealTable:
    """Doubles, the same for all lanes, in the module under this name."""

    name: str
    values: tuple[float, ...]

    @property
    def definition(self) -> str:
        return _numbers(self.name, np.array(self.values, dtype="<f8"))

    @overload
    def __getitem__(self, index: int) -> float: ...
    @overload
    def __getitem__(self, index: Int) -> Real: ...
    def __getitem__(self, index: Int | int) -> Real | float:
        return UniformPointer(index.body, self.name)[index] if isinstance(index, Int) else self.values[index]

    def __add__(self, index: Int) -> UniformPointer:
        """The address of an element."""
        return UniformPointer(index.body, self.name) + index


@dataclass(frozen=True)
class FunctionTable:
    """Functions that take the same arguments."""

    name: str
    functions: tuple[Signature, ...]

    @property
    def definition(self) -> str:
        return _constant(self.name, "ptr", [f"@{f.inner_symbol}" for f in self.functions])

    @overload
    def __getitem__(self, index: int) -> Signature: ...
    @overload
    def __getitem__(self, index: Int) -> FunctionPointer: ...
    def __getitem__(self, index: Int | int) -> FunctionPointer | Signature:
        if not isinstance(index, Int):
            return self.functions[index]
        address = index.body.element(self.name, index.name, "ptr")
        return FunctionPointer(self.functions[0], index.body.let(f"load ptr, ptr {address}"))


def _numbers(name: str, values: np.ndarray) -> str:
    """As bytes: LLVM reads long tables ten times faster so than as numbers."""
    content = values.tobytes().hex("\\")
    return f'{name} = internal constant [{values.nbytes} x i8] c"{chr(92) if content else ""}{content}", align 64'


def _constant(name: str, kind: str, values: Sequence[str]) -> str:
    content = ", ".join(f"{kind} {x}" for x in values)
    return f"{name} = internal constant [{len(values)} x {kind}] [{content}], align 64"
