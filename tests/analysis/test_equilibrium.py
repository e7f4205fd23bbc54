"""Equilibria at rest and in steady motion, against closed forms; what cannot balance is said with the joint's name."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import dalembert as da
from benchmarks import loop_models
from dalembert.constraints.assembly.assemble import off_at
from tests.linkages import METRE, MICROMETRE, MILLIMETRE, bennett, bricard, in_units

G = 9.81


def pendulum():
    s = da.System("pendulum", gravity=(0, -G, 0))
    s.add_body("rod", mass=2.0, com=(0, -0.7, 0), inertia=(0.1, 0.1, 0.1))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    return s


def test_a_pendulum_hangs_stable_and_stands_unstable():
    m = pendulum().build()
    hanging = m.equilibrium({"A": 1.0})
    assert abs(np.sin(hanging.q[0])) < 1e-12 and np.cos(hanging.q[0]) > 0 and hanging.stable
    standing = m.equilibrium({"A": 3.1})
    assert standing.q[0] == pytest.approx(np.pi, abs=1e-12) and not standing.stable
    both = m.equilibria(starts=12)
    assert sorted(e.stable for e in both) == [False, True]
    assert "unstable" in str(standing)


def test_what_cannot_balance_is_named():
    s = pendulum()
    s.add_body("sled", mass=1.0)
    s.add_joint("rail", da.Prismatic((0, 1, 0)), "ground", "sled")
    with pytest.raises(da.EquilibriumError, match=r'9\.81 acts on "rail" wherever it goes'):
        s.build().equilibrium(starts=2)


def test_a_fixed_joint_is_not_moved():
    with pytest.raises(da.EquilibriumError, match=r'with A fixed.*on "A"'):
        pendulum().build().equilibrium({"A": 0.3}, hold=["A"], starts=1)


def test_a_motion_that_balances_for_an_instant_is_no_equilibrium():
    with pytest.raises(da.EquilibriumError, match='for an instant only: the force on "A"'):
        pendulum().build().equilibrium(speeds={"A": 2.0}, starts=1)


@pytest.mark.parametrize("asked", [{"hold": ["X"]}, {"find": {"X": 1}}, {"speeds": [1.0]}, {"starts": 0}])
def test_what_is_asked_wrongly_is_said(asked):
    with pytest.raises(da.DalembertError):
        pendulum().build().equilibrium(**asked)


def cable(n, length, span, cut):
    """n equal links between two points at one height."""
    s = da.System("cable", gravity=(0, 0, -G))
    parent, piece = "ground", length / n
    for i in range(n):
        s.add_body(f"link{i}", da.rod(0.1, piece))
        s.add_joint(f"J{i}", da.Revolute((0, 1, 0)), parent, f"link{i}", at_parent=(piece if i else 0, 0, 0))
        parent = f"link{i}"
    if cut == n:
        s.add_constraint("end", da.OnLine((parent, (piece, 0, 0)), ("ground", (span, 0, 0)), (0, 1, 0)))
        return s.build()
    s.add_joint(f"J{n}", da.Revolute((0, 1, 0)), parent, "ground", at_parent=(piece, 0, 0), at_child=(span, 0, 0))
    return s.build(cut=[f"J{cut}"])


@pytest.mark.parametrize("n,cut", [(200, 200), (24, 12)])
def test_a_cable_hangs_in_a_catenary(n, cut):
    """From all links in one line, an anchor's distance too far: the default start, whose loop does not close from there."""
    length, span = 10.0, 6.0
    m = cable(n, length, span, cut)
    found = m.equilibrium()
    a = brentq(lambda a: 2 * a * np.sinh(span / (2 * a)) - length, 0.5, 50.0)
    x, _, z = m.body_motion(found.q).position.T
    assert np.abs(a * (np.cosh((x - span / 2) / a) - np.cosh(span / (2 * a))) - z).max() < 1e-4 * (200 / n) ** 2
    if cut == n:
        assert np.abs(found.lam).max() == pytest.approx(
            n * 0.1 * G / 2, rel=1e-3
        )  # each anchor carries half the weight


def test_having_settled_it_is_pushed_off_a_balance_that_is_not_stable():
    """Far from balance it goes downhill; where that leads to a saddle, it goes on."""
    s = da.System("pair", gravity=(0, -G, 0))
    s.add_body("upper", da.rod(1.0, 1.0))
    s.add_body("lower", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "upper")
    s.add_joint("B", da.Revolute(), "upper", "lower", at_parent=(1, 0, 0))
    found = s.build().equilibrium({"A": 0.5, "B": np.pi})  # folded, as it falls it stays so by symmetry
    assert found.stable and abs(np.sin(found.coordinates["B"])) < 1e-9 and np.cos(found.coordinates["B"]) > 0


@pytest.mark.slow
def test_a_balance_that_time_undoes_is_said_to_be_one():
    s = da.System("waves", gravity=(0, -G, 0))
    s.add_body("raft", mass=1.0)
    s.add_body("bob", da.particle(1.0))
    s.add_joint("wave", da.Prismatic((1, 0, 0)), "ground", "raft", prescribed=lambda t: da.sin(2 * t))
    s.add_joint("A", da.Revolute(), "raft", "bob", at_child=(0, 1, 0))
    assert "at t = 0.3 s only" in str(s.build().equilibrium(t=0.3))


def top(I1, I3, mass=1.5, arm=0.4):
    """A heavy top on Euler's angles: precession about the vertical, nutation, spin."""
    s = da.System("top", gravity=(0, 0, -G))
    s.add_body("column", mass=0.0)
    s.add_body("yoke", mass=0.0)
    transverse = I1 - mass * arm**2
    s.add_body("rotor", mass=mass, com=(0, 0, arm), inertia=(transverse, transverse, I3))
    s.add_joint("precession", da.Revolute((0, 0, 1)), "ground", "column")
    s.add_joint("nutation", da.Revolute((1, 0, 0)), "column", "yoke")
    s.add_joint("spin", da.Revolute((0, 0, 1)), "yoke", "rotor")
    return s.build()


@pytest.mark.parametrize("guess,sign", [(1.0, -1), (60.0, 1)])
def test_steady_precession_of_a_top(guess, sign):
    """(I₁ − I₃) Ω² cos θ − I₃ ψ̇ Ω + m g l = 0: a slow and a fast precession."""
    I1, I3, load, theta, spin = 0.4, 0.2, 1.5 * G * 0.4, 0.6, 25.0
    m = top(I1, I3)
    found = m.equilibrium({"nutation": theta}, {"spin": spin}, find={"precession": guess}, hold=["nutation"], starts=1)
    a, b = (I1 - I3) * np.cos(theta), I3 * spin
    exact = (b + sign * np.sqrt(b**2 - 4 * a * load)) / (2 * a)
    assert found.speeds["precession"] == pytest.approx(exact, rel=1e-10)
    assert all(abs(x) < 1e-9 for x in found.drives.values())  # it goes on by itself
    assert found.stable


def test_nutation_of_a_given_precession():
    """The same balance solved for the angle."""
    I1, I3, load, spin, rate = 0.4, 0.2, 1.5 * G * 0.4, 25.0, 1.22
    found = top(I1, I3).equilibrium({"nutation": 0.9}, {"spin": spin, "precession": rate}, starts=1)
    cosine = (I3 * spin * rate - load) / ((I1 - I3) * rate**2)
    assert np.cos(found.coordinates["nutation"]) == pytest.approx(cosine, rel=1e-10)


def test_a_loop_on_a_spring_balances():
    """A rhombus of four rods hung at a corner, opened by a spring across it: m g ℓ sin α … from its potential's derivative."""
    s = da.System("jack", gravity=(0, 0, -G))
    for name in ("left", "right", "low_left", "low_right"):
        s.add_body(name, da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute((0, 1, 0)), "ground", "left")
    s.add_joint("B", da.Revolute((0, 1, 0)), "ground", "right")
    s.add_joint("C", da.Revolute((0, 1, 0)), "left", "low_left", at_parent=(1, 0, 0))
    s.add_joint("D", da.Revolute((0, 1, 0)), "right", "low_right", at_parent=(1, 0, 0))
    s.add_joint("E", da.Revolute((0, 1, 0)), "low_left", "low_right", at_parent=(1, 0, 0), at_child=(1, 0, 0))
    k = 60.0
    s.add_force("spring", da.Spring(("left", (1, 0, 0)), ("right", (1, 0, 0)), stiffness=k, length=3.0))
    m = s.build(cut=["E"])
    found = m.equilibrium({"A": np.pi / 2 + 0.5, "B": np.pi / 2 - 0.5, "C": -1.0, "D": 1.0})
    half = np.pi / 2 - found.coordinates["B"]
    # V = −4 g cos α + ½ k (2 sin α − 3)²
    assert 4 * G * np.sin(half) + 2 * k * np.cos(half) * (2 * np.sin(half) - 3.0) == pytest.approx(0.0, abs=1e-8)


def governor(link_mass):
    """Watt's, with one ball: an arm from the column, a link from the ball to a sleeve that slides on the column."""
    s = da.System("governor", gravity=(0, 0, -G))
    s.add_body("column", mass=1.0, inertia=(0.01, 0.01, 0.01))
    s.add_body("ball", da.particle(0.8))
    s.add_body("link", mass=link_mass, inertia=(1e-3 * link_mass,) * 3)
    s.add_body("sleeve", da.particle(1.5))
    s.add_joint("spin", da.Revolute((0, 0, 1)), "ground", "column")
    s.add_joint("arm", da.Revolute((0, 1, 0)), "column", "ball", at_child=(-0.3, 0, 0))
    s.add_joint("knee", da.Revolute((0, 1, 0)), "ball", "link")
    s.add_joint("slide", da.Prismatic((0, 0, 1)), "column", "sleeve")
    s.add_joint("pin", da.Revolute((0, 1, 0)), "link", "sleeve", at_parent=(0.3, 0, 0))
    return s.build(cut=["pin"])


@pytest.mark.slow
def test_a_governor_with_a_loop_opens_with_its_speed():
    """From V − ½ m r²Ω²: sin θ = (m + 2M) g / (m l Ω²), θ below the horizontal; below the speed where that is 1, it hangs."""
    m, start = governor(1e-9), {"arm": 1.0, "knee": 1.2, "slide": -0.5}
    opens = np.sqrt((0.8 + 2 * 1.5) * G / (0.8 * 0.3))
    found = m.equilibrium(start, {"spin": 20.0}, starts=2)
    assert np.sin(found.coordinates["arm"]) == pytest.approx((opens / 20.0) ** 2, rel=1e-7)
    assert found.stable and abs(found.drives["spin"]) < 1e-9
    assert np.sin(m.equilibrium(start, {"spin": 8.0}, starts=2).coordinates["arm"]) == pytest.approx(1.0, abs=1e-12)


def test_a_link_without_mass_at_a_cut_moves_as_a_very_light_one():
    none, little = governor(0.0), governor(1e-9)
    q, u = none.assemble({"arm": 1.0}, {"spin": 8.0})
    assert np.allclose(none.solve(q, u).udot, little.solve(q, u).udot, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("make", "gravity"), [(bricard, (0, -G, 0)), (bricard, (1.0, -5.0, 3.0)), (bennett, (0, -G, 0))]
)
def test_an_over_constrained_loop_rests_where_it_is_said_to(make, gravity):
    """Forces along rows that only seem independent, in a pose not quite closed, hold nothing up."""
    m = make(gravity)
    rest = m.equilibrium()
    assert rest.stable
    assert off_at(m, rest.q, 0.0) < 1e-11
    assert np.abs(m.forward_dynamics(rest.q, rest.u)).max() < 1e-8


def test_the_rest_of_bricards_linkage():
    """Hanging with its first hinge a quarter turn from how it is drawn; it swings about that at 0.1976 Hz."""
    rest = loop_models.bricard().mechanism.equilibrium()
    assert rest.q[0] == pytest.approx(np.pi / 2, abs=1e-9)
    frequency = np.abs(rest.linearisation.eigenvalues.imag).max() / (2 * np.pi)
    assert frequency == pytest.approx(0.1976, abs=1e-4)


@pytest.mark.parametrize("units", [MILLIMETRE, MICROMETRE])
def test_rest_does_not_depend_on_units(units):
    q = [in_units(bricard(), each).equilibrium().q for each in (METRE, units)]
    np.testing.assert_allclose(q[1], q[0], atol=1e-9)


def under(moment):
    s = da.System("lever")
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    s.add_force("motor", da.Motor("A", moment))
    return s.build()


@pytest.mark.parametrize("speeds", [None, {"A": 1.0}])
@pytest.mark.parametrize("find", ["equilibrium", "equilibria"])
def test_forces_that_are_no_numbers_do_not_balance(find, speeds):
    m = under(lambda s: da.sqrt(-1.0 - s.q["A"] ** 2))
    with pytest.raises(da.EquilibriumError, match='the force on "A" or its change is no finite number'):
        getattr(m, find)(speeds=speeds)


def test_a_start_at_which_forces_are_no_numbers_is_passed_over():
    """√(q − 1) = 1 balances at q = 2, and at q = 0 there is no root."""
    assert under(lambda s: da.sqrt(s.q["A"] - 1.0) - 1.0).equilibrium().q == pytest.approx([2.0])


def test_infinite_forces_do_not_balance():
    with pytest.raises(da.EquilibriumError):
        under(lambda s: 1.0 / s.q["A"]).equilibrium()


@pytest.mark.parametrize(("size", "mass"), [(1.0, 1e-15), (1.0, 1e15), (1e-6, 1e-18), (1e6, 1e18)])
def test_balance_does_not_hang_on_the_unit_of_mass(size, mass):
    found = []
    for k, m in ((1.0, 1.0), (size, mass)):
        s = da.System("four-bar", gravity=(0, -9.81 * k, 0))
        for name, length in (("crank", 0.4), ("coupler", 1.0), ("rocker", 0.9)):
            s.add_body(name, da.rod(m, length * k))
        s.add_joint("A", da.Revolute(), "ground", "crank")
        s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(0.4 * k, 0, 0))
        s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(k, 0, 0), at_child=(0.9 * k, 0, 0))
        s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(k, 0, 0))
        found.append(s.build().equilibrium().q)
    assert np.abs(found[1] - found[0]).max() < 1e-9
