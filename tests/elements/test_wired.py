"""What hangs on nothing but how a network of elements is said or marched changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from tests.elements.wired_at_random import wired

START, TIMES = {"A": 0.3, "B": -0.2}, np.linspace(0.0, 0.3, 13)
SEEDS = (1, 2)


def marched(m: da.Mechanism, **way: Any) -> da.Motion:
    return m.simulate(0.3, START, output=TIMES, **({"rtol": 1e-10} | way))


def apart(one: da.Motion, other: da.Motion, names: dict[str, str] | None = None) -> float:
    """The largest difference of coordinates and of states by name."""
    states = [other[(names or {}).get(name, name)] for name in one.states]
    return max(
        [float(np.abs(one.q - other.q).max()), *(float(np.abs(one[n] - x).max()) for n, x in zip(one.states, states))]
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_order_and_names_leave_the_motion(seed: int) -> None:
    motion = marched(wired(seed).build())
    other = marched(wired(seed, order=seed + 1, prefix="x").build())
    assert apart(motion, other, {name: f"x{name[1:]}" for name in motion.states}) < 1e-8


@pytest.mark.parametrize("seed", SEEDS)
def test_ways_of_marching_give_one_motion(seed: int, tmp_path: Path) -> None:
    m = wired(seed).build()
    motion = marched(m)
    assert np.abs(motion.q - marched(m, method="radau").q).max() < 1e-7
    assert np.abs(motion.q - marched(m, formulation="newton_euler").q).max() < 1e-7
    alone = m.simulate(0.3, START, output=TIMES, method="rk4", step=1e-3)
    assert np.abs(motion.q - alone.q).max() < 1e-6
    many = m.simulate_many([START, {"A": 0.0}], 0.3, output=TIMES, method="rk4", step=1e-3)
    assert np.array_equal(many.z[0], alone.z) and np.array_equal(many.q[0], alone.q)
    motion.save(tmp_path / "x.nc")
    assert np.array_equal(da.load_motion(tmp_path / "x.nc", mechanism=m).z, motion.z)


@pytest.mark.parametrize("seed", SEEDS)
def test_parameters_may_be_given_in_three_ways(seed: int) -> None:
    m = wired(seed).build()
    given = {"gain": 2.0, "time": 0.03}
    motion = marched(m, parameters=given)
    assert np.array_equal(marched(m.with_parameters(**given)).z, motion.z)
    begin = [da.Event(lambda s: s.t - 0.1, action=da.SetParameter(name, x)) for name, x in given.items()]
    one, two = marched(m, events=begin), m.simulate(0.3, START, output=TIMES, method="rk4", step=1e-3, events=begin)
    assert np.abs(one.q - two.q).max() < 1e-6  # at a sample, to which both events come first
