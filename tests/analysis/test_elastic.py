"""Every analysis on a loop with a link that bends: balance, small motions, drives, paths, sweeps, sensitivities."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from tests.analysis.perturbed import differences
from tests.analysis.test_sensitivities import check


@pytest.fixture(scope="module")
def four_bar():
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    stiffness = s.parameter("k", 3.0)
    s.add_body("crank", da.rod(0.6, 0.3))
    beam = da.beam(0.9, E=2e9, rho=2000.0, A=4e-4, Iy=2e-8, Iz=2e-8, modes={"y": 1}, elements=4)
    s.add_body("coupler", elastic=da.elastic.modal(beam, 0.02))
    s.add_body("rocker", da.rod(1.4, 0.7))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(0.3, 0, 0), at_child="root")
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent="tip", at_child=(0.7, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(1, 0, 0))
    s.add_force("spring", da.JointSpring("A", stiffness=stiffness, damping=0.5))
    return s.build(cut=["C"])


def test_it_is_assembled_and_set_in_motion_without_bending(four_bar):
    q, u = four_bar.assemble({"A": 1.0}, {"A": 2.0})
    at = four_bar.coordinates.index("coupler.y1")
    assert q[at] == 0.0 and u[four_bar.speeds.index("coupler.y1")] == 0.0 and abs(u[-1]) > 0.1


def test_it_rests_bent_and_small_motions_are_those_of_the_equations(four_bar):
    found = four_bar.equilibrium({"A": 1.0})
    assert found.stable and 1e-5 < abs(found.coordinates["coupler.y1"]) < 1e-2
    assert np.abs(four_bar.forward_dynamics(found.q, found.u)).max() < 1e-8
    lin = found.linearisation
    expected = differences(four_bar, lin)[-len(lin.speeds) :]
    assert np.abs(lin.A[-len(lin.speeds) :] - expected).max() < 1e-7 * np.abs(expected).max()
    assert [mode.frequency > 0 for mode in lin.modes()] == [True, True]


def test_drives_are_found_again(four_bar):
    motion = four_bar.simulate(0.1, {"A": 1.0}, {"A": 1.0}, output=np.linspace(0, 0.1, 6))
    tau = np.zeros((6, four_bar.n_u))
    tau[:, 0] = 0.7
    udot = four_bar.forward_dynamics(motion.q, motion.u, tau, motion.t)
    assert np.abs(four_bar.drives(motion.q, motion.u, udot, ["A"], t=motion.t)["A"] - 0.7).max() < 1e-10


def test_along_a_path_and_swept_it_keeps_its_shape(four_bar):
    q = four_bar.assemble({"A": 1.0})[0]
    tip = ("coupler", "tip")
    x, t = four_bar.state(q).position(tip)[0], np.linspace(0, 0.2, 5)
    way = four_bar.follow(
        tip, lambda t: [x - 0.05 * da.sin(3 * t), None, None], t, initial=dict(zip(four_bar.coordinates, q))
    )
    reached = np.array([four_bar.state(row).position(tip)[0] for row in way.q])
    assert np.abs(reached - x + 0.05 * np.sin(3 * t)).max() < 1e-12
    at = four_bar.coordinates.index("coupler.y1")
    assert np.abs(way.q[:, at]).max() < 1e-9
    turn = four_bar.sweep("A", np.linspace(1.0, 1.5, 6))
    assert turn.complete and np.all(turn.q[:, at] == 0.0)
    assert np.allclose(turn.trace(tip), [four_bar.state(row).position(tip) for row in turn.q], atol=1e-12)


@pytest.mark.slow
def test_sensitivities_through_the_loop(four_bar):
    check(four_bar, {"A": 1.0}, {"A": 2.0}, 0.1, ["k"], ["A"], h=1e-2)
