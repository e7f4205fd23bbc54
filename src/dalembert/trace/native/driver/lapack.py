"""LAPACK and BLAS in driver code: SciPy's own, called by address.

Routines keep their Fortran names and order of arguments. A Python string, integer or float becomes a constant; a value of compiled
code is put in memory and passed by address, as Fortran expects. Matrices are stored by columns.
Routines that wake OpenBLAS's threads for every small matrix (dtrtrs, dgels) are not among them.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from dalembert.trace.native.compiler import llvm
from dalembert.trace.native.driver.driver_values import Int
from dalembert.trace.native.driver.reals import Real
from dalembert.trace.native.driver.signature import Kind, Signature
from dalembert.trace.native.module import Module
from dalembert.trace.native.target import Calls

LAPACK = (
    "dpotrf", "dpotrs", "dposv", "dgesv", "dsyev", "dgeqrf", "dgeqp3", "dorgqr", "dormqr", "dgesdd",
)  # fmt: skip
BLAS = ("dgemm", "dgemv", "dsymv", "dtrmm", "dtrsm")


class Lapack:
    """Calls from one module."""

    def __init__(self, module: Module):
        make_known()
        self._module = module
        self._constants: dict[Any, Any] = {}

    def call(self, f: Any, name: str, *arguments: Any) -> None:
        """Write the call of a routine into the function f."""
        kinds: list[Kind] = ["pointer"] * len(arguments)
        routine = self._module.external(name, kinds, Calls.LAPACK)
        f.call(routine, *(self._by_address(f, x) for x in arguments))

    def _by_address(self, f: Any, x: Any) -> Any:
        if isinstance(x, (str, int, float)):
            return self._constant(x)
        if isinstance(x, Int):
            place = f.int_array(1)  # little-endian: the first half is the 32-bit integer
            place[0] = x
            return place
        if isinstance(x, Real):
            real = f.uniform_array(1)
            real[0] = x
            return real
        return x

    def _constant(self, x: str | int | float) -> Any:
        key = (type(x), x)
        if key not in self._constants:
            m = self._module
            made = m.real_table([x]) if isinstance(x, float) else m.int_table([ord(x) if isinstance(x, str) else x])
            self._constants[key] = made
        return self._constants[key]


@cache
def make_known() -> None:
    """Give the loader the addresses of the routines; needed before code that calls them is loaded from the cache, too."""
    from scipy.linalg import cython_blas, cython_lapack

    address_of = ctypes.pythonapi.PyCapsule_GetPointer
    address_of.restype, address_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    for source, names in ((cython_lapack, LAPACK), (cython_blas, BLAS)):
        for name in names:
            capsule = source.__pyx_capi__[name]
            llvm().add_symbol(Signature(name, ()).symbol, address_of(capsule, name_of(capsule)))
