"""Machine code loaded into this process, its functions callable from Python."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from dalembert.errors import TraceError
from dalembert.trace.native.compiler import code_generator, llvm
from dalembert.trace.native.driver.signature import C_TYPES, Signature
from dalembert.trace.native.target import Target

_loading = threading.Lock()
"""LLVM's global context is not for several threads at once."""


class Library:
    """The functions of one compiled module, as attributes or items. Calls release Python's global lock.

    `address` is that of the module: two libraries with one address were compiled from the same text for the same target.
    """

    def __init__(self, code: bytes, signatures: Sequence[Signature], target: Target, address: str) -> None:
        if not target.in_process:
            raise TraceError(f'code for target "{target.name}" cannot be loaded into this process')
        self.code, self.signatures, self.target, self.address = code, tuple(signatures), target, address
        with _loading:
            self._load()

    def _load(self) -> None:
        binding = llvm()
        empty = binding.parse_assembly("")  # an engine begins with a module, and would compile it
        together = (
            True if self.target.code_model == "small" else None
        )  # in one piece of memory; None: as LLVM does here
        self._engine = binding.create_mcjit_compiler(empty, code_generator(self.target), use_lmm=together)
        self._engine.remove_module(empty)
        self._engine.add_object_file(binding.ObjectFileRef.from_data(self.code))
        self._engine.finalize_object()
        self._named = {s.name: s for s in self.signatures}
        self._functions: dict[str, CompiledFunction] = {}

    def __getitem__(self, name: str) -> CompiledFunction:
        found = self._functions.get(name)
        if found is None:
            if name not in self._named:
                have = ", ".join(self._named) or "none"
                raise TraceError(f"the compiled module has no function {name!r}; it has: {have}")
            with _loading:
                found = self._functions.setdefault(name, CompiledFunction(self._named[name], self._engine))
        return found

    def __getattr__(self, name: str) -> CompiledFunction:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)


class CompiledFunction:
    """One function. Arrays go in as themselves; `raw` takes addresses and numbers, `bind` fixes all arguments."""

    def __init__(self, signature: Signature, engine: Any) -> None:
        self.signature = signature
        self.address: int = engine.get_function_address(signature.symbol)
        self.raw = signature.c_type(self.address)
        self.raw._engine = engine  # the code lives as long as anything that can call it
        self._is_pointer = [kind == "pointer" for kind in signature.parameters]

    def __call__(self, *arguments: Any) -> int | None:
        if len(arguments) != len(self._is_pointer):
            raise TraceError(
                f"{self.signature.name} takes {len(self._is_pointer)} arguments "
                f"({', '.join(self.signature.parameters)}), not {len(arguments)}"
            )
        given = [address(a) if p else a for a, p in zip(arguments, self._is_pointer, strict=True)]
        status: int | None = self.raw(*given)
        return status

    def bind(self, *arguments: Any) -> Callable[[], int | None]:
        """The call with all arguments fixed, at the least cost per call; arrays are kept alive, their contents are not."""
        kinds = self.signature.parameters
        given = [C_TYPES[k](address(a) if k == "pointer" else a) for k, a in zip(kinds, arguments, strict=True)]
        return _Bound(self, given, arguments)


class _Bound:
    """A call waiting to happen."""

    __slots__ = ("_alive", "_given", "_raw")

    def __init__(self, function: CompiledFunction, given: list[Any], arguments: tuple[Any, ...]) -> None:
        self._raw, self._given, self._alive = function.raw, given, (function, arguments)

    def __call__(self) -> int | None:
        status: int | None = self._raw(*self._given)
        return status


_NUMBERS = (np.dtype(np.float64), np.dtype(np.int64))
_Anything = ctypes.c_char * 0


def address(array: Any) -> int:
    """Where a C-contiguous array of doubles or 64-bit integers begins; an integer is an address already."""
    if type(array) is int:
        return array
    suits = isinstance(array, np.ndarray) and array.dtype in _NUMBERS and array.flags.c_contiguous
    if not suits:
        raise TraceError(
            "compiled functions take C-contiguous arrays of float64 or int64, not "
            f"{getattr(array, 'dtype', type(array).__name__)}: use np.ascontiguousarray(x, dtype=float)"
        )
    if array.flags.writeable:
        return ctypes.addressof(_Anything.from_buffer(array))  # three times as fast as `.ctypes.data`
    return int(array.ctypes.data)


def aligned(shape: int | tuple[int, ...]) -> np.ndarray:
    """Zeros that begin on a cache line, so that no vector load crosses one."""
    size = shape if isinstance(shape, int) else prod(shape)
    block = np.zeros(size + 8)
    start = -(block.ctypes.data // 8) % 8
    return block[start : start + size].reshape(shape)
