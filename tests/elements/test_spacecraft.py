"""Orbits, gravity gradient, gyroscopes and coils in closed form, with momentum and energy."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from tests.elements.energy import metered, off_balance

MU = 3.986004418e14


def satellite(inertia: tuple[float, float, float] = (10.0, 12.0, 8.0)) -> da.System:
    s = da.System("satellite")
    s.add_body("bus", mass=50.0, inertia=inertia)
    s.add_joint("F", da.Free(), "ground", "bus")
    return s


def test_orbit_closes_after_keplers_period() -> None:
    s = satellite()
    s.add_element("earth", da.CentralGravity(MU, gradient=False))
    a, e = 9e6, 0.2
    near, period = a * (1.0 - e), 2.0 * np.pi * np.sqrt(a**3 / MU)
    fast = np.sqrt(MU / a * (1.0 + e) / (1.0 - e))
    m = metered(s, "earth").build()
    motion = m.simulate(
        period,
        {"F": [1, 0, 0, 0, near, 0, 0]},
        {"F": [0, 0, 0, 0, fast, 0]},
        rtol=1e-12,
        output=[0, period / 2, period],
    )
    place = motion.evaluate(lambda s: s.position("bus"))
    assert np.abs(place[-1] - [near, 0, 0]).max() < 1e-9 * a * 10
    assert abs(place[1, 0] + a * (1.0 + e)) < 1e-9 * a * 10
    assert off_balance(motion) < 1e-10


def test_gravity_gradient_swings_with_its_period() -> None:
    """Pitch about the orbit's normal, on a circle: n √(3 (I_across − I_along)/I_normal). A small swing, in world axes."""
    A, B, C = 4.0, 12.0, 13.0  # along the vertical, along the way, about the normal
    s = satellite((A, B, C))
    s.add_element("earth", da.CentralGravity(MU))
    r = 7e6
    n = np.sqrt(MU / r**3)
    swing = n * np.sqrt(3.0 * (B - A) / C)
    start = 1e-3
    q = [np.cos(start / 2), 0, 0, np.sin(start / 2), r, 0, 0]
    t = np.linspace(0.0, 2.0 * np.pi / swing, 9)
    m = metered(s, "earth").build()
    motion = m.simulate(t[-1], {"F": q}, {"F": [0, 0, n, 0, n * r, 0]}, rtol=1e-12, output=t)
    R, place = motion.pose("bus").rotation, motion.pose("bus").position
    up = place / np.linalg.norm(place, axis=1)[:, None]
    pitch = np.arctan2(np.cross(up, R[:, :, 0])[:, 2], np.einsum("ki,ki->k", up, R[:, :, 0]))
    assert np.abs(pitch - start * np.cos(swing * t)).max() < 1e-5 * start + 2e-9
    assert off_balance(motion) < 1e-10


def test_force_and_torque_of_a_field_are_the_slopes_of_its_energy() -> None:
    """A tumbling body close to a small planet, where the gradient is strong."""
    s = satellite((1.0, 2.0, 2.5))
    s.add_element("planet", da.CentralGravity(200.0, centre=(0.1, 0, 0)))
    m = metered(s, "planet").build()
    motion = m.simulate(
        3.0, {"F": [0.8, 0.36, 0.48, 0.0, 5.0, 0, 1.0]}, {"F": [1.0, 0.5, 2.0, 0, 6.0, 0]}, rtol=1e-12, max_step=0.01
    )
    assert np.ptp(motion.energy().kinetic) > 1.0 and off_balance(motion) < 1e-9


def test_imu_in_orbit_reads_the_gradient_alone() -> None:
    s = satellite()
    s.add_element("earth", da.CentralGravity(MU))
    s.add_element("imu", da.IMU(("bus", (10.0, 0, 0)), period=1.0))
    r = 7e6
    motion = s.build().simulate(2.0, {"F": [1, 0, 0, 0, r, 0, 0]}, {"F": [0, 0, 0, 0, np.sqrt(MU / r), 0]})
    tide = -2.0 * MU / r**3 * 10.0  # 10 m farther out gravity is weaker: the body holds the point back
    assert abs(motion["imu.force_x_0"][0] - (-MU / r**2 + MU / (r + 10.0) ** 2)) < 1e-6 * abs(tide) + 1e-9


def test_control_moment_gyro_conserves_momentum() -> None:
    s = satellite()
    s.add_element(
        "gyro", da.ControlMomentGyro("bus", (0, 0, 1), (1, 0, 0), 5.0, limit=0.5, initial=0.3),
        rate=lambda s: 0.8 * da.cos(s.t),
    )  # fmt: skip
    m = metered(s, "gyro").build()
    motion = m.simulate(5.0, speeds={"F": [0.1, 0.2, -0.05, 0, 0, 0]}, rtol=1e-12, max_step=0.02)
    angle = motion["gyro.angle"]
    spin = np.einsum("kij,kj->ki", motion.pose("bus").rotation, np.c_[np.cos(angle), np.sin(angle), 0 * angle])
    total = motion.momentum("mass centre").angular + 5.0 * spin
    assert np.abs(total - total[0]).max() < 1e-10
    assert off_balance(motion) < 1e-9


def test_magnetic_torquer_swings_as_a_compass() -> None:
    """About its axis: I φ̈ = −m B sin φ, with m² B cos φ for potential."""
    s = da.System("compass")
    s.add_body("needle", mass=1.0, inertia=(1, 1, 0.02))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "needle")
    s.add_element("coil", da.MagneticTorquer("needle", (1, 0, 0), field=(3e-5, 0, 0)), dipole=20.0)
    m = metered(s, "coil").build()
    motion = m.simulate(60.0, {"A": 1.0}, rtol=1e-12)
    wanted = 0.5 * 0.02 * motion["A'"] ** 2 - 20.0 * 3e-5 * np.cos(motion["A"])
    assert np.ptp(motion["A"]) > 1.9 and np.ptp(wanted) < 1e-12
    assert off_balance(motion) < 1e-9


def test_field_of_a_dipole() -> None:
    """On the equator the field is −p/r³, over the pole 2p/r³."""
    s = satellite()
    s.add_element("coil", da.MagneticTorquer("bus", (1, 0, 0), pole=(0, 0, -7.8e15)), dipole=0.0)
    m, r = s.build(), 7e6
    for place, wanted in (((r, 0, 0), 7.8e15 / r**3), ((0, 0, r), -2.0 * 7.8e15 / r**3)):
        assert abs(m.state([1, 0, 0, 0, *place]).signal("coil.field_z") - wanted) < 1e-12 * abs(wanted) * 10


def test_spacecraft_refuses_what_it_cannot_use() -> None:
    with pytest.raises(da.ModelError, match=r"ControlMomentGyro: rotor=.* must be across gimbal"):
        da.ControlMomentGyro("bus", (0, 0, 1), (0, 0.6, 0.8), 5.0)
    s = satellite()
    s.add_element("earth", da.CentralGravity(MU, attracted=("moon",)))
    with pytest.raises(da.ModelError, match="moon"):
        s.build()
