"""Equilibria, inverse dynamics, small motions and sweeps of mechanisms with laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da

from ..effort import examples
from .models import G, free_body, jack, pendulum, slider, slider_crank


# -- equilibria --------------------------------------------------------------------------------------------------------------
def test_a_pendulum_rests_against_its_stop():
    found = pendulum(upper=-0.2).build().equilibrium({"A": -1.0})
    assert found.q[0] == pytest.approx(-0.2, abs=1e-12)
    assert found.laws["stop"].normal[0] == pytest.approx(0.5 * G * math.sin(0.2), rel=1e-9)


def test_an_open_stop_changes_nothing():
    found = pendulum(upper=0.3).build().equilibrium({"A": -1.0})
    assert found.q[0] == pytest.approx(0.0, abs=1e-12) and found.laws["stop"].state == ("open",)


def test_friction_makes_a_range_of_rests():
    """A rod of 1 kg and 1 m with 1 N m of dry friction rests where ½ m g l |sin A| ≤ 1."""
    s = pendulum(upper=0.3)
    s.add_law("dry", da.JointFriction("A", force=1.0))
    found = s.build().equilibrium({"A": -1.0})
    end = math.asin(1.0 / (0.5 * G))
    assert found.ranges["A"] == pytest.approx((-end, end), abs=1e-8)
    assert "range" in str(found)


def test_the_range_ends_at_a_stop():
    s = pendulum(upper=0.1)
    s.add_law("dry", da.JointFriction("A", force=1.0))
    low, high = s.build().equilibrium({"A": -1.0}).ranges["A"]
    assert low == pytest.approx(-math.asin(1.0 / (0.5 * G)), abs=1e-8) and high == pytest.approx(0.1, abs=1e-8)


def test_what_only_friction_holds_is_said():
    s = slider(x=1.0)
    s.add_law("dry", da.JointFriction("x", force=5.0))
    found = s.build().equilibrium()
    assert found.by_friction and "without friction" in str(found) and np.isinf(found.ranges["x"]).all()


def test_nothing_rests_where_friction_is_too_small():
    s = slider(x=6.0)
    s.add_law("dry", da.JointFriction("x", force=5.0))
    with pytest.raises(da.DalembertError, match="friction"):
        s.build().equilibrium()


def test_a_ball_falls_to_the_floor():
    found = free_body(radius=0.1).build().equilibrium({"J.z": 1.0})
    assert found.coordinates["J.z"] == pytest.approx(0.1, abs=1e-12)
    assert found.laws["floor"].normal[0] == pytest.approx(G, rel=1e-9)


# -- inverse dynamics ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("speed", "torque"), [(1.0, 0.80790528312064698), (-1.0, -0.17711048131074178)])
def test_torque_of_a_screw_jack(speed, torque):
    m = jack().build().with_parameters(mu=0.1)
    assert m.drives([0.3], [speed], [0.0])["S"] == pytest.approx(torque, rel=1e-12)


def test_a_screw_at_rest_is_held_by_a_range_of_torques():
    m = jack().build().with_parameters(mu=0.1)
    found = m.drives([0.3], [0.0], [0.0])
    assert found.low[0] == pytest.approx(-0.17711048131074178, rel=1e-9)
    assert found.high[0] == pytest.approx(0.80790528312064698, rel=1e-9)
    assert found.resting == ("thread",) and "range" in str(found)


@settings(max_examples=examples(30), deadline=None)
@given(st.floats(0.8, 2.8), st.floats(-9, 9).filter(lambda x: abs(x) > 0.1), st.floats(-20, 20))
def test_drives_are_the_inverse_of_forward_dynamics(angle, rate, torque):
    m = _SLIDER_CRANK
    q, u = m.assemble({"O": angle}, {"O": rate})
    if q[m.coordinates.index("O")] != angle or m.laws_at(q, 0 * u)["wall"].gap.min() < 1e-6:
        return
    tau = np.zeros(m.n_u)
    tau[m.speeds.index("O")] = torque
    found = m.drives(q, u, m.forward_dynamics(q, u, tau), actuated=["O"])
    assert found["O"] == pytest.approx(torque, abs=1e-8 * max(1.0, abs(torque)))


_SLIDER_CRANK = slider_crank().build()


def test_what_touches_is_refused_in_words():
    with pytest.raises(da.DriveError, match="touches"):
        pendulum(upper=0.3).build().drives([0.3], [0.0], [0.0])


# -- small motions --------------------------------------------------------------------------------------------------------------
def test_small_motions_are_those_of_the_mode():
    s = pendulum(upper=0.3)
    s.add_law("dry", da.JointFriction("A", force=1.0, viscous=0.2))
    m = s.build()
    stuck, sliding, free = m.linearise([0.0]), m.linearise([0.0], [0.5]), m.linearise([0.0], mode={"dry": "off"})
    assert stuck.mode["dry"] == ("stick",) and len(stuck.A) == 0 and "stick" in str(stuck)
    assert pytest.approx(np.array([[0.0, 1.0], [-1.5 * G, -0.6]]), abs=1e-10) == sliding.A
    assert pytest.approx(np.array([[0.0, 1.0], [-1.5 * G, 0.0]]), abs=1e-10) == free.A


def test_a_mode_that_is_none_is_refused():
    with pytest.raises(da.ModelError, match="shut"):
        pendulum().build().linearise([0.0], mode={"stop": "shut"})
    with pytest.raises(da.ModelError, match="slides"):
        thrown = free_body(mu=0.3).build()
        thrown.linearise(thrown.reference, [0, 0, 0, 1.0, 0, 0])


# -- sweeps -----------------------------------------------------------------------------------------------------------------------
def test_a_sweep_ends_at_the_stop():
    m = slider_crank().build()
    found = m.sweep("O", np.linspace(2.0, 0.0, 41))
    x = 0.3 * math.cos(found.stops[0].value) + math.sqrt(0.64 - 0.09 * math.sin(found.stops[0].value) ** 2)
    assert x == pytest.approx(1.0, abs=1e-8) and not found.complete and "wall" in str(found)
    assert found.values[-1] > found.stops[0].value
    with pytest.raises(da.StateError, match="wall"):
        m.sweep("O", [0.1, 0.2])
