"""Own machine code for arithmetic equals LLVM's and the interpreter's, whatever is stored where."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.errors import TraceError
from dalembert.trace import Expr, cos, evaluate, node, ops, sin, symbol, tracing
from dalembert.trace.native import Array, Block, Module, Output, aligned, x86
from dalembert.trace.native.machine import Host

pytestmark = pytest.mark.skipif(not x86.available(), reason="another kind of processor or system")

N = 12
"""Elements per array."""


LARGEST = 2.0**45


def random_block(seed: int, size: int, arrays: int) -> Block:
    """Sums, products, signs and quotients of inputs from several arrays, some of which are written over.

    All numbers are whole, those of K are ±1, and none is larger than a double can hold exactly: no rounding, in whatever order.
    """
    choose = random.Random(seed)
    names = ["K", *(f"a{k}" for k in range(arrays - 1))]
    inputs = {symbol(f"{name}.{i}"): (name, i) for name in names for i in range(N) if choose.random() < 0.6}
    inputs = inputs or {symbol("K.0"): ("K", 0)}
    bound: dict[Expr | float, float] = {s: 1.0 if array == "K" else 3.0 for s, (array, _) in inputs.items()}
    units = [s for s, (array, _) in inputs.items() if array == "K"]
    pool: list[Expr] = list(inputs)
    reach = choose.choice([5, 30, 300])

    def add(op: ops.Op, a: Expr, b: Expr | float | None = None) -> Expr:
        sizes = [bound[a], 1.0 if b is None else bound.get(b, 2.0)]
        size = sizes[0] * sizes[1] if op in (ops.MUL, ops.DIV) else sum(sizes)
        if size > LARGEST:
            return choose.choice(list(inputs))
        made = node(op, a) if b is None else node(op, a, b)
        if type(made) is Expr:
            bound[made] = min(size, bound.get(made, size))
            return made
        return choose.choice(list(inputs))

    while len(pool) < size + len(inputs):
        a, b, c = (choose.choice(pool[-reach:]) for _ in range(3))
        kind = choose.random()
        if kind < 0.12:
            pool.append(add(ops.NEG, a))
        elif kind < 0.16 and units:
            pool.append(add(ops.DIV, a, choose.choice(units)))
        elif kind < 0.18 and units:
            unit = choose.choice(units)
            pool.append(add(ops.SQRT, add(ops.MUL, unit, unit)))
        elif kind < 0.5:
            pool.append(add(ops.MUL, a, choose.choice([b, 2.0, -1.0])))
        else:
            op, product = choose.choice([ops.ADD, ops.SUB]), add(ops.MUL, b, choose.choice([c, 2.0]))
            pool.append(add(op, product, a) if choose.random() < 0.5 else add(op, add(ops.MUL, a, c), product))
    written = {(choose.choice(names[1:]), choose.randrange(N)) for _ in range(choose.randrange(1, 30))}
    outputs = [
        Output(choose.choice([*pool[-size:], pool[0], 0.75]), array, i, add=choose.random() < 0.2)
        for array, i in sorted(written)
    ]
    outputs += [Output(pool[-1], *outputs[0].place, add=choose.random() < 0.5)] if choose.random() < 0.3 else []
    used = [Array(name, uniform=name == "K") for name in names]
    return Block("b", used, inputs, outputs, apart=choose.random() < 0.8)


@settings(max_examples=200, deadline=None)
@given(
    seed=st.integers(0, 10**9),
    size=st.one_of(st.integers(1, 250), st.integers(600, 900)),
    arrays=st.integers(2, 8),
    lanes=st.sampled_from([1, 4, 8]),
)
def test_random_blocks_agree_exactly_with_the_interpreter(seed: int, size: int, arrays: int, lanes: int) -> None:
    with tracing():
        block = random_block(seed, size, arrays)
        code = Module(4)
        code.block(block, lanes)
        assert "prologue" in str(code.text)
        library = code.compile()
        rng = np.random.default_rng(seed)
        given = {a.name: rng.integers(-3, 4, (N, lanes)).astype(float) for a in block.arrays if not a.uniform}
        given["K"] = rng.choice([-1.0, 1.0], (N, 1))
        memory = {name: aligned(values.size) for name, values in given.items()}
        for name, values in given.items():
            memory[name][:] = values.ravel()
        library.b(*(memory[a.name] for a in block.arrays))
        values = {s: given[array][i] for s, (array, i) in block.inputs.items()}
        expected = {name: x.copy() for name, x in given.items()}
        for out in block.outputs:
            x = evaluate(out.value, values) if type(out.value) is Expr else out.value
            expected[out.array][out.index] = x + (expected[out.array][out.index] if out.add else 0.0)
    for name, want in expected.items():
        assert np.array_equal(memory[name].reshape(want.shape), want), name


@pytest.mark.parametrize("lanes", [1, 4, 8])
def test_sines_and_cosines_are_taken_before_the_arithmetic(lanes: int) -> None:
    """Also those of sums, and of sines."""
    with tracing():
        x = [symbol(f"x{i}") for i in range(4)]
        inner = sin(x[0] * x[1] + 0.3)
        turned = [sin(x[0]), cos(x[0]), inner, cos(inner), sin(x[2] + x[3])]
        values = [turned[i % 5] * x[i % 4] + turned[i % 3] * turned[(i + 1) % 5] - float(i) for i in range(40)]
        outputs = [Output(v, "y", i) for i, v in enumerate([*values, turned[1], x[2]])]
        block = Block("b", [Array("x"), Array("y")], {s: ("x", i) for i, s in enumerate(x)}, outputs)
        code = Module(4)
        code.block(block, lanes)
        assert "prologue" in str(code.text) and ".turns" in str(code.text)
        given, got = np.random.default_rng(1).uniform(-2, 2, (4, lanes)), aligned((42, lanes))
        code.compile().b(np.ascontiguousarray(given), got)
        want = np.array([evaluate(out.value, dict(zip(x, given))) for out in outputs])
    assert np.allclose(got, want, rtol=1e-14, atol=1e-13)


def test_everything_may_lie_in_one_array() -> None:
    """Where arrays are not apart, all inputs are read before anything is written."""
    with tracing():
        x = [symbol(f"x{i}") for i in range(30)]
        mixed = [x[i] * x[(i + 7) % 30] + x[(i + 11) % 30] for i in range(29)]
        outputs = [Output(v, "y", i) for i, v in enumerate([*mixed, x[0]])]
        code = Module(4)
        code.block(Block("b", [Array("x"), Array("y")], {s: ("x", i) for i, s in enumerate(x)}, outputs), 4)
        memory = aligned((30, 4))
        memory[:] = given = np.random.default_rng(2).integers(-9, 9, (30, 4))
        code.compile().b(memory, memory)
    want = [given[i] * given[(i + 7) % 30] + given[(i + 11) % 30] for i in range(29)]
    assert np.array_equal(memory, [*want, given[0]])


@pytest.mark.parametrize("zeros", [(0.0, -0.0), (-0.0, 0.0)])
def test_zeros_keep_their_signs(zeros: tuple[float, float]) -> None:
    with tracing():
        x, y = symbol("x"), symbol("y")
        sums = [node(ops.ADD, node(ops.NEG, x), node(ops.NEG, y)), node(ops.SUB, node(ops.NEG, x), y), node(ops.NEG, x)]
        outputs = [Output(v, "y", i) for i, v in enumerate([*zeros, *sums])]
        code = Module()
        code.block(Block("b", [Array("x"), Array("y")], {x: ("x", 0), y: ("x", 1)}, outputs))
        got = np.ones(5)
        code.compile().b(np.array([1.0, -1.0]), got)
    assert np.array_equal(np.signbit(got), [*np.signbit(zeros), False, False, True])
    assert np.array_equal(got, [0, 0, 0, 0, -1])


def test_for_another_processor_llvm_must_write_all_of_it() -> None:
    code = Module()
    with pytest.raises(TraceError, match="own_code=False"):
        code.assembly(Host("x86-64", ""))
