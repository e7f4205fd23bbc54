"""A driver function as C99: its instructions put back together into expressions, its jumps into loops and branches.

Driver functions are written as LLVM's instructions by `FunctionBuilder`, in an order that nested `with` blocks gave them; what stands
here undoes that, for one lane. A value that is used once is written where it is used, unless memory that it read may have changed by
then. Everything that is not known here is refused, so that nothing is left out without a word.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from dalembert.errors import TraceError
from dalembert.trace.text.routine import safe_identifiers

MEMORY = "memory"
"""What a value has read that lies in an array."""

_NAME = re.compile(r"%[\w.]+|@[\w.]+")
_HEXADECIMAL = re.compile(r"0x[0-9A-F]{16}")
_TYPES = {"double": "double", "i64": "int64_t", "i1": "int"}
_BINARY = {"fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/", "add": "+", "sub": "-", "mul": "*", "sdiv": "/", "srem": "%"}
_LOGIC = {"and": "&&", "or": "||"}
_INTEGERS = {"slt": "<", "sle": "<=", "sgt": ">", "sge": ">=", "eq": "==", "ne": "!="}
_ORDERED = {"olt": "<", "ole": "<=", "ogt": ">", "oge": ">=", "oeq": "==", "une": "!="}
_INTRINSICS = {"sqrt": "sqrt", "fabs": "fabs", "floor": "floor", "copysign": "copysign"}


@dataclass(frozen=True)
class _Value:
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
class _Loop:
    label: str
    begun: bool = False
    """Whether anything was written since its test began."""
    head: int = 0
    """The place of its first line."""
    jumped: bool = False
    """Whether something goes on with its next turn."""


@dataclass(frozen=True)
class FunctionParts:
    """Head and instructions of a function in LLVM's text."""

    symbol: str
    status: bool
    parameters: tuple[str, ...]
    """LLVM's types."""
    names: tuple[str, ...]
    lines: tuple[str, ...]


def function_parts(text: str, names: Sequence[str]) -> FunctionParts:
    """A definition taken apart, with the names of its parameters."""
    head, *lines = [line.strip() for line in text.split("\n")]
    found = re.match(r"define (internal )?(\w+) @([\w.]+)\((.*)\) \w", head)
    if found is None or lines[-1] != "}":
        raise TraceError(f"this function cannot be written in C: {head}")
    _, result, symbol, taken = found.groups()
    kinds = tuple(part.split()[0] for part in taken.split(", ")) if taken else ()
    called = safe_identifiers(names)
    return FunctionParts(symbol, result == "i64", kinds, tuple(called[name] for name in names), _alive(tuple(lines[:-1])))


def pointer_kinds(parts: FunctionParts, callees: Mapping[str, list[str]]) -> list[str]:
    """C types of the parameters: pointers by what is read through them, or by what they are passed on as."""
    of: dict[str, str] = {}
    for line in parts.lines:
        if found := re.match(r"(%[\w.]+) = getelementptr (.+?), ptr (%[\w.]+), i64", line):
            kind = "int64_t" if found[2] == "i64" else "double"
            of.setdefault(found[3], kind)
        if found := re.search(r"call \w+ @([\w.]+)\((.*)\)", line):
            for passed, kind in zip(found[2].split(", "), callees.get(found[1], []), strict=False):
                if passed.startswith("ptr %") and kind.endswith("*"):
                    of.setdefault(passed[4:], kind[:-2])
    return [
        f"{of.get(f'%p{k}', 'double')} *" if kind == "ptr" else _TYPES[kind] for k, kind in enumerate(parts.parameters)
    ]


def _alive(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Lines without values that nothing uses, and without variables that nothing reads."""
    while True:
        read = {found[1] for line in lines if (found := re.search(r"= load \w+, ptr (%[\w.]+)", line))}
        read |= {x for line in lines if not line.startswith("store") for x in _NAME.findall(line.partition(" = ")[2] or line)}
        needed: set[str] = set()
        kept = []
        for line in reversed(lines):
            name, is_value, right = line.partition(" = ")
            if is_value and name.startswith("%"):
                wanted = name in needed or right.startswith("call i64") or (right.startswith("alloca") and name in read)
            else:
                stored = re.match(r"store \w+ \S+, ptr (%[\w.]+)", line)
                wanted = not stored or stored[1] in read or not _allocated(stored[1], lines)
                right = line
            if wanted:
                needed.update(_NAME.findall(right))
                kept.append(line)
        kept.reverse()
        if len(kept) == len(lines):
            return lines
        lines = tuple(kept)


def _allocated(name: str, lines: tuple[str, ...]) -> bool:
    return any(line.startswith(f"{name} = alloca") for line in lines)


@dataclass
class DriverSource:
    """Writes the body of one function. `called` gives the C name of a function of the module, `tables` that of a table."""

    parts: FunctionParts
    kinds: list[str]
    called: Callable[[str], str]
    callees: Mapping[str, list[str]]
    tables: Mapping[str, tuple[str, str]]
    """C name and element type of every constant table."""
    functions: Mapping[str, str] = field(default_factory=dict)
    """C name of every table of functions, by its name."""
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._depth = 1
        self._values: dict[str, _Value] = {
            f"%p{k}": _Value(name, kind) for k, (name, kind) in enumerate(zip(self.parts.names, self.kinds, strict=True))
        }
        self._uses: Counter[str] = Counter()
        for line in self.parts.lines:
            self._uses.update(_NAME.findall(line.partition(" = ")[2] if line.startswith("%") else line))
        self._variables: dict[str, str] = {}
        """C types of the variables, by name; in capitals once they are declared."""
        self._declared: set[str] = set()
        self._pending: dict[str, _Value] = {}
        self._loops: list[_Loop] = []
        self._ended = False

    def body(self) -> list[str]:
        """The lines between the braces."""
        for k, name in enumerate(self.parts.names):
            if not self._uses[f"%p{k}"]:
                self._say(f"(void){name};")
        for line in self.parts.lines:
            self._instruction(line)
        return self.lines

    # -- writing -------------------------------------------------------------------------------------------------------
    def _say(self, text: str) -> None:
        self.lines.append("    " * self._depth + text)

    def _instruction(self, line: str) -> None:
        if line.endswith(":"):
            return self._label(line[:-1])
        if line.startswith("br label"):
            return self._go_to(line.rpartition("%")[2])
        if found := re.match(r"br i1 (\S+), label %([\w.]+), label %([\w.]+)", line):
            return self._branch(*found.groups())
        if line.startswith("ret"):
            return self._return(line)
        if line.startswith("store"):
            return self._store(line)
        if line.startswith("call void"):
            return self._procedure(line)
        name, _, right = line.partition(" = ")
        if not name.startswith("%") or not right:
            raise TraceError(f"this instruction cannot be written in C: {line}")
        return self._define(name, right)

    def _operand(self, text: str, kind: str = "") -> _Value:
        """A name or a constant as an expression; a value that waited is written here."""
        if text in self._pending:
            value = self._pending.pop(text)
            return value
        if text in self._values:
            return self._values[text]
        if text in self.tables:
            name, element = self.tables[text]
            return _Value(name, f"{element} *", constant=True)
        if text in ("true", "false"):
            return _Value("1" if text == "true" else "0", "int")
        if _HEXADECIMAL.fullmatch(text):
            x = struct.unpack("<d", struct.pack("<Q", int(text, 16)))[0]
            return _number(x)
        if re.fullmatch(r"-?\d+", text):
            if kind == "i1":
                return _Value("0" if text == "0" else "1", "int")
            return _Value(text, "int64_t", atom=not text.startswith("-"))
        raise TraceError(f"{self.parts.symbol}: {text} is not known where it is used")

    def _define(self, name: str, right: str) -> None:
        if right.startswith("alloca"):
            return self._allocate(name, right)
        if not self._uses[name] and not right.startswith("call i64"):
            return None
        value = self._computed(right)
        cheap = value.kind.endswith("*") and value.atom
        if right.startswith("call i64"):
            return self._keep_now(name, value)
        if self._uses[name] == 1 or cheap:
            if cheap and not value.reads:
                self._values[name] = value
            else:
                self._pending[name] = value
            return None
        return self._keep_now(name, value)

    def _keep_now(self, name: str, value: _Value) -> None:
        """A constant of its own, from here on."""
        text = _identifier(name)
        if self._uses[name]:
            self._begin()
            self._say(f"{_declared(value.kind, text)} = {value.text};")
            self._values[name] = _Value(text, value.kind)
        else:
            self._say(f"{value.text};")

    def _begin(self) -> None:
        for loop in self._loops:
            loop.begun = True

    def _settle(self, changed: Callable[[_Value], bool]) -> None:
        """Values that wait to be used, and have read what changes now, are computed before."""
        for name in [n for n, v in self._pending.items() if changed(v)]:
            self._keep_now(name, self._pending.pop(name))

    def _settle_all(self) -> None:
        self._settle(lambda v: True)

    # -- values --------------------------------------------------------------------------------------------------------
    def _allocate(self, name: str, right: str) -> None:
        if found := re.match(r"alloca \[(\d+) x (\w+)\]", right):
            if self._uses[name]:
                self._say(f"{_TYPES[found[2]]} {_identifier(name)}[{max(1, int(found[1]))}];")
                self._values[name] = _Value(_identifier(name), f"{_TYPES[found[2]]} *")
            return
        kind = right.split()[1].rstrip(",")
        self._variables[name] = _TYPES[kind]

    def _computed(self, right: str) -> _Value:
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
            return _Value(f"-{x.closed}", "double", x.reads, False)
        if found := re.match(r"bitcast i1 (\S+) to i1$", right):
            return self._operand(found[1])
        if found := re.match(r"(sitofp i64|uitofp i1) (\S+) to double$", right):
            x = self._operand(found[2])
            return _Value(f"(double){x.closed}", "double", x.reads, False)
        if found := re.match(r"zext i1 (\S+) to i64$", right):
            x = self._operand(found[1])
            return _Value(f"(int64_t){x.closed}", "int64_t", x.reads, False)
        if found := re.match(r"(\w+)(?: contract)? (double|i64|i1) (\S+), (\S+)$", right):
            return self._binary(*found.groups())
        raise TraceError(f"{self.parts.symbol}: this instruction cannot be written in C: {right}")

    def _binary(self, operation: str, kind: str, a: str, b: str) -> _Value:
        left, right = self._operand(a, kind), self._operand(b, kind)
        reads = left.reads | right.reads
        if kind == "i1" and operation == "xor" and b == "true":
            return _Value(f"!{left.closed}", "int", reads, False)
        if kind == "i1" and operation in _LOGIC:
            return _Value(f"{left.closed} {_LOGIC[operation]} {right.closed}", "int", reads, False)
        if kind == "i64" and operation == "xor":
            return _Value(f"{left.closed} ^ {right.closed}", "int64_t", reads, False)
        if kind == "i64" and operation == "add" and b == "0":
            return left
        if operation not in _BINARY or kind == "i1":
            raise TraceError(f"{self.parts.symbol}: {operation} {kind} cannot be written in C")
        return _Value(f"{left.closed} {_BINARY[operation]} {right.closed}", _TYPES[kind], reads, False)

    def _comparison(self, right: str) -> _Value:
        found = re.match(r"(icmp|fcmp) (\w+) (double|i64|i1) (\S+), (\S+)$", right)
        if found is None:
            raise TraceError(f"{self.parts.symbol}: this instruction cannot be written in C: {right}")
        _, how, kind, a, b = found.groups()
        left, other = self._operand(a, kind), self._operand(b, kind)
        reads = left.reads | other.reads
        if kind == "i1":
            holds = (how == "ne") == (b == "0")
            return left if holds else _Value(f"!{left.closed}", "int", reads, False)
        if how == "uno" and a == b:
            return _Value(f"{left.closed} != {left.closed}", "int", reads, False)
        signs = _INTEGERS if found[1] == "icmp" else _ORDERED
        if how == "ugt":
            return _Value(f"!({left.closed} <= {other.closed})", "int", reads)
        if how not in signs:
            raise TraceError(f"{self.parts.symbol}: the comparison {how} cannot be written in C")
        return _Value(f"{left.closed} {signs[how]} {other.closed}", "int", reads, False)

    def _select(self, right: str) -> _Value:
        found = re.match(r"select i1 (\S+), (\w+) (\S+), \w+ (\S+)$", right)
        if found is None:
            raise TraceError(f"{self.parts.symbol}: this instruction cannot be written in C: {right}")
        condition = self._operand(found[1])
        yes, no = self._operand(found[3], found[2]), self._operand(found[4], found[2])
        reads = condition.reads | yes.reads | no.reads
        return _Value(f"{condition.closed} ? {yes.closed} : {no.closed}", _TYPES[found[2]], reads, False)

    def _element(self, right: str) -> _Value:
        found = re.match(r"getelementptr (.+?), ptr (\S+), i64 (\S+)$", right)
        if found is None:
            raise TraceError(f"{self.parts.symbol}: this instruction cannot be written in C: {right}")
        kind, base, index = found.groups()
        if base in self.functions:
            i = self._operand(index)
            return _Value(f"{self.functions[base]}[{i.text}]", "function", i.reads)
        if kind not in ("[1 x double]", "double", "i64"):
            raise TraceError(f"{self.parts.symbol}: an element of type {kind} cannot be written in C")
        element = "int64_t" if kind == "i64" else "double"
        p, i = self._pointer(base, element), self._operand(index)
        if i.text == "0":
            return p
        return _Value(f"{p.text} + {i.closed}", f"{element} *", p.reads | i.reads, False, p.constant)

    def _pointer(self, base: str, element: str) -> _Value:
        if base in self.tables:
            return _Value(self.tables[base][0], f"{element} *", constant=True)
        p = self._operand(base)
        if p.kind != f"{element} *":
            raise TraceError(f"{self.parts.symbol}: {base} is read as {element}, but it is {p.kind}")
        return p

    def _load(self, right: str) -> _Value:
        found = re.match(r"load (\w+), ptr (\S+?)(?:, align \d+)?$", right)
        if found is None:
            raise TraceError(f"{self.parts.symbol}: this instruction cannot be written in C: {right}")
        kind, place = found.groups()
        if place in self._variables:
            name = _identifier(place)
            return _Value(name, _TYPES[kind], frozenset({name}))
        if kind == "ptr":
            return self._operand(place)
        p = self._pointer(place, _TYPES[kind])
        return _Value(_at(p), _TYPES[kind], p.reads if p.constant else p.reads | {MEMORY})

    def _function(self, right: str) -> _Value:
        found = re.match(r"call (\w+) (@[\w.]+|%[\w.]+)\((.*)\)$", right)
        if found is None:
            raise TraceError(f"{self.parts.symbol}: this instruction cannot be written in C: {right}")
        result, name, taken = found.groups()
        if result == "i64":
            return _Value(self._call(name, taken), "int64_t")
        passed = [self._operand(x.rpartition(" ")[2]) for x in taken.split(", ")]
        reads = frozenset().union(*(x.reads for x in passed))
        if name == "@llvm.fmuladd.f64":
            a, b, c = (x.closed for x in passed)
            return _Value(f"{a}*{b} + {c}", "double", reads, False)
        plain = re.match(r"@llvm\.(\w+)\.f64$", name)
        if plain and plain[1] not in _INTRINSICS:
            raise TraceError(f"{self.parts.symbol}: {name} cannot be written in C")
        function = _INTRINSICS[plain[1]] if plain else name[1:]
        return _Value(f"{function}({', '.join(x.text for x in passed)})", "double", reads)

    # -- effects -------------------------------------------------------------------------------------------------------
    def _store(self, line: str) -> None:
        found = re.match(r"store (\w+) (\S+), ptr (\S+?)(?:, align \d+)?$", line)
        if found is None:
            raise TraceError(f"{self.parts.symbol}: this instruction cannot be written in C: {line}")
        kind, what, place = found.groups()
        value = self._operand(what, kind)
        if place in self._variables:
            name = _identifier(place)
            self._settle(lambda v: name in v.reads)
            first = place not in self._declared
            self._declared.add(place)
            self._begin()
            self._say(f"{self._variables[place] + ' ' if first else ''}{name} = {value.text};")
            return
        p = self._pointer(place, _TYPES[kind])
        self._settle(lambda v: MEMORY in v.reads)
        self._begin()
        self._say(f"{_at(p)} = {value.text};")

    def _procedure(self, line: str) -> None:
        found = re.match(r"call void (@[\w.]+|%[\w.]+)\((.*)\)$", line)
        if found is None:
            raise TraceError(f"{self.parts.symbol}: this instruction cannot be written in C: {line}")
        name, taken = found.groups()
        if name.startswith("@llvm.memset"):
            place, _, size, _ = (x.rpartition(" ")[2] for x in taken.split(", "))
            text = f"memset({self._operand(place).text}, 0, {int(size)})"
        else:
            text = self._call(name, taken)
        self._begin()
        self._say(f"{text};")

    def _call(self, name: str, taken: str) -> str:
        """A call of a function of the module: what waits and has read memory is computed before."""
        passed = [self._operand(x.rpartition(" ")[2]) for x in taken.split(", ")] if taken else []
        self._settle(lambda v: MEMORY in v.reads)
        if name.startswith("%"):
            function = self._operand(name).text
        else:
            function = self.called(name[1:])
        return f"{function}({', '.join(_passed(x) for x in passed)})"

    def _return(self, line: str) -> None:
        value = "" if line == "ret void" else f" {self._operand(line.rpartition(' ')[2]).text}"
        self._begin()
        self._say(f"return{value};")

    # -- loops and branches --------------------------------------------------------------------------------------------
    def _label(self, label: str) -> None:
        stem, _, role = label.rpartition(".")
        self._settle_all()
        if role == "test":
            self._loops.append(_Loop(stem, head=len(self.lines)))
            self._say("for (;;) {")
            self._depth += 1
        elif role == "next":
            if self._loops[-1].jumped:
                self.lines.append("    " * (self._depth - 1) + f"  {_identifier('%' + stem)}_next:;")
        elif role == "done":
            self._depth -= 1
            self._say("}")
            self._loops.pop()
        elif role == "else":
            self._depth -= 1
            self._say("} else {")
            self._depth += 1
        elif role == "end":
            self._depth -= 1
            if self.lines[-1].strip() == "} else {":
                self.lines.pop()
            self._say("}")
        elif role not in ("turn", "yes", "onward", "unreachable"):
            raise TraceError(f"{self.parts.symbol}: the label {label} cannot be written in C")

    def _go_to(self, label: str) -> None:
        role = label.rpartition(".")[2]
        if role not in ("test", "next", "end"):
            raise TraceError(f"{self.parts.symbol}: a jump to {label} cannot be written in C")

    def _branch(self, condition: str, yes: str, no: str) -> None:
        if_ = self._operand(condition)
        self._settle_all()
        stem, _, role = yes.rpartition(".")
        if role == "turn":
            loop = self._loops[-1]
            if loop.begun:
                self._say(f"if (!{if_.closed}) break;")
            else:
                self.lines[loop.head] = "    " * (self._depth - 1) + f"while ({if_.text}) {{"
            return
        self._begin()
        if role == "yes":
            self._say(f"if ({if_.text}) {{")
            self._depth += 1
        elif role == "done" and self._loops[-1].label == stem:
            self._say(f"if ({if_.text}) break;")
        elif role == "next" and self._loops[-1].label == stem:
            self._loops[-1].jumped = True
            self._say(f"if ({if_.text}) goto {_identifier('%' + stem)}_next;")
        else:
            raise TraceError(f"{self.parts.symbol}: a branch to {yes} or {no} cannot be written in C")


def _identifier(name: str) -> str:
    return name[1:].replace(".", "_")


def _declared(kind: str, name: str) -> str:
    return f"{kind}{name}" if kind.endswith("*") else f"const {kind} {name}"


def _passed(x: _Value) -> str:
    """An argument. Functions do not say which arrays they only read, so that tables are passed as if they could be written."""
    return f"({x.kind})({x.text})" if x.constant else x.text


def _at(p: _Value) -> str:
    """The element that a pointer points to."""
    base, plus, index = p.text.partition(" + ")
    return f"{base}[{index}]" if plus else f"{p.text}[0]"


def _number(x: float) -> _Value:
    if x != x or x in (float("inf"), float("-inf")):
        text = "NAN" if x != x else "INFINITY" if x > 0 else "-INFINITY"
        return _Value(text, "double", atom=not text.startswith("-"))
    return _Value(repr(x), "double", atom=not repr(x).startswith("-"))
