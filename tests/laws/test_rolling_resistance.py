"""Rolling and drilling resistance: closed forms, sticking, impacts, both ways of marching."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

from .models import G
from .test_properties import check

RADIUS, ARM, SPIN_ARM = 0.1, 0.002, 0.003


def ball(restitution: float = 0.0, **arms: float) -> da.Mechanism:
    """A ball of 1 kg on a rough floor."""
    s = da.System("ball", gravity=(0, 0, -G))
    s.add_body("b", da.sphere(mass=1.0, radius=RADIUS))
    s.add_joint("J", da.Free(), "ground", "b")
    s.add_law("floor", da.Contact("b", radius=RADIUS, mu=0.5, restitution=restitution, **arms))
    return s.build()


ROLLS = {"J.vx": 1.0, "J.wy": 1.0 / RADIUS}
ON_FLOOR = {"J.z": RADIUS}


def test_a_ball_rolls_to_rest_and_stays():
    """It slows by (5/7) g ρ/r."""
    motion = ball(rolling_arm=ARM).simulate(20.0, initial=ON_FLOOR, speeds=ROLLS)
    slows = 5.0 / 7.0 * G * ARM / RADIUS
    rests = next(x.t for x in motion.modes if x.states["floor rolling"] == "stick")
    assert rests == pytest.approx(1.0 / slows, abs=1e-10)
    assert motion["J.x"][-1] == pytest.approx(0.5 / slows, abs=1e-10)
    assert not motion.u[motion.t > rests].any()
    assert np.ptp(motion.q[motion.t > rests], axis=0).max() < 1e-15  # rounding of projections
    assert motion.energy().lost[-1] == pytest.approx(0.7, abs=1e-10)
    assert np.linalg.norm(motion.contacts["floor"].moment[1]) == pytest.approx(ARM * G, abs=1e-9)


def test_a_ball_that_spins_on_the_spot_stops():
    """After I ω / (ρ m g)."""
    motion = ball(drilling_arm=SPIN_ARM).simulate(4.0, initial=ON_FLOOR, speeds={"J.wz": 20.0})
    rests = next(x.t for x in motion.modes if x.states["floor drilling"] == "stick")
    assert rests == pytest.approx(20.0 * 0.4 * RADIUS**2 / (SPIN_ARM * G), abs=1e-10)
    assert not motion.u[-1].any()


@pytest.mark.parametrize(("tilt", "moves"), [(0.9, False), (1.1, True)])
def test_a_ball_rolls_down_where_the_slope_is_steeper_than_arm_by_radius(tilt, moves):
    angle = math.atan(tilt * ARM / RADIUS)
    s = da.System("slope", gravity=(G * math.sin(angle), 0, -G * math.cos(angle)))
    s.add_body("b", da.sphere(mass=1.0, radius=RADIUS))
    s.add_joint("J", da.Free(), "ground", "b")
    s.add_law("floor", da.Contact("b", radius=RADIUS, mu=0.5, rolling_arm=ARM))
    motion = s.build().simulate(1.0, initial=ON_FLOOR)
    a = 5.0 / 7.0 * (G * math.sin(angle) - G * math.cos(angle) * ARM / RADIUS)
    assert motion["J.vx'"][-1] == (pytest.approx(a, abs=1e-10) if moves else 0.0)


THROWN = {"J.vx": 1.0, "J.wy": -10.0, "J.wz": 20.0, "J.vy": 0.3}


def test_sliding_rolling_and_drilling_together():
    """Slip ends while the ball still rolls and spins; energy is balanced, and all of it comes to rest."""
    m = ball(rolling_arm=ARM, drilling_arm=SPIN_ARM)
    motion = m.simulate(8.0, initial=ON_FLOOR, speeds=THROWN | {"J.wy": 10.0})
    check(m, motion)
    assert [x.states["floor"] for x in motion.modes][:2] == ["slip", "stick"]
    assert not motion.u[-1].any()


def test_resistance_takes_part_in_impacts_and_both_ways_agree():
    m = ball(0.4, rolling_arm=ARM, drilling_arm=SPIN_ARM)
    exact = m.simulate(1.5, initial={"J.z": 0.5}, speeds=THROWN)
    check(m, exact)
    off = []
    for step in (1e-2, 2.5e-4):
        stepped = m.simulate(1.5, initial={"J.z": 0.5}, speeds=THROWN, method="moreau", step=step)
        off.append(float(np.abs(stepped.q[-1] - exact.q[-1]).max()))
    assert off[1] < 0.25 * off[0] < 0.1
    stuck = m.simulate(12.0, initial={"J.z": 0.5}, speeds=THROWN, method="moreau", step=5e-3)
    assert np.abs(stuck.u[-1]).max() < 1e-15
    assert set(stuck.modes[-1].states.values()) == {"stick"}


def test_a_negative_arm_is_refused():
    with pytest.raises(da.ModelError, match="is negative"):
        da.Contact("b", rolling_arm=-1.0)


def test_states_and_words_know_turnings():
    m = ball(rolling_arm=ARM, drilling_arm=SPIN_ARM)
    q, u = m.reference.copy(), np.zeros(m.n_u)
    q[m.coordinates.index("J.z")] = RADIUS
    at = m.laws_at(q, u, tau=np.eye(m.n_u)[m.speeds.index("J.wz")] * 0.01)
    assert at["floor"].state == ("stick", "stick", "stick")
    assert at["floor"].moment == pytest.approx([0.0, 0.0, -0.01], abs=1e-12)
