"""A stranger at the door: wrong kinds, wrong sizes, nan, nothing, unknown names. Each is refused, and none taken for something else."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from benchmarks.loop_models import four_bar

NAN = float("nan")
TWO = [0.0, 0.0]


@pytest.fixture(scope="module")
def m():
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    mass = s.parameter("M", 1.0)
    s.add_body("rod", mass=mass, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
    s.add_body("tip", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    s.add_joint("B", da.Revolute(), "rod", "tip", at_parent=(1, 0, 0))
    return s.build()


@pytest.fixture(scope="module")
def motion(m):
    return m.simulate(0.2, {"A": 0.3}, output=0.1)


@pytest.fixture(scope="module")
def loop():
    return four_bar(1.0, 2.5, 1.7, 2.0)


DESCRIBED = {
    "a relation that is no function": lambda: da.Relation(position=3),
    "a drive of a number": lambda: da.Drive(3, 3),
    "a drive to a text": lambda: da.Drive("A", "x"),
    "a coupling of a list": lambda: da.Coupling([1, 2]),
    "a coupling of nothing": lambda: da.Coupling({}),
    "coefficients that are one number": lambda: da.Polynomial({"A": 1}, {"B": 1}, 3),
    "a rod of no length": lambda: da.Distance("a", "b", 0.0),
    "a skate on a number": lambda: da.KnifeEdge("a", on=3),
    "a ball of text": lambda: da.RollingBall("a", "x"),
    "a spring's tension that is a number": lambda: da.Spring("a", "b", tension=3),
    "a motor on a number": lambda: da.Motor(3),
    "a load in strange axes": lambda: da.Load("a", axes="x"),
    "a tendon of nothing": lambda: da.Tendon({}),
    "an output that is text": lambda: da.outputs.Value("x"),
    "a screw without pitch": lambda: da.Screw(pitch=0),
    "an orientation that is a list": lambda: da.Free([]),
    "a point of a number": lambda: da.Point(3),
    "a frame on node 3": lambda: da.Frame(node=3),
    "gains that are text": lambda: da.Baumgarte("a"),
    "a robot whose laws are a list": lambda: da.load_robot("x.urdf", laws=[]),
    "a robot that is strict by a word": lambda: da.load_mjcf("x.xml", strict="no"),
    "a system named 3": lambda: da.System(3),
    "a table of text": lambda: da.Table("a", "b"),
    "a file named 3": lambda: da.load(3),
    "a motion in file None": lambda: da.load_motion(None),
    "a robot in file 3": lambda: da.load_urdf(3),
    "a model in file 3": lambda: da.System.load(3),
    "a system saved in 3": lambda: da.System().save(3),
    "a cut at 3": lambda: da.System().build(cut=3),
    "an event that is a number": lambda: da.Event(3),
    "an event upward in words": lambda: da.Event(lambda s: s.t, direction="up"),
    "a turn about 3": lambda: da.turn(3, 0.1),
    "a turn about an axis that is too long": lambda: da.turn((1, 1, 0), 0.1),
    "a turn by text": lambda: da.turn((1, 0, 0), "a"),
}  # fmt: skip


@pytest.mark.parametrize("what", DESCRIBED)
def test_what_is_described_is_checked_as_it_is_said(what):
    with pytest.raises(da.DalembertError):
        DESCRIBED[what]()


ASKED = {
    "solve at nan": lambda m: m.solve([NAN, 0], TWO),
    "solve at text": lambda m: m.solve("a", TWO),
    "solve by 3": lambda m: m.solve(TWO, TWO, constraints=3),
    "dynamics at text": lambda m: m.forward_dynamics("a", TWO),
    "dynamics by an unknown method": lambda m: m.forward_dynamics(TWO, TWO, constraints="x"),
    "parameters that are a number": lambda m: m.forward_dynamics(TWO, TWO, parameters=3),
    "a negative mass": lambda m: m.forward_dynamics(TWO, TWO, parameters={"M": -1.0}),
    "a negative mass in a batch": lambda m: m.forward_dynamics(np.zeros((3, 2)), TWO, parameters={"M": [1.0, 2.0, -1.0]}),
    "a parameter that is nan": lambda m: m.mass_matrix(TWO, parameters={"M": NAN}),
    "a time that is text": lambda m: m.state(t="a"),
    "no time": lambda m: m.state(t=None),
    "assembly at a time that is text": lambda m: m.assemble(t="a"),
    "a start that is text": lambda m: m.simulate(1.0, start="a"),
    "parameters of a run that are a number": lambda m: m.simulate(1.0, parameters=3),
    "a parameter named 3": lambda m: m.simulate(1.0, parameters={3: 1.0}),
    "a run that goes on from 3": lambda m: m.simulate(1.0, resume=3),
    "a checkpoint that is a folder": lambda m: m.simulate(1.0, checkpoint="/"),
    "a step below the rounding of time": lambda m: m.simulate(1.0, method="rk4", step=1e-20),
    "a step below the rounding of a late time": lambda m: m.simulate(1.0, method="rk4", step=1e-9, start=1e8),
    "stabilised by a list": lambda m: m.simulate(1.0, stabilise=[]),
    "outputs at text": lambda m: m.simulate(1.0, output=["a"]),
    "until text": lambda m: m.simulate(1.0, until=lambda s: "a"),
    "a controller that gives text": lambda m: m.simulate(1.0, control=lambda s: {"A": "x"}, control_rate=10),
    "a controller that is called for ever": lambda m: m.simulate(1.0, control=lambda s: {}, control_rate=1e9),
    "no motions": lambda m: m.simulate_many(np.zeros((0, 2)), 1.0),
    "motions of unlike lengths": lambda m: m.simulate_many([[0, 0], [0]], 1.0),
    "motions from text": lambda m: m.simulate_many(np.array([["a", "b"]]), 1.0),
    "motions of negative mass": lambda m: m.simulate_many(np.zeros((2, 2)), 1.0, parameters={"M": [-1.0, 1.0]}),
    "half a thread": lambda m: m.simulate_many(np.zeros((2, 2)), 1.0, threads=1.5),
    "an unknown formulation compared": lambda m: m.compare(formulations=["x"]),
    "nothing compared": lambda m: m.compare(formulations=[]),
    "no states compared": lambda m: m.compare(states=0),
    "inputs that are a number": lambda m: m.linearise(TWO, inputs=3),
    "outputs that are a number": lambda m: m.linearise(TWO, outputs=3),
    "forces that are text": lambda m: m.linearise(TWO, tau="a"),
    "along a number": lambda m: m.linearise_along(3),
    "held by a number": lambda m: m.equilibrium(hold=3),
    "half a start": lambda m: m.equilibrium(starts=0.5),
    "a locus over text": lambda m: m.root_locus("M", "a"),
    "a map over one value": lambda m: m.stability_map({"M": 3, "x": None}),
    "a map over a number": lambda m: m.stability_map(3),
    "driven by a number": lambda m: m.drives(TWO, TWO, TWO, 3),
    "accelerations of another size": lambda m: m.drives(TWO, TWO, [0, 0, 0]),
    "weights of text": lambda m: m.drives(TWO, TWO, TWO, weights={"A": "a"}),
    "sensitive to a number": lambda m: m.sensitivities(1.0, parameters=3),
    "measured text": lambda m: m.identify([0, 1], {"A": "ab"}, ["M"]),
    "measured without deviation": lambda m: m.identify([0, 1], {"A": [0, 1]}, ["M"], sigma=0),
    "bounds the wrong way round": lambda m: m.identify([0, 1], {"A": [0, 1]}, ["M"], bounds={"M": (2, 1)}),
    "bounds of something else": lambda m: m.identify([0, 1], {"A": [0, 1]}, ["M"], bounds={"x": (1, 2)}),
    "a sweep to text": lambda m: m.sweep("A", "a"),
    "a sweep from a number": lambda m: m.sweep("A", [0, 1], 3),
    "a path of text": lambda m: m.follow("tip", "abc", [0, 1]),
    "a path in a plane": lambda m: m.follow("tip", lambda t: (1.0, 0.0), [0, 1]),
    "a path at no time": lambda m: m.follow("tip", lambda t: (1, None, None), []),
    "turned by a number": lambda m: m.follow("tip", lambda t: (1, None, None), [0, 1], orientation=3),
}  # fmt: skip


@pytest.mark.parametrize("what", ASKED)
def test_what_is_asked_of_a_mechanism_is_checked(m, what):
    with pytest.raises(da.DalembertError):
        ASKED[what](m)


TOLD = {
    "momentum about text": lambda x: x.momentum(about="x"),
    "momentum about two numbers": lambda x: x.momentum(about=(1, 2)),
    "a number evaluated": lambda x: x.evaluate(3),
    "text evaluated": lambda x: x.evaluate(lambda s: "x"),
    "nothing evaluated": lambda x: x.evaluate(lambda s: None),
    "a page in file 3": lambda x: x.page(3),
    "traces of a number": lambda x: x.page("x.html", traces=3),
    "traces of letters": lambda x: x.page("x.html", traces="xyz"),
    "reactions of a number": lambda x: x.page("x.html", reactions=3),
    "saved in file 3": lambda x: x.save(3),
    "exported under number 3": lambda x: x.export_c("made", 3),
    "an FMU of version 3": lambda x: x.export_fmu("made.fmu", 3),
    "an FMU for platform 3": lambda x: x.export_fmu("made.fmu", platforms=[3]),
    "a coordinate of number 3": lambda x: x[3],
    "the reaction of several joints": lambda x: x.reaction(["A"]),
    "the reaction at an array": lambda x: x.reaction("A", at=np.zeros(2)),
    "the reaction along an empty array": lambda x: x.reaction("A", axes=np.zeros(0)),
    "the drive of a number": lambda x: x.drive(["A"]),
    "several coordinates at once": lambda x: x[["A", "B"]],
}


@pytest.mark.parametrize("what", TOLD)
def test_what_is_asked_of_a_motion_is_checked(motion, what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(da.DalembertError):
        TOLD[what](motion)
    assert not list(tmp_path.iterdir())


def test_a_single_name_stands_for_itself(m, motion, tmp_path):
    assert {e.formulation for e in m.compare(formulations="kane", constraints="svd", states=1).entries} == {"kane"}
    assert m.linearise(TWO, inputs="A").inputs == ("A",)
    assert motion.page(tmp_path / "x.html", traces="tip", reactions="A").exists()


def test_motions_are_numbered(m):
    many = m.simulate_many(np.zeros((3, 2)), 0.1, step=0.05, output=0.1)
    assert len(many[-1]) == len(many[2]) == 2
    for wrong in (7, -4, "a", 1.5, slice(0, 2)):
        with pytest.raises(da.DalembertError, match="from 0 to 2"):
            many[wrong]


def test_accelerations_of_a_loop_are_those_of_an_assembled_one(loop):
    """Small drift is let pass; a state that is not on the loop has no accelerations."""
    q, u = loop.assemble({"A": 0.7}, {"A": 1.0})
    expected = loop.forward_dynamics(q, u)
    np.testing.assert_allclose(loop.forward_dynamics(q + 1e-7, u), expected, rtol=1e-4)
    for ask in (loop.forward_dynamics, loop.solve, lambda *state: loop.forward_dynamics(*state, constraints="svd")):
        with pytest.raises(da.DalembertError, match=r'"C"|not assembled'):
            ask([0.7, 0.0, 0.0], [0.0, 0.0, 0.0])
        with pytest.raises(da.StateError, match='speeds u do not keep "C"'):
            ask(q, [1.0, 0.0, 0.0])
        with pytest.raises(da.StateError, match='of state 1 do not close "C"'):
            ask(np.array([q, np.zeros(3)]), np.array([u, u]))
    with pytest.raises(da.StateError, match='"C"'):
        loop.linearise([0.0, 0.0, 0.0])


def test_a_controller_ends_with_the_steps_that_are_allowed(m):
    with pytest.raises(da.SimulationError, match="50 steps"):
        m.simulate(1.0, {"A": 0.3}, control=lambda s: {}, control_rate=40, max_steps=50, step=0.01)


def test_forces_that_are_no_finite_numbers_are_told_in_words():
    s = da.System("burst")
    s.add_body("a", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "a")
    s.add_force("f", da.Motor("A", lambda s: 1e308 * (10.0 + s.q["A"])))
    m = s.build()
    calls = (lambda: m.equations("kane").solve([0.1], [0.0]), lambda: m.compare(["kane", "newton_euler"], states=1))
    for call in (*calls, lambda: m.linearise([0.1]), lambda: m.simulate(0.1)):
        with pytest.raises(da.DalembertError, match=r"finite|cannot be evaluated"):
            call()
