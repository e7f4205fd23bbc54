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
        parent = "ground"
        for name, joint in {
            "x": da.Prismatic((1, 0, 0)), "y": da.Prismatic((0, 1, 0)), "z": da.Prismatic((0, 0, 1)),
            "yaw": da.Revolute((0, 0, 1)), "lean": da.Revolute((1, 0, 0)), "axle": da.Revolute((0, 1, 0)),
        }.items():  # fmt: skip
            body = "disc" if name == "axle" else f"{name}_frame"
            s.add_body(body, matter if name == "axle" else da.particle(0.0))
            s.add_joint(name, joint, parent, body)
            parent = body
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


def test_a_state_that_is_not_steady_is_distinguished_from_rest():
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    s.add_body("bob", da.particle(1.0, at=(0, -1, 0)))
    s.add_joint("A", da.Revolute(), "ground", "bob")
    m = s.build()
    assert m.linearise([0.0], [0.0]).steady and m.linearise([np.pi], [0.0]).steady
    assert not m.linearise([0.5], [2.0]).steady


def mathieu(wave, depth=0.5):
    """ẍ + (1 + depth · wave(2t)) x = 0: at twice the natural frequency the stiffness makes it grow."""
    s = da.System("Mathieu")
    depth = s.parameter("depth", depth)
    s.add_body("bob", da.particle(1.0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "bob")
    s.add_force("spring", da.Motor("x", lambda s: -(1.0 + depth * wave(2.0 * s.t)) * s.q["x"]))
    return s.build()


@pytest.mark.parametrize("wave", [da.sin, da.cos])
def test_a_stiffness_that_time_changes_has_no_verdict_even_at_rest(wave):
    """With the cosine, Ȧ is zero at t = 0."""
    m = mathieu(wave)
    lin = m.linearise([0.0], [0.0])
    assert not lin.steady and not lin.stable and "undecided" in lin.verdict
    motion = m.simulate(60.0, {"x": 1e-3})
    assert np.abs(motion["x"]).max() > 0.5


@pytest.mark.parametrize("t", [0.0, 0.003, np.pi / 200.0])
def test_kapitzas_pendulum_has_no_verdict(t):
    """Upright it is stable, because its pivot shakes; at one instant nothing tells so."""
    s = da.System("Kapitza", gravity=(0, -9.81, 0))
    s.add_body("slide", da.particle(1.0))
    s.add_body("bob", da.particle(1.0, at=(0, 1, 0)))
    s.add_joint("shaken", da.Prismatic((0, 1, 0)), "ground", "slide", prescribed=lambda t: 0.1 * da.sin(100.0 * t))
    s.add_joint("A", da.Revolute(), "slide", "bob")
    lin = s.build().linearise([0.0], [0.0], t)
    assert not lin.steady and "undecided" in lin.verdict


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_a_pendulum_of_any_size_is_steady_where_it_rests(size):
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    s.add_body("bob", da.particle(1.0, at=(0, -size, 0)))
    s.add_joint("A", da.Revolute(), "ground", "bob")
    m = s.build()
    assert m.linearise([0.0], [0.0]).steady and m.linearise([np.pi], [0.0]).steady


def test_a_locus_that_begins_steady_still_tells():
    with pytest.warns(da.UnsteadyWarning):
        mathieu(da.cos).root_locus("depth", [0.0, 0.25, 0.5])


def pushed(torque, closed):
    """A pendulum, or a double one whose end slides on a rail, with a torque against gravity."""
    s = da.System("pushed", gravity=(0, -9.81, 0))
    parent, place = "ground", (0.0, 0.0, 0.0)
    for i in range(2 if closed else 1):
        s.add_body(f"rod{i}", mass=1.0, com=(0.5, 0, 0), inertia=(0.0, 0.1, 0.1))
        s.add_joint(f"J{i}", da.Revolute(), parent, f"rod{i}", at_parent=place)
        parent, place = f"rod{i}", (1.0, 0.0, 0.0)
    if closed:
        s.add_constraint("rail", da.OnPlane(("rod1", (1.0, 0, 0)), ("ground", (0, -0.5, 0)), (0, 1, 0)))
    s.add_force("motor", da.Motor("J0", torque))
    return s.build()


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("t", [0.0, 2.0])
def test_where_a_table_begins_or_ends_the_verdict_is_that_of_the_side_that_is_defined(closed, t):
    table = da.Table([0.0, 1.0, 2.0], [0.3, 0.3, 0.3], kind="linear")
    some, always = (pushed(torque, closed) for torque in (lambda s: table(s.t), 0.3))
    q, u = always.assemble({"J0": -1.5}, t=t)
    found, expected = (m.linearise(q, u, t) for m in (some, always))
    assert np.allclose(found.A, expected.A, rtol=1e-12)
    assert found.verdict == expected.verdict
    assert str(some.equilibrium(q, t=t, starts=1)) == str(always.equilibrium(q, t=t, starts=1))


@pytest.mark.parametrize("closed", [False, True])
def test_outside_a_table_there_is_nothing_to_linearise(closed):
    table = da.Table([0.0, 1.0], [0.3, 0.3], kind="linear")
    m = pushed(lambda s: table(s.t), closed)
    with pytest.raises(da.ForceError, match=r"force motor .* t = -1 s: .* a table that has ended"):
        m.linearise(*m.assemble({"J0": -1.5}), -1.0)
