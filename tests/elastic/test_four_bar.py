"""A four-bar with one hinge five degrees askew: locked while its links are rigid, moving if the coupler bends and twists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.constraints.diagnosis.diagnose import diagnose

ASKEW = da.turn(np.array([1.0, 0.0, 0.0]), np.radians(5.0))


def four_bar(elastic: bool, tilted: bool, driven: bool, cut: str = "C") -> da.Mechanism:
    s = da.System("four-bar")
    s.add_body("crank", da.cylinder(0.6, 0.02, 0.3, (1, 0, 0), com=(0.15, 0, 0)))
    s.add_body("rocker", da.cylinder(1.4, 0.02, 0.7, (1, 0, 0), com=(0.35, 0, 0)))
    if elastic:
        modes = {"y": 1, "z": 2, "torsion": 1}
        coupler = da.beam(0.9, E=2e9, rho=2000.0, A=4e-4, Iy=2e-8, Iz=2e-8, G=4e8, J=3e-8, modes=modes, elements=8)
        s.add_body("coupler", elastic=da.elastic.modal(coupler, 0.02))
    else:
        s.add_body("coupler", da.cylinder(0.72, 0.011, 0.9, (1, 0, 0), com=(0.45, 0, 0)))
    z = da.Revolute()
    drive: Any = (lambda t: 1.0 + np.pi * t - 0.5 * da.sin(2.0 * np.pi * t)) if driven else None
    s.add_joint("A", z, "ground", "crank", prescribed=drive)
    s.add_joint("B", z, "crank", "coupler", at_parent=(0.3, 0, 0), at_child="root" if elastic else (0, 0, 0))
    s.add_joint("D", z, "ground", "rocker", at_parent=(1.0, 0, 0))
    tip = (
        da.Frame(rotation=ASKEW if tilted else np.eye(3), node="tip")
        if elastic
        else da.Frame((0.9, 0, 0), ASKEW if tilted else np.eye(3))
    )
    s.add_joint("C", z, "coupler", "rocker", at_parent=tip, at_child=(0.7, 0, 0))
    return s.build(cut=[cut])


def test_rigid_twin_is_reported_locked() -> None:
    with pytest.raises(da.LoopError, match=r"locked, with \"C\" 5° askew"):
        four_bar(elastic=False, tilted=True, driven=False).simulate(1.0, {"A": 1.0})


def test_straight_hinges_leave_the_rigid_four_bar_free() -> None:
    motion = four_bar(elastic=False, tilted=False, driven=False).simulate(0.1, {"A": 1.0}, {"A": 1.0})
    assert motion.complete


def test_flexible_four_bar_turns_all_round() -> None:
    m = four_bar(elastic=True, tilted=True, driven=True)
    motion = m.simulate(2.0, output=0.05, rtol=1e-6)
    crank = motion.evaluate(lambda s: s.rotation("crank")[:2, 0])
    angles = np.unwrap(np.arctan2(crank[:, 1], crank[:, 0]))
    assert motion.complete
    assert angles[-1] - angles[0] == pytest.approx(2.0 * np.pi, abs=1e-6)
    gap = motion.evaluate(lambda s: s.position(("coupler", "tip")) - s.position(("rocker", (0.7, 0, 0))))
    assert np.abs(gap).max() < 1e-9
    out_of_plane = motion.evaluate(lambda s: s.position(("coupler", "tip")) - s.position(("coupler", "root")))[:, 2]
    twist = motion["coupler.torsion1"]
    assert np.ptp(twist) > 0.0 and np.abs(out_of_plane).max() < 0.1


def test_inspection_tells_joints_that_move_from_bodies_that_deform() -> None:
    m = four_bar(elastic=True, tilted=True, driven=False)
    q, _ = m.assemble({"A": 1.0})
    assert "deforms coupler" in str(diagnose(m, q))


@pytest.mark.slow
def test_the_cut_may_be_at_any_node() -> None:
    """Reactions are the same whether a joint on a node of the coupler closes the loop, as its child or parent, or is in the tree."""
    found, start = [], {"A": 1.0}
    for cut in ("C", "B"):
        m = four_bar(elastic=True, tilted=True, driven=False, cut=cut)
        q, _ = m.assemble({k: v for k, v in start.items() if k != cut})
        start |= {name: float(x) for name, x in zip(m.coordinates, q) if name != "C"}
        motion = m.simulate(1e-6, dict(zip(m.coordinates, q)), output=[0.0])
        wrenches = [motion.reaction(joint, at=end, axes=end) for joint in ("B", "C") for end in ("child", "parent")]
        found.append(np.concatenate([x for w in wrenches for x in (w.force[0], w.torque[0])]))
    assert np.abs(found[0] - found[1]).max() < 1e-6 * np.abs(found[0]).max()
    assert np.abs(found[0][3:6]).max() > 0.1  # torques about the nodes, which are not where the floating frame is


def test_a_loop_that_only_far_bending_would_close_is_refused() -> None:
    s = da.System("bow")
    s.add_body("bow", elastic=da.beam(2.0, E=2e9, rho=1000.0, A=1e-4, Iy=1e-9, Iz=1e-9, modes={"y": 2}, elements=4))
    s.add_joint("wall", da.Weld(), "ground", "bow", at_child="root")
    s.add_constraint("string", da.Distance(("bow", "tip"), ("ground", (1.0, 3.0, 0.0)), 1.0))
    with pytest.raises(da.LoopError, match=r'only with elastic body "bow" bent far beyond'):
        s.build().simulate(1.0)
