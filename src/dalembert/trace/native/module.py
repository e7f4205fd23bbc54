"""`Module`: blocks, driver functions and constant tables that are compiled together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from dalembert.errors import TraceError
from dalembert.trace.native.block import Block
from dalembert.trace.native.compiler import PIPELINE, assembly, object_code, toolchain
from dalembert.trace.native.driver.constant_tables import FunctionTable, IntTable, RealTable
from dalembert.trace.native.driver.driver_values import DriverValue
from dalembert.trace.native.driver.function import PARAMETERS, FunctionBuilder
from dalembert.trace.native.driver.signature import Kind, Signature
from dalembert.trace.native.library import Library
from dalembert.trace.native.llvm_text import FunctionText, Lanes, ModuleText
from dalembert.trace.native.straight_line import LARGEST_FUNCTION, emit_block
from dalembert.trace.native.target import Calls, Target, target_of

T = TypeVar("T", IntTable, RealTable, FunctionTable)


class Module:
    """Collects functions, then compiles them into one `Library`.

    m = Module()
    rhs = m.block(block, lanes=W)
    with m.function("euler", lanes=W, x=Pointer, h=Real, steps=Int) as f:
        dx = f.array(n)
        with f.loop(f.steps):
            f.call(rhs, f.x, dx)
            with f.loop(n) as i:
                f.x[i] = f.x[i] + f.h * dx[i]
    m.compile().euler(x, 1e-3, 100)
    """

    def __init__(self, width: int | None = None, target: Target | None = None) -> None:
        """Blocks of more than `width` lanes do as many at a time; without it, all at once."""
        self._width, self.target = width, target_of(target)
        self.text = ModuleText(self.target)
        self._public: list[Signature] = []
        self._blocks: dict[Signature, Block] = {}
        self._drivers: dict[str, tuple[str, ...]] = {}
        self._tables: dict[str, IntTable | RealTable | FunctionTable] = {}

    def block(
        self, block: Block, lanes: int = 1, name: str | None = None, largest: int = LARGEST_FUNCTION
    ) -> Signature:
        """Add straight-line code; other functions can call it, and so can Python. `largest`: operations per function.

        A block that the module has already, under this name and for as many lanes, is not added again.
        """
        kinds: list[Kind] = ["pointer"] * len(block.arrays)
        signature = Signature(name or block.name, tuple(kinds), lanes=lanes)
        if self._blocks.get(signature) is block:
            return signature
        self._check_new(signature)
        self._blocks[signature] = block
        emit_block(self.text, block, lanes, self._width or lanes, signature.symbol, largest)
        self._public.append(signature)
        return signature

    @contextmanager
    def function(
        self, name: str, /, lanes: int = 1, status: bool = False, public: bool = True, **parameters: type[DriverValue]
    ) -> Iterator[FunctionBuilder]:
        """Write a driver function. With `status` it returns an integer; only a `public` one can be called from Python."""
        signature = Signature(name, _kinds(parameters), status, lanes)
        self._check_new(signature)
        body = FunctionText(self.text, Lanes(lanes))
        f = FunctionBuilder(signature, body, parameters, self._width or 1)
        yield f
        body.lines.append(f.returning(0))
        symbol = signature.inner_symbol
        taken = ", ".join(f"{kind.kind(body)} %p{k}" for k, kind in enumerate(parameters.values()))
        linkage = "" if public and symbol == signature.symbol else "internal "
        head = f"define {linkage}{_result(signature)} @{symbol}({taken}) noinline nounwind {{"
        self.text.define(symbol, "\n".join([head, *body.allocations, *body.lines, "}"]))
        self._drivers[symbol] = tuple(parameters)
        if public:
            self._public.append(signature)
            if symbol != signature.symbol:
                self.text.define(signature.symbol, _entry_for_python(signature, FunctionText(self.text, Lanes(lanes))))

    def external(self, name: str, parameters: Sequence[Kind], among: Calls) -> Signature:
        """A function of the process that loads the code; its symbol must be made known to LLVM before."""
        if among not in self.target.calls:
            raise TraceError(
                f'code for target "{self.target.name}" cannot call "{name}": {among.value} are not there to be called'
            )
        signature = Signature(name, tuple(parameters))
        outer = {"pointer": "ptr", "real": "double", "int": "i64"}
        taken = ", ".join(outer[kind] for kind in signature.parameters)
        self.text.define(signature.symbol, f"declare void @{signature.symbol}({taken}) nonlazybind")
        return signature

    def int_table(self, values: Sequence[int]) -> IntTable:
        return self._kept(IntTable(self._table_name(), tuple(int(x) for x in values)))

    def real_table(self, values: Sequence[float]) -> RealTable:
        return self._kept(RealTable(self._table_name(), tuple(float(x) for x in values)))

    def function_table(self, functions: Sequence[Signature]) -> FunctionTable:
        """Functions to choose from while the compiled code runs; all take and return the same."""
        if len({(f.parameters, f.status, f.lanes) for f in functions}) != 1:
            names = ", ".join(f.name for f in functions) or "nothing"
            raise TraceError(f"a function table needs functions that take the same arguments, not {names}")
        return self._kept(FunctionTable(self._table_name(), tuple(functions)))

    @property
    def blocks(self) -> Mapping[Signature, Block]:
        """The straight-line functions."""
        return self._blocks

    @property
    def drivers(self) -> Mapping[str, tuple[str, ...]]:
        """Symbols of the driver functions, each behind those that it calls, and names of their parameters."""
        return self._drivers

    @property
    def tables(self) -> Mapping[str, IntTable | RealTable | FunctionTable]:
        """The constant tables by name."""
        return self._tables

    @property
    def source(self) -> str:
        """What the machine code is made from: which functions are optimised, which can be called and how, and the text of all."""
        return "\n".join([repr(list(self._drivers)), repr(self._public), str(self.text)])

    @property
    def address(self) -> str:
        """What machine code is kept under: a hash of the source, the target and the compiler. There is nothing else in `compile`."""
        compiled_by = f"{PIPELINE}, {toolchain()}, {self.target.platform}, {self.target!r}"
        return hashlib.sha256(f"{compiled_by}\n{self.source}".encode()).hexdigest()

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """The functions that can be called from outside."""
        return tuple(self._public)

    def object_code(self) -> bytes:
        """The machine code, as an object file of the target."""
        return object_code(str(self.text), self._drivers, self.target)

    def compile(self) -> Library:
        return Library(self.object_code(), self._public, self.target, self.address)

    def assembly(self) -> str:
        """The machine code as text."""
        return assembly(str(self.text), self._drivers, self.target)

    def _check_new(self, signature: Signature) -> None:
        if signature.symbol in self.text or signature.inner_symbol in self.text:
            raise TraceError(f"the module already has a function {signature.name!r}")
        if not (signature.name.isidentifier() and signature.name.isascii()):
            raise TraceError(f"{signature.name!r} cannot be the name of a function: use letters, digits, underscores")

    def _table_name(self) -> str:
        return f"@table.{len(self._tables) + 1}"

    def _kept(self, table: T) -> T:
        self._tables[table.name] = table
        self.text.define(table.name, table.definition)
        return table


def _kinds(parameters: Mapping[str, type[DriverValue]]) -> tuple[Kind, ...]:
    for name, kind in parameters.items():
        if kind not in PARAMETERS:
            known = ", ".join(k.__name__ for k in PARAMETERS)
            raise TraceError(f"parameter {name!r} cannot be {kind!r}: a function takes {known}")
    return tuple(PARAMETERS[kind] for kind in parameters.values())


def _result(signature: Signature) -> str:
    return "i64" if signature.status else "void"


def _entry_for_python(signature: Signature, body: FunctionText) -> str:
    """The function as Python calls it: a real comes as one double and goes on in all lanes."""
    outer = {"pointer": "ptr", "real": "double", "int": "i64"}
    taken = ", ".join(f"{outer[kind]} %p{k}" for k, kind in enumerate(signature.parameters))
    passed = ", ".join(
        f"{body.lanes.real} {body.broadcast(f'%p{k}')}" if kind == "real" else f"{outer[kind]} %p{k}"
        for k, kind in enumerate(signature.parameters)
    )
    call = f"call {_result(signature)} @{signature.inner_symbol}({passed})"
    end = f"ret i64 {body.let(call)}" if signature.status else f"{call}\nret void"
    head = f"define {_result(signature)} @{signature.symbol}({taken}) nounwind {{"
    return "\n".join([head, *body.lines, end, "}"])


class Prefixed(Module):
    """Writes into `module`, which keeps everything."""

    def __init__(self, module: Module, prefix: str):
        self._module, self._prefix = module, prefix
        self.target = module.target

    def block(
        self, block: Block, lanes: int = 1, name: str | None = None, largest: int = LARGEST_FUNCTION
    ) -> Signature:
        return self._module.block(block, lanes, self._prefix + (name or block.name), largest)

    @contextmanager
    def function(
        self, name: str, /, lanes: int = 1, status: bool = False, public: bool = True, **parameters: type[DriverValue]
    ) -> Iterator[FunctionBuilder]:
        with self._module.function(self._prefix + name, lanes, status, public, **parameters) as f:
            yield f

    def external(self, name: str, parameters: Sequence[Kind], among: Calls) -> Signature:
        return self._module.external(name, parameters, among)

    def int_table(self, values: Sequence[int]) -> IntTable:
        return self._module.int_table(values)

    def real_table(self, values: Sequence[float]) -> RealTable:
        return self._module.real_table(values)

    def function_table(self, functions: Sequence[Signature]) -> FunctionTable:
        return self._module.function_table(functions)
