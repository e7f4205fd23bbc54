"""Compiled functions as Python sees them, and the processor they are compiled for."""

from __future__ import annotations

import re
import subprocess
import sys
import threading

import numpy as np
import pytest

from dalembert.errors import TraceError
from dalembert.trace import sin, symbol
from dalembert.trace.native import (
    Array,
    Block,
    Int,
    IntPointer,
    Library,
    Module,
    Output,
    Pointer,
    Real,
    Target,
    aligned,
)


@pytest.fixture(scope="module")
def library() -> Library:
    m = Module()
    with m.function("fill", status=True, x=Pointer, k=Real, n=Int) as f:
        with f.loop(f.n) as i:
            f.x[i] = f.k
        f.return_(f.n * 2)
    with m.function("count", n=IntPointer) as f:
        f.n[0] = f.n[0] + 1
    return m.compile()


def test_functions_are_attributes_and_items(library: Library) -> None:
    x = np.zeros(3)
    assert library.fill(x, 1.5, 3) == 6 and library["fill"](x, 2, np.int64(2)) == 4
    np.testing.assert_array_equal(x, [2.0, 2.0, 1.5])
    assert list(library) == ["fill", "count"]
    with pytest.raises(TraceError, match="has no function 'spill'; it has: fill, count"):
        library.spill(x)


def test_a_call_can_be_prepared(library: Library) -> None:
    n = np.zeros(1, dtype=np.int64)
    bound = library.count.bind(n)
    for _ in range(3):
        assert bound() is None
    library.count.raw(n.ctypes.data)
    library.count(n.ctypes.data)
    assert n[0] == 5


def test_arrays_of_the_wrong_kind_are_refused(library: Library) -> None:
    for wrong in (np.zeros(3, dtype=np.float32), np.zeros((3, 3))[:, 1], [1.0, 2.0], None):
        with pytest.raises(TraceError, match="C-contiguous arrays of float64 or int64"):
            library.fill(wrong, 1.0, 1)
    with pytest.raises(TraceError, match="takes 3 arguments"):
        library.fill(np.zeros(3))


def test_read_only_and_empty_arrays_are_taken(library: Library) -> None:
    frozen = np.zeros(1)
    frozen.flags.writeable = False
    assert library.fill(frozen, 1.0, 0) == 0
    assert library.fill(np.zeros(0), 1.0, 0) == 0


def test_functions_outlive_their_library() -> None:
    x = np.zeros(1)
    m = Module()
    with m.function("f", x=Pointer) as f:
        f.x[0] = 4.0
    call = m.compile().f.bind(x)
    call()
    assert x[0] == 4.0


def test_compiling_in_many_threads() -> None:
    results: dict[int, float] = {}

    def work(k: int) -> None:
        x = symbol("x")
        m = Module()
        m.block(Block("f", [Array("x"), Array("y")], {x: ("x", 0)}, [Output(sin(x) * float(k), "y", 0)]))
        y = np.zeros(1)
        m.compile().f(np.ones(1), y)
        results[k] = y[0]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2, 8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    np.testing.assert_allclose([results[k] / k for k in range(2, 8)], np.sin(1.0))


def test_aligned_memory_begins_on_a_cache_line() -> None:
    for shape in (1, 7, (3, 4)):
        memory = aligned(shape)
        assert memory.ctypes.data % 64 == 0 and not memory.any()


@pytest.mark.skipif("x86_64" not in __import__("platform").machine().lower(), reason="x86 registers")
@pytest.mark.parametrize("cpu", ["skylake-avx512", "sapphirerapids", "znver4"])
def test_eight_lanes_fill_the_widest_registers(cpu: str) -> None:
    """Also on processors for which LLVM by itself prefers half the width."""
    x, y = symbol("x"), symbol("y")
    m = Module(target=Target(cpu, cpu, "", 8))
    inputs = {x: ("x", 0), y: ("x", 1)}
    rhs = m.block(Block("f", [Array("x"), Array("y")], inputs, [Output(sin(x) * y + x / y, "y", 0)]), lanes=8)
    with m.function("g", lanes=8, x=Pointer, h=Real) as g:
        g.call(rhs, g.x, g.x)
        g.x[0] = g.x[0] * g.h + g.x[1]
    text = m.assembly()
    arithmetic = re.findall(r"v(?:f?n?madd|mul|add|sub|div)\w*pd\s.*", text)
    assert len(arithmetic) > 20 and all("zmm" in line for line in arithmetic)


def test_tracing_alone_does_not_load_llvm() -> None:
    program = "import sys, dalembert.trace, dalembert.trace.native; assert 'llvmlite' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
