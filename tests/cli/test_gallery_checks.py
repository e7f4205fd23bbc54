"""Models of the gallery without a closed form: energy is kept, or Newton's and Euler's equations hold for every body."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.files.gallery import files
from dalembert.formulations import FORMULATIONS

CONSERVATIVE = ("double_pendulum", "triple_pendulum", "dzhanibekov", "rolling_disc", "four_bar")
DRIVEN = (
    "slider_crank", "jansen_linkage", "robot_arm", "imported_robot", "stewart_platform", "human_body", "ship_crane",
    "anchored_cable", "flexible_four_bar", "flexible_slider_crank", "flexible_satellite", "solar_panels", "eight_body_tree",
)  # fmt: skip


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_nothing_is_gained_or_lost(name: str) -> None:
    motion = da.load(files()[name]).simulate(0.5)
    energy = motion.energy()
    assert np.ptp(energy.total) < 1e-9 * energy.kinetic.max()


@pytest.mark.parametrize("name", DRIVEN)
def test_newton_and_euler_agree_along_the_motion(name: str) -> None:
    """Compiled accelerations of the motion, beside Newton's and Euler's equations of every body by itself, in the interpreter."""
    motion = da.load(files()[name]).simulate(0.02)
    by_bodies = FORMULATIONS["newton_euler"]
    for k in (0, -1):
        state = motion.mechanism.numeric.state(motion.q[k], motion.u[k], float(motion.t[k]))
        expected = by_bodies.udot(state, METHODS["svd"](by_bodies.equations(state)).udot)
        assert np.allclose(motion.udot()[k], expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())


def test_the_press_keeps_its_speed_and_heats_its_motor() -> None:
    """Mean speed of the crank over the last second; heat is the integral of R i² and of the losses by friction at the motor's shaft."""
    motion = da.load(files()["press"]).simulate(3.0, output=1e-3)
    current, *_, heat = motion.z.T
    last = motion.t > 2.0
    assert motion["A'"][last].mean() == pytest.approx(6.0, rel=0.05)
    lost = np.trapezoid(0.5 * current**2 + 0.0005 * (8 * motion["A'"]) ** 2, motion.t)
    assert heat[-1] == pytest.approx(lost, rel=1e-4)
