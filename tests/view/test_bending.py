"""Elastic bodies in the page: drawn through the places of their points, as large as they are or larger."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.view.drawing.joint_frames import on_child
from dalembert.view.drawing.wires import deflections, wire
from tests.view.conftest import Watched


@pytest.fixture(scope="module")
def motion():
    s = da.System("blade", gravity=(0, -9.81, 0))
    s.add_body("hub", da.box(5.0, (0.3, 0.3, 0.3)))
    s.add_body(
        "blade", elastic=da.beam(2.0, E=2e9, rho=2000.0, A=1e-4, Iy=2e-9, Iz=2e-9, modes={"y": 2}, support="free")
    )
    s.add_joint("A", da.Revolute(), "ground", "hub")
    s.add_joint("root", da.Weld(), "hub", "blade", at_parent=(0.15, 0, 0), at_child="root")
    return s.build().simulate(0.5, {"A": 0.3}, output=0.02)


def test_wires_end_where_the_nodes_are(motion):
    """Whatever the floating frame: points drawn and node frames of the mechanics are one."""
    w = wire(2, motion.mechanism.bodies[1])
    moved = w.points + deflections(motion, w)
    pose = motion.pose("blade")
    for node, k in (("root", 0), ("tip", -1)):
        drawn = pose.position + np.einsum("kij,kj->ki", pose.rotation, moved[:, k])
        assert drawn == pytest.approx(motion.position(("blade", node)), abs=1e-12)
    assert np.abs(deflections(motion, w)).max() > 1e-3


def test_joints_are_marked_where_they_hold(motion):
    m = motion.mechanism
    assert on_child(m, m.joints[1], 2).position == pytest.approx(m.bodies[1].nodes["root"].r)
    assert on_child(m, m.joints[0], 1).position.tolist() == [0.0, 0.0, 0.0]


def test_a_body_without_an_outline_is_its_nodes_joined():
    x = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [1, 1, 0]])
    nodes = {f"n{i}": da.elastic.Node.of(r, np.eye(3)[:, :1]) for i, r in enumerate(x)}
    modes = np.tile(np.array([[1.0], [0], [0]]), (4, 1, 1)) * np.array([1.0, -1, 1, -1])[:, None, None]
    body = da.elastic.given_modes(np.ones(4), x, modes, np.eye(1), nodes=nodes)
    s = da.System("frame")
    s.add_body("frame", elastic=body)
    assert sorted(wire(1, s.bodies["frame"]).edges) == [(0, 1), (1, 2), (1, 3)]


def test_it_bends_on_the_page(browser, motion, tmp_path):
    shown = Watched(browser, f"file://{motion.page(tmp_path / 'blade.html')}#t=0.3")
    shown.pictures()
    last = """(() => { const b = dalembert.stage.bending, m = new THREE.Matrix4(); b.balls.mesh.getMatrixAt(16, m);
        return new THREE.Vector3().setFromMatrixPosition(m).add(dalembert.stage.poses.origin).toArray(); })()"""
    tip = motion.position(("blade", "tip"))[15]
    assert np.allclose(shown(last), tip, atol=1e-5)
    assert shown.page.is_visible("#bending")
    shown.page.select_option("#bending select", "10")
    shown.pictures()
    assert np.linalg.norm(np.array(shown(last)) - tip) > 1e-3
    shown.assert_quiet()
    shown.page.close()
