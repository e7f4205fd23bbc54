"""Default tolerances give the accuracy one would want: closed solutions and conserved quantities."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import dalembert as da
from tests.formulations.test_satellite import satellite
from tests.simulation.models import TOP_SPEEDS, chain, free_body, heavy_top, pendulum


def elliptic(t: np.ndarray) -> np.ndarray:
    """Position of A01 at t: sin(φ/2) = k sn(K − ω t), φ from the lowest point, k = sin 45°."""
    k2 = 0.5
    sn = ellipj(ellipk(k2) - np.sqrt(9.81) * t, k2)[0]
    half = np.sqrt(k2) * sn
    return np.stack([-2 * half * np.sqrt(1 - half**2), -(1 - 2 * half**2)], axis=1)


def test_the_pendulum_swings_as_its_elliptic_function_says():
    motion = pendulum().simulate(10.0, initial={"A": np.pi})
    tip = motion.position(("bob", (1, 0, 0)))[:, :2]
    assert abs(tip[-1] - [-0.2750874625761169, -0.9614192050991251]).max() < 1e-9  # A01's reference value
    assert abs(tip - elliptic(motion.t)).max() < 1e-8  # everywhere, not only at the ends of steps


def test_the_heavy_top_keeps_its_energy_and_ends_the_same_in_both_orientations():
    ends = []
    for orientation in ("euler_parameters", "angles"):
        motion = heavy_top(orientation).simulate(2.0, speeds=TOP_SPEEDS)
        energy = motion.energy().total
        assert abs(energy / energy[0] - 1).max() < 1e-10
        ends.append(motion.pose("top"))
    assert abs(ends[0].rotation[-1] - ends[1].rotation[-1]).max() < 1e-7
    assert abs(ends[0].rotation[-1] @ (0, 1, 0) - ends[1].rotation[-1] @ (0, 1, 0)).max() < 1e-8


def test_euler_parameters_stay_unit_at_every_output():
    motion = heavy_top().simulate(2.0, speeds=TOP_SPEEDS)
    assert abs(np.linalg.norm(motion.q, axis=1) - 1).max() < 1e-15


def test_a_torque_free_body_keeps_its_angular_momentum_over_1000_revolutions():
    rate = 2 * np.pi
    motion = free_body().simulate(1000.0, speeds={"float": (0.3, rate, 0.2, 0.1, -0.2, 0.3)}, output=5.0, rtol=1e-12)
    momentum, energy = motion.momentum(), motion.energy().total
    about = motion.position(("stone", (0.1, -0.2, 0.3)))
    spin = momentum.angular - np.cross(about, momentum.linear)
    assert abs(spin - spin[0]).max() / np.linalg.norm(spin[0]) < 1e-10
    assert abs(momentum.linear - momentum.linear[0]).max() / np.linalg.norm(momentum.linear[0]) < 1e-10
    assert abs(energy / energy[0] - 1).max() < 1e-10


def test_the_three_body_satellite_spinning_freely_keeps_momentum_and_energy():
    motion = satellite().simulate(
        20.0, initial={"hinge1": 0.2, "hinge2": -0.1}, speeds={"float": (0.1, 0.4, 1.0, 0, 0, 0)}
    )
    momentum, energy = motion.momentum(), motion.energy().total
    scale = np.linalg.norm(momentum.angular[0])
    assert abs(momentum.angular - momentum.angular[0]).max() < 1e-8 * scale
    assert abs(momentum.linear - momentum.linear[0]).max() < 1e-8 * scale
    assert abs(energy / energy[0] - 1).max() < 1e-8
    assert abs(motion["hinge1"]).max() > 0.1  # it moves


@pytest.mark.parametrize("n", [6, 24])
def test_a_chain_keeps_its_energy(n):
    motion = chain(n).simulate(2.0, initial=np.full(n, 0.3))
    energy = motion.energy()
    assert abs(energy.total - energy.total[0]).max() < 1e-7 * energy.kinetic.max()


@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_a_fast_mechanism_starts_long_after_the_beginning_of_time(method: str):
    """Its first step would be lost in the rounding of time, where nothing moves yet and says how fast it will be."""
    ends = []
    for second, begins in ((1.0, 0.0), (1e-8, 0.0), (1e-8, 1e-3)):
        s = da.System("pendulum", gravity=(0, -9.81 / second**2, 0))
        s.add_body("bob", da.particle(1.0, at=(0, -1, 0)))
        s.add_joint("A", da.Revolute(), "ground", "bob")
        run = s.build().simulate(0.3 * second, {"A": 1.0}, method=method, start=begins)
        ends.append(run["A"][-1])
    assert np.allclose(ends, ends[0], rtol=1e-8)
