"""Memory as driver code sees it: the same address read as lanes, as doubles for all lanes, as integers, or as rows."""

from __future__ import annotations

from typing import Self

from dalembert.errors import TraceError
from dalembert.trace.native.driver.driver_values import DriverValue, Int
from dalembert.trace.native.driver.reals import Real, lane_of
from dalembert.trace.native.llvm_text import FunctionText

Index = Int | int


class Address(DriverValue):
    """An address with a layout. `p + k` is the address of element k."""

    __slots__ = ()

    @classmethod
    def kind(cls, body: FunctionText) -> str:
        return "ptr"

    @classmethod
    def element_type(cls, body: FunctionText) -> str:
        """The LLVM type as large as one element."""
        raise NotImplementedError

    def element(self, index: Index) -> str:
        body = self.body
        return body.element(self.name, Int.operand(body, index), self.element_type(body))

    def __add__(self, index: Index) -> Self:
        return type(self)(self.body, self.element(index))


class Pointer(Address):
    """An array in lanes: element i of lane l at [i·W + l]. Reads and writes all lanes of an element."""

    __slots__ = ()

    @classmethod
    def element_type(cls, body: FunctionText) -> str:
        return f"[{body.lanes.stride} x double]"

    def __getitem__(self, index: Index) -> Real:
        return Real(self.body, self.body.let(f"load {self.body.lanes.real}, ptr {self._lanes_of(index)}, align 8"))

    def __setitem__(self, index: Index, value: Real | float) -> None:
        name = Real.operand(self.body, value)
        self.body.lines.append(f"store {self.body.lanes.real} {name}, ptr {self._lanes_of(index)}, align 8")

    def _lanes_of(self, index: Index) -> str:
        """Where all lanes of an element begin; in a loop over each element, where the next few begin."""
        if isinstance(index, int) and self.body.lanes.several:
            raise TraceError(
                "in a loop over each element, one at a fixed place cannot be reached: read it before the loop"
            )
        return self.element(index)

    def clear(self, count: int) -> None:
        """0 in the first `count` elements."""
        size = 8 * self.body.lanes.count * count
        self.body.lines.append(f"call void @llvm.memset.p0.i64(ptr align 8 {self.name}, i8 0, i64 {size}, i1 false)")

    @property
    def uniform(self) -> UniformPointer:
        """The same memory as plain doubles."""
        return UniformPointer(self.body, self.name)


class UniformPointer(Address):
    """An array of plain doubles. Reading puts the double in all lanes; writing takes lane 0. In a loop over each element, the next few
    are read and written."""

    __slots__ = ()

    @classmethod
    def element_type(cls, body: FunctionText) -> str:
        return "double"

    def __getitem__(self, index: Index) -> Real:
        if self.body.lanes.several:
            return self.lanes[index]
        loaded = self.body.let(f"load double, ptr {self.element(index)}, align 8")
        return Real(self.body, self.body.broadcast(loaded))

    def __setitem__(self, index: Index, value: Real | float) -> None:
        if self.body.lanes.several:
            self.lanes[index] = value
            return
        real = Real(self.body, Real.operand(self.body, value))
        self.body.lines.append(f"store double {lane_of(real, 0)}, ptr {self.element(index)}, align 8")

    @property
    def lanes(self) -> Pointer:
        """The same memory in lanes."""
        return Pointer(self.body, self.name)

    def rows(self, width: Index, count: Index | None = None) -> RowPointers:
        """The next W rows of a row-major array (K, width), one per lane; `count` if fewer than W rows are left."""
        return RowPointers(self, width, count)


class IntPointer(Address):
    """An array of 64-bit integers."""

    __slots__ = ()

    @classmethod
    def element_type(cls, body: FunctionText) -> str:
        return "i64"

    def __getitem__(self, index: Index) -> Int:
        return Int(self.body, self.body.let(f"load i64, ptr {self.element(index)}, align 8"))

    def take(self, index: Index) -> Int:
        """The integer there, which then is one more: of several threads, each gets another."""
        place = self.element(index)
        return Int(self.body, self.body.let(f"atomicrmw add ptr {place}, i64 1 monotonic"))

    def __setitem__(self, index: Index, value: Index) -> None:
        self.body.lines.append(f"store i64 {Int.operand(self.body, value)}, ptr {self.element(index)}, align 8")


class ShortPointer(Address):
    """An array of 32-bit integers, as Fortran has them."""

    __slots__ = ()

    @classmethod
    def element_type(cls, body: FunctionText) -> str:
        return "i32"

    def __getitem__(self, index: Index) -> Int:
        short = self.body.let(f"load i32, ptr {self.element(index)}, align 4")
        return Int(self.body, self.body.let(f"sext i32 {short} to i64"))

    def __setitem__(self, index: Index, value: Index) -> None:
        short = self.body.let(f"trunc i64 {Int.operand(self.body, value)} to i32")
        self.body.lines.append(f"store i32 {short}, ptr {self.element(index)}, align 4")


class RowPointers:
    """Rows of a row-major array, one per lane. Lanes without a row read the first row and write nothing."""

    def __init__(self, pointer: UniformPointer, width: Index, count: Index | None) -> None:
        self.pointer, self.body = pointer, pointer.body
        self._starts: list[Int] = []
        self._present: list[str] = []
        self._nowhere = self.body.allocate(f"[{self.body.lanes.count} x double]", 64)
        step = Int.operand(self.body, width)
        limit = Int.operand(self.body, self.body.lanes.count if count is None else count)
        for lane in range(self.body.lanes.count):
            present = self.body.let(f"icmp slt i64 {lane}, {limit}")
            start = self.body.let(f"mul i64 {step}, {lane}")
            self._starts.append(Int(self.body, self.body.let(f"select i1 {present}, i64 {start}, i64 0")))
            self._present.append(present)

    def __getitem__(self, index: Index) -> Real:
        kind, gathered = self.body.lanes.real, "poison"
        for lane, start in enumerate(self._starts):
            one = self.body.let(f"load double, ptr {self.pointer.element(start + index)}, align 8")
            if self.body.lanes.count == 1:
                return Real(self.body, one)
            gathered = self.body.let(f"insertelement {kind} {gathered}, double {one}, i32 {lane}")
        return Real(self.body, gathered)

    def __setitem__(self, index: Index, value: Real | float) -> None:
        real = Real(self.body, Real.operand(self.body, value))
        for lane, (start, present) in enumerate(zip(self._starts, self._present, strict=True)):
            row = self.pointer.element(start + index)
            address = self.body.let(f"select i1 {present}, ptr {row}, ptr {self._nowhere}")
            self.body.lines.append(f"store double {lane_of(real, lane)}, ptr {address}, align 8")

    def read_square(self, index: Index) -> list[Real]:
        """Columns index … index + W − 1: W rows read W elements at a time and transposed in registers."""
        kind = self.body.lanes.real
        rows = [
            self.body.let(f"load {kind}, ptr {self.pointer.element(start + index)}, align 8") for start in self._starts
        ]
        return [Real(self.body, name) for name in _transposed(self.body, rows)]

    def write_square(self, index: Index, columns: list[Real]) -> None:
        """The inverse of `read_square`."""
        rows = _transposed(self.body, [c.name for c in columns])
        for row, start, present in zip(rows, self._starts, self._present, strict=True):
            place = self.pointer.element(start + index)
            address = self.body.let(f"select i1 {present}, ptr {place}, ptr {self._nowhere}")
            self.body.lines.append(f"store {self.body.lanes.real} {row}, ptr {address}, align 8")


def _transposed(body: FunctionText, rows: list[str]) -> list[str]:
    """W vectors of W lanes, lane j of vector i exchanged with lane i of vector j, in log₂ W rounds of shuffles."""
    lanes, kind = body.lanes.count, body.lanes.real
    rows, half = list(rows), 1
    while half < lanes:
        for i in range(lanes):
            if not i & half:
                a, b = rows[i], rows[i | half]
                low = [j if not j & half else lanes + j - half for j in range(lanes)]
                high = [j + half if not j & half else lanes + j for j in range(lanes)]
                for place, mask in ((i, low), (i | half, high)):
                    order = ", ".join(f"i32 {m}" for m in mask)
                    shuffle = f"shufflevector {kind} {a}, {kind} {b}, <{lanes} x i32> <{order}>"
                    rows[place] = body.let(shuffle)
        half *= 2
    return rows
