"""Claims about poses at which branches of motion meet, or nearly meet: passed in every frame, told by the length that decides."""

from __future__ import annotations

import types
import warnings

import numpy as np
import pytest

import dalembert as da
from benchmarks.loop_models import bricard, change_point, crank_rocker
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.simulation.march.between_stretches import Pace
from dalembert.simulation.near_singular import near_singular
from tests.simulation.test_loops import energy_error, largest_gap


def turned(seed: int | None) -> np.ndarray:
    """A rotation of the whole world."""
    if seed is None:
        return np.eye(3)
    Q = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return Q * np.sign(np.linalg.det(Q))


def bar(s: da.System, name: str, length: float, R: np.ndarray) -> None:
    """A rod of 1 kg along the world's turned x axis."""
    across = np.eye(3) - np.outer(R[:, 0], R[:, 0])
    s.add_body(name, mass=1.0, com=0.5 * length * R[:, 0], inertia=length**2 / 12 * across + 1e-6 * np.eye(3))


def n_four_bar(n: int, seed: int | None) -> tuple[da.Mechanism, dict[str, float], dict[str, float]]:
    """A02 in a world turned as a whole, its coordinates rounded to doubles."""
    R = turned(seed)
    along, axis = R[:, 0], da.Revolute(R[:, 2])
    s = da.System(f"{n}-four-bar", gravity=-9.81 * R[:, 1])
    for i in range(n + 1):
        bar(s, f"link{i}", 1.0, R)
        s.add_joint(f"A{i}", axis, "ground", f"link{i}", at_parent=i * along)
    for i in range(n):
        bar(s, f"coupler{i}", 1.0, R)
        s.add_joint(f"B{i}", axis, f"link{i}", f"coupler{i}", at_parent=along)
        s.add_joint(f"C{i}", axis, f"coupler{i}", f"link{i + 1}", at_parent=along, at_child=along)
    signs = {f"A{i}": 1.0 for i in range(n + 1)} | {f"B{i}": -1.0 for i in range(n)}
    upright = {name: 0.5 * np.pi * sign for name, sign in signs.items()}
    return s.build(cut=[f"C{i}" for i in range(n)]), upright, {name: -sign for name, sign in signs.items()}


def four_bar(bars: tuple[float, ...], off: float = 0.0, seed: int | None = None) -> da.Mechanism:
    """In a turned world, the crank longer by `off`, which is a parameter."""
    R = turned(seed)
    along, axis = R[:, 0], da.Revolute(R[:, 2])
    s = da.System("four-bar", gravity=-9.81 * R[:, 1])
    crank, coupler, rocker, ground = bars
    for name, length in (("crank", crank), ("coupler", coupler), ("rocker", rocker)):
        bar(s, name, length, R)
    longer = s.parameter("off", off)
    s.add_joint("A", axis, "ground", "crank")
    s.add_joint("B", axis, "crank", "coupler", at_parent=[(crank + longer) * x for x in along])
    s.add_joint("C", axis, "coupler", "rocker", at_parent=coupler * along, at_child=rocker * along)
    s.add_joint("D", axis, "ground", "rocker", at_parent=ground * along)
    return s.build(cut=["C"])


def passed(m: da.Mechanism, off: float, duration: float = 0.9) -> tuple[da.Motion, str]:
    """The motion through a flat pose, and what was said of it."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        motion = m.with_parameters(off=off).simulate(duration, {"A": 1.2}, {"A": 6.0})
    return motion, " ".join(str(w.message) for w in said)


@pytest.mark.parametrize("seed", [None, 0, 1])
def test_flat_poses_are_passed_in_every_frame(seed):
    """What is near a singular pose must not hang on which rows close the loop, and these on how the world is drawn."""
    for n in (1, 2):
        m, initial, speeds = n_four_bar(n, seed)
        motion = m.simulate(3.5, initial, speeds)
        assert energy_error(motion) < 1e-10 and largest_gap(motion, every=5) < 1e-14
        links = [k for k, name in enumerate(m.coordinates) if name.startswith("A")]
        assert np.abs(motion.q[:, links] - motion.q[:, links[:1]]).max() < 1e-9


PARALLELOGRAM, KITE = (1.0, 2.0, 1.0, 2.0), (1.0, 1.0, 2.0, 2.0)


@pytest.mark.parametrize("bars", [PARALLELOGRAM, KITE, (1.0, 2.5, 1.5, 2.0)], ids=["parallelogram", "kite", "general"])
def test_lengths_off_by_a_hair_decide_by_a_stated_measure(bars):
    """Below what rounding can tell, straight on as if branches met; above, into the branch that is connected, with finite speeds."""
    m = four_bar(bars)
    exact, said = passed(m, 0.0)
    assert not said and energy_error(exact) < 1e-10
    for off in (1e-15, -1e-13, 1e-12, -1e-11, 1e-10):
        motion, _ = passed(m, off)
        assert energy_error(motion) < 1e-6
        assert np.abs(motion.q[-1] - exact.q[-1]).max() < 1e-6
    for sign in (1.0, -1.0):
        finer, coarser = (passed(m, sign * off) for off in (1e-8, 1e-7))
        assert "turned into the other branch" in finer[1]
        assert energy_error(finer[0]) < 1e-5 and largest_gap(finer[0], every=1) < 1e-13
        assert np.abs(finer[0].q[-1] - exact.q[-1]).max() > 0.1
        assert np.abs(finer[0].q[-1] - coarser[0].q[-1]).max() < 1e-2  # of the order of √off


def test_accuracy_given_away_is_told():
    """The error let pass on the way across stands in the warning and in the record, and is not less than what energy shows."""
    m, before = four_bar(PARALLELOGRAM), 0.0
    for off in (1e-12, 1e-11, 1e-10):
        motion, said = passed(m, off)
        error = motion.record["let_pass"]
        assert f"an error of {error:.1e} was let pass" in said
        assert before < error < 1e-4 and energy_error(motion) < 10.0 * error
        before = error
    many = m.simulate_many([{"A": 1.2}] * 2, 0.9, [{"A": 6.0}] * 2, parameters={"off": [0.0, 1e-2]})
    assert len(many.record["let_pass"]) == 2 and many[0].record["let_pass"] < 1e-7


def test_the_verdict_is_the_same_in_every_frame():
    for seed in (None, 4):
        m = four_bar(PARALLELOGRAM, seed=seed)
        exact, straight, bent = (passed(m, off) for off in (0.0, 1e-11, 1e-7))
        assert np.abs(straight[0].q[-1] - exact[0].q[-1]).max() < 1e-7
        assert np.abs(bent[0].q[-1] - exact[0].q[-1]).max() > 0.1


def driven_parallelogram(off: float, crank: float | None, carried: float | None, fan: float | None) -> da.Mechanism:
    """Its crank, the platform that carries it, or a fan beside it, turned by time at these rates; a pendulum keeps it free to move."""
    s = da.System("driven", gravity=(0, -9.81, 0))
    base = "ground"

    def law(rate: float | None, start: float) -> dict:
        return {} if rate is None else {"prescribed": lambda t: start + rate * t}

    if carried is not None:
        base = "platform"
        s.add_body(base, da.rod(mass=1.0, length=1.0))
        s.add_joint("P", da.Revolute(), "ground", base, **law(carried, 0.0))
    for name, length in (("crank", 1.0), ("coupler", 2.0), ("rocker", 1.0), ("pendulum", 0.5)):
        s.add_body(name, da.rod(mass=1.0, length=length))
    s.add_joint("A", da.Revolute(), base, "crank", **law(crank, 0.7))
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(1.0, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(2.0, 0, 0), at_child=(1.0, 0, 0))
    s.add_joint("D", da.Revolute(), base, "rocker", at_parent=(2.0 + off, 0, 0))
    s.add_joint("E", da.Revolute(), "coupler", "pendulum", at_parent=(1.0, 0, 0))
    if fan is not None:
        s.add_body("fan", da.rod(mass=1.0, length=0.1))
        s.add_joint("F", da.Revolute(), "ground", "fan", **law(fan, 0.0))
    return s.build(cut=["C"])


@pytest.mark.parametrize(
    "driven",
    [(None, None, 1.0), (None, None, 1e4), (None, 0.1, None), (-3.0, None, None)],
    ids=["fan", "fast fan", "platform", "crank"],
)
def test_time_counts_only_where_it_moves_the_rows_in_question(driven):
    """What time moves elsewhere, carries along, or moves across the pose does not drive a mechanism out of reach."""
    m = driven_parallelogram(1e-12, *driven)
    start = {} if driven[0] is not None else {"A": 0.7}
    with pytest.warns(da.SimulationWarning, match="nearly singular pose.*carried straight on"):
        motion = m.simulate(0.5, start, {name: -3.0 for name in start}, output=0.1)
    B, D = (motion.q[:, m.coordinates.index(name)] for name in "BD")
    assert np.abs(np.sin(B + D)).max() < 1e-4 or np.abs(np.sin(B - D)).max() < 1e-4


def out_of_reach(carried: float | None) -> da.Mechanism:
    """A crank that time turns further than the coupler and the rocker can follow."""
    s = da.System("reaching", gravity=(0, -9.81, 0))
    base = "ground"
    if carried is not None:
        base = "platform"
        s.add_body(base, da.rod(mass=1.0, length=1.0))
        s.add_joint("P", da.Revolute(), "ground", base, prescribed=lambda t: carried * t)
    for name, length in (("crank", 1.7), ("coupler", 1.0), ("rocker", 2.0), ("pendulum", 0.5)):
        s.add_body(name, da.rod(mass=1.0, length=length))
    s.add_joint("A", da.Revolute(), base, "crank", prescribed=lambda t: 0.7 + t)
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(1.7, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(1.0, 0, 0), at_child=(2.0, 0, 0))
    s.add_joint("D", da.Revolute(), base, "rocker", at_parent=(2.0, 0, 0))
    s.add_joint("E", da.Revolute(), "coupler", "pendulum", at_parent=(0.5, 0, 0))
    return s.build(cut=["C"])


@pytest.mark.parametrize("carried", [None, 20.0])
def test_what_time_asks_beyond_reach_is_refused_by_all(carried):
    m, said = out_of_reach(carried), r'driven out of reach after t = 1\.18.*closed by "C".*Time drives it'
    for options in ({}, {"method": "radau", "rtol": 1e-6}):
        with pytest.raises(da.SimulationError, match=said) as raised:
            m.simulate(3.0, **options)
        assert "as if branches met" not in str(raised.value)
    with pytest.warns(da.SimulationWarning, match=f"2 of 2 motions did not reach the end.*{said}"):
        many = m.simulate_many([{}, {"E": 0.1}], 3.0)
    assert set(many.problems) == {0, 1} and np.isfinite(many[0].q).all() and many[0].t[-1] > 1.18


@pytest.mark.parametrize(("off", "went"), [(1e-12, "carried straight on"), (1e-7, "turned into the other branch")])
def test_many_motions_are_told_of_singular_poses_as_one_is(off, went):
    m = four_bar(PARALLELOGRAM, off)
    start, speeds = [{"A": 1.2}, {"A": -1.6}, {"A": 1.2}], [{"A": 6.0}, {"A": 0.1}, {"A": 6.0}]
    with pytest.warns(da.SimulationWarning, match=went):
        alone = m.simulate(0.9, start[0], speeds[0], output=0.1)
    with pytest.warns(da.SimulationWarning, match=f"2 of 3 motions .* the first is number 0: .*{went}") as said:
        many = m.simulate_many(start, 0.9, speeds, output=0.1)
    assert len(said) == 1 and said[0].filename == __file__ and not many.problems
    np.testing.assert_allclose(many.q[0], alone.q, atol=1e-9)


@pytest.mark.parametrize("off", [1e-10, 1e-7, 1e-5])
def test_the_length_that_decides_is_told(off):
    from dalembert.mechanism.simulation_options import Projection
    from dalembert.simulation.constrained_start import kept_at

    m = four_bar(PARALLELOGRAM, off)
    q = m.assemble({"A": -0.01})[0]
    told = near_singular(m.numeric, q, 0.0, kept_at(m, q, 0.0, Projection()))
    assert 'loop coupler–crank–ground–rocker closed by "C"' in told
    missed = float(told.split("meet by ")[1].split()[0])
    assert missed == pytest.approx(off, rel=0.1, abs=1e-9)


@pytest.mark.parametrize("method, rtol", [("dop853", 1e-4), ("dop853", 1e-6), ("dop853", 1e-9), ("radau", 1e-5)])
def test_every_row_is_closed_at_every_output(method, rtol):
    """Also those that say nothing new beside the rows kept, where the kept ones nearly depend on each other."""
    m, initial, speeds, _ = bricard()
    motion = m.simulate(4.0, initial, speeds, output=0.01, method=method, rtol=rtol)
    assert largest_gap(motion, every=1) < 1e-14
    rows = [constraint_rows(m.state(*x)) for x in zip(motion.q, motion.u, motion.t)]
    assert max(np.abs(r.B @ u - r.b).max() for r, u in zip(rows, motion.u)) < 1e-13


def test_many_motions_and_events_are_closed_too():
    m, _, _, _ = bricard()
    several = m.simulate_many(np.zeros((3, m.n_q)), 2.0, output=0.01, rtol=1e-5)
    assert max(largest_gap(motion, every=1) for motion in several) < 1e-14
    fixed = m.simulate_many(np.zeros((3, m.n_q)), 2.0, output=0.01, step=0.02)
    assert max(largest_gap(motion, every=1) for motion in fixed) < 1e-14
    motion = m.simulate(2.0, rtol=1e-5, events={"half": lambda s: s.q["J1"] - 0.7})
    assert motion.events
    assert max(np.max(np.abs(constraint_rows(m.state(e.q, e.u, e.t)).g)) for e in motion.events) < 1e-14


def test_a_failure_next_to_a_singular_pose_names_it():
    m, initial, speeds, _ = change_point()
    with pytest.raises(
        da.SimulationError, match=r"the loop coupler–crank–ground–rocker closed by \"C\".* choose method=\"dop853\""
    ):
        m.simulate(2.0, initial, speeds, method="radau")


def test_a_run_that_creeps_is_ended_with_its_part(monkeypatch):
    """Steps so short that the end would never be reached."""
    from dalembert.simulation.march import between_stretches

    monkeypatch.setattr(between_stretches, "WINDOW", 50)
    m, initial, speeds, _ = crank_rocker()
    with pytest.raises(da.SimulationError, match=r"the run creeps: near t = .* takes steps of") as raised:
        m.simulate(1.0, initial, speeds, max_step=1e-9, max_steps=10**6, control=lambda s: {}, control_rate=1e5)
    assert raised.value.motion.t[0] == 0.0


def test_patience_falls_as_steps_are_used_up():
    """At one and the same pace, three times too slow, a run is ended before it has made half of its steps, not at its first look."""
    o = types.SimpleNamespace(method=types.SimpleNamespace(adaptive=True), end=1.0, max_steps=100_000)
    slow, quick = Pace(o, 0.0), Pace(o, 0.0)
    ended = next(steps for steps in range(5_000, 100_001, 5_000) if slow.creeps(steps / 300_000, steps))
    assert 10_000 < ended <= 55_000
    assert not any(quick.creeps(steps / 100_001, steps) for steps in range(5_000, 100_001, 5_000))
