"""`Target`: the machine that code is written for, as a value.

Code for a target runs on every processor that has its features; how many states it takes at once, how memory is padded, what it may
call and under which address it is kept all follow from the target, never from the processor at hand. Without a word it is the
processor this program runs on; DALEMBERT_TARGET, or an argument, chooses another that this one can execute. Code for other machines,
`WASM32` and `AARCH64`, is made to be taken elsewhere.
"""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from enum import Enum
from functools import cache

from dalembert.errors import ArgumentError
from dalembert.trace.native.compiler import llvm

VARIABLE = "DALEMBERT_TARGET"
"""The environment variable that chooses the target of a process."""

WIDEST = 8
"""Doubles in the widest vector register of any target: what is padded by it has one layout on all."""

_V3 = frozenset({"avx2", "fma", "bmi", "bmi2", "f16c", "lzcnt", "movbe"})
_V4 = _V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
_LEVELS: dict[str, tuple[frozenset[str], int]] = {
    "x86-64": (frozenset(), 2),
    "x86-64-v3": (_V3, 4),
    "x86-64-v4": (_V4, 8),
}
"""Levels of x86-64 by name: what a processor must have beyond the level before, and doubles in a vector register."""


class Calls(Enum):
    """What compiled code may call outside itself besides functions of mathematics, in words."""

    LAPACK = "routines of LAPACK"
    PYTHON = "functions in Python"


@dataclass(frozen=True)
class Target:
    """A machine: its name and features as LLVM spells them, and the doubles in a vector register. Equal ones share machine code."""

    name: str
    cpu: str
    features: str
    lanes: int
    triple: str = ""
    """Processor, vendor and system as LLVM spells them; without it, those of the process at hand, into which code is then loaded."""
    relocation: str = "default"
    code_model: str = "jitdefault"
    calls: tuple[Calls, ...] = (Calls.LAPACK, Calls.PYTHON)
    """What is there to be called."""
    mathematics: str = "dalembert_{name}"
    """Symbols of the functions of mathematics: sin, exp and the like."""
    imported_from: str = ""
    """Module that WebAssembly takes them from."""

    @property
    def in_process(self) -> bool:
        """Whether its code can be loaded into the process at hand."""
        return not self.triple

    @property
    def platform(self) -> str:
        """What its code depends on besides processor and compiler."""
        return self.triple or f"{sys.platform}, {platform.machine()}"


PLAIN = Target("plain", "", "", 2)
"""No processor in particular: source written for it is compared, never compiled."""

WASM32 = Target(
    "wasm32", "mvp", "+simd128,+bulk-memory,+sign-ext,+mutable-globals,+nontrapping-fptoint", 2, "wasm32-unknown-unknown",
    "static", "default", (), imported_from="Math",
)  # fmt: skip
"""WebAssembly with vectors of 128 bits, as every browser has it since 2023."""

AARCH64 = Target("aarch64", "generic", "", 2, "aarch64-unknown-linux-gnu", "pic", "small", (), "{name}")
"""64-bit ARM under Linux."""

C99 = Target("c99", "", "", 1, "c99", "default", "default", (), "{name}")
"""Any machine with a C compiler: code for it is written as C99, one state at a time, and never compiled by LLVM."""

ELSEWHERE = {t.name: t for t in (WASM32, AARCH64, C99)}
"""Targets by name whose code is taken to other machines."""


@cache
def host() -> Target:
    """The processor this program runs on."""
    binding = llvm()
    features = binding.get_host_cpu_features().flatten()
    have = _host_features()
    lanes = 8 if "avx512f" in have else 4 if "avx2" in have else 2
    return Target("host", binding.get_host_cpu_name(), features, lanes, "", *_constants())


@cache
def target_named(name: str) -> Target:
    """The target of this name, if this processor can execute its code."""
    found = {t.name: t for t in executable()}.get(name)
    if found is not None:
        return found
    names = ", ".join(t.name for t in executable())
    if name in _LEVELS or name in ELSEWHERE:
        raise ArgumentError(f'target "{name}": this processor cannot execute its code; it can execute {names}')
    raise ArgumentError(f'target "{name}" is not known; this processor can execute {names}')


def target_of(given: Target | str | None) -> Target:
    """The target that an argument means; None is the one of this process."""
    if isinstance(given, Target):
        return given
    if given is not None and not isinstance(given, str):
        raise ArgumentError(f'a target is given by its name, for example target="x86-64-v3", not {given!r}')
    return target_named((os.environ.get(VARIABLE) or "host").strip() if given is None else given)


@cache
def executable() -> tuple[Target, ...]:
    """The targets whose code this processor can execute: itself, then the levels of its kind from the most general on."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return (host(),)
    have = _host_features()
    levels = [
        Target(name, name, "", lanes, "", *_constants()) for name, (needed, lanes) in _LEVELS.items() if needed <= have
    ]
    return (host(), *levels)


def _constants() -> tuple[str, str]:
    """Relocation and code model: code reaches its constants by their distance, one short instruction each, where whoever loads it keeps
    them together. Elsewhere LLVM takes two long ones, since it must expect them anywhere."""
    near = sys.platform.startswith("linux") and platform.machine() == "x86_64"
    return ("pic", "small") if near else ("default", "jitdefault")


@cache
def _host_features() -> frozenset[str]:
    return frozenset(name for name, has in llvm().get_host_cpu_features().items() if has)
