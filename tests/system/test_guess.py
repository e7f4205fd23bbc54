"""A guess chooses the branch on which a loop is closed; what is given as initial is kept, and beside it a guess may be wrong."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from tests.importers.robots import write


def two_bars() -> da.System:
    """Two bars between two pins: the elbow is above or below."""
    s = da.System("two bars", gravity=(0, -9.81, 0))
    for name in ("a", "b"):
        s.add_body(name, da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "a")
    s.add_joint("B", da.Revolute(), "a", "b", (1, 0, 0))
    s.add_body("slider", da.box(1.0, (0.1, 0.1, 0.1)))
    s.add_joint("S", da.Prismatic((1, 0, 0)), "ground", "slider")
    s.add_joint("C", da.Revolute(), "b", "slider", (1, 0, 0))
    s.cut = ("C",)
    s.initial = {"S": 1.2}
    return s


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_guess_chooses_the_branch(side, tmp_path):
    s = two_bars()
    s.guess = {"A": side * 0.7, "B": -side * 1.5}
    q = dict(zip(s.build().coordinates, s.build().simulate(0.01).q[0]))
    assert q["S"] == pytest.approx(1.2, abs=1e-12)
    assert q["A"] == pytest.approx(side * np.arccos(0.6), abs=1e-9)
    s.save(tmp_path / "bars.yaml")
    assert "guess:" in (tmp_path / "bars.yaml").read_text(encoding="utf-8")
    m = da.load(tmp_path / "bars.yaml")
    assert dict(m.plan.guess) == s.guess and np.allclose(m.assemble({"S": 1.2})[0], s.build().assemble({"S": 1.2})[0])


def test_a_wrong_guess_is_named(tmp_path):
    s = two_bars()
    s.guess = {"D": 1.0}
    with pytest.raises(da.StateError, match="guess: there is no joint or coordinate 'D'"):
        s.build().simulate(0.1)
    text = (
        "format: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {A: {type: revolute, parent: ground, child: a}}\nguess: {B: 1}\n"
    )
    with pytest.raises(da.ModelFileError, match="there is no joint 'B'"):
        da.load(write(tmp_path, "x.yaml", text))


def test_a_keyframe_that_closes_its_loops_to_a_millimetre_is_where_assembly_begins(tmp_path):
    bars = """<mujoco><compiler angle="radian"/><worldbody>
      <body name="a"><joint name="A" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.02"/>
        <body name="b" pos="1 0 0"><joint name="B" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.02"/></body></body>
      <body name="c" pos="1.6 0 0"><joint name="S" type="slide" axis="1 0 0"/><geom type="sphere" size="0.1"/>
        <site name="pin" pos="0 0 0"/></body></worldbody>
      <equality><connect body1="b" body2="c" anchor="1 0 0"/></equality>
      <keyframe><key qpos="0.64 -1.29 0.002"/></keyframe></mujoco>"""
    text = bars.replace('<connect body1="b" body2="c" anchor="1 0 0"/>', '<connect site1="tip" site2="pin"/>').replace(
        "</body></body>", '<site name="tip" pos="1 0 0"/></body></body>', 1
    )
    found = da.load_mjcf(write(tmp_path, "r.xml", text))
    assert not found.system.initial and found.system.guess["A"] == 0.64
    m = found.build()
    q = dict(zip(m.coordinates, m.simulate(0.01).q[0]))
    assert abs(q["A"] - 0.64) < 0.01 and abs(2.0 * np.cos(q["A"]) - 1.6 - q["S"]) < 1e-9
