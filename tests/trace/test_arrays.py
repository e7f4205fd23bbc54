"""NumPy code written for floats runs on traced values unchanged."""

import numpy as np
import pytest

from dalembert.trace import Expr, evaluate, symbols, tracing

a, b = symbols("a", "123456"), symbols("b", "123456")


def at(expression, seed=0):
    rng = np.random.default_rng(seed)
    numbers = {s: float(v) for s, v in zip([*a, *b], rng.uniform(0.1, 0.9, 12))}
    return np.array(evaluate(expression, numbers), dtype=float), np.array([numbers[s] for s in [*a, *b]])


def test_matrix_products_and_cross_products():
    A, B = a.reshape(2, 3), b.reshape(3, 2)
    made, n = at(A @ B)
    np.testing.assert_allclose(made, n[:6].reshape(2, 3) @ n[6:].reshape(3, 2), rtol=1e-15)
    made, n = at(np.cross(a[:3], b[:3]) + A.T @ b[:2])
    np.testing.assert_allclose(made, np.cross(n[:3], n[6:9]) + n[:6].reshape(2, 3).T @ n[6:8], rtol=1e-14)


FUNCTIONS = "sin cos tan arcsin arccos arctan sinh cosh tanh exp log sqrt absolute square"


@pytest.mark.parametrize("f", FUNCTIONS.split())
def test_functions_of_arrays(f):
    made, n = at(getattr(np, f)(a))
    np.testing.assert_allclose(made, getattr(np, f)(n[:6]), rtol=1e-15)


def test_functions_of_two_arrays():
    made, n = at(np.arctan2(a, b) + a**b + np.power(a, 3))
    np.testing.assert_allclose(made, np.arctan2(n[:6], n[6:]) + n[:6] ** n[6:] + n[:6] ** 3, rtol=1e-14)


@pytest.mark.parametrize("c", [2, 2.0, np.float64(2.0), np.int64(2), np.float32(2.0), np.array(2.0), True])
def test_any_kind_of_number_combines_with_a_traced_value_from_both_sides(c):
    for made, expected in [
        (c * a[0], a[0] * float(c)), (a[0] * c, a[0] * float(c)), (c + a[0], a[0] + float(c)), (a[0] - c, a[0] - float(c)),
        (c - a[0], float(c) - a[0]), (a[0] / c, a[0] / float(c)), (c / a[0], float(c) / a[0]), (c ** a[0], float(c) ** a[0]),
    ]:  # fmt: skip
        assert made is expected


def test_a_number_array_with_a_traced_scalar_gives_an_array():
    v = np.array([1.0, 0.0, -2.0])
    for made, expected in [
        (v * a[0], [a[0], 0.0, -(2.0 * a[0])]),
        (a[0] * v, [a[0], 0.0, -(2.0 * a[0])]),
        (a[0] - v, [a[0] - 1.0, a[0], a[0] + 2.0]),
        (v / a[0], [1.0 / a[0], 0.0, -(2.0 / a[0])]),
        (a[0] + v, [a[0] + 1.0, a[0], a[0] - 2.0]),
    ]:
        assert made.shape == (3,) and made.dtype == object
        assert all(m is e or m == e for m, e in zip(made, expected))


def test_zeros_of_constant_matrices_leave_no_operations():
    R = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    assert list(R @ a[:3]) == [a[0], -a[2], a[1]]


def test_what_is_not_a_number_is_refused():
    with pytest.raises(TypeError):
        a[0] + "1"
    with pytest.raises(TypeError):
        a[0] * None


def test_sums_and_norms():
    made, n = at(np.sum(a) + np.sqrt(np.dot(b, b)) + np.trace(a[:4].reshape(2, 2)))
    np.testing.assert_allclose(made, n[:6].sum() + np.linalg.norm(n[6:]) + n[0] + n[3], rtol=1e-14)


def test_a_traced_array_holds_expressions_even_when_traced_in_a_scope():
    with tracing():
        made = np.outer(a[:2], b[:2])
    assert all(type(e) is Expr for e in made.ravel())
