"""A driver function as C99: its instructions put back together into expressions, its jumps into loops and branches.

Driver functions are written as LLVM's instructions by `FunctionBuilder`, in an order that nested `with` blocks gave them; what stands
here undoes that, for one lane. A value that is used once is written where it is used, unless memory that it read may have changed by
then. Everything that is not known here is refused, so that nothing is left out without a word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from dalembert.errors import TraceError
from dalembert.trace.native.c99.c_values import MEMORY, CValue, Expressions, c_identifier, element_at, passed
from dalembert.trace.native.c99.function_parts import NAME, TYPES


@dataclass
class _Loop:
    label: str
    begun: bool = False
    """Whether anything was written since its test began."""
    head: int = 0
    """The place of its first line."""
    jumped: bool = False
    """Whether something goes on with its next turn."""


@dataclass
class DriverSource(Expressions):
    """Writes the body of one function. `called` gives the C name of a function of the module."""

    called: Callable[[str], str] = str
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._depth = 1
        self._uses: Counter[str] = Counter()
        for line in self.parts.lines:
            self._uses.update(NAME.findall(line.partition(" = ")[2] if line.startswith("%") else line))
        self._declared: set[str] = set()
        self._loops: list[_Loop] = []

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

    def _keep_now(self, name: str, value: CValue) -> None:
        """A constant of its own, from here on."""
        text = c_identifier(name)
        if self._uses[name]:
            self._begin()
            self._say(f"{_declared(value.kind, text)} = {value.text};")
            self._values[name] = CValue(text, value.kind)
        else:
            self._say(f"{value.text};")

    def _begin(self) -> None:
        for loop in self._loops:
            loop.begun = True

    def _settle(self, changed: Callable[[CValue], bool]) -> None:
        """Values that wait to be used, and have read what changes now, are computed before."""
        for name in [n for n, v in self._pending.items() if changed(v)]:
            self._keep_now(name, self._pending.pop(name))

    def _settle_all(self) -> None:
        self._settle(lambda v: True)

    def _allocate(self, name: str, right: str) -> None:
        if found := re.match(r"alloca \[(\d+) x (\w+)\]", right):
            if self._uses[name]:
                self._say(f"{TYPES[found[2]]} {c_identifier(name)}[{max(1, int(found[1]))}];")
                self._values[name] = CValue(c_identifier(name), f"{TYPES[found[2]]} *")
            return
        kind = right.split()[1].rstrip(",")
        self._variables[name] = TYPES[kind]

    # -- effects -------------------------------------------------------------------------------------------------------
    def _store(self, line: str) -> None:
        found = re.match(r"store (\w+) (\S+), ptr (\S+?)(?:, align \d+)?$", line)
        if found is None:
            raise TraceError(f"{self.parts.symbol}: this instruction cannot be written in C: {line}")
        kind, what, place = found.groups()
        value = self._operand(what, kind)
        if place in self._variables:
            name = c_identifier(place)
            self._settle(lambda v: name in v.reads)
            first = place not in self._declared
            self._declared.add(place)
            self._begin()
            self._say(f"{self._variables[place] + ' ' if first else ''}{name} = {value.text};")
            return
        p = self._pointer(place, TYPES[kind])
        self._settle(lambda v: MEMORY in v.reads)
        self._begin()
        self._say(f"{element_at(p)} = {value.text};")

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
        arguments = [self._operand(x.rpartition(" ")[2]) for x in taken.split(", ")] if taken else []
        self._settle(lambda v: MEMORY in v.reads)
        function = self._operand(name).text if name.startswith("%") else self.called(name[1:])
        return f"{function}({', '.join(passed(x) for x in arguments)})"

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
                self.lines.append("    " * (self._depth - 1) + f"  {c_identifier('%' + stem)}_next:;")
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
            self._say(f"if ({if_.text}) goto {c_identifier('%' + stem)}_next;")
        else:
            raise TraceError(f"{self.parts.symbol}: a branch to {yes} or {no} cannot be written in C")


def _declared(kind: str, name: str) -> str:
    return f"{kind}{name}" if kind.endswith("*") else f"const {kind} {name}"
