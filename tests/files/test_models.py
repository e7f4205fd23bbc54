"""Model files: the same mechanism comes back, bit for bit; what cannot be said is refused with its name."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.files.models.layout import SIMULATION
from dalembert.files.models.read import read_text
from dalembert.files.models.records import fields_of
from dalembert.files.models.write import plain_data
from dalembert.formulations import FORMULATIONS
from dalembert.kernels.mechanism_fingerprint import fingerprint_of as key_of
from dalembert.mechanism.simulation_options import RESTITUTION, STABILISATIONS
from dalembert.parts.constraints import CONSTRAINTS
from dalembert.parts.forces import FORCES
from dalembert.parts.joints import JOINTS
from dalembert.parts.outputs import OUTPUTS
from dalembert.parts.shapes import SHAPES
from dalembert.parts.solids import SOLIDS
from dalembert.simulation.integrators.integrator import INTEGRATORS
from tests.effort import examples
from tests.mechanisms import planar_pendulum, random_tree, seeds

FOUR_BAR = """
name: four-bar
gravity: [0, -9.81, 0]
bodies:
  crank: {matter: {type: rod, length: 1, mass: 1}}
  coupler: {matter: {type: rod, length: 2.5, mass: 1}}
  rocker: {matter: {type: rod, length: 1.7, mass: 1}}
joints:
  A: {type: revolute, parent: ground, child: crank}
  B: {type: revolute, parent: crank, child: coupler, at_parent: [1, 0, 0]}
  C: {type: revolute, parent: coupler, child: rocker, at_parent: [2.5, 0, 0], at_child: [1.7, 0, 0]}
  D: {type: revolute, parent: ground, child: rocker, at_parent: [2, 0, 0]}
initial: {A: 0.7}
simulation: {duration: 0.5, output: 0.1}
"""


def again(s: da.System, path) -> da.System:
    s.save(path)
    return da.System.load(path)


@settings(max_examples=examples(20))
@given(seeds)
def test_random_trees_come_back_bit_for_bit(tmp_path_factory, seed):
    rng = np.random.default_rng(seed)
    s = random_tree(rng, int(rng.integers(1, 6)), conservative=True, prescribed=True)
    path = tmp_path_factory.mktemp("trees")
    key = key_of(s.build())
    for name in ("a.yaml", "a.json"):
        back = again(s, path / name)
        assert key_of(back.build()) == key
        assert plain_data(back) == plain_data(s)


def test_expressions_of_parameters_come_back(tmp_path):
    s = planar_pendulum(3)
    back = again(s, tmp_path / "p.yaml")
    assert key_of(back.build()) == key_of(s.build())
    assert dict(back.parameters) == dict(s.parameters)


def everything() -> da.System:
    """One of each constraint, force, output and shape, and all that a plan may say."""
    system, _ = read_text(
        """
name: everything
purpose: to be written and read again
gravity: [0, 0, -g]
parameters: {g: 9.81, k: 40, l: 0.5}
tables:
  wind: {times: [0, 1, 2, 5], values: [0, 1, 0, 1], outside: hold}
  two: {times: [0, 1], values: {x: [0, 1], y: [1, 0]}, kind: linear}
bodies:
  a: {mass: 1, com: [0, 0, l], inertia: [[1, 0.1, 0], [0.1, 1.5, 0], [0, 0, 2]]}
  b:
    matter:
      - {type: box, size: [1, l, 1], density: 10, colour: "#ff8800"}
      - {type: capsule, radius: 0.1, length: l, mass: k/10, at: {position: [0, 0, 1], rotation: {axis: [1, 0, 0], angle: 30*deg}}}
      - {type: particle, mass: 1, at: [1, 0, 0]}
      - {type: rod, length: 1, radius: 0.01, density: 7800}
  c:
    matter: {type: sphere, radius: 0.2, mass: 1}
    shapes:
      - {type: sphere, radius: 0.2, opacity: 0.5}
      - {type: cylinder, radius: 0.2, length: 1, colour: orange}
      - {type: line, points: [[0, 0, 0], [l, 0, 0]]}
      - {type: mesh, vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], faces: [[0, 1, 2]]}
ground: {shapes: [{type: box, size: [1, 1, 0.1]}]}
frames:
  tip: {body: a, position: [0, 0, l], rotation: {quaternion: [0, 1, 0, 0]}}
  side: {body: b, rotation: {angles: [0.1, 0.2, 0.3]}}
joints:
  A: {type: free, parent: ground, child: a}
  B: {type: universal, axis_child: [0, 0, 1], parent: a, child: b, at_parent: tip, at_child: side, prescribed: {"2": 0.1*sin(3*t)}}
  C: {type: weld, parent: b, child: c}
constraints:
  rod: {type: distance, a: tip, b: [ground, [0, 0, 1]], length: 2*l}
  plane: {type: on_plane, follower: b, origin: ground}
  wheel: {type: rolling_disc, centre: a, radius: l}
  skate: {type: knife_edge, at: b}
  law: {type: relation, position: ["q.A.x - 0.1*t", "q.A.y"]}
forces:
  push: {type: load, at: tip, force: [0, "10*sin(2*pi*t) + wind(t/2)", k + two.y(t)], axes: body}
  twist: {type: load, at: b, torque: [1, 2, 3]}
  motor: {type: motor, joint: B, coordinate: "1", torque: "-k*(q.B.1 - 0.3) + select(t < 1, 1, 0)"}
  spring: {type: spring, a: tip, b: ground, stiffness: k, tension: 3*x^3 + 0.1*v}
  coil: {type: joint_spring, joint: B, coordinate: "1", stiffness: 3, torque: -q^3}
cut: []
initial: {A.x: 0.5, B: 10*deg}
speeds: {A: [0, 0, 1, 0, 0, 0]}
outputs:
  height: {type: position, at: tip}
  rate: {type: velocity, at: [b, [1, 0, 0]]}
  spin: {type: angular_velocity, body: b}
  lean: {type: value, of: q.B.1/deg, unit: deg}
  lift: q.A.z + l
events:
  low: out.height.z + 1
  fast: {when: out.lean - u.B.1, direction: up, stop: true}
simulation: {duration: 2, rtol: 1e-8, atol: 1e-9, output: [0, 0.5, 2], start: 0, max_step: 0.1, max_steps: 100000, stabilise: none}
"""
    )
    return system


def test_everything_comes_back(tmp_path):
    s = everything()
    for name in ("e.yaml", "e.yml", "e.json"):
        back = again(s, tmp_path / name)
        assert plain_data(back) == plain_data(s)
        first, second = (x.build(cut=()) for x in (s, back))
        assert key_of(first) == key_of(second)
        assert first.plan.options == second.plan.options
        assert [[type(x) for x in b.shapes] for b in first.bodies] == [
            [type(x) for x in b.shapes] for b in second.bodies
        ]


def test_motions_of_files_are_those_of_python(tmp_path):
    (tmp_path / "f.yaml").write_text(FOUR_BAR)
    m = da.load(tmp_path / "f.yaml")
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    for name, length in (("crank", 1.0), ("coupler", 2.5), ("rocker", 1.7)):
        s.add_body(name, da.rod(mass=1.0, length=length))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(1.0, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(2.5, 0, 0), at_child=(1.7, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(2.0, 0, 0))
    wanted = s.build().simulate(0.5, {"A": 0.7}, output=0.1)
    assert np.array_equal(m.simulate().q, wanted.q)
    assert len(m.simulate(0.2)) == 3
    assert m.simulate(0.1, initial={"A": 0.8}).q[0, 0] == 0.8
    stepped = da.SimulationOptions(step=1e-3).completed(m.plan.options)
    assert stepped == da.SimulationOptions(step=1e-3, output=0.1)


@pytest.mark.parametrize("cls", [*JOINTS, *FORCES, *CONSTRAINTS, *SHAPES, *SOLIDS, *OUTPUTS], ids=lambda c: c.__name__)
def test_every_class_can_be_said_in_a_file(cls):
    assert [f.name for f in fields_of(cls)] == [
        f.name for f in sorted(dataclasses.fields(cls), key=lambda f: f.kw_only)
    ]


def test_options_are_those_of_simulate():
    assert [f.name for f in SIMULATION] == ["duration", *(f.name for f in dataclasses.fields(da.SimulationOptions))]
    words = {f.name: f.kind.words for f in SIMULATION if hasattr(f.kind, "words")}
    assert {name: list(x) for name, x in words.items()} == {
        "method": list(INTEGRATORS), "constraints": list(METHODS), "restitution": list(RESTITUTION),
    }  # fmt: skip
    otherwise = {f.name: f.kind.otherwise.words for f in SIMULATION if hasattr(f.kind, "otherwise")}
    assert {name: list(x) for name, x in otherwise.items()} == {
        "stabilise": list(STABILISATIONS), "formulation": list(FORMULATIONS)
    }  # fmt: skip


def test_stabilisation_and_formulation_may_have_settings(tmp_path):
    said = {"formulation": da.GaussPenalty(1e6), "stabilise": da.Baumgarte(20.0, 100.0), "assemble": False}
    s = arm()
    s.simulation = said
    s.save(tmp_path / "x.yaml")
    text = (tmp_path / "x.yaml").read_text(encoding="utf-8")
    assert "gauss_penalty" in text and "alpha" in text and "assemble: false" in text
    options = da.load(tmp_path / "x.yaml").plan.options
    assert options == da.SimulationOptions(**said)
    (tmp_path / "y.yaml").write_text(text.replace("rho", "roh"), encoding="utf-8")
    with pytest.raises(da.ModelFileError, match="roh"):
        da.load(tmp_path / "y.yaml")


def arm() -> da.System:
    s = da.System(gravity=(0, -9.81, 0))
    for name, parent in (("a", "ground"), ("b", "a")):
        s.add_body(name, da.rod(1.0, 1.0))
        s.add_joint(name.upper(), da.Revolute(), parent, name)
    return s


@pytest.mark.parametrize(
    ("add", "named"),
    [
        (lambda s: s.add_force("push", da.Load("a", force=lambda z: z.position("a"))), 'force "push"'),
        (lambda s: s.add_force("m", da.Motor("A", lambda z: float(z.t))), 'force "m"'),
        (lambda s: s.add_constraint("own", da.Relation(position=lambda z: z.position("a")[0])), 'constraint "own"'),
        (lambda s: s.add_output("o", lambda z: z.velocity("a")[0]), 'output "o"'),
        (lambda s: s.add_event("e", lambda z: z.velocity("a")[0]), 'event "e"'),
    ],
)
def test_functions_that_ask_for_more_than_q_and_u_cannot_be_saved(tmp_path, add, named):
    s = arm()
    (tmp_path / "x.yaml").write_text("as it was")
    add(s)
    with pytest.raises(da.ModelError, match=named):
        s.save(tmp_path / "x.yaml")
    assert (tmp_path / "x.yaml").read_text() == "as it was"


def test_a_parameter_with_the_name_of_an_argument_is_not_mistaken_for_it(tmp_path):
    s = arm()
    v = s.parameter("v", 2.0)
    s.add_force("spring", da.Spring("a", "ground", tension=lambda x, rate: 3 * x + v))
    with pytest.raises(da.ModelError, match='force "spring"'):
        s.save(tmp_path / "x.yaml")


def test_functions_of_time_coordinates_and_speeds_come_back(tmp_path):
    s = arm()
    k = s.parameter("k", 3.0)
    s.add_force("m", da.Motor("A", lambda z: -k * (z.q["A"] - 0.3) ** 3 + 0.1 * da.sin(2 * z.t) * z.u["B"]))
    s.add_force("p", da.Load("b", force=lambda z: (da.select(z.t < 1, 1.0, 0.0), -z.u["A"] / 3, 1.0)))
    s.add_force("c", da.JointSpring("B", torque=lambda q, u: -(q**3) - 0.2 * u))
    s.add_output("o", lambda z: z.q["A"] + z.q["B"])
    s.add_event("e", da.Event(lambda z: z.q["A"] - 1.0, direction=-1, terminal=True))
    back = again(s, tmp_path / "x.yaml")
    first, second = s.build(), back.build()
    assert key_of(first) == key_of(second)
    one, two = (m.simulate(1.0, {"A": 1.5}) for m in (first, second))
    assert one.events[0].t == two.events[0].t
    assert np.array_equal(one.outputs()["o"], two.outputs()["o"])


CSV = "t [s],knee [rad],hip [rad]\n" + "\n".join(f"{0.1 * k},{(0.1 * k) ** 2},{-0.3 * k}" for k in range(21)) + "\n"


def test_sampled_data_comes_back_as_force_and_as_prescribed_motion(tmp_path):
    (tmp_path / "gait.csv").write_text(CSV)
    t = np.linspace(0.0, 2.0, 9)
    s = arm()
    wind = s.add_table("wind", da.Table(t, np.sin(t), kind="linear", outside="hold"))
    both = da.Table(t, np.stack([t, 0.1 * t**2], axis=1))
    s.add_force("wind", da.Motor("A", lambda z: 0.3 * wind(z.t) + both(2 * z.t / 3)[1]))
    s.add_body("c", da.rod(1.0, 1.0))
    s.add_joint("C", da.Revolute(), "b", "c", prescribed=lambda t: 0.5 * both(t)[0])
    for name in ("x.yaml", "x.json"):
        back = again(s, tmp_path / name)
        assert plain_data(back) == plain_data(s)
        assert key_of(back.build()) == key_of(s.build())
    text = (tmp_path / "x.yaml").read_text().replace("tables:\n", "tables:\n  gait: {file: gait.csv}\n")
    (tmp_path / "y.yaml").write_text(
        text.replace("forces:\n", "forces:\n  m: {type: motor, joint: B, torque: gait.hip(t)}\n")
    )
    m = da.load(tmp_path / "y.yaml")
    assert m.state(t=1.0).mechanism.forces["m"].torque(m.state(t=1.0)) == pytest.approx(-3.0)
    with_file = da.System.load(tmp_path / "y.yaml")
    with_file.save(tmp_path / "z.yaml")
    assert "file: gait.csv" in (tmp_path / "z.yaml").read_text()
    (tmp_path / "other").mkdir()
    with pytest.raises(da.ModelError, match=r'table "gait": its data are in gait.csv'):
        with_file.save(tmp_path / "other" / "z.yaml")


FALL = FOUR_BAR.replace("simulation:", """tables: {push: {times: [0, 1], values: [0, 3], kind: linear}}
forces: {m: {type: motor, joint: A, torque: push(t)}}
outputs: {knee: {type: position, at: [coupler, [2.5, 0, 0]]}, angle: q.A/deg}
events:
  turned: q.A - 0.72
  low: {when: out.knee.y - 1.2, direction: down, stop: true}
simulation:""").replace("output: 0.1}", "output: 0.1, stabilise: {alpha: 20, beta: 100}, constraints: svd}"
)  # fmt: skip


def test_events_stop_and_are_recorded(tmp_path):
    (tmp_path / "f.yaml").write_text(FALL.replace("duration: 0.5", "duration: 3, formulation: lagrange"))
    m = da.load(tmp_path / "f.yaml")
    motion = m.simulate()
    assert motion.record["ended"] == "event" and motion.events[-1].name == "low"
    assert motion.outputs()["knee"][-1, 1] == pytest.approx(1.2, abs=1e-9)
    assert [motion.record["options"][x] for x in ("formulation", "constraints")] == ["lagrange", "svd"]
    assert m.simulate(3.0, until=lambda s: s.t - 0.25, formulation="kane").t[-1] == pytest.approx(0.25)
    again(da.System.load(tmp_path / "f.yaml"), tmp_path / "g.yaml")
    assert np.array_equal(da.load(tmp_path / "g.yaml").simulate().q, motion.q)


def test_pictures_from_mesh_files(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "t.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n")
    text = FOUR_BAR.replace(
        "crank: {", "crank: {shapes: {type: mesh_file, file: meshes/t.obj, scale: 0.001, colour: red}, "
    )
    (tmp_path / "f.yaml").write_text(text)
    s = da.System.load(tmp_path / "f.yaml")
    (shape,) = s.bodies["crank"].shapes
    assert shape.vertices.max() == 0.001 and len(shape.faces) == 2
    back = again(s, tmp_path / "g.yaml")
    assert plain_data(back) == plain_data(s)
    in_python = da.shapes.MeshFile(tmp_path / "meshes" / "t.obj", scale=(1, 1, 2))
    assert in_python.vertices.max() == 2.0


def test_gallery_and_saved_files_fit_the_schema(tmp_path):
    import jsonschema

    from dalembert.files.models.schema import json_schema

    validator = jsonschema.Draft202012Validator(json_schema())
    jsonschema.Draft202012Validator.check_schema(json_schema())
    validator.validate(json.loads(json.dumps(plain_data(everything()))))
    wrong = plain_data(everything())
    wrong["joints"]["A"]["type"] = "revolut"
    assert not validator.is_valid(wrong)


def test_the_published_schema_is_current():
    from pathlib import Path

    from dalembert.files.models.schema import json_schema

    published = Path(__file__).parents[2] / "docs" / "model-schema.json"
    assert json.loads(published.read_text(encoding="utf-8")) == json_schema(), (
        "write it anew: dalembert schema -o docs/model-schema.json"
    )
