"""What a run tells of an elastic body: displacements of nodes, loads in the sections of a beam."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.elastic import buckens

from .beams import CLAMPED, SPIN_UP, spin_up_beam


@pytest.fixture(scope="module")
def motion() -> da.simulation.motion.Motion:
    s = da.System("cantilever")
    s.add_body("beam", elastic=spin_up_beam(modes={"y": 6, "z": 2, "torsion": 1, "axial": 1}, rotary=True))
    s.add_joint("wall", da.Weld(), "ground", "beam", at_child="root")
    s.add_output("tip", da.outputs.Displacement(("beam", "tip")))
    return s.build().simulate(0.02, {"beam": [0.02, 0.01, 0, 0, 0, 0, 0.03, 0.001, 0.002, 1e-4]}, output=0.01)


def test_displacement_of_a_node(motion: da.simulation.motion.Motion) -> None:
    """At the wall the floating frame is the world."""
    moved = motion.displacement("beam", "tip")
    assert moved == pytest.approx(motion.position(("beam", "tip")) - [8.0, 0.0, 0.0], abs=1e-14)
    assert moved == pytest.approx(motion.outputs()["tip"])
    assert np.abs(motion.displacement("beam", "root")).max() == 0.0
    with pytest.raises(da.ModelError, match=r'body "beam" has no node .* its nodes are root, tip'):
        motion.displacement("beam", "middle")


def test_inner_loads_hold_the_strain_energy(motion: da.simulation.motion.Motion) -> None:
    """½ ∫ M·M/EI + N²/EA dx over the sections is ½ qᵀKe q."""
    loads = motion.inner_loads("beam")
    E, A, EI = SPIN_UP["E"], SPIN_UP["A"], SPIN_UP["E"] * SPIN_UP["Iz"]
    GJ = E / 2.6 * 2.0 * SPIN_UP["Iz"]
    density = 0.5 * (loads.moment**2 / [GJ, EI, EI]).sum(axis=-1) + 0.5 * loads.axial**2 / (E * A)
    h = np.full(17, 0.5) * np.array([1.0, *[4.0, 2.0] * 7, 4.0, 1.0]) / 3.0
    Ke = motion.mechanism.bodies[0].data.Ke
    strain = 0.5 * np.einsum("ki,ij,kj->k", motion.q, Ke, motion.q)
    assert density @ h == pytest.approx(strain, rel=2e-3)


def test_bending_moment_of_a_cantilever_mode(motion: da.simulation.motion.Motion) -> None:
    """At the root φ'' = β² φ(L) in the closed form; nothing at the tip; the floating frame is no matter."""
    body = spin_up_beam(modes={"y": 1}, static=False)
    tip = body.nodes["tip"].Phi[1, 0]
    expected = SPIN_UP["E"] * SPIN_UP["Iz"] * (CLAMPED[0] / 8.0) ** 2 * tip
    assert body.sections is not None
    assert body.sections.moments[0, 2, 0] == pytest.approx(expected, rel=2e-3)
    assert abs(body.sections.moments[-1, 2, 0]) < 2e-3 * expected
    assert buckens(body).sections is body.sections


def test_only_beams_have_sections() -> None:
    s = da.System("two")
    s.add_body("block", da.box(1.0, (1, 1, 1)))
    s.add_joint("A", da.Revolute(), "ground", "block")
    motion = s.build().simulate(0.1, output=0.1)
    with pytest.raises(da.ModelError, match='no elastic body "block"'):
        motion.inner_loads("block")
    with pytest.raises(da.ModelError, match="because it is not elastic"):
        motion.displacement("block", "tip")
