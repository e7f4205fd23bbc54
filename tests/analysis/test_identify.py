"""Parameters found again from simulated measurements with noise."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.files import gallery


def pendulum_on_a_spring():
    """A slider on a spring with a pendulum."""
    s = da.System("crane", gravity=(0, -9.81, 0))
    mass, length, stiffness = s.parameter("m", 1.0), s.parameter("l", 0.5), s.parameter("k", 20.0)
    s.add_body("slider", da.particle(2.0))
    s.add_body("bob", da.particle(mass))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "slider")
    s.add_joint("A", da.Revolute(), "slider", "bob", at_child=(0, length, 0))
    s.add_force("spring", da.JointSpring("x", stiffness=stiffness))
    return s.build()


TRUE = {"m": 1.3, "l": 0.62, "k": 27.0}
START = ({"x": 0.1, "A": 0.8}, {"x": 0.2})


@pytest.fixture(scope="module")
def measured():
    m, t = pendulum_on_a_spring(), np.linspace(0.0, 1.5, 31)
    motion = m.simulate(1.5, *START, parameters=TRUE, output=t)
    rng = np.random.default_rng(0)
    return m, t, {name: motion[name] + 1e-3 * rng.normal(size=len(t)) for name in ("x", "A")}


def test_mass_length_and_stiffness_are_found_from_a_noisy_motion(measured):
    m, t, data = measured
    found = m.identify(t, data, ["m", "l", "k"], *START, sigma=1e-3)
    assert found.converged and found.spread == pytest.approx(1.0, abs=0.2)  # nothing is left but the noise
    for name, true in TRUE.items():
        error = abs(found[name] - true)
        deviation = found.deviations[found.names.index(name)]
        assert error < 4.0 * deviation and deviation < 0.01 * true
    assert f"m = {found['m']:.6g} ± " in str(found)


def test_an_initial_speed_can_be_looked_for_too_and_outputs_measured(measured):
    m, t, _ = measured
    place = {"height": lambda s: s.position("bob")[1]}
    motion = m.simulate(1.5, *START, parameters=TRUE, output=t)
    heights = motion.evaluate(place["height"])
    found = m.with_parameters(m=1.3, l=0.62).identify(
        t, {"height": heights, "x": motion["x"]}, ["k"], {"x": 0.1, "A": 0.8}, {"x": 0.0}, initial_values=["x'"],
        outputs=place, bounds={"k": (1.0, 100.0)},
    )  # fmt: skip
    assert found["k"] == pytest.approx(27.0, rel=1e-7) and found["x'"] == pytest.approx(0.2, rel=1e-7)


@pytest.mark.slow
def test_lengths_in_a_loop_are_found():
    m = da.load(gallery.files()["four_bar"])
    t = np.linspace(0.0, 0.5, 8)
    motion = m.simulate(0.5, {"A": 1.0}, {"A": 6.0}, output=t, parameters={"rocker": 0.93, "coupler": 1.04})
    found = m.identify(
        t, {"A": motion["A"], "D": motion["D"]}, ["rocker", "coupler"], {"A": 1.0}, {"A": 6.0}, outputs={}, rtol=1e-9
    )
    assert found["rocker"] == pytest.approx(0.93, rel=1e-6) and found["coupler"] == pytest.approx(1.04, rel=1e-6)


def test_what_cannot_be_distinguished_is_named():
    s = da.System("oscillator", gravity=(0, 0, 0))
    mass, k = s.parameter("m", 2.0), s.parameter("k", 5.0)
    s.add_body("b", da.particle(mass))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "b")
    s.add_force("spring", da.JointSpring("x", stiffness=k))
    m, t = s.build(), np.linspace(0.0, 2.0, 11)
    found = m.identify(t, {"x": 0.3 * np.cos(2.0 * t)}, ["m", "k"], {"x": 0.3})
    assert found["k"] / found["m"] == pytest.approx(4.0, rel=1e-6)
    assert set(found.unseen[0]) == {"m", "k"} and np.isinf(found.deviations).all()
    assert "cannot be distinguished" in str(found)
    with pytest.raises(da.StateError, match='measured "x"'):
        m.identify(t, {"x": [1.0]}, ["m"])
