"""What is wrong with a file is said with file, line and element; hostile files are refused, quickly."""

from __future__ import annotations

import re
import time

import pytest

import dalembert as da
from dalembert.importers import xml
from tests.importers.robots import urdf, write

LINKS = '<link name="a"/>\n<link name="b"/>\n'


def joint(name: str, parent: str, child: str, inside: str = "", kind: str = "revolute") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>\n'


def mjcf(body: str) -> str:
    return f"<mujoco>\n<worldbody>\n{body}\n</worldbody>\n</mujoco>"


WRONG = {
    "missing link": (urdf(LINKS + joint("j", "a", "bb")), r"robot:4: <child>: .*no link 'bb'; did you mean 'b'\?"),
    "no parent": (urdf(LINKS + '<joint name="j" type="fixed"><child link="b"/></joint>'), r':4: <joint name="j">: .*<parent>'),
    "cycle": (urdf(LINKS + '<link name="c"/>' + joint("j", "a", "b") + joint("k", "b", "a")), r"circle: a ← b ← a"),
    "two parents": (urdf(LINKS + joint("j", "a", "b") + joint("k", "a", "b")), r':5: <joint name="k">: link "b" is carried'),
    "two roots": (urdf(LINKS), r'one link that no joint carries, but there are 2: "a" \(line 2\), "b" \(line 3\)'),
    "no link": (urdf(""), "it has no <link>"),
    "same name": (urdf(LINKS + '<link name="a"/>'), r':4: <link name="a">: the name is used in line 2'),
    "wrong type": (urdf(LINKS + joint("j", "a", "b", kind="revolut")), r"type='revolut' is not known; did you mean 'revolute'\?"),
    "wrong number": (urdf(LINKS + joint("j", "a", "b", '<origin xyz="0 zero 0"/>')), r":4: <origin>: xyz='0 zero 0' must be numbers"),
    "too few": (urdf(LINKS + joint("j", "a", "b", '<origin xyz="0 0"/>')), "must be 3 numbers"),
    "infinite": (urdf(LINKS + joint("j", "a", "b", '<origin xyz="0 inf 0"/>')), "must be finite"),
    "no axis": (urdf(LINKS + joint("j", "a", "b", '<axis xyz="0 0 0"/>')), ":4: <axis>: the axis has no direction"),
    "mimic of nobody": (urdf(LINKS + joint("j", "a", "b", '<mimic joint="k"/>')), "no joint 'k'"),
    "mimic of itself": (urdf(LINKS + joint("j", "a", "b", '<mimic joint="j"/>')), "cannot mimic itself"),
    "negative mass": (
        urdf('<link name="a"><inertial><mass value="-1"/></inertial></link>'),
        r':2: <inertial>: body "a": mass -1 kg is negative',
    ),
    "not XML": ("<robot><link>", r"robot:1: the file is not valid XML: no element found \(column"),
    "empty": ("", "no element found"),
    "another format": ("<model/>", "neither URDF"),
    "unknown class": (mjcf('<body><joint class="x"/></body>'), r":3: <joint>: class=: there is no default class 'x'"),
    "unknown joint": (mjcf("") .replace("</mujoco>", '<actuator><motor joint="x"/></actuator></mujoco>'), "no joint 'x'"),
    "no target": (mjcf("").replace("</mujoco>", "<actuator><motor/></actuator></mujoco>"), "exactly one of joint"),
    "free inside": (mjcf('<body><body><freejoint/></body></body>'), "only joint of a body that the world carries"),
    "world joint": (mjcf("<joint/>"), "the world has no joints"),
    "two orientations": (mjcf('<body quat="1 0 0 0" euler="0 0 0"/>'), "both quat= and euler="),
    "no size": (mjcf('<body><geom type="box" size="1 1"/></body>'), "size= must have 3 positive numbers"),
    "global": ('<mujoco><compiler coordinate="global"/></mujoco>', "no longer part of MJCF"),
    "unphysical": (
        mjcf('<body name="b">\n<inertial mass="1" pos="0 0 0" diaginertia="1 1 9"/></body>'),
        r':4: <inertial>: body "b": .*triangle inequality',
    ),
    "keyframe": ('<mujoco><keyframe><key qpos="1"/></keyframe></mujoco>', "must be 0 numbers"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_are_named_with_file_and_line(tmp_path, case):
    text, expected = WRONG[case]
    with pytest.raises(da.ModelError) as caught:
        da.load_robot(write(tmp_path, "robot", text), strict=True)
    assert re.search(expected, str(caught.value)), str(caught.value)


BOMB = "<!DOCTYPE r [" + '<!ENTITY a0 "ha">' + "".join(
    f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12)
)  # fmt: skip
HOSTILE = {
    "bomb": BOMB + "]><robot>&a11;</robot>",
    "external": '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>',
    "external text": '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot>&x;</robot>',
    "parameter entity": '<!DOCTYPE r [<!ENTITY % x SYSTEM "http://example.invalid/x">%x;]><robot/>',
    "document type": '<!DOCTYPE robot SYSTEM "http://example.invalid/robot.dtd"><robot/>',
    "undeclared": "<robot>&x;</robot>",
    "deep": "<robot>" + "<a>" * 100_000,
    "many": "<robot>" + "<a/>" * (xml.MOST + 1) + "</robot>",
    "encoding": '<?xml version="1.0" encoding="rot13"?><robot/>',
    "nul": "<robot>\0</robot>",
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_are_refused_at_once(tmp_path, case):
    path = write(tmp_path, "robot.urdf", HOSTILE[case])
    began = time.process_time()
    with pytest.raises(da.ModelError):
        da.load_urdf(path)
    assert time.process_time() - began < 5.0


def test_large_file_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(xml, "LARGEST", 2**20)
    with pytest.raises(da.ModelError, match="larger than the 1 MB"):
        da.load_urdf(write(tmp_path, "robot.urdf", "<robot>" + " " * 2**20 + "</robot>"))


@pytest.mark.parametrize(
    "name", ["../secret.xml", "/etc/hostname", "file:///etc/hostname", "http://example.invalid/x", "C:/x.xml"]
)
def test_includes_stay_in_the_folder(tmp_path, name):
    inner = tmp_path / "model"
    inner.mkdir()
    write(tmp_path, "secret.xml", "<mujocoinclude/>")
    with pytest.raises(da.ModelError, match=r"model.xml:1: <include>: .*(outside|relative)"):
        da.load_mjcf(write(inner, "model.xml", f'<mujoco><include file="{name}"/></mujoco>'))


def test_includes_are_put_in_their_place_once(tmp_path):
    write(tmp_path, "part.xml", '<mujocoinclude><body name="b"><joint/><geom size="1"/></body></mujocoinclude>')
    once = '<include file="part.xml"/>'
    assert list(da.load_mjcf(write(tmp_path, "m.xml", mjcf(once))).system.bodies) == ["b"]
    with pytest.raises(da.ModelError, match=r"part\.xml is included twice"):
        da.load_mjcf(write(tmp_path, "m.xml", mjcf(once + once)))
    write(tmp_path, "self.xml", '<mujocoinclude><include file="self.xml"/></mujocoinclude>')
    with pytest.raises(da.ModelError, match="included twice"):
        da.load_mjcf(write(tmp_path, "m.xml", mjcf('<include file="self.xml"/>')))


def test_missing_file_and_wrong_base_are_named(tmp_path):
    with pytest.raises(da.ModelError, match="cannot be read"):
        da.load_urdf(tmp_path / "nothing.urdf")
    with pytest.raises(da.ModelError, match='"fixed" or "free"'):
        da.load_urdf(tmp_path / "nothing.urdf", base="flying")
