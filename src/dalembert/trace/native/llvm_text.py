"""A growing LLVM module in text form, and one growing function body."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dalembert.trace.native.lanes import Lanes
from dalembert.trace.native.target import Target

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
