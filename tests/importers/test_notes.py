"""Nothing is lost silently: what a file says and the system does not is in the notes, with its line."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given, settings

import dalembert as da
from dalembert.importers.xml import parse
from tests.effort import examples
from tests.importers.robots import urdf, write

ROBOT = """
<link name="base.link"><collision><geometry><sphere radius="1"/></geometry></collision></link>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
  <visual><geometry><mesh filename="../arm.stl"/></geometry></visual>
  <visual><origin xyz="1 0 0"/><geometry><cylinder radius="0.1" length="2"/></geometry>
    <material name="m"><color rgba="1 0 0 0.5"/></material></visual>
</link>
<joint name="j" type="revolute"><parent link="base.link"/><child link="arm"/>
  <limit lower="0" upper="1" effort="3"/><dynamics damping="1" friction="2"/><safety_controller k_velocity="1"/></joint>
<transmission name="t"/><gazebo reference="arm"><mu1>1</mu1></gazebo><drake:linear_bushing_rpy/><nonsense spoken="well"/>"""


def test_notes_of_a_urdf(tmp_path):
    imported = da.load_urdf(write(tmp_path, "robot.urdf", urdf(ROBOT)), laws=False)
    notes = "\n".join(imported.notes)
    for expected in (
        'robot.urdf:3: <link name="base.link">: it is called "base_link" here',
        "robot.urdf:3: <collision>: contact between bodies is not represented",
        "robot.urdf:5: <mesh>: the mesh is not drawn: '../arm.stl' lies outside",
        "robot.urdf:10: <limit>: limits of joints other than the ends of their ways, or with laws=False, are not represented",
        "robot.urdf:10: <dynamics>: friction='2': dry friction",
        "robot.urdf:10: <safety_controller>",
        "robot.urdf:11: <gazebo>",
        "robot.urdf:11: <drake:linear_bushing_rpy>: bushings are not represented",
        "robot.urdf:11: <nonsense>: it is not represented",
    ):
        assert expected in notes, (expected, notes)
    (shape,) = imported.system.bodies["arm"].shapes
    assert shape.radius == 0.1 and shape.colour == "#ff0000" and shape.opacity == 0.5


def test_notes_of_an_mjcf_come_once_for_the_same_thing(tmp_path):
    geom = '<geom size="1" friction="1" rgba="1 0 0 1"/>\n'
    text = f"""<mujoco><option timestep="0.1" density="1.2"><flag contact="disable"/></option><size njmax="5"/>
      <worldbody><light/><site name="x"/><body name="a/b"><joint name="j" range="0 1" frictionloss="1"/>{geom * 5}</body>
      <body><joint name="ball" type="ball" stiffness="1" armature="2"/><geom size="1" shellinertia="true"/></body></worldbody>
      <tendon><spatial name="s"><site site="x"/></spatial></tendon><sensor><gyro/></sensor>
      <equality><connect body1="a/b" anchor="0 0 0" active="false"/><joint joint1="j" solref="1 1"/></equality>
      <actuator><motor joint="j" ctrlrange="0 1"/><muscle joint="j"/><motor tendon="s"/><cylinder joint="j"/>
        <general joint="j" dyntype="integrator"/><position joint="j" dampratio="1"/><motor body="x"/></actuator></mujoco>"""
    imported = da.load_mjcf(write(tmp_path, "m.xml", text), laws=False)
    notes = "\n".join(imported.notes)
    for expected in (
        "<flag>: contact='disable'", "<size>", "<light>", 'it is called "a_b" here',
        "range='0 1'", "frictionloss='1': dry friction", "friction='1': contact between bodies is not represented; ",
        "the spring of a ball joint", "taken as solid", "over less than two sites", "<sensor>",
        "switched off", "solref='1 1'", "<muscle>", "tendon='s' is not represented",
        "actuator on body=",
    ):  # fmt: skip
        assert expected in notes, (expected, notes)
    assert set(imported.system.forces) == {f"actuator{k}" for k in (1, 4, 5, 6, "6_feedback")}
    effects = [note.effect for note in imported.notes]
    assert effects == sorted(effects, key=["accelerations", "limits", "measured", "drawing"].index)
    assert len(imported.lines(5)) == 6 and "more: " in imported.lines(5)[-1]
    imported.build()


@settings(max_examples=examples(25))
@given(
    st.text("abcxyz", min_size=1, max_size=5),
    st.text("abcxyz ", max_size=5),
    st.sampled_from(["link", "joint", "inertial", "mass", "axis", "parent"]),
)
def test_every_unknown_attribute_is_noted(tmp_path_factory, attribute, value, tag):
    """Put anywhere into a URDF, it appears in the notes."""
    text = (
        urdf(ROBOT)
        .replace(f"<{tag} ", f'<{tag} z{attribute}="{value}" ')
        .replace("<inertial>", f'<inertial z{attribute}="{value}">')
    )
    folder = tmp_path_factory.mktemp("unknown")
    assert any(f"z{attribute}={value!r}" in note for note in da.load_urdf(write(folder, "r.urdf", text)).notes)


def test_lines_are_those_of_the_file():
    root = parse(b'<robot>\n\n<link name="a"/>\n</robot>', "r")
    assert [child.line for child in root.children] == [3]
