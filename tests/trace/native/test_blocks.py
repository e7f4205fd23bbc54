"""Straight-line blocks compute the graph they were given, whatever their length and wherever their arrays lie."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.errors import TraceError
from dalembert.trace import Expr, cos, evaluate, maximum, node, ops, select, sin, symbol, tracing
from dalembert.trace.native import Array, Block, Module, Output, aligned
from tests.effort import examples
from tests.targets import LANES as WIDTH

from .support import compiled_values

INPUTS = [symbol(f"x{i}") for i in range(5)]
BINARY = [ops.ADD, ops.SUB, ops.MUL, ops.DIV, ops.MIN, ops.MAX, ops.ATAN2]
UNARY = [ops.NEG, ops.ABS, ops.SIN, ops.COS, ops.TANH, ops.ATAN, ops.SIGN]


def random_graph(seed: int, size: int) -> list[Expr]:
    """Nodes over five symbols whose values stay of moderate size."""
    choose = random.Random(seed)
    pool: list[Expr] = list(INPUTS)
    while len(pool) < size:
        recent = pool[-40:]
        a, b, c = (choose.choice(recent) for _ in range(3))
        kind = choose.random()
        if kind < 0.6:
            op = choose.choice(BINARY)
            b = node(ops.ADD, node(ops.ABS, b), 0.5) if op is ops.DIV else b
            pool.append(node(op, a, b if choose.random() < 0.8 else choose.uniform(0.5, 2)))
        elif kind < 0.9:
            pool.append(node(choose.choice(UNARY), a))
        else:
            pool.append(select((a < b) & (c <= 0.5) | ~(b < c), a, node(ops.TANH, c)))
        pool[-1] = node(ops.SIN, pool[-1]) if choose.random() < 0.3 else pool[-1]
    return pool


def samples(seed: int, count: int) -> dict[Expr, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {s: rng.normal(size=count) for s in INPUTS}


@settings(max_examples=examples(25), deadline=None)
@given(seed=st.integers(0, 10**6), size=st.integers(6, 120), lanes=st.sampled_from([1, 2, 4, 8]))
def test_random_graphs_agree_with_the_interpreter(seed: int, size: int, lanes: int) -> None:
    with tracing(), np.errstate(all="ignore"):
        outputs = random_graph(seed, size)[5:]
        values = samples(seed, 8)
        got = compiled_values(outputs, values, lanes)
        # fused products and own sines round differently, and errors grow: hold every node against its own arguments
        known = dict(zip(outputs, got, strict=True)) | values
        for e in outputs:
            arguments = [evaluate(a, known) if type(a) is Expr else a for a in e.args]
            scale = 1.0 + sum(np.abs(np.asarray(a, dtype=float)) for a in arguments)
            assert (np.abs(known[e] - e.op.value(*arguments)) <= 1e-14 * scale).all(), e.op


def smooth_graph(size: int) -> list[Expr]:
    """A long chain in which early values are used late."""
    choose = random.Random(size)
    pool: list[Expr] = list(INPUTS)
    while len(pool) < size:
        a, b = choose.choice(pool[-60:]), choose.choice(pool)
        pool.append(sin(a * b) + 0.5 * cos(a) if choose.random() < 0.05 else 0.5 * a + 0.4 * b * maximum(a, -1.0))
    return pool


@pytest.mark.parametrize("lanes", sorted({1, WIDTH}))
@pytest.mark.parametrize("largest", [7, 100, 1000])
def test_chunks_change_nothing(lanes: int, largest: int) -> None:
    with tracing():
        outputs = smooth_graph(400)[-200:]
        values = samples(3, 8)
        whole = compiled_values(outputs, values, lanes, largest=10**6)
        chunked = compiled_values(outputs, values, lanes, largest=largest)
        np.testing.assert_allclose(chunked, whole, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(whole, np.array(evaluate(outputs, values)), rtol=1e-11, atol=1e-12)


def test_conditions_cross_chunks() -> None:
    a, b = INPUTS[:2]
    condition = a < b
    late = a
    for _ in range(30):
        late = late * 1.01 + b
    outputs = [select(condition, late, b), condition & (late < 1e9)]
    values = {a: np.array([-1.0, 2.0]), b: np.array([0.5, 0.5])}
    np.testing.assert_allclose(
        compiled_values(outputs, values, 2, largest=5), np.array(evaluate(outputs, values)), rtol=1e-13
    )


@pytest.mark.parametrize("factor", [1.0, 2.0])
@pytest.mark.parametrize("largest", [3, 1000])
@pytest.mark.parametrize("lanes", [1, 4])
def test_arrays_may_be_the_same_memory(lanes: int, largest: int, factor: float) -> None:
    """Rotate the elements of an array in place: wrong if any element is stored before all are read."""
    n = 12
    xs = [symbol(f"r{i}") for i in range(n)]
    outputs = [Output(xs[(i + 5) % n] * factor, "y", i) for i in range(n)]
    module = Module()
    module.block(
        Block("f", [Array("x"), Array("y")], {s: ("x", i) for i, s in enumerate(xs)}, outputs), lanes, largest=largest
    )
    memory = np.random.default_rng(0).normal(size=(n, lanes))
    expected = factor * np.roll(memory, -5, axis=0)
    module.compile().f(memory, memory)
    np.testing.assert_allclose(memory, expected, rtol=1e-15)


def test_outputs_may_add_and_uniform_inputs_serve_all_lanes() -> None:
    x, k = symbol("x"), symbol("k")
    outputs = [Output(k * x, "y", 1), Output(k, "y", 0, add=True), Output(3.0, "y", 2), Output(1.0, "y", 2, add=True)]
    block = Block("f", [Array("x"), Array("c", uniform=True), Array("y")], {x: ("x", 1), k: ("c", 2)}, outputs)
    module = Module()
    module.block(block, lanes=4)
    given, c, y = np.arange(8.0).reshape(2, 4), np.array([0.0, 0.0, 10.0]), np.ones((3, 4))
    module.compile().f(given, c, y)
    np.testing.assert_array_equal(y, [[11.0] * 4, [40.0, 50.0, 60.0, 70.0], [4.0] * 4])


def test_more_outputs_than_fit_one_function() -> None:
    x = symbol("x")
    outputs = [x * float(i) for i in range(2, 50)]
    got = compiled_values(outputs, {x: [1.0, 2.0]}, 2, largest=10)
    np.testing.assert_array_equal(got, np.outer(np.arange(2, 50), [1.0, 2.0]))


def test_memory_need_not_be_aligned() -> None:
    x = symbol("x")
    module = Module()
    module.block(Block("f", [Array("x"), Array("y")], {x: ("x", 0)}, [Output(x * 2.0, "y", 0)]), lanes=8)
    memory = aligned(32)[1:]
    memory[:8] = np.arange(8)
    f = module.compile().f
    f(memory[:8], memory[11:19])
    np.testing.assert_array_equal(memory[11:19], 2.0 * np.arange(8))


def test_mistakes_are_named() -> None:
    x, y = symbol("x"), symbol("y")
    arrays = [Array("a"), Array("c", uniform=True)]
    with pytest.raises(TraceError, match="no input is given for y"):
        Block("f", arrays, {x: ("a", 0)}, [Output(x + y, "a", 0)])
    with pytest.raises(TraceError, match="not an array it can write to"):
        Block("f", arrays, {x: ("a", 0)}, [Output(x, "c", 0)])
    with pytest.raises(TraceError, match="not one of its arrays"):
        Block("f", arrays, {x: ("b", 0)}, [Output(x, "a", 0)])
    with pytest.raises(TraceError, match="same name"):
        Block("f", [Array("a"), Array("a")], {}, [])


@settings(deadline=None, max_examples=examples(20))
@given(st.integers(0, 10**6), st.sampled_from([1, 4, 25, 1000]), st.sampled_from([1, WIDTH, 2 * WIDTH]))
def test_results_written_at_once_do_not_spoil_what_is_still_to_be_read(seed, largest, lanes):
    """Arrays that are apart, one of them read and written at the same places; in parts where a register has fewer lanes."""
    with tracing():
        nodes = random_graph(seed, 60)
        values = nodes[-7:]
        inputs = {x: ("a", i) for i, x in enumerate(INPUTS)}
        outputs = [Output(v, "a", i) for i, v in enumerate(values[:5])] + [
            Output(values[5], "b", 0),
            Output(values[6], "b", 0, add=True),
        ]
        module = Module(WIDTH)
        block = Block("step", [Array("a"), Array("b")], inputs, outputs, apart=True)
        module.block(block, lanes, largest=largest)
        library = module.compile()
        x = np.random.default_rng(seed).uniform(-2, 2, (5, lanes))
        expected = np.array(evaluate(values, dict(zip(INPUTS, x))))
    a, b = aligned((5, lanes)), aligned((1, lanes))
    a[:], b[:] = x, 7.0
    library.step(a, b)
    np.testing.assert_allclose(a, expected[:5], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(b[0], expected[5] + expected[6], rtol=1e-9, atol=1e-9)


def test_two_names_for_one_place_are_both_read_before_it_is_written():
    x, y = symbol("x"), symbol("y")
    outputs = [Output(y * 2.0, "a", 0), Output(x * 3.0, "a", 1)]
    module = Module()
    module.block(Block("both", [Array("a")], {x: ("a", 0), y: ("a", 0)}, outputs, apart=True))
    a = np.array([1.0, 0.0])
    module.compile().both(a)
    assert a.tolist() == [2.0, 3.0]


def test_constants_for_all_lanes_stay_where_they_are_in_every_part():
    lanes = 2 * WIDTH
    k, x = symbol("k"), symbol("x")
    module = Module(WIDTH)
    module.block(
        Block(
            "scale",
            [Array("K", uniform=True), Array("x"), Array("y")],
            {k: ("K", 0), x: ("x", 0)},
            [Output(k * x, "y", 0)],
        ),
        lanes,
    )
    x_values, y = aligned((1, lanes)), aligned((1, lanes))
    x_values[0] = np.arange(lanes)
    module.compile().scale(np.array([3.0]), x_values, y)
    np.testing.assert_array_equal(y[0], 3.0 * np.arange(lanes))
