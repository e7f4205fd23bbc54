"""Accelerations and constraints of imported MJCF files agree with MuJoCo's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.constraints.assembly.assemble import assemble
from dalembert.importers.poses import euler_parameters
from dalembert.kinematics.constraint_rows import constraint_rows
from tests.importers.peers import from_mujoco, peer, randomize, to_mujoco, to_qpos
from tests.importers.robots import mjcf_inertial, mjcf_joint, mjcf_place, words, write

mujoco = peer("mujoco", "mujoco")
TOLERANCE = 1e-9


def both(folder: Path, text: str) -> tuple[da.Mechanism, da.importers.imported.Imported, Any, Any]:
    path = write(folder, "model.xml", f'<mujoco model="random">{text}</mujoco>')
    imported = da.load_mjcf(path)
    mm = mujoco.MjModel.from_xml_path(str(path))
    mm.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    mm.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    return imported.build(), imported, mm, mujoco.MjData(mm)


def check_accelerations(folder: Path, text: str, rng: np.random.Generator) -> list[str]:
    """In a random state with random controls; the notes of the import."""
    m, imported, mm, dd = both(folder, text)
    for _ in range(2):
        randomize(mm, dd, rng)
        dd.ctrl[:] = rng.normal(size=mm.nu)
        mujoco.mj_forward(mm, dd)
        q, u = from_mujoco(m, mm, dd)
        ours = m.with_parameters(**dict(zip(m.parameters, dd.ctrl))).forward_dynamics(q, u)
        assert np.abs(to_mujoco(m, mm, ours) - dd.qacc).max() < TOLERANCE * np.abs(dd.qacc).max()
    return list(imported.notes)


def test_chain_with_references_springs_and_dampers(tmp_path):
    rng = np.random.default_rng(1)
    text, close = '<option gravity="1 -2 -7"/><worldbody>', ""
    for i, kind in enumerate(("hinge", "slide", "hinge", "ball", "hinge")):
        single = 'ref="0.3" springref="0.5" stiffness="3"' if kind != "ball" else ""
        text += f'<body name="b{i}" {mjcf_place(rng)}>{mjcf_inertial(rng)}'
        text += mjcf_joint(rng, f"j{i}", kind, f'{single} damping="0.4"')
        close += "</body>"
    assert check_accelerations(tmp_path, text + close + "</worldbody>", rng) == []


def test_branching_tree_on_a_floating_base(tmp_path):
    rng = np.random.default_rng(2)
    leg = "".join(
        f'<body name="{side}" {mjcf_place(rng)}>{mjcf_joint(rng, side, "hinge")}{mjcf_inertial(rng)}'
        f'<frame {mjcf_place(rng)}><body name="{side}2" {mjcf_place(rng)}>{mjcf_joint(rng, side + "2", "ball")}'
        f"{mjcf_inertial(rng)}</body></frame></body>"
        for side in ("left", "right")
    )
    fixed = f'<body name="fixed" {mjcf_place(rng)}>{mjcf_inertial(rng)}</body>'
    trunk = f'<body name="trunk" {mjcf_place(rng)}><freejoint name="root"/>{mjcf_inertial(rng)}'
    text = f"<worldbody>{trunk}{leg}{fixed}</body></worldbody>"
    actuators = '<actuator><motor joint="root" gear="1 2 3 4 5 6"/><motor joint="left2" gear="1 2 3"/></actuator>'
    assert check_accelerations(tmp_path, text + actuators, rng) == []


def test_several_joints_per_body_with_armature(tmp_path):
    """Three joints move a body one after the other; armature adds to their speeds, of ball joints too."""
    rng = np.random.default_rng(3)
    text = f"""<worldbody>
      <body name="a" {mjcf_place(rng)}>{mjcf_joint(rng, "a1", "slide")}{mjcf_joint(rng, "a2", "hinge", 'ref="40"')}
        {mjcf_joint(rng, "a3", "hinge", 'armature="0.3"')}{mjcf_inertial(rng)}
        <body name="b" {mjcf_place(rng)}>{mjcf_joint(rng, "b1", "slide", 'armature="2"')}
          {mjcf_joint(rng, "b2", "ball", 'armature="0.7"')}
          {mjcf_inertial(rng)}</body>
      </body>
      <body name="c"><joint name="c1" type="free" armature="0.2"/>{mjcf_inertial(rng)}</body></worldbody>"""
    assert check_accelerations(tmp_path, text, rng) == []


def test_matter_from_geoms_in_nested_default_classes(tmp_path):
    """Every solid form, by density and by mass; frames, Euler sequences, degrees; gravity compensation."""
    rng = np.random.default_rng(4)
    # sizes that single precision holds exactly: MuJoCo keeps vertices so
    corners = words([(x, y, z) for x in (0, 0.5) for y in (0, 0.25) for z in (0, 0.125)])
    text = f"""<compiler angle="degree" eulerseq="XzY"/>
    <default><geom density="800"/><joint damping="0.1"/>
      <default class="arm"><joint axis="0 1 0"/><geom size="0.05"/>
        <default class="hand"><joint stiffness="2" springref="10"/></default></default></default>
    <asset><mesh name="block" vertex="{corners}" scale="1 2 1" refpos="0.25 0 0"/></asset>
    <worldbody>
      <geom type="plane" size="1 1 1"/>
      <body name="a" childclass="arm" euler="10 20 30"><joint name="a"/>
        <geom type="capsule" fromto="0 0 0 0.3 0.1 0.2"/>
        <geom type="box" size="0.1 0.2 0.3" xyaxes="1 0.5 0 0 1 0.3" pos="0.1 0 0"/>
        <geom type="ellipsoid" size="0.1 0.2 0.3" axisangle="1 1 0 50" mass="0.7"/>
        <body name="b" pos="0.3 0.1 0.2" zaxis="0 1 1" gravcomp="0.6"><joint name="b" class="hand"/>
          <geom type="cylinder" size="0.1 0.2" quat="1 0.2 0 0"/><geom pos="0 0 0.3" density="2000"/>
          <geom type="mesh" mesh="block" pos="0.2 0 0" euler="5 6 7"/>
          <geom type="box" fromto="0 0 0 0 0.2 0.3" group="2"/>
          <body name="c" pos="0 0.3 0"><joint name="c" class="main" type="slide" axis="1 1 1"/><geom size="0.2"/></body>
        </body>
      </body>
    </worldbody>"""
    notes = check_accelerations(tmp_path, text, rng)
    assert len(notes) == 1 and "size" in notes[0]


def test_actuators_are_motors_with_their_controls_as_parameters(tmp_path):
    rng = np.random.default_rng(5)
    text = f"""<default><motor gear="2"/><position kp="7"/></default><worldbody><site name="wall" pos="1 0 1"/>
      <body name="a" {mjcf_place(rng)}>{mjcf_joint(rng, "a", "hinge", 'ref="30"')}{mjcf_inertial(rng)}
        <body name="b" {mjcf_place(rng)}>{mjcf_joint(rng, "b", "slide")}{mjcf_inertial(rng)}<site name="tip" {mjcf_place(rng)}/>
          <body name="c" {mjcf_place(rng)}>{mjcf_joint(rng, "c", "hinge", 'springref="20"')}{mjcf_inertial(rng)}
            <site name="side" pos="0 0.2 0"/></body>
    </body></body></worldbody>
    <tendon><fixed name="cord" stiffness="5" damping="0.3" springlength="0.2"><joint joint="a" coef="0.4"/>
        <joint joint="c" coef="-0.7"/></fixed>
      <spatial name="bow" stiffness="30" damping="0.5"><site site="tip"/><site site="wall"/></spatial>
      <spatial stiffness="20" springlength="0.1"><site site="wall"/><site site="side"/></spatial>
      <fixed name="slack" stiffness="4"><joint joint="a" coef="2"/><joint joint="b" coef="1"/></fixed></tendon>
    <actuator><motor name="turn" joint="a"/><position name="hold" joint="b" kv="0.3"/><velocity joint="c" kv="0.5" gear="3"/>
      <general joint="c" gainprm="2" biastype="affine" biasprm="0.1 -3 -0.4"/><general joint="a" biasprm="9 9 9"/>
      <motor tendon="cord" gear="1.5"/><motor site="tip" gear="1 2 3 0.4 0.5 0.6"/></actuator>"""
    assert check_accelerations(tmp_path, text, rng) == []


LOOP = """<worldbody>
  <body name="a" {0}>{1}{2}<body name="b" {3}>{4}{5}<body name="c" {6}>{7}{8}</body></body></body>
  <body name="d" {9}>{10}{11}<site name="end" pos="0.1 0 0.2" quat="1 0.3 0 0.2"/></body>
  <body name="e" {12}>{13}{14}<site name="corner" pos="0.3 0 0"/></body></worldbody>"""


def loop(rng: np.random.Generator) -> str:
    parts: list[str] = []
    for name, kind in (("a", "hinge"), ("b", "ball"), ("c", "slide"), ("d", "hinge"), ("e", "free")):
        ref = 'ref="0.2"' if kind in ("hinge", "slide") else ""
        parts += [mjcf_place(rng), mjcf_joint(rng, f"j{name}", kind, ref), mjcf_inertial(rng)]
    return LOOP.format(*parts)


@pytest.mark.parametrize(
    "equality",
    [
        '<connect body1="c" body2="d" anchor="0.1 0.2 0.3"/>',
        '<connect body1="c" anchor="0.1 0.2 0.3"/>',
        '<weld body1="c" body2="a"/>',
        '<weld body1="b" body2="e" relpose="0 0.2 0 1 0.2 0 0.1" anchor="0.1 0 0"/>',
        '<weld site1="end" site2="corner"/>',
    ],
)
def test_loops_close_where_mujoco_closes_them(tmp_path, equality):
    """In an assembled pose MuJoCo finds no violation, its rows span ours, and the exact accelerations follow from them."""
    rng = np.random.default_rng(6)
    m, imported, mm, dd = both(tmp_path, loop(rng) + f"<equality>{equality}</equality>")
    start = {**imported.system.guess, **imported.system.initial}
    reference = np.array([x for j in m.joints for x in np.atleast_1d(start.get(j.name, j.joint.reference))])
    # the free body starts turned like its partner: a weld is closed after half a turn as well
    partner = m.state(reference).rotation("d" if "site" in equality else "b")
    reference[list(m.joints[m.joint_number["je"] - 1].q_at[:4])] = euler_parameters(partner)
    q = assemble(m, m.admissible(reference + rng.uniform(-0.05, 0.05, m.n_q)))
    u = np.zeros(m.n_u)
    dd.qpos[:] = to_qpos(m, mm, q)
    mujoco.mj_forward(mm, dd)
    J = dd.efc_J.reshape(-1, mm.nv)
    B = np.array([to_mujoco(m, mm, row) for row in constraint_rows(m.state(q, u)).B])
    assert len(J) and np.abs(dd.efc_pos).max() < TOLERANCE
    assert np.abs(np.linalg.pinv(J) @ J - np.linalg.pinv(B) @ B).max() < TOLERANCE
    M = np.zeros((mm.nv, mm.nv))
    for k, e in enumerate(np.eye(mm.nv)):
        mujoco.mj_mulM(mm, dd, M[k], e)
    K = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    expected = np.linalg.lstsq(K, np.concatenate([M @ dd.qacc_smooth, np.zeros(len(J))]), rcond=1e-12)[0][: mm.nv]
    ours = to_mujoco(m, mm, m.forward_dynamics(q, u))
    assert np.abs(ours - expected).max() < TOLERANCE * np.abs(expected).max()


@pytest.mark.parametrize(
    "equality",
    [
        '<joint joint1="ja" joint2="jd" polycoef="0.1 0.5 -0.3 0.2 0.7"/>',
        '<joint joint1="ja" joint2="jc" polycoef="0.1 -2"/>',
        '<joint joint1="jd" polycoef="0.3"/>',
        '<tendon tendon1="t1" tendon2="t2" polycoef="0 1 0.4"/>',
    ],
)
def test_polynomial_couplings_are_mujocos(tmp_path, equality):
    """Residual and row, in any pose."""
    rng = np.random.default_rng(7)
    tendons = (
        '<tendon><fixed name="t1"><joint joint="ja" coef="2"/></fixed><fixed name="t2"><joint joint="ja" coef="0.3"/>'
    )
    tendons += '<joint joint="jd" coef="1"/></fixed></tendon>'
    m, _, mm, dd = both(tmp_path, loop(rng) + tendons + f"<equality>{equality}</equality>")
    randomize(mm, dd, rng)
    mujoco.mj_forward(mm, dd)
    rows = constraint_rows(m.state(*from_mujoco(m, mm, dd)))
    assert np.abs(rows.g - dd.efc_pos).max() < TOLERANCE
    assert np.abs(to_mujoco(m, mm, rows.B[0]) - dd.efc_J.ravel()).max() < TOLERANCE


def test_first_keyframe_is_the_start(tmp_path):
    text = """<worldbody><body name="a"><freejoint name="f"/><geom size="1"/><body name="b"><joint name="h" armature="1"/>
      <geom size="1"/></body></body></worldbody><actuator><motor name="m" joint="h"/></actuator>
      <keyframe><key qpos="1 2 3 0 2 0 0 0.7" qvel="1 2 3 4 5 6 7" ctrl="8"/><key name="other"/></keyframe>"""
    imported = da.load_mjcf(write(tmp_path, "m.xml", f"<mujoco>{text}</mujoco>"))
    assert imported.system.initial == {"f": [0, 1, 0, 0, 1, 2, 3], "h": 0.7}
    assert imported.system.speeds == {"f": [4, 5, 6, 1, 2, 3], "h": 7.0}
    assert imported.system.parameters == {"ctrl_m": 8.0}
    assert any("first keyframe" in note for note in imported.notes)
