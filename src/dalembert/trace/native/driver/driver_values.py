"""Integers and truths in driver code. Operators append instructions to the function's body.

`Int` and `Bool` are the same for all lanes and steer loops and branches; `Mask` and `Real` have one value per lane.
"""

from __future__ import annotations

from typing import Any, Self

from dalembert.errors import TraceError
from dalembert.trace.native.llvm_text import FunctionText


class DriverValue:
    """A named result in a function's body."""

    __slots__ = ("body", "name")

    def __init__(self, body: FunctionText, name: str) -> None:
        self.body, self.name = body, name

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise TraceError(
            "this value is known only when the compiled code runs: use f.if_(…), f.while_(…) or select(…), "
            "and & | ~ instead of and, or, not"
        )

    @classmethod
    def kind(cls, body: FunctionText) -> str:
        """The LLVM type."""
        raise NotImplementedError

    @classmethod
    def constant(cls, body: FunctionText, x: Any) -> str:
        """A Python number as an operand of this type."""
        raise TraceError(f"{x!r} cannot be used as {cls.__name__} in compiled code")

    @classmethod
    def operand(cls, body: FunctionText, x: Any) -> str:
        """A value of this type, or a Python number, as an operand."""
        return x.name if isinstance(x, cls) else cls.constant(body, x)

    def _result(self, instruction: str) -> Self:
        return type(self)(self.body, self.body.let(instruction))

    def _binary(self, instruction: str, a: Any, b: Any) -> Self:
        left, right = self.operand(self.body, a), self.operand(self.body, b)
        return self._result(f"{instruction} {self.kind(self.body)} {left}, {right}")


class _Logical(DriverValue):
    """What truths for all lanes and truths per lane have in common."""

    __slots__ = ()

    def __and__(self, other: Self | bool) -> Self:
        return self._binary("and", self, other)

    def __or__(self, other: Self | bool) -> Self:
        return self._binary("or", self, other)

    def __invert__(self) -> Self:
        return self._binary("xor", self, True)


class Bool(_Logical):
    """True or false, the same for all lanes."""

    __slots__ = ()

    @classmethod
    def kind(cls, body: FunctionText) -> str:
        return "i1"

    @classmethod
    def constant(cls, body: FunctionText, x: Any) -> str:
        if not isinstance(x, bool):
            hint = ": say .any() or .all()" if isinstance(x, Mask) else ""
            raise TraceError(f"a condition must be one truth for all lanes, not {type(x).__name__}{hint}")
        return "true" if x else "false"


class Mask(_Logical):
    """True or false in each lane."""

    __slots__ = ()

    @classmethod
    def kind(cls, body: FunctionText) -> str:
        return body.lanes.mask

    @classmethod
    def constant(cls, body: FunctionText, x: Any) -> str:
        return body.lanes.truth(x) if isinstance(x, bool) else super().constant(body, x)

    def any(self) -> Bool:
        return self._compare_bits("ne", "0")

    def all(self) -> Bool:
        return self._compare_bits("eq", "-1")

    def _compare_bits(self, how: str, bits: str) -> Bool:
        lanes = self.body.lanes
        packed = self.body.let(f"bitcast {lanes.mask} {self.name} to i{lanes.count}")
        return Bool(self.body, self.body.let(f"icmp {how} i{lanes.count} {packed}, {bits}"))


class Int(DriverValue):
    """A 64-bit integer, the same for all lanes. Division rounds down, as Python's."""

    __slots__ = ()

    @classmethod
    def kind(cls, body: FunctionText) -> str:
        return "i64"

    @classmethod
    def constant(cls, body: FunctionText, x: Any) -> str:
        if isinstance(x, bool) or not hasattr(x, "__index__"):
            return super().constant(body, x)
        return str(x.__index__())

    def __add__(self, other: Int | int) -> Int:
        return self._binary("add", self, other)

    def __radd__(self, other: int) -> Int:
        return self._binary("add", other, self)

    def __sub__(self, other: Int | int) -> Int:
        return self._binary("sub", self, other)

    def __rsub__(self, other: int) -> Int:
        return self._binary("sub", other, self)

    def __mul__(self, other: Int | int) -> Int:
        return self._binary("mul", self, other)

    def __rmul__(self, other: int) -> Int:
        return self._binary("mul", other, self)

    def __neg__(self) -> Int:
        return self._binary("sub", 0, self)

    def __floordiv__(self, other: Int | int) -> Int:
        remainder = self._binary("srem", self, other)
        return self._binary("sdiv", self, other) - remainder._wrong_side_of(other)

    def __mod__(self, other: Int | int) -> Int:
        remainder = self._binary("srem", self, other)
        return remainder + remainder._wrong_side_of(other) * other

    def _wrong_side_of(self, divisor: Int | int) -> Int:
        """1 if this remainder and the divisor have different signs, else 0."""
        differs = (self != 0) & (self._binary("xor", self, divisor) < 0)
        return Int(self.body, self.body.let(f"zext i1 {differs.name} to i64"))

    def _compare(self, how: str, other: Int | int) -> Bool:
        return Bool(self.body, self.body.let(f"icmp {how} i64 {self.name}, {Int.operand(self.body, other)}"))

    def __lt__(self, other: Int | int) -> Bool:
        return self._compare("slt", other)

    def __le__(self, other: Int | int) -> Bool:
        return self._compare("sle", other)

    def __gt__(self, other: Int | int) -> Bool:
        return self._compare("sgt", other)

    def __ge__(self, other: Int | int) -> Bool:
        return self._compare("sge", other)

    def __eq__(self, other: Int | int) -> Bool:  # type: ignore[override]
        return self._compare("eq", other)

    def __ne__(self, other: Int | int) -> Bool:  # type: ignore[override]
        return self._compare("ne", other)

    __hash__ = DriverValue.__hash__
