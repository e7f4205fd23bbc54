"""Compiled functions as foreign functions of XLA: it hands over the addresses of its buffers, and arrays are views of them.

The structures are those of XLA's own header (`xla/ffi/api/c_api.h`, beside jaxlib) in its major version 0.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import re
import uuid
from collections.abc import Callable, Sequence
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from dalembert.optional import optional

ffi: Any = optional("jax.ffi", "m.jax")

METADATA, INTERNAL = 1, 13
"""XLA's numbers of the extension that asks for a handler's version, and of an error inside a handler."""
SHORT = 30
"""Numbers in a row below which a table of more rows is copied column by column."""
_NAMES = itertools.count()
_PROCESS = uuid.uuid4().hex
"""Part of every name: code that another process compiled and JAX kept on disk must not find a function of this one."""


class _Version(Structure):
    _fields_: ClassVar = [("size", c_size_t), ("extension", c_void_p), ("major", c_int), ("minor", c_int)]


class _Metadata(Structure):
    _fields_: ClassVar = [("size", c_size_t), ("version", _Version), ("traits", c_uint32)]


class _Extension(Structure):
    _fields_: ClassVar = [
        ("size", c_size_t),
        ("type", c_int),
        ("next", c_void_p),
        ("metadata", POINTER(_Metadata)),
    ]


class _ErrorArguments(Structure):
    _fields_: ClassVar = [("size", c_size_t), ("extension", c_void_p), ("message", c_char_p), ("code", c_int)]


_MakeError = ctypes.CFUNCTYPE(c_void_p, POINTER(_ErrorArguments))


class _Api(Structure):
    _fields_: ClassVar = [
        ("size", c_size_t),
        ("extension", c_void_p),
        ("version", _Version),
        ("internal", c_void_p),
        ("make_error", _MakeError),
    ]


class _Buffer(Structure):
    _fields_: ClassVar = [
        ("size", c_size_t),
        ("extension", c_void_p),
        ("dtype", c_int),
        ("data", c_void_p),
        ("rank", c_int64),
        ("dims", POINTER(c_int64)),
    ]


class _Buffers(Structure):
    _fields_: ClassVar = [
        ("size", c_size_t),
        ("extension", c_void_p),
        ("count", c_int64),
        ("types", c_void_p),
        ("at", POINTER(POINTER(_Buffer))),
    ]


class _Frame(Structure):
    _fields_: ClassVar = [
        ("size", c_size_t),
        ("extension", POINTER(_Extension)),
        ("api", POINTER(_Api)),
        ("context", c_void_p),
        ("stage", c_int),
        ("arguments", _Buffers),
        ("results", _Buffers),
    ]


_Handler = ctypes.CFUNCTYPE(c_void_p, POINTER(_Frame))
_kept: list[Any] = []
"""Handlers, which XLA calls as long as the process lives."""


@cache
def interface() -> tuple[int, int] | None:
    """XLA's version of the interface; None where there is none that is known here."""
    try:
        text = (Path(ffi.include_dir()) / "xla/ffi/api/c_api.h").read_text(encoding="utf-8")
        major, minor = (int(re.search(rf"XLA_FFI_API_{x} (\d+)", text)[1]) for x in ("MAJOR", "MINOR"))  # type: ignore[index]
    except (OSError, AttributeError, TypeError):
        return None
    return (major, minor) if major == 0 else None


def foreign(function: Callable[..., Sequence[np.ndarray]]) -> str:
    """The name under which XLA calls this function of arrays."""
    version = interface()
    assert version is not None

    def handle(frame: Any) -> int | None:
        f = frame.contents
        if f.extension and f.extension.contents.type == METADATA:
            told = f.extension.contents.metadata.contents
            told.version = _Version(ctypes.sizeof(_Version), None, *version)
            told.traits = 0
            return None
        try:
            found = function(*(_view(f.arguments.at[k].contents) for k in range(f.arguments.count)))
            for k, values in enumerate(found):
                _copy(values, _view(f.results.at[k].contents))
        except BaseException as problem:
            said = _ErrorArguments(ctypes.sizeof(_ErrorArguments), None, str(problem).encode(), INTERNAL)
            return f.api.contents.make_error(ctypes.byref(said))
        return None

    name, handler = f"dalembert_{_PROCESS}_{next(_NAMES)}", _Handler(handle)
    _kept.append(handler)
    ffi.register_ffi_target(name, ffi.pycapsule(handler), platform="cpu")
    return name


def _view(buffer: Any) -> np.ndarray:
    """The array of float64 that lies in a buffer."""
    shape = tuple(buffer.dims[: buffer.rank])
    count = math.prod(shape)
    if not count:
        return np.empty(shape)
    return np.ndarray(shape, buffer=(ctypes.c_double * count).from_address(buffer.data))


def _copy(values: np.ndarray, into: np.ndarray) -> None:
    """NumPy copies columns of a table faster than short rows that lie apart."""
    if into.ndim == 2 and into.shape[1] < SHORT < len(into) and not values.flags.c_contiguous:
        for k in range(into.shape[1]):
            into[:, k] = values[:, k]
    else:
        into[...] = values
