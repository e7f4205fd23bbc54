"""A `Module` as the text of one C99 file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dalembert.errors import TraceError
from dalembert.trace.native.c99.block_source import block_head, block_operations, block_source
from dalembert.trace.native.c99.driver_source import DriverSource
from dalembert.trace.native.c99.function_parts import FunctionParts, function_parts, pointer_kinds
from dalembert.trace.native.driver.constant_tables import FunctionTable, IntTable, RealTable
from dalembert.trace.native.driver.signature import Signature
from dalembert.trace.native.module import Module
from dalembert.trace.text.c import c_helpers

PER_LINE = 8
"""Numbers of a table in a line."""


@dataclass(frozen=True)
class CModule:
    """The source without its head, and a prototype for every function that is offered."""

    source: str
    prototypes: tuple[str, ...]


def c_module(module: Module, prefix: str, offered: Sequence[str], static: bool = False) -> CModule:
    """The functions of this name in a module, and those that they call, every name with the prefix. Those that are not offered are
    static, and with `static` all are."""
    return _ModuleWriter(module, prefix, offered, static).written()


class _ModuleWriter:
    def __init__(self, module: Module, prefix: str, offered: Sequence[str], static: bool) -> None:
        self.prefix, self.static = prefix, static
        self.blocks = {signature.symbol: block for signature, block in module.blocks.items()}
        self.drivers = {
            symbol: function_parts(module.text.definition(symbol), names) for symbol, names in module.drivers.items()
        }
        self.roots = [Signature(name, ()).symbol for name in offered]
        missing = [name for name, symbol in zip(offered, self.roots) if symbol not in self.drivers | self.blocks]
        if missing:
            raise TraceError(f"the module has no function {missing[0]!r}")
        self.tables = module.tables
        alike: dict[Any, str] = {}
        """Names of tables by their kind and numbers: what several blocks need is written once."""
        self.names = {
            t.name: (
                alike.setdefault((type(t), t.values), f"{prefix}_{t.name[1:].replace('.', '_')}"),
                "int64_t" if isinstance(t, IntTable) else "double",
            )
            for t in self.tables.values()
            if not isinstance(t, FunctionTable)
        }
        self.function_tables = {
            t.name: f"{prefix}_{t.name[1:].replace('.', '_')}"
            for t in self.tables.values()
            if isinstance(t, FunctionTable)
        }
        self.chosen = {
            f.inner_symbol for t in self.tables.values() if isinstance(t, FunctionTable) for f in t.functions
        }
        self.kinds: dict[str, list[str]] = {s: ["double *"] * len(b.arrays) for s, b in self.blocks.items()}
        for symbol, parts in self.drivers.items():  # functions stand behind those that they call
            self.kinds[symbol] = pointer_kinds(parts, self.kinds)

    def written(self) -> CModule:
        used = self._reached()
        heads = {symbol: self._head(symbol) for symbol in used}
        ahead = [
            f"{head};" for symbol, head in heads.items() if symbol in self.chosen
        ]  # tables name them before they are written
        lines = [*self._helpers(used), *ahead, ""]
        lines += self._tables(used)
        for symbol in used:
            if symbol in self.blocks:
                lines.append(block_source(self.blocks[symbol], heads[symbol]))
            else:
                lines.append("\n".join([heads[symbol], "{", *self._body(self.drivers[symbol]), "}", ""]))
        return CModule("\n".join(lines), tuple(heads[symbol] for symbol in self.roots))

    def _name(self, symbol: str) -> str:
        return f"{self.prefix}_{symbol.removeprefix('k.').replace('.', '_')}"

    def _head(self, symbol: str) -> str:
        static = "static " if self.static or symbol not in self.roots else ""
        if symbol in self.blocks:
            head = block_head(self.blocks[symbol], self._name(symbol), symbol in self.chosen)
            return head if static else head.removeprefix("static ")
        parts = self.drivers[symbol]
        both = zip(self.kinds[symbol], parts.names, strict=True)
        taken = [f"{kind}{name}" if kind.endswith("*") else f"{kind} {name}" for kind, name in both]
        return f"{static}{'int64_t' if parts.status else 'void'} {self._name(symbol)}({', '.join(taken) or 'void'})"

    def _body(self, parts: FunctionParts) -> list[str]:
        return DriverSource(parts, self.kinds[parts.symbol], self.names, self.function_tables, self._name).body()

    def _reached(self) -> list[str]:
        """Functions that are offered or called by one that is, in the order in which they were written."""
        found, waiting = set(), list(self.roots)
        while waiting:
            symbol = waiting.pop()
            if symbol in found:
                continue
            found.add(symbol)
            if symbol in self.drivers:
                waiting += [name for name in self._mentioned(symbol) if name in self.kinds]
        return [symbol for symbol in self.kinds if symbol in found]

    def _mentioned(self, symbol: str) -> Iterable[str]:
        """Functions and tables that a driver function names, and functions in these tables."""
        for name in re.findall(r"@([\w.]+)", "\n".join(self.drivers[symbol].lines)):
            yield name
            table = self.tables.get(f"@{name}")
            if isinstance(table, FunctionTable):
                yield from (f.inner_symbol for f in table.functions)

    def _helpers(self, used: Sequence[str]) -> list[str]:
        operations = {op for symbol in used if symbol in self.blocks for op in block_operations(self.blocks[symbol])}
        return c_helpers(operations)

    def _tables(self, used: Sequence[str]) -> list[str]:
        mentioned = {name for symbol in used if symbol in self.drivers for name in self._mentioned(symbol)}
        lines, written = [], set()
        for name, table in self.tables.items():
            if name[1:] not in mentioned:
                continue
            if isinstance(table, FunctionTable):
                lines.append(self._function_table(table))
            elif self.names[name] not in written:
                written.add(self.names[name])
                lines += _numbers(*self.names[name], table)
        return [*lines, ""]

    def _function_table(self, table: FunctionTable) -> str:
        first = table.functions[0]
        kinds = ", ".join(self.kinds[first.inner_symbol])
        members = ", ".join(self._name(f.inner_symbol) for f in table.functions)
        result = "int64_t" if first.status else "void"
        return f"static {result} (*const {self.function_tables[table.name]}[{len(table.functions)}])({kinds}) = {{{members}}};"


def _numbers(name: str, kind: str, table: IntTable | RealTable) -> list[str]:
    values = [repr(x) for x in table.values] or ["0"]
    rows = [", ".join(values[k : k + PER_LINE]) for k in range(0, len(values), PER_LINE)]
    return [f"static const {kind} {name}[{len(values)}] = {{", *(f"    {row}," for row in rows), "};"]
