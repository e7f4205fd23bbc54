"""Events are found where they are, controllers are called when they should be, and plain Python forces work."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import SlowForceWarning
from tests.simulation.models import oscillator, pendulum

METHODS = [{}, {"method": "radau"}, {"step": 1e-3}, {"method": "midpoint", "step": 1e-3}]


def falling() -> da.Mechanism:
    s = da.System("falling", gravity=(0, 0, -9.81))
    s.add_body("ball", da.sphere(1.0, 0.1))
    s.add_joint("f", da.Free(), "ground", "ball")
    return s.build()


@pytest.mark.parametrize("options", METHODS)
def test_a_run_ends_where_the_ball_lands(options):
    motion = falling().simulate(10.0, {"f": (1, 0, 0, 0, 0, 0, 2.0)}, until=lambda s: s.position("ball")[2], **options)
    assert motion.complete and motion.record["ended"] == "event"
    assert motion.t[-1] == pytest.approx(np.sqrt(4 / 9.81), rel=1e-12 if not options else 1e-6)
    assert abs(motion.position("ball")[-1, 2]) < 1e-12
    assert (np.diff(motion.t) > 0).all() and motion.events[-1].name == "until"


@pytest.mark.parametrize(
    "options", [{}, {"method": "rk4", "step": 0.02}, {"method": "radau"}], ids=["dop853", "rk4", "radau"]
)
@pytest.mark.parametrize(
    ("output", "before"),
    [(0.005, np.arange(201) * 0.005), ([0.5, 1.0, 1.5], [0.5, 1.0])],
    ids=["many samples in a step", "few"],
)
def test_a_run_that_an_event_ends_has_all_samples_before_it(options, output, before):
    motion = oscillator().simulate(2.0, [0.3], until=da.Event(lambda s: s.t - 1.003), output=output, **options)
    assert motion.record["ended"] == "event"
    assert np.allclose(motion.t, [*before, 1.003], atol=1e-12)
    whole = oscillator().simulate(2.0, [0.3], output=motion.t[1:] if motion.t[0] == 0 else motion.t, **options)
    assert np.allclose(motion.q[-1], whole.q[-1], atol=1e-6)


def test_crossings_are_recorded_in_order_and_by_direction():
    """x = cos t: zero at π/2 + kπ, falling first."""
    found = {}
    for direction in (-1, 0, 1):
        motion = oscillator().simulate(20.0, {"x": 1.0}, events=da.Event(lambda s: s.q["x"], direction), rtol=1e-12)
        found[direction] = np.array([e.t for e in motion.events])
        assert motion.t[-1] == 20.0
    np.testing.assert_allclose(found[0], np.pi / 2 + np.pi * np.arange(6), atol=1e-10)
    np.testing.assert_array_equal(found[-1], found[0][::2])
    np.testing.assert_array_equal(found[1], found[0][1::2])


def test_several_events_in_one_step_come_in_their_order():
    m = oscillator()
    names = {f"at{k}": (lambda s, k=k: s.q["x"] - 0.1 * k) for k in range(-3, 4)}
    motion = m.simulate(2.0, {"x": 1.0}, events=names)
    assert [e.name for e in motion.events] == [f"at{k}" for k in range(3, -4, -1)]
    for e, k in zip(motion.events, range(3, -4, -1)):
        assert e.t == pytest.approx(np.arccos(0.1 * k), abs=1e-8)
        assert e.q[0] == pytest.approx(0.1 * k, abs=1e-12)


def test_a_start_on_the_zero_is_no_crossing():
    motion = oscillator().simulate(1.0, speeds={"x": 1.0}, until=lambda s: s.q["x"])
    assert motion.t[-1] == 1.0 and not motion.events


def test_events_that_make_no_sense_are_said():
    with pytest.raises(da.SimulationError, match="not a function of the state"):
        pendulum().simulate(1.0, until=3.0)
    with pytest.raises(da.SimulationError, match="one number, not 3"):
        pendulum().simulate(1.0, until=lambda s: s.position("bob"))
    with pytest.raises(da.SimulationError, match="written with"):
        pendulum().simulate(1.0, until=lambda s: float(s.q["A"]))


@pytest.mark.parametrize("options", METHODS)
def test_a_controller_holds_its_force_between_calls(options):
    """A force of 1, −1, 1, … N for 0.1 s each on a free mass: the speed is a triangle."""
    s = da.System("slider")
    s.add_body("mass", da.particle(2.0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "mass")
    times = []

    def control(state):
        times.append(state.t)
        return {"x": 2.0 * (-1) ** (len(times) - 1)}

    motion = s.build().simulate(1.0, control=control, control_rate=10.0, output=0.05, **options)
    np.testing.assert_allclose(times[:10], 0.1 * np.arange(10), atol=1e-12)
    np.testing.assert_allclose(motion["x'"][::2], 0.1 * (np.arange(11) % 2), atol=1e-9)
    np.testing.assert_allclose(motion["x'"][1::2], 0.05, atol=1e-9)
    np.testing.assert_allclose(motion.udot()[1::2, 0], (-1.0) ** np.arange(10), atol=1e-9)


def test_a_controller_can_balance_a_pendulum():
    motion = pendulum().simulate(
        5.0,
        {"A": np.pi / 2 + 0.2},
        control=lambda s: {"A": -60 * (s.q["A"] - np.pi / 2) - 15 * s.u["A"]},
        control_rate=200.0,
    )
    assert abs(motion["A"][-1] - np.pi / 2) < 1e-3


def test_wrong_controllers_are_said():
    m = pendulum()
    with pytest.raises(da.SimulationError, match="control_rate"):
        m.simulate(1.0, control=lambda s: {})
    with pytest.raises(da.ModelError, match="no joint or speed 'B'"):
        m.simulate(1.0, control=lambda s: {"B": 1.0}, control_rate=1.0)
    with pytest.raises(da.SimulationError, match="must return"):
        m.simulate(1.0, control=lambda s: 3.0, control_rate=1.0)


def with_python_force(force) -> da.Mechanism:
    s = da.System("opaque", gravity=(0, -9.81, 0))
    s.add_body("bob", da.particle(1.0, (1, 0, 0)))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "bob")
    s.add_force("friction", da.Motor("A", force))
    return s.build()


@pytest.mark.parametrize("options", [{}, {"step": 1e-3}, {"method": "radau", "rtol": 1e-7}])
def test_a_plain_python_force_gives_the_same_motion_as_a_traced_one(options):
    slow, fast = with_python_force(lambda s: -0.3 * float(s.u["A"])), with_python_force(lambda s: -0.3 * s.u["A"])
    until = {"until": da.Event(lambda s: s.q["A"] + 2.0, -1)}
    with pytest.warns(SlowForceWarning):
        a = slow.simulate(0.5, **options, **until)
    b = fast.simulate(0.5, **options, **until)
    np.testing.assert_allclose(a.q, b.q, atol=1e-7)
    np.testing.assert_allclose(a.reaction("A").force, b.reaction("A").force, atol=1e-5)


def test_an_error_in_a_python_force_comes_through_and_control_c_can_be_resumed():
    def broken(s):
        if s.t > 0.2:
            raise RuntimeError("no more")
        return -float(s.u["A"])

    with pytest.warns(SlowForceWarning), pytest.raises(da.DalembertError, match="no more"):
        with_python_force(broken).simulate(0.5)
    calls = []

    def interrupted(s):
        calls.append(s.t)
        if len(calls) == 60:
            raise KeyboardInterrupt
        return -float(s.u["A"])

    with pytest.warns(SlowForceWarning):
        m = with_python_force(interrupted)
        part = m.simulate(1.0, output=0.01)
        assert part.record["ended"] == "interrupted"
        np.testing.assert_array_equal(m.simulate(1.0, output=0.01, resume=part).q, m.simulate(1.0, output=0.01).q)


def test_midpoint_says_that_it_needs_expressions():
    with pytest.warns(SlowForceWarning), pytest.raises(da.SimulationError, match="plain Python function"):
        with_python_force(lambda s: -float(s.u["A"])).simulate(1.0, method="midpoint", step=1e-3)


@pytest.mark.parametrize("when", [lambda s: s.q["A"] < -1.0, lambda s: (s.q["A"] < -1.0) & (s.u["A"] < 0.0)])
def test_a_comparison_is_no_event(when):
    """It would never pass through zero, and the run would go on without a word."""
    with pytest.raises(da.SimulationError, match="passes through zero"):
        pendulum().simulate(1.0, until=when)
