"""Forces that are plain Python functions, called back from compiled integrators: slow, but every method and event works with them.

Compiled code calls one function of this process, `call_python(handler, t, y, x)`. `handler` holds a number under which the force of the
run at hand is registered. An exception in it is kept, and x becomes nan, so that the integrator stops; the run then raises it.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from dalembert.trace.native import Calls, Module, Signature
from dalembert.trace.native.compiler import llvm

_DOUBLES = ctypes.POINTER(ctypes.c_double)
_NUMBERS = itertools.count(1)
_handlers: dict[int, Handler] = {}


class Handler:
    """A registered force: `force(t, y)` gives the generalized forces; `problem` is what went wrong in it."""

    def __init__(self, force: Callable[[float, np.ndarray], np.ndarray], n_y: int, n_x: int):
        self.force, self.n_y, self.n_x = force, n_y, n_x
        self.number = next(_NUMBERS)
        self.problem: BaseException | None = None

    def __call__(self, t: float, y: np.ndarray, x: np.ndarray) -> None:
        x[:] = np.nan
        if self.problem is None and np.isfinite(y).all():
            try:
                x[:] = self.force(t, y)
            except BaseException as problem:  # nothing may pass through compiled code, not even Ctrl-C
                self.problem = problem


@contextmanager
def registered(handler: Handler) -> Iterator[None]:
    """The handler can be called from compiled code; what it raised is raised here at the end."""
    _handlers[handler.number] = handler
    try:
        yield
    finally:
        del _handlers[handler.number]
    if handler.problem is not None:
        problem, handler.problem = handler.problem, None
        raise problem


def external_forces(module: Module) -> Signature:
    """The function for compiled code to call."""
    make_known()
    return module.external("call_python", ("pointer",) * 4, Calls.PYTHON)


@cache
def make_known() -> Any:
    """Tell the loader where `call_python` is."""
    kind = ctypes.CFUNCTYPE(None, *(_DOUBLES,) * 4)
    function = kind(_called)
    address = ctypes.cast(function, ctypes.c_void_p).value
    llvm().add_symbol(Signature("call_python", ("pointer",) * 4).symbol, address)
    return function


def _called(handler: Any, t: Any, y: Any, x: Any) -> None:
    chosen = _handlers[int(handler[0])]
    chosen(t[0], np.ctypeslib.as_array(y, (chosen.n_y,)).copy(), np.ctypeslib.as_array(x, (chosen.n_x,)))
