"""`Target`: the processor that machine code is written for, as a value.

Code for a target runs on every processor that has its features; how many states it takes at once, how memory is padded and under which
address it is kept all follow from the target, never from the processor at hand. Without a word it is the processor this program
runs on; DALEMBERT_TARGET, or an argument, chooses another that this one can execute.
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from functools import cache

from dalembert.errors import ArgumentError
from dalembert.trace.native.machine import llvm

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


@dataclass(frozen=True)
class Target:
    """A processor: its name and features as LLVM spells them, and the doubles in a vector register. Equal ones share machine code."""

    name: str
    cpu: str
    features: str
    lanes: int


PLAIN = Target("plain", "", "", 2)
"""No processor in particular: source written for it is compared, never compiled."""


@cache
def host() -> Target:
    """The processor this program runs on."""
    binding = llvm()
    features = binding.get_host_cpu_features().flatten()
    have = _host_features()
    lanes = 8 if "avx512f" in have else 4 if "avx2" in have else 2
    return Target("host", binding.get_host_cpu_name(), features, lanes)


@cache
def target_named(name: str) -> Target:
    """The target of this name, if this processor can execute its code."""
    found = {t.name: t for t in executable()}.get(name)
    if found is not None:
        return found
    names = ", ".join(t.name for t in executable())
    if name in _LEVELS:
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
    levels = [Target(name, name, "", lanes) for name, (needed, lanes) in _LEVELS.items() if needed <= have]
    return (host(), *levels)


@cache
def _host_features() -> frozenset[str]:
    return frozenset(name for name, has in llvm().get_host_cpu_features().items() if has)
