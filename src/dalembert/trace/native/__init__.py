"""Machine code: straight-line kernels from traced scalars, and a small language for the loops around them.

`Block` says what straight-line code computes; `Module` compiles blocks and driver functions; `cached` keeps the result.
"""

from dalembert.trace.native.block import Array, Block, Output
from dalembert.trace.native.cache import cache_directory, cached, cached_code, clear_cache
from dalembert.trace.native.driver.driver_values import Bool, Int, Mask
from dalembert.trace.native.driver.function import FunctionBuilder, Variables
from dalembert.trace.native.driver.lapack import Lapack
from dalembert.trace.native.driver.pointers import IntPointer, Pointer, ShortPointer, UniformPointer
from dalembert.trace.native.driver.reals import Real, fma, maximum, minimum, select, sqrt
from dalembert.trace.native.driver.signature import Signature
from dalembert.trace.native.library import CompiledFunction, Library, aligned
from dalembert.trace.native.module import Module
from dalembert.trace.native.target import (
    AARCH64,
    C99,
    PLAIN,
    WASM32,
    WIDEST,
    Calls,
    Target,
    executable,
    host,
    target_of,
)

__all__ = [
    "AARCH64", "C99", "PLAIN", "WASM32", "WIDEST", "Array", "Block", "Bool", "Calls", "CompiledFunction", "FunctionBuilder", "Int",
    "IntPointer", "Lapack", "Library", "Mask", "Module", "Output", "Pointer", "Real", "ShortPointer", "Signature", "Target",
    "UniformPointer", "Variables", "aligned", "cache_directory", "cached", "cached_code", "clear_cache", "executable", "fma", "host",
    "maximum", "minimum", "select", "sqrt", "target_of",
]  # fmt: skip
