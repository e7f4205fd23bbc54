"""What is known while the graph is built is settled there: zeros, ones, signs, constants, equal parts."""

import copy
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.errors import TraceError
from dalembert.trace import Expr, atan2, cos, evaluate, maximum, ops, select, sin, sqrt, symbol, tracing

x, y, z = symbol("x"), symbol("y"), symbol("z")
numbers = st.floats(-1e6, 1e6).filter(lambda c: abs(c) > 1e-6)


@pytest.mark.parametrize("zero", [0, 0.0, -0.0, np.float64(0.0)])
def test_adding_zero_changes_nothing_and_multiplying_by_it_leaves_no_node(zero):
    assert x + zero is x and zero + x is x and x - zero is x
    assert x * zero == 0.0 and zero * x == 0.0 and zero / x == 0.0
    assert (zero - x) is -x
    assert x**zero == 1.0


def test_one_and_minus_one_cost_no_multiplication():
    assert x * 1 is x and 1.0 * x is x and x / 1 is x and x**1 is x
    assert x * -1 is -x and -1.0 * x is -x and x / -1 is -x
    assert (-x) * -1 is x and 0.0 - (-x) is x


def test_a_value_less_itself_is_zero_and_over_itself_is_one():
    e = sin(x) * y
    assert e - e == 0.0 and e + (-e) == 0.0 and e / e == 1.0


def test_equal_expressions_are_one_object():
    assert sin(x) * y + z is z + y * sin(x)
    assert (x * y) * z is z * (y * x)
    assert sqrt(x * x + y * y) is sqrt(y * y + x * x)
    assert (x - y) is not (y - x)
    assert x**3 is x * x * x
    assert symbol("x") is x


def test_signs_move_out_of_products_and_into_sums():
    assert (-x) * y is -(x * y) and (-x) * (-y) is x * y
    assert (-x) / y is -(x / y) and x / (-y) is -(x / y) and -2.0 / x is -(2.0 / x)
    assert x + (-y) is x - y and x - (-y) is x + y and (-x) + y is y - x
    assert -(x - y) is y - x
    assert (-x) - y is -(x + y)
    assert -3.0 * x is -(3.0 * x) and x * -3 is -(x * 3)


def test_even_and_odd_functions_drop_or_pass_the_sign():
    assert cos(-x) is cos(x) and sin(-x) is -sin(x) and abs(-x) is abs(x)


@given(numbers, numbers)
def test_constants_merge(c, d):
    assert (x + c) + d is x + (c + d) or c + d == 0.0
    assert (x * c) * d is x * (c * d)
    assert (x + c) - c is x


def test_constants_do_not_merge_where_the_product_would_overflow_or_vanish():
    assert evaluate(x * 1e-200 * 1e-200, {x: 1e300}) == pytest.approx(1e-100)
    assert evaluate(x * 1e200 * 1e200, {x: 1e-300}) == pytest.approx(1e100)


def test_infinite_and_undefined_constants_are_ordinary_constants():
    assert evaluate([x * math.inf, x - math.inf, math.inf / x, x * -math.inf], {x: 2.0}) == [
        math.inf, -math.inf, math.inf, -math.inf,
    ]  # fmt: skip
    assert math.isnan(evaluate(x + math.nan, {x: 2.0}))
    assert evaluate(x**math.inf, {x: 2.0}) == math.inf


def test_minus_zero_is_zero_in_the_graph():
    assert atan2(y, -0.0) is atan2(y, 0.0) and maximum(x, -0.0) is maximum(x, 0.0)
    assert math.copysign(1.0, atan2(y, -0.0).args[1]) == 1.0


@pytest.mark.parametrize("n", range(-7, 17))
def test_integer_powers_are_products(n):
    e = x**n
    assert evaluate(e, {x: 1.1}) == pytest.approx(1.1**n, rel=1e-15) if type(e) is Expr else e == 1.0
    assert type(e) is not Expr or e.op is not ops.POW


def test_division_by_the_constant_zero_is_refused():
    with pytest.raises(ZeroDivisionError):
        x / 0


def test_a_choice_between_equals_or_on_a_known_condition_is_no_choice():
    assert select(x < y, z, z) is z and select(True, x, y) is x and select(x < y, 2.0, 2.0) == 2.0
    assert maximum(x, x) is x
    assert ((x < y) & True) is (x < y) and (False | (x < y)) is (x < y)
    assert ((x < y) & False) is False and (np.True_ | (x < y)) is True


def test_a_traced_value_has_no_truth_value():
    with pytest.raises(TraceError, match="select"):
        bool(x < y)
    with pytest.raises(TraceError, match="maximum"):
        max(x, y)
    with pytest.raises(TraceError, match="not a number"):
        float(x)
    with pytest.raises(TraceError, match="only a symbol has a name"):
        _ = (x + y).name


def test_a_copy_of_a_description_keeps_its_symbols():
    assert copy.deepcopy({"mass": [x, x * y]}) == {"mass": [x, x * y]}
    assert copy.copy(x) is x


def test_tracing_has_its_own_nodes_and_forgets_them():
    before = x * y + 17.0
    with tracing():
        inside = x * y + 17.0
        assert inside is not before and inside is x * y + 17.0
        with tracing():
            assert x * y + 17.0 is not inside
        assert inside is x * y + 17.0
    assert before is x * y + 17.0
    assert evaluate(inside - before, {x: 2.0, y: 3.0}) == 0.0


def test_tracing_is_left_in_order_after_an_error():
    before = x * y
    with pytest.raises(RuntimeError), tracing():
        raise RuntimeError
    assert before is x * y
