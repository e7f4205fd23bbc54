"""Many drops of polyhedra and spheres come to rest, each lane of time stepping one of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dalembert as da

su = da.surfaces
CORNERS = {
    "tetrahedron": ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)),
    "cube": tuple(itertools.product((-1, 1), repeat=3)),
}


def dropped(kind: str) -> da.Mechanism:
    """A body over a floor, 5 cm or so across."""
    s = da.System(kind, gravity=(0, 0, -9.81))
    s.add_body("b", mass=1.0, inertia=(0.002, 0.002, 0.002))
    s.add_joint("J", da.Free(), "ground", "b")
    if kind == "sphere":
        floor = da.PairContact(
            su.sphere("b", 0.07), su.plane(), mu=0.4, restitution=0.3, rolling_arm=0.003, drilling_arm=0.003
        )
    else:
        corners = su.corners("b", [[0.05 * x for x in p] for p in CORNERS[kind]])
        floor = da.PairContact(corners, su.plane(), mu=0.4, restitution=0.3)
    s.add_law("floor", floor)
    return s.build()


def starts(m: da.Mechanism, count: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    rng, poses, speeds = np.random.default_rng(0), [], []
    for _ in range(count):
        q = m.somewhere(rng, 1.0)
        q[m.coordinates.index("J.z")] = rng.uniform(0.15, 0.4)
        poses.append(q)
        speeds.append(rng.uniform(-1, 1, 6) * np.array([8, 8, 8, 1, 1, 0.5]))
    return poses, speeds


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        ("sphere", 16),
        ("tetrahedron", 16),
        *(pytest.param(k, 170, marks=pytest.mark.slow) for k in ("sphere", *CORNERS)),
    ],
)
def test_random_drops_come_to_rest(kind, count):
    m = dropped(kind)
    poses, speeds = starts(m, count)
    many = m.simulate_many(poses, 4.0, speeds, method="moreau", step=1e-3, output=np.array([0.0, 3.5, 4.0]))
    assert not many.problems
    assert np.abs(many.u[:, -1]).max() < 1e-3
    assert np.abs(many.q[:, -1] - many.q[:, -2]).max() < 1e-4
    height = many.q[:, -1, m.coordinates.index("J.z")]
    assert height == pytest.approx(
        np.full(count, 0.07 if kind == "sphere" else 0.05 / (3**0.5 if kind == "tetrahedron" else 1)), abs=1e-4
    )


@pytest.mark.parametrize(
    ("kind", "which"),
    [
        ("sphere", range(3)),
        ("cube", (3, 5, 7)),  # all four corners of a face stop together; one stops and the others turn about it
        ("tetrahedron", (19,)),  # both corners of an edge begin to slip where they have just stopped
        *(pytest.param(k, range(40), marks=pytest.mark.slow) for k in CORNERS),
    ],
)
def test_drops_event_by_event_rest_at_zero(kind, which):
    m = dropped(kind)
    poses, speeds = starts(m, max(which) + 1)
    for k in which:
        motion = m.simulate(4.0, poses[k], speeds[k], max_events=5000, output=0.5)
        assert not motion.u[-1].any()
        assert np.ptp(motion.energy().balance) < 1e-9
        assert motion.contacts["floor"].gap.min() > -1e-12


def test_a_block_that_spins_on_four_corners_stops_as_a_whole():
    """Each corner slides across its arm: the moment is μ m g r whatever each of them bears, and all stop at ω₀ I/(μ m g r)."""
    s = da.System("block", gravity=(0, 0, -9.81))
    s.add_body("b", mass=2.0, inertia=(0.02, 0.02, 0.03))
    s.add_joint("J", da.Free(), "ground", "b")
    corners = [[0.1 * x, 0.05 * y, -0.04] for x in (-1, 1) for y in (-1, 1)]
    s.add_law("floor", da.PairContact(su.corners("b", corners), su.plane(), mu=0.3))
    slowing = 0.3 * 2.0 * 9.81 * np.hypot(0.1, 0.05) / 0.03
    motion = s.build().simulate(1.0, {"J.z": 0.04}, {"J.wz": 6.0}, output=np.array([0.0, 0.1, 6.0 / slowing, 1.0]))
    assert motion["J.wz'"] == pytest.approx([6.0, 6.0 - 0.1 * slowing, 0.0, 0.0], abs=1e-9)
    assert not motion.u[-1].any() and not motion.contacts["floor"].determined[1]
    total = motion.contacts["floor"].normal[1]
    assert total.sum() == pytest.approx(2.0 * 9.81, rel=1e-12) and total.min() > -1e-12
    assert [x.t for x in motion.modes][-1] == pytest.approx(6.0 / slowing, rel=1e-9)
