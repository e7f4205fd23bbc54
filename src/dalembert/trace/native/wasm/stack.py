"""How much stack compiled functions need: the longest way through their calls, each function with its frame.

A function that keeps anything in memory begins with

    global.get stack_pointer   i32.const SIZE   i32.sub   [i32.const −ALIGNMENT   i32.and]

and relocations say where it does, and which functions it calls. Nothing is called that is not a relocation or an entry of the
function table.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from dalembert.errors import TraceError
from dalembert.trace.native.wasm.encoding import PADDED, Reader
from dalembert.trace.native.wasm.object_file import (
    CODE,
    ELEMENT,
    FUNCTION,
    FUNCTION_INDEX,
    GLOBAL_INDEX,
    TYPE_INDEX,
    ObjectFile,
)

GLOBAL_GET, LOCAL_GET, LOCAL_SET, LOCAL_TEE, DROP, CONSTANT, SUBTRACT, AND = (
    0x23,
    0x20,
    0x21,
    0x22,
    0x1A,
    0x41,
    0x6B,
    0x71,
)
ALIGNMENT = 16
"""Bytes to which the stack itself is aligned."""


def stack_size(o: ObjectFile) -> int:
    """Bytes that suffice for any call of any function; a function that calls itself is refused."""
    bodies, outside = function_bodies(o.sections[CODE]), len(o.imports)
    called: list[set[int]] = [set() for _ in bodies]
    types: list[set[int]] = [set() for _ in bodies]
    frames = [0] * len(bodies)
    for r in o.in_code:
        k = _owner(bodies, r.at)
        if r.kind == FUNCTION_INDEX:
            called[k].add(o.symbols[r.symbol].index - outside)
        elif r.kind == TYPE_INDEX:
            types[k].add(r.symbol)
        elif r.kind == GLOBAL_INDEX and not frames[k]:
            frames[k] = _frame(o.sections[CODE], r.at)
    in_table, kind = _in_table(o, outside), _types(o.sections[FUNCTION])
    for own, wanted in zip(called, types):
        own |= {f for f in in_table if kind[f] in wanted}
    pending: list[int] = []

    @cache
    def needed(k: int) -> int:
        if k < 0:
            return 0  # what is imported has a stack of its own
        if k in pending:
            raise TraceError("a compiled function calls itself, so that no stack is surely large enough for it")
        pending.append(k)
        deepest = max((needed(f) for f in called[k]), default=0)
        pending.pop()
        return frames[k] + deepest

    largest = max((needed(k) for k in range(len(bodies))), default=0)
    return -(-largest // ALIGNMENT) * ALIGNMENT


def function_bodies(code: bytes) -> list[tuple[int, int]]:
    """Where the body of every function begins and ends in the code section."""
    r, found = Reader(code), []
    for _ in range(r.unsigned()):
        size = r.unsigned()
        found.append((r.at, r.at + size))
        r.at += size
    return found


def _owner(bodies: Sequence[tuple[int, int]], at: int) -> int:
    low, high = 0, len(bodies) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if bodies[middle][0] <= at else (low, middle - 1)
    return low


def _frame(code: bytes, at: int) -> int:
    """Size of the frame that the stack pointer, read before `at`, is lowered by."""
    r = Reader(code, at + PADDED)
    if code[at - 1] == GLOBAL_GET:
        step = r.byte()
        while step in (LOCAL_GET, LOCAL_SET, LOCAL_TEE, DROP):
            if step != DROP:
                r.unsigned()
            step = r.byte()
        if step == CONSTANT:
            size = r.signed()
            if r.byte() == SUBTRACT and size > 0:
                aligned = r.byte() == CONSTANT
                mask = r.signed() if aligned else 0
                return size - mask - 1 if aligned and r.byte() == AND else size
    raise TraceError("a compiled function takes memory from the stack in a way that the linker does not know")


def _in_table(o: ObjectFile, outside: int) -> list[int]:
    """Functions that can be called by their place in the function table."""
    if ELEMENT not in o.sections:
        return []
    r = Reader(o.sections[ELEMENT])
    found = []
    for _ in range(r.unsigned()):
        flags = r.unsigned()
        if flags or r.byte() != CONSTANT:
            raise TraceError(
                f"the WebAssembly object fills its function table in a way {flags} that the linker does not know"
            )
        r.signed()
        r.byte()
        found += [r.unsigned() - outside for _ in range(r.unsigned())]
    return found


def _types(section: bytes) -> list[int]:
    r = Reader(section)
    return [r.unsigned() for _ in range(r.unsigned())]
