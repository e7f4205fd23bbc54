"""Eigenvalues are given as a verdict only where small motions have constant coefficients."""

import warnings

import numpy as np
import pytest

import dalembert as da

RADIUS = 0.25
CRITICAL = np.sqrt(9.81 / (3.0 * RADIUS))
"""Spin of a thin disc, rad/s, above which it rolls upright: Ω² > A m g r / (C (C + m r²)) with A = C/2 = m r²/4."""


def rolling(on):
    s = da.System("disc", gravity=(0, 0, -9.81))
    matter = da.cylinder(1.0, RADIUS, 1e-6, axis=(0, 1, 0))
    if on == "free":
        s.add_body("disc", matter)
        s.add_joint("float", da.Free(), "ground", "disc")
    else:
        carrier = "ground"
        for name, joint in {
            "x": da.Prismatic((1, 0, 0)), "y": da.Prismatic((0, 1, 0)), "z": da.Prismatic((0, 0, 1)),
            "yaw": da.Revolute((0, 0, 1)), "lean": da.Revolute((1, 0, 0)), "axle": da.Revolute((0, 1, 0)),
        }.items():  # fmt: skip
            body = "disc" if name == "axle" else f"{name}_frame"
            s.add_body(body, matter if name == "axle" else da.particle(0.0))
            s.add_joint(name, joint, carrier, body)
            carrier = body
    s.add_constraint("contact", da.RollingDisc("disc", RADIUS, axis=(0, 1, 0)))
    return s.build()


def state(m, spin):
    q = m.reference.copy()
    q[m.coordinates.index("z" if "z" in m.coordinates else "float.z")] = RADIUS
    return m.assemble(q, {"axle" if "axle" in m.speeds else "float.wy": spin})


@pytest.mark.parametrize("spin", [0.9 * CRITICAL, 1.1 * CRITICAL])
def test_a_wheel_that_spins_with_its_axes_has_no_verdict(spin):
    m = rolling("free")
    lin = m.linearise(*state(m, spin))
    assert np.abs(lin.udot).max() < 1e-9 and not lin.steady  # it rolls steadily, and yet
    with pytest.warns(da.UnsteadyWarning, match=r"Revolute joint about its axle"):
        _ = lin.eigenvalues
    assert not lin.stable and "undecided" in lin.verdict and "undecided" in str(lin)


@pytest.mark.parametrize("spin, stable", [(0.9 * CRITICAL, False), (1.1 * CRITICAL, True)])
def test_with_an_axle_of_its_own_it_is_stable_above_the_critical_spin(spin, stable):
    m = rolling("axle")
    with warnings.catch_warnings():
        warnings.simplefilter("error", da.UnsteadyWarning)
        lin = m.linearise(*state(m, spin), outputs={})
        assert lin.steady and lin.stable == stable


def test_a_state_that_is_not_steady_is_told_from_rest():
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    s.add_body("bob", da.particle(1.0, at=(0, -1, 0)))
    s.add_joint("A", da.Revolute(), "ground", "bob")
    m = s.build()
    assert m.linearise([0.0], [0.0]).steady and m.linearise([np.pi], [0.0]).steady
    assert not m.linearise([0.5], [2.0]).steady
