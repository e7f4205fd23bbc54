"""Time stepping by the Moreau–Jean method: the same laws as the event-driven march, to which it converges as the step shrinks."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

from .models import G, block, four_bar, free_body, pendulum, shafts, slider, slider_crank, thrown_ball
from .stepping_cases import CASES

QUICK = ("ball", "belt", "rocking block", "sphere, spin", "puck stops", "four-bar latch", "slider-crank")
"""Cases that run everywhere; the others where CI is not set."""
NEAR = 0.93
"""Steps of a level differ by this: where an event falls within a step is then left to chance."""
SAMPLES = 40


@pytest.mark.parametrize("name", [x if x in QUICK else pytest.param(x, marks=pytest.mark.slow) for x in CASES])
def test_it_converges_to_the_event_driven_march(name):
    s, asked = CASES[name]()
    m, every = s.build(), asked["duration"] / SAMPLES
    exact = m.simulate(output=every, **asked)

    def error(n: int) -> float:
        steps = [asked["duration"] / n * NEAR**k for k in range(6)]
        motions = [m.simulate(method="moreau", step=h, output=every, **asked) for h in steps]
        return float(np.mean([np.abs(x.q - exact.q).max() for x in motions]))

    coarse, fine = error(400), error(3200)
    order = math.log(coarse / max(fine, 1e-300)) / math.log(8.0)
    assert fine < 1e-9 or order > 0.7, (order, coarse, fine)
    assert fine < 0.02


def test_smooth_motion_is_of_second_order():
    m = pendulum().build().without_laws()
    exact = m.simulate(1.0, initial={"A": -1.0}).q[-1, 0]
    off = [abs(m.simulate(1.0, initial={"A": -1.0}, method="moreau", step=h).q[-1, 0] - exact) for h in (1e-2, 1e-3)]
    assert off[0] / off[1] == pytest.approx(100.0, rel=0.1)


def test_what_sticks_stays():
    """A mass on an incline under its limit of friction, for a thousand seconds."""
    s = slider(x=-G * math.sin(0.3), z=-G * math.cos(0.3))
    s.add_law("dry", da.JointFriction("x", mu=0.5))
    motion = s.build().simulate(1000.0, method="moreau", step=0.01)
    assert not motion.u.any() and not motion["x"].any()
    assert set(motion.contacts["dry"].state.ravel()) == {"stick"}
    assert motion.contacts["dry"].friction[:, 0] == pytest.approx(G * math.sin(0.3))


def test_forces_energy_and_states_are_told():
    motion = block().build().simulate(3.0, initial={"J.y": 0.2}, method="moreau", step=1e-3)
    left, right = motion.contacts["left"], motion.contacts["right"]
    assert left.normal[:, 0] + right.normal[:, 0] == pytest.approx(G, rel=1e-9)
    assert not left.determined[-1] and {*left.state.ravel()} == {"stick"}
    ball = thrown_ball(mu=0.0).build().simulate(2.0, initial={"J.y": 1.0}, method="moreau", step=1e-4)
    energy = ball.energy()
    assert np.ptp(energy.balance) < 1e-3 and energy.lost[-1] > 5.0
    assert [x.states["floor"] for x in ball.modes[:1]] == ["open"]


def test_many_motions_in_lanes_are_those_of_single_calls():
    s = slider_crank()
    s.add_law("latch", da.Latch("O", on=False))
    m = s.build()
    starts = [{"O": 1.0 + 0.02 * k} for k in range(11)]
    many = m.simulate_many(starts, 0.4, [{"O": 12.0}] * 11, method="moreau", step=1e-3)
    for k in (0, 7, 10):
        one = m.simulate(0.4, initial=starts[k], speeds={"O": 12.0}, method="moreau", step=1e-3)
        assert np.abs(many.q[k] - one.q).max() < 1e-12
        assert many[k].contacts["wall"].gap == pytest.approx(one.contacts["wall"].gap, abs=1e-12)
        assert many[k].energy().lost == pytest.approx(one.energy().lost, abs=1e-10)


def test_a_study_of_parameters():
    ball = da.System("ball", gravity=(0, 0, -G))
    ball.add_body("b", mass=1.0, inertia=(1, 1, 1))
    ball.add_joint("z", da.Prismatic((0, 0, 1)), "ground", "b")
    ball.add_law("floor", da.Contact("b", restitution=ball.parameter("e", 0.5)))
    e = np.linspace(0.2, 0.8, 7)
    made = ball.build().simulate_many([{"z": 1.0}] * 7, 0.6, parameters={"e": e}, method="moreau", step=1e-4)
    assert made.u[:, -1, 0] == pytest.approx(e * math.sqrt(2 * G) - G * (0.6 - math.sqrt(2 / G)), abs=5e-3)


def test_latches_break_and_switch_where_they_are():
    s = slider(x=1.0)
    s.add_law("pin", da.Latch("x", strength=2.0))
    s.add_force("pull", da.Motor("x", lambda state: state.t))
    motion = s.build().simulate(2.0, method="moreau", step=1e-3)
    before = motion.t < 0.999
    assert not motion.u[before].any() and set(motion.contacts["pin"].state[before].ravel()) == {"engaged"}
    assert motion.contacts["pin"].hold[before, 0] == pytest.approx(-(1.0 + motion.t[before]), abs=2e-3)
    assert motion.u[-1, 0] == pytest.approx(1.0 + 1.5, abs=5e-3)  # ∫ (1 + t) from 1 to 2 s
    assert motion.modes[-1].states == {"pin": "off"}


def test_events_act_at_the_end_of_their_step():
    s = slider()
    s.add_law("brake", da.Brake("x", torque=1.0, on=False))
    blow = da.Event(lambda x: x.t - 0.5, action=(da.JointImpulse("x", 2.0), da.Switch("brake", on=True)))
    motion = s.build().simulate(3.0, events={"blow": blow}, method="moreau", step=1e-3)
    assert motion["x"][-1] == pytest.approx(2.0, abs=5e-3)
    assert motion.u[-1, 0] == 0.0


def test_rope_freewheel_and_viscous_friction():
    s = da.System("rope", gravity=(0, 0, -G))
    s.add_body("b", mass=1.0, inertia=(1, 1, 1))
    s.add_joint("J", da.Free(), "ground", "b")
    s.add_law("rope", da.Rope("ground", "b", length=1.0))
    motion = s.build().simulate(3.0, initial={"J.x": 0.8}, method="moreau", step=1e-3)
    assert motion.contacts["rope"].gap.min() > -1e-2 and motion.position("b")[-1, 2] < -0.5
    w = shafts(torques=(0.0, 1.0))
    w.add_law("free", da.OneWay("S0", "S1"))
    wheel = w.build().simulate(1.0, speeds={"S0": 0.2}, method="moreau", step=1e-4)
    assert wheel.u[-1] == pytest.approx([0.2 + 0.8 / 3] * 2, abs=1e-3)  # alone until 0.2 rad/s, then together
    d = slider()
    d.add_law("oil", da.JointFriction("x", viscous=50.0))
    slow = d.build().simulate(1.0, speeds={"x": 1.0}, method="moreau", step=1e-3)
    assert slow["x"][-1] == pytest.approx(1 / 50.0, abs=1e-5)


def test_a_controller_and_a_checkpoint(tmp_path):
    m = pendulum().build()
    asked = {"initial": {"A": -1.0}, "method": "moreau", "step": 1e-3}
    whole = m.simulate(1.0, control=lambda s: {"A": -0.5 * s.u["A"]}, control_rate=50, **asked)
    assert np.abs(whole["A"]).max() <= 1.0 + 1e-9 and whole.contacts["stop"].gap.min() > -2e-2
    from_file = tmp_path / "run"
    calls = []

    def stop_once(s):
        calls.append(s.t)
        if len(calls) == 26:
            raise KeyboardInterrupt
        return {"A": -0.5 * s.u["A"]}

    m.simulate(1.0, control=stop_once, control_rate=50, checkpoint=from_file, **asked)
    resumed = m.simulate(1.0, control=lambda s: {"A": -0.5 * s.u["A"]}, control_rate=50, resume=from_file, **asked)
    assert np.abs(resumed.q - whole.q).max() < 1e-12


@pytest.mark.parametrize(
    "options, words",
    [
        ({"method": "moreau"}, "fixed step"),
        ({"method": "moreau", "step": 1e-3, "theta": 0.3}, "between 0.5"),
        ({"method": "rk4", "step": 1e-3, "theta": 0.5}, "theta"),
        ({"method": "moreau", "step": 1e-3, "restitution": "poisson"}, "Newton"),
        ({"method": "moreau", "step": 1e-3, "constraints": "svd"}, "range_space"),
    ],
)
def test_what_it_cannot_do_is_refused(options, words):
    with pytest.raises(da.SimulationError, match=words):
        four_bar().build().simulate(1.0, initial={"A": 0.7}, **options)


def test_a_start_inside_a_wall_is_refused():
    with pytest.raises(da.SimulationError, match="violated at the start"):
        free_body().build().simulate(1.0, initial={"J.z": -0.1}, method="moreau", step=1e-3)


def test_a_step_that_is_more_damped():
    m = free_body(radius=0.1, inertia=0.004).build()
    motions = [
        m.simulate(1.0, initial={"J.z": 0.1}, speeds={"J.vx": 3.0}, method="moreau", step=1e-3, theta=theta)
        for theta in (0.5, 1.0)
    ]
    for motion in motions:
        assert motion.velocity("b")[-1] == pytest.approx([3.0 * 5 / 7, 0, 0], abs=5e-2)
    assert motions[1].energy().lost[-1] != motions[0].energy().lost[-1]
