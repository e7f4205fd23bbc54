"""Prescribed motions that are no motions, forces on freedoms that do not exist, and states that cannot be."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from tests.system.wrong import pendulum, refused


def driven(joint: da.Joint, prescribed: object) -> da.Mechanism:
    s = da.System()
    s.add_body("body", da.box(1.0, (1, 2, 3)))
    s.add_joint("drive", joint, "ground", "body", prescribed=prescribed)
    return s.build()


def test_prescribed_motion_gives_every_coordinate():
    with refused('joint "drive"', "2 values", "1 coordinates (drive)"):
        driven(da.Revolute(), lambda t: [t, t])
    with refused('joint "drive"', "1 values", "3 coordinates (x, y, angle)"):
        driven(da.Planar(), lambda t: t)
    with refused('joint "drive"', "3 values", "7 coordinates", "e0"):
        driven(da.Free(), lambda t: [t, t, t])


@pytest.mark.parametrize(
    "law",
    [lambda t: math.sin(t), lambda t: t if t > 1 else 0.0, lambda t: float(t), lambda: 0.0],
    ids=["math", "if", "float", "no argument"],
)
def test_prescribed_motion_can_be_differentiated(law):
    with refused('joint "drive"', "prescribed motion", "function of time", "differentiated"):
        driven(da.Revolute(), law)
    with refused('joint "drive"', "prescribed motion", "function of time", "differentiated"):
        driven(da.Planar(), {"x": law})


@pytest.mark.parametrize("law", ["sin(t)", math.nan, lambda t: "fast", lambda t: None, {"": "fast"}])
def test_prescribed_motion_consists_of_numbers(law):
    with refused('joint "drive"', "prescribed motion", "must be"):
        driven(da.Revolute(), law)


def test_single_coordinates_of_a_rotation_cannot_be_prescribed():
    for joint in (da.Spherical(), da.Free(), da.Spherical("angles"), da.General()):
        with refused('joint "drive"', "single coordinates cannot be prescribed", "all of them"):
            driven(joint, {joint.coordinates[0]: lambda t: t})


def test_prescribed_coordinates_exist():
    with refused('joint "drive"', "'angel'", "x, y, angle"):
        driven(da.Planar(), {"angel": lambda t: t})
    with refused('joint "drive"', "'angle'", "without a name"):
        driven(da.Revolute(), {"angle": lambda t: t})


def test_motors_and_springs_name_a_freedom_of_their_joint():
    def on(joint, force):
        s = da.System()
        s.add_body("body", da.box(1.0, (1, 2, 3)))
        s.add_joint("j", joint, "ground", "body")
        s.add_force("it", force)
        s.build()

    for make in (lambda **k: da.Motor("j", 1.0, **k), lambda **k: da.JointSpring("j", stiffness=1.0, **k)):
        with refused('force "it"', 'joint "j"', "no freedom 'slde'", "'angle', 'slide'"):
            on(da.Cylindrical(), make(coordinate="slde"))
        with refused('force "it"', 'joint "j"', "3 freedoms (x, y, angle)", "coordinate="):
            on(da.Planar(), make())
        with refused('force "it"', 'joint "j"', "no freedom"):
            on(da.Weld(), make())
    with refused('force "it"', '"wx"', "not the rate of a coordinate", "damping alone"):
        on(da.Spherical(), da.JointSpring("j", stiffness=1.0, coordinate="wx"))
    on(da.Spherical(), da.JointSpring("j", damping=1.0))
    on(da.Free(), da.Motor("j", 1.0, coordinate="vz"))


def test_what_a_force_function_returns_is_checked():
    s = pendulum()
    s.add_force("push", da.Load("rod", force=lambda s: (1.0, 2.0)))
    with refused("Load: force", "3 numbers"):
        s.build().equations("kane")


@pytest.mark.parametrize("quarter", [math.pi / 2, -math.pi / 2, 5 * math.pi / 2])
@pytest.mark.parametrize("joint", [da.Spherical("angles"), da.General()], ids=["spherical", "general"])
def test_the_singularity_of_123_angles_is_reported(joint, quarter):
    m = driven(joint, None)
    q = m.reference.copy()
    q[1] = quarter - 1e-6
    with refused('joint "drive"', "second angle", "singular", "euler_parameters", error=da.StateError):
        m.state(q)
    q[1] = quarter - 0.01
    assert np.isfinite(m.state(q, np.ones(m.n_u)).rates).all()


def test_a_prescribed_motion_that_meets_the_singularity_is_reported():
    m = driven(da.Spherical("angles"), lambda t: [0.0 * t, t, 0.0 * t])
    m.state(t=1.0)
    with refused('joint "drive"', "singular", error=da.StateError):
        m.state(t=math.pi / 2)


def test_euler_parameters_have_unit_length():
    m = driven(da.Free(), None)
    with refused('joint "drive"', "Euler parameters have length 2", "divide", error=da.StateError):
        m.state([2, 0, 0, 0, 0, 0, 0])


def test_a_state_fits_its_mechanism():
    m = pendulum().build()
    with refused('"pendulum"', "coordinates q must be 1 number in the order (pivot)", error=da.StateError):
        m.state([0.1, 0.2])
    with refused("speeds u must be 1 number in the order (pivot)", error=da.StateError):
        m.state([0.1], [])
    with refused("coordinates q must be 1 number", error=da.StateError):
        m.state(0.1)
    with refused("coordinates q", "pivot", "not a finite number", error=da.StateError):
        m.state([math.nan])
    with refused("time", "finite", error=da.StateError):
        m.state([0.0], [0.0], math.nan)


def test_a_state_is_asked_about_things_that_exist():
    state = pendulum().build().state()
    with refused("'rode'", "did you mean 'rod'"):
        state.position("rode")
    with refused("'pivotal'", "did you mean 'pivot'"):
        state.q["pivotal"]
