"""Claims about the mode in which kernels round otherwise."""

from __future__ import annotations

import numpy as np

from dalembert.trace import evaluate, symbols
from tests.constraints.loops import random_loops
from tests.linkages import MEGAMETRE, METRE, MICROMETRE, coordinates_in, in_units
from tests.perturbation import _rounded_poses, in_another_order


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


def test_rows_are_off_by_as_much_in_every_unit():
    """Where directions were off by metres, a loop in µm was off by a million times its rounding."""
    plain, q, _, t = random_loops(np.random.default_rng(0), 3, 1, forces=False)
    parts = []
    for units in (METRE, MICROMETRE, MEGAMETRE):
        m = in_units(plain, units).numeric
        s = m.state(coordinates_in(plain, q, units), np.zeros(m.n_u), t)
        off = [
            _rounded_poses(d, s, np.abs(np.asarray(d._placed(s)[1], dtype=float))) / d.scales(s)
            for d in m.constraint_rows.values()
        ]
        parts.append(np.concatenate(off))
    assert parts[0].min() > 0.0 and parts[0].max() < 10.0
    assert all(np.allclose(x, parts[0], rtol=1e-9) for x in parts[1:])
