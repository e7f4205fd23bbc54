"""Numbers no real mechanism has: axes, frames, masses, shapes of arrays."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from tests.system.wrong import pendulum, refused

WITH_AXIS = [
    (da.Revolute, "axis"),
    (da.Prismatic, "axis"),
    (da.Screw, "axis"),
    (da.Cylindrical, "axis"),
    (da.Planar, "normal"),
    (da.Universal, "axis_parent"),
    (da.Universal, "axis_child"),
]


@pytest.mark.parametrize(("kind", "field"), WITH_AXIS)
def test_an_axis_is_a_unit_vector(kind, field):
    where = f"{kind.__name__}: {field}"
    with refused(where, "has length 1.41421", "did you mean (0.707106781187, 0, 0.707106781187)"):
        kind(**{field: (1, 0, 1)})
    with refused(where, "no direction", "unit vector"):
        kind(**{field: (0, 0, 0)})
    for bad in ((math.nan, 0, 1), (math.inf, 0, 0), (0, 1), (0, 0, 0, 1)):
        with refused(where, "three finite numbers"):
            kind(**{field: bad})
    for bad in ("z", 3.0, ("a", "b", "c")):
        with refused(where, "must be three"):
            kind(**{field: bad})


def test_rounding_in_an_axis_is_forgiven_and_removed():
    axis = np.array([1.0, 2.0, 3.0]) / math.sqrt(14.0) * (1.0 + 1e-11)
    assert np.linalg.norm(da.Revolute(axis).axis) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_universal_joint_needs_two_directions(sign):
    with refused("Universal", "parallel", "Revolute"):
        da.Universal(axis_parent=(0, 0, 1), axis_child=(0, 0, sign))


@pytest.mark.parametrize("bad", [math.nan, "fine", None])
def test_the_pitch_of_a_screw_is_a_number(bad):
    with refused("Screw: pitch", repr(bad)):
        da.Screw(pitch=bad)


@pytest.mark.parametrize("kind", [da.Free, da.Spherical])
def test_orientations_are_the_known_ones(kind):
    with refused(kind.__name__, "'quaternion'", "euler_parameters, angles"):
        kind(orientation="quaternion")


def built_with(**body):
    s = da.System()
    s.add_body("plate", **body)
    s.add_joint("slide", da.Prismatic(), "ground", "plate")
    return s.build()


def test_mass_is_not_negative():
    with refused('body "plate"', "-2 kg", "negative", "positive mass"):
        built_with(mass=-2.0, inertia=(1, 1, 1))


def test_inertia_is_symmetric():
    with refused('body "plate"', "not symmetric", "products of inertia"):
        built_with(mass=1.0, inertia=[[1, 0.1, 0], [0.2, 1, 0], [0, 0, 1]])


def test_principal_moments_are_not_negative():
    with refused('body "plate"', "negative principal moment -1", "mass centre"):
        built_with(mass=1.0, inertia=[[1, 2, 0], [2, 1, 0], [0, 0, 1]])


def test_principal_moments_keep_the_triangle_inequality():
    with refused('body "plate"', "1, 1, 3 kg m²", "triangle inequality", "mass centre"):
        built_with(mass=1.0, inertia=(1, 3, 1))


def test_inertia_comes_with_mass():
    with refused('body "plate"', "inertia but no mass", "give it a mass"):
        built_with(mass=0.0, inertia=(1, 1, 1))


@pytest.mark.parametrize("inertia", [(0, 1, 1), (1, 2, 3), (2, 2, 2), np.diag([0.5, 0.5, 1.0])])
def test_rods_plates_and_balls_are_physical(inertia):
    """The limits of the triangle inequality belong to real bodies: a thin rod, a flat plate."""
    assert built_with(mass=1.0, inertia=inertia).n_u == 1


def test_numbers_are_checked_at_the_values_of_the_parameters():
    s = da.System()
    m = s.parameter("m", -1.0)
    s.add_body("bob", mass=m)
    s.add_joint("slide", da.Prismatic(), "ground", "bob")
    with refused('body "bob"', "-1 kg"):
        s.build()


def test_parameters_are_checked_when_they_change():
    s = da.System()
    s.add_body("bob", mass=s.parameter("m", 1.0))
    s.add_joint("slide", da.Prismatic(), "ground", "bob")
    m = s.build()
    with refused('body "bob"', "-1 kg"):
        m.with_parameters(m=-1.0)
    for bad in (math.nan, "heavy"):
        with refused('parameter "m"', repr(bad)):
            m.with_parameters(m=bad)
        with refused('parameter "k"', repr(bad)):
            da.System().parameter("k", bad)


def test_the_value_of_a_parameter_is_no_expression():
    s = da.System()
    m = s.parameter("m", 1.0)
    s.add_body("bob", mass=m, inertia=(1.0, 1.0, 1.0))
    s.add_joint("A", da.Free(), "ground", "bob")
    for call in (
        lambda: s.parameter("k", 2.0 * m),
        lambda: s.parameter("k", 1.0, max=2.0 * m),
        lambda: s.build().with_parameters(m=2.0 * m),
    ):
        with refused("parameter", "must be a plain number, not the expression 2.0*m"):
            call()


@pytest.mark.parametrize(
    "R",
    [np.diag([1.0, 1.0, -1.0]), np.diag([1.0, 1.0, 2.0]), np.zeros((3, 3)), [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]],
    ids=["left-handed", "stretched", "zero", "sheared"],
)
@pytest.mark.parametrize("side", ["at_parent", "at_child"])
def test_the_rotation_of_a_frame_is_a_rotation(R, side):
    s = da.System()
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_joint("pivot", da.Revolute(), "ground", "rod", **{side: da.Frame((0, 0, 0), R)})
    with refused('joint "pivot"', side, "not a rotation matrix", "da.turn"):
        s.build()


def test_arrays_have_the_right_shape():
    s = pendulum()
    for wrong, words in (
        (lambda: da.System(gravity=(0, -9.81)), ("gravity", "3 numbers")),
        (lambda: s.add_body("b", mass=1.0, com=(0, 0)), ('body "b"', "com", "3 numbers")),
        (lambda: s.add_body("b", mass=1.0, inertia=(1, 2)), ('body "b"', "inertia", "3 × 3")),
        (lambda: s.add_body("b", mass=1.0, inertia=[[1, 2], [3]]), ('body "b"', "inertia")),
        (lambda: s.add_body("b", mass="heavy"), ('body "b"', "mass", "'heavy'")),
        (lambda: s.add_body("b", mass=math.nan), ('body "b"', "mass", "finite")),
        (lambda: s.add_body("b", mass=1.0, com=(0, math.inf, 0)), ('body "b"', "com", "finite")),
        (lambda: da.Frame((1, 2)), ("Frame", "position", "3 numbers")),
        (lambda: da.Frame(rotation=np.eye(2)), ("Frame", "rotation", "3 × 3")),
        (lambda: s.add_frame("f", "rod", 1.0), ('frame "f"', "3 numbers")),
        (lambda: s.add_joint("j", da.Weld(), "ground", "rod", at_parent=(1,)), ('joint "j"', "at_parent")),
        (lambda: da.Load("rod", force=(1, 2)), ("Load: force", "3 numbers")),
        (lambda: da.Load(("rod", (1, 2))), ("Load: at", "3 numbers")),
        (lambda: da.Load(3), ("Load: at", "3")),
        (lambda: da.Point("rod", (1, 2)), ("Point", '"rod"', "3 numbers")),
        (lambda: da.Spring("rod", "ground", stiffness="hard"), ("Spring: stiffness", "'hard'")),
        (lambda: da.Motor("pivot", "fast"), ("Motor: torque", "'fast'")),
        (lambda: da.JointSpring("pivot", rest=math.nan), ("JointSpring: rest", "finite")),
        (lambda: da.Load("rod", axes="blue"), ("Load: axes", "'blue'", '"world" or "body"')),
    ):
        with refused(*words):
            wrong()


def test_shapes_are_given_in_numbers():
    for wrong, words in (
        (lambda: da.rod("heavy", 1.0), ("rod: mass", "'heavy'")),
        (lambda: da.rod(1.0, "long"), ("rod: length", "'long'")),
        (lambda: da.rod(1.0, 1.0, axis=(1, 1, 0)), ("rod: axis", "has length 1.41421")),
        (lambda: da.box(1.0, (1, 2)), ("box: size", "3 numbers")),
        (lambda: da.box(math.nan, (1, 2, 3)), ("box: mass", "finite")),
        (lambda: da.cylinder(1.0, 1.0, None), ("cylinder: length",)),
        (lambda: da.cylinder(1.0, 1.0, 1.0, axis=(0, 0, 0)), ("cylinder: axis", "no direction")),
        (lambda: da.sphere(1.0, "big"), ("sphere: radius", "'big'")),
        (lambda: da.particle(1.0, (0, 0)), ("particle: at", "3 numbers")),
        (lambda: da.rod(1.0, 1.0).moved((1, 0)), ("moved: by", "3 numbers")),
    ):
        with refused(*words):
            wrong()


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
@pytest.mark.parametrize("where", ["mass", *range(3)])
def test_numbers_that_come_out_of_parameters_are_checked(where, bad):
    """`max` of a number and NaN is whichever comes first: each is compared by itself."""
    s = da.System("body", gravity=(0, -9.81, 0))
    x = s.parameter("x", 1.0)
    inertia = [0.1 * (x if where == k else 1.0) for k in range(3)]
    s.add_body("b", mass=x if where == "mass" else 1.0, inertia=inertia)
    s.add_joint("A", da.Revolute(), "ground", "b")
    with pytest.raises(da.DalembertError):
        s.build().with_parameters(x=bad)


def test_expressions_of_parameters_without_a_value_are_told():
    s = da.System("crane")
    T = s.parameter("T", 2.0)
    s.add_body("arm", da.rod(mass=1.0, length=1.0))
    s.add_joint("base", da.Revolute(), "ground", "arm", prescribed=lambda t: t / T)
    m = s.build()
    with pytest.raises(da.ModelError, match=r"an expression of parameters has no value at .*T = 0"):
        m.with_parameters(T=0.0).state([0.0], [0.0])
    s.parameters["T"] = 0.0
    with pytest.raises(da.ModelError, match=r'joint "base": an expression of parameters has no value at .*T = 0'):
        s.build()


def test_a_thread_has_a_radius():
    s = da.System("jack")
    s.add_body("nut", da.box(1.0, (0.1, 0.1, 0.1)))
    s.add_joint("thread", da.Screw((0, 0, 1), pitch=0.01), "ground", "nut")
    s.add_law("dry", da.JointFriction("thread", mu=0.1, radius=0.0))
    with pytest.raises(da.ModelError, match=r'law "dry": .* greater than 0'):
        s.build()
