"""Claims about the mode in which kernels round otherwise."""

from __future__ import annotations

import numpy as np

from dalembert.trace import evaluate, symbols
from tests.perturbation import in_another_order


def test_another_order_is_the_same_but_for_rounding():
    x = symbols("x", range(6))
    outputs = [x @ x[::-1] - 3.0 * x[0] * x[1] * x[2], (x[0] + x[1] - x[2]) / (x[3] + x[4] + 2.0), x[5], 1.5]
    values = dict(zip(x, np.random.default_rng(0).uniform(1, 2, 6), strict=True))
    expected = np.array(evaluate(outputs, values), dtype=float)
    found = [
        np.array(evaluate(in_another_order(outputs, x, np.random.default_rng(seed)), values), dtype=float)
        for seed in range(20)
    ]
    assert all(np.allclose(y, expected, rtol=1e-14) for y in found)
    assert len({y.tobytes() for y in found}) > 1
