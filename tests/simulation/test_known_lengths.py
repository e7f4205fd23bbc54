"""The length that measures a mechanism is said by bodies, forces and constraints alike; where none says one, by the start of a run."""

import warnings
from collections.abc import Callable

import numpy as np
import pytest

import dalembert as da

Builds = Callable[[da.System, float], None]


def slides(name: str = "slides", *, gravity: float = 0.0) -> da.System:
    """Two point masses, one carried by the other, that slide along x and y: no body has an extent."""
    s = da.System(name, gravity=(0.0, -gravity, 0.0))
    s.add_body("c", mass=1.0)
    s.add_body("a", mass=1.0)
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "c")
    s.add_joint("y", da.Prismatic((0, 1, 0)), "c", "a")
    return s


TOLD: dict[str, tuple[Builds, float]] = {
    "distance": (lambda s, L: s.add_constraint("k", da.Distance("ground", "a", L)), 1.0),
    "parameter": (lambda s, L: s.add_constraint("k", da.Distance("ground", "a", 2.0 * s.parameter("L", L))), 2.0),
    "point": (lambda s, L: s.add_constraint("k", da.OnLine(("a", (0, 2 * L, 0)), "ground", (1, 0, 0))), 4.0),
    "spring": (lambda s, L: s.add_force("k", da.Spring("ground", "a", stiffness=1.0, length=L)), 1.0),
    "spring's points": (lambda s, L: s.add_force("k", da.Spring("ground", ("a", (L, 0, 0)), stiffness=1.0)), 2.0),
    "load": (lambda s, L: s.add_force("k", da.Load(("a", (0, L, 0)), force=(1.0, 0.0, 0.0))), 2.0),
    "rest": (lambda s, L: s.add_force("k", da.JointSpring("x", stiffness=1.0, rest=-L)), 1.0),
    "offset": (lambda s, L: s.add_constraint("k", da.Coupling({"x": 1.0, "y": 2.0}, L)), 1.0),
    "drive": (lambda s, L: s.add_constraint("k", da.Drive("x", L)), 1.0),
    "cam": (lambda s, L: s.add_constraint("k", da.Polynomial({"x": 1.0}, {"y": 1.0}, (L, 1.0))), 1.0),
    "table": (lambda s, L: s.add_constraint("k", _follows(da.Table([-L, 0.0, L], [0.0, L, 2.0 * L], "linear"))), 1.0),
}  # fmt: skip


def _follows(lift: da.Table) -> da.Relation:
    return da.Relation(position=lambda st: st.q["y"] - lift(st.q["x"]))


@pytest.mark.parametrize("size", (1e-12, 1e-3, 1e6))
@pytest.mark.parametrize("what", TOLD)
def test_forces_and_constraints_say_lengths(what: str, size: float) -> None:
    add, length = TOLD[what]
    s = slides()
    add(s, size)
    scales = s.build().scales
    assert scales.known and scales.length == pytest.approx(length * size, rel=1e-12, abs=0.0)
    assert scales.speeds == pytest.approx(length * size, rel=1e-12, abs=0.0)


def test_turning_is_no_length() -> None:
    s = da.System("wheel")
    s.add_body("w", da.rod(mass=1.0, length=0.5))
    s.add_joint("A", da.Revolute(), "ground", "w")
    s.add_force("k", da.JointSpring("A", stiffness=1.0, rest=30.0))
    s.add_constraint("d", da.Drive("A", 40.0))
    assert s.build().scales.length < 1.0


def test_turning_that_makes_slide_says_a_length() -> None:
    """A screw between points."""
    for pitch in (1e-9, 1e3):
        s = slides()
        s.add_body("n", mass=1.0)
        s.add_joint("A", da.Planar(), "ground", "n")
        s.add_constraint("screw", da.Coupling({"x": 1.0, "A.angle": -pitch}))
        assert s.build().scales.length == pytest.approx(pitch)


@pytest.mark.parametrize("size", (1.0, 1e-6, 1e-12, 1e9))
def test_a_pendulum_of_two_slides_and_a_rod_is_the_same_at_any_size(size: float) -> None:
    s = slides(gravity=9.81 * size)
    s.add_constraint("rod", da.Distance("ground", "a", size))
    m = s.build()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        q, _ = m.assemble({"x": 0.8008 * size})
        assert abs(np.linalg.norm(q) / size - 1.0) < 1e-11
        motion = m.simulate(2.0, initial={"x": 0.8 * size})
    assert np.linalg.norm(motion.q, axis=1) / size == pytest.approx(1.0, abs=1e-11)
    assert motion.q[-1] / size == pytest.approx([-0.0748072, -0.9971980], abs=1e-6)


@pytest.mark.parametrize("formulation", ("kane", "hamilton"))
@pytest.mark.parametrize("x, v", ((1e-9, 0.0), (0.0, 1e-9), (1e6, 0.0), (1e-30, 0.0)))
def test_where_nothing_says_a_length_the_start_does(x: float, v: float, formulation: str) -> None:
    """A spring that turns no one's length: the error is the tolerance's part of the motion, however slight that is."""
    s = slides()
    s.add_force("k", da.JointSpring("x", stiffness=100.0))
    m, w = s.build(), np.sqrt(50.0)
    assert not m.scales.known and m.scales.length == 1.0
    motion = m.simulate(10.0, {"x": x}, {"x": v}, rtol=1e-8, formulation=formulation)
    expected = x * np.cos(w * motion.t) + v / w * np.sin(w * motion.t)
    assert motion.q[:, 0] == pytest.approx(expected, rel=0, abs=1e-6 * np.hypot(x, v / w))


def test_every_one_of_many_motions_is_measured_by_its_own_start() -> None:
    s = slides()
    s.add_force("k", da.JointSpring("x", stiffness=100.0))
    m = s.build()
    starts = np.array([[1.0, 0.0], [1e-9, 0.0], [0.0, 0.0]])
    many = m.simulate_many(starts, 3.0, rtol=1e-8)
    for start, q in zip(starts, many.q):
        assert np.array_equal(q, m.simulate(3.0, start, rtol=1e-8).q)
    assert many.q[1] * 1e9 == pytest.approx(many.q[0], abs=1e-7)


def test_coupled_slides_without_a_length() -> None:
    s = slides()
    s.add_constraint("both", da.Coupling({"x": 1.0, "y": -2.0}))
    s.add_force("k", da.JointSpring("x", stiffness=100.0))
    m = s.build()
    large, small = (m.simulate(3.0, {"x": size}).q / size for size in (1.0, 1e-9))
    assert small == pytest.approx(large, abs=1e-9)


def test_absolute_tolerances_asked_for_are_kept() -> None:
    s = slides()
    s.add_force("k", da.JointSpring("x", stiffness=100.0))
    assert s.build().simulate(0.1, {"x": 1e-6}, atol=1e-7).record["options"]["atol"] == [1e-7] * 4
