"""One relocatable WebAssembly object becomes a module that a browser instantiates.

LLVM numbers functions, types and table places of an object as if it were alone: with one object those numbers are final. What is left:
memory, stack pointer and function table become the module's own, functions from outside stay imports, public functions are exported,
and data moves above the stack. Memory is stack | data | heap: a stack that ran over would leave memory and be stopped, not overwrite
data; its size is computed, so that it does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dalembert.trace.native.wasm.encoding import Reader, content, name, padded, signed, unsigned, vector
from dalembert.trace.native.wasm.object_file import (
    ADDRESS_PLAIN,
    ADDRESSES,
    CODE,
    COUNT,
    DATA,
    ELEMENT,
    EXPORT,
    FUNCTION,
    GLOBAL,
    HEAD,
    IMPORT,
    MEMORY,
    TABLE,
    TYPE,
    Relocation,
    read_object,
)
from dalembert.trace.native.wasm.stack import CONSTANT, stack_size

PAGE = 65536
"""Bytes by which memory grows."""
LINE = 64
"""Bytes to which data and heap are aligned."""
_ORDER = (TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, ELEMENT, COUNT, CODE, DATA)
_FUNCREF, _I32, _MUTABLE, _END = 0x70, 0x7F, 0x01, 0x0B


@dataclass(frozen=True)
class WasmModule:
    """A module in bytes, and what whoever instantiates it must know."""

    code: bytes
    imports: tuple[str, ...]
    """Functions that it must be given, each "module.name"."""
    exports: tuple[str, ...]
    """Functions that it offers; its memory is "memory"."""
    heap: int
    """The first address that is free for arrays."""


def link(obj: bytes) -> WasmModule:
    """The object as a module; refused, in a sentence, where it holds anything that is not known here."""
    o = read_object(obj)
    above = _aligned(stack_size(o))
    data, end = _moved_segments(o.sections.get(DATA, b"\0"), o.in_data, above)
    heap = _aligned(end)
    public = [s for s in o.symbols if s.exported]
    sections = o.sections | {
        IMPORT: vector([i.entry for i in o.imports]),
        TABLE: vector([bytes([_FUNCREF, 0]) + unsigned(o.table_size + 1)]),
        MEMORY: vector([b"\0" + unsigned(-(-heap // PAGE))]),
        GLOBAL: vector([bytes([_I32, _MUTABLE, CONSTANT]) + signed(above) + bytes([_END])]),
        EXPORT: vector([*(name(s.name) + b"\0" + unsigned(s.index) for s in public), name("memory") + b"\x02\0"]),
        CODE: _moved(o.sections[CODE], o.in_code, above),
        DATA: data,
    }
    body = b"".join(bytes([kind]) + content(sections[kind]) for kind in _ORDER if kind in sections)
    imports = tuple(f"{i.module}.{i.name}" for i in o.imports)
    return WasmModule(HEAD + body, imports, tuple(s.name for s in public), heap)


def _aligned(n: int) -> int:
    return -(-n // LINE) * LINE


def _moved(section: bytes, relocations: Iterable[Relocation], by: int) -> bytes:
    """The section with all addresses of data in it raised."""
    out = bytearray(section)
    for r in relocations:
        if r.kind == ADDRESS_PLAIN:
            out[r.at : r.at + 4] = (int.from_bytes(out[r.at : r.at + 4], "little") + by).to_bytes(4, "little")
        elif r.kind in ADDRESSES:
            now = padded(Reader(section, r.at).unsigned() + by)
            out[r.at : r.at + len(now)] = now
    return bytes(out)


def _moved_segments(section: bytes, relocations: Iterable[Relocation], by: int) -> tuple[bytes, int]:
    """The data section with its segments, and the addresses in them, raised; and where they end."""
    r = Reader(_moved(section, relocations, by))
    segments, end = [], by
    for _ in range(r.unsigned()):
        r.at += 2  # an active segment; i32.const
        start = r.signed() + by
        r.at += 1
        inside = r.content()
        segments.append(bytes([0, CONSTANT]) + signed(start) + bytes([_END]) + content(inside))
        end = max(end, start + len(inside))
    return vector(segments), end
