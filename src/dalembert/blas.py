"""Linear algebra of small matrices on one thread.

OpenBLAS, which NumPy and SciPy bring along, shares the work on a matrix among threads from a few dozen rows on. For matrices of a
mechanism's size waiting for each other takes them longer than the work, on a busy machine many times longer.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

LARGE = 400
"""Speeds of a mechanism from which on threads are left to do as they like."""

_Method = TypeVar("_Method", bound=Callable[..., Any])


class _Threads(NamedTuple):
    """How many threads a library uses: asked, and set."""

    get: Callable[[], int]
    set: Callable[[int], None]


_lock = threading.Lock()
_inside = 0
"""Calls under way, in whatever thread."""
_before: list[int] = []
"""For each library, how many threads it used when the first of them began."""


def on_one_thread(method: _Method) -> _Method:
    """A method of a mechanism during which OpenBLAS uses one thread, unless the mechanism is large."""

    @wraps(method)
    def call(m: Any, *arguments: Any, **named: Any) -> Any:
        if m.n_u > LARGE:
            return method(m, *arguments, **named)
        with one_thread():
            return method(m, *arguments, **named)

    return cast(_Method, call)


@contextmanager
def one_thread() -> Iterator[None]:
    """While any such block runs, in any thread, every OpenBLAS here uses one thread; then as many as before."""
    global _inside
    with _lock:
        if not _inside:
            _before[:] = [library.get() for library in _libraries()]
            for library in _libraries():
                library.set(1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                for library, count in zip(_libraries(), _before):
                    library.set(count)


@cache
def _libraries() -> tuple[_Threads, ...]:
    """Those that NumPy and SciPy bring along; none where they were built on another library."""
    found = []
    for package in ("numpy", "scipy"):
        spec = find_spec(package)
        if spec is None or spec.origin is None:
            continue
        home = Path(spec.origin).parent
        for folder in (home.parent / f"{package}.libs", home / ".dylibs"):
            for file in sorted(folder.glob("*openblas*")) if folder.is_dir() else ():
                threads = _threads_of(file)
                found += [] if threads is None else [threads]
    return tuple(found)


def _threads_of(file: Path) -> _Threads | None:
    try:
        library = ctypes.CDLL(str(file))
    except OSError:
        return None
    for before in ("scipy_", ""):
        for after in ("64_", ""):
            names = [f"{before}openblas_{verb}_num_threads{after}" for verb in ("get", "set")]
            if all(hasattr(library, name) for name in names):
                get, put = (getattr(library, name) for name in names)
                get.restype, put.restype, put.argtypes = ctypes.c_int, None, [ctypes.c_int]
                return _Threads(get, put)
    return None
