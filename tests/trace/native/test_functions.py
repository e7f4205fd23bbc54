"""The language of driver functions: each construct does what its Python namesake does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dalembert.errors import TraceError
from dalembert.trace import symbol
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
    UniformPointer,
    fma,
    maximum,
    minimum,
    select,
    sqrt,
)  # fmt: skip
from tests.targets import LANES as WIDTH

LANES = sorted({1, 3, WIDTH})


def integers(library: Library, size: int, *arguments: int) -> list[int]:
    out = np.full(size, -99, dtype=np.int64)
    library.f(out, *arguments)
    return [int(x) for x in out]


@pytest.mark.parametrize("bounds", [(5,), (2, 6), (0, 9, 3), (9, -1, -4), (3, 3), (4, 2), (-3, 3, 2)])
def test_loops_run_over_pythons_range(bounds: tuple[int, ...]) -> None:
    m = Module()
    with m.function("f", out=IntPointer) as f:
        v = f.variables(n=0)
        with f.loop(*bounds) as i:
            f.out[v.n] = i
            v.n = v.n + 1
        f.out[9] = v.n
    got = integers(m.compile(), 10)
    expected = list(range(*bounds))
    assert got[: len(expected)] == expected and got[9] == len(expected)


def test_countdown_and_run_time_bounds() -> None:
    m = Module()
    with m.function("f", out=IntPointer, n=Int) as f:
        v = f.variables(k=0)
        with f.countdown(f.n) as i:
            f.out[v.k] = i
            v.k = v.k + 1
    assert integers(m.compile(), 4, 3) == [2, 1, 0, -99]
    assert integers(m.compile(), 2, 0) == [-99, -99]


@pytest.mark.parametrize("a", [-7, -6, 0, 5, 6])
@pytest.mark.parametrize("b", [-4, -3, 3, 5])
def test_integer_arithmetic_is_pythons(a: int, b: int) -> None:
    results = integers(_arithmetic(), 14, a, b)
    expected = [a + b, a - b, a * b, a // b, a % b, -a, 3 - a, 2 * a + 1, a < b, a <= b, a > b, a >= b, a == b, a != b]
    assert results == [int(x) for x in expected]


_library: list[Library] = []


def _arithmetic() -> Library:
    if not _library:
        m = Module()
        with m.function("f", out=IntPointer, a=Int, b=Int) as f:
            a, b = f.a, f.b
            for k, x in enumerate([a + b, a - b, a * b, a // b, a % b, -a, 3 - a, 2 * a + 1]):
                f.out[k] = x
            for k, condition in enumerate([a < b, a <= b, a > b, a >= b, a == b, a != b]):
                f.out[8 + k] = select(condition, f.integer(1), 0)
        _library.append(m.compile())
    return _library[0]


def test_while_leaves_and_skips() -> None:
    """Collatz lengths, odd starting numbers only, until one is longer than the limit."""
    m = Module()
    with m.function("f", status=True, limit=Int) as f:
        v = f.variables(start=0, found=0)
        with f.while_(lambda: v.found == 0):
            v.start = v.start + 1
            f.next_if(v.start % 2 == 0)
            w = f.variables(x=v.start, length=0)
            with f.while_(lambda: w.x > 1):
                w.x = select(w.x % 2 == 0, w.x // 2, 3 * w.x + 1)
                w.length = w.length + 1
                f.stop_if(w.length > f.limit)
            with f.if_(w.length > f.limit):
                v.found = v.start
        f.return_(v.found)
    assert m.compile().f(100) == 27  # the first number with more than 100 steps (OEIS A006577)


def test_if_else_and_early_return() -> None:
    m = Module()
    with m.function("f", status=True, x=Int) as f:
        v = f.variables(y=0, big=False)
        with f.if_(f.x < 0):
            f.return_(-1)
        with f.if_(f.x > 10):
            v.big = True
            with f.if_(f.x > 100):
                v.y = 3
            with f.else_():
                v.y = 2
        with f.else_():
            v.y = 1
        with f.if_(v.big & ~(f.x == 11)):
            v.y = v.y * 10
        f.return_(v.y)
    call = m.compile().f
    assert [call(x) for x in (-5, 3, 11, 12, 101)] == [-1, 1, 2, 20, 30]


@pytest.mark.parametrize("lanes", LANES)
def test_real_arithmetic_in_lanes(lanes: int) -> None:
    m = Module()
    with m.function("f", lanes=lanes, x=Pointer, y=Pointer, k=Real) as f:
        a, b = f.x[0], f.x[1]
        results = [
            a + b, a - b, a * b, a / b, 1.0 - a, 2.0 / b, -a, abs(a), sqrt(abs(a)), minimum(a, b), maximum(a, 0.0),
            fma(a, b, 1.0), abs(a) ** 0.3, f.k * a, select(a < b, a, 7.0), select((a < 0.0) | (b > 1.0), b, a),
        ]  # fmt: skip
        for i, result in enumerate(results):
            f.y[i] = result
    a, b = x = np.random.default_rng(0).normal(size=(2, lanes))
    y = np.zeros((16, lanes))
    m.compile().f(x, y, 2.5)
    expected = [
        a + b, a - b, a * b, a / b, 1 - a, 2 / b, -a, abs(a), np.sqrt(abs(a)), np.minimum(a, b), np.maximum(a, 0),
        a * b + 1, abs(a) ** 0.3, 2.5 * a, np.where(a < b, a, 7), np.where((a < 0) | (b > 1), b, a),
    ]  # fmt: skip
    np.testing.assert_allclose(y, expected, rtol=1e-15)


@pytest.mark.parametrize("lanes", LANES)
def test_single_lanes_and_all_lanes(lanes: int) -> None:
    m = Module()
    with m.function("f", lanes=lanes, status=True, x=Pointer, y=Pointer, count=Int) as f:
        x = f.x[0]
        f.y[0], f.y[1], f.y[2] = x.largest_lane(), x.smallest_lane(), x.sum_of_lanes()
        f.y[3] = x.lane(lanes - 1)
        f.y[4] = x.with_lane(f.count - 1, -5.0)
        f.y[5] = f.real(f.count)
        f.y[6] = select(f.first_lanes(f.count), x, 0.0)
        answers = f.variables(a=0)
        for weight, condition in enumerate([(x > 0.5).any(), (x > 0.5).all(), (x > -9.0).all(), (x > 99.0).any()]):
            with f.if_(condition):
                answers.a = answers.a + 2**weight
        f.return_(answers.a)
    x = np.arange(lanes) / lanes + 0.51 * (lanes == 1)
    y = np.zeros((7, lanes))
    status = m.compile().f(x, y, 1)
    assert status == (x > 0.5).any() + 2 * (x > 0.5).all() + 4
    first = np.arange(lanes) < 1
    expected = [[x.max()] * lanes, [x.min()] * lanes, [x.sum()] * lanes, [x[-1]] * lanes]
    expected += [np.where(first, -5.0, x), [1.0] * lanes, np.where(first, x, 0.0)]
    np.testing.assert_allclose(y, expected)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("states", [1, 4, 7])
def test_rows_of_a_batch_pass_through_lanes(lanes: int, states: int) -> None:
    """Double every row of a (K, n) array, W rows at a time; the last group may be short."""
    n = 3
    m = Module()
    with m.function("f", lanes=lanes, source=UniformPointer, target=UniformPointer, states=Int) as f:
        local = f.array(n)
        with f.loop(0, f.states, lanes) as start:
            source = (f.source + start * n).rows(n, f.states - start)
            target = (f.target + start * n).rows(n, f.states - start)
            with f.loop(n) as i:
                local[i] = source[i]
            spoilt = select(f.first_lanes(f.states - start), 0.0, 1e9)  # what lanes without a row must not write
            with f.loop(n) as i:
                target[i] = 2.0 * local[i] + spoilt
    source = np.random.default_rng(0).normal(size=(states, n))
    target = np.full((states + 1, n), 99.0)
    m.compile().f(source, target, states)
    np.testing.assert_array_equal(target[:states], 2 * source)
    np.testing.assert_array_equal(target[states], 99.0)


def test_memory_views_and_local_memory() -> None:
    m = Module()
    with m.function("f", lanes=2, x=Pointer, u=UniformPointer) as f:
        ints, reals = f.int_array(4), f.uniform_array(3)
        with f.loop(4) as i:
            ints[i] = i * i
        with f.loop(3) as i:
            reals[i] = f.real(ints[i + 1]) * 0.5
        f.u[1] = reals[2] + f.u[0]
        f.x[1] = (f.x + 1)[0] + f.x.uniform[1]
        (f.u + 2).lanes[0] = f.x[0]
    x, u = np.array([[1.0, 2.0], [10.0, 20.0]]), np.array([100.0, 0.0, 0.0, 0.0])
    m.compile().f(x, u)
    np.testing.assert_array_equal(x, [[1.0, 2.0], [12.0, 22.0]])
    np.testing.assert_array_equal(u, [100.0, 104.5, 1.0, 2.0])


@pytest.mark.parametrize("lanes", [1, 4])
def test_tables_and_calls_through_them(lanes: int) -> None:
    """Bodies of two classes, each with its own block and its own constants, as the outlined recursions do."""
    x, c = symbol("x"), symbol("c")
    m = Module()
    arrays, inputs = [Array("c", uniform=True), Array("x")], {x: ("x", 0), c: ("c", 0)}
    double = m.block(Block("double", arrays, inputs, [Output(2.0 * x + c, "x", 0)]), lanes)
    square = m.block(Block("square", arrays, inputs, [Output(x * x - c, "x", 0)]), lanes)
    classes = [0, 1, 1, 0]
    steps = m.function_table([(double, square)[k] for k in classes])
    constants, parents = m.real_table([1.0, 2.0, 3.0, 4.0]), m.int_table([3, 2, 1, 0])
    assert parents[1] == 2 and constants[2] == 3.0 and steps[0] is double
    with m.function("f", lanes=lanes, x=Pointer) as f:
        with f.loop(4) as i:
            f.call(steps[i], constants + i, f.x + parents[i])
        f.call(double, constants, f.x)
        f.x[1] = f.x[1] + constants[f.integer(3)]
    given = np.arange(4.0 * lanes).reshape(4, lanes)
    a, b, c_, d = given
    m.compile().f(memory := given.copy())
    np.testing.assert_array_equal(memory, [2 * (2 * a + 4) + 1, b * b - 3 + 4, c_ * c_ - 2, 2 * d + 1])


@pytest.mark.parametrize("lanes", [1, 4])
def test_functions_call_functions(lanes: int) -> None:
    m = Module()
    with m.function("scale", lanes=lanes, public=False, status=True, x=Pointer, k=Real, n=Int) as scale:
        with scale.loop(scale.n) as i:
            scale.x[i] = scale.x[i] * scale.k
        scale.return_(scale.n + 1)
    with m.function("f", lanes=lanes, status=True, x=Pointer, k=Real) as f:
        status = f.status_of(scale, f.x, f.x[0] + f.k, 2)
        f.return_(status)
    x = np.ones((2, lanes)) * np.arange(1, lanes + 1)
    library = m.compile()
    assert library.f(x, 0.5) == 3 and list(library) == ["f"]
    lane = np.arange(1, lanes + 1)
    np.testing.assert_array_equal(x, [lane * (lane + 0.5)] * 2)


def test_variables_hold_every_type() -> None:
    m = Module()
    with m.function("f", lanes=2, x=Pointer) as f:
        v = f.variables(p=f.x, mask=f.x[0] < 1.5, r=1.0)
        with f.loop(2):
            v.p[0] = select(v.mask, v.r, 9.0)
            v.p, v.mask, v.r = v.p + 1, ~v.mask, v.r + 1.0
        with pytest.raises(AttributeError, match="no variable 'q'"):
            v.q = 1.0
    x = np.array([[1.0, 2.0], [0.0, 0.0]])
    m.compile().f(x)
    np.testing.assert_array_equal(x, [[1.0, 9.0], [9.0, 2.0]])


def test_mistakes_are_named() -> None:
    m = Module()
    with m.function("g", lanes=2, x=Pointer, k=Real) as g:
        g.x[0] = g.k
    with m.function("f", x=Pointer, n=Int) as f:
        with pytest.raises(TraceError, match=r"say \.any\(\) or \.all\(\)"), f.if_(f.x[0] < 1.0):
            pass
        with pytest.raises(TraceError, match="known only when the compiled code runs"):
            bool(f.n < 2)
        with pytest.raises(TraceError, match=r"say f\.real"):
            f.x[0] + f.n
        with pytest.raises(TraceError, match="right after an if_"), f.else_():
            pass
        with pytest.raises(TraceError, match="no loop"):
            f.stop_if(f.n < 2)
        with pytest.raises(TraceError, match="lanes"):
            f.call(g, f.x, f.x[0])
        with pytest.raises(TraceError, match="status=True"):
            f.return_(1)
        with pytest.raises(TraceError, match="cannot be used as Address"):
            f.x[0] = 1.0
            f.call(f, 3.0, f.n)
        with pytest.raises(AttributeError, match="no parameter 'm'"):
            _ = f.m
    with pytest.raises(TraceError, match="already has"), m.function("f"):
        pass
    with pytest.raises(TraceError, match="name of a parameter"), m.function("h", loop=Int):
        pass
    with pytest.raises(TraceError, match="'x' cannot be"), m.function("h", x=float):  # type: ignore[arg-type]
        pass
    with pytest.raises(TraceError, match="letters"), m.function("no good"):
        pass


WEIGHTS = [1.0 + 0.1 * i for i in range(16)]


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("width", [None, WIDTH])
@pytest.mark.parametrize("n", [0, 1, 3, 4, 8, 13, 16])
def test_each_and_total_cover_all_elements_once(n: int, width: int | None, lanes: int) -> None:
    """Also what is left over after whole registers; numbers from outside reach all of them, those of a table each its own."""
    m = Module(width)
    with m.function("f", lanes=lanes, x=Pointer, y=Pointer, out=Pointer, h=Real) as f:
        doubled = 2.0 * f.h
        weights = m.real_table(WEIGHTS)
        for i in f.each(n):
            f.y[i] = weights[i] * f.y[i] + doubled * select(f.x[i] > f.h, f.x[i], f.h)
        f.out[0] = f.total(n, lambda i: f.x[i] * f.y[i] - f.h)
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(n + 1, lanes)), rng.normal(size=(n + 1, lanes))
    expected, out = y.copy(), np.zeros((1, lanes))
    expected[:n] = np.array(WEIGHTS[:n]).reshape(n, 1) * y[:n] + 2 * 0.3 * np.maximum(x[:n], 0.3)
    m.compile().f(x, y, out, 0.3)
    assert np.allclose(y, expected, rtol=1e-15, atol=1e-15)
    assert np.allclose(out[0], (x[:n] * expected[:n] - 0.3).sum(axis=0), rtol=1e-13, atol=1e-13)


def test_each_refuses_what_would_be_read_wrongly() -> None:
    m = Module(4)
    with m.function("f", x=Pointer) as f:
        v = f.variables(h=1.0)
        turns = f.each(8)
        i = next(turns)
        with pytest.raises(TraceError, match="fixed place"):
            f.x[0]
        with pytest.raises(TraceError, match="cannot be looked up"):
            m.int_table([1, 0])[i]
        with pytest.raises(TraceError, match="'h' cannot be reached"):
            f.x[i] = f.x[i] * v.h
        turns.close()
        assert f.x[0].lanes == 1


def test_threads_take_different_numbers() -> None:
    m = Module()
    with m.function("f", queue=IntPointer, taken=IntPointer, count=Int, status=True) as f:
        v = f.variables(k=0)
        with f.while_(lambda: v.k >= 0):
            v.k = f.queue.take(0)
            with f.if_(v.k >= f.count):
                f.return_(0)
            f.taken[v.k] = f.taken[v.k] + 1
        f.return_(1)
    library = m.compile()
    queue, taken = np.zeros(1, dtype=np.int64), np.zeros(200_000, dtype=np.int64)
    with ThreadPoolExecutor(4) as pool:
        assert not any(pool.map(lambda _: library.f(queue, taken, len(taken)), range(4)))
    assert (taken == 1).all() and queue[0] == len(taken) + 4
