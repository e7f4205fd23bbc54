"""A hash of what functions and objects do: what tells today's from yesterday's, in another process too.

A function is its code, its defaults, and what it takes from around it: variables of enclosing functions, and those of its module that
it names, a user's other functions among them. An object is its class and its state. What belongs to an installed library is its name.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import sys
import sysconfig
import types
from collections.abc import Callable, Iterator, Mapping, Set
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import ArgumentError
from dalembert.trace.expr import Expr
from dalembert.trace.fingerprint import fingerprint

_LIBRARIES = tuple({str(Path(path).resolve()) for name, path in sysconfig.get_paths().items() if name.endswith("lib")})
_PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes, range)
_NAMED = (
    types.BuiltinFunctionType, types.MethodWrapperType, types.MethodDescriptorType, types.WrapperDescriptorType,
    types.ClassMethodDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType, types.ModuleType, np.ufunc,
)  # fmt: skip
_LruCached = type(functools.lru_cache(len))
_ON_DEMAND = (cached_property, functools.cached_property)
_PROPERTIES = ("fget", "fset", "fdel", "func", "__func__")


def content_of(thing: Any) -> str:
    """The hash; an `ArgumentError` where something cannot be told from others of its kind, such as an open file."""
    return hashlib.sha256(_Contents().of(thing).encode()).hexdigest()


class _Contents:
    """Through everything that a thing is made of, each object once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[str, Any]] = {}
        self._within: dict[int, int] = {}

    def of(self, x: Any) -> str:
        """Plain values as they are, anything else by a hash of its parts; where it is part of itself, by how far out it stands."""
        if isinstance(x, _PLAIN):
            return f"{type(x).__name__} {x!r}"
        if id(x) in self._known:
            return self._known[id(x)][0]
        if id(x) in self._within:
            return f"within {len(self._within) - self._within[id(x)]}"
        self._within[id(x)] = len(self._within)
        made = hashlib.sha256(repr(list(self._parts(x))).encode()).hexdigest()
        del self._within[id(x)]
        self._known[id(x)] = made, x  # x is kept, so that its place in memory is nobody else's
        return made

    def _parts(self, x: Any) -> Iterator[str]:
        for kind, parts in _KINDS:
            if isinstance(x, kind):
                yield from parts(self, x)
                return
        yield from self._object(x)

    def _each(self, *parts: Any) -> Iterator[str]:
        for part in parts:
            yield self.of(part)

    def _array(self, x: np.ndarray) -> Iterator[str]:
        yield f"{x.shape} {x.dtype.str}"
        yield from self._each(*x.ravel().tolist()) if x.dtype == object else [np.ascontiguousarray(x).tobytes().hex()]

    def _function(self, f: types.FunctionType) -> Iterator[str]:
        library = _of_library(f.__module__)
        if library:
            yield f"{f.__module__}.{f.__qualname__}"
        if library and "<locals>" not in f.__qualname__:
            return
        yield from self._each(f.__defaults__, f.__kwdefaults__, vars(f))
        yield from self._each(*(cell.cell_contents for cell in f.__closure__ or () if _filled(cell)))
        yield from self._code(f.__code__, {} if library else f.__globals__)

    def _code(self, code: types.CodeType, around: Mapping[str, Any]) -> Iterator[str]:
        """Instructions, constants, and the values of what is named in the module around."""
        yield repr((code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
        for constant in code.co_consts:
            inner = isinstance(constant, types.CodeType)
            yield from self._code(constant, around) if inner else self._each(constant)
        for name in dict.fromkeys(i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"):
            if name in around:
                yield name + self.of(around[name])
                yield from self._inside(around[name], code.co_names)

    def _inside(self, module: Any, names: tuple[str, ...]) -> Iterator[str]:
        """What code may take from a user's own module."""
        if isinstance(module, types.ModuleType) and not _of_library(module.__name__):
            yield from self._each(*(vars(module)[name] for name in names if name in vars(module)))

    def _class(self, x: type) -> Iterator[str]:
        library = _of_library(x.__module__)
        yield f"{x.__module__ if library else ''}.{x.__qualname__}"
        if not library:
            yield from self._each(*x.__bases__)
            for name, value in vars(x).items():
                if callable(value) or not (name.startswith("__") or isinstance(value, _NAMED)):
                    yield name + self.of(value)

    def _object(self, x: Any) -> Iterator[str]:
        """Texts that tell an object from others: its class, and what it can be made again from."""
        try:
            made_from = x.__reduce_ex__(4)
        except Exception:
            raise ArgumentError(
                f"{type(x).__name__} {x!r:.80} cannot be told from another: it has no state to look at"
            ) from None
        yield self.of(type(x))
        if isinstance(made_from, str):
            yield made_from
            return
        state = made_from[2] if len(made_from) > 2 else None
        if isinstance(state, dict):  # without what was only worked out on demand
            state = {name: y for name, y in state.items() if not isinstance(getattr(type(x), name, None), _ON_DEMAND)}
        yield from self._each(*made_from[:2], state, *(list(part) for part in made_from[3:5] if part is not None))


_KINDS: list[tuple[Any, Callable[[_Contents, Any], Iterator[str]]]] = [
    (Expr, lambda walk, x: iter([fingerprint([x])])),
    (np.ndarray, _Contents._array),
    (np.generic, lambda walk, x: iter([x.dtype.str, x.tobytes().hex()])),
    (types.FunctionType, _Contents._function),
    (types.MethodType, lambda walk, x: walk._each(x.__func__, x.__self__)),
    (functools.partial, lambda walk, x: walk._each("partial", x.func, x.args, x.keywords)),
    (_LruCached, lambda walk, x: walk._each("remembered", x.__wrapped__)),
    ((list, tuple), lambda walk, x: walk._each(type(x).__name__, *x)),
    (Mapping, lambda walk, x: walk._each("mapping", *(part for pair in x.items() for part in pair))),
    (Set, lambda walk, x: iter(["set", *sorted(walk.of(part) for part in x)])),
    (type, _Contents._class),
    ((property, *_ON_DEMAND, staticmethod, classmethod),
     lambda walk, x: walk._each(type(x).__name__, *(getattr(x, name, None) for name in _PROPERTIES))),
    (_NAMED, lambda walk, x: iter([f"{getattr(x, '__module__', '')}.{getattr(x, '__qualname__', x.__name__)}"])),
]  # fmt: skip
"""How things of each kind are taken apart; all others are objects."""


def _filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


@functools.cache
def _of_library(name: str | None) -> bool:
    """Whether a module is Python's own, this package's, or installed."""
    root = (name or "").partition(".")[0]
    if root == "dalembert" or root in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(name or ""), "__file__", None)
    return file is not None and str(Path(file).resolve()).startswith(_LIBRARIES)
