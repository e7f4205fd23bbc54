"""Motions with laws that are known to many digits, at default settings: from closed forms, or two independent integrations."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

from .models import (
    G,
    balls,
    belt,
    block,
    cranks,
    four_bar,
    free_body,
    jack,
    on_left_corner,
    pendulum,
    shafts,
    slider,
    slider_crank,
    sliding_rod,
    thrown_ball,
)

SECONDS, SPEED = 1e-11, 1e-10
"""Digits asked for."""


def test_pendulum_hits_its_stop():
    motion = pendulum().build().simulate(3.0, initial={"A": -1.0})
    times = [0.51959833723831477, 1.5952738051658579, 2.7384495517075644]
    speeds = [3.4949185989472249, 2.4464430192630574, 1.7125101134841402]
    assert [x.t for x in motion.impacts] == pytest.approx(times, abs=SECONDS)
    assert [-x.before[0] for x in motion.impacts] == pytest.approx(speeds, abs=SPEED)
    assert [x.after[0] / -x.before[0] for x in motion.impacts] == pytest.approx([0.7] * 3, abs=1e-14)
    energy = motion.energy()
    assert np.ptp(energy.balance) < 1e-9
    assert energy.lost[-1] == pytest.approx(sum(x.loss for x in motion.impacts), abs=1e-12)


def test_coulomb_oscillator_stops_and_stays():
    s = slider()
    s.add_force("spring", da.JointSpring("x", stiffness=100.0))
    s.add_law("dry", da.JointFriction("x", force=1.0))
    motion = s.build().simulate(1000.0, initial={"x": 0.097})
    assert [x.t for x in motion.modes] == pytest.approx([k * math.pi / 10 for k in range(6)], abs=SECONDS)
    at_rest = motion.t > math.pi / 2
    assert not motion.u[at_rest].any()
    assert np.ptp(motion["x"][at_rest]) < 1e-14
    assert motion["x"][-1] == pytest.approx(0.003, abs=1e-12)
    assert motion.energy().lost[-1] == pytest.approx(0.47, abs=1e-10)
    assert motion.contacts["dry"].friction[-1, 0] == pytest.approx(0.3, abs=1e-9)


def test_belt_sticks_and_slips():
    motion = belt().build().simulate(20.0)
    changes = np.array([x.t for x in motion.modes[1:]])
    assert changes[0] == pytest.approx(3.75, abs=SECONDS)
    slips, sticks = np.diff(changes)[::2], np.diff(changes)[1::2]
    assert slips == pytest.approx([1.9513027039072615] * len(slips), abs=1e-10)
    assert sticks == pytest.approx([2.5] * len(sticks), abs=1e-10)
    assert motion.energy().lost[-1] > 0.0


@pytest.mark.parametrize(
    "mu, stop, way",
    [(0.6, 0.29992725184500288, 0.44989087776750431), (0.4, 0.36130284282809819, 0.54195426424214729)],
)
def test_incline_stops_or_returns(mu, stop, way):
    a = math.pi / 6
    s = slider(x=-G * math.sin(a), z=-G * math.cos(a))
    s.add_law("dry", da.JointFriction("x", force=mu * G * math.cos(a)))
    back = da.Event(lambda state: state.q["x"], direction=-1)
    motion = s.build().simulate(2.0, speeds={"x": 3.0}, until=back, output=0.001)
    assert motion.modes[1].t == pytest.approx(stop, abs=SECONDS)
    assert motion["x"].max() == pytest.approx(way, abs=1e-6)
    if mu == 0.6:
        assert motion.modes[-1].states == {"dry": "stick"}
        assert not motion.u[-1].any()
        assert motion["x"][-1] == pytest.approx(way, abs=1e-12)
    else:
        assert -motion.u[-1, 0] == pytest.approx(1.27794470319765, abs=1e-10)


def test_ball_bounces_slides_and_stops():
    """68 impacts or so end in sustained contact; the impulse that is left out at the end is that of all further bounces."""
    motion = thrown_ball().build().simulate(6.0, initial={"J.y": 1.0}, speeds={"J.x": 10.0})
    assert motion.impacts[9].after[0] == pytest.approx(0.4756082413119682, abs=1e-12)
    assert motion.modes[-1].t == pytest.approx(5.0968399592252803, abs=SECONDS)
    assert motion["J.x"][-1] == pytest.approx(25.684199796126402, abs=1e-11)
    assert motion.modes[-1].states == {"floor": "stick"}
    assert not motion.u[-1].any()
    assert np.ptp(motion.energy().balance) < 1e-9
    assert motion.contacts["floor"].gap.min() > -1e-12


def test_ball_rests_where_its_bounces_add_up():
    """Bounces end after √(2h/g) (1 + e)/(1 − e); by then each has taken its part of the slip."""
    motion = (
        thrown_ball()
        .build()
        .simulate(6.0, initial={"J.y": 1.0}, speeds={"J.x": 10.0}, output=np.array([0.0, 4.07, 6.0]))
    )
    at_rest = next(x.t for x in motion.modes if x.states["floor"] == "slip")
    last = motion.impacts[-1]
    left_out = 2 * 0.8 * -last.before[0] / (G * (1 - 0.8))  # time of the bounces that are too low to be seen
    assert last.t == at_rest and left_out < 5e-6
    assert at_rest + left_out == pytest.approx(4.0637127688715781, abs=1e-11)
    assert motion.u[1, 0] == pytest.approx(2.0269955474739637 - 0.2 * G * (4.07 - 4.0637127688715781), abs=1e-11)
    assert motion["J.x"][1] == pytest.approx(24.637127688715781 + 2.0206 * (4.07 - 4.0637127688715781), abs=1e-5)


@pytest.mark.parametrize("tilt", [1e-3, 1e-4])
def test_block_rocks_with_housners_period(tilt):
    """4/p arcosh(1/(1 − θ/α)), linear in small angles of a slender block; here of the first quarter, times four."""
    b, h = 0.01, 0.2
    alpha, p = math.atan(b / h), math.sqrt(3 * G / (4 * math.hypot(b, h)))
    motion = block(b, h).build().simulate(0.5, initial=on_left_corner(tilt, b, h))
    housner = 4 / p * math.acosh(1 / (1 - tilt / alpha))
    assert 4 * motion.history.impact_t[0] == pytest.approx(housner, rel=alpha**2)


@pytest.mark.parametrize("angle, least", [(math.atan(2.0), 4 / 3), (math.pi / 4, 5 / 3), (1.0, None)])
def test_painleve_coefficient_of_a_slender_rod(angle, least):
    """Accelerations exist up to mu = (tan² + 4)/(3 tan); beyond, where the rod turns so that it would fall in, none do."""
    least = (math.tan(angle) ** 2 + 4) / (3 * math.tan(angle)) if least is None else least
    s, _ = sliding_rod(0.5, -3.0)
    m = s.build()
    q = np.array([0.0, math.sin(angle), angle])
    u = np.array([-3.0, 0.0, 0.0])
    assert m.laws_at(q, u, parameters={"mu": 0.999 * least})["floor"].state == ("slip",)
    with pytest.raises(da.StateError, match="Painlevé"):
        m.laws_at(q, u, parameters={"mu": 1.001 * least})


def test_table_shakes_a_mass_loose():
    s = da.System("table", gravity=(0, 0, -G))
    s.add_body("table")
    s.add_body("m", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.add_joint("T", da.Prismatic((1, 0, 0)), "ground", "table", prescribed=lambda t: 0.05 * da.sin(20 * t))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "table", "m")
    s.add_law("dry", da.JointFriction("x", mu=0.5))
    at_end = 0.23057398629239384
    motion = s.build().simulate(0.5, output=np.array([0.0, at_end, 0.5]))
    assert [x.t for x in motion.modes[1:3]] == pytest.approx([0.012388877983949391, at_end], abs=SECONDS)
    assert abs(motion["x"][1]) == pytest.approx(0.15677922700861343, abs=1e-10)


def test_block_rocks_to_rest():
    motion = block().build().simulate(3.0, initial=on_left_corner(0.2))
    h = motion.history
    times = [0.2045916685802992, 0.43730694589176969, 0.58942390520367674]
    rates = [2.161841154440847, 1.5132888081085929, 1.059302165676015]
    assert h.impact_t[:3] == pytest.approx(times, abs=SECONDS)
    assert np.abs(h.impact_u_before[:3, 2]) == pytest.approx(rates, abs=SPEED)
    assert np.abs(h.impact_u_after[:3, 2] / h.impact_u_before[:3, 2]) == pytest.approx([0.7] * 3, abs=1e-11)
    assert not motion.u[-1].any()
    last = motion.contacts["left"]
    assert not last.determined[-1]  # two corners stick on one body: their shares are not unique
    assert last.normal[-1, 0] + motion.contacts["right"].normal[-1, 0] == pytest.approx(G, abs=1e-9)


def test_sphere_rolls_in_the_end():
    motion = (
        free_body(radius=0.1, inertia=0.004)
        .build()
        .simulate(
            1.0, initial={"J.z": 0.1}, speeds={"J.vx": 3.0, "J.vy": 1.0, "J.wx": -20.0, "J.wy": -30.0, "J.wz": 5.0}
        )
    )
    assert motion.modes[-1].t == pytest.approx(0.59053080241718554, abs=SECONDS)
    assert motion.velocity("b")[-1] == pytest.approx([9 / 7, 9 / 7, 0.0], abs=1e-11)
    assert motion.energy().lost[-1] == pytest.approx(37 / 7, abs=1e-10)
    rolled = motion.position("b")[-1] - 9 / 7 * (1.0 - motion.modes[-1].t) * np.array([1.0, 1.0, 0.0])
    assert rolled[:2] == pytest.approx([1.2654231480368262, 0.67489234561964062], abs=1e-10)


def test_puck_stops_in_a_plane():
    s = free_body()
    s.add_force("push", da.Load("b", force=(2.0, 0, 0)))
    motion = s.build().simulate(2.5, speeds={"J.vx": 1.5, "J.vy": 2.0})
    assert motion.modes[-1].t == pytest.approx(2.2220439199879689, abs=SECONDS)
    assert motion.position("b")[-1] == pytest.approx([2.0956024876594235, 1.1561430779759279, 0.0], abs=1e-10)
    assert not motion.u[-1].any()


@pytest.mark.parametrize(
    "mu, acceleration, friction, states",
    [
        ((0.1, 0.5), 3.8733333333333333, 3.9366666666666667, ("slip", "stick")),
        ((0.1, 0.1), 5.81, 2.0, ("slip", "slip")),
        ((0.25, 0.25), 0.0, G / 2, ("stick", "stick")),
    ],
)
def test_disc_falls_between_plates(mu, acceleration, friction, states):
    r = 0.1
    s = da.System("disc", gravity=(0, -G, 0))
    s.add_body("disc", mass=1.0, inertia=(0.0025, 0.0025, 0.005))
    s.add_body("plate", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.add_joint("J", da.Planar(), "ground", "disc")
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "plate")
    s.add_force("press", da.Motor("x", -20.0))
    s.add_law("1", da.Contact("disc", ("ground", (-r, 0, 0)), (1, 0, 0), mu=s.parameter("mu1", 0.1), radius=r))
    s.add_law("2", da.Contact("disc", "plate", (-1, 0, 0), mu=s.parameter("mu2", 0.1), radius=r))
    motion = s.build().simulate(0.1, initial={"x": r}, parameters={"mu1": mu[0], "mu2": mu[1]})
    assert tuple(motion.modes[-1].states.values()) == states
    assert -motion.udot()[-1, 1] == pytest.approx(acceleration, abs=1e-10)
    assert np.abs(motion.contacts["2"].friction[-1]).max() == pytest.approx(friction, abs=1e-9)
    assert motion.contacts["1"].normal[-1, 0] == pytest.approx(20.0, abs=1e-10)


@pytest.mark.parametrize(
    "gap, restitution, speeds",
    [(0.0, 1.0, (-1 / 3, 2 / 3, 2 / 3)), (1e-9, 1.0, (0.0, 0.0, 1.0)), (1e-9, 0.9, (0.047625, 0.049875, 0.9025))],
)
def test_cradle_together_and_in_turn(gap, restitution, speeds):
    motion = balls(gap, restitution).build().simulate(1.0)
    assert motion.u[-1] == pytest.approx(speeds, abs=1e-9)


def test_clutch_locks():
    s = shafts(torques=(3.0, -1.0))
    s.add_law("clutch", da.Clutch("S0", "S1", capacity=8.0))
    motion = s.build().simulate(5.0, speeds={"S0": 30.0}, output=np.array([0.0, 60 / 19, 5.0]))
    assert motion.modes[1].t == pytest.approx(60 / 19, abs=SECONDS)
    assert motion.u[1] == pytest.approx([22.105263157894737] * 2, abs=1e-10)
    assert motion.energy().lost[-1] == pytest.approx(378.94736842105263, abs=1e-9)
    assert -motion.contacts["clutch"].friction[-1, 0] == pytest.approx(5 / 3, abs=1e-12)


def test_clutch_that_is_pressed_ever_harder():
    s = shafts()
    s.add_law("clutch", da.Clutch("S0", "S1", capacity=lambda state: 4.0 * state.t))
    motion = s.build().simulate(5.0, speeds={"S0": 30.0})
    assert motion.modes[1].t == pytest.approx(math.sqrt(10.0), abs=SECONDS)
    assert motion.energy().lost[-1] == pytest.approx(300.0, abs=1e-9)


@pytest.mark.parametrize(
    "mu, raising, lowering",
    [(0.05, 0.55929228096928671, -0.06679936934974997), (0.1, 0.80790528312064698, 0.17711048131074178)],
)
def test_screw_jack_takes_its_torques(mu, raising, lowering):
    """At these torques it goes on turning as it did; a thread locks itself from mu = lead / (2π r) on."""
    m = jack().build()
    for torque, speed in ((raising, 1.0), (-lowering, -1.0)):
        motion = m.simulate(0.01, speeds={"S": speed}, parameters={"mu": mu, "M": torque})
        assert motion.u[:, 0] == pytest.approx(speed, abs=1e-11)
    motion = m.simulate(0.1, parameters={"mu": mu})
    if mu < 0.063661977236758134:
        assert -motion.udot()[0, 0] == pytest.approx(33.327448365969948, abs=1e-9)
    else:
        assert motion.modes[-1].states == {"thread": "stick"} and not motion.u.any()


def test_puck_breaks_away_in_a_plane():
    """The force grows and turns; the direction of slip settles at an unbounded rate at first."""
    s = free_body()
    s.add_force("push", da.Load("b", force=lambda x: ((2 + x.t) * da.cos(1.5 * x.t), (2 + x.t) * da.sin(1.5 * x.t), 0)))
    half = da.Event(lambda x: x.t - 1.0)
    motion = s.build().simulate(2.0, events={"half": half})
    assert motion.modes[1].t == pytest.approx(0.943, abs=1e-10)
    assert motion.position("b")[-1, :2] == pytest.approx([-0.149679289006, 0.112996918389], abs=1e-9)
    assert motion.velocity("b")[-1, :2] == pytest.approx([-0.518850247703, 0.167204496120], abs=1e-9)
    assert motion.events[0].t == pytest.approx(1.0, abs=1e-9)


def test_painleve_rod_where_accelerations_exist():
    s, start = sliding_rod(0.5, -3.0)
    motion = s.build().simulate(0.1, **start)
    assert motion.contacts["floor"].normal[0, 0] == pytest.approx(5.3979561309157539, abs=1e-11)
    assert motion.udot()[0, 2] == pytest.approx(-1.9362492413792779, abs=1e-11)


def test_painleve_rod_where_they_do_not_is_carried_on_with_a_word():
    s, start = sliding_rod(2.0, -3.0)
    with pytest.warns(da.SimulationWarning, match="Painlevé"):
        motion = s.build().simulate(0.1, **start)
    assert motion.energy().balance[-1] == pytest.approx(motion.energy().balance[0], abs=1e-6)
    assert motion.contacts["floor"].gap.min() > -1e-12


def test_backlash_hits_to_and_fro():
    s = shafts(inertias=(1.0, 3.0))
    s.add_law("play", da.Backlash({"S0": 1.0, "S1": -1.0}, play=0.04, restitution=0.9))
    motion = s.build().simulate(0.09, speeds={"S0": 2.0})
    times = [0.01, 0.032222222222222222, 0.05691358024691358, 0.084348422496570645]
    assert [x.t for x in motion.impacts] == pytest.approx(times, abs=1e-14)
    assert motion.u[-1] == pytest.approx([1.48415, 0.17195], abs=1e-13)


def test_four_bar_is_let_go_and_hits_its_stop():
    release = da.Event(lambda s: s.t - 0.5, action=da.Switch("latch", on=False))
    motion = four_bar().build().simulate(1.5, initial={"A": 0.7, "D": 0.78569641676583607}, events={"go": release})
    hit = motion.impacts[0]
    assert hit.t - 0.5 == pytest.approx(0.40989011526590704, abs=SECONDS)
    assert (hit.u_before[0], hit.u_after[0]) == pytest.approx((-2.1867096157050428, 1.0933548078525214), abs=SPEED)
    before = motion.t < 0.5
    assert not motion.u[before].any() and np.ptp(motion["A"][before]) < 1e-15


@pytest.mark.parametrize("cut", ["Q", "guide", "P"])
def test_slider_crank_with_friction_by_its_own_guide(cut):
    """Whichever joint closes the loop: dead centre, wall, dead centre, turn, dead centre, wall, stuck."""
    psi = math.asin(-0.3 * math.sin(1.0) / 0.8)
    every = {"O": 1.0, "P": psi - 1.0, "Q": -psi, "guide": 0.3 * math.cos(1.0) + 0.8 * math.cos(psi)}
    m = slider_crank().build(cut=[cut])
    motion = m.simulate(3.0, initial={k: x for k, x in every.items() if k != cut}, speeds={"O": 12.0})
    first = [0.13915012848617, 0.29082942742447, 0.58353614456600, 0.92638566939897]
    times = [*first, 1.6776031042606, 2.0870946363101, 2.7480295101257]
    assert [x.t for x in motion.modes[1:]] == pytest.approx(times, abs=1e-10)
    hit = motion.impacts[0]
    assert hit.u_before[0] == pytest.approx(13.76025392975, abs=1e-9)
    assert motion["O"][-1] == pytest.approx(4.5723342575549, abs=1e-9)
    assert motion.modes[-1].states == {"dry": "stick", "wall": "open"}
    assert np.ptp(motion.energy().balance) < 1e-8


def test_friction_by_a_reaction_that_is_not_unique_is_refused():
    with pytest.raises(da.SimulationError, match='"A0" transmits is not unique'):
        cranks(da.JointFriction("A0", mu=0.1, radius=0.02)).build().simulate(1.0, initial={"A0": 1.0})


def test_redundant_loop_with_stops_and_friction_comes_to_rest():
    m = cranks(da.JointFriction("A0", force=0.5)).build()
    motion = m.simulate(5.0, initial={"A0": 1.0}, speeds={"A0": 3.0})
    assert not motion.u[-1].any()
    assert motion.modes[-1].states["dry"] == "stick"
    assert np.ptp(motion.energy().balance) < 1e-9
