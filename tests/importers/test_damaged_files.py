"""Damaged files give a DalembertError or a system, never anything else."""

from __future__ import annotations

import random
from xml.dom import minidom

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

import dalembert as da
from tests.effort import examples
from tests.importers.robots import urdf

URDF = urdf("""
<material name="red"><color rgba="1 0 0 1"/></material><link name="world"/>
<link name="a"><inertial><origin xyz="0.1 0 0" rpy="0 0.2 0"/><mass value="1.5"/>
  <inertia ixx="1" ixy="0.1" ixz="0" iyy="1" iyz="0" izz="1.2"/></inertial>
  <visual><geometry><box size="1 2 3"/></geometry><material name="red"/></visual></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
  <visual><geometry><mesh filename="package://x/b.stl" scale="1 1 1"/></geometry></visual></link>
<link name="c"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="ja" type="revolute"><parent link="world"/><child link="a"/><axis xyz="0 1 0"/><dynamics damping="0.1"/></joint>
<joint name="jb" type="prismatic"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/>
  <mimic joint="ja" multiplier="2" offset="0.1"/></joint>
<drake:joint name="jc" type="screw"><parent link="b"/><child link="c"/><drake:screw_thread_pitch value="0.1"/></drake:joint>
<loop_joint name="l" type="spherical"><link1 link="c" xyz="0 0 1"/><link2 link="world" xyz="1 0 0"/></loop_joint>
<drake:ball_constraint><drake:ball_constraint_body_A name="a"/><drake:ball_constraint_body_B name="c"/>
  <drake:ball_constraint_p_AP value="1 2 3"/><drake:ball_constraint_p_BQ value="1 2 3"/></drake:ball_constraint>
<gazebo><joint name="g" type="revolute">
  <parent>a</parent><child>c</child><pose>0 0 1 0 0 0</pose><axis><xyz>0 0 1</xyz></axis></joint></gazebo>
<transmission name="t"><joint name="ja"/>
  <actuator><drake:rotor_inertia value="1"/><drake:gear_ratio value="2"/></actuator></transmission>""")
MJCF = """<mujoco model="m"><compiler angle="radian" eulerseq="xyz" inertiagrouprange="0 3" meshdir="parts"/>
<option gravity="0 0 -9"><flag gravity="enable"/></option><include file="other.xml"/>
<default><geom density="500" size="0.1 0.1 0.1"/><default class="c"><joint damping="1"/><motor gear="2"/></default></default>
<asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 1 2 3 0 3 2" inertia="exact"/><mesh file="x.obj"/>
  <material name="red" rgba="1 0 0 1"/></asset>
<worldbody><geom type="plane" size="1 1 1"/><body name="a" pos="0 0 1" euler="0 1 0"><freejoint name="f"/><geom material="red"/>
  <frame pos="1 0 0" axisangle="0 0 1 2"><body name="b" childclass="c" zaxis="0 1 1">
    <joint name="j" ref="0.1" springref="0.2" stiffness="1" armature="0.1"/>
    <joint name="k" type="slide" axis="1 0 0"/><geom type="capsule" fromto="0 0 0 1 1 1"/><geom type="ellipsoid" rgba="1 1 1 1"/>
    <geom type="mesh" mesh="t"/><geom type="cylinder" mass="2"/><site name="s" pos="0 0 1"/>
    <body name="d" xyaxes="1 0 0 0 1 0" gravcomp="1"><joint name="l" type="ball"/><geom type="box"/></body></body></frame></body>
  <body name="e"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint name="i"/></body></worldbody>
<tendon><fixed name="t" stiffness="1" springlength="0.1"><joint joint="j" coef="1"/><joint joint="k" coef="2"/></fixed></tendon>
<equality><connect body1="d" body2="e" anchor="0 0 1"/><weld body1="b" relpose="0 0 1 1 0 0 0"/>
  <joint joint1="j" joint2="k" polycoef="0 1 2 0 1"/>
  <tendon tendon1="t" polycoef="1"/></equality>
<actuator><motor joint="j" class="c"/><position joint="k" kp="3" kv="1"/>
  <general joint="i" gainprm="1" biastype="affine" biasprm="0 1 2"/>
  <motor site="s" gear="1 2 3 4 5 6"/><motor tendon="t"/><velocity joint="i"/><motor joint="l" gear="1 2 3"/></actuator>
<keyframe><key qpos="0 0 1 1 0 0 0 0 0 1 0 0 0 0" ctrl="1 2 3 4 5 6 7"/></keyframe></mujoco>"""
WORDS = (
    "0", "-1", "1e999", "nan", "1e-320", "1e29", "-0", "", " ", "0 0 0", "1 2 3 4 5 6 7 8", "x", "/etc/passwd", "..", "\u0660", "1_0",
    "world", "a", "ball", "free", "mesh", "true", "c", "main", "hinge", "floating", "box", "plane", '"', "<", ">", "&amp;", "&x;",
    "<![CDATA[", "-->", "<!--", "1e-200",
    "<!DOCTYPE x>", "<?x?>", "\0", "\ud7ff", "ground", "é" * 50, "9" * 400, "<body/>", "<joint/>", "<geom/>",
)  # fmt: skip


def damaged(text: str, rng: random.Random) -> bytes:
    """Mostly well-formed with wrong content, sometimes broken anywhere."""
    if rng.random() < 0.8:
        return rearranged(text, rng)
    for _ in range(rng.randint(1, 3)):
        i = rng.randrange(len(text))
        j = min(len(text), i + rng.randint(0, 40))
        text = text[:i] + rng.choice([rng.choice(WORDS), text[i:j] * 2, ""]) + text[j:]
    made = bytearray(text.encode("utf-8", "surrogatepass"))
    if rng.random() < 0.3:
        made[rng.randrange(len(made))] = rng.randrange(256)
    return bytes(made)


def rearranged(text: str, rng: random.Random) -> bytes:
    """Values exchanged, attributes and elements removed, doubled or moved elsewhere."""
    document = minidom.parseString(text)
    for _ in range(rng.choice((1, 1, 2, 3))):
        everything = document.getElementsByTagName("*")
        one, other = (everything[rng.randrange(1, len(everything))] for _ in range(2))
        names = list(one.attributes.keys())
        act = rng.randrange(6) if names else rng.randrange(4, 6)
        if act == 0:
            one.removeAttribute(rng.choice(names))
        elif act < 4:
            values = [a.value for a in other.attributes.values()] or ["1"]
            one.setAttribute(rng.choice(names), rng.choice([rng.choice(values), *rng.choices(WORDS, k=3)]))
        elif act == 4 and one.parentNode is not None and len(everything) > 5:
            one.parentNode.removeChild(one)
        else:
            other.appendChild(one.cloneNode(True))
    return document.toxml().encode("utf-8", "surrogatepass")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "text"), [("r.urdf", URDF), ("m.xml", MJCF)], ids=["urdf", "mjcf"])
@settings(max_examples=examples(80), suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32 - 1))
def test_damaged_files_fail_in_words(tmp_path_factory, name, text, seed):
    path = tmp_path_factory.getbasetemp() / name
    path.with_name("other.xml").write_text("<mujocoinclude/>", encoding="utf-8")
    path.write_bytes(damaged(text, random.Random(seed)))
    try:
        da.load_robot(path).build()
    except da.DalembertError as problem:
        assert str(problem)


@pytest.mark.parametrize(("name", "text"), [("r.urdf", URDF), ("m.xml", MJCF)], ids=["urdf", "mjcf"])
def test_undamaged_they_are_mechanisms(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    path.with_name("other.xml").write_text("<mujocoinclude/>", encoding="utf-8")
    assert da.load_robot(path).build().n_u > 2
