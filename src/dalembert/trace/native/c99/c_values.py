"""Values of driver functions as C expressions: instructions of LLVM put back together.

A value that is used once is written where it is used, unless memory that it read may have changed by then; `driver_source.py` sees to
that. Everything that is not known here is refused, so that nothing is left out without a word.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

from dalembert.errors import TraceError
from dalembert.trace.native.c99.function_parts import TYPES, FunctionParts

MEMORY = "memory"
"""What a value has read that lies in an array."""

_HEXADECIMAL = re.compile(r"0x[0-9A-F]{16}")
_BINARY = {
    "fadd": "+",
    "fsub": "-",
    "fmul": "*",
    "fdiv": "/",
    "add": "+",
    "sub": "-",
    "mul": "*",
    "sdiv": "/",
    "srem": "%",
}
_LOGIC = {"and": "&&", "or": "||"}
_INTEGERS = {"slt": "<", "sle": "<=", "sgt": ">", "sge": ">=", "eq": "==", "ne": "!="}
_ORDERED = {"olt": "<", "ole": "<=", "ogt": ">", "oge": ">=", "oeq": "==", "une": "!="}
_INTRINSICS = {"sqrt": "sqrt", "fabs": "fabs", "floor": "floor", "copysign": "copysign"}


@dataclass(frozen=True)
class CValue:
    """Text of an expression, its C type, and what it has read: MEMORY, or variables by name."""

    text: str
    kind: str
    reads: frozenset[str] = frozenset()
    atom: bool = True
    """Whether it stands anywhere without parentheses."""
    constant: bool = False
    """Whether it points into a table, which nothing changes."""

    @property
    def closed(self) -> str:
        return self.text if self.atom else f"({self.text})"


@dataclass
class Expressions:
    """What the values of one function are, as far as they are known. Tables are known by their C names and element types."""

    parts: FunctionParts
    kinds: list[str]
    tables: Mapping[str, tuple[str, str]]
    """C name and element type of every constant table."""
    functions: Mapping[str, str] = field(default_factory=dict)
    """C name of every table of functions, by its name."""

    def __post_init__(self) -> None:
        both = zip(self.parts.names, self.kinds, strict=True)
        self._values: dict[str, CValue] = {f"%p{k}": CValue(name, kind) for k, (name, kind) in enumerate(both)}
        self._pending: dict[str, CValue] = {}
        """Values that are used once and not yet."""
        self._variables: dict[str, str] = {}
        """C types of the variables, by name."""

    def _call(self, name: str, taken: str) -> str:
        """A call of a function of the module."""
        raise NotImplementedError

    def _operand(self, text: str, kind: str = "") -> CValue:
        """A name or a constant as an expression; a value that waited is written here."""
        if text in self._pending:
            value = self._pending.pop(text)
            return value
        if text in self._values:
            return self._values[text]
        if text in self.tables:
            name, element = self.tables[text]
            return CValue(name, f"{element} *", constant=True)
        if text in ("true", "false"):
            return CValue("1" if text == "true" else "0", "int")
        if _HEXADECIMAL.fullmatch(text):
            x = struct.unpack("<d", struct.pack("<Q", int(text, 16)))[0]
            return _number(x)
        if re.fullmatch(r"-?\d+", text):
            if kind == "i1":
                return CValue("0" if text == "0" else "1", "int")
            return CValue(text, "int64_t", atom=not text.startswith("-"))
        raise TraceError(f"{self.parts.symbol}: {text} is not known where it is used")

    def _computed(self, right: str) -> CValue:
        operation = right.split()[0]
        if operation == "getelementptr":
            return self._element(right)
        if operation == "load":
            return self._load(right)
        if operation == "call":
            return self._function(right)
        if operation == "select":
            return self._select(right)
        if operation in ("icmp", "fcmp"):
            return self._comparison(right)
        if operation == "fneg":
            x = self._operand(right.rpartition(" ")[2])
            return CValue(f"-{x.closed}", "double", x.reads, False)
        if found := re.match(r"bitcast i1 (\S+) to i1$", right):
            return self._operand(found[1])
        if found := re.match(r"(sitofp i64|uitofp i1) (\S+) to double$", right):
            x = self._operand(found[2])
            return CValue(f"(double){x.closed}", "double", x.reads, False)
        if found := re.match(r"zext i1 (\S+) to i64$", right):
            x = self._operand(found[1])
            return CValue(f"(int64_t){x.closed}", "int64_t", x.reads, False)
        if found := re.match(r"(\w+)(?: contract)? (double|i64|i1) (\S+), (\S+)$", right):
            return self._binary(*found.groups())
        raise TraceError(f"{self.parts.symbol}: this instruction cannot be written in C: {right}")

    def _binary(self, operation: str, kind: str, a: str, b: str) -> CValue:
        left, right = self._operand(a, kind), self._operand(b, kind)
        reads = left.reads | right.reads
        if kind == "i1" and operation == "xor" and b == "true":
            return CValue(f"!{left.closed}", "int", reads, False)
        if kind == "i1" and operation in _LOGIC:
            return CValue(f"{left.closed} {_LOGIC[operation]} {right.closed}", "int", reads, False)
        if kind == "i64" and operation == "xor":
            return CValue(f"{left.closed} ^ {right.closed}", "int64_t", reads, False)
        if kind == "i64" and operation == "add" and b == "0":
            return left
        if operation not in _BINARY or kind == "i1":
            raise TraceError(f"{self.parts.symbol}: {operation} {kind} cannot be written in C")
        return CValue(f"{left.closed} {_BINARY[operation]} {right.closed}", TYPES[kind], reads, False)

    def _comparison(self, right: str) -> CValue:
        found = re.match(r"(icmp|fcmp) (\w+) (double|i64|i1) (\S+), (\S+)$", right)
        if found is None:
            raise TraceError(f"{self.parts.symbol}: this instruction cannot be written in C: {right}")
        _, how, kind, a, b = found.groups()
        left, other = self._operand(a, kind), self._operand(b, kind)
        reads = left.reads | other.reads
        if kind == "i1":
            holds = (how == "ne") == (b == "0")
            return left if holds else CValue(f"!{left.closed}", "int", reads, False)
        if how == "uno" and a == b:
            return CValue(f"{left.closed} != {left.closed}", "int", reads, False)
        signs = _INTEGERS if found[1] == "icmp" else _ORDERED
        if how == "ugt":
            return CValue(f"!({left.closed} <= {other.closed})", "int", reads)
        if how not in signs:
            raise TraceError(f"{self.parts.symbol}: the comparison {how} cannot be written in C")
        return CValue(f"{left.closed} {signs[how]} {other.closed}", "int", reads, False)

    def _select(self, right: str) -> CValue:
        found = re.match(r"select i1 (\S+), (\w+) (\S+), \w+ (\S+)$", right)
        if found is None:
            raise TraceError(f"{self.parts.symbol}: this instruction cannot be written in C: {right}")
        condition = self._operand(found[1])
        yes, no = self._operand(found[3], found[2]), self._operand(found[4], found[2])
        reads = condition.reads | yes.reads | no.reads
        return CValue(f"{condition.closed} ? {yes.closed} : {no.closed}", TYPES[found[2]], reads, False)

    def _element(self, right: str) -> CValue:
        found = re.match(r"getelementptr (.+?), ptr (\S+), i64 (\S+)$", right)
        if found is None:
            raise TraceError(f"{self.parts.symbol}: this instruction cannot be written in C: {right}")
        kind, base, index = found.groups()
        if base in self.functions:
            i = self._operand(index)
            return CValue(f"{self.functions[base]}[{i.text}]", "function", i.reads)
        if kind not in ("[1 x double]", "double", "i64"):
            raise TraceError(f"{self.parts.symbol}: an element of type {kind} cannot be written in C")
        element = "int64_t" if kind == "i64" else "double"
        p, i = self._pointer(base, element), self._operand(index)
        if i.text == "0":
            return p
        return CValue(f"{p.text} + {i.closed}", f"{element} *", p.reads | i.reads, False, p.constant)

    def _pointer(self, base: str, element: str) -> CValue:
        if base in self.tables:
            return CValue(self.tables[base][0], f"{element} *", constant=True)
        p = self._operand(base)
        if p.kind != f"{element} *":
            raise TraceError(f"{self.parts.symbol}: {base} is read as {element}, but it is {p.kind}")
        return p

    def _load(self, right: str) -> CValue:
        found = re.match(r"load (\w+), ptr (\S+?)(?:, align \d+)?$", right)
        if found is None:
            raise TraceError(f"{self.parts.symbol}: this instruction cannot be written in C: {right}")
        kind, place = found.groups()
        if place in self._variables:
            name = c_identifier(place)
            return CValue(name, TYPES[kind], frozenset({name}))
        if kind == "ptr":
            return self._operand(place)
        p = self._pointer(place, TYPES[kind])
        return CValue(element_at(p), TYPES[kind], p.reads if p.constant else p.reads | {MEMORY})

    def _function(self, right: str) -> CValue:
        found = re.match(r"call (\w+) (@[\w.]+|%[\w.]+)\((.*)\)$", right)
        if found is None:
            raise TraceError(f"{self.parts.symbol}: this instruction cannot be written in C: {right}")
        result, name, taken = found.groups()
        if result == "i64":
            return CValue(self._call(name, taken), "int64_t")
        passed = [self._operand(x.rpartition(" ")[2]) for x in taken.split(", ")]
        reads = frozenset().union(*(x.reads for x in passed))
        if name == "@llvm.fmuladd.f64":
            a, b, c = (x.closed for x in passed)
            return CValue(f"{a}*{b} + {c}", "double", reads, False)
        plain = re.match(r"@llvm\.(\w+)\.f64$", name)
        if plain and plain[1] not in _INTRINSICS:
            raise TraceError(f"{self.parts.symbol}: {name} cannot be written in C")
        function = _INTRINSICS[plain[1]] if plain else name[1:]
        return CValue(f"{function}({', '.join(x.text for x in passed)})", "double", reads)


def c_identifier(name: str) -> str:
    return name[1:].replace(".", "_")


def passed(x: CValue) -> str:
    """An argument. Functions do not say which arrays they only read, so that tables are passed as if they could be written."""
    return f"({x.kind})({x.text})" if x.constant else x.text


def element_at(p: CValue) -> str:
    """The element that a pointer points to."""
    base, plus, index = p.text.partition(" + ")
    return f"{base}[{index}]" if plus else f"{p.text}[0]"


def _number(x: float) -> CValue:
    if x != x or x in (float("inf"), float("-inf")):
        text = "NAN" if x != x else "INFINITY" if x > 0 else "-INFINITY"
        return CValue(text, "double", atom=not text.startswith("-"))
    return CValue(repr(x), "double", atom=not repr(x).startswith("-"))
