"""Reals in driver code, a double in each lane, and functions of them."""

from __future__ import annotations

from typing import Any, TypeVar

from dalembert.errors import TraceError
from dalembert.trace import ops
from dalembert.trace.native.driver.driver_values import Bool, DriverValue, Int, Mask
from dalembert.trace.native.llvm_text import ARITHMETIC, FUNCTIONS, FunctionText


class Real(DriverValue):
    """A double in each lane."""

    __slots__ = ("lanes",)

    def __init__(self, body: FunctionText, name: str) -> None:
        super().__init__(body, name)
        self.lanes = body.lanes.count

    @classmethod
    def operand(cls, body: FunctionText, x: Any) -> str:
        name = super().operand(body, x)
        return body.broadcast(name) if isinstance(x, Real) and x.lanes < body.lanes.count else name

    @classmethod
    def kind(cls, body: FunctionText) -> str:
        return body.lanes.real

    @classmethod
    def constant(cls, body: FunctionText, x: Any) -> str:
        if isinstance(x, (bool, DriverValue)) or not hasattr(x, "__float__"):
            hint = ": say f.real(…)" if isinstance(x, Int) else ""
            raise TraceError(f"{type(x).__name__} cannot be used as a real in compiled code{hint}")
        return body.lanes.constant(float(x))

    def __add__(self, other: Real | float) -> Real:
        return self._binary(ARITHMETIC[ops.ADD], self, other)

    def __radd__(self, other: float) -> Real:
        return self._binary(ARITHMETIC[ops.ADD], other, self)

    def __sub__(self, other: Real | float) -> Real:
        return self._binary(ARITHMETIC[ops.SUB], self, other)

    def __rsub__(self, other: float) -> Real:
        return self._binary(ARITHMETIC[ops.SUB], other, self)

    def __mul__(self, other: Real | float) -> Real:
        return self._binary(ARITHMETIC[ops.MUL], self, other)

    def __rmul__(self, other: float) -> Real:
        return self._binary(ARITHMETIC[ops.MUL], other, self)

    def __truediv__(self, other: Real | float) -> Real:
        return self._binary(ARITHMETIC[ops.DIV], self, other)

    def __rtruediv__(self, other: float) -> Real:
        return self._binary(ARITHMETIC[ops.DIV], other, self)

    def __pow__(self, other: Real | float) -> Real:
        return function_of_reals(ops.POW, self, other)

    def __neg__(self) -> Real:
        return function_of_reals(ops.NEG, self)

    def __abs__(self) -> Real:
        return function_of_reals(ops.ABS, self)

    def _compare(self, how: str, other: Real | float) -> Mask:
        kind, left, right = self.kind(self.body), self.operand(self.body, self), self.operand(self.body, other)
        return Mask(self.body, self.body.let(f"fcmp {how} {kind} {left}, {right}"))

    def __lt__(self, other: Real | float) -> Mask:
        return self._compare("olt", other)

    def __le__(self, other: Real | float) -> Mask:
        return self._compare("ole", other)

    def __gt__(self, other: Real | float) -> Mask:
        return self._compare("ogt", other)

    def __ge__(self, other: Real | float) -> Mask:
        return self._compare("oge", other)

    def __eq__(self, other: Real | float) -> Mask:  # type: ignore[override]
        return self._compare("oeq", other)

    def __ne__(self, other: Real | float) -> Mask:  # type: ignore[override]
        return self._compare("une", other)

    __hash__ = DriverValue.__hash__

    def lane(self, lane: Int | int) -> Real:
        """One lane's value, in all lanes."""
        return Real(self.body, self.body.broadcast(lane_of(self, lane)))

    def with_lane(self, lane: Int | int, other: Real | float) -> Real:
        """This value with one lane taken from the other."""
        if self.body.lanes.count == 1:
            return Real(self.body, Real.operand(self.body, other))
        kind = self.kind(self.body)
        index = Int.operand(self.body, lane)
        taken = self.body.let(f"extractelement {kind} {Real.operand(self.body, other)}, i64 {index}")
        return self._result(f"insertelement {kind} {self.name}, double {taken}, i64 {index}")

    def largest_lane(self) -> Real:
        """The largest of all lanes, in all lanes; NaN if one is."""
        return self._over_lanes(maximum)

    def smallest_lane(self) -> Real:
        """The smallest of all lanes, in all lanes; NaN if one is."""
        return self._over_lanes(minimum)

    def sum_of_lanes(self) -> Real:
        return self._over_lanes(lambda a, b: a + b)

    def _over_lanes(self, combine: Any) -> Real:
        result = self.lane(0)
        for lane in range(1, self.body.lanes.count):
            result = combine(result, self.lane(lane))
        return result


def lane_of(x: Real, lane: Int | int) -> str:
    """The name of one lane's double."""
    if x.body.lanes.count == 1:
        return x.name
    return x.body.let(f"extractelement {x.kind(x.body)} {x.name}, i64 {Int.operand(x.body, lane)}")


def function_of_reals(op: ops.Op, *arguments: Real | float) -> Real:
    """An operation of the traced graph on driver values."""
    body = next(a.body for a in arguments if isinstance(a, Real))
    return Real(body, FUNCTIONS[op](body, *(Real.operand(body, a) for a in arguments)))


def sqrt(x: Real) -> Real:
    return function_of_reals(ops.SQRT, x)


def minimum(a: Real | float, b: Real | float) -> Real:
    """The smaller; NaN if either is."""
    return function_of_reals(ops.MIN, a, b)


def maximum(a: Real | float, b: Real | float) -> Real:
    """The larger; NaN if either is."""
    return function_of_reals(ops.MAX, a, b)


def fma(a: Real, b: Real | float, c: Real | float) -> Real:
    """a·b + c, with a single rounding where the processor can."""
    return Real(a.body, a.body.intrinsic("fmuladd", *(Real.operand(a.body, x) for x in (a, b, c))))


V = TypeVar("V", bound=DriverValue)


def select(condition: Mask | Bool, yes: V | float, no: V | float) -> V:
    """`yes` where the condition holds, else `no`. A mask chooses between reals, lane by lane."""
    body = condition.body
    kind = next((type(x) for x in (yes, no) if isinstance(x, DriverValue)), Real)
    if isinstance(condition, Mask) and kind is not Real:
        raise TraceError(f"a condition per lane can choose between reals only, not between {kind.__name__} values")
    a, b = (f"{kind.kind(body)} {kind.operand(body, x)}" for x in (yes, no))
    chosen = body.let(f"select {condition.kind(body)} {condition.name}, {a}, {b}")
    return kind(body, chosen)  # type: ignore[return-value]
