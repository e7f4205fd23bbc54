"""Graphs of a hundred thousand nodes: nothing recurses, nothing expands."""

import pytest

from dalembert.trace import count_operations, directional, evaluate, gradient, sin, substitute, symbol, symbols, tracing
from dalembert.trace.text import c_source, latex, program, python_function, to_sympy

N = 100_000
x = symbols("x", "012")


def chain(n):
    """A sum n deep, never shared."""
    e = x[0]
    for k in range(n // 2):
        e = (e + x[k % 3]) * 0.5
    return e


def braid(n):
    """Every node used twice: 2^n terms if expanded."""
    a, b = x[0], x[1]
    for _ in range(n // 4):
        a, b = a * 0.6 + b * 0.5, sin(a) - b
    return a + b


def tower(n):
    e = x[0]
    for _ in range(n):
        e = sin(e)
    return e


@pytest.fixture(scope="module", params=[chain, braid, tower], ids=lambda f: f.__name__)
def large(request):
    with tracing():
        yield request.param(N)


def test_print(large):
    assert max(map(len, c_source("f", {"x": x}, {"y": large}).splitlines())) < 200
    assert len(repr(large)) <= 120


def test_evaluate_and_substitute(large):
    v = dict(zip(x, [0.3, 0.2, 0.1]))
    assert count_operations(large).total > 0.9 * N
    w = symbol("w")
    assert evaluate(substitute(large, {x[1]: w}), {**v, w: 0.2}) == evaluate(large, v)


def test_differentiate(large):
    v = dict(zip(x, [0.3, 0.2, 0.1]))
    backward, forward = evaluate([gradient(large, x[:1])[0], directional(large, {x[0]: 1.0})], v)
    assert backward == pytest.approx(forward, rel=1e-9, abs=1e-300)


@pytest.mark.slow
def test_latex_and_compiled_python():
    with tracing():
        e = braid(N)
        assert max(map(len, latex(e).splitlines())) < 400
        v = [0.3, 0.2, 0.1]
        assert python_function("f", {"x": x}, {"y": e})(v) == evaluate(e, dict(zip(x, v)))


def test_sympy_form_is_cut_like_the_text():
    with tracing():
        e = braid(2000)
        replacements, _ = to_sympy(e)
        assert len(replacements) == len(program(e).assignments)
