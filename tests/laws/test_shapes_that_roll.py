"""Every round shape rolls down a slope at g sin α / (1 + I/(m r²)), and a coin as a disc that cannot slip, event by event and by time
stepping."""

from __future__ import annotations

import math

import numpy as np
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


def coin(by_law: bool) -> da.Mechanism:
    """A thin disc of 1 kg that rolls on a rough plane: by friction, or as it cannot slip."""
    s = da.System("coin", gravity=(0, 0, -9.81))
    s.add_body("b", da.cylinder(mass=1.0, radius=R, length=0.002))
    s.add_joint("J", da.Free(), "ground", "b")
    if by_law:
        s.add_law("floor", da.PairContact(su.disc("b", R), FLAT, mu=0.8))
    else:
        s.add_constraint("floor", da.RollingDisc("b", R, axis=(0, 0, 1)))
    return s.build()


def rolls(m: da.Mechanism, tilt: float, precession: float, spin: float) -> dict[str, dict[str, float]]:
    """Where it leans by an angle to one side, turning about the vertical and about its own axis without slip."""
    pose = {"J.e0": math.cos(tilt / 2), "J.e2": math.sin(tilt / 2), "J.z": R * math.sin(tilt)}
    own = np.array([math.sin(tilt), 0.0, math.cos(tilt)])
    w, lowest = spin * own + np.array([0.0, 0.0, precession]), R * np.array([math.cos(tilt), 0.0, -math.sin(tilt)])
    turned = np.asarray(m.state([pose.get(c, 0.0) for c in m.coordinates]).rotation("b"), dtype=float)
    wanted = [*(turned.T @ w), *-np.cross(w, lowest)]
    return {"initial": pose, "speeds": dict(zip(("J.wx", "J.wy", "J.wz", "J.vx", "J.vy", "J.vz"), map(float, wanted)))}


@pytest.mark.parametrize(("tilt", "precession", "spin"), [(1.3, 0.0, 16.0), (0.1, 44.0, -44.0)])
def test_a_coin_rolls_as_one_that_cannot_slip(tilt, precession, spin):
    """Upright, and nearly flat as Euler's disk; its energy is kept, and time stepping is of the second order."""
    smooth, rough = coin(False), coin(True)
    start = rolls(rough, tilt, precession, spin)
    free, exact = (m.simulate(0.5, **start, output=0.05) for m in (smooth, rough))
    assert set(exact.contacts["floor"].state[1:, 0]) == {"stick"}
    assert exact.q == pytest.approx(free.q, abs=1e-8)
    steps = [rough.simulate(0.5, **start, method="moreau", step=h, output=0.05) for h in (1e-3, 2.5e-4)]
    off = [float(np.abs(x.q - exact.q).max()) for x in steps]
    assert off[1] < 0.1 * off[0] and off[1] < 1e-3
    assert abs(steps[1].energy().lost[-1]) < 1e-5


def test_a_coin_falls_flat():
    """From a lean at rest it slips, falls over, and lies: a disc that is nearly flat has no less digits."""
    motion = coin(True).simulate(0.4, **rolls(coin(True), 0.8, 0.0, 0.0), output=0.4)
    assert set(motion.contacts["floor"].state[-1]) == {"stick"} and abs(motion["J.z"][-1]) < 1e-9
    assert np.ptp(motion.energy().balance) < 1e-9
