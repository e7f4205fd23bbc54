"""Own sine and cosine: accurate for ordinary angles, the C library's for the rest, few tests in the code."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from dalembert.trace import cos, sin, symbol
from dalembert.trace.native import Array, Block, Module, Output
from tests.targets import LANES as WIDTH

from .support import compiled_values

LANES = sorted({1, WIDTH})
NEAREST_TO_A_ZERO = 642615.9188844458  # 409102·π/2 + 9e-17, found by scanning the multiples up to 10⁶
x = symbol("x")


def units_in_last_place(got: float, exact: mpmath.mpf) -> float:
    return float(abs(mpmath.mpf(got) - exact) / mpmath.mpf(math.ulp(float(exact))))


def ordinary_angles() -> np.ndarray:
    rng = np.random.default_rng(7)
    near_zeros = rng.integers(1, 636_000, 1500) * (np.pi / 2)
    beside = np.concatenate([near_zeros, np.nextafter(near_zeros, 0.0), near_zeros * (1 + 1e-13)])
    sizes = [rng.uniform(-scale, scale, 1000) for scale in (1e-6, 1.0, 10.0, 1e3, 1e6)]
    return np.concatenate([beside, -beside[:500], *sizes, [1e6, -1e6, 5e-324, 1e-300, NEAREST_TO_A_ZERO]])


@pytest.mark.parametrize("lanes", LANES)
def test_error_is_below_two_and_a_half_units(lanes: int) -> None:
    angles = ordinary_angles()
    sines, cosines = compiled_values([sin(x), cos(x)], {x: angles}, lanes)
    with mpmath.workdps(40):
        for angle, s, c in zip(angles, sines, cosines, strict=True):
            assert units_in_last_place(s, mpmath.sin(mpmath.mpf(angle))) <= 2.5, angle
            assert units_in_last_place(c, mpmath.cos(mpmath.mpf(angle))) <= 2.5, angle


@pytest.mark.parametrize("lanes", LANES)
def test_large_angles_are_the_c_librarys(lanes: int) -> None:
    angles = np.concatenate(
        [[1.0000001e6, -3e7, 1e15, 1e22, 1e300, -1.7e308], np.random.default_rng(3).uniform(1e7, 1e12, 50)]
    )
    sines, cosines = compiled_values([sin(x), cos(x)], {x: angles}, lanes)
    np.testing.assert_array_equal(sines, [math.sin(a) for a in angles])
    np.testing.assert_array_equal(cosines, [math.cos(a) for a in angles])


@pytest.mark.parametrize("lanes", LANES)
def test_infinity_and_nan_give_nan_and_zero_keeps_its_sign(lanes: int) -> None:
    sines, cosines = compiled_values([sin(x), cos(x)], {x: [np.inf, -np.inf, np.nan, -0.0, 0.0]}, lanes)
    assert np.isnan(sines[:3]).all() and np.isnan(cosines[:3]).all()
    np.testing.assert_array_equal(np.signbit(sines[3:]), [True, False])
    np.testing.assert_array_equal(cosines[3:], 1.0)


def test_one_large_angle_does_not_spoil_the_other_lanes() -> None:
    sines = compiled_values([sin(x)], {x: [0.3, 1e9, np.nan, 0.7]}, 4)[0]
    np.testing.assert_allclose(sines, [math.sin(0.3), math.sin(1e9), np.nan, math.sin(0.7)], rtol=3e-16)


def test_a_group_of_angles_costs_one_test() -> None:
    angles = [symbol(f"a{i}") for i in range(6)]
    outer = sin(sum(sin(a) * cos(a) for a in angles)) + cos(sin(angles[0]) * 2.0)
    inputs = {a: ("x", i) for i, a in enumerate(angles)}
    module = Module()
    module.block(Block("f", [Array("x"), Array("y")], inputs, [Output(outer, "y", 0)]), lanes=4)
    body = str(module.text).split("define void @k.f(")[1]
    assert body.count("br i1") == 2  # the angles, then the angles made of their sines
    assert body.count("call void @dalembert_slow_sincos") == 2
