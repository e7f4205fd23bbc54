"""Systems, mechanisms and motions go to other processes, and can be copied."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields, is_dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

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
        assert way(m).kernels.fingerprint == m.kernels.fingerprint


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


def test_what_was_computed_stays_behind():
    m = pendulum()
    m.forward_dynamics([0.3], [0.0])
    assert "kernels" in vars(m)
    for way in WAYS.values():
        assert "kernels" not in vars(way(m))


@pytest.mark.parametrize("path", [p for p in EXAMPLES if p.stem in ("flexible_four_bar", "stewart_platform")])
def test_what_was_read_only_stays_so(path):
    m = da.load(path)
    fixed = {place for place, array in arrays(m) if not array.flags.writeable}
    for way in WAYS.values():
        assert {place for place, array in arrays(way(m)) if not array.flags.writeable} >= fixed != set()


def arrays(thing: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], np.ndarray]]:
    """All arrays in a description, and where."""
    if isinstance(thing, np.ndarray):
        yield place, thing
    elif isinstance(thing, Mapping):
        for name, x in thing.items():
            yield from arrays(x, (*place, name))
    elif isinstance(thing, (list, tuple)):
        for i, x in enumerate(thing):
            yield from arrays(x, (*place, i))
    elif is_dataclass(thing):
        for f in fields(thing):
            yield from arrays(getattr(thing, f.name), (*place, f.name))


def test_what_is_said_to_a_copy_is_not_said_to_the_original():
    s = da.System("s")
    s.add_body("a", da.box(1.0, (1, 1, 1)))
    other = copy.copy(s)
    other.add_body("b", da.box(1.0, (1, 1, 1)))
    other.parameter("k", 1.0)
    assert list(s.bodies) == ["a"] and not s.parameters and list(other.bodies) == ["a", "b"]
    with pytest.raises(ValueError, match="read-only"):
        other.gravity[2] = -9.81


def test_tables_go_along(tmp_path):
    times = np.linspace(0.0, 2.0, 9)
    rows = np.column_stack([times, np.sin(times), np.cos(times)])
    np.savetxt(tmp_path / "samples.csv", rows, delimiter=",", header="t,first,second", comments="")
    s = da.System("driven")
    s.add_body("a", da.box(1.0, (1, 1, 1)))
    table = s.add_table("both", da.Table.read(tmp_path / "samples.csv"))
    s.add_joint("A", da.Revolute(), "ground", "a", prescribed=lambda t: table(t)[1])
    t = symbol("t")
    other, traced = pickle.loads(pickle.dumps((table, table(t))))
    np.testing.assert_array_equal(other(0.3), table(0.3))
    assert other.names == table.names and other.name == table.name and other.file == table.file
    assert traced[0] is table(t)[0]  # one operation, however often it comes
    slopes, expected = (evaluate(directional(x, {t: 1.0}), {t: 0.3}) for x in (traced, table(t)))
    np.testing.assert_array_equal(slopes, expected)
    m = s.build()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(m)).state(t=0.4).joint_q[0], m.state(t=0.4).joint_q[0])


def test_long_expressions_go_along():
    k = [symbol(f"k{i}") for i in range(3000)]
    total = sum(k[1:], start=k[0] * 2.0)
    assert pickle.loads(pickle.dumps(total)) is total


def test_equations_are_written_again():
    e = pendulum().equations("kane")
    for way in WAYS.values():
        assert str(way(e)) == str(e)


def test_a_locus_can_still_be_asked():
    locus = oscillator(damping=0.1).root_locus("k", [1.0, 2.0, 3.0])
    np.testing.assert_allclose(pickle.loads(pickle.dumps(locus)).at(1.5), locus.at(1.5))


def test_errors_go_along():
    for made in (da.ModelFileError("wrong", "a.yaml", 3, 7, "bodies.rod"), da.PathError("too far", 0.3, 0.01)):
        other = pickle.loads(pickle.dumps(made))
        assert str(other) == str(made) and vars(other) == vars(made)


def test_another_process_simulates():
    m = pendulum()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        there = pool.submit(m.simulate, 1.0, {"A": 0.3}).result(timeout=120)
    np.testing.assert_array_equal(there.q, m.simulate(1.0, {"A": 0.3}).q)
