"""A spinning satellite with four flexible booms: conservation, agreement, speed of the compiled code."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.formulations.tree import kane


@pytest.fixture(scope="module")
def satellite() -> da.Mechanism:
    boom = da.beam(
        5.0, E=7e10, rho=2700.0, A=1e-4, Iy=2e-9, Iz=3e-9, modes={"y": 3, "z": 2}, elements=16,
        bodies={5.0: da.box(0.5, (0.1, 0.1, 0.2))},
    )  # fmt: skip
    s = da.System("satellite")
    s.add_body("hub", da.box(100.0, (1.0, 1.2, 0.8)))
    s.add_joint("free", da.Free(), "ground", "hub")
    for i in range(4):
        R = da.turn(np.array([0.0, 0.0, 1.0]), i * np.pi / 2)
        s.add_body(f"boom{i}", elastic=boom)
        place = da.Frame(R @ [0.5, 0.0, 0.0], R)
        s.add_joint(f"root{i}", da.Weld(), "hub", f"boom{i}", at_parent=place, at_child="root")
    return s.build()


def test_energy_and_momentum_are_kept(satellite: da.Mechanism) -> None:
    motion = satellite.simulate(
        5.0, {"boom0": [0.3, 0, 0, 0.1, 0], "boom2": [-0.2, 0.05, 0, 0, 0]}, {"free": [0.1, 0.02, 0.8, 0.1, 0, 0]},
        rtol=1e-10, output=0.1,
    )  # fmt: skip
    energy, momentum = motion.energy(), motion.momentum()
    assert np.ptp(energy.total) < 1e-9 * energy.kinetic.max()
    assert np.ptp(motion["boom0.y1"]) > 0.3  # it does bend
    for p in (momentum.linear, momentum.angular):
        assert np.abs(p - p[0]).max() < 1e-9 * np.abs(p).max()


def test_compiled_batches_agree_with_kane(satellite: da.Mechanism) -> None:
    rng = np.random.default_rng(0)
    q = satellite.admissible(satellite.reference + rng.uniform(-0.1, 0.1, (satellite.n_q,)))
    u = rng.uniform(-0.1, 0.1, satellite.n_u)
    e = kane.equations(satellite.state(q, u))
    udot = np.linalg.solve(e.A, e.f)
    Q, U = np.tile(q, (2048, 1)), np.tile(u, (2048, 1))
    assert np.abs(satellite.forward_dynamics(Q, U) - udot).max() < 1e-10 * np.abs(udot).max()


def test_reaction_at_a_root_carries_the_boom(satellite: da.Mechanism) -> None:
    """Newton's law for one boom: the root's force is the rate of its momentum."""
    rng = np.random.default_rng(1)
    u = rng.normal(size=satellite.n_u)
    motion = satellite.simulate(1e-3, None, u, output=1e-4, rtol=1e-11)
    at = satellite.number_of["boom1"] - 1

    def momentum(s: object) -> np.ndarray:
        return satellite.bodies[at].momentum(s.instants[at])  # type: ignore[attr-defined]

    P = motion.evaluate(momentum)
    rate = (P[:-4] - 8 * P[1:-3] + 8 * P[3:-1] - P[4:]) / (12 * 1e-4)
    force = motion.reaction("root1").force[2:-2]
    assert np.abs(force - rate).max() < 1e-5 * np.abs(force).max()


def test_large_mechanisms_compile_in_proportion() -> None:
    """The mass matrix of many elastic bodies comes column by column, and is the same."""
    link = da.beam(0.5, E=7e10, rho=2700.0, A=1e-4, Iy=1e-9, Iz=1e-9, modes={"y": 1}, elements=4)
    s, parent, at = da.System("chain"), "ground", "frame"
    for k in range(11):
        s.add_body(f"link{k}", elastic=link)
        s.add_joint(
            f"hinge{k}", da.Revolute(), parent, f"link{k}", at_parent=(0, 0, 0) if k == 0 else at, at_child="root"
        )
        parent, at = f"link{k}", "tip"
    m = s.build()
    q = m.somewhere(np.random.default_rng(1), 0.5)
    expected = kane.mass_matrix(m.state(q))
    assert np.abs(m.mass_matrix(q) - expected).max() < 1e-12 * np.abs(expected).max()
    assert np.abs(m.mass_matrix(np.array([q, q]))[1] - expected).max() < 1e-12 * np.abs(expected).max()
