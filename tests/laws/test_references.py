"""Motions with laws that are known to many digits, at default settings: from closed forms, or two independent integrations."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

from .models import G, belt, pendulum, slider

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
