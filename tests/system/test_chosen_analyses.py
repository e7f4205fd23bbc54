"""What is asked of a mechanism in chosen coordinates and speeds: the same answers as in the joints' own, or a sentence."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism.variable_changes import Hidden
from tests.system.test_chosen_coordinates import SUMS as ETA
from tests.system.test_chosen_speeds import SPEEDS, START, satellite


def arm(choose=None) -> da.Mechanism:
    """Two rods in a plane, with a spring whose stiffness is a parameter."""
    s = da.System("arm", gravity=(0, -9.81, 0))
    k = s.parameter("k", 3.0)
    for i, parent, at in ((1, "ground", (0, 0, 0)), (2, "b1", (1, 0, 0))):
        s.add_body(f"b{i}", da.rod(1.0, 1.0))
        s.add_joint(f"A{i}", da.Revolute(), parent, f"b{i}", at)
    s.add_force("spring", da.JointSpring("A2", stiffness=k, damping=0.2, rest=0.5))
    s.add_output("x", lambda s: s.position(("b2", (1, 0, 0)))[0])
    s.add_output("rate", lambda s: s.u["A1"])
    if choose is not None:
        choose(s, k)
    return s.build()


def by_speeds(s: da.System, k) -> None:
    """Coefficients hang on the pose and on a parameter."""
    s.choose_speeds({
        "w1": lambda s: (2.0 + da.sin(s.q["A2"])) * s.u["A1"] + 0.1 * k * s.u["A2"],
        "w2": lambda s: s.u["A2"] - 0.3 * s.u["A1"],
    })  # fmt: skip


def by_coordinates(s: da.System, k) -> None:
    s.choose_coordinates({"a": lambda s: s.q["A1"] + s.q["A2"], "b": lambda s: s.q["A2"] - 0.3})


def by_both(s: da.System, k) -> None:
    by_coordinates(s, k)
    s.choose_speeds({"w": lambda s: (2.0 + da.cos(s.q["b"])) * s.u["a"]})


WAYS = [by_speeds, by_coordinates, by_both]


@pytest.mark.parametrize("choose", WAYS)
def test_small_motions_are_the_same(choose):
    """Eigenvalues, and what a parameter does to outputs, about a balance that is found in either variables."""
    plain, m = arm(), arm(choose)
    balance = [x.equilibrium({"A1": -1.3}) for x in (plain, m)]
    assert np.allclose(m.joint_coordinates(balance[1].q), balance[0].q, atol=1e-9)
    linear = [x.linearise(e.q, inputs=["k"]) for x, e in zip((plain, m), balance)]
    poles = [np.sort_complex(np.linalg.eigvals(x.A)) for x in linear]
    assert np.allclose(*poles, atol=1e-9)
    for z in (0.0, 1.0j, 0.3 + 2.0j):
        through = [x.C @ np.linalg.solve(z * np.eye(len(x.A)) - x.A, x.B) + x.D for x in linear]
        assert np.abs(through[0][0]) > 1e-3 and np.allclose(*through, atol=1e-9)
    about = [x.linearise(*x.assemble({"A1": 0.4, "A2": 0.7}, {"A1": 1.0, "A2": -2.0})) for x in (plain, m)]
    assert about[1].displacements == m.speeds and about[0].displacements == plain.speeds


def test_displacements_turn_with_chosen_speeds_and_time():
    """η̇ = δu + W η: a motion beside another, in speeds that hang on pose and time, goes apart as the linearised one says."""

    def choose(s: da.System, k) -> None:
        s.choose_speeds({
            "w1": lambda s: (2.0 + da.sin(s.q["A2"] + s.t)) * s.u["A1"] + s.t * s.q["A2"],
            "w2": lambda s: s.u["A2"] - 0.3 * s.u["A1"],
        })  # fmt: skip

    m, h, rng = arm(choose), 1e-6, np.random.default_rng(1)
    q, u, t = rng.normal(size=2), rng.normal(size=2), 0.4
    A = m.linearise(q, u, t).A

    def flow(x):
        s = m.state(x[:2], x[2:], t)
        return np.concatenate([s.rates, m.forward_dynamics(x[:2], x[2:], t=t)])

    x = np.concatenate([q, u])
    J = np.array([(flow(x + h * e) - flow(x - h * e)) / (2 * h) for e in np.eye(4)]).T
    N = np.array([m.state(q, e, t).rates - m.state(q, np.zeros(2), t).rates for e in np.eye(2)]).T
    later = m.state(q + h * flow(x)[:2], u, t + h)
    earlier = m.state(q - h * flow(x)[:2], u, t - h)
    rate = np.zeros((2, 2))
    for k, e in enumerate(np.eye(2)):
        there, before = (
            m.state(y.coordinates, e, y.t).rates - m.state(y.coordinates, 0 * e, y.t).rates for y in (later, earlier)
        )
        rate[:, k] = (there - before) / (2 * h)
    T = np.block([[N, np.zeros((2, 2))], [np.zeros((2, 2)), np.eye(2)]])
    T_rate = np.block([[rate, np.zeros((2, 2))], [np.zeros((2, 4))]])
    assert np.allclose(A, np.linalg.solve(T, J @ T - T_rate), atol=1e-5)


@pytest.mark.parametrize("choose", WAYS)
def test_sensitivities_are_the_same(choose):
    plain, m = arm(), arm(choose)
    given = {"initial": {"A1": 0.3}, "speeds": {"A2": 1.0}, "parameters": ["k"], "output": 0.1, "rtol": 1e-9}
    a, b = (x.sensitivities(0.3, **given) for x in (plain, m))
    assert np.abs(a.of_outputs["x"]).max() > 1e-3
    assert np.allclose(a.of_outputs["x"], b.of_outputs["x"], atol=1e-6)
    step = 1e-5
    name = m.speeds[-1]
    own = m.sensitivities(0.2, {"A1": 0.3}, parameters=[], initial_values=[f"{name}'"], output=0.1, rtol=1e-9)
    moved = [m.simulate(0.2, {"A1": 0.3}, {name: x}, output=0.1, rtol=1e-10).q[-1] for x in (step, -step)]
    assert np.allclose(own.dq[-1, :, 0], (moved[0] - moved[1]) / (2 * step), atol=1e-5)


def test_a_controller_and_an_impulse_speak_of_joints():
    """A joint's name means its own speed, whatever was chosen in its place."""
    plain, m = arm(), arm(lambda s, k: s.choose_speeds({"w": lambda s: s.u["A1"] + 2.0 * s.u["A2"]}, ["A2"]))
    runs = [
        x.simulate(0.3, {"A1": 0.3}, output=0.1, control=lambda s: {"A1": 2.0 - s.u["A1"]}, control_rate=20, rtol=1e-9)
        for x in (plain, m)
    ]
    assert np.allclose(runs[0].position("b2"), runs[1].position("b2"), atol=1e-6)
    kick = da.Event(lambda s: s.t - 0.1, action=da.JointImpulse("A2", 0.7))
    runs = [x.simulate(0.2, {"A1": 0.3}, output=0.1, events={"kick": kick}) for x in (plain, m)]
    assert np.allclose(runs[0].position("b2"), runs[1].position("b2"), atol=1e-6)
    m = arm(by_speeds)
    with pytest.raises(da.SimulationError, match='control: a force on "A1" cannot be constant between calls'):
        m.simulate(0.1, control=lambda s: {"A1": 1.0}, control_rate=20)
    with pytest.raises(da.DriveError, match='joint "A1": its speeds were replaced by others that were chosen'):
        m.drives(m.reference, np.zeros(2), np.ones(2), actuated=["A1"])


def test_pages_files_and_words_have_them(tmp_path):
    """Equations, explanations, saved motions and pages name what was chosen; comparing goes on where a coordinate is dropped."""
    s = satellite()
    s.choose_coordinates(ETA, drop=["eta2"])
    m = s.build()
    assert "eta1" in m.equations("kane").text() and "eta1" in m.equations("kane").latex()
    assert "eta1" in str(m.explain("kane"))
    motion = m.simulate(0.2, {"eta1": 0.2}, {"float.wy": 1.0}, output=0.1)
    motion.save(tmp_path / "motion.nc")
    again = da.load_motion(tmp_path / "motion.nc", m)
    assert again.speeds == m.speeds and np.array_equal(again.u, motion.u)
    motion.page(tmp_path / "page.html")
    assert "eta1" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "lagrange" in str(m.compare(formulations=["kane", "lagrange"]))


def test_small_coordinates_in_chosen_speeds():
    """`small` names coordinates; the chosen speeds that are made of their rates alone are small with them."""
    s = satellite()
    s.choose_speeds({"eta1": lambda s: s.u["hinge1"] + s.u["hinge2"], "eta2": lambda s: s.u["hinge1"] - s.u["hinge2"]})
    m, plain = s.build(), satellite().build()
    small = ["hinge1", "hinge2"]
    q, u = np.append(m.reference[:7], (0.3, -0.2)), np.arange(1.0, 9.0)
    T = np.eye(8)
    T[6:, 6:] = [[0.5, 0.5], [0.5, -0.5]]
    here, there = (
        m.equations("kane", small=small).evaluate(q, u),
        plain.equations("kane", small=small).evaluate(q, T @ u),
    )
    assert np.allclose(here.A, T.T @ there.A @ T, atol=1e-12) and np.allclose(here.f, T.T @ there.f, atol=1e-12)
    with pytest.raises(da.FormulationError, match="mix rates of hinge1 with what is not small"):
        m.equations("kane", small=["hinge1"])


def four_bar(choose=None) -> da.Mechanism:
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    for name, length in (("crank", 0.4), ("coupler", 1.0), ("rocker", 0.9)):
        s.add_body(name, da.rod(1.0, length))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", (0.4, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", (1.0, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", (1.0, 0, 0), (0.9, 0, 0))
    s.add_force("spring", da.JointSpring("A", stiffness=2.0, damping=0.3))
    if choose is not None:
        s.choose_speeds(*choose)
    return s.build(cut=["C"])


def test_a_loop_begins_with_the_speed_that_was_given():
    """The crank's speed is the one given in the assembled pose, where chosen speeds mean something else than before assembly."""
    own = {
        "w": lambda s: (1.5 + da.cos(s.q["D"])) * s.u["A"] + 0.3 * s.q["D"] + s.t,
        "v": lambda s: s.u["B"] - s.u["A"],
    }
    plain, m = four_bar(), four_bar((own, ["A", "B"]))
    (Q, U), (q, u) = (x.assemble({"A": 1.0}, {"A": 2.0}, 0.3) for x in (plain, m))
    assert np.allclose(q, Q, atol=1e-12)
    x = m.state(q, u, 0.3)
    assert np.allclose([x.u["A"], x.u["B"], x.u["D"]], U, atol=1e-9)
    rest = m.state(*m.assemble({"A": 1.0}, None, 0.3), 0.3)
    assert abs(rest.u["A"]) + abs(rest.u["D"]) < 1e-12
    motions = [y.simulate(0.3, {"A": 1.0}, {"A": 2.0}, output=0.1, rtol=1e-9) for y in (plain, m)]
    assert np.allclose(motions[0].position("rocker"), motions[1].position("rocker"), atol=1e-7)
    with pytest.raises(da.EquilibriumError, match="that are not zero at rest"):
        m.equilibrium({"A": -1.0})
    with pytest.raises(da.StateError, match="sensitivities are then taken in the joints' own"):
        m.sensitivities(0.1, parameters=[], initial_values=["w'"])


def test_a_loop_is_linearised_and_balanced_in_chosen_speeds():
    own = {"w": lambda s: (1.5 + da.cos(s.q["D"])) * s.u["A"], "v": lambda s: s.u["B"] - s.u["A"]}
    plain, m = four_bar(), four_bar((own,))
    balance = [x.equilibrium({"A": -1.0}).q for x in (plain, m)]
    assert np.allclose(*balance, atol=1e-9)
    poles = [np.sort_complex(np.linalg.eigvals(x.linearise(balance[0]).A)) for x in (plain, m)]
    assert np.allclose(*poles, atol=1e-9)
    for names in ({"A": 1.0}, {"D": 1.6}):
        assert len(m.branches(names)) == len(plain.branches(names))


def test_given_values_are_kept_or_refused():
    """Names of two kinds that speak of the same are refused, also where one change of variables stands on another."""
    m = arm(by_both)
    assert m.coordinates == ("a", "b") and m.speeds == ("w", "b")
    q, u = m.assemble({"a": 0.2}, {"w": 0.5})
    assert np.allclose((q[0], u[0]), (0.2, 0.5))
    with pytest.raises(da.StateError, match=r'"A1" is given as 0\.7, but the other values given make it'):
        m.assemble(None, {"w": 0.5, "A1": 0.7})
    with pytest.raises(da.StateError, match=r"one follows from the other"):
        m.assemble({"a": 0.5, "A1": 0.7})


def test_bent_bodies_are_drawn_and_loaded_as_they_are(tmp_path):
    """Modes that are combined still bend the beam in pictures, and load its sections."""

    def boom(combined: bool) -> da.Motion:
        s = da.System("boom", gravity=(0, -9.81, 0))
        s.add_body("boom", elastic=da.beam(1.0, E=7e9, rho=2700.0, A=1e-4, Iy=2e-9, Iz=3e-9, modes={"y": 2}))
        s.add_joint("root", da.Weld(), "ground", "boom", at_child="root")
        if combined:
            s.choose_coordinates({"a": lambda s: s.q["boom.y1"] + 2.0 * s.q["boom.y2"], "b": lambda s: s.q["boom.y2"]})
            s.choose_speeds({"w": lambda s: s.u["a"] - s.u["b"] + s.t}, ["a"])
        return s.build().simulate(0.02, output=0.005, rtol=1e-9)

    from dalembert.view.drawing.wires import Wire, deflections

    plain, motion = boom(False), boom(True)
    wire = Wire(1, motion.mechanism.bodies[0].data.outline, ((0, 1),))
    drawn = [deflections(x, wire) for x in (plain, motion)]
    assert np.abs(drawn[0]).max() > 1e-4 and np.allclose(*drawn, atol=1e-8)
    loads = [x.section_forces("boom").moment for x in (plain, motion)]
    assert np.abs(loads[0]).max() > 0.1 and np.allclose(*loads, atol=1e-4)
    assert np.allclose(plain.tisserand_frame("boom"), motion.tisserand_frame("boom"), atol=1e-6)
    motion.page(tmp_path / "boom.html")


def test_what_needs_the_joints_says_so():
    with pytest.raises(da.DalembertError, match=r"use m\.in_joint_variables"):
        len(Hidden())


def test_motions_with_simulate_many_begin_at_rest():
    """u = v + 2 t: without speeds given, nothing moves at the start."""
    s = satellite()
    s.choose_speeds({"w": lambda s: s.u["hinge1"] + 2.0 * s.t})
    m = s.build()
    q = np.array([m.reference, m.reference])
    every = m.simulate_many(q, 0.01, start=0.5)
    assert [motion.u[0, -2] for motion in every] == [1.0, 1.0]


@pytest.mark.parametrize("choose", [lambda s: s.choose_speeds("world axes"), lambda s: s.choose_coordinates(ETA)])
def test_the_page_goes_on_simulating(choose, tmp_path):
    s = satellite()
    choose(s)
    m = s.build()
    motion = m.simulate(0.1, START, {k: x for k, x in SPEEDS.items() if k == "hinge1"}, output=0.05)
    motion.page(tmp_path / "live.html", live=True)
    assert m.speeds[-1] in (tmp_path / "live.html").read_text(encoding="utf-8")
