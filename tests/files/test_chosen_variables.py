"""Chosen coordinates and speeds in model files: read, written, named by outputs and initial values, and complaints with their place."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.files.models.read import located, read_text
from dalembert.files.models.schema import json_schema
from tests.system.test_chosen_coordinates import SUMS
from tests.system.test_chosen_speeds import SUMS as SPEED_SUMS
from tests.system.test_chosen_speeds import satellite

TEXT = """
name: satellite
parameters: {k: 5, c: 2}
bodies:
  hub: {mass: 3, inertia: [2, 1.1, 1.6]}
  rod1: {matter: {type: rod, length: 2.6, mass: 0.7, axis: [0, 1, 0]}}
  rod2: {matter: {type: rod, length: 2.6, mass: 0.7, axis: [0, -1, 0]}}
joints:
  float: {type: free, parent: ground, child: hub, speeds: world axes}
  hinge1: {type: revolute, axis: [1, 0, 0], parent: hub, child: rod1, at_parent: [0, 0.4, 0]}
  hinge2: {type: revolute, axis: [1, 0, 0], parent: hub, child: rod2, at_parent: [0, -0.4, 0]}
forces:
  spring: {type: joint_spring, joint: hinge1, stiffness: k}
variables:
  coordinates: {eta1: q.hinge1 + q.hinge2, eta2: q.hinge1 - q.hinge2}
  speeds: {w1: c*u.eta1 + sin(t), w2: u.eta2}
initial: {eta1: 0.2}
speeds: {w1: 0.3, float.wY: 1.0}
outputs: {sum: u.w1, angle: q.eta1, spin: u.float.wY, own: u.hinge1}
simulation: {duration: 0.2, output: 0.1}
"""


def built(text: str) -> da.Mechanism:
    system, document = read_text(text)
    try:
        return system.build()
    except da.ModelError as problem:
        raise located(problem, document) from problem


def test_files_choose_variables(tmp_path):
    file = tmp_path / "satellite.yaml"
    file.write_text(TEXT, encoding="utf-8")
    m = da.load(file)
    assert m.coordinates[-2:] == ("eta1", "eta2") and m.speeds[-2:] == ("w1", "w2") and m.speeds[1] == "float.wY"
    start = {name: x[0] for name, x in m.simulate().outputs().items()}
    assert start == pytest.approx({"sum": 0.3, "angle": 0.2, "spin": 1.0, "own": 0.075})
    da.System.load(file).save(tmp_path / "again.yaml")
    assert da.load(tmp_path / "again.yaml").kernels.fingerprint == m.kernels.fingerprint


def with_speeds(s: da.System) -> None:
    s.choose_speeds(SPEED_SUMS)


def with_dropped(s: da.System) -> None:
    s.choose_coordinates(SUMS, drop=["eta2"])


def with_preset(s: da.System) -> None:
    s.choose_speeds("world axes")


def with_some(s: da.System) -> None:
    s.choose_speeds({"a": lambda s: s.u["hinge1"] + s.u["float.wx"] * s.q["hinge2"]}, instead_of=["hinge1"])


@pytest.mark.parametrize("choose", [with_speeds, with_dropped, with_preset, with_some])
def test_what_python_chose_is_in_the_file(choose, tmp_path):
    """Nothing of a choice is lost: the file makes the same mechanism."""
    s = satellite()
    choose(s)
    s.save(tmp_path / "s.yaml")
    m, again = s.build(), da.load(tmp_path / "s.yaml")
    assert again.speeds == m.speeds and again.coordinates == m.coordinates and again.dropped == m.dropped
    assert again.kernels.fingerprint == m.kernels.fingerprint


def test_joints_keep_their_own_choice(tmp_path):
    s = da.System("one")
    s.add_body("b", da.box(1.0, (1, 2, 3)))
    own = {"sum": lambda s: s.u["j.1"] + s.u["j.2"], "first": lambda s: 2.0 * s.u["j.1"]}
    s.add_joint("j", da.Universal(), "ground", "b", speeds=own)
    s.save(tmp_path / "one.yaml")
    m = da.load(tmp_path / "one.yaml")
    assert m.speeds == ("j.sum", "j.first") and m.kernels.fingerprint == s.build().kernels.fingerprint


def test_speeds_may_be_made_of_outputs():
    """The velocity of a rod's end as a speed, which an expression of joints alone could not say."""
    text = TEXT.replace(
        "  speeds: {w1: c*u.eta1 + sin(t), w2: u.eta2}", "  speeds: {v: out.tip.z}\n  instead_of: [eta1]"
    )
    text = text.replace("{sum: u.w1,", "{tip: {type: velocity, at: [rod1, [0, 2.6, 0]]}, sum: u.v,")
    text = text.replace("speeds: {w1: 0.3,", "speeds: {v: 0.3,")
    m = built(text)
    assert m.speeds[-2:] == ("v", "eta2")
    q, u = m.assemble({"eta1": 0.2}, {"v": 0.3, "float.wY": 1.0})
    s = m.state(q, u)
    assert np.isclose(s.velocity(("rod1", (0, 2.6, 0)))[2], 0.3, atol=1e-12)


def test_a_function_that_asks_for_more_is_refused_by_name(tmp_path):
    s = satellite()
    s.choose_speeds({"v": lambda s: s.velocity("rod1")[2]}, ["hinge1"])
    with pytest.raises(da.ModelError, match="variables: speeds: v is a Python function of more"):
        s.save(tmp_path / "s.yaml")
    assert not (tmp_path / "s.yaml").exists()


@pytest.mark.parametrize(
    "old, new, place, why",
    [
        ("speeds: world axes", "speeds: body axes", "9:59", "did you mean 'world axes'"),
        ("c*u.eta1 + sin(t)", "c*u.eta3", "16:18", "there is no joint 'eta3'"),
        ("c*u.eta1 + sin(t)", "c*u.eta1^2", "16:12", "is not linear"),
        ("c*u.eta1 + sin(t)", "0*u.eta1", "16:12", "are made of 1 speeds"),
        ("c*u.eta1 + sin(t)", "2*u.eta2", "16:12", "are made of 1 speeds"),
        ("q.hinge1 - q.hinge2", "q.hinge1 + q.hinge2", "15:17", "depend on each other"),
        ("q.hinge1 - q.hinge2", "t*q.hinge1 + q.hinge2", "15:44", "must be a sum of coordinates"),
        ("w2: u.eta2", "hub: u.eta2", "16:35", "has the name of a joint, a body"),
        ("eta2: q.hinge1 - q.hinge2}", "eta2: q.hinge1 - q.hinge2}\n  drop: [eta3]", "15:3", "no coordinate 'eta3'"),
        ("eta2: q.hinge1 - q.hinge2}", "eta2: q.hinge1 - q.hinge2}\n  instead_of: [x]", "15:3", "no joint or speed 'x'"),
        ("variables:", "variables:\n  dropp: [eta2]", "15:3", "there is no field 'dropp'"),
        ("initial: {eta1: 0.2}", "initial: {eta3: 0.2}", "17:11", "there is no joint 'eta3'"),
        ("stiffness: k}", "stiffness: k}\n  m: {type: motor, joint: hinge1, torque: -u.eta1}", "14:44", "no joint 'eta1'"),
        ("{w1: c*u.eta1 + sin(t), w2: u.eta2}", "[1, 2]", "16:11", "one of child axes, world axes, rates"),
        ("{sum: u.w1,", "{sum: u.w9,", "19:16", "there is no joint 'w9'"),
    ],
)  # fmt: skip
def test_complaints_have_their_place(old, new, place, why):
    with pytest.raises(da.ModelFileError) as problem:
        built(TEXT.replace(old, new))
    assert f"text:{place}: " in str(problem.value) and why in str(problem.value)


def test_initial_values_that_follow_from_each_other_are_refused(tmp_path):
    file = tmp_path / "m.yaml"
    file.write_text(TEXT.replace("speeds: {w1: 0.3,", "speeds: {w1: 0.3, hinge1: 0.2,"), encoding="utf-8")
    with pytest.raises(
        da.ModelFileError, match=r'm.yaml:18:9: speeds: "hinge1" is given as 0\.2, but the other values'
    ):
        da.load(file)


def test_the_schema_knows_them():
    sections = json_schema()["properties"]
    assert set(sections["variables"]["properties"]) == {"coordinates", "drop", "speeds", "instead_of"}
    assert all("speeds" in one["properties"] for one in sections["joints"]["additionalProperties"]["oneOf"])
