"""Elastic bodies as users say them: names, places, and every mistake told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da

from .beams import spin_up_beam


def arm(**joint: Any) -> da.System:
    s = da.System("arm", gravity=(0, -9.81, 0))
    s.add_body("arm", elastic=spin_up_beam(modes={"y": 2}))
    s.add_joint("A", da.Revolute(), "ground", "arm", **joint)
    return s


def test_names() -> None:
    m = arm(at_child="root").build()
    assert m.coordinates == m.speeds == ("A", "arm.y1", "arm.y2")
    assert m.mobility == 3
    s = m.state([0.1, 0.2, 0.3])
    assert s.q["A"] == 0.1 and s.q["arm"].tolist() == [0.2, 0.3]
    motion = m.simulate(0.01, {"A": 0.3, "arm.y2": 0.01}, {"arm": [0.1, 0.2]}, output=0.01)
    assert motion["A"][0] == 0.3 and motion["arm.y2"][0] == 0.01 and motion["arm.y1'"][0] == 0.1


def test_a_point_means_the_node_there() -> None:
    for place in ("root", (0.0, 0.0, 0.0), da.Frame(node="root")):
        assert arm(at_child=place).build().joints[0].joint.node.fixed
    m = arm(at_child="root").build()
    s = m.state([0.0, 1.0, 0.0])
    assert s.position(("arm", (8.0, 0.0, 0.0))) == pytest.approx(s.position(("arm", "tip")))
    assert s.position(("arm", "tip"))[1] != 0.0


def test_weight_hangs_on_the_hinge() -> None:
    m = arm(at_child="root").build()
    force = m.simulate(0.5, rtol=1e-10, output=0.1)
    assert force.energy().total == pytest.approx(force.energy().total[0], abs=1e-8)


def test_a_load_at_the_tip_bends_the_beam() -> None:
    """Static deflection PL³/3EI, by the stiffness of many modes."""
    s = da.System("cantilever")
    body = spin_up_beam(modes={"y": 8}, stiffening=False)
    s.add_body("beam", elastic=body)
    s.add_joint("wall", da.Weld(), "ground", "beam", at_child="root")
    s.add_force("pull", da.Load(("beam", "tip"), force=(0, 0.5, 0)))
    m = s.build()
    q = np.linalg.solve(body.Ke, m.forward_dynamics(np.zeros(8), np.zeros(8)))
    assert m.forward_dynamics(q, np.zeros(8)) == pytest.approx(np.zeros(8), abs=1e-9)
    deflection = m.state(q).position(("beam", "tip"))[1]
    assert deflection == pytest.approx(0.5 * 8.0**3 / (3.0 * 6.8952e10 * 8.2189e-9), rel=1e-3)


def test_springs_pull_at_nodes_and_keep_the_energy() -> None:
    s = arm(at_child="root")
    s.gravity = (0, -0.1, 0)
    s.add_force("spring", da.Spring(("arm", "tip"), ("ground", (6.0, 3.0, 0.0)), stiffness=0.05, length=1.0))
    energy = s.build().simulate(1.0, rtol=1e-10, output=0.1).energy()
    assert np.ptp(energy.total) < 1e-8 * energy.kinetic.max()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda s: s.add_joint("B", da.Weld(), "arm", "box", at_parent="tipp"),
            "no frame or node 'tipp'; did you mean 'tip'",
        ),
        (
            lambda s: s.add_joint("B", da.Weld(), "arm", "box", at_parent=(3.0, 0, 0)),
            "has no node at .3.0, 0.0, 0.0.; name a node",
        ),
        (
            lambda s: s.add_joint("B", da.Weld(), "arm", "box", at_child=da.Frame(node="a")),
            "the body there is not elastic",
        ),
        (lambda s: s.add_body("two", mass=1.0, elastic=spin_up_beam()), "no other shape or mass"),
    ],
)
def test_wrong_places_are_told(change: Any, sentence: str) -> None:
    s = arm(at_child="root")
    s.add_body("box", da.box(1.0, (1, 1, 1)))
    with pytest.raises(da.ModelError, match=sentence):
        change(s)
        s.build()


def test_forces_need_a_node() -> None:
    s = arm(at_child="root")
    s.add_force("push", da.Load("arm", force=(0, 1, 0)))
    m = s.build()
    with pytest.raises(da.ForceError, match="must act at one of its nodes; name one of root, tip"):
        m.equations("kane")


def test_inspection_tells_of_it() -> None:
    said = str(arm(at_child="root").build().inspect())
    assert "by A (Revolute, 1 free)" in said and "2 modes (y1, y2)" in said and "attached at its root" in said
