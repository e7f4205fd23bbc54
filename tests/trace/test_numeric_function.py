"""Functions evaluated on numbers: walked, then compiled, once for all that differ in constants alone; always the values of the walk."""

import numpy as np
import pytest

import dalembert.trace.numeric_function as numeric
from dalembert.trace import NumericFunction, evaluate, minimum, sin, symbols, tracing


def a_function(constants, names):
    """A function with these constants, on symbols of these names."""
    with tracing():
        x = symbols(names, range(3))
        a, b, c = constants
        out = np.array(
            [[a * x[0] + b, sin(x[1] - c)], [x[2] ** 2 * c, minimum(x[0], x[1] / (4.0 + b * b))]], dtype=object
        )
        return NumericFunction({"x": list(x)}, {"out": out, "one": x[0] * c - a}), out, x


@pytest.mark.parametrize("calls", [1, 2 * numeric.WORTH_COMPILING])
def test_functions_that_are_alike_keep_their_own_constants(calls):
    rng = np.random.default_rng(3)
    values = [0.0, 1.0, -1.0, 2.0, -0.5, 1e3]
    kinds = set()
    for k in range(40):
        f, out, x = a_function(rng.choice(values, 3), f"x{k}.")
        kinds.add(id(f._kind[0]))
        for _ in range(calls if k % 10 == 0 else 1):
            at = rng.normal(size=3)
            found, one = f(list(at))
            assert np.array_equal(
                np.asarray(found, dtype=float), np.asarray(evaluate(out, dict(zip(x, at))), dtype=float)
            )
            assert one == pytest.approx(f(list(at))[1], rel=0)
    assert len(kinds) > 1  # constants that are folded make other functions


def test_one_text_serves_all_that_are_alike():
    both = [a_function(c, names) for c, names in (((2.0, 3.0, 0.3), "x"), ((5.0, -7.0, 0.7), "y"))]
    assert both[0][0]._kind[0] is both[1][0]._kind[0]


def test_outputs_that_are_other_arguments_are_other_functions():
    with tracing():
        x = list(symbols("x", range(2)))
        f, g = (NumericFunction({"x": x}, {"out": np.array([a], dtype=object)}) for a in x)
        assert f([1.0, 2.0])[0] == [1.0] and g([1.0, 2.0])[0] == [2.0]
