"""Every operation computes what `math` and NumPy compute, special values included, for any number of lanes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dalembert.trace import node, ops, select, symbol
from tests.targets import LANES as WIDTH

from .support import compiled_values

SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    3.0,
    1e-310,
    5e-324,
    1e-8,
    709.0,
    -745.0,
    1e5,
    1e200,
    -1e300,
    np.inf,
    -np.inf,
    np.nan,
]
LANES = sorted({1, 3, WIDTH, 8})
UNARY = [
    ops.NEG, ops.SQRT, ops.EXP, ops.LOG, ops.ABS, ops.SIGN, ops.FLOOR, ops.SIN, ops.COS, ops.TAN, ops.ASIN, ops.ACOS, ops.ATAN,
    ops.SINH, ops.COSH, ops.TANH,
]  # fmt: skip
BINARY = [ops.ADD, ops.SUB, ops.MUL, ops.DIV, ops.ATAN2, ops.MIN, ops.MAX, ops.LT, ops.LE, ops.FMOD]
EXACT = {ops.NEG, ops.SQRT, ops.ABS, ops.SIGN, ops.FLOOR, *BINARY} - {ops.ATAN2}

x, y = symbol("x"), symbol("y")


def assert_same(op: ops.Op, got: np.ndarray, expected: np.ndarray) -> None:
    tolerance = 0.0 if op in EXACT else 5e-16
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=0.0, err_msg=op.name)
    numbers = ~np.isnan(expected)
    if op not in (ops.MIN, ops.MAX):  # which zero is the smaller is nobody's business
        np.testing.assert_array_equal(np.signbit(got)[numbers], np.signbit(expected)[numbers], err_msg=op.name)


@pytest.mark.parametrize("lanes", LANES)
def test_functions_of_one_number(lanes: int) -> None:
    rng = np.random.default_rng(1)
    samples = np.concatenate([SPECIAL, rng.normal(size=40), rng.uniform(-1, 1, 20), rng.normal(size=20) * 50])
    got = compiled_values([node(op, x) for op in UNARY], {x: samples}, lanes)
    with np.errstate(all="ignore"):
        for op, row in zip(UNARY, got, strict=True):
            assert_same(op, row, op.value(samples))


@pytest.mark.parametrize("lanes", LANES)
def test_functions_of_two_numbers(lanes: int) -> None:
    pairs = np.array(list(itertools.product(SPECIAL, SPECIAL))).T
    got = compiled_values([node(op, x, y) for op in BINARY], {x: pairs[0], y: pairs[1]}, lanes)
    with np.errstate(all="ignore"):
        for op, row in zip(BINARY, got, strict=True):
            assert_same(op, row, np.asarray(op.value(pairs[0], pairs[1]), dtype=float))


@pytest.mark.parametrize("lanes", LANES)
def test_powers(lanes: int) -> None:
    pairs = np.array(
        list(itertools.product([*SPECIAL, 2.0, 1.7], [0.0, 1.0, 2.0, -1.0, 0.5, 1 / 3, -2.5, np.inf, np.nan]))
    ).T
    got = compiled_values([node(ops.POW, x, y)], {x: pairs[0], y: pairs[1]}, lanes)[0]
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(got, np.power(pairs[0], pairs[1]), rtol=1e-15)


@pytest.mark.parametrize("lanes", LANES)
def test_conditions_and_choices(lanes: int) -> None:
    pairs = np.array(list(itertools.product([-1.0, 0.0, 2.0, np.nan], repeat=2))).T
    a, b = pairs
    less, small = x < y, x <= 0.0
    outputs = [
        select(less & small, x, y),
        select(less | small, 1.0, x),
        select(~less, x, 5.0),
        less & small,
        (x < y) * 2.0,
        less & True,
    ]
    got = compiled_values(outputs, {x: a, y: b}, lanes)
    np.testing.assert_array_equal(got[0], np.where((a < b) & (a <= 0), a, b))
    np.testing.assert_array_equal(got[1], np.where((a < b) | (a <= 0), 1.0, a))
    np.testing.assert_array_equal(got[2], np.where(~(a < b), a, 5.0))
    np.testing.assert_array_equal(got[3], ((a < b) & (a <= 0)).astype(float))
    np.testing.assert_array_equal(got[4], 2.0 * (a < b))
    np.testing.assert_array_equal(got[5], (a < b).astype(float))


def test_constants_keep_their_sign_and_their_nan() -> None:
    got = compiled_values([node(ops.ATAN2, x, -1.0), -0.0, 0.0, np.nan, np.inf], {x: [-0.0, 0.0]}, 2)
    np.testing.assert_array_equal(got[0], [-np.pi, np.pi])
    assert np.signbit(got[1]).all() and not np.signbit(got[2]).any()
    assert np.isnan(got[3]).all() and np.isinf(got[4]).all()
