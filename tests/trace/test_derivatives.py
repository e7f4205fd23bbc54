"""Derivatives forward, backward and by differences in 60 digits are the same."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dalembert.trace import (
    Expr,
    directional,
    evaluate,
    gradient,
    jacobian,
    log,
    maximum,
    ops,
    ordered,
    select,
    sin,
    sqrt,
    symbol,
    symbols,
)
from tests.effort import examples

from .graphs import X, graphs, values

JUMPS = (ops.FLOOR, ops.FMOD)
some = settings(deadline=None, max_examples=examples(150))

EXACT = {
    **{op: getattr(mpmath, op.name) for op in (
        ops.SQRT, ops.EXP, ops.LOG, ops.SIN, ops.COS, ops.TAN, ops.ASIN, ops.ACOS, ops.ATAN, ops.ATAN2, ops.SINH,
        ops.COSH, ops.TANH, ops.SIGN,
    )},
    ops.POW: mpmath.power,
    ops.FLOOR: mpmath.floor,
    ops.FMOD: lambda a, b: a - b * (mpmath.floor if a / b >= 0 else mpmath.ceil)(a / b),
    ops.MIN: min,
    ops.MAX: max,
    ops.DIV: lambda a, b: a / b,
    ops.SELECT: lambda c, a, b: a if c else b,
}  # fmt: skip


def in_60_digits(outputs, point):
    known = dict(point)
    for e in ordered(outputs):
        if e not in known:
            arguments = (known[a] if type(a) is Expr else mpmath.mpf(a) for a in e.args)
            known[e] = EXACT.get(e.op, e.op.value)(*arguments)
    return [known[e] if type(e) is Expr else mpmath.mpf(e) for e in outputs]


def by_differences(outputs, v):
    """∂outputs/∂X by central differences, correct to far beyond a double."""
    columns = []
    with mpmath.workdps(60):
        h = mpmath.mpf(10) ** -20
        for s in X:
            ahead, behind = (
                in_60_digits(outputs, {x: mpmath.mpf(v[x]) + step * (x is s) for x in X}) for step in (h, -h)
            )
            columns.append([float(mpmath.re((a - b) / (2 * h))) for a, b in zip(ahead, behind)])
    return np.array(columns).T


def decided(outputs, v):
    """Whether no branch hangs on the last digits of what it compares."""
    compared = [e.args for e in ordered(outputs) if e.op in (ops.LT, ops.LE, ops.MIN, ops.MAX)]
    sides = numbers([x for pair in compared for x in pair], v).reshape(-1, 2) if compared else np.zeros((0, 2))
    jumps = [e.args[0] if e.op is ops.FLOOR else e.args[0] / e.args[1] for e in ordered(outputs) if e.op in JUMPS]
    turns = numbers(jumps, v) if jumps else np.zeros(0)
    if not (np.abs(turns - np.rint(turns)) > 1e-9).all():
        return False
    return bool((np.abs(sides[:, 0] - sides[:, 1]) > 1e-9 * (1.0 + np.abs(sides[:, 0]))).all())


def numbers(expressions, v):
    return np.array(evaluate(np.asarray(expressions, dtype=object), v), dtype=float)


def close(found, expected):
    scale = 1.0 + np.max(np.abs(expected))
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12 * scale)


@some
@given(graphs(outputs=2), values())
def test_forward_backward_and_differences_agree(outputs, v):
    assume(decided(outputs, v))
    expected = by_differences(outputs, v)
    close(numbers([gradient(y, X) for y in outputs], v), expected)
    close(numbers(jacobian(outputs, X), v), expected)
    close(numbers(jacobian(outputs * 3, X)[:2], v), expected)
    forward = [[directional(y, {s: 1.0}) for s in X] for y in outputs]
    close(numbers(forward, v), expected)


@some
@given(graphs(outputs=2), values(), st.lists(st.floats(-2, 2), min_size=4, max_size=4))
def test_a_direction_is_a_combination_of_columns(outputs, v, direction):
    along = directional(np.array(outputs, dtype=object), dict(zip(X, direction)))
    J = numbers(jacobian(outputs, X), v)
    np.testing.assert_allclose(numbers(along, v), J @ direction, rtol=1e-10, atol=1e-11 * (1 + np.abs(J).max()))


@some
@given(graphs(max_steps=7, outputs=1), values())
def test_second_derivatives_are_symmetric(outputs, v):
    H = numbers(jacobian(gradient(outputs[0], X), X), v)
    np.testing.assert_allclose(H, H.T, rtol=1e-9, atol=1e-10 * (1 + np.abs(H).max()))


def test_time_derivative_by_the_chain_rule():
    t, q, u = symbol("t"), symbol("q"), symbol("u")
    assert directional(q * t, {t: 1.0, q: u}) is q + t * u
    assert directional([q * q, 3.0], {t: 1.0}) == [0.0, 0.0]


def test_no_derivative_where_nothing_depends():
    q = symbols("q", "12")
    assert list(gradient(7.0, q)) == [0.0, 0.0]
    assert list(gradient(sin(symbol("t")), q)) == [0.0, 0.0]
    assert list(gradient(q[1], q)) == [0.0, 1.0]
    assert jacobian([q[0], 2.0, q[0] * q[1]], q).tolist() == [[1.0, 0.0], [0.0, 0.0], [q[1], q[0]]]


@pytest.mark.parametrize("x0", [-1.0, 0.0])
def test_a_branch_not_taken_does_not_spoil_the_derivative(x0):
    """Its derivative is undefined there: 0 · nan must not be added."""
    x = symbol("x")
    contact = select(x > 0.0, x**1.5 * log(x) / sqrt(x) + sqrt(x), 0.0) ** 2.5 + 2.0 * x
    assert evaluate(directional(contact, {x: 1.0}), {x: x0}) == 2.0
    assert evaluate(gradient(contact, [x])[0], {x: x0}) == 2.0
    assert evaluate(jacobian([contact], [x])[0, 0], {x: x0}) == 2.0


def test_the_derivative_of_the_larger_is_that_of_the_one_that_is_larger():
    x, y = symbol("x"), symbol("y")
    clipped = maximum(sin(x), y) * 3.0
    at = {x: 1.0, y: 0.5}
    assert numbers(gradient(clipped, [x, y]), at) == pytest.approx([3.0 * math.cos(1.0), 0.0])
    assert numbers(gradient(clipped, [x, y]), at | {y: 0.9}) == pytest.approx([0.0, 3.0])


def test_a_gradient_writes_nothing_for_symbols_it_is_not_asked_for():
    x, m = symbol("x"), symbol("m")
    energy = sqrt(m) * x
    before = symbol("before this").serial
    assert gradient(energy, [x])[0] is sqrt(m)
    assert symbol("after this").serial == before + 1
