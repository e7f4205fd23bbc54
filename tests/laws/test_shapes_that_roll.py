"""Every round shape rolls down a slope at g sin α / (1 + I/(m r²)), event by event and by time stepping."""

from __future__ import annotations

import math

import pytest

import dalembert as da

su = da.surfaces
R, SLOPE, INERTIA = 0.1, 0.2, 0.006
"""Radius, slope in rad, and the moment of inertia about the axis of 1 kg."""
FLAT = su.plane()
SHAPES = {
    "sphere": (su.sphere("b", R), FLAT),
    "capsule": (su.capsule(("b", (0, -0.1, 0)), (0, 0.1, 0), R), FLAT),
    "corners": (su.corners("b", [(0, -0.1, 0), (0, 0.1, 0)], R), FLAT),
    "disc": (su.disc("b", R, (0, 1, 0)), FLAT),
    "cylinder": (su.cylinder("b", R, 0.2, (0, 1, 0)), FLAT),
    "on a height field": (su.sphere("b", R), su.height_field(height=lambda x, y: 0.0 * x * y)),
    "on a box": (su.sphere("b", R), su.box("ground", (4.0, 1.0, 0.2), da.Frame((0, 0, -0.1)))),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_round_shape_rolls_down_a_slope(name):
    s = da.System(name, gravity=(9.81 * math.sin(SLOPE), 0, -9.81 * math.cos(SLOPE)))
    s.add_body("b", mass=1.0, inertia=(0.007, INERTIA, 0.007))
    s.add_joint("J", da.Free(), "ground", "b")
    s.add_law("floor", da.PairContact(*SHAPES[name], mu=0.5))
    m, fall = s.build(), 9.81 * math.sin(SLOPE) / (1 + INERTIA / R**2)
    exact = m.simulate(0.5, {"J.z": R}, output=0.1)
    assert exact["J.x"] == pytest.approx(0.5 * fall * exact.t**2, abs=1e-9)
    assert exact["J.wy'"][-1] == pytest.approx(0.5 * fall / R, rel=1e-8)
    stepped = m.simulate(0.5, {"J.z": R}, method="moreau", step=1e-3, output=0.1)
    assert stepped["J.x"] == pytest.approx(exact["J.x"], abs=1e-4)
