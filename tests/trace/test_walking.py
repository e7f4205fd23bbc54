"""Order, values, substitution and counting over a graph."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from dalembert.errors import TraceError
from dalembert.trace import (
    Expr,
    cos,
    count_operations,
    depends_on,
    evaluate,
    free_symbols,
    log,
    ops,
    ordered,
    select,
    sin,
    sqrt,
    substitute,
    symbol,
)
from tests.effort import examples

from .graphs import STEPS, X, graphs, values

x, y, z = symbol("x"), symbol("y"), symbol("z")
some = settings(deadline=None, max_examples=examples(60))


def test_random_graphs_use_every_operation():
    everything = {op for op in vars(ops).values() if isinstance(op, ops.Op)} - {ops.SYMBOL}
    assert set(STEPS) == everything
    for op, make in STEPS.items():
        assert op in {e.op for e in ordered(make(*X[:3]))}


@some
@given(graphs())
def test_every_node_comes_after_its_arguments_and_once(outputs):
    nodes = ordered(outputs)
    place = {e: k for k, e in enumerate(nodes)}
    assert len(place) == len(nodes)
    assert all(place[a] < place[e] for e in nodes for a in e.operands)
    assert free_symbols(outputs) == [e for e in nodes if e.op is ops.SYMBOL]


@some
@given(graphs(), values(), values())
def test_samples_give_what_each_sample_gives(outputs, first, second):
    together = evaluate(outputs, {s: np.array([first[s], second[s]]) for s in X})
    for k, single in enumerate([first, second]):
        expected = np.array(evaluate(outputs, single), dtype=float)
        found = [float(np.broadcast_to(v, 2)[k]) for v in together]
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


def test_evaluation_keeps_the_shape_and_puts_samples_first():
    A = np.array([[x, 1.0, x * y], [0.0, y, sin(x)]], dtype=object)
    single = evaluate(A, {x: 0.5, y: 2.0})
    assert single.shape == (2, 3) and single.dtype == float
    many = evaluate(A, {x: np.linspace(0.0, 1.0, 5), y: np.full(5, 2.0)})
    assert many.shape == (5, 2, 3)
    np.testing.assert_allclose(many[2], single)
    assert evaluate([x + 1, [y]], {x: 1.0, y: 2.0}) == [2.0, [2.0]]
    assert evaluate(3.5, {}) == 3.5


def test_a_missing_value_is_named():
    with pytest.raises(TraceError, match="'y'"):
        evaluate(x * y, {x: 1.0})


def test_a_branch_not_taken_may_be_outside_its_domain():
    safe = select(x < 0.0, 0.0, sqrt(x)) + select(x > 0.0, log(x), 1.0) + select(x <= 0.0, 2.0, 1.0 / x)
    assert evaluate(safe, {x: 0.0}) == 3.0
    assert evaluate(safe, {x: -1.0}) == 3.0
    np.testing.assert_allclose(evaluate(safe, {x: np.array([-1.0, 0.0, 1.0])}), [3.0, 3.0, 2.0])


def test_outside_the_domain_values_are_those_of_the_processor():
    p = symbol("p")
    cases = {
        sqrt(p): math.nan,
        log(p): math.nan,
        1.0 / (p + 1.0): math.inf,
        p**0.3: math.nan,
        (p + 1.0) ** -1.5: math.inf,
    }
    for e, expected in cases.items():
        np.testing.assert_equal(evaluate(e, {p: -1.0}), expected)
        np.testing.assert_equal(evaluate(e, {p: np.array([-1.0])}), [expected])


@some
@given(graphs(), values())
def test_substituting_a_number_is_evaluating_with_it(outputs, v):
    fixed = substitute(outputs, {X[0]: v[X[0]], X[1]: np.float64(v[X[1]])})
    assert not depends_on(fixed, X[:2])
    assert all(type(a) in (Expr, float) for e in ordered(fixed) if e.op is not ops.SYMBOL for a in e.args)
    expected = np.array(evaluate(outputs, v), dtype=float)
    np.testing.assert_allclose(np.array(evaluate(fixed, v), dtype=float), expected, rtol=1e-12, atol=1e-12)


@some
@given(graphs(), values())
def test_substituting_an_expression_is_composition(outputs, v):
    inner = sin(X[1]) + X[2]
    composed = substitute(outputs, {X[0]: inner})
    outer = {**v, X[0]: evaluate(inner, v)}
    expected = np.array(evaluate(outputs, outer), dtype=float)
    np.testing.assert_allclose(np.array(evaluate(composed, v), dtype=float), expected, rtol=1e-12, atol=1e-12)


def test_substitution_folds_again():
    assert substitute(x * y + z, {x: 0.0}) is z
    assert substitute(x * y, {x: -y}) is -(y * y)
    assert substitute(cos(x) * y, {x: 0}) is y
    assert substitute(select(x < 0.0, y, z), {x: 1}) is z
    assert list(substitute(np.array([x, y], dtype=object), {x: y})) == [y, y]


def test_shared_parts_are_counted_once():
    s, c = sin(x), cos(x)
    count = count_operations([s * c + s / c, -s * c, s])
    assert (count.multiplications, count.additions, count.divisions, count.trigonometric) == (1, 2, 1, 2)
    assert count.total == 6 and count_operations([x, 2.0]).total == 0
