"""Motion given as a function of time: joints that are driven, and bodies that move as they are told."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import dalembert as da
from dalembert.formulations.tree import kane

angles = st.floats(-3.0, 3.0)


def acceleration(m, q, u, t):
    e = kane.equations(m.state(q, u, t))
    return np.linalg.solve(e.A, e.f)


@given(angles, angles, st.floats(0.0, 5.0))
def test_pendulum_on_an_oscillating_pivot(theta, w, t):
    """(I + m c²) φ̈ = m c (Ẍ sin φ − (g + Ÿ) cos φ), φ from the horizontal: the pivot's acceleration adds to gravity."""
    X, Y, rate, g, mass, length = 0.3, 0.2, 4.0, 9.81, 1.5, 0.8
    s = da.System("driven pendulum", gravity=(0, -g, 0))
    s.add_external("pivot", position=lambda t: (X * da.cos(rate * t), Y * da.sin(rate * t), 0.0))
    s.add_body("rod", da.rod(mass, length))
    s.add_joint("hinge", da.Revolute(), "pivot", "rod")
    m = s.build()
    assert m.coordinates == ("hinge",)
    c, x2, y2 = length / 2, -X * rate**2 * np.cos(rate * t), -Y * rate**2 * np.sin(rate * t)
    inertia = mass * length**2 / 12 + mass * c**2
    expected = mass * c * (x2 * np.sin(theta) - (g + y2) * np.cos(theta)) / inertia
    assert np.isclose(acceleration(m, [theta], [w], t)[0], expected, rtol=1e-12, atol=1e-11)


@given(angles, angles, st.floats(0.0, 5.0))
def test_pendulum_on_a_turning_platform(theta, w, t):
    """The platform's own turning ψ(t) enters through ψ̈ and through its hinge's centripetal acceleration −ψ̇² d.

    With φ = ψ + θ and d the hinge's distance along the platform:
    (I + mc²)(θ̈ + ψ̈) = −m c d (ψ̈ cos θ + ψ̇² sin θ).
    """
    mass, length, d, a, b = 1.5, 0.8, 0.6, 0.7, 2.0
    s = da.System("turntable")
    s.add_external("table", angles=lambda t: (0.0, 0.0, a * da.sin(b * t)))
    s.add_body("rod", da.rod(mass, length))
    s.add_joint("hinge", da.Revolute(), "table", "rod", at_parent=(d, 0, 0))
    psi1, psi2 = a * b * np.cos(b * t), -a * b * b * np.sin(b * t)
    c = length / 2
    inertia = mass * length**2 / 12 + mass * c**2
    expected = -psi2 - mass * c * d * (psi2 * np.cos(theta) + psi1**2 * np.sin(theta)) / inertia
    assert np.isclose(acceleration(s.build(), [theta], [w], t)[0], expected, rtol=1e-12, atol=1e-12)


def test_an_external_body_is_where_it_is_told_to_be():
    s = da.System()
    s.add_external("ship", position=lambda t: (t, t * t, 0.0), angles=lambda t: (0.0, 0.0, 0.5 * t))
    m = s.build()
    state = m.state(t=2.0)
    assert m.n_q == m.n_u == 0
    assert np.allclose(state.position("ship"), (2, 4, 0))
    assert np.allclose(state.velocity("ship"), (1, 4, 0))
    assert np.allclose(state.acceleration("ship", []), (0, 2, 0))
    assert np.allclose(state.angular_velocity("ship"), (0, 0, 0.5))
    assert np.allclose(state.rotation("ship"), da.turn(np.array([0.0, 0.0, 1.0]), 1.0))


def test_a_fixed_external_body_is_a_place():
    s = da.System()
    s.add_external("shelf", position=(1, 2, 3), angles=(0.1, 0.2, 0.3))
    state = s.build().state(t=7.0)
    assert np.allclose(state.position("shelf"), (1, 2, 3))
    assert not state.velocity("shelf").any()


def test_prescribed_speeds_follow_from_prescribed_coordinates():
    """An orientation given by Euler parameters of a steady turn about a tilted axis gives that angular velocity."""
    axis, rate = np.array([0.6, 0.0, 0.8]), 1.7

    def spin(t):
        return [da.cos(0.5 * rate * t), *(axis * da.sin(0.5 * rate * t))]

    s = da.System()
    s.add_body("rotor", da.sphere(1.0, 1.0))
    s.add_joint("bearing", da.Spherical(), "ground", "rotor", prescribed=spin)
    state = s.build().state(t=0.9)
    assert np.allclose(state.angular_velocity("rotor"), rate * axis, atol=1e-14)
    assert np.allclose(state.accelerations([])[1].w, 0.0, atol=1e-14)


def test_a_drive_named_by_its_parameters_follows_them():
    s = da.System()
    speed = s.parameter("speed", 2.0)
    s.add_body("wheel", da.cylinder(1.0, 1.0, 0.1))
    s.add_joint("axle", da.Revolute(), "ground", "wheel", prescribed=lambda t: speed * t)
    m = s.build()
    assert m.state(t=1.0).angular_velocity("wheel")[2] == 2.0
    assert m.with_parameters(speed=5.0).state(t=1.0).angular_velocity("wheel")[2] == 5.0
