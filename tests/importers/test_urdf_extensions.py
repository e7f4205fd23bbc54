"""Closed loops, joints and forces that extensions of URDF describe, against the same mechanism said in Python."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.constraints.assembly.assemble import assemble, consistent_speeds
from dalembert.parts.frames import Frame
from tests.importers.robots import urdf, urdf_joint, urdf_link, write

BARS = """
  <link name="world"/>
  <link name="crank"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.02" izz="0.02"/></inertial></link>
  <link name="coupler"><inertial><origin xyz="0.3 0 0"/><mass value="2"/><inertia ixx="0.01" iyy="0.1" izz="0.1"/></inertial></link>
  <link name="rocker"><inertial><origin xyz="0.2 0 0"/><mass value="3"/><inertia ixx="0.01" iyy="0.2" izz="0.2"/></inertial></link>
  <joint name="A" type="continuous"><parent link="world"/><child link="crank"/><axis xyz="0 0 2"/></joint>
  <joint name="B" type="continuous"><parent link="crank"/><child link="coupler"/><origin xyz="0.2 0 0"/><axis xyz="0 0 1"/></joint>
  <joint name="D" type="continuous"><parent link="world"/><child link="rocker"/><origin xyz="0.8 0 0" rpy="0 0 3.141592653589793"/>
    <axis xyz="0 0 1"/></joint>"""

CLOSURES = {
    "isaac": """<loop_joint name="C" type="spherical"><link1 link="coupler" xyz="0.6 0 0"/><link1 link="rocker" xyz="0.5 0 0"/>
        </loop_joint>""",
    "first drake": """<loop_joint name="C"><link1 link="coupler" xyz="0.6 0 0"/><link2 link="rocker" xyz="0.5 0 0"/>
        <axis xyz="0 0 1"/></loop_joint>""",
    "drake": """<drake:ball_constraint><drake:ball_constraint_body_A name="coupler"/><drake:ball_constraint_body_B name="rocker"/>
        <drake:ball_constraint_p_AP value="0.6 0 0"/><drake:ball_constraint_p_BQ value="0.5 0 0"/></drake:ball_constraint>""",
}


def four_bar() -> da.System:
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    s.add_body("crank", mass=1, com=(0.1, 0, 0), inertia=(0.01, 0.02, 0.02))
    s.add_body("coupler", mass=2, com=(0.3, 0, 0), inertia=(0.01, 0.1, 0.1))
    s.add_body("rocker", mass=3, com=(0.2, 0, 0), inertia=(0.01, 0.2, 0.2))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(0.2, 0, 0))
    turned = Frame((0.8, 0, 0), da.turn(np.array([0, 0, 1.0]), np.pi))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=turned)
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(0.6, 0, 0), at_child=(0.5, 0, 0))
    return s


def accelerations(m: da.Mechanism, order: tuple[str, ...]) -> np.ndarray:
    """At a pose of the four-bar with a turning crank, joint by joint."""
    q = np.zeros(m.n_q)
    for name, value in (("A", 0.9), ("B", -0.3), ("D", -0.8)):
        q[m.coordinates.index(name)] = value
    crank = m.speeds.index("A")
    q = assemble(m, q, fixed=[crank])
    u = np.zeros(m.n_u)
    u[crank] = 1.5
    u = consistent_speeds(m, q, u, fixed=[crank])
    udot = m.forward_dynamics(q, u)
    return np.array([udot[m.speeds.index(name)] for name in order])


@pytest.mark.parametrize("kind", CLOSURES)
def test_loop_closures_make_the_four_bar(tmp_path, kind):
    path = write(tmp_path, "bars.urdf", urdf(BARS + CLOSURES[kind]))
    imported = da.load_urdf(path, gravity=(0, -9.81, 0))
    order = ("A", "B", "D")
    expected = accelerations(four_bar().build(cut=["C"]), order)
    assert imported.notes == () and len(imported.system.cut) == 1
    assert np.allclose(accelerations(imported.build(), order), expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_gazebo_joint_closes_the_loop_where_the_links_stand_at_zero(tmp_path):
    """Its pose is on the child: the rocker's tip (0.3, 0) then lies 0.1 along the coupler, which begins at (0.2, 0)."""
    joint = """<gazebo><joint name="C" type="revolute"><parent>coupler</parent><child>rocker</child><pose>0.5 0 0 0 0 0</pose>
        <axis><xyz>0 0 1</xyz></axis></joint></gazebo>"""
    imported = da.load_urdf(write(tmp_path, "bars.urdf", urdf(BARS + joint)))
    placed = imported.system.joints["C"]
    assert imported.notes == () and imported.system.cut == ("C",)
    assert np.allclose(placed.on_child.position, (0.5, 0, 0)) and np.allclose(placed.on_parent.position, (0.1, 0, 0))
    m = imported.build()
    assert np.allclose(assemble(m, m.reference), m.reference)


def test_drakes_joints_springs_and_rotors(tmp_path):
    rng = np.random.default_rng(1)
    names = ("root", "a", "b", "c", "d")
    parts = [urdf_link(rng, n) for n in names]
    pitch = '<drake:screw_thread_pitch value="0.2"/>'
    kinds = (("ball", ""), ("universal", ""), ("screw", pitch))
    parts += [
        urdf_joint(rng, f"j{b}", kind, a, b, inside, tag="drake:joint")
        for a, b, (kind, inside) in zip(names, names[1:4], kinds, strict=False)
    ]
    parts.append(urdf_joint(rng, "jd", "revolute", "c", "d"))
    spring = "drake:linear_spring_damper"
    numbers = {"p_AP": "0 0 1", "p_BQ": "1 0 0", "free_length": "0.3", "stiffness": "5", "damping": "0.1"}
    inner = "".join(f'<{spring}_{k} value="{v}"/>' for k, v in numbers.items())
    parts.append(f'<{spring}><{spring}_body_A name="root"/><{spring}_body_B name="d"/>{inner}</{spring}>')
    parts.append("""<transmission name="t"><type>SimpleTransmission</type><joint name="jd"/><actuator name="m">
        <drake:rotor_inertia value="0.01"/><drake:gear_ratio value="9"/></actuator></transmission>""")
    system = da.load_urdf(write(tmp_path, "r.urdf", urdf("".join(parts)))).system
    joints = {name: p.joint for name, p in system.joints.items()}
    assert joints["ja"] == da.Spherical() and joints["jb"] == da.Universal()
    assert isinstance(joints["jc"], da.Screw) and joints["jc"].pitch == 0.2
    (force,) = system.forces.values()
    assert isinstance(force, da.Spring) and (force.length, force.stiffness, force.damping) == (0.3, 5.0, 0.1)
    assert system.joints["jd"].armature == pytest.approx(0.81)


def test_planar_and_floating_joints(tmp_path):
    rng = np.random.default_rng(2)
    parts = [urdf_link(rng, n) for n in ("root", "a", "b")]
    parts += [urdf_joint(rng, "ja", "planar", "root", "a"), urdf_joint(rng, "jb", "floating", "root", "b")]
    m = da.load_urdf(write(tmp_path, "r.urdf", urdf("".join(parts)))).build()
    assert {len(j.joint.speeds) for j in m.joints} == {0, 3, 6}
