"""Files that break a rule a little are read, with a note that tells what was done; strictly, they are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.importers.peers import PEERS, beside
from dalembert.importers.repairs import nearest_body
from dalembert.parts.bodies import check_mass_properties
from tests.importers.peers import peer
from tests.importers.robots import urdf, write

SINGLE = 1e-6
"""MuJoCo keeps the vertices of meshes in single precision."""
LINK = '<link name="a"><inertial><mass value="{m}"/><inertia {i}/></inertial>{more}</link><link name="root"/>'
JOINT = '<joint name="j" type="revolute"><parent link="root"/><child link="a"/>{axis}</joint>'


def robot(m="1", i='ixx="1" iyy="1" izz="1"', more="", axis='<axis xyz="0 0 1"/>', extra="") -> str:
    return urdf(LINK.format(m=m, i=i, more=more) + JOINT.format(axis=axis) + extra)


BROKEN = {
    "triangle inequality": (robot(i='ixx="1" iyy="1" izz="2.1"'), "accelerations", "nearest inertia"),
    "its last digit": (robot(i='ixx="1e-3" iyy="2e-3" izz="3.00000001e-3"'), "drawing", "nearest inertia"),
    "negative moment": (robot(i='ixx="-1e-8" iyy="1e-3" izz="1e-3"'), "accelerations", "nearest inertia"),
    "inertia without mass": (robot(m="0"), "drawing", "so that its inertia acts"),
    "sphere of radius 0": (
        robot(more='<visual><geometry><sphere radius="0"/></geometry></visual>'), "drawing", "not drawn",
    ),
    "colour of nothing": (
        robot(more='<visual><geometry><sphere radius="1"/></geometry><material name="x"><color rgba=""/></material></visual>'),
        "drawing", "no colour",
    ),
    "two axes": (robot(axis='<axis xyz="0 0 1"/><axis xyz="1 0 0"/>'), "accelerations", "the first counts"),
    "mimicking what is fixed": (
        robot(extra='<link name="b"/><joint name="k" type="fixed"><parent link="a"/><child link="b"/><mimic joint="j"/></joint>'),
        "accelerations", "nothing to hold",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_what_can_be_mended_is_and_is_told(tmp_path, case):
    text, effect, said = BROKEN[case]
    path = write(tmp_path, "robot.urdf", text)
    found = da.load_urdf(path)
    assert [note.effect for note in found.notes if "repaired" in note and said in note] == [effect]
    m = found.build()
    assert np.isfinite(m.forward_dynamics([0.2], [0.3])).all()
    with pytest.raises(da.ModelError, match=r"robot\.urdf:"):
        da.load_urdf(path, strict=True)


@pytest.mark.parametrize("seed", range(20))
def test_the_nearest_inertia_is_one_that_bodies_have(seed):
    rng = np.random.default_rng(seed)
    raw = rng.normal(size=(3, 3)) + 1.5 * np.eye(3)
    p = da.MassProperties(1.0, np.zeros(3), raw + raw.T)
    made = nearest_body(p)
    if made is not None:
        check_mass_properties(made, "b")
        again = nearest_body(made)
        assert again is not None and np.abs(again.inertia - made.inertia).max() < 1e-8 * np.abs(made.inertia).max()


def test_an_xml_declaration_after_empty_lines_is_read(tmp_path):
    found = da.load_urdf(write(tmp_path, "robot.urdf", f"\n\n{robot()}"))
    assert list(found.system.bodies) == ["a", "root"]


def test_the_base_floats_where_it_is_asked_for(tmp_path):
    path = write(tmp_path, "robot.urdf", robot())
    assert da.load_robot(path, base="free").system.joints["base_root"].joint == da.Free()
    with pytest.raises(da.ModelError, match="says itself what floats"):
        da.load_robot(write(tmp_path, "m.xml", "<mujoco/>"), base="free")


MUJOCO = """<mujoco><compiler angle="radian"/><default><default class="servo"><general biastype="affine"/></default></default>
  <asset><mesh name="c" vertex="0 0 0  1 0 0  1 .2 0  .2 .2 0  .2 1 0  0 1 0  0 0 1  1 0 1  1 .2 1  .2 .2 1  .2 1 1  0 1 1"
    face="0 2 1 0 3 2 0 4 3 0 5 4 6 7 8 6 8 9 6 9 10 6 10 11 0 1 7 0 7 6
      1 2 8 1 8 7 2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11"
    scale=".3 .4 .5"{inertia}/></asset>
  <worldbody><body name="a"><joint name="j" axis="0 1 0" armature="0.05" damping=".1"/><geom type="mesh" mesh="c"/>
    <body name="b" pos=".1 .2 .3"><joint name="k" axis="1 0 0"/><geom type="box" size=".1 .2 .3"/></body></body></worldbody>
  <actuator>{actuators}</actuator></mujoco>"""
ACTUATORS = {
    "a servo of a class": '<general class="servo" joint="j" gainprm="45" biasprm="0 -45 -4.5" gear="3"/>',
    "a ratio of damping": '<position joint="j" kp="20" dampratio="0.7" gear="2"/><position joint="k" kp="3" dampratio="1"/>',
    "ends of force": '<position joint="j" kp="20" forcerange="-3 2" gear="2"/><motor joint="k" forcerange="-.5 .1"/>',
    "ends of control": '<motor joint="j" ctrlrange="-.1 .1"/><velocity joint="k" kv="3" ctrlrange="0 .2" forcerange="-.2 .2"/>',
}  # fmt: skip


@pytest.mark.parametrize("case", ACTUATORS)
@pytest.mark.parametrize("inertia", ["", ' inertia="exact"', ' inertia="convex"', ' inertia="shell"'])
def test_actuators_and_masses_of_meshes_are_mujocos(tmp_path, case, inertia):
    """A mesh that is not convex: by default MuJoCo counts more than it encloses, and so does the import, saying by how much."""
    peer("mujoco", "mujoco")
    path = write(tmp_path, "m.xml", MUJOCO.format(actuators=ACTUATORS[case], inertia=inertia))
    found = da.load_mjcf(path)
    compared = PEERS["mujoco"](path, found, 6)
    assert compared.largest < SINGLE, compared.joints
    assert any("counts hollows twice" in note for note in found.notes) == (inertia == "")
    assert not [note for note in found.notes if note.effect == "accelerations"]
    found.system.save(tmp_path / "m.yaml")
    q, u = [0.3, -0.2], [1.0, 2.0]
    again = da.load(tmp_path / "m.yaml").forward_dynamics(q, u)
    assert np.abs(again - found.build().forward_dynamics(q, u)).max() < 1e-12 * np.abs(again).max()


@pytest.mark.parametrize(
    "compiler", ['settotalmass="14"', 'boundmass="30" boundinertia="0.4"', 'balanceinertia="true"'], ids=str
)
def test_masses_are_changed_as_the_compiler_says(tmp_path, compiler):
    peer("mujoco", "mujoco")
    text = f"""<mujoco><compiler {compiler}/><worldbody><body name="a"><joint name="j" axis="0 1 0"/><geom type="box" size=".1 .2 .3"/>
      <body name="b" pos=".1 .2 .3"><joint name="k" axis="1 0 0"/><inertial mass="2" pos=".1 0 0" diaginertia="1 .2 .3"/></body>
      </body></worldbody></mujoco>"""
    path = write(
        tmp_path,
        "m.xml",
        text.replace('1 .2 .3"/></body>', '1 .2 .3"/></body>' if "balance" in compiler else '.4 .2 .3"/></body>'),
    )
    assert PEERS["mujoco"](path, da.load_mjcf(path), 6).agrees


LAWS = {
    "robot.urdf": urdf(
        '<link name="root"/><link name="a"><inertial><origin xyz="0 0 -1"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/>'
        '</inertial></link><joint name="j" type="revolute"><parent link="root"/><child link="a"/><axis xyz="0 1 0"/>'
        '<limit lower="-0.5" upper="0.2" effort="1" velocity="1"/><dynamics friction="0.3"/></joint>'
    ),
    "robot.xml": """<mujoco><worldbody><body name="a"><joint name="j" axis="0 1 0" range="-28.64788975654116 11.459155902616466"
        frictionloss="0.3"/><inertial mass="1" pos="0 0 -1" diaginertia="1 1 1"/></body></worldbody></mujoco>""",
}


@pytest.mark.parametrize("name", LAWS)
def test_ends_and_dry_friction_of_joints_are_laws(tmp_path, name):
    """A pendulum let go at one end swings to the other, and rests where friction holds it."""
    path = write(tmp_path, name, LAWS[name])
    without = da.load_robot(path, laws=False)
    assert not without.system.laws
    assert sum("laws=False" in note and note.effect == "limits" for note in without.notes) == 2
    found = da.load_robot(path)
    assert not any("laws=False" in note for note in found.notes)
    stop, friction = found.system.laws["j_limit"], found.system.laws["j_friction"]
    assert (stop.lower, stop.upper) == pytest.approx((-0.5, 0.2)) and friction.force == 0.3
    motion = found.build().simulate(15.0, initial={"j": -0.5})
    assert motion.q.min() >= -0.5 - 1e-9 and motion.q.max() <= 0.2 + 1e-9
    assert motion.impacts and motion.u[-1, 0] == 0.0


@pytest.mark.parametrize("name", LAWS)
def test_what_begins_beyond_its_ends_begins_at_them(tmp_path, name):
    text = LAWS[name].replace('lower="-0.5"', 'lower="0.1"').replace("-28.64788975654116 ", "5.729577951308232 ")
    found = da.load_robot(write(tmp_path, name, text))
    assert found.system.initial["j"] == pytest.approx(0.1)
    assert any(
        "it begins at 0, beyond the ends of its way, 0.1 and 0.2: it begins at 0.1 here" in x for x in found.notes
    )
    assert found.build().simulate(1.0).q.min() >= 0.1 - 1e-9


def test_limits_of_tendons_are_laws(tmp_path):
    """Two hinges whose sum is bounded, and a weight on a rope."""
    text = """<mujoco><worldbody><site name="hook" pos="2 0 0"/>
      <body name="a"><joint name="j" axis="0 1 0"/><inertial mass="1" pos="0 0 -1" diaginertia="1 1 1"/>
        <body name="b" pos="0 0 -1"><joint name="k" axis="0 1 0"/><inertial mass="1" pos="0.5 0 0" diaginertia="1 1 1"/></body></body>
      <body name="c" pos="2 0 0"><joint name="z" type="slide" axis="0 0 1"/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>
        <site name="eye"/></body></worldbody>
      <tendon><fixed name="sum" range="-0.2 0.2"><joint joint="j" coef="1"/><joint joint="k" coef="1"/></fixed>
        <spatial name="rope" limited="true" range="0 0.5"><site site="hook"/><site site="eye"/></spatial></tendon></mujoco>"""
    path = write(tmp_path, "robot.xml", text)
    found = da.load_mjcf(path)
    assert isinstance(found.system.laws["sum_limit"], da.Limit) and isinstance(found.system.laws["rope_limit"], da.Rope)
    assert not any("range=" in note for note in found.notes)
    assert any("range=" in note for note in da.load_mjcf(path, laws=False).notes)
    motion = found.build().simulate(2.0)
    total = motion["j"] + motion["k"]
    assert total.max() == pytest.approx(0.2, abs=1e-9) and motion["z"].min() == pytest.approx(-0.5, abs=1e-9)


def test_what_notes_tell_is_all_that_differs(tmp_path):
    """The peer agrees once it reads the file as it was read here; a note about something else explains nothing."""
    peer("pinocchio", "pinocchio")
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="{}" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = "".join(f'<link name="{x}">{inertial.format(izz)}</link>' for x, izz in (("a", 1), ("b", 5), ("c", 1)))
    joints = "".join(
        f'<joint name="{a}{b}" type="revolute"><parent link="{a}"/><child link="{b}"/><origin xyz="1 0 0"/>'
        '<axis xyz="0 0.6 0.8"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        for a, b in ("ab", "bc", "cd")
    )
    path = write(tmp_path, "r.urdf", urdf(f'{links}<link name="d"/>{joints}'))
    found = da.load_urdf(path)
    assert [n.effect for n in found.notes if "repaired" in n] == ["accelerations", "accelerations"]
    plain, as_read = beside("pinocchio", path, found, 6)
    assert plain is None and as_read.agrees  # the joint that moves no mass is locked
    silent = replace(found, system=da.load_urdf(path, gravity=(1, 2, 3)).system)
    silent.system.bodies["c"] = silent.system.bodies["b"]
    assert not beside("pinocchio", path, silent, 6)[1].agrees


def test_mimicry_of_a_joint_that_is_not_there_is_left_out(tmp_path):
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><mimic joint="k"/></joint>'
    path = write(tmp_path, "r.urdf", urdf(f'<link name="a"/><link name="b">{inertial}</link>{joint}'))
    found = da.load_urdf(path)
    assert found.build().n_u == 1 and "it mimics nothing" in found.notes[0]
    with pytest.raises(da.ModelError, match="no joint 'k'"):
        da.load_urdf(path, strict=True)
