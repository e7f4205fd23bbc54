"""Inputs from data: time series as forces and as prescribed motion."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from tests.simulation.models import oscillator

TIMES = np.linspace(0.0, 2.0, 401)


def slider(force) -> da.Mechanism:
    s = da.System("slider")
    s.add_body("mass", da.particle(1.0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "mass")
    s.add_force("push", da.Motor("x", force))
    return s.build()


@pytest.mark.parametrize(
    "options", [{}, {"method": "radau", "rtol": 1e-8}, {"step": 1e-3}, {"method": "midpoint", "step": 1e-3}]
)
def test_a_sampled_force_drives_as_its_function_would(options):
    table = da.Table(TIMES, np.sin(3 * TIMES))
    sampled, exact = (slider(f).simulate(2.0, **options) for f in (lambda s: table(s.t), lambda s: da.sin(3 * s.t)))
    np.testing.assert_allclose(sampled.q, exact.q, atol=1e-7)


def test_a_linear_table_is_integrated_exactly_over_its_corners():
    table = da.Table([0.0, 0.5, 1.0], [0.0, 1.0, -1.0], "linear")
    motion = slider(lambda s: table(s.t)).simulate(1.0)
    assert motion["x'"][-1] == pytest.approx(0.25 + 0.0, abs=1e-9)  # the area under it


def test_sampled_prescribed_motion_is_followed():
    """The base of a pendulum moves as the data say; the same as with the function the data were taken from."""

    def model(law):
        s = da.System("shaken", gravity=(0, -9.81, 0))
        s.add_body("base", da.particle(1.0))
        s.add_body("bob", da.particle(1.0, (0, -1, 0)))
        s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "base", prescribed=law)
        s.add_joint("A", da.Revolute((0, 0, 1)), "base", "bob")
        return s.build()

    table = da.Table(TIMES, 0.2 * np.sin(5 * TIMES))
    sampled, exact = (model(law).simulate(2.0) for law in (table, lambda t: 0.2 * da.sin(5 * t)))
    np.testing.assert_allclose(sampled.q, exact.q, atol=2e-5)
    np.testing.assert_allclose(sampled.position("base")[:, 0], 0.2 * np.sin(5 * sampled.t), atol=1e-8)
    assert abs(sampled["A"]).max() > 0.1


def test_running_beyond_the_data_stops_with_an_error_unless_held():
    with pytest.raises(da.SimulationError, match="not finite after t = 2"):
        slider(lambda s: da.Table(TIMES, TIMES)(s.t)).simulate(3.0)
    held = da.Table(TIMES, TIMES, "linear", outside="hold")
    motion = slider(lambda s: held(s.t)).simulate(3.0)
    assert motion["x'"][-1] == pytest.approx(2.0 + 2.0, rel=1e-7)


def test_kernels_of_different_data_are_not_mixed_up():
    ends = [oscillator().simulate(1.0, {"x": 1.0})["x"][-1]]
    for scale in (1.0, 2.0):
        table = da.Table(TIMES, scale * np.ones_like(TIMES))
        ends.append(slider(lambda s, table=table: table(s.t)).simulate(1.0)["x"][-1])
    np.testing.assert_allclose(ends[1:], [0.5, 1.0], atol=1e-9)
