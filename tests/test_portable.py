"""Systems, mechanisms and motions go to other processes, and can be copied."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.trace import directional, evaluate, symbol
from tests.simulation.models import oscillator, pendulum

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.yaml"))
WAYS = {"pickled": lambda x: pickle.loads(pickle.dumps(x)), "copied": copy.deepcopy}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_every_example_is_the_same_afterwards(path):
    m = da.load(path)
    for way in WAYS.values():
        assert way(m).kernels.key == m.kernels.key


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_a_copied_system_can_be_built_on(way):
    """Symbols of one name are one object, in a copy as well."""
    s = da.System("s")
    k = s.parameter("k", 2.0)
    s.add_body("block", da.box(1.0, (1, 1, 1)))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "block")
    other = way(s)
    for made in (s, other):
        made.add_force("spring", da.Motor("x", lambda s: -k * s.q["x"]))
    for value in (2.0, 5.0):
        np.testing.assert_allclose(
            other.build().with_parameters(k=value).forward_dynamics([0.1], [0.0]), [-0.1 * value]
        )


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_motions_keep_everything(way):
    m = oscillator()
    motion = m.simulate(4.0, {"x": 1.0}, events={"zero": lambda s: s.q["x"]}, parameters={"k": 2.0})
    total = motion.energy().total
    other = way(motion)
    for name in ("t", "q", "u", "forces"):
        np.testing.assert_array_equal(getattr(other, name), getattr(motion, name))
        assert not getattr(other, name).flags.writeable
    assert dict(other.record) == dict(motion.record) and [e.t for e in other.events] == [e.t for e in motion.events]
    with pytest.raises(TypeError):
        other.record["model"] = "another"
    np.testing.assert_array_equal(other.energy().total, total)
    many = way(m.simulate_many(np.array([[0.1], [0.2]]), 1.0))
    np.testing.assert_array_equal(many[1].q, m.simulate_many(np.array([[0.1], [0.2]]), 1.0)[1].q)


def test_tables_go_along():
    times = np.linspace(0.0, 2.0, 9)
    table = da.Table(times, np.column_stack([np.sin(times), np.cos(times)]), names=("first", "second"))
    t = symbol("t")
    for way in WAYS.values():
        other, traced = way((table, table(t)))
        np.testing.assert_array_equal(other(0.3), table(0.3))
        assert other.names == table.names and other.name == table.name
        slopes, expected = (evaluate(directional(x, {t: 1.0}), {t: 0.3}) for x in (traced, table(t)))
        np.testing.assert_array_equal(slopes, expected)


def test_another_process_simulates():
    m = pendulum()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        there = pool.submit(m.simulate, 1.0, {"A": 0.3}).result(timeout=120)
    np.testing.assert_array_equal(there.q, m.simulate(1.0, {"A": 0.3}).q)
