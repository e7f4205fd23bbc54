"""Runs with laws: interrupted and gone on with, events at the start, at the end and together, controllers, budgets, grazing."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

from .models import (
    G,
    balls,
    block,
    four_bar,
    free_body,
    on_left_corner,
    pendulum,
    shafts,
    slider,
    slider_crank,
    thrown_ball,
)


def test_an_interrupted_run_goes_on_as_if_it_had_not_stopped():
    m = thrown_ball().build()
    calls = []

    def control(s):
        calls.append(s.t)
        if len(calls) == 30:
            raise KeyboardInterrupt
        return {"J.x": 0.1}

    arguments = {"initial": {"J.y": 1.0}, "speeds": {"J.x": 3.0}, "control_rate": 20.0}
    whole = m.simulate(4.0, control=lambda s: {"J.x": 0.1}, **arguments)
    part = m.simulate(4.0, control=control, **arguments)
    assert not part.complete and 0 < len(part.impacts) < len(whole.impacts)
    rest = m.simulate(4.0, control=control, resume=part, **arguments)
    assert np.array_equal(rest.q, whole.q) and np.array_equal(rest.u, whole.u)
    assert [x.t for x in rest.impacts] == [x.t for x in whole.impacts]
    assert [str(x) for x in rest.modes] == [str(x) for x in whole.modes]


def test_a_checkpoint_file_holds_the_mode(tmp_path):
    m = slider_crank().build()
    calls = []

    def control(s):
        calls.append(s.t)
        if len(calls) == 50:
            raise KeyboardInterrupt
        return {}

    arguments = {"initial": {"O": 1.0}, "speeds": {"O": 12.0}, "control_rate": 100.0}
    m.simulate(1.0, control=control, checkpoint=tmp_path / "run", **arguments)
    rest = m.simulate(1.0, control=control, resume=tmp_path / "run", **arguments)
    whole = m.simulate(1.0, control=lambda s: {}, **arguments)
    assert np.array_equal(rest.q, whole.q) and len(rest.impacts) == len(whole.impacts) == 2


def test_what_touches_at_the_start_collides_at_once():
    motion = pendulum(upper=0.0, restitution=0.5).build().simulate(0.2, initial={"A": 0.0}, speeds={"A": 2.0})
    assert motion.impacts[0].t == 0.0
    assert motion.u[0, 0] == pytest.approx(-1.0, abs=1e-14)  # a sample at an event is what comes of it


def test_what_rests_at_the_start_stays():
    motion = free_body(mu=0.3).build().simulate(10.0)
    assert motion.modes[-1].states == {"floor": "stick"}
    assert not motion.u.any()
    assert motion.contacts["floor"].normal[:, 0] == pytest.approx(G, abs=1e-12)


def test_an_event_at_the_very_end_is_seen():
    s = slider()
    s.add_law("stop", da.Stop("x", upper=1.0))
    motion = s.build().simulate(1.0, speeds={"x": 1.0})
    assert motion["x"][-1] == pytest.approx(1.0, abs=1e-12)
    assert motion.t[-1] == 1.0


def test_grazing_neither_hits_nor_passes():
    """Thrown up to exactly the ceiling, and to a little above it."""
    s = slider(x=-2.0)
    s.add_law("ceiling", da.Stop("x", upper=1.0, restitution=0.5))
    m = s.build()
    below = m.simulate(2.5, speeds={"x": 2.0 * (1 - 1e-9)})
    assert not below.impacts
    above = m.simulate(2.5, speeds={"x": 2.0 * (1 + 1e-9)})
    assert above.contacts["ceiling"].gap.min() > -1e-12
    assert above["x"].max() <= 1.0 + 1e-12


def test_a_dip_between_two_looks_is_seen():
    """A follower that swings past a corner quickly: the gap closes and opens again within one step."""
    s = slider()
    s.add_force("spring", da.JointSpring("x", stiffness=1.0))
    s.add_law("end", da.Stop("x", upper=0.999, restitution=1.0))
    motion = s.build().simulate(20.0, initial={"x": -1.0})
    assert len(motion.impacts) >= 3
    assert motion.contacts["end"].gap.min() > -1e-12


def test_both_ends_of_two_laws_at_one_instant():
    s = shafts(inertias=(1.0, 1.0))
    for k in range(2):
        s.add_law(f"stop{k}", da.Stop(f"S{k}", upper=1.0, restitution=0.5))
    motion = s.build().simulate(2.0, speeds={"S0": 1.0, "S1": 1.0})
    assert [x.law for x in motion.impacts] == ["stop0", "stop1"]
    assert [x.t for x in motion.impacts] == pytest.approx([1.0, 1.0], abs=1e-14)
    assert motion.u[-1] == pytest.approx([-0.5, -0.5], abs=1e-14)


def test_balls_between_walls_chatter_and_the_budget_ends_it():
    s = slider(x=1.0)
    s.add_law("stop", da.Stop("x", upper=0.0, restitution=0.999))
    m = s.build()
    with pytest.raises(da.SimulationError, match='"stop"') as stopped:
        m.simulate(1000.0, initial={"x": -1.0}, max_events=20)
    assert 15 < len(stopped.value.motion.impacts) <= 21


def test_events_and_laws_of_one_step_keep_their_order():
    m = thrown_ball(mu=0.0).build()
    high = da.Event(lambda s: s.q["J.y"] - 0.5, direction=-1)
    motion = m.simulate(2.0, initial={"J.y": 1.0}, events={"half": high})
    assert motion.events[0].t == pytest.approx(math.sqrt(1.0 / G), abs=1e-11)
    assert motion.events[0].t < motion.impacts[0].t < motion.events[1].t


def test_events_of_one_instant_act_in_their_order():
    s = slider()
    s.add_force("spring", da.JointSpring("x", stiffness=s.parameter("k", 0.0)))
    events = {
        "first": da.Event(lambda state: state.t - 1.0, action=da.SetParameter("k", 2.0)),
        "second": da.Event(lambda state: 2.0 * (state.t - 1.0), action=da.JointImpulse("x", lambda state: 1.5)),
    }
    motion = s.build().simulate(2.0, events=events)
    assert [e.name for e in motion.events] == ["first", "second"]
    w = math.sqrt(2.0)
    assert motion["x"][-1] == pytest.approx(1.5 / w * math.sin(w), abs=1e-10)
    assert np.ptp(motion.energy().total[motion.t > 1.0]) < 1e-8
    assert motion.parameters["k"][0] == 0.0 and motion.parameters["k"][-1] == 2.0


def test_a_blow_on_a_loop_keeps_it_closed():
    s = four_bar()
    del s.laws["latch"]
    m = s.build()
    blow = da.Event(lambda state: state.t - 0.1, action=da.Impulse(("coupler", (1.0, 0, 0)), impulse=(0.0, 1.0, 0.0)))
    motion = m.simulate(0.2, initial={"A": 0.7, "D": 0.78569641676583607}, events={"blow": blow})
    hit = motion.history
    state = m.state(hit.impact_q[0], hit.impact_u_after[0])
    _, V = state.jacobian(("coupler", (1.0, 0, 0)))
    A = m.mass_matrix(hit.impact_q[0])
    change = hit.impact_u_after[0] - hit.impact_u_before[0]
    # work of the blow = change of kinetic energy, as the loop does none
    before = m.energies(hit.impact_q[0], hit.impact_u_before[0])[0]
    after = m.energies(hit.impact_q[0], hit.impact_u_after[0])[0]
    mean = 0.5 * (hit.impact_u_after[0] + hit.impact_u_before[0])
    assert after - before == pytest.approx(float((np.asarray(V, dtype=float) @ mean)[1]), abs=1e-10)
    assert np.abs(A @ change).max() > 0.1


def test_a_blow_without_laws():
    s = slider()
    event = da.Event(lambda state: state.t - 1.0, action=da.JointImpulse("x", 3.0))
    motion = s.build().simulate(2.0, events={"blow": event})
    assert motion["x"][-1] == pytest.approx(3.0, abs=1e-12)


def test_a_latch_breaks():
    s = slider(x=1.0)
    s.add_force("ramp", da.Motor("x", lambda state: state.t))
    s.add_law("pin", da.Latch("x", strength=2.5))
    motion = s.build().simulate(3.0)
    assert motion.modes[-1].t == pytest.approx(1.5, abs=1e-11)
    assert motion.modes[-1].states == {"pin": "off"}
    assert motion["x"][-1] == pytest.approx(0.5 * 1.5**2 + (3.0**3 - 1.5**3) / 6 - 0.5 * 1.5**2 * 1.5, abs=1e-9)


def test_docking_shares_momentum():
    s = da.System("docking")
    for name in ("a", "b"):
        s.add_body(name, mass=1.0, inertia=(1.0, 1.0, 1.0))
        s.add_joint(f"J{name}", da.Planar(), "ground", name)
    s.add_law("dock", da.Latch(a=("a", (0.5, 0, 0)), b=("b", (-0.5, 0, 0)), rigid=True, on=False))
    meets = da.Event(lambda state: state.q["Jb.x"] - state.q["Ja.x"] - 1.0, direction=-1, action=da.Switch("dock"))
    m = s.build()
    motion = m.simulate(4.0, {"Jb.x": 3.0, "Jb.y": 0.4}, {"Ja.x": 1.0}, events={"dock": meets})
    momentum = motion.momentum()
    assert np.ptp(momentum.linear, axis=0).max() < 1e-12
    assert np.ptp(momentum.angular, axis=0).max() < 1e-12
    assert motion.u[-1, 2] == pytest.approx(motion.u[-1, 5], abs=1e-14)
    assert np.ptp(motion.energy().balance) < 1e-12


def test_a_plain_python_force_works_with_laws():
    def blows(state):
        return 3.0 if float(state.q["x"]) < 10.0 else 0.0

    s = slider()
    s.add_force("push", da.Motor("x", blows))
    s.add_law("dry", da.JointFriction("x", force=1.0))
    s.add_law("stop", da.Stop("x", upper=1.0))
    with pytest.warns(da.SlowForceWarning):
        motion = s.build().simulate(2.0)
    assert motion.impacts[0].t == pytest.approx(1.0, abs=1e-9)
    assert motion.contacts["stop"].state[-1, 0] == "closed"
    pressed = motion.contacts["stop"].normal[-1, 0] - motion.contacts["dry"].friction[-1, 0]
    assert pressed == pytest.approx(3.0, abs=1e-9)  # their shares are not unique, what they bear together is


def test_balls_renamed_move_alike():
    one = balls(0.0, 1.0).build().simulate(1.0)
    s = balls(0.0, 1.0)
    s.laws = {f"other_{name}": law for name, law in reversed(s.laws.items())}
    other = s.build().simulate(1.0)
    assert other.u == pytest.approx(one.u, abs=1e-13)


def test_poisson_gives_back_impulses_and_newton_speeds():
    """A tilted block that lands on a corner, sliding: with friction the two laws differ, and neither gains energy."""
    m = block(mu=0.4, restitution=0.6).build()
    start = {"initial": on_left_corner(0.5) | {"J.y": 0.5}, "speeds": {"J.x": 2.0, "J.angle": 1.0}}
    plastic = block(mu=0.4, restitution=0.0).build().simulate(0.5, **start).impacts[0]
    poisson = m.simulate(0.5, restitution="poisson", **start).impacts[0]
    newton = m.simulate(0.5, **start).impacts[0]
    assert poisson.t == pytest.approx(newton.t, abs=1e-12)
    assert poisson.impulse[0] == pytest.approx(1.6 * plastic.impulse[0], rel=1e-11)
    assert newton.after[0] == pytest.approx(-0.6 * newton.before[0], rel=1e-11)
    assert poisson.loss > 0.0 and newton.loss > 0.0


def test_what_poisson_gives_back_presses_joints_too():
    """A wedge on a guide with friction, down which a block slides onto the floor: two phases by hand, in each (Δẋ, Δs, P)."""
    m1, m2, mu, e, angle = 2.0, 1.0, 0.2, 0.6, 0.7
    c, d = math.cos(angle), -math.sin(angle)
    s = da.System("wedge")
    for name, mass in (("wedge", m1), ("block", m2)):
        s.add_body(name, mass=mass, inertia=(1.0, 1.0, 1.0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "wedge")
    s.add_joint("s", da.Prismatic((c, 0, d)), "wedge", "block")
    s.add_law("dry", da.JointFriction("x", mu=mu))
    s.add_law("floor", da.Contact("block", ("ground", (0, 0, -1)), restitution=e))
    motion = s.build().simulate(1.0, speeds={"x": 3.0, "s": 2.0}, restitution="poisson")

    def phase(last: list[float], right: float) -> np.ndarray:
        """Momentum of both along x, less friction by what the guide bears, P − m₂ d Δs; of the block along the slope."""
        rows = [[m1 + m2, m2 * c - mu * m2 * d, mu], [m2 * c, m2, -d], last]
        return np.linalg.solve(rows, [0.0, 0.0, right])

    first = phase([0.0, 1.0, 0.0], -2.0)
    second = phase([0.0, 0.0, 1.0], e * first[2])
    hit = next(x for x in motion.impacts if x.law == "floor")
    assert hit.u_after == pytest.approx(np.array([3.0, 2.0]) + first[:2] + second[:2], abs=1e-11)
    assert hit.impulse[0] == pytest.approx((1 + e) * first[2], rel=1e-11)


def test_without_friction_poisson_is_newton():
    m = pendulum().build()
    one, other = (m.simulate(3.0, initial={"A": -1.0}, restitution=law) for law in ("newton", "poisson"))
    assert other.q == pytest.approx(one.q, abs=1e-12)


def test_laws_in_words():
    said = str(four_bar().build().inspect({"A": 0.7, "D": 0.78569641676583607}))
    assert "Law latch: Latch on A, 1 row when engaged." in said
    assert "Law stop: Stop on A, 1 gap." in said


def test_an_event_with_an_action_happens_once():
    """Rounding may leave an event before its crossing where the march begins again: its blow must not come twice."""
    s = slider()
    s.add_law("end", da.Stop("x", upper=100.0))
    m = s.build()
    for k in range(12):
        at = 0.1 + 0.0371 * k
        blow = da.Event(lambda s, at=at: s.q["x"] - at, direction=1, action=da.JointImpulse("x", 0.5))
        motion = m.simulate(1.0, speeds={"x": 1.0}, events={"blow": blow})
        assert [e.name for e in motion.events] == ["blow"]
        assert motion.u[-1, 0] == 1.5


@pytest.mark.parametrize("zero", ["mu", "arm"])
def test_parameters_of_a_contact_may_be_zero(zero):
    s = da.System("ball", gravity=(0, 0, -9.81))
    s.add_body("b", da.sphere(mass=1.0, radius=0.1))
    s.add_joint("J", da.Free(), "ground", "b")
    s.add_law("floor", da.Contact("b", radius=0.1, mu=s.parameter("mu", 0.3), rolling_arm=s.parameter("arm", 0.01)))
    motion = s.build().simulate(0.2, initial={"J.z": 0.1}, speeds={"J.vx": 1.0}, parameters={zero: 0.0})
    slows = 0.0 if zero == "mu" else 0.3 * 9.81
    assert motion["J.vx'"][-1] == pytest.approx(max(1.0 - slows * 0.2, 5 / 7), abs=1e-9)
