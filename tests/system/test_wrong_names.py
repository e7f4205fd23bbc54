"""Names that are repeated, unknown, unusable, or lead nowhere."""

from __future__ import annotations

import pytest

import dalembert as da
from tests.system.wrong import pendulum, refused


def test_a_name_is_given_once():
    s = pendulum()
    s.add_frame("tip", "rod", (1, 0, 0))
    s.add_force("push", da.Load("rod", force=(0, 1, 0)))
    s.parameter("k", 1.0)
    with refused('body "rod"', "twice"):
        s.add_body("rod", mass=1.0)
    with refused('joint "pivot"', "twice"):
        s.add_joint("pivot", da.Weld(), "ground", "rod")
    with refused('frame "tip"', "twice"):
        s.add_frame("tip", "rod")
    with refused('force "push"', "twice"):
        s.add_force("push", da.Load("rod"))
    with refused('parameter "k"', "twice"):
        s.parameter("k", 2.0)


def test_the_ground_is_already_there():
    with refused('body "ground"', "twice"):
        da.System().add_body("ground")


@pytest.mark.parametrize("name", ["", "two words", "a.b", 'a"b', "a/b", 7, None])
def test_a_name_must_be_a_word(name):
    with refused("body name", "without spaces"):
        da.System().add_body(name)


@pytest.mark.parametrize("name", ["t", "q_1", "u_rod", "2m", "a-b"])
def test_a_parameter_must_be_an_identifier_of_its_own(name):
    with refused(f'"{name}"', "identifier"):
        da.System().parameter(name, 1.0)


def test_a_joint_to_an_unknown_body_is_refused_with_the_nearest_name():
    s = pendulum()
    s.add_body("bob", da.particle(1.0))
    s.add_joint("end", da.Weld(), "rodd", "bob")
    with refused('joint "end"', "'rodd'", "did you mean 'rod'"):
        s.build()


def test_where_no_name_is_near_the_known_ones_are_listed():
    s = pendulum()
    s.add_force("push", da.Load("satellite", force=(1, 0, 0)))
    with refused('force "push"', "'satellite'", "known: ground, rod"):
        s.build()


def test_forces_name_bodies_and_joints_that_exist():
    for wrong, words in (
        (da.Spring("rod", "grond", stiffness=1.0), ("'grond'", "'ground'")),
        (da.Motor("pivott", 1.0), ("'pivott'", "'pivot'")),
        (da.JointSpring("pivots", stiffness=1.0), ("'pivots'", "'pivot'")),
    ):
        s = pendulum()
        s.add_force("it", wrong)
        with refused('force "it"', *words, "did you mean"):
            s.build()


def test_a_frame_is_on_a_body_that_exists():
    s = pendulum()
    s.add_frame("tip", "rob", (1, 0, 0))
    with refused('frame "tip"', "'rob'", "did you mean 'rod'"):
        s.build()


def test_a_joint_uses_frames_that_exist_on_the_body_it_means():
    s = pendulum()
    s.add_body("bob", da.particle(1.0))
    s.add_frame("tip", "rod", (1, 0, 0))
    with refused('joint "end"', "at_parent", "'tap'", "did you mean 'tip'"):
        s.add_joint("end", da.Weld(), "rod", "bob", at_parent="tap")
    with refused('joint "end"', "at_child", 'frame "tip" is on body "rod"', '"bob"'):
        s.add_joint("end", da.Weld(), "rod", "bob", at_child="tip")


def test_a_parameter_nobody_defined_is_named_where_it_is_used():
    other = da.System()
    stray, near = other.parameter("zeta", 1.0), other.parameter("masse", 1.0)
    for spoil, where, words in (
        (lambda s: s.add_body("b", mass=near), 'body "b"', ("'masse'", "did you mean 'mass'")),
        (lambda s: s.add_joint("j", da.Weld(), "rod", "b", at_parent=(stray, 0, 0)), 'joint "j"', ("'zeta'",)),
        (lambda s: s.add_joint("j", da.Screw(pitch=stray), "rod", "b"), 'joint "j"', ("'zeta'",)),
        (
            lambda s: s.add_joint("j", da.Revolute(), "rod", "b", prescribed=lambda t: stray * t),
            'joint "j"',
            ("'zeta'",),
        ),
        (lambda s: s.add_force("f", da.Spring("rod", "b", stiffness=stray)), 'force "f"', ("'zeta'",)),
        (lambda s: s.add_force("f", da.Spring("rod", ("b", (0, 0, stray)))), 'force "f"', ("'zeta'",)),
    ):
        s = pendulum()
        s.parameter("mass", 1.0)
        if where != 'body "b"':
            s.add_body("b", da.particle(1.0))
        spoil(s)
        if "j" not in s.joints:
            s.add_joint("j", da.Weld(), "rod", "b")
        with refused(where, "parameter", *words):
            s.build()


def test_unknown_parameters_of_the_mechanism_are_refused():
    s = pendulum()
    s.parameter("length", 1.0)
    with refused("'lenght'", "did you mean 'length'"):
        s.build().with_parameters(lenght=2.0)


def test_bodies_nothing_connects_are_named():
    s = pendulum()
    s.add_body("lost", da.particle(1.0))
    s.add_body("astray", da.particle(1.0))
    s.add_joint("between", da.Revolute(), "lost", "astray", at_parent=(1, 0, 0))
    with refused('"lost", "astray"', "not connected to the ground", "add_joint", "da.Free()"):
        s.build()


def test_a_joint_connects_two_bodies():
    s = pendulum()
    s.add_joint("bite", da.Revolute(), "rod", "rod")
    with refused('joint "bite"', 'body "rod" with itself', "two bodies"):
        s.build()


def test_a_system_without_bodies_is_no_mechanism():
    with refused('"nothing"', "no bodies", "add_body"):
        da.System("nothing").build()


def test_what_is_not_a_joint_or_a_force_is_refused():
    s = pendulum()
    with refused('joint "j"', "'revolute'", "da.Revolute"):
        s.add_joint("j", "revolute", "ground", "rod")
    with refused('force "f"', "not a force", "da.Load"):
        s.add_force("f", (0, 0, 1))


def test_cuts_are_joints_that_lie_in_loops():
    s = pendulum()
    with refused("cut", "'pivott'", "did you mean 'pivot'"):
        s.build(cut=["pivott"])
    with refused("pivot", '"rod"', "without a connection", "in a loop"):
        s.build(cut=["pivot"])
