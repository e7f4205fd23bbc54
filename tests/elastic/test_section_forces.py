"""Loads inside beams by equilibrium, against closed forms and against what joints transmit."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.formulations.tree import kane

BEAM = dict(length=2.0, E=7e10, rho=2700.0, A=4e-4, Iy=3e-8, Iz=3e-8, modes={"y": 2, "z": 1})
LINE = 2700.0 * 4e-4
G = 9.81


def test_a_cantilever_under_its_weight_and_a_load_at_its_tip() -> None:
    """Q = P + ρAg (L − x) and M = P (L − x) + ρAg (L − x)²/2, exactly, whatever the number of modes."""
    s = da.System("cantilever", gravity=(0, -G, 0))
    s.add_body("beam", elastic=da.beam(**BEAM))
    s.add_joint("wall", da.Weld(), "ground", "beam", at_child="root")
    s.add_force("load", da.Load(("beam", "tip"), force=(0, -5.0, 0)))
    m = s.build()
    rest = np.zeros(3)
    for _ in range(8):
        rest += np.linalg.solve(m.bodies[0].data.Ke, kane.equations(m.state(rest)).f)
    found = m.simulate(1e-6, rest, output=[0.0]).section_forces("beam")
    ahead = 2.0 - found.x
    assert found.force[0, :, 1] == pytest.approx(-5.0 - LINE * G * ahead, rel=1e-9)
    assert found.moment[0, :, 2] == pytest.approx(-5.0 * ahead - 0.5 * LINE * G * ahead**2, abs=1e-3)
    assert np.abs(found.force[0][:, [0, 2]]).max() < 1e-9 and np.abs(found.moment[0][:, :2]).max() < 1e-9


def test_the_pull_in_a_spinning_beam_without_axial_modes() -> None:
    """N = ½ρAΩ²(L² − x²) + mΩ²L with a mass m at the tip, seen just before it."""
    s = da.System("rotor")
    s.add_body("blade", elastic=da.beam(**BEAM, bodies={2.0: da.particle(0.3)}))
    s.add_joint("hub", da.Revolute(), "ground", "blade", prescribed=lambda t: 5.0 * t)
    found = s.build().simulate(0.1, output=0.1).section_forces("blade")
    pull = 0.5 * LINE * 25.0 * (4.0 - found.x**2) + 0.3 * 25.0 * 2.0
    assert found.force[:, :, 0] == pytest.approx(np.tile(pull, (2, 1)), rel=1e-9)
    assert np.abs(found.force[:, :, 1:]).max() < 1e-9 * pull.max()


@pytest.fixture(scope="module")
def swinging() -> da.Motion:
    """A beam that carries a body at its tip and one in its middle, hangs from a hinge, and is tied and pushed."""
    s = da.System("swing", gravity=(0, -G, 0))
    beam = da.beam(
        **BEAM, nodes={"middle": 1.0}, bodies={2.0: da.box(0.2, (0.2, 0.1, 0.1), com=(0.1, 0, 0))}, support="free"
    )
    s.add_body("beam", elastic=beam)
    s.add_body("arm", da.box(0.5, (0.3, 0.1, 0.2), com=(0.2, 0, 0)))
    s.add_joint("A", da.Universal(), "ground", "beam", at_child="root")
    s.add_joint("B", da.Revolute((0, 1, 0)), "beam", "arm", at_parent="tip")
    s.add_force("push", da.Load(("beam", "middle"), force=(0.0, 1.0, 2.0)))
    s.add_constraint("tie", da.Distance(("beam", "middle"), ("ground", (1.0, 1.0, 0.0)), 1.2))
    return s.build().simulate(0.3, {"beam": [0.02, 0.0, 0.01]}, {"B": 2.0}, rtol=1e-9, output=0.1)


def test_at_its_root_it_is_what_the_joint_transmits(swinging: da.Motion) -> None:
    found, joint = swinging.section_forces("beam"), swinging.reaction("A")
    R = swinging.pose("beam").rotation
    force, torque = (np.einsum("kba,kb->ka", R, v) for v in (joint.force, joint.torque))
    assert found.force[:, 0] == pytest.approx(-force, rel=1e-9, abs=1e-9 * np.abs(force).max())
    # modal data leave out what is of third order in the amplitudes, here 2 cm on 2 m
    assert found.moment[:, 0] == pytest.approx(-torque, abs=1e-3 * np.abs(found.moment).max())


def test_just_before_its_tip_it_is_what_acts_there(swinging: da.Motion) -> None:
    """The rigid body there, whose mass centre is 0.1 m ahead, and the arm it carries."""
    found, arm = swinging.section_forces("beam"), swinging.reaction("B")
    a = swinging.acceleration(("beam", "tip"))
    w, ahead = (
        swinging.evaluate(f)
        for f in (lambda s: s.angular_velocity(("beam", "tip")), lambda s: s.rotation(("beam", "tip"))[:, 0])
    )
    d = 0.1 * ahead
    moving = a.linear + np.cross(a.angular, d) + np.cross(w, np.cross(w, d))
    expected = -0.2 * (moving - [0.0, -G, 0.0]) - arm.force
    expected = np.einsum("kba,kb->ka", swinging.pose("beam").rotation, expected)
    assert found.force[:, -1] == pytest.approx(expected, abs=2e-3 * np.abs(expected).max())


def test_only_beams_have_sections(swinging: da.Motion) -> None:
    with pytest.raises(da.ModelError, match='no elastic body "arm"'):
        swinging.section_forces("arm")
