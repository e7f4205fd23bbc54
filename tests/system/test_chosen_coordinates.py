"""Linear changes of coordinates, with truncation: symmetric and antisymmetric coordinates of C's satellite [C 262–263], of modes, wrong
ones."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.formulations import FORMULATIONS, for_mechanism
from dalembert.formulations.formulation import settled
from tests.mechanisms import random_state
from tests.system.test_chosen_speeds import same_accelerations, satellite

SUMS = {
    "eta1": lambda s: s.q["hinge1"] + s.q["hinge2"],
    "eta2": lambda s: s.q["hinge1"] - s.q["hinge2"],
}
IN_OWN = ("kane", "kane_minimal", "dalembert", "lagrange", "boltzmann_hamel", "momentum", "hamilton", "recursive_newton_euler",
          "composite_body", "articulated_body", "gauss")  # fmt: skip
OF_THE_WHOLE = ("system_root", "system_tisserand", "system_buckens", "system_principal")


def changed(drop=(), speeds=None) -> da.Mechanism:
    s = satellite()
    s.choose_coordinates(SUMS, drop=drop)
    if speeds is not None:
        s.choose_speeds(speeds)
    return s.build()


def test_every_formulation_moves_alike_in_sums_and_differences():
    m = changed()
    assert m.coordinates[-2:] == m.speeds[-2:] == ("eta1", "eta2") and m.dropped == ()
    for seed in range(3):
        same_accelerations(m, *random_state(m, np.random.default_rng(seed)))


def test_coordinates_and_speeds_may_both_be_chosen():
    m = changed(speeds={"w": lambda s: (2.0 + da.sin(s.q["eta2"])) * s.u["eta1"] + s.t})
    assert m.coordinates[-2:] == ("eta1", "eta2") and m.speeds[-2:] == ("w", "eta2")
    same_accelerations(m, *random_state(m, np.random.default_rng(5)))
    x = m.state(np.append(m.reference[:-2], (0.2, 0.1)), np.arange(1.0, 9.0), 0.3)
    assert np.isclose(x.q["hinge1"], 0.15) and np.isclose(x.u["hinge1"] - x.u["hinge2"], 8.0)
    m = changed(speeds="world axes")
    same_accelerations(m, *random_state(m, np.random.default_rng(6)))


def test_a_dropped_coordinate_has_no_equation():
    """Seven equations instead of eight, by every method in the mechanism's own coordinates: those of the constraint hinge1 = hinge2."""
    m = changed(drop=["eta2"])
    assert m.n_u == 7 and m.dropped == ("eta2",) and m.mobility == m.grubler == 7
    tied = satellite()
    tied.add_constraint("tie", da.Coupling({"hinge1": 1.0, "hinge2": -1.0}))
    tied = tied.build()
    rng = np.random.default_rng(2)
    q, u, t = random_state(m, rng)
    Q, U = np.append(q[:-1], [q[-1] / 2] * 2), np.append(u[:-1], [u[-1] / 2] * 2)
    there = tied.forward_dynamics(Q, U, t=t)
    expected = np.append(there[:-2], there[-2] + there[-1])
    s = m.numeric.state(q, u, t)
    for name in FORMULATIONS:
        form = for_mechanism(m, name)
        if name not in (*IN_OWN, *OF_THE_WHOLE):
            assert 'coordinate "eta2" is dropped' in str(form.refusal(m)), name
            continue
        e = settled(form, m, [(q, t)]).equations(s)
        assert e.A.shape[0] in (7, 8)  # one more in rates of Euler parameters
        found = form.udot(s, METHODS["svd"](e).udot)
        assert np.allclose(found, expected, atol=1e-10), name
    assert np.allclose(m.forward_dynamics(q, u, t=t), expected, atol=1e-10)
    assert np.allclose(m.mass_matrix(q), m.mass_matrix(q).T, atol=0.0)


def test_a_dropped_coordinate_in_a_run():
    m, plain = changed(drop=["eta2"]), satellite().build()
    speeds = {"float.wx": 0.3, "float.wy": 1.0, "hinge1": 0.2, "hinge2": 0.2}
    start = {"hinge1": 0.1, "hinge2": 0.1}
    motion, whole = (x.simulate(0.5, start, speeds, output=0.1, rtol=1e-9) for x in (m, plain))
    # nothing drives the difference where it is zero to first order [C 263e]; to second order, rotation does
    assert np.allclose(motion["eta1"], whole["hinge1"] + whole["hinge2"], atol=2e-2)
    assert np.ptp(motion.energy().total) < 0.2
    by_own = m.simulate(0.5, {"eta1": 0.2}, {"float.wx": 0.3, "float.wy": 1.0, "eta1": 0.4}, output=0.1, rtol=1e-9)
    assert np.allclose(by_own.q, motion.q, atol=1e-9)
    with pytest.raises(
        da.StateError, match=r'coordinate "eta2" is dropped, that is zero, but the values given make it 0\.1'
    ):
        m.simulate(0.1, {"hinge1": 0.1})
    with pytest.raises(da.StateError, match='"eta2" dropped, that is at rest'):
        m.simulate(0.1, None, {"hinge1": 0.1})


def test_loops_close_in_other_coordinates():
    """A four-bar in sums of its angles closes, is diagnosed and moves as in the angles."""

    def four_bar(sums: bool) -> da.Mechanism:
        s = da.System("four-bar", gravity=(0, -9.81, 0))
        for name, length in (("crank", 0.4), ("coupler", 1.0), ("rocker", 0.9)):
            s.add_body(name, da.rod(1.0, length))
        s.add_joint("A", da.Revolute(), "ground", "crank")
        s.add_joint("B", da.Revolute(), "crank", "coupler", (0.4, 0, 0))
        s.add_joint("D", da.Revolute(), "ground", "rocker", (1.0, 0, 0))
        s.add_joint("C", da.Revolute(), "coupler", "rocker", (1.0, 0, 0), (0.9, 0, 0))
        if sums:
            s.choose_coordinates({"phi": lambda s: s.q["A"] + s.q["B"], "beta": lambda s: s.q["B"] - 0.5})
        return s.build(cut=["C"])

    plain, m = four_bar(False), four_bar(True)
    start = dict(zip(plain.coordinates, plain.assemble({"A": 1.0})[0]))
    Q, _ = plain.assemble(start, {"A": 2.0})
    q, u = m.assemble(start, {"A": 2.0})
    assert np.allclose(m.joint_coordinates(q), Q, atol=1e-9) and m.mobility == 1
    assert m.coordinates == ("phi", "beta", "D")
    assert np.isclose(q[0], Q[0] + Q[1]) and np.isclose(q[1], Q[1] - 0.5)
    same_accelerations(m, q, u, 0.0)
    motions = [x.simulate(0.3, start, {"A": 2.0}, output=0.1) for x in (plain, m)]
    assert np.allclose(motions[0].position("rocker"), motions[1].position("rocker"), atol=1e-6)
    assert np.allclose(motions[0].reaction("C").force, motions[1].reaction("C").force, atol=1e-3)
    kept = m.assemble({"phi": 1.2})[0]
    assert np.isclose(kept[0], 1.2, atol=1e-9)


def test_modes_of_two_booms_are_combined():
    """Symmetric and antisymmetric bending of two equal booms; without the latter, one equation less for each pair."""

    def booms(drop=()) -> da.Mechanism:
        s = da.System("two booms")
        s.add_body("hub", da.box(5.0, (0.4, 0.4, 0.4)))
        s.add_joint("spin", da.Revolute(), "ground", "hub")
        for name, side in (("left", -1.0), ("right", 1.0)):
            data = da.beam(1.0, E=7e10, rho=2700.0, A=1e-4, Iy=2e-9, Iz=3e-9, modes={"y": 1}, static=False)
            s.add_body(name, elastic=data)
            turned = da.turn(np.array([0.0, 0.0, 1.0]), 0.0 if side > 0 else np.pi)
            s.add_joint(f"{name}-root", da.Weld(), "hub", name, da.Frame((0.2 * side, 0, 0), turned), "root")
        s.choose_coordinates(
            {"even": lambda s: s.q["left.y1"] + s.q["right.y1"], "odd": lambda s: s.q["left.y1"] - s.q["right.y1"]},
            drop,
        )
        return s.build()

    m = booms()
    assert m.coordinates == ("spin", "even", "odd")
    q, u = np.array([0.3, 0.01, -0.004]), np.array([1.0, 0.1, 0.2])
    same_accelerations(m, q, u, 0.0, IN_OWN)
    assert booms(["odd"]).coordinates == ("spin", "even")


@pytest.mark.parametrize(
    "coordinates, drop, why",
    [
        ({"a": lambda s: s.q["hinge1"] + s.q["hinge2"]}, (), "are made of 2 coordinates"),
        ({"a": lambda s: s.q["hinge1"] * s.q["hinge2"], "b": lambda s: s.q["hinge1"]}, (), "must be a sum of coordinates"),
        ({"a": lambda s: s.q["hinge1"] + s.t}, (), "must be a sum of coordinates"),
        ({"a": lambda s: s.q["hinge1"]}, ("b",), "no coordinate 'b'"),
        ({"a": lambda s: s.q["hinge1"] + s.q["hinge2"], "b": lambda s: -s.q["hinge1"] - s.q["hinge2"]}, (), "depend on each other"),
        ({"a": lambda s: s.q["float.e0"]}, (), "its rate is no speed"),
        ({"hinge2": lambda s: 2.0 * s.q["hinge1"]}, (), "has the name of a joint"),
    ],
)  # fmt: skip
def test_coordinates_said_wrongly_are_refused(coordinates, drop, why):
    s = satellite()
    s.choose_coordinates(coordinates, drop)
    with pytest.raises(da.ModelError, match=why):
        s.build()
