"""Starts by compiled code are those that NumPy finds, or none; who cannot be closed is told so in NumPy's words."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import dalembert as da
from dalembert.constraints.assembly.assemble import assemble, consistent_speeds
from dalembert.constraints.diagnosis.diagnose import diagnose, rank_at, scaled_rows
from dalembert.errors import LoopError
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.initial import initial_state, named_speeds
from dalembert.mechanism.simulation_options import Projection
from dalembert.simulation import constrained_start
from dalembert.simulation.compiled_start import (
    FAR_FROM_SINGULAR,
    StartProgram,
    assembled_by_code,
    fixed_places,
    stay_closed,
)
from dalembert.simulation.constrained_start import kept_at_reference
from tests.constraints.loops import random_loops, rolling_system
from tests.linkages import bricard
from tests.simulation.test_singular_poses import n_four_bar
from tests.view.conftest import four_bar


def by_code(m: da.Mechanism, initial=None, speeds=None, t: float = 0.0):
    """(q, u) by compiled code alone; None where it has a doubt."""
    q, u = initial_state(m, initial, speeds, t)
    kept = kept_at_reference(m, t, Projection())
    if kept is None:
        return None
    fixed = [fixed_places([named_speeds(m, x)], m.n_u) for x in (initial, speeds)]
    found = assembled_by_code(StartProgram(m.kernels, kept), [m], q[None], u[None], *fixed, t)
    return (found.q[0], found.u[0]) if found is not None and found.done[0] else None


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


@cache
def redundant() -> tuple[da.Mechanism, da.Motion]:
    """A linkage one of whose rows depends on the others in all poses, moving."""
    m = bricard()
    return m, m.simulate(2.0, output=0.1)


def test_redundant_rows_start_as_by_numpy() -> None:
    (m, motion), rng = redundant(), np.random.default_rng(1)
    assert sum(assert_same_start(m, q, rng.normal(size=m.n_u)) for q in motion.q[:20:5]) >= 3


def test_rows_are_independent_where_numpy_finds_them_so() -> None:
    """Near and at singular poses compiled code agrees with NumPy about the rank, or has a doubt."""
    rng, in_doubt, agreed = np.random.default_rng(5), 0, 0
    for m, motion in (redundant(), in_line()):
        kept = kept_at_reference(m, 0.0, Projection()) or pytest.fail("the reference tells enough")
        program = StartProgram(m.kernels, kept)
        poses = [*motion.q, *(m.admissible(q + 1e-5 * rng.normal(size=m.n_q)) for q in motion.q)]
        poses += [m.reference]
        for pose in poses:
            fixed = np.zeros((1, m.n_u), dtype=bool)
            found = assembled_by_code(program, [m], np.array([pose]), np.zeros((1, m.n_u)), fixed, fixed, 0.0)
            assert found is not None
            if not found.done[0]:
                in_doubt += 1
                continue
            agreed += 1
            Y = scaled_rows(m, found.q[0], 0.0, found.kept.norms)
            assert rank_at(m, found.q[0], 0.0, found.kept.norms) == len(kept.rows)
            least = np.linalg.svd(Y[:, list(kept.rows)], compute_uv=False)[-1]
            assert least**2 > 0.5 * FAR_FROM_SINGULAR
    assert in_doubt and agreed > 40


def in_line() -> tuple[da.Mechanism, da.Motion]:
    """A parallelogram: its links lie in a line at the reference, and twice a turn, where its branches cross."""
    s = da.System("parallelogram", gravity=(0, -9.81, 0))
    for name, length in (("crank", 1.0), ("coupler", 2.0), ("rocker", 1.0)):
        s.add_body(name, da.rod(mass=1.0, length=length))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(1.0, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(2.0, 0, 0), at_child=(1.0, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(2.0, 0, 0))
    m = s.build()
    return m, m.simulate(2.0, {"A": 1.5}, {"A": 3.0}, output=0.1)


def test_links_in_a_line_at_the_reference_are_measured_by_the_start() -> None:
    """Rows that all but vanish about the reference say nothing of how large they are; the start does, as by NumPy."""
    m, _, _ = n_four_bar(4, None)
    angles = {f"A{i}": 1.1 for i in range(5)} | {f"B{i}": -1.1 for i in range(4)}
    q, u = initial_state(m, angles, {"A0": 2.0}, 0.0)
    kept = kept_at_reference(m, 0.0, Projection()) or pytest.fail("the reference tells enough")
    fixed = [fixed_places([named_speeds(m, x)], m.n_u) for x in (angles, {"A0": 2.0})]
    found = assembled_by_code(StartProgram(m.kernels, kept), [m], q[None], u[None], *fixed, 0.0)
    assert found is not None and found.done[0]
    own = diagnose(m, found.q[0])
    assert found.kept.rows == own.independent
    rows = list(own.independent)
    assert (found.kept.norms[rows] > 0.2 * own.norms[rows]).all()
    assert (found.kept.norms[rows] < 5.0 * own.norms[rows]).all()
    assert assert_same_start(m, angles, {"A0": 2.0})


def test_many_starts_are_closed_together_with_parameters_of_their_own() -> None:
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    base = s.parameter("base", 2.0)
    for name, length in (("crank", 1.0), ("coupler", 2.5), ("rocker", 1.7)):
        s.add_body(name, da.rod(mass=1.0, length=length))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(1.0, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(2.5, 0, 0), at_child=(1.7, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(base, 0, 0))
    m = s.build()
    lengths = np.linspace(1.6, 2.1, 9)
    starts, speeds = [{"A": 0.7}] * 9, [{"A": 1.0}] * 9
    many = m.simulate_many(starts, 0.02, speeds, parameters={"base": lengths}, output=0.01)
    for k, length in enumerate(lengths):
        one = m.with_parameters(base=float(length)).simulate(0.02, {"A": 0.7}, {"A": 1.0}, output=0.01)
        np.testing.assert_allclose(many[k].q, one.q, atol=1e-9)
        np.testing.assert_allclose(many[k].u, one.u, atol=1e-9)


def test_rows_left_out_are_watched_by_code_as_by_numpy() -> None:
    """What compiled code finds of a motion is the largest residual and slip that NumPy finds; where a state is off, so are both."""
    m, motion = redundant()
    program = StartProgram(m.kernels, kept_at_reference(m, 0.0, Projection()) or pytest.fail("it tells enough"))
    for off in (0.0, 1e-9, 1e-5, 1e-2):
        q = motion.q + off * np.random.default_rng(2).normal(size=motion.q.shape)
        rows = [constraint_rows(m.state(a, b)) for a, b in zip(q, motion.u)]
        sizes = program.kept.sizes
        expected = max(
            max(np.abs(r.g / sizes).max(), 2.0 * np.abs((r.B @ b - r.b) / sizes).max()) for r, b in zip(rows, motion.u)
        )
        found = stay_closed(program, m, motion.t, q, motion.u, 2.0)
        assert expected == pytest.approx(found, rel=1e-9, abs=1e-13)


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
