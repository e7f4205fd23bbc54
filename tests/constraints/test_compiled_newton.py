"""Complementarity by compiled code and by NumPy: the same forces, also where rows depend on each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.constraints.nonsmooth.compiled_newton import LARGEST
from dalembert.constraints.nonsmooth.complementarity import Cone, Problem, Radius, newton, newton_on_numbers

from ..effort import examples


def random_problem(rng: np.random.Generator) -> Problem:
    """Contacts with friction, friction loaded by what a joint transmits, and loops, on one to three bodies of one freedom to six."""
    freedoms, contacts, loops = int(rng.integers(3, 9)), int(rng.integers(1, 4)), int(rng.integers(0, 3))
    n = loops + 3 * contacts + 1
    R = rng.standard_normal((n, freedoms))
    R[:loops] = R[0] if rng.random() < 0.3 else R[:loops]  # dependent rows now and then
    W, cones = R @ R.T, []
    c = R @ rng.standard_normal(freedoms)  # so that forces exist
    for k in range(contacts):
        first = loops + 3 * k
        slides = rng.random() < 0.3
        angle = rng.uniform(0, 6)
        way = np.array([np.cos(angle), np.sin(angle)]) if slides else None
        cones.append(Cone(first, [first + 1, first + 2], Radius(0.0, rng.uniform(0, 0.5), first), way))
    maps = [0.1 * rng.standard_normal((2, n))]
    cones.append(Cone(None, [n - 1], Radius(0.1, 0.0, None, [rng.uniform(0, 0.3)], [rng.standard_normal(2)], maps)))
    return Problem(W, c, list(range(loops)), cones)


@settings(max_examples=examples(120), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_compiled_steps_are_those_of_numpy(seed):
    """One step from anywhere, and what it leads to: there may be several solutions, so each is only asked to be one."""
    rng = np.random.default_rng(seed)
    x = random_problem(rng)
    assert len(x.c) <= LARGEST
    start = rng.standard_normal(len(x.c))
    p, expected = newton(x, start, 1)[0], newton_on_numbers(x, start, 1)[0]
    assert p == pytest.approx(expected, abs=1e-7 * max(1.0, np.abs(expected).max()))
    p, good = newton(x, np.zeros(len(x.c)))
    if good:
        assert x.solved(0.1 * x.residual(p)[0], p)


def test_both_find_a_block_on_a_slope():
    """1 kg on a slope of 30°, held by friction 0.6: force 4.905 N along it, 8.4957 N across."""
    W, c = np.eye(2), np.array([-9.81 * np.cos(np.pi / 6), -9.81 * np.sin(np.pi / 6)])
    x = Problem(W, c, [], [Cone(0, [1], Radius(0.0, 0.6, 0))])
    for found, good in (newton(x, np.zeros(2)), newton_on_numbers(x, np.zeros(2))):
        assert good and found == pytest.approx(-c, abs=1e-12)
