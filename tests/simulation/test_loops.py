"""Claims about marching closed loops: closed to rounding at every output, energy kept, and the closed forms come out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import dalembert as da
from benchmarks.loop_models import bricard, crank_rocker, four_bar, rhombic_linkage
from dalembert.kinematics.rows import constraint_rows


def largest_gap(motion: da.Motion, every: int = 50) -> float:
    m = motion.mechanism
    return max(
        np.nanmax(np.abs(constraint_rows(m.state(q, u, t)).g))
        for q, u, t in zip(motion.q[::every], motion.u[::every], motion.t[::every])
    )


def energy_error(motion: da.Motion) -> float:
    energy = motion.energy()
    return float(np.ptp(energy.total) / energy.kinetic.max())


BARS = (0.4, 1.0, 0.9, 1.0)


@pytest.mark.parametrize("make", [crank_rocker, bricard])
def test_loops_stay_closed_and_energy_is_kept(make):
    """Ten seconds, output on a 1 ms grid between the steps: redundant rows or not, with the same settings."""
    m, initial, speeds, duration = make()
    motion = m.simulate(duration, initial, speeds, output=1e-3, rtol=1e-12)
    assert len(motion) == 10001
    assert largest_gap(motion) < 1e-12
    assert energy_error(motion) < 1e-10


def test_the_rhombic_linkage_swings_as_the_pendulum_it_is():
    """[A 35–47]: θ̈ + (6 g / 5 ℓ) sin θ = 0 from rest at θ₀; θ = 2 asin(k sn(K + ω t, k)), k = sin(θ₀/2)."""
    theta = 0.8
    m, initial, speeds, duration = rhombic_linkage(theta=theta)
    motion = m.simulate(duration, initial, speeds, output=0.1, rtol=1e-12)
    k, rate = np.sin(theta / 2), np.sqrt(6 * 9.81 / 5)
    sn = ellipj(ellipk(k * k) + rate * motion.t, k * k)[0]
    assert np.abs(motion.q[:, 0] + np.pi / 2 - 2 * np.arcsin(k * sn)).max() < 1e-9


def test_given_values_are_kept_and_the_others_solved():
    motion = four_bar(1.0, 2.5, 1.7, 2.0).simulate(0.1, initial={"A": 0.7}, speeds={"A": 2.0})
    assert motion.q[0, 0] == 0.7 and motion.u[0, 0] == 2.0
    assert np.abs(motion.u[0, 1:]).min() > 0.1


def test_a_rolling_ball_keeps_its_spin():
    """[C 215–258]: on a level plane ω is constant in inertial axes and the centre goes on in a straight line."""
    s = da.System("ball", gravity=(0, 0, -9.81))
    s.add_body("ball", da.sphere(1.0, 0.1))
    s.add_joint("float", da.Free(), "ground", "ball")
    s.add_constraint("floor", da.RollingBall("ball", 0.1))
    m = s.build()
    start = np.array([1.0, 0, 0, 0, 0, 0, 0.1])
    motion = m.simulate(3.0, initial=start, speeds=[0.5, 3.0, 1.0, 0.3, -0.05, 0.0], rtol=1e-12)
    w = np.array([m.state(q, u).angular_velocity("ball") for q, u in zip(motion.q[::20], motion.u[::20])])
    assert np.ptp(w, axis=0).max() < 1e-9
    assert np.abs(motion.q[:, 6] - 0.1).max() < 1e-12
    assert np.allclose(motion.u[-1, 3:5], [0.1 * w[0, 1], -0.1 * w[0, 0]], atol=1e-9)


def test_a_driven_crank_follows_its_law():
    """No freedom is left, but time moves it: three full turns, the loop closed all the way."""
    motion = four_bar(*BARS, lambda t: 0.3 + 2.0 * np.pi * t).simulate(3.0, rtol=1e-10)
    assert np.abs(motion.q[:, 0] - 0.3 - 2.0 * np.pi * motion.t).max() < 1e-12
    assert largest_gap(motion, every=10) < 1e-12


def test_a_locked_crank_is_said_to_be_locked():
    with pytest.raises(da.LoopError, match="nothing to simulate"):
        four_bar(*BARS, 0.3).simulate(1.0)


def test_methods_that_cannot_keep_to_constraints_say_so():
    m = four_bar(*BARS)
    with pytest.raises(da.SimulationError, match="dop853"):
        m.simulate(1.0, method="radau")
    with pytest.raises(da.SimulationError, match="one by one"):
        m.simulate_many([{"A": 0.1}, {"A": 0.2}], duration=1.0)


def test_an_impossible_linkage_is_not_marched():
    with pytest.raises(da.LoopError, match="cannot be closed"):
        four_bar(1.0, 2.5, 1.7, 6.0).simulate(1.0)
