"""MJCF beyond rigid bodies and servos: actuators with states, the medium around bodies, springs by a time constant."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.importers.peers import PEERS
from tests.elements.energy import metered, off_balance
from tests.importers.peers import peer
from tests.importers.robots import write

BODY = """
  <body pos="0 0 1"><freejoint name="fly"/><geom type="box" size="0.3 0.2 0.1" euler="10 20 30"/>
    <body pos="0.3 0 0"><joint name="a" axis="0 1 0" {a}/><geom type="capsule" fromto="0 0 0 0.5 0.1 0" size="0.05"/>
      <body pos="0.5 0 0"><joint name="b" axis="1 0 1" {b}/><geom type="ellipsoid" size="0.1 0.2 0.3" pos="0 0 0.2"/>
        <geom type="sphere" size="0.1" pos="0.2 0 0"/></body></body></body>"""


def model(extra: str = "", option: str = "", a: str = "", b: str = "", actuators: str = "") -> str:
    body = BODY.format(a=a, b=b)
    return f"<mujoco><option {option}/><worldbody>{body}</worldbody>{extra}<actuator>{actuators}</actuator></mujoco>"


ACTUATORS = {
    "filter": '<general joint="a" dyntype="filter" dynprm="0.2" gainprm="3" biastype="affine" biasprm="0.1 -2 -0.3" gear="2"/>',
    "exact filter and servo": '<position joint="a" kp="30" kv="2" timeconst="0.05"/><motor joint="b"/>',
    "integrator": '<motor joint="b" gear="3"/><general joint="b" dyntype="integrator" gainprm="5"/>',
    "intvelocity": '<intvelocity joint="a" kp="40" kv="3" actrange="-1 1"/>',
    "cylinder": '<cylinder joint="b" timeconst="0.3" diameter="0.1" bias="1 -2 -3" gear="0.5"/>',
}


@pytest.mark.parametrize("kind", ACTUATORS)
def test_actuators_with_states_exert_what_they_do_in_mujoco(tmp_path, kind):
    peer("mujoco", "mujoco")
    path = write(tmp_path, "r.xml", model(actuators=ACTUATORS[kind]))
    found = da.load_mjcf(path)
    assert len(found.build().states) == 1
    assert PEERS["mujoco"](path, found, 9).largest < 1e-11
    assert not [note for note in found.notes if note.effect == "accelerations"]


def test_activations_follow_their_controls_and_begin_where_a_key_says(tmp_path):
    key = '<keyframe><key qpos="0 0 1 1 0 0 0 0 0" ctrl="2" act="0.5"/></keyframe>'
    path = write(
        tmp_path, "r.xml", model(key, 'gravity="0 0 0"', actuators='<general joint="a" dyntype="filter" dynprm="0.2"/>')
    )
    motion = da.load_mjcf(path).build().simulate(1.0, rtol=1e-10)
    followed = motion[motion.states[0]]
    assert np.allclose(followed, 2.0 - 1.5 * np.exp(-motion.t / 0.2), rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    "option", ['density="4000" viscosity="0.1"', 'density="1.2" wind="3 -1 2"', 'viscosity="2" wind="0 1 0"']
)
def test_the_medium_around_bodies_is_that_of_mujoco(tmp_path, option):
    peer("mujoco", "mujoco")
    path = write(tmp_path, "r.xml", model(option=option))
    found = da.load_mjcf(path)
    assert PEERS["mujoco"](path, found, 9).largest < 1e-11
    assert not [note for note in found.notes if note.effect == "accelerations"]


def test_drag_takes_the_energy_that_the_body_loses():
    s = da.System("plate")
    s.add_body("plate", da.box(2.0, (0.5, 0.3, 0.1)))
    s.add_joint("fly", da.Free(), "ground", "plate")
    place = da.Frame((0.1, 0, 0), da.turn((0, 0.6, 0.8), 0.4))
    s.add_element("water", da.BoxDrag("plate", (0.5, 0.3, 0.1), place, density=50.0, viscosity=0.3), wind_x=0.7)
    motion = metered(s, "water").build().simulate(0.3, speeds={"fly": [1, 2, 3, 0.5, -1, 2]}, rtol=1e-11)
    assert motion["heat.value"][-1] > 0.5 and off_balance(motion) < 1e-8


def test_springs_by_a_time_constant_have_the_stiffness_of_mujoco(tmp_path):
    peer("mujoco", "mujoco")
    path = write(tmp_path, "r.xml", model(a='springdamper="0.3 0.7"', b='springdamper="0.1 1.2" armature="0.02"'))
    found = da.load_mjcf(path)
    assert PEERS["mujoco"](path, found, 6).largest < 1e-10
    assert {name for name in found.system.forces} == {"a_spring", "b_spring"}


def test_pushes_make_a_wrong_mass_show_where_nothing_else_does(tmp_path):
    """A turntable in its own plane: neither gravity nor its turning accelerates it, and only a push finds its inertia."""
    peer("pinocchio", "pin")
    link = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="{}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>'
    texts = [f'<robot name="r">{link.format("a", 1)}{link.format("b", izz)}{joint}</robot>' for izz in (1.0, 1.5)]
    right, wrong = (write(tmp_path, f"{k}.urdf", text) for k, text in enumerate(texts))
    assert PEERS["pinocchio"](right, da.load_urdf(right), 3).largest < 1e-12
    assert PEERS["pinocchio"](right, da.load_urdf(wrong), 3).largest > 0.05


def test_axes_of_the_medium_are_those_of_what_has_mass(tmp_path):
    """A ball has no principal axes of its own: MuJoCo takes those of its only geom with mass."""
    peer("mujoco", "mujoco")
    geoms = (
        '<geom type="box" size=".1 .2 .3" euler="20 30 40" mass="0"/><geom type="sphere" size=".1" euler="50 0 10"/>'
    )
    text = f'<mujoco><option density="1000"/><worldbody><body><freejoint/>{geoms}</body></worldbody></mujoco>'
    path = write(tmp_path, "r.xml", text)
    assert PEERS["mujoco"](path, da.load_mjcf(path), 9).largest < 1e-11


def test_replicas_stand_and_move_as_in_mujoco(tmp_path):
    """Copies in copies, with names that count."""
    peer("mujoco", "mujoco")
    arm = '<body name="arm" pos="1 0 0"><joint name="j" axis="0 1 0" damping="1"/><geom name="g" size=".1" pos="0.3 0 0"/></body>'
    inner = f'<replicate count="3" offset="0.2 0.1 0" euler="0 20 30">{arm}</replicate>'
    base = f'<body name="base" pos="0 0 1"><freejoint/><geom size=".2"/>{inner}</body>'
    text = f'<mujoco><worldbody><replicate count="11" sep="-" offset="3 0 0" euler="0 0 10">{base}</replicate></worldbody></mujoco>'
    path = write(tmp_path, "r.xml", text)
    found = da.load_mjcf(path)
    assert "j2-10" in found.system.joints and not [n for n in found.notes if n.effect == "accelerations"]
    assert PEERS["mujoco"](path, found, 3).largest < 1e-11
    with pytest.raises(da.ModelError, match="count=0"):
        da.load_mjcf(write(tmp_path, "n.xml", text.replace('count="11"', 'count="0"')))
