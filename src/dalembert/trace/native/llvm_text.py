"""A growing LLVM module in text form, and one growing function body."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dalembert.cached import cached_property
from dalembert.trace import ops
from dalembert.trace.native.target import Target
from dalembert.trace.ops import Op


def double_bits(x: float) -> str:
    """A double in LLVM's exact hexadecimal form."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


@dataclass(frozen=True)
class Lanes:
    """Type names and constants for `count` lanes, in arrays whose elements have as many, or `of` lanes."""

    count: int
    of: int = 0

    @property
    def stride(self) -> int:
        """Doubles from one element of an array to the next."""
        return self.of or self.count

    @property
    def several(self) -> bool:
        """Whether a register holds several elements of an array, as in a loop over each of them."""
        return self.count > self.stride

    @cached_property
    def real(self) -> str:
        return self._of("double")

    @cached_property
    def integer(self) -> str:
        return self._of("i64")

    @cached_property
    def mask(self) -> str:
        return self._of("i1")

    @cached_property
    def suffix(self) -> str:
        """The ending of an intrinsic's name for this type."""
        return "f64" if self.count == 1 else f"v{self.count}f64"

    @cached_property
    def alignment(self) -> int:
        """Alignment in bytes of every element of an array that itself is aligned to 64."""
        size = 8 * self.count
        return min(size & -size, 64)

    def constant(self, x: float) -> str:
        return double_bits(x) if self.count == 1 else f"splat (double {double_bits(x)})"

    def integer_constant(self, k: int) -> str:
        return str(k) if self.count == 1 else f"splat (i64 {k})"

    def truth(self, value: bool) -> str:
        return f"{value}".lower() if self.count == 1 else f"splat (i1 {int(value)})"

    def _of(self, scalar: str) -> str:
        return scalar if self.count == 1 else f"<{self.count} x {scalar}>"


_FLAGS = """!llvm.module.flags = !{!0}
!0 = !{i32 7, !"RtLibUseGOT", i32 1}"""
"""Functions from outside are reached through a table of addresses, wherever they are (so `nonlazybind` wants of those declared)."""


class ModuleText:
    """Definitions in order of arrival, with the declarations and helper functions they turned out to need."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._declarations: dict[str, None] = {}
        self._definitions: dict[str, str] = {}

    def define(self, name: str, text: str) -> None:
        self._definitions[name] = text

    def definition(self, name: str) -> str:
        """The text of a definition."""
        return self._definitions[name]

    def __contains__(self, name: str) -> bool:
        return name in self._definitions

    def __str__(self) -> str:
        return "\n".join([*self._declarations, *self._definitions.values(), _FLAGS]) + "\n"

    def intrinsic(self, name: str, lanes: Lanes, arguments: int) -> str:
        """The name of LLVM's built-in function of reals, declared."""
        full = f"@llvm.{name}.{lanes.suffix}"
        self._declare(f"declare {lanes.real} {full}({', '.join([lanes.real] * arguments)})")
        return full

    def library_function(self, name: str, lanes: Lanes, arguments: int) -> str:
        """A function of mathematics: called directly for one lane, else through a helper that goes lane by lane."""
        scalar = self._mathematics(name, arguments)
        if lanes.count == 1:
            return scalar
        helper = f"dalembert_{name}_{lanes.count}"
        if helper not in self:
            self.define(helper, lane_by_lane(helper, scalar, lanes, arguments))
        return f"@{helper}"

    def slow_sincos(self) -> str:
        """`void (ptr x, ptr sines, ptr cosines, i64 n)`: the C library's sines and cosines of n doubles."""
        sine, cosine = self._mathematics("sin", 1), self._mathematics("cos", 1)
        self.define("dalembert_slow_sincos", _SLOW_SINCOS.replace("@sine", sine).replace("@cosine", cosine))
        return "@dalembert_slow_sincos"

    def _mathematics(self, name: str, arguments: int) -> str:
        """A function of reals outside the module, declared under the symbol that the target has for it."""
        symbol, module = "@" + self.target.mathematics.format(name=name), self.target.imported_from
        taken = f' "wasm-import-module"="{module}" "wasm-import-name"="{name}"' if module else ""
        self._declare(f"declare double {symbol}({', '.join(['double'] * arguments)}) nounwind nonlazybind{taken}")
        return symbol

    def _declare(self, line: str) -> None:
        self._declarations[line] = None


class FunctionText:
    """Instructions of one function, each result under a fresh name; local memory is set aside at its beginning."""

    def __init__(self, module: ModuleText, lanes: Lanes) -> None:
        self.module, self.lanes = module, lanes
        self.lines: list[str] = []
        self.allocations: list[str] = []
        self._names = 0

    @contextmanager
    def widened(self, width: int) -> Iterator[None]:
        """While this lasts, reals are `width` neighbouring elements of arrays that have one lane."""
        before, self.lanes = self.lanes, Lanes(width, 1)
        try:
            yield
        finally:
            self.lanes = before

    def fresh(self) -> str:
        self._names += 1
        return f"%v{self._names}"

    def let(self, instruction: str) -> str:
        """Append an instruction and name its result."""
        name = self.fresh()
        self.lines.append(f"{name} = {instruction}")
        return name

    def allocate(self, kind: str, alignment: int) -> str:
        """Local memory for one value of this LLVM type."""
        name = self.fresh()
        self.allocations.append(f"{name} = alloca {kind}, align {alignment}")
        return name

    def call(self, function: str, *reals: str) -> str:
        """Call a function of reals that returns a real."""
        arguments = ", ".join(f"{self.lanes.real} {x}" for x in reals)
        return self.let(f"call {self.lanes.real} {function}({arguments})")

    def intrinsic(self, name: str, *reals: str) -> str:
        return self.call(self.module.intrinsic(name, self.lanes, len(reals)), *reals)

    def library(self, name: str, *reals: str) -> str:
        return self.call(self.module.library_function(name, self.lanes, len(reals)), *reals)

    def broadcast(self, scalar: str) -> str:
        """A scalar double in all lanes."""
        if self.lanes.count == 1:
            return scalar
        one = self.let(f"insertelement {self.lanes.real} poison, double {scalar}, i32 0")
        mask = f"<{self.lanes.count} x i32> zeroinitializer"
        return self.let(f"shufflevector {self.lanes.real} {one}, {self.lanes.real} poison, {mask}")

    def element(self, pointer: str, index: int | str, scalar: str = "double") -> str:
        """The address of an element."""
        return self.let(f"getelementptr {scalar}, ptr {pointer}, i64 {index}")


def lane_by_lane(name: str, scalar: str, lanes: Lanes, arguments: int) -> str:
    """The helper function `name` that calls a scalar function for every lane."""
    lines, result = [], "poison"
    for lane in range(lanes.count):
        for k in range(arguments):
            lines.append(f"%x{k}_{lane} = extractelement {lanes.real} %x{k}, i32 {lane}")
        passed = ", ".join(f"double %x{k}_{lane}" for k in range(arguments))
        lines.append(f"%y_{lane} = call double {scalar}({passed})")
        lines.append(f"%r_{lane} = insertelement {lanes.real} {result}, double %y_{lane}, i32 {lane}")
        result = f"%r_{lane}"
    taken = ", ".join(f"{lanes.real} %x{k}" for k in range(arguments))
    head = f"define internal {lanes.real} @{name}({taken}) noinline nounwind {{"
    return "\n".join([head, *lines, f"ret {lanes.real} {result}", "}"])


_SLOW_SINCOS = """define internal void @dalembert_slow_sincos(ptr %x, ptr %s, ptr %c, i64 %n) noinline cold nounwind {
entry:
  br label %next
next:
  %i = phi i64 [0, %entry], [%i1, %next]
  %xi = getelementptr double, ptr %x, i64 %i
  %si = getelementptr double, ptr %s, i64 %i
  %ci = getelementptr double, ptr %c, i64 %i
  %a = load double, ptr %xi
  %b = call double @sine(double %a)
  %d = call double @cosine(double %a)
  store double %b, ptr %si
  store double %d, ptr %ci
  %i1 = add i64 %i, 1
  %more = icmp slt i64 %i1, %n
  br i1 %more, label %next, label %done
done:
  ret void
}"""


ARITHMETIC: dict[Op, str] = {
    ops.ADD: "fadd contract",
    ops.SUB: "fsub contract",
    ops.MUL: "fmul contract",
    ops.DIV: "fdiv",
}
"""Two operands, one instruction. `contract` lets a product and a sum become one rounding."""

CONDITIONS: dict[Op, str] = {ops.LT: "fcmp olt", ops.LE: "fcmp ole"}
"""Two operands, a mask."""

LOGIC: dict[Op, str] = {ops.AND: "and", ops.OR: "or"}
"""Two masks, a mask."""


def _negative(body: FunctionText, x: str) -> str:
    return body.let(f"fneg {body.lanes.real} {x}")


def choose(body: FunctionText, condition: str, yes: str, no: str) -> str:
    real = body.lanes.real
    return body.let(f"select {body.lanes.mask} {condition}, {real} {yes}, {real} {no}")


def compare(body: FunctionText, how: str, a: str, b: str) -> str:
    return body.let(f"fcmp {how} {body.lanes.real} {a}, {b}")


def _sign(body: FunctionText, x: str) -> str:
    zero = body.lanes.constant(0.0)
    flat = body.let(f"fadd {body.lanes.real} {x}, {zero}")  # −0 becomes 0; NaN stays
    up = choose(body, compare(body, "ogt", x, zero), body.lanes.constant(1.0), flat)
    return choose(body, compare(body, "olt", x, zero), body.lanes.constant(-1.0), up)


def _extreme(how: str) -> Callable[[FunctionText, str, str], str]:
    """Minimum or maximum; NaN if either is, as NumPy's."""

    def rule(body: FunctionText, a: str, b: str) -> str:
        extreme = choose(body, compare(body, how, a, b), a, b)
        return choose(body, compare(body, "uno", a, a), a, extreme)

    return rule


def _intrinsic(name: str) -> Callable[..., str]:
    return lambda body, *x: body.intrinsic(name, *x)


def _library(name: str) -> Callable[..., str]:
    return lambda body, *x: body.library(name, *x)


_LIBRARY = (
    ops.EXP, ops.LOG, ops.TAN, ops.ASIN, ops.ACOS, ops.ATAN, ops.ATAN2, ops.SINH, ops.COSH, ops.TANH, ops.POW, ops.FMOD,
)  # fmt: skip

FUNCTIONS: dict[Op, Callable[..., str]] = {
    ops.NEG: _negative,
    ops.SQRT: _intrinsic("sqrt"),
    ops.ABS: _intrinsic("fabs"),
    ops.FLOOR: _intrinsic("floor"),
    ops.SIGN: _sign,
    ops.MIN: _extreme("olt"),
    ops.MAX: _extreme("ogt"),
    **{op: _library(op.name) for op in _LIBRARY},
}
"""Reals in, a real out: `rule(body, *operands)`."""
