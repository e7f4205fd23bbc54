"""Many balls by time stepping: the same as their pairs, and closed forms of hitting and rolling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da

su = da.surfaces
RADIUS = 0.05
FLOOR = (su.plane(),)


def balls(count: int, pairs: bool = False, planes: Any = FLOOR, **law: float) -> da.Mechanism:
    """By one law, or by a contact for every pair."""
    s = da.System("balls", gravity=(0, 0, -9.81))
    names = [f"b{k}" for k in range(count)]
    for name in names:
        s.add_body(name, da.sphere(mass=0.1, radius=RADIUS))
        s.add_joint(name, da.Free(), "ground", name)
    if not pairs:
        s.add_law("balls", da.Balls(names, radius=RADIUS, planes=planes, **law))
        return s.build()
    shapes = [su.sphere(name, RADIUS) for name in names]
    for k, shape in enumerate(shapes):
        for j in range(k):
            s.add_law(f"p{j}_{k}", da.PairContact(shape, shapes[j], **law))
        for j, plane in enumerate(planes):
            s.add_law(f"w{k}_{j}", da.PairContact(shape, plane, **law))
    return s.build()


def test_a_ball_hits_another():
    m = balls(2, planes=None, restitution=0.6)
    start = {"b0.x": -0.2, "b0.z": 1.0, "b1.z": 1.0}
    motion = m.simulate(0.2, start, {"b0.vx": 2.0}, method="moreau", step=1e-3)
    assert motion.u[-1, [m.speeds.index("b0.vx"), m.speeds.index("b1.vx")]] == pytest.approx([0.4, 1.6], abs=1e-9)
    assert np.ptp(motion.energy().balance) < 1e-9
    assert motion.energy().lost[-1] == pytest.approx(0.25 * 0.1 * (1 - 0.36) * 4.0, rel=1e-6)


def test_a_ball_slides_then_rolls_at_five_sevenths():
    m = balls(1, mu=0.3)
    motion = m.simulate(1.0, {"b0.z": RADIUS}, {"b0.vx": 1.4}, method="moreau", step=1e-3)
    assert motion["b0.vx'"][-1] == pytest.approx(1.0, abs=1e-5)
    assert motion["b0.wy'"][-1] == pytest.approx(1.0 / RADIUS, rel=1e-5)
    assert motion["b0.z"][-1] == pytest.approx(RADIUS, abs=1e-9)


def test_balls_move_as_their_pairs_do():
    walls = (su.plane(), su.plane(("ground", (-0.2, 0, 0)), (1, 0, 0)), su.plane(("ground", (0.2, 0, 0)), (-1, 0, 0)))
    rng, start, speeds = np.random.default_rng(3), {}, {}
    for k in range(4):
        start |= {
            f"b{k}.x": -0.14 + 0.12 * (k % 3),
            f"b{k}.y": rng.uniform(-0.02, 0.02),
            f"b{k}.z": 0.1 + 0.12 * (k // 3),
        }
        speeds |= {f"b{k}.vx": rng.uniform(-1, 1), f"b{k}.wy": rng.uniform(-5, 5)}
    ends = [
        balls(4, pairs, walls, mu=0.4, restitution=0.2).simulate(0.08, start, speeds, method="moreau", step=1e-3).q[-1]
        for pairs in (False, True)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=1e-4)


def test_a_heap_of_balls_loses_energy_and_stays_in_its_box():
    sides = [
        ((-0.16, 0, 0), (1, 0, 0)),
        ((0.16, 0, 0), (-1, 0, 0)),
        ((0, -0.16, 0), (0, 1, 0)),
        ((0, 0.16, 0), (0, -1, 0)),
    ]
    m = balls(18, planes=(su.plane(), *(su.plane(("ground", at), n) for at, n in sides)), mu=0.3)
    start = {}
    for k in range(18):
        x, y, z = k % 3, k // 3 % 3, k // 9
        start |= {f"b{k}.x": -0.102 + 0.103 * x, f"b{k}.y": -0.104 + 0.102 * y, f"b{k}.z": 0.08 + 0.12 * z}
    many = m.simulate_many([start] * 2, 1.5, method="moreau", step=2e-3)
    motion = m.simulate(1.5, start, method="moreau", step=2e-3)
    assert not many.problems and many.q[1] == pytest.approx(motion.q, abs=1e-6)
    x = np.stack([[motion[f"b{k}.{c}"] for c in "xyz"] for k in range(18)])
    apart = np.linalg.norm(x[:, None] - x[None], axis=2) + 9.0 * np.eye(18)[:, :, None]
    assert apart.min() > 2 * RADIUS - 3e-3 and x[:, 2].min() > RADIUS - 3e-3 and np.abs(x[:, :2]).max() < 0.113
    assert motion.energy().total[-1] < 0.75 * motion.energy().total[0]
    assert np.ptp(motion.energy().balance) < 2e-3


def switched() -> da.Motion:
    off = da.Event(lambda s: s.t - 0.01, action=da.Switch("balls", on=False))
    start = {"b0.z": RADIUS, "b1.z": 1.0}
    return balls(2).simulate(0.1, start, method="moreau", step=1e-3, events={"off": off})


def chained() -> da.Mechanism:
    s = da.System("chain")
    for parent, name in (("ground", "a"), ("a", "b")):
        s.add_body(name, da.sphere(mass=0.1, radius=RADIUS))
        s.add_joint(name, da.Free(), parent, name)
    s.add_law("balls", da.Balls(["a", "b"], radius=RADIUS))
    return s.build()


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: balls(2).simulate(1.0, {"b0.z": 1.0, "b1.z": 2.0}), da.DalembertError, "time stepping alone"),
        (lambda: balls(2).laws_at(balls(2).reference, np.zeros(12)), da.DalembertError, "time stepping alone"),
        (
            lambda: balls(2).simulate(1.0, {"b0.z": 1.0, "b1.z": 1.01}, method="moreau", step=1e-3),
            da.SimulationError,
            "violated",
        ),
        (lambda: switched(), da.SimulationError, "switched"),
        (lambda: balls(2).equilibrium({"b0.z": 1.0}), da.DalembertError, "time stepping alone"),
        (lambda: chained().simulate(1.0, method="moreau", step=1e-3), da.SimulationError, "free body"),
        (lambda: da.Balls(["a"], radius=-1.0), da.ModelError, "above 0"),
        (lambda: da.Balls(["a", "a"], radius=1.0), da.ModelError, "once"),
        (lambda: da.Balls(["a"], radius=1.0, planes=[su.sphere("b", 1.0)]), da.ModelError, "of the ground"),
        (lambda: da.Balls(["a"], radius=1.0, restitution=2.0), da.ModelError, "gain energy"),
    ],
)
def test_what_balls_cannot_be_is_refused(make, error, said):
    with pytest.raises(error, match=said):
        make()


def test_balls_are_written_and_read(tmp_path):
    m = balls(3, mu=0.2)
    s = da.System("balls", gravity=(0, 0, -9.81))
    for name in ("b0", "b1", "b2"):
        s.add_body(name, da.sphere(mass=0.1, radius=RADIUS))
        s.add_joint(name, da.Free(), "ground", name)
    s.add_law("balls", da.Balls(["b0", "b1", "b2"], radius=RADIUS, planes=(su.plane(),), mu=0.2))
    s.save(tmp_path / "balls.yaml")
    back = da.load(tmp_path / "balls.yaml")
    assert back.kernels.fingerprint == m.kernels.fingerprint
    assert balls(3, mu=0.3).kernels.fingerprint != m.kernels.fingerprint
