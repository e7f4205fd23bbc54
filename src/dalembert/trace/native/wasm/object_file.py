"""A relocatable WebAssembly object, read: what it imports, its symbols and its relocations.

The format is that of the tool conventions (Linking.md) of WebAssembly: a module whose custom section "linking" has a table of symbols,
and whose sections "reloc.CODE" and "reloc.DATA" say where addresses and numbers stand that the linker decides. What the linker does
not expect, it refuses: silence would be a module that computes something else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dalembert.errors import TraceError
from dalembert.trace.native.wasm.encoding import Reader

HEAD = b"\0asm\x01\0\0\0"
TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, START, ELEMENT, CODE, DATA, COUNT = range(1, 13)
"""Numbers of sections."""
OF_FUNCTION, OF_TABLE, OF_MEMORY, OF_GLOBAL = range(4)
"""Kinds of imports."""
LOCAL, UNDEFINED, NAMED = 0x02, 0x10, 0x40
"""Flags of symbols."""
SYMBOL_TABLE = 8
FUNCTION_SYMBOL, DATA_SYMBOL, GLOBAL_SYMBOL, SECTION_SYMBOL, _, TABLE_SYMBOL = range(6)

FUNCTION_INDEX, TABLE_INDEX_SIGNED, TABLE_INDEX, ADDRESS, ADDRESS_SIGNED, ADDRESS_PLAIN, TYPE_INDEX, GLOBAL_INDEX = (
    range(8)
)
TABLE_NUMBER = 20
"""Kinds of relocations."""
ADDRESSES = (ADDRESS, ADDRESS_SIGNED, ADDRESS_PLAIN)
"""Those that move with the data; in code in five bytes, in data as four."""
_SETTLED = (FUNCTION_INDEX, TABLE_INDEX_SIGNED, TABLE_INDEX, TYPE_INDEX, GLOBAL_INDEX, TABLE_NUMBER)
"""Those whose value in an object that is linked alone is the final one."""


@dataclass(frozen=True)
class Relocation:
    """A place in a section that the linker decides; `symbol` is a number in the table of symbols, or of a type."""

    kind: int
    at: int
    symbol: int


@dataclass(frozen=True)
class Import:
    """A function from outside, as the import section has it."""

    module: str
    name: str
    entry: bytes


@dataclass(frozen=True)
class Symbol:
    kind: int
    flags: int
    index: int
    """Number of the function; of other symbols 0."""
    name: str

    @property
    def exported(self) -> bool:
        """Whether it is a function that can be called from outside."""
        return self.kind == FUNCTION_SYMBOL and not self.flags & (UNDEFINED | LOCAL)


@dataclass(frozen=True, eq=False)
class ObjectFile:
    """Everything of an object that is linked."""

    sections: dict[int, bytes]
    imports: tuple[Import, ...]
    """Functions, in their order: they have the first numbers."""
    table_size: int
    """Places of the function table besides the first, which is no function's."""
    symbols: tuple[Symbol, ...]
    in_code: tuple[Relocation, ...]
    in_data: tuple[Relocation, ...]


def read_object(data: bytes) -> ObjectFile:
    """The object in these bytes; refused where it holds anything that the linker does not know."""
    if data[: len(HEAD)] != HEAD:
        raise TraceError("this is no WebAssembly object")
    sections, custom = _sections(data)
    if "linking" not in custom:
        raise TraceError("this WebAssembly module is linked already: it has no table of symbols")
    unexpected = sorted(set(sections) - {TYPE, IMPORT, FUNCTION, ELEMENT, CODE, DATA, COUNT})
    if unexpected:
        raise TraceError(
            f"the WebAssembly object has a section of kind {unexpected[0]}, which the linker does not know"
        )
    imports, table_size = _imports(sections.get(IMPORT, b"\0"))
    return ObjectFile(
        sections,
        imports,
        table_size,
        tuple(_symbols(custom["linking"])),
        tuple(_relocations(custom.get("reloc.CODE", b"\0\0"))),
        tuple(_relocations(custom.get("reloc.DATA", b"\0\0"))),
    )


def _sections(data: bytes) -> tuple[dict[int, bytes], dict[str, bytes]]:
    plain: dict[int, bytes] = {}
    custom: dict[str, bytes] = {}
    r = Reader(data, len(HEAD))
    while r.more:
        kind, inside = r.byte(), Reader(r.content())
        if kind:
            plain[kind] = inside.data
        else:
            name = inside.name()
            custom[name] = inside.data[inside.at :]
    return plain, custom


def _imports(section: bytes) -> tuple[tuple[Import, ...], int]:
    """Functions, and the places of the function table. Memory and stack pointer are made by the linker."""
    functions, table_size, r = [], 0, Reader(section)
    for _ in range(r.unsigned()):
        start = r.at
        module, name, kind = r.name(), r.name(), r.byte()
        if kind == OF_FUNCTION:
            r.unsigned()
            functions.append(Import(module, name, section[start : r.at]))
        elif kind == OF_GLOBAL:
            r.at += 2
            if name != "__stack_pointer":
                raise TraceError(
                    f'the WebAssembly object takes a variable "{name}" from outside; only the stack pointer is known'
                )
        elif kind in (OF_TABLE, OF_MEMORY):
            r.at += kind == OF_TABLE  # the type of its elements
            bounded, least = r.byte() & 1, r.unsigned()
            table_size = least if kind == OF_TABLE else table_size
            if bounded:
                r.unsigned()
        else:
            raise TraceError(f'the WebAssembly object imports "{name}" of kind {kind}, which the linker does not know')
    return tuple(functions), table_size


def _symbols(linking: bytes) -> Iterator[Symbol]:
    r = Reader(linking)
    version = r.unsigned()
    if version != 2:
        raise TraceError(
            f"the WebAssembly object is linked by version {version} of the conventions; version 2 is known"
        )
    while r.more:
        part, table = r.byte(), Reader(r.content())
        for _ in range(table.unsigned() if part == SYMBOL_TABLE else 0):
            yield _symbol(table)


def _symbol(r: Reader) -> Symbol:
    kind, flags = r.byte(), r.unsigned()
    if kind == DATA_SYMBOL:
        name = r.name()
        if flags & UNDEFINED:
            raise TraceError(f'the WebAssembly object takes data "{name}" from outside, and there is none')
        for _ in ("segment", "offset", "size"):
            r.unsigned()
        return Symbol(kind, flags, 0, name)
    if kind not in (FUNCTION_SYMBOL, GLOBAL_SYMBOL, SECTION_SYMBOL, TABLE_SYMBOL):
        raise TraceError(f"the WebAssembly object has a symbol of kind {kind}, which the linker does not know")
    index = r.unsigned()
    own = kind != SECTION_SYMBOL and (not flags & UNDEFINED or flags & NAMED)
    return Symbol(kind, flags, index if kind == FUNCTION_SYMBOL else 0, r.name() if own else "")


def _relocations(section: bytes) -> Iterator[Relocation]:
    r = Reader(section)
    r.unsigned()  # which section they are in
    for _ in range(r.unsigned()):
        made = Relocation(r.byte(), r.unsigned(), r.unsigned())
        if made.kind in ADDRESSES:
            r.signed()  # what is added to the address stands there already
        elif made.kind not in _SETTLED:
            raise TraceError(
                f"the WebAssembly object has a relocation of kind {made.kind}, which the linker does not know"
            )
        yield made
