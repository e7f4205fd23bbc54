"""A force that goes wrong is named, and so is a joint that cannot be cut."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.formulations.tree import kane


def pendulum(force) -> da.Mechanism:
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    s.add_body("a", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "a")
    s.add_force("odd", force)
    return s.build()


class Nothing(da.Force):
    def loads(self, s):
        return None


class Flat(da.Force):
    def loads(self, s):
        yield da.BodyLoad("a", force=np.array([1.0, 2.0]))


@pytest.mark.parametrize(
    "force",
    [
        da.Motor("A", lambda s: None),
        da.Motor("A", lambda s: [1.0, 2.0]),
        da.Motor("A", lambda s: 1.0 / 0.0),
        da.Load("a", force=lambda s: (1.0, 2.0)),
        da.Spring("ground", "a", stiffness=1.0, length=0.5),
        Nothing(),
        Flat(),
    ],
    ids=["none", "list", "division", "two numbers", "points that coincide", "no loads", "wrong shape"],
)
def test_a_failing_force_is_named(force):
    with pytest.raises(da.DalembertError, match='"odd"'):
        kane.equations(pendulum(force).state())


def test_a_spring_without_a_direction_is_said():
    m = pendulum(da.Spring("ground", "a", stiffness=1.0, length=0.5))
    with pytest.raises(da.ForceError, match=r'"odd".*points coincide'):
        m.simulate(1.0)


def test_a_wrong_name_inside_a_function_names_the_force():
    with pytest.raises(da.ModelError, match=r'force "odd".*B'):
        kane.equations(pendulum(da.Motor("A", lambda s: s.q["B"])).state())


def test_coulomb_friction_works_on_numbers_and_compiled():
    m = pendulum(da.Motor("A", lambda s: -0.3 * da.sign(s.u["A"])))
    for speed in (-1.0, 0.0, 2.0):
        e = kane.equations(m.state([0.2], [speed]))
        assert m.forward_dynamics(np.array([0.2]), np.array([speed])) == pytest.approx(e.f / e.A[0, 0])


def four_bar() -> da.System:
    s = da.System("four-bar")
    for name in "abc":
        s.add_body(name, da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "a")
    s.add_joint("B", da.Revolute(), "a", "b", at_parent=(1, 0, 0))
    s.add_joint("C", da.Revolute(), "b", "c", at_parent=(1, 0, 0), at_child=(1, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "c", at_parent=(1, 0, 0))
    return s


def test_the_cut_avoids_joints_that_are_acted_on():
    assert [c.name for c in four_bar().build().cuts] == ["C"]
    s = four_bar()
    s.add_force("motor", da.Motor("C", 1.0))
    m = s.build()
    assert [c.name for c in m.cuts] != ["C"] and "C" in m.joint_number


def test_a_cut_joint_that_is_needed_is_refused_with_the_remedy():
    s = four_bar()
    s.add_force("motor", da.Motor("C", 1.0))
    with pytest.raises(da.ModelError, match="cut another joint"):
        s.build(cut=["C"])


def test_a_shape_and_numbers_contradict():
    s = da.System("x")
    with pytest.raises(da.ModelError, match="not both"):
        s.add_body("a", da.rod(1.0, 1.0), mass=2.0)
    with pytest.raises(da.ModelError, match="no shape"):
        s.add_body("a", 1.0)


@pytest.mark.parametrize("make", [lambda: da.rod(1, -2), lambda: da.box(1, (1, 0, 1)), lambda: da.sphere(1, -1)])
def test_shapes_have_positive_sizes(make):
    with pytest.raises(da.ModelError, match="positive"):
        make()
