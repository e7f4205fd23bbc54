"""The SymPy form is the same computation."""

import numpy as np
import pytest
from hypothesis import given, settings

from dalembert.trace import cos, evaluate, gradient, sin, symbols
from dalembert.trace.text import to_sympy
from tests.effort import examples

from .graphs import STEPS, X, graphs, values

sympy = pytest.importorskip("sympy")


def back(replacements, expressions, v):
    """The values of the SymPy form, one replacement after the other."""
    known = {sympy.Symbol(s.name, real=True): sympy.Float(value, 30) for s, value in v.items()}
    for name, expression in replacements:
        known[name] = expression.xreplace(known)
    return [float(sympy.re(sympy.N(e.xreplace(known), 20))) for e in expressions]


@settings(deadline=None, max_examples=examples(100))
@given(graphs(max_steps=10), values())
def test_sympy_agrees_with_the_graph(outputs, v):
    replacements, expressions = to_sympy(outputs)
    np.testing.assert_allclose(back(replacements, expressions, v), np.array(evaluate(outputs, v), float), 1e-13, 1e-13)


@pytest.mark.parametrize("op", STEPS, ids=lambda op: op.name)
def test_every_operation_reaches_sympy(op):
    v = dict(zip(X, [0.3, -0.8, 1.1, 0.2]))
    e = STEPS[op](*X[:3])
    np.testing.assert_allclose(back(*to_sympy([e, e]), v), [evaluate(e, v)] * 2, rtol=1e-13)


def test_the_form_is_that_of_cse():
    x, y = symbols("", "xy")
    replacements, expressions = to_sympy(np.array([[sin(x) * y, sin(x)], [0.5, x]], dtype=object))
    sx, sy, z1 = sympy.Symbol("x", real=True), sympy.Symbol("y", real=True), sympy.Symbol("z1", real=True)
    assert replacements == [(z1, sympy.sin(sx))]
    assert expressions == [[z1 * sy, z1], [0.5, sx]]
    assert sympy.Matrix(expressions).shape == (2, 2)


def test_the_form_of_a_derivative_is_sympys_derivative_of_the_form():
    q, u, m = symbols("", "qum")
    energy = 0.5 * m * (u * sin(q) + q) ** 2 / (1.0 + cos(q) ** 2)
    for s in (q, u, m):
        found = expanded(*to_sympy(gradient(energy, [s])[0]))
        expected = sympy.diff(expanded(*to_sympy(energy)), sympy.Symbol(s.name, real=True))
        assert sympy.nsimplify(sympy.simplify(found - expected)) == 0


def expanded(replacements, expression):
    for name, value in reversed(replacements):
        expression = expression.subs(name, value)
    return expression
