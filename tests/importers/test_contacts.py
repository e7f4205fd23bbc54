"""Contacts of imported models: MuJoCo's rules of who touches whom, and closed forms of what touches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da

RULES = """
<mujoco><option gravity="0 0 -9.81">{flag}</option>
  <default><geom type="sphere" size="0.01" margin="9" gap="9"/><default class="slick"><geom condim="1"/></default></default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" pos="0 0 -1" friction="0.2 0.03"/>
    <body name="fixed" pos="0 0 -0.5"><geom name="post"/></body>
    <body name="a" pos="0.1 0 0"><joint name="ja" type="hinge" axis="0 1 0"/><geom name="a1" friction="0.5" condim="4"/>
      <body name="aw" pos="0.1 0 0"><geom name="aw1" contype="2" conaffinity="3"/>
        <body name="b" pos="0.1 0 0"><joint name="jb" type="slide"/><geom name="b1" priority="1" friction="0.1 0.2 0.3" condim="6"/>
          <body name="c" pos="0.1 0 0"><joint name="jc"/><geom name="c1" contype="4" conaffinity="0"/><geom name="c2"/></body>
        </body>
      </body>
    </body>
    <body name="d" pos="0 0.2 0"><freejoint name="jd"/>
      <geom name="d1" class="slick"/><geom name="d2" contype="0" conaffinity="4"/></body>
    <body name="e" pos="0 0.4 0"><freejoint name="je"/>
      <geom name="e1" contype="0" conaffinity="0"/><geom name="e2" class="slick"/></body>
  </worldbody>
  <contact><exclude body1="d" body2="c"/>
    <pair geom1="e1" geom2="floor" condim="4" friction="0.6 0.6 0.05" margin="9" gap="9"/>
    <pair geom1="b1" geom2="a1" margin="9" gap="9"/></contact>
</mujoco>"""


@pytest.mark.parametrize(
    "flag", ["", '<flag filterparent="disable"/>', '<flag contact="disable"/>'], ids=["usual", "parents", "disabled"]
)
def test_who_touches_whom_and_how_is_as_in_mujoco(flag: str, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    file = tmp_path / "rules.xml"
    file.write_text(RULES.format(flag=flag))
    peer = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(peer)
    mujoco.mj_forward(peer, data)
    wanted = {}
    for k in range(data.ncon):
        c = data.contact[k]
        names = frozenset(peer.geom(int(g)).name for g in c.geom)
        slide, drill, roll = c.friction[0], c.friction[2], c.friction[3]
        wanted[names] = (slide if c.dim > 1 else 0.0, drill if c.dim > 3 else 0.0, roll if c.dim > 4 else 0.0)
    found = {}
    for name, law in da.load_mjcf(file, contacts="all").system.laws.items():
        found[frozenset(name.split("_")[:2])] = (law.mu, law.drilling_arm, law.rolling_arm)
    assert found.keys() == wanted.keys() and (flag == '<flag contact="disable"/>' or len(found) > 15)
    for names, friction in wanted.items():
        np.testing.assert_allclose(found[names], friction, atol=1e-12, err_msg=str(names))
    ground = set(da.load_mjcf(file, contacts="ground").system.laws)
    assert all("floor" in name or "post" in name for name in ground)
    assert not da.load_mjcf(file).system.laws


SLIDE = """
<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" friction="0.1"/>
  <body name="block" pos="0 0 0.1"><freejoint name="F"/>
    <geom type="{kind}" size="{size}" mass="2" friction="0.3" euler="{euler}"/></body>
</worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("kind", "size", "euler"),
    [("box", "0.3 0.2 0.1", "0 0 30"), ("cylinder", "0.2 0.1", "0 0 0"), ("capsule", "0.1 0.4", "0 90 0")],
)
def test_what_slides_comes_to_rest_where_it_must(kind: str, size: str, euler: str, tmp_path: Path) -> None:
    """v²/(2 μ g), with the larger of both coefficients; a bar slides along its axis."""
    file = tmp_path / "slide.xml"
    file.write_text(SLIDE.format(kind=kind, size=size, euler=euler))
    motion = da.load_mjcf(file, contacts=True).build().simulate(0.5, speeds={"F.vx": 1.0}, method="moreau", step=1e-3)
    place = motion.position("block")[-1]
    assert abs(place[0] - 1.0 / (2 * 0.3 * 9.81)) < 1e-3 and abs(place[2] - 0.1) < 1e-9


def test_balls_of_imports_bounce_not_and_overlaps_are_told(tmp_path: Path) -> None:
    file = tmp_path / "balls.xml"
    file.write_text(
        """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
        <body name="one" pos="0 0 0.5"><freejoint/><geom name="x" size="0.1" solref="0.01 0.5"/></body>
        <body name="two" pos="0 0 0.65"><freejoint/><geom name="y" size="0.1"/></body>
        <body name="deep" pos="2 0 0.05"><freejoint/><geom name="z" size="0.1"/></body>
        <body name="egg" pos="4 0 1"><freejoint/><geom name="e" type="ellipsoid" size="0.1 0.1 0.2"/></body>
        </worldbody></mujoco>"""
    )
    found = da.load_mjcf(file, contacts=True)
    told = "\n".join(found.notes)
    assert "y_x_contact" not in found.system.laws and '"y_x_contact": the forms overlap by 0.05 m at the start' in told
    assert '"z_floor_contact": the forms overlap by 0.05 m at the start; begin elsewhere' in told
    assert "contact of a form given by a ellipsoid is not represented" in told and "nothing bounces" in told
    with pytest.raises(da.SimulationError, match=r"z_floor_contact.*violated at the start"):
        found.build().simulate(0.1)
    with pytest.raises(da.ModelError, match=r"contacts='some' is not known"):
        da.load_mjcf(file, contacts="some")


def test_forms_of_a_urdf_touch_the_ground_on_request(tmp_path: Path) -> None:
    file = tmp_path / "box.urdf"
    file.write_text(
        """<robot name="box"><link name="base"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
        <collision><origin xyz="0 0 0.1"/><geometry><sphere radius="0.2"/></geometry></collision>
        <collision><geometry><mesh filename="a.stl"/></geometry></collision></link></robot>"""
    )
    found = da.load_urdf(file, base="free", contacts="ground")
    told = "\n".join(found.notes)
    assert "contact_mu = 0.8" in told and "contact of a form given by a mesh is not represented" in told
    free = next(iter(found.system.joints))
    motion = found.build().simulate(1.0, {f"{free}.z": 1.0})
    assert abs(motion.position("base")[-1, 2] - 0.1) < 1e-9
    with pytest.raises(da.ModelError, match="URDF does not say which links may touch each other"):
        da.load_urdf(file, contacts="all")
    assert not da.load_urdf(file).system.laws
