"""What is wrong about elements and their connections is said in a sentence that names it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from tests.elements.energy import sled


@dataclass(frozen=True, eq=False)
class Own(da.Element):
    """An element of the test's, wrong in one way."""

    said: Any = None

    @property
    def states(self) -> Mapping[str, float]:
        return {"a": 0.0, "b": 0.0}

    def rates(self, x: Any) -> Mapping[str, Any]:
        return self.said(x)


def mistaken(add: Callable[[da.System], None]) -> str:
    s = sled()
    with pytest.raises(da.DalembertError) as told:
        add(s)
        s.build().simulate(0.01)
    return str(told.value)


@pytest.mark.parametrize(
    ("add", "words"),
    [
        (lambda s: s.add_element("m", da.DCMotor("A", 1, 1, 1)), 'element "m": its input "voltage" is not connected'),
        (lambda s: s.add_element("m", da.DCMotor("A", 1, 1, 1), volt=3.0), 'volt'),
        (lambda s: s.add_element("m", da.DCMotor("A", 1, 1, 1), voltage="pid.output"), "pid.output"),
        (lambda s: s.add_element("m", da.DCMotor("A", 1, 1, 1), voltage="m.power"), "m.power"),
        (lambda s: s.add_element("m", da.DCMotor("A", 1, 1, 1), voltage=float("nan")), "finite"),
        (lambda s: s.add_element("m", da.DCMotor("A", 1, 1, 1), voltage=lambda s: [1.0, 2.0]), "one number is expected"),
        (lambda s: s.add_element("m", da.DCMotor("A", 1, 1, 1), voltage=lambda s: s.u["B"]), "B"),
        (lambda s: s.add_element("m", da.DCMotor("A", 1, 1, 1), voltage=lambda s: "high"), 'element "m"'),
        (lambda s: s.add_element("m", da.DCMotor("A", 1, 1, 1), voltage=lambda s: 1.0 if s.t > 1 else 0.0), "da.select"),
        (lambda s: s.add_element("m", da.DCMotor("Z", 1, 1, 1), voltage=1.0), '"m".*Z'),
        (lambda s: s.add_element("m", da.DCMotor("A", float("nan"), 1, 1), voltage=1.0), "DCMotor: resistance"),
        (lambda s: s.add_element("m", da.DCMotor("A", "5 ohm", 1, 1), voltage=1.0), "DCMotor: resistance must be a number"),
        (lambda s: s.add_element("w", da.ReactionWheel("sledge", (0, 0, 1), 1.0), torque=1.0), "sledge"),
        (lambda s: s.add_element("e", Own(lambda x: {"a": 1.0})), 'element "e": rates gives no rate of its state "b"'),
        (lambda s: s.add_element("e", Own(lambda x: {"a": 1.0, "b": 1.0, "c": 0.0})), "c"),
        (lambda s: s.add_element("e", Own(lambda x: [1.0, 2.0])), "rates must give"),
        (lambda s: s.add_element("e", Own(lambda x: {"a": x["d"], "b": 1.0})), "'d'"),
        (lambda s: s.add_element("e", Own(lambda x: 1 / 0)), 'element "e" cannot be computed: ZeroDivisionError'),
        (lambda s: s.add_element("pid", da.PID(1.0, period=-0.1), measured=0.0), "PID: period"),
        (lambda s: s.add_element("pid", da.PID(1.0, filter=0.0), measured=0.0), "PID: filter"),
        (lambda s: s.connect("m.voltage", 1.0), '"m'),
        (lambda s: s.add_element("own", da.LowPass(0.1), input=1.0), 'element "own": "own" is reserved'),
        (lambda s: s.add_element("a b", da.LowPass(0.1), input=1.0), "a b"),
        (lambda s: s.add_element("h", da.Hold(0.1), input=lambda s: s.signal("h.stored") + s.signal("k.output")), "k"),
        (
            lambda s: s.add_element("b", da.Belt(("ground", ("ground", (1, 0, 0))), (2.0, 0.1), 1e3)),
            'element "b": pulleys 1 and 2 lie in each other',
        ),
        (
            lambda s: (
                s.add_element("d", da.DistanceSensor("ground", "sled")),
                s.add_element("m", da.DCMotor("A", 1, 1, 1), voltage="d.distance"),
            ),
            'connection "m.voltage": it takes V, and "d.distance" is in m; put a controller between',
        ),
    ],
)  # fmt: skip
def test_mistakes_are_named(add: Callable[[da.System], None], words: str) -> None:
    assert re.search(words, mistaken(add)), mistaken(add)


def test_a_limit_below_another_is_refused() -> None:
    with pytest.raises(da.ModelError, match="Saturation: lower=2 must be below upper=1"):
        da.Saturation(2.0, 1.0)
    with pytest.raises(da.ModelError, match="PID: lower=1 must be below upper=-1"):
        da.PID(1.0, lower=1.0, upper=-1.0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: da.DCMotor("A", 1.0, 0.0, 0.5), "DCMotor: inductance must be positive"),
        (lambda: da.LowPass(0.0), "LowPass: time must be positive"),
        (lambda: da.LowPass(-1.0), "LowPass: time must be positive"),
        (lambda: da.LeadLag(1.0, 0.0), "LeadLag: lag must be positive"),
        (lambda: da.RateLimit(-1.0), "RateLimit: rate must be positive"),
        (lambda: da.DeadZone(-1.0), "DeadZone: width must not be below zero"),
        (lambda: da.Dahl("A", 0.0, 1.0), "Dahl: stiffness must be positive"),
        (lambda: da.Dahl("A", 1.0, -1.0), "Dahl: force must be positive"),
        (lambda: da.LuGre("A", 1.0, 1.0, 1.0, 0.0), "LuGre: stribeck must be positive"),
        (lambda: da.ReactionWheel("b", (0, 0, 2), 1.0), "ReactionWheel: axis"),
        (lambda: da.ReactionWheel("b", (0, 0, 1), 0.0), "ReactionWheel: inertia must be positive"),
        (lambda: da.Thruster("b", (0, 0, 0), 1.0, 0.1), "Thruster: direction"),
        (lambda: da.HydraulicCylinder("A", 1e-3, 1e-3, 0.0, 1e-3, 1e-7, 1e7), "HydraulicCylinder: volume must be positive"),
        (lambda: da.Cable(("a", "b"), (0, 0), 0.0, 1e3), "Cable: length must be positive"),
        (lambda: da.Belt(("a", "b"), (0.1, 0.1), 0.0), "Belt: stiffness must be positive"),
        (lambda: da.Hold(), "Hold: it is sampled: give its period"),
        (lambda: da.IMU("b"), "IMU: it is sampled: give its period"),
        (lambda: da.Encoder("A", resolution=0.1), "Encoder: steps are read at samples: give a period"),
        (lambda: da.CentralGravity(float("inf")), "CentralGravity: parameter must be finite"),
    ],
)  # fmt: skip
def test_numbers_that_no_part_has_are_refused_as_they_are_given(make: Callable[[], Any], words: str) -> None:
    """What would be divided by, or run away, later."""
    with pytest.raises(da.ModelError, match=words):
        make()


SAMPLED = """
name: sled
bodies:
  sled: {mass: 1}
joints:
  A: {type: prismatic, parent: ground, child: sled, axis: [1, 0, 0]}
elements:
  law:
    type: formulas
    inputs: [error]
    period: 0.1
    states: {sum: 0, out: 0}
    update: {sum: own.sum + 0.1*own.error, out: 2*own.error + own.sum - 3*u.A}
    outputs: {force: own.out}
    torques: {A: own.out}
connections:
  law.error: 1 - q.A
simulation: {duration: 2}
"""


def test_sampled_formulas_of_a_file_are_those_written_out(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(SAMPLED)
    motion = da.load(tmp_path / "m.yaml").simulate(2.0, output=0.1, rtol=1e-12)
    x = v = total = out = 0.0
    for k in range(21):
        assert abs(motion["A"][k] - x) < 1e-11, k
        total, out = total + 0.1 * (1.0 - x), 2.0 * (1.0 - x) + total - 3.0 * v
        x, v = x + 0.1 * v + 0.005 * out, v + 0.1 * out


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("period: 0.1", "period: -0.1"), "period"),
        (("period: 0.1", ""), "update is for sampled elements"),
        (("own.sum + 0.1*own.error", "own.summ"), "summ"),
        (("law.error: 1 - q.A", "law.eror: 1 - q.A"), r"m\.yaml:17:3: .*eror"),
        (("law.error: 1 - q.A", "law.error: motor.current"), "motor"),
        (("law.error: 1 - q.A", "law.error: law.force + own.out"), "own"),
        (("{A: own.out}", "{B: own.out}"), "B"),
        (("states: {sum: 0, out: 0}", "states: {sum: .nan, out: 0}"), "sum|finite"),
        (("states: {sum: 0, out: 0}", "states: [sum, out]"), "states"),
        (("outputs: {force: own.out}", "outputs: {sum: own.out}"), "sum"),
        (("type: formulas", "type: formula"), "formulas"),
    ],
)
def test_mistakes_in_files_are_named_with_their_place(change: tuple[str, str], words: str, tmp_path: Path) -> None:
    assert change[0] in SAMPLED
    (tmp_path / "m.yaml").write_text(SAMPLED.replace(*change))
    with pytest.raises(da.DalembertError, match=words):
        da.load(tmp_path / "m.yaml").build().simulate(0.1)


def test_states_that_are_no_numbers_are_refused() -> None:
    s = sled()
    s.add_element("f", da.LowPass(0.1), input=1.0)
    m = s.build()
    for wrong in (float("nan"), float("inf"), "fast", [1.0, 2.0]):
        with pytest.raises(da.DalembertError, match=r"f\.value"):
            m.simulate(0.1, {"f.value": wrong})
    with pytest.raises(da.DalembertError, match=r"f\.valu"):
        m.simulate(0.1, {"f.valu": 1.0})
    assert np.isfinite(m.simulate(0.1).z).all()


@pytest.mark.parametrize("name", [3, None, True, ["f"], {"f": 1}, 1.5])
def test_signals_and_inputs_are_named_by_text(name: Any) -> None:
    s = sled()
    s.add_element("f", da.LowPass(0.1), input=1.0)
    m = s.build()
    for call in (lambda: m.state().signal(name), lambda: s.connect(name, 1.0), lambda: s.choose_speeds("rates", name)):
        with pytest.raises(da.DalembertError):
            call()


@pytest.mark.parametrize("name", [3, None, ["A"], {"A": 1}])
def test_what_is_read_of_states_and_motions_is_named_by_text(name: Any) -> None:
    m = sled().build()
    motion = m.simulate(0.01)
    for call in (lambda: motion[name], lambda: m.state().q[name], lambda: m.state().u[name]):
        with pytest.raises(da.DalembertError):
            call()


def moved_by_a_state(how: str) -> da.System:
    """A place, a length, a limit or a speed that is made of a state."""
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    way = s.add_element("way", da.Integral(0.5), input=0.3)["value"]
    s.add_body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1))
    s.add_joint("A", da.Translation(), "ground", "bob", at_parent=(way, 0, 0) if how == "place" else (0, 0, 0))
    if how == "length":
        s.add_constraint("rod", da.Distance("ground", "bob", length=way))
    if how == "limit":
        s.add_law("stop", da.Stop("A.x", upper=way))
    if how == "spring":
        s.add_force("damper", da.Spring(("ground", (way, 0, 0)), "bob", damping=2.0))
    if how == "bushing":
        s.add_element("mount", da.Bushing(("ground", (0, way, 0)), "bob", [1.0] * 6))
    if how == "speed":
        s.choose_speeds({"p": lambda s: s.signal("way.value") * s.u["A"][0]})
    return s


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("place", 'joint "A": its place depends on the state "way.value" of an element'),
        ("length", 'constraint "rod": what it demands depends on the state "way.value"'),
        ("limit", 'law "stop": where it acts depends on the state "way.value"'),
        ("spring", '"damper": a point where it acts depends on the state "way.value"'),
        ("bushing", '"mount": a point where it acts depends on the state "way.value"'),
        ("speed", 'speed "p" depends on the state "way.value" of an element'),
    ],
)
def test_places_made_of_states_are_refused_for_their_velocities_would_be_wrong(how: str, words: str) -> None:
    with pytest.raises(da.ModelError) as told:
        moved_by_a_state(how).build()
    assert words in str(told.value)


def test_inertia_of_a_joint_may_be_a_parameter_or_a_state() -> None:
    """Also where the bodies' own inertia along the joint is a plain number."""
    s = sled(mass=2.0)
    J = s.parameter("J", 1.0)
    s.add_body("cart", mass=1.0)
    s.add_joint("B", da.Prismatic((1, 0, 0)), "ground", "cart", armature=J)
    s.add_force("push", da.Motor("B", 6.0))
    m = s.build()
    assert np.allclose(m.simulate(1.0, parameters={"J": 2.0})["B'"][-1], 2.0)
    assert np.allclose(m.mass_matrix([0.0, 0.0]), [[2.0, 0.0], [0.0, 2.0]])


def test_a_signal_with_the_name_of_a_coordinate_is_refused() -> None:
    s = da.System("plate")
    s.add_body("plate", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.add_joint("A", da.Planar(), "ground", "plate")
    s.add_element("A", da.StateSpace([[-1.0]], [[1.0]], [[1.0]], [[0.0]]), input=1.0)
    s.build()  # A.x1 is no coordinate
    s.add_element("B", da.StarTracker("plate"))
    s.build()
    s = da.System("plate")
    s.add_body("plate", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.add_joint("A", da.Planar(), "ground", "plate")
    s.add_element("A", da.StarTracker("plate"))
    with pytest.raises(da.ModelError, match=r'element "A": its "x" would be called "A\.x", as a value of joint "A" is'):
        s.build()


@pytest.mark.parametrize(
    "make",
    [
        lambda x: da.StateSpace([[x]], [[1.0]], [[1.0]], [[0.0]]),
        lambda x: da.TransferFunction([1.0], [x, 1.0]),
        lambda x: da.Bushing("a", "b", [x] * 6),
        lambda x: da.Bushing("a", "b", [1.0] * 6, arms=[(x, 1.0)]),
        lambda x: da.StarTracker("a", wanted=(x, 0, 0, 0)),
        lambda x: da.Delay(x, 1e-300),
        lambda x: da.Delay(1e300, 1e-300) if x else None,
        lambda x: da.surfaces.curve("a", [(x, 0), (1, 0), (0, 1)]),
    ],
)
def test_whole_numbers_beyond_every_number_are_refused_in_words(make: Callable[[int], Any]) -> None:
    with pytest.raises(da.DalembertError):
        make(10**400)


def test_a_signal_that_is_no_number_is_refused_in_words() -> None:
    """In the middle of a planet's dipole there is no field."""
    s = da.System("in the middle")
    s.add_body("cart", da.particle(1.0))
    s.add_joint("x", da.Prismatic(), "ground", "cart")
    s.add_element("coil", da.MagneticTorquer("cart", axis=(0, 0, 1), pole=(0, 1, 0)), dipole=1.0)
    m = s.build()
    with pytest.raises(da.StateError, match=r'signal "coil\.field_x" is not a number'):
        m.state([0.0], [0.0]).signal("coil.field_x")
    assert np.isfinite(m.state([1.0], [0.0]).signal("coil.field_x"))


def test_a_rate_that_is_no_number_is_refused_in_words() -> None:
    """The difference of two infinities."""
    s = da.System("beyond all numbers")
    s.add_body("cart", da.particle(1.0))
    s.add_joint("x", da.Prismatic(), "ground", "cart")
    s.add_element("pid", da.PID(kp=1e10, ki=1e10, lower=-1.0, upper=1.0), reference=1e308, measured=lambda s: s.q["x"])
    m = s.build()
    with pytest.raises(da.StateError, match=r'rate of state "pid\.integral" is not a number'):
        m.state_rates(m.numeric.state([0.0], [0.0]))
