"""Functions in LLVM's text taken apart: head, parameters and the instructions that matter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalembert.errors import TraceError
from dalembert.trace.text.routine import safe_identifiers

NAME = re.compile(r"%[\w.]+|@[\w.]+")
"""Names of values, functions and tables."""
TYPES = {"double": "double", "i64": "int64_t", "i1": "int"}
"""LLVM's types as C's."""


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
    return FunctionParts(
        symbol, result == "i64", kinds, tuple(called[name] for name in names), _alive(tuple(lines[:-1]))
    )


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
        f"{of.get(f'%p{k}', 'double')} *" if kind == "ptr" else TYPES[kind] for k, kind in enumerate(parts.parameters)
    ]


def _alive(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Lines without values that nothing uses, and without variables that nothing reads."""
    while True:
        read = {found[1] for line in lines if (found := re.search(r"= load \w+, ptr (%[\w.]+)", line))}
        read |= {
            x for line in lines if not line.startswith("store") for x in NAME.findall(line.partition(" = ")[2] or line)
        }
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
                needed.update(NAME.findall(right))
                kept.append(line)
        kept.reverse()
        if len(kept) == len(lines):
            return lines
        lines = tuple(kept)


def _allocated(name: str, lines: tuple[str, ...]) -> bool:
    return any(line.startswith(f"{name} = alloca") for line in lines)
