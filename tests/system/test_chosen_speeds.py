"""Speeds are a choice: mechanisms that differ in their speeds alone move alike, by every formulation, interpreted and compiled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.formulations import FORMULATIONS, for_mechanism
from dalembert.formulations.formulation import settled
from tests.constraints.loops import closed_system, consistent
from tests.elastic.particles import random_tree as elastic_tree
from tests.mechanisms import random_state, random_tree, seeds
from tests.variables import choose_speeds, joint_values, own_rates, own_values

APPROXIMATE = {"gauss_penalty": 1e-4}


def trees(rng: np.random.Generator, n: int) -> da.System:
    return random_tree(rng, n, prescribed=bool(rng.random() < 0.5))


def same_accelerations(m: da.Mechanism, q, u, t: float, names=FORMULATIONS) -> None:
    """By every formulation, as in the joints' own speeds."""
    joints = m.in_joint_variables
    Q, U = joint_values(m, q, u, t)
    expected = own_rates(m, q, u, t, joints.forward_dynamics(Q, U, t=t) if joints.n_u else np.zeros(0))
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    assert np.abs(m.forward_dynamics(q, u, t=t) - expected).max(initial=0.0) <= 1e-8 * scale
    s = m.numeric.state(q, u, t)
    for name in names:
        form = for_mechanism(m, name)
        if form.refusal(m) is not None:
            assert form.refusal(m) == FORMULATIONS[name].refusal(joints)
            continue
        form = settled(form, m.numeric, [(np.asarray(q), t)])
        again = form.state(m.numeric, t, q, form.formulation_speeds(s))
        assert np.allclose(np.asarray(again.speeds, dtype=float), u, atol=1e-7 * scale), name
        found = form.udot(s, METHODS["svd"](form.equations(s)).udot)
        assert np.abs(found - expected).max(initial=0.0) <= APPROXIMATE.get(name, 1e-8) * scale, name


@settings(max_examples=12, deadline=None)
@given(seeds, st.integers(1, 3))
def test_every_formulation_moves_a_random_tree_alike_in_any_speeds(seed, n):
    rng = np.random.default_rng(seed)
    s = trees(rng, n)
    choose_speeds(s, rng)
    m = s.build()
    if m.variables is None:
        return
    same_accelerations(m, *random_state(m, rng))


@settings(max_examples=5, deadline=None)
@given(seeds)
def test_elastic_bodies_move_alike_in_any_speeds(seed):
    """Rates of modes are speeds like others: mixed with those of joints, and with time."""
    rng = np.random.default_rng(seed)
    s = elastic_tree(rng, 2, second_order=True)[0]
    choose_speeds(s, rng)
    m = s.build()
    q, u = m.numeric.somewhere(rng, 0.2), rng.normal(size=m.n_u)
    names = (
        "kane",
        "kane_minimal",
        "lagrange",
        "boltzmann_hamel",
        "hamilton",
        "articulated_body",
        "composite_body",
        "dalembert",
    )
    if m.variables is not None:
        same_accelerations(m, q, u, 0.3, names)


@settings(max_examples=8, deadline=None)
@given(seeds, st.integers(2, 4))
def test_every_formulation_moves_a_random_loop_alike_in_any_speeds(seed, n):
    rng = np.random.default_rng(seed)
    s, q, u, t = closed_system(rng, n, 1)
    joints = s.build()
    U = consistent(joints, q, u, t)
    choose_speeds(s, rng)
    m = s.build()
    if m.variables is None or not joints.mobility:
        return
    q, u = own_values(m, q, U, t)
    same_accelerations(m, q, u, t)
    expected = m.forward_dynamics(q, u, t=t)
    for name in METHODS:
        found = m.forward_dynamics(q, u, t=t, constraints=name)
        assert np.allclose(found, expected, rtol=1e-4 if name == "penalty" else 1e-7, atol=1e-6), name


@settings(max_examples=6, deadline=None)
@given(seeds, st.sampled_from(["world axes", "rates"]))
def test_presets_move_alike(seed, preset):
    rng = np.random.default_rng(seed)
    s = random_tree(
        rng, 3, prescribed=bool(rng.random() < 0.5), orientation="123" if preset == "rates" else "euler_parameters"
    )
    for name, p in s.joints.items():  # a ball on a curve has Euler parameters, whatever the others have
        if preset == "rates" and p.joint.n_q != p.joint.n_u:
            s.joints[name] = type(p)(**{**vars(p), "speeds": "child axes"})
    s.choose_speeds(preset)
    m = s.build()
    q, u, t = random_state(m, rng)
    if m.variables is None:
        assert m.speeds == m.in_joint_variables.speeds
        return
    same_accelerations(
        m, q, u, t, ("kane", "lagrange", "boltzmann_hamel", "articulated_body", "newton_euler", "hooker")
    )
    if preset == "rates":
        rates = m.state(q, u, t).rates
        for name, x in zip(m.speeds, u):
            if name in m.coordinates:
                assert np.isclose(rates[m.coordinates.index(name)], x, atol=1e-12)


def test_world_axes_are_the_worlds():
    """On a moving parent too, and from either end: the child's velocity less that of the parent's point under it."""
    for swapped in (False, True):
        s = da.System("arm")
        s.add_body("one", da.box(1.0, (0.1, 0.2, 0.3)))
        s.add_joint(
            "A", da.Revolute((0, 1, 0)), "ground", "one", da.Frame((0, 0, 0), da.turn(np.array([1.0, 0, 0]), 0.4))
        )
        s.add_body("two", da.box(1.0, (0.1, 0.2, 0.3)))
        ends = ("two", "one") if swapped else ("one", "two")
        s.add_joint("B", da.Free(), *ends, (0.2, 0.1, 0), (0, 0.1, 0.3), speeds="world axes")
        m = s.build()
        assert m.speeds == ("A", "B.wX", "B.wY", "B.wZ", "B.vX", "B.vY", "B.vZ")
        rng = np.random.default_rng(3)
        q, u, _ = random_state(m, rng)
        x = m.state(q, u)
        parent, child = ends
        w = x.angular_velocity(child) - x.angular_velocity(parent)
        assert np.allclose(w, u[1:4], atol=1e-14)
        arm = x.position((child, (0, 0.1, 0.3))) - x.position(parent)
        v = x.velocity((child, (0, 0.1, 0.3))) - x.velocity(parent) - np.cross(x.angular_velocity(parent), arm)
        assert np.allclose(v, u[4:], atol=1e-14)


def satellite(**said) -> da.System:
    """A floating hub with two hinged rods on springs [C Fig. 7]."""
    s = da.System("satellite")
    s.add_body("hub", mass=3.0, inertia=(2.0, 1.1, 1.6))
    s.add_joint("float", da.Free(**said), "ground", "hub")
    for i, side in ((1, 1.0), (2, -1.0)):
        s.add_body(f"rod{i}", da.rod(0.7, 2.6, axis=(0, side, 0)))
        s.add_joint(f"hinge{i}", da.Revolute((1, 0, 0)), "hub", f"rod{i}", at_parent=(0, side * 0.4, 0))
        s.add_force(f"spring{i}", da.JointSpring(f"hinge{i}", stiffness=5.0, damping=0.3))
    return s


SUMS = {
    "eta1": lambda s: s.u["hinge1"] + s.u["hinge2"],
    "eta2": lambda s: s.u["hinge1"] - s.u["hinge2"],
}
START, SPEEDS = {"hinge1": 0.1, "hinge2": -0.2}, {"float.wx": 0.3, "float.wy": 1.0, "hinge1": 0.2}


def in_sums() -> da.Mechanism:
    s = satellite()
    s.choose_speeds(SUMS)
    return s.build()


@pytest.mark.parametrize(
    "options", [{}, {"method": "radau"}, {"method": "midpoint", "step": 1e-3}, {"formulation": "hooker"}]
)
def test_motions_are_alike_and_named(options):
    plain, m = satellite().build(), in_sums()
    motions = [x.simulate(0.5, START, SPEEDS, output=0.1, **options) for x in (plain, m)]
    tolerance = 1e-6 if "step" not in options else 1e-5
    for body in ("hub", "rod1", "rod2"):
        assert np.allclose(motions[0].position(body), motions[1].position(body), atol=tolerance)
    assert np.allclose(motions[0].reaction("hinge2").torque, motions[1].reaction("hinge2").torque, atol=1e-4)
    motion = motions[1]
    assert motion.speeds[-2:] == ("eta1", "eta2") and motion.coordinates == plain.coordinates
    assert np.allclose(motion["eta1'"], motions[0]["hinge1'"] + motions[0]["hinge2'"], atol=1e-5)
    assert np.allclose(motion.evaluate(lambda s: s.u["eta2"]), motion["eta2'"], atol=1e-14)
    assert np.allclose(motion.evaluate(lambda s: s.u["hinge1"]), motions[0]["hinge1'"], atol=1e-5)


def test_initial_speeds_go_by_either_name():
    m = in_sums()
    by_joints = m.assemble(START, {"hinge1": 0.2, "hinge2": 0.5, "float.wy": 1.0})[1]
    by_names = m.assemble(START, {"eta1": 0.7, "eta2": -0.3, "float.wy": 1.0})[1]
    assert np.allclose(by_joints, by_names, atol=1e-15)
    assert np.allclose(m.assemble(START, {"eta1": 0.7})[1][-2:], (0.7, 0.0))
    with pytest.raises(da.StateError, match='"hinge1" and "eta1" are given, and one follows from the other'):
        m.assemble(START, {"hinge1": 0.2, "eta1": 0.5})
    with pytest.raises(da.StateError, match=r"there is no joint or speed 'eta3'; .*eta1"):
        m.assemble(START, {"eta3": 0.2})


def test_what_time_adds_is_rest():
    """u = v + 2 t is 2 t at rest: a state without speeds does not move."""
    s = satellite()
    s.choose_speeds({"w": lambda s: s.u["hinge1"] + 2.0 * s.t})
    m = s.build()
    x = m.state(t=0.7)
    assert x.u["w"] == 1.4 and x.u["hinge1"] == 0.0
    assert m.simulate(0.01, {"hinge1": 0.3}, start=0.5).u[0, -2] == 1.0


def test_batches_and_derivatives_are_of_the_speeds_chosen():
    rng = np.random.default_rng(4)
    s = satellite()
    own = {
        "a": lambda s: (2.0 + da.sin(s.q["hinge2"])) * s.u["hinge1"] + s.u["float.wx"],
        "b": lambda s: s.u["hinge2"] - s.t,
    }
    s.choose_speeds(own, instead_of=["hinge1", "hinge2"])
    m = s.build()
    states = [random_state(m, rng) for _ in range(5)]
    q, u, t = (np.array([x[k] for x in states]) for k in range(3))
    tau = rng.normal(size=u.shape)
    batch = m.forward_dynamics(q, u, tau, t)
    for k in range(5):
        assert np.allclose(m.forward_dynamics(q[k], u[k], tau[k], t[k]), batch[k], atol=1e-12)
        assert np.allclose(m.inverse_dynamics(q[k], u[k], batch[k], t[k]), tau[k], atol=1e-10)
    d, step = m.forward_dynamics_derivatives(q[0], u[0], tau[0], t[0]), 1e-6
    moved = [[m.forward_dynamics(q[0], u[0] + x, tau[0], t[0]) for x in (step * e, -step * e)] for e in np.eye(m.n_u)]
    assert np.allclose(d.u, np.array([(a - b) / (2 * step) for a, b in moved]).T, atol=1e-7)
    N = [m.state(q[0], e, t[0]).rates - m.state(q[0], np.zeros(m.n_u), t[0]).rates for e in np.eye(m.n_u)]
    moved = [[m.forward_dynamics(m.admissible(q[0] + x), u[0], tau[0], t[0]) for x in (step * n, -step * n)] for n in N]
    assert np.allclose(d.q, np.array([(a - b) / (2 * step) for a, b in moved]).T, atol=1e-6)
    assert np.allclose(d.tau, np.linalg.inv(m.mass_matrix(q[0], t[0])), atol=1e-10)
    motions = m.simulate_many(q, 0.2, speeds=u)
    assert all(np.isfinite(motion.u).all() for motion in motions)


def test_power_is_the_same_in_any_speeds():
    """τᵀu: the forces on the speeds chosen do the work of those on the joints'."""
    m, rng = in_sums(), np.random.default_rng(1)
    q, u, t = random_state(m, rng)
    tau = rng.normal(size=m.n_u)
    Q, U = joint_values(m, q, u, t)
    joints = m.in_joint_variables
    pushed = m.forward_dynamics(q, u, tau, t) - m.forward_dynamics(q, u, None, t)
    T = np.eye(m.n_u)
    T[-2:, -2:] = [[0.5, 0.5], [0.5, -0.5]]
    on_joints = np.linalg.inv(T).T @ tau
    there = joints.forward_dynamics(Q, U, on_joints, t) - joints.forward_dynamics(Q, U, None, t)
    assert np.isclose(tau @ u, on_joints @ U) and np.allclose(T @ pushed, there, atol=1e-12)


# -- said wrongly ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "speeds, instead_of, why",
    [
        ("body axes", (), "there is no choice 'body axes'"),
        ({}, (), "at least one"),
        ({"a": 3.0}, (), "must be a function of the state"),
        ({"a": lambda s: s.u["hinge1"] ** 2}, (), "is not linear in the speeds"),
        ({"a": lambda s: s.u["hinge1"] + s.u["hinge2"]}, (), "are made of 2 speeds"),
        ({"a": lambda s: s.u["hinge1"]}, ("hinge1", "hinge2"), "replace 2 speeds"),
        ({"a": lambda s: s.u["hinge1"] * s.q["hinge2"] * 0.0}, ("hinge1",), "do not determine the motion"),
        ({"a": lambda s: s.u["hinge3"]}, (), "no joint 'hinge3'"),
        ({"a": lambda s: s.u["hinge1"]}, ("hinge3",), "no joint or speed 'hinge3'"),
        ({"hub": lambda s: s.u["hinge1"]}, (), "has the name of a joint, a body"),
        ({"a": lambda s: float(s.u["hinge1"])}, (), "must be written with NumPy's or dalembert's functions"),
        ({"a": lambda s: s.velocity("hub")}, ("hinge1",), "must be one number"),
        ({"a": lambda s: s.u["hinge1"] + s.u["hinge2"], "b": lambda s: 2 * s.u["hinge1"] + 2 * s.u["hinge2"]}, (), "do not determine"),
    ],
)  # fmt: skip
def test_speeds_said_wrongly_are_refused(speeds, instead_of, why):
    s = satellite()
    with pytest.raises(da.ModelError, match=why):
        s.choose_speeds(speeds, instead_of)
        s.build()


def test_joints_refuse_what_they_cannot_have():
    def build(joint, speeds):
        s = da.System("one")
        s.add_body("b", da.box(1.0, (1, 2, 3)))
        s.add_joint("j", joint, "ground", "b", speeds=speeds)
        return s.build()

    with pytest.raises(da.ModelError, match='joint "j": a Revolute has no three turns or slides'):
        build(da.Revolute(), "world axes")
    with pytest.raises(da.ModelError, match=r'joint "j" has 7 coordinates .* describe its orientation by angles'):
        build(da.Free(), "rates")
    assert build(da.Free("321"), "rates").speeds[:3] == ("j.a1", "j.a2", "j.a3")
    assert build(da.Free(), "child axes").variables is None
    m = build(da.Universal(), {"sum": lambda s: s.u["j.1"] + s.u["j.2"], "first": lambda s: s.u["j.1"]})
    assert m.speeds == ("j.sum", "j.first")
    with pytest.raises(da.ModelError, match='joint "j": speeds: there is no choice'):
        build(da.Revolute(), "axes")


def test_a_pose_in_which_speeds_say_nothing_is_refused():
    s = satellite()
    s.choose_speeds({"a": lambda s: s.q["hinge2"] * s.u["hinge1"]}, ["hinge1"])
    m = s.build()
    with pytest.raises(da.StateError, match='speeds "a" do not determine the motion here'):
        m.simulate(1.0)
    assert m.simulate(0.01, {"hinge2": 0.3}).speeds[-2:] == ("a", "hinge2")
