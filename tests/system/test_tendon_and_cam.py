"""Forces along, and relations between, combinations of joint coordinates."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.kinematics.constraint_rows import constraint_rows


def two_sliders() -> da.System:
    s = da.System("sliders")
    for name in ("a", "b"):
        s.add_body(name, mass=2.0, inertia=(1, 1, 1))
        s.add_joint(name, da.Cylindrical(axis=(1, 0, 0)), "ground", name)
    return s


def test_a_tendon_pulls_each_coordinate_by_its_factor():
    """m ẍ = factor · (pull − k (L − rest) − d L̇) with L = 0.5 x_a − 2 x_b."""
    s = two_sliders()
    pull = s.parameter("pull", 0.7)
    s.add_force("cord", da.Tendon({"a.slide": 0.5, "b.slide": -2.0}, stiffness=3.0, damping=0.4, rest=0.1, pull=pull))
    m = s.build()
    q, u = np.array([0.3, 0.4, -0.2, 0.6]), np.array([0.1, -0.5, 0.2, 0.8])
    length, rate = 0.5 * q[1] - 2.0 * q[3], 0.5 * u[1] - 2.0 * u[3]
    force = 0.7 - 3.0 * (length - 0.1) - 0.4 * rate
    assert m.forward_dynamics(q, u) == pytest.approx(np.array([0.0, 0.5 * force, 0.0, -2.0 * force]) / 2.0)
    assert m.energies(q, u)[1] == pytest.approx(1.5 * (length - 0.1) ** 2)


def test_a_cam_follows_its_polynomial():
    s = two_sliders()
    s.add_constraint("cam", da.Polynomial({"b.slide": 2.0}, {"a.angle": 1.0, "a.slide": -1.0}, (0.1, 0.2, 0.3)))
    m = s.build()
    q = np.array([0.5, 0.2, 0.0, 0.7])
    x = 0.5 - 0.2
    rows = constraint_rows(m.state(q))
    slope = 0.2 + 0.6 * x
    assert rows.g == pytest.approx([1.4 - (0.1 + 0.2 * x + 0.3 * x * x)])
    assert np.allclose(rows.B, [[-slope, slope, 0.0, 2.0]], rtol=0, atol=1e-12)


def test_what_has_no_single_coordinate_is_refused():
    s = da.System("ball")
    s.add_body("a", mass=1.0, inertia=(1, 1, 1))
    s.add_joint("a", da.Spherical(), "ground", "a")
    s.add_force("cord", da.Tendon({"a.wx": 1.0}))
    with pytest.raises(da.ModelError, match="no angles or lengths"):
        s.build()
    with pytest.raises(da.ModelError, match="coefficients must hold at least one"):
        da.Polynomial({"a": 1.0}, {"b": 1.0}, ())
