"""Starts by compiled code are those that NumPy finds, or none; who cannot be closed is told so in NumPy's words."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.constraints.assembly.assemble import assemble, consistent_speeds
from dalembert.errors import LoopError
from dalembert.kinematics.initial import initial_state, named_speeds
from dalembert.mechanism.simulation_options import Projection
from dalembert.simulation import constrained_start
from dalembert.simulation.compiled_start import StartProgram, assembled_by_code
from dalembert.simulation.constrained_start import kept_at_reference
from tests.constraints.loops import random_loops, rolling_system
from tests.linkages import bennett, bricard
from tests.view.conftest import four_bar


def by_code(m: da.Mechanism, initial=None, speeds=None, t: float = 0.0):
    """(q, u) by compiled code alone; None where it has a doubt."""
    q, u = initial_state(m, initial, speeds, t)
    kept = kept_at_reference(m, t, Projection())
    if kept is None:
        return None
    fixed, fixed_speeds = named_speeds(m, initial), named_speeds(m, speeds)
    return assembled_by_code(StartProgram(m.kernels, kept), m, q, u, fixed, fixed_speeds, t)


def by_numpy(m: da.Mechanism, initial=None, speeds=None, t: float = 0.0):
    q, u = initial_state(m, initial, speeds, t)
    q = assemble(m, q, named_speeds(m, initial), t)
    return q, consistent_speeds(m, q, u, named_speeds(m, speeds), t)


def assert_same_start(m: da.Mechanism, initial=None, speeds=None, t: float = 0.0) -> bool:
    found = by_code(m, initial, speeds, t)
    if found is None:
        return False
    for got, expected in zip(found, by_numpy(m, initial, speeds, t)):
        np.testing.assert_allclose(got, expected, rtol=0.0, atol=1e-8 * max(1.0, np.abs(expected).max()))
    return True


def test_random_loops_start_as_by_numpy() -> None:
    """Some are left to NumPy, with parts of their own or redundant rows; of the others, every start is the same."""
    accepted = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        m, q, _, t = random_loops(rng, 5, 1)
        beside = m.admissible(q + 0.02 * rng.normal(size=m.n_q) * m.scales.coordinates)
        accepted += assert_same_start(m, beside, rng.normal(size=m.n_u), t)
        if accepted == 3:
            return
    assert accepted >= 3


@pytest.mark.parametrize("initial", [{"A": 0.7}, {"A": 2.0}, {"D": 1.9}])
@pytest.mark.parametrize("speeds", [None, {"A": 3.0}, {"D": -1.0}])
def test_what_is_given_is_kept(initial, speeds) -> None:
    m = four_bar()
    q, u = by_code(m, initial, speeds) or pytest.fail("there is nothing to doubt")
    assert all(q[m.coordinates.index(name)] == value for name, value in initial.items())
    assert all(u[m.speeds.index(name)] == value for name, value in (speeds or {}).items())
    assert assert_same_start(m, initial, speeds)


def test_links_in_a_line_are_left_to_numpy() -> None:
    assert by_code(four_bar()) is None


@pytest.mark.parametrize("orientation", ["euler_parameters", "angles"])
def test_rolling_rows_hold_speeds_and_leave_places_alone(orientation: str) -> None:
    rng = np.random.default_rng(3)
    m = rolling_system(rng, orientation).build()
    q, _ = m.assemble()
    assert assert_same_start(m, q, rng.normal(size=m.n_u))


@pytest.mark.parametrize("name", ["stewart_platform", "flexible_four_bar", "andrews_squeezer", "slider_crank"])
def test_models_of_the_gallery_start_as_by_numpy(name: str) -> None:
    from dalembert.files.gallery import files

    m = da.load(files()[name])
    assert assert_same_start(m, m.plan.initial or None, m.plan.speeds or None)


@pytest.mark.parametrize("made", [bricard, bennett])
def test_redundant_rows_are_left_to_numpy(made) -> None:
    assert by_code(made()) is None


def test_who_cannot_be_closed_is_told_so_in_the_same_words(monkeypatch: pytest.MonkeyPatch) -> None:
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    base = s.parameter("base", 2.0)
    for name, length in (("crank", 1.0), ("coupler", 2.5), ("rocker", 1.7)):
        s.add_body(name, da.rod(mass=1.0, length=length))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(1.0, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(2.5, 0, 0), at_child=(1.7, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(base, 0, 0))
    m = s.build()
    calls = [
        {"parameters": {"base": 9.0}},
        {"initial": {"A": 0.7, "B": 0.1}},
        {"initial": {"A": 0.7}, "speeds": {"A": 1.0, "B": 7.0}},
    ]

    def said() -> list[str]:
        out = []
        for call in calls:
            with pytest.raises(LoopError) as problem:
                m.simulate(0.1, **call)
            out.append(str(problem.value))
        return out

    by_both = said()
    monkeypatch.setattr(constrained_start, "assembled_by_code", lambda *_: None)
    assert said() == by_both


def test_many_starts_are_those_of_one_by_one() -> None:
    m = four_bar()
    angles = np.linspace(0.3, 1.2, 10)
    many = m.simulate_many([{"A": float(a)} for a in angles], 0.2, output=0.1)
    for k, a in enumerate(angles):
        one = m.simulate(0.2, initial={"A": float(a)}, output=0.1)
        np.testing.assert_allclose(many[k].q, one.q, atol=1e-9)


def test_a_run_repeats_itself_and_goes_on(tmp_path) -> None:
    """Nothing hangs on what was asked before: the second start is the first one, bit for bit."""
    m = four_bar()
    first = m.simulate(0.5, initial={"A": 0.7}, speeds={"A": 2.0})
    m.simulate(0.5, initial={"A": 1.3})
    again = m.simulate(0.5, initial={"A": 0.7}, speeds={"A": 2.0})
    fresh = four_bar().simulate(0.5, initial={"A": 0.7}, speeds={"A": 2.0})
    assert np.array_equal(first.q, again.q) and np.array_equal(first.q, fresh.q)
