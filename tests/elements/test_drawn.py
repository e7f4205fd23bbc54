"""Belts and cables: ratios, lengths and slip in closed form, energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from tests.elements.energy import metered, off_balance


def two_pulleys(belt: da.Belt, load: float = 0.0) -> da.System:
    """Two pulleys a metre apart; the first is driven, the second resists."""
    s = da.System("drive")
    for name, at in (("small", 0.0), ("large", 1.0)):
        s.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.02))
        s.add_joint(name, da.Revolute((0, 0, 1)), "ground", name, at_parent=(at, 0, 0))
    s.add_element("belt", belt)
    s.add_force("drive", da.Motor("small", 5.0))
    s.add_force("load", da.JointSpring("large", damping=load))
    return s


def test_belt_turns_pulleys_by_the_ratio_of_their_radii() -> None:
    """Steadily both surfaces run at one speed, and the difference of the tensions is the torque by the radius."""
    s = two_pulleys(da.Belt(("small", "large"), (0.1, 0.25), 1e4, tension=200.0, damping=50.0), load=4.0)
    s.add_output("pull", lambda s: s.signal("belt.tension1") - s.signal("belt.tension2"))
    motion = s.build().simulate(20.0, rtol=1e-11, output=[0.0, 10.0, 20.0])
    fast, slow = motion["small'"][-1], motion["large'"][-1]
    assert abs(fast * 0.1 - slow * 0.25) < 1e-9 * abs(fast)
    assert abs(4.0 * slow - 5.0 * 0.25 / 0.1) < 1e-8
    assert abs(abs(motion.outputs()["pull"][-1]) - 5.0 / 0.1) < 1e-7


def test_crossed_belt_turns_the_other_way() -> None:
    s = two_pulleys(da.Belt(("small", "large"), (0.1, 0.2), 1e4, 200.0, 50.0, sides=(1, -1)), load=2.0)
    motion = s.build().simulate(10.0, rtol=1e-10, output=[0.0, 5.0, 10.0])
    assert abs(motion["small'"][-1] * 0.1 + motion["large'"][-1] * 0.2) < 1e-7


@pytest.mark.parametrize("more", [{}, {"friction": 0.3, "creep": 0.01, "viscous": 20.0}], ids=["sticks", "slips"])
def test_belt_keeps_energy_with_a_tensioner_that_moves(more: dict[str, Any]) -> None:
    s = two_pulleys(
        da.Belt(("small", "large", ("arm", (0.2, 0, 0))), (0.1, 0.2, 0.05), 2e3, 60.0, 2.0, (1, 1, -1), **more)
    )
    s.add_body("arm", mass=0.5, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.01))
    s.add_joint("arm", da.Revolute((0, 0, 1)), "ground", "arm", at_parent=(0.4, 0.45, 0))
    s.add_force("spring", da.JointSpring("arm", stiffness=20.0, rest=-1.2))
    motion = (
        metered(s, "belt").build().simulate(0.4, {"arm": -1.2}, {"small": 3.0}, rtol=1e-12, atol=1e-14, max_step=5e-4)
    )
    drive = 5.0 * (motion["small"] - motion["small"][0])
    assert np.ptp(motion["arm"]) > 1e-3 and off_balance(motion, -drive) < 1e-9
    if more:
        assert motion["heat.value"][-1] > 0.01


def test_belt_slips_where_friction_is_exhausted() -> None:
    """Driven beyond what friction bears, the tensions stand as Euler and Eytelwein say, beside what slip adds."""
    s = da.System("brake")
    s.add_body("drum", mass=1.0, inertia=(0.1, 0.1, 0.02))
    s.add_joint("drum", da.Revolute((0, 0, 1)), "ground", "drum", prescribed=lambda t: 5.0 * t)
    s.add_body("sled", mass=2.0)
    s.add_joint("A", da.Prismatic((1, 0, 0)), "ground", "sled", at_parent=(1.0, 0.1, 0))
    s.add_force("spring", da.JointSpring("A", stiffness=1e3, damping=200.0))
    # from the ground below, clockwise round the left half of the drum, to the sled: half a turn
    band = da.Belt(
        (("ground", (1.0, -0.1, 0)), "drum", "sled"), (0.0, 0.1, 0.0), 1e4, 100.0, sides=(1, -1, 1), closed=False,
        friction=0.3, creep=1e-4, viscous=1e-3,
    )  # fmt: skip
    s.add_element("band", band)
    for i in (1, 2):
        s.add_output(f"T{i}", lambda s, i=i: s.signal(f"band.tension{i}"))
    motion = s.build().simulate(5.0, method="radau", rtol=1e-9, output=[0.0, 2.5, 5.0])
    T1, T2 = (motion.outputs()[x][-1] for x in ("T1", "T2"))
    ratio = max(T1, T2) / min(T1, T2)
    assert abs(np.log(ratio) - 0.3 * np.pi) < 1e-4
    assert T2 > T1  # the drum runs counter-clockwise and draws the band back, away from the sled


def atwood(pulley: float = 0.2) -> da.System:
    """Two masses on a cable over a pulley on the ceiling."""
    s = da.System("atwood", gravity=(0, -9.81, 0))
    for name, mass, at in (("left", 3.0, -pulley), ("right", 2.0, pulley)):
        s.add_body(name, mass=mass)
        s.add_joint(name, da.Prismatic((0, 1, 0)), "ground", name, at_parent=(at, -1.0, 0))
    return s


def test_cable_has_one_tension_and_the_length_of_its_arcs() -> None:
    s = atwood()
    s.add_element("cable", da.Cable(("left", "ground", "right"), (0, 0.2, 0), 1.9 + 0.2 * np.pi, 1e4, 30.0, (1, -1, 1)))
    s.add_output("stretch", lambda s: s.signal("cable.stretch"))
    motion = metered(s, "cable").build().simulate(0.5, rtol=1e-12, max_step=1e-3)
    assert abs(motion.outputs()["stretch"][0] - 0.1) < 1e-12
    assert off_balance(motion) < 1e-9
    lifted = atwood()
    lifted.add_element(
        "cable", da.Cable(("left", "ground", "right"), (0, 0.2, 0), 2.0 + 0.2 * np.pi, 1e4, 100.0, (1, -1, 1)),
        paid=lambda s: -0.1 * s.t, paid_rate=-0.1,
    )  # fmt: skip
    motion = metered(lifted, "cable").build().simulate(1.0, rtol=1e-12, max_step=1e-3)
    assert off_balance(motion) < 1e-9


def test_atwood_falls_as_it_should() -> None:
    """A stiff cable: both masses move at g (m₁ − m₂)/(m₁ + m₂), after their swing on the cable has died out."""
    s = atwood()
    s.add_element("cable", da.Cable(("left", "ground", "right"), (0, 0.2, 0), 2.0 + 0.2 * np.pi, 1e6, 2e3, (1, -1, 1)))
    motion = s.build().simulate(0.3, rtol=1e-10, output=[0.0, 0.15, 0.3])
    wanted = 9.81 * (3.0 - 2.0) / (3.0 + 2.0)
    found = (motion["right'"][2] - motion["right'"][1]) / 0.15
    assert abs(found - wanted) < 1e-6


def test_cable_between_points_goes_through_space() -> None:
    """Along its axis too, and round a corner; of its own force it does what its energy says."""
    s = da.System("mast", gravity=(0, 0, -9.81))
    s.add_body("bob", mass=2.0)
    s.add_joint("J", da.Translation(), "ground", "bob")
    s.add_element("up", da.Cable((("ground", (0, 0, 3)), "bob"), (0, 0), 1.0, 100.0))
    eye = (("ground", (1, 2, 3)), ("ground", (0.5, 0.1, 2)), "bob")
    s.add_element("over", da.Cable(eye, (0, 0, 0), 2.0, 50.0, 3.0))
    m = s.build()
    q, u = np.array([0.3, -0.2, 0.7]), np.array([0.1, 0.5, -0.4])
    total = np.array([0, 0, -2 * 9.81])
    for points, length, k, c in ((((0, 0, 3),), 1.0, 100.0, 0.0), (((1, 2, 3), (0.5, 0.1, 2)), 2.0, 50.0, 3.0)):
        path = [*np.array(points, dtype=float), q]
        spans = np.diff(path, axis=0)
        lengths = np.linalg.norm(spans, axis=1)
        along = spans[-1] / lengths[-1]
        total = total - (k * (lengths.sum() - length) + c * (along @ u)) * along
    np.testing.assert_allclose(m.forward_dynamics(q, u), total / 2.0, rtol=1e-13)


def test_pulleys_that_do_not_stand_in_one_plane_are_refused() -> None:
    def over(z: float) -> da.System:
        s = da.System("drive")
        s.add_body("b", mass=1.0)
        s.add_joint("J", da.Prismatic((0, 1, 0)), "ground", "b", at_parent=(0.3, 0, z))
        s.add_element("belt", da.Belt(("ground", "b"), (0.1, 0.1), 10.0))
        return s

    over(0.0).build()
    with pytest.raises(da.ModelError, match=r"do not stand in one plane: their centres are 0\.01 m apart"):
        over(0.01).build()


def test_belts_refuse_what_they_cannot_use() -> None:
    with pytest.raises(da.ModelError, match="radii must have a value for each of its 2 pulleys, not 1"):
        da.Belt(("a", "b"), (0.1,), 1e3)
    with pytest.raises(da.ModelError, match="sides must be 1"):
        da.Belt(("a", "b"), (0.1, 0.1), 1e3, sides=(1, 2))
    with pytest.raises(da.ModelError, match="the ends of a belt that is not closed are points"):
        da.Cable(("a", "b"), (0.1, 0.0), 1.0, 1e3)
    with pytest.raises(da.ModelError, match="two pulleys at least"):
        da.Belt(("a",), (0.1,), 1e3)
