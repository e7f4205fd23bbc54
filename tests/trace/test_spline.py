"""Cubic splines: the same pieces as SciPy's, and polynomials and periods kept."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from dalembert.trace.spline import not_a_knot, periodic


def samples(seed, n, columns):
    rng = np.random.default_rng(seed)
    x = np.cumsum(10.0 ** rng.uniform(-2, 1, n)) - 3.0
    return x, rng.normal(size=(n, *columns))


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 20, 300])
@pytest.mark.parametrize("columns", [(), (2,)])
def test_pieces_are_scipys(n, columns):
    for seed in range(5):
        x, y = samples(seed, n, columns)
        for ours, kind in ((not_a_knot, "not-a-knot"), (periodic, "periodic")):
            if kind == "periodic":
                y[-1] = y[0]
            expected, found = CubicSpline(x, y, bc_type=kind).c, ours(x, y)
            by_length = np.diff(x).reshape(-1, *[1] * len(columns)) ** np.arange(3, -1, -1).reshape(4, *[1] * y.ndim)
            np.testing.assert_allclose(
                found * by_length, expected * by_length, atol=1e-11 * np.abs(expected * by_length).max()
            )


def test_cubics_are_kept():
    x = np.array([-1.0, 0.3, 0.5, 2.0, 7.0])
    c = not_a_knot(x, 2.0 * x**3 - x + 4.0)
    np.testing.assert_allclose(c[0], 2.0, rtol=1e-12)
    np.testing.assert_allclose(c[1], 6.0 * x[:-1], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e308])
def test_what_has_no_slopes_has_no_numbers(wrong):
    x, y = samples(0, 6, ())
    y[2] = wrong
    assert np.isnan(not_a_knot(x, y)).all()
    y[2], y[0], y[-1] = 0.0, wrong, wrong
    assert np.isnan(periodic(x, y)).all()
