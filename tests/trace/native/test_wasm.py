"""WebAssembly, run in a browser: the module that our own linker makes computes what machine code does; what it does not know, it
refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.errors import TraceError
from dalembert.trace import cos, evaluate, exp, node, ops, sin, symbol, tracing
from dalembert.trace.native import (
    WASM32,
    Array,
    Block,
    Calls,
    Int,
    IntPointer,
    Module,
    Output,
    Pointer,
    Real,
    cache,
    cached_code,
)
from dalembert.trace.native.wasm import link
from dalembert.trace.native.wasm.encoding import Reader, padded, signed, unsigned
from dalembert.trace.native.wasm.object_file import read_object
from dalembert.trace.native.wasm.stack import stack_size
from tests.effort import examples
from tests.trace.graphs import X, graphs
from tests.wasm import Engine

from .test_operations import BINARY, SPECIAL, UNARY


@pytest.fixture(scope="module")
def engine(browser):
    made = Engine(browser)
    yield made
    made.page.close()


def values(engine: Engine, outputs, samples: dict, lanes: int = 1) -> np.ndarray:
    """Outputs at samples, all in one call of the browser."""
    block = Block("f", [Array("x"), Array("y")], {s: ("x", i) for i, s in enumerate(samples)},
                  [Output(v, "y", i) for i, v in enumerate(outputs)])  # fmt: skip
    module = Module(target=WASM32)
    module.block(block, lanes)
    given = np.array(list(samples.values()), dtype=float)
    count = given.shape[1]
    padded_to = np.pad(given, ((0, 0), (0, -count % lanes)), mode="edge")
    inputs = [np.ascontiguousarray(padded_to[:, k : k + lanes]) for k in range(0, count, lanes)]
    results = [np.zeros((len(outputs), lanes)) for _ in inputs]
    engine.library(module).many("f", list(zip(inputs, results)))
    return np.hstack(results)[:, :count]


# -- what it computes -------------------------------------------------------------------------------------------------------
@settings(max_examples=examples(20))
@given(outputs=graphs(), seed=st.integers(0, 10**6), lanes=st.sampled_from([1, 2, 4]))
def test_random_graphs_agree_with_the_interpreter(engine, outputs, seed: int, lanes: int) -> None:
    samples = {x: np.random.default_rng(seed).uniform(-1.5, 1.5, 5) for x in X}
    found = values(engine, outputs, samples, lanes)
    for k, got in enumerate(found.T):
        expected = evaluate(outputs, {x: float(row[k]) for x, row in samples.items()})
        np.testing.assert_allclose(got, np.array(expected, dtype=float), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("lanes", [1, 2])
def test_every_operation_on_special_values(engine, lanes: int) -> None:
    """Functions of JavaScript take the place of the C library's, and differ from them at most in the last digits."""
    x, y = symbol("x"), symbol("y")
    pairs = np.array([(a, b) for a in SPECIAL for b in SPECIAL])
    names = [*UNARY, *BINARY, ops.POW]
    with np.errstate(all="ignore"):
        outputs = [node(op, x) if op in UNARY else node(op, x, y) for op in names]
        found = values(engine, outputs, {x: pairs[:, 0], y: pairs[:, 1]}, lanes)
        for op, out, got in zip(names, outputs, found):
            expected = np.array([evaluate(out, {x: a, y: b}) for a, b in pairs], dtype=float)
            np.testing.assert_allclose(got, expected, rtol=1e-14, atol=0.0, err_msg=op.name)


def test_sines_are_as_exact_as_in_machine_code(engine) -> None:
    """Without fused products, too: the angle's reduction relies on products that are exact."""
    import mpmath

    from .test_sincos import ordinary_angles, units_in_last_place

    x, angles = symbol("x"), ordinary_angles()[::7]
    sines, cosines = values(engine, [sin(x), cos(x)], {x: angles}, 2)
    with mpmath.workdps(40):
        for angle, s, c in zip(angles, sines, cosines, strict=True):
            assert units_in_last_place(s, mpmath.sin(mpmath.mpf(angle))) <= 2.5, angle
            assert units_in_last_place(c, mpmath.cos(mpmath.mpf(angle))) <= 2.5, angle


def program(module: Module) -> Module:
    """Tables of numbers and of functions, local memory in several frames, loops in registers, an integer passed and returned."""
    x, y = symbol("x"), symbol("y")
    inputs = {x: ("x", 0), y: ("x", 1)}
    straight = module.block(Block("f", [Array("x"), Array("y")], inputs, [Output(sin(x) * exp(y) + x / y, "y", 0)]))
    reals, places = module.real_table([0.25, -3.0, 1e-3]), module.int_table([2, 0, 1])
    with module.function("one", public=False, x=Pointer) as f:
        local = f.array(100)
        f.call(straight, f.x, local)
        f.x[0] = local[0]
    with module.function("other", public=False, x=Pointer) as g, g.loop(3) as i:
        g.x[i] = g.x[i] + reals[places[i]]
    table = module.function_table([f.signature, g.signature])
    with module.function("alternate", status=True, x=Pointer, h=Real, n=Int, counts=IntPointer) as f:
        kept = f.array(9)
        kept.clear(9)
        with f.loop(f.n) as i:
            which = f.variables(k=0)
            with f.if_(f.counts[0] > 3):
                which.k = 1
            f.call(table[which.k], f.x)
            f.counts[0] = f.counts[0] + 1
            for j in f.each(9):
                kept[j] = kept[j] + f.h * f.x[j]
        for j in f.each(9):
            f.x[j] = kept[j]
        f.return_(f.counts[0])
    return module


def test_a_program_computes_what_machine_code_does(engine) -> None:
    start = np.linspace(0.3, 1.1, 9)
    native, wasm = start.copy(), start.copy()
    counts = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    assert program(Module(width=2)).compile().alternate(native, 0.1, 9, counts[0]) == 9
    assert engine.library(program(Module(width=2, target=WASM32))).alternate(wasm, 0.1, 9, counts[1]) == 9
    assert counts[0][0] == counts[1][0] == 9
    np.testing.assert_allclose(wasm, native, rtol=1e-13)


def test_local_memory_of_every_depth_is_there(engine) -> None:
    """A chain of calls, each with a frame of its own, filled and read back: none may lie in another's, or in the tables."""
    module = Module(target=WASM32)
    table = module.real_table([float(k) for k in range(200)])
    below = None
    for depth in range(12):
        with module.function(f"level{depth}", public=depth == 11, x=Pointer) as f:
            own = f.array(100 + 37 * depth)
            with f.loop(100 + 37 * depth) as i:
                own[i] = float(depth)
            if below is not None:
                f.call(below, f.x)
            with f.loop(100 + 37 * depth) as i:
                f.x[0] = f.x[0] + own[i]
            with f.loop(200) as i:
                f.x[1] = f.x[1] + table[i]
        below = f.signature
    x = np.zeros(2)
    engine.library(module).level11(x)
    assert x.tolist() == [sum(d * (100 + 37 * d) for d in range(12)), 12 * sum(range(200))]
    frames = sum(8 * (100 + 37 * d) for d in range(12))
    assert frames <= stack_size(read_object(module.object_code())) <= frames + 12 * 200


# -- what is refused --------------------------------------------------------------------------------------------------------
def test_calls_of_what_is_not_there_are_refused() -> None:
    module = Module(target=WASM32)
    for among, said in ((Calls.LAPACK, "routines of LAPACK"), (Calls.PYTHON, "functions in Python")):
        with pytest.raises(TraceError, match=f'code for target "wasm32" cannot call "f": {said} are not there'):
            module.external("f", ["pointer"], among)
    with pytest.raises(TraceError, match="cannot be loaded into this process"):
        module.compile()


def test_a_function_that_calls_itself_is_refused() -> None:
    module = Module(target=WASM32)
    with module.function("endless", x=Pointer) as f:
        local = f.array(2)
        with f.if_((f.x[0] > 0.0).all()):
            local[1] = f.x[0]
            f.x[0] = f.x[0] - 1.0
            f.call(f.signature, f.x)
            f.x[1] = f.x[1] + local[1]
    with pytest.raises(TraceError, match="calls itself"):
        link(module.object_code())


def reloc_section(obj: bytes) -> int:
    """Where the kind of the first relocation of the code stands."""
    r = Reader(obj, obj.index(b"reloc.CODE") + len(b"reloc.CODE"))
    r.unsigned()
    r.unsigned()
    return r.at


def test_what_the_linker_does_not_know_is_refused_in_words() -> None:
    obj = program(Module(target=WASM32)).object_code()
    assert link(obj).exports == ("k.f", "k.alternate") and link(obj).imports == ("Math.sin", "Math.cos", "Math.exp")
    at = reloc_section(obj)
    for kind in (8, 9, 10, 11, 13, 14, 23, 26):
        with pytest.raises(TraceError, match=f"relocation of kind {kind}, which the linker does not know"):
            link(obj[:at] + bytes([kind]) + obj[at + 1 :])
    with pytest.raises(TraceError, match="no WebAssembly object"):
        link(b"\x7fELF" + obj[4:])
    with pytest.raises(TraceError, match="linked already"):
        link(link(obj).code)
    with pytest.raises(TraceError, match='a variable "__stack_painter" from outside'):
        link(obj.replace(b"__stack_pointer", b"__stack_painter"))


def test_numbers_are_written_as_they_are_read() -> None:
    for n in (0, 1, 63, 64, 127, 128, 300, 65535, 2**31 - 1):
        assert Reader(unsigned(n)).unsigned() == Reader(padded(n)).unsigned() == n
        for sign in (1, -1):
            assert Reader(signed(sign * n)).signed() == sign * n


# -- the cache --------------------------------------------------------------------------------------------------------------
def test_code_for_elsewhere_is_kept_and_verified(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DALEMBERT_CACHE_DIR", str(tmp_path))
    compiled = []
    made = Module.object_code
    monkeypatch.setattr(Module, "object_code", lambda m: compiled.append(m) or made(m))

    def module() -> Module:
        with tracing():
            return program(Module(target=WASM32))

    code = cached_code(module())
    assert cached_code(module()) == code and len(compiled) == 1
    monkeypatch.setattr(cache, "VERIFY", True)
    assert cached_code(module()) == code
    entries = cache._entries()
    entries.write(module().address, code[:-1])
    with pytest.raises(TraceError, match="not that of the model at hand"):
        cached_code(module())
