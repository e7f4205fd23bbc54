"""Laws are refused at the door where they cannot be, and elsewhere where they are not known."""

from __future__ import annotations

import pytest

import dalembert as da

from .models import pendulum, slider


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: da.Stop("x", upper=1.0, restitution=1.2), "gain energy"),
        (lambda: da.Stop("x", upper=1.0, restitution=-0.1), "between 0 and 1"),
        (lambda: da.Stop("x"), "give lower="),
        (lambda: da.Stop("x", lower=1.0, upper=0.5), "must be below"),
        (lambda: da.JointFriction("x", force=-1.0), "is negative"),
        (lambda: da.JointFriction("x", force=1.0, static_force=0.5), "below the friction of sliding"),
        (lambda: da.JointFriction("x", force=1.0, viscous=-2.0), "is negative"),
        (lambda: da.JointFriction("x", mu=0.1, length=0.0), "length=0 has no ends"),
        (lambda: da.surfaces.cam("a", radius=0.0), "radius must be above 0"),
    ],
)
def test_laws_that_cannot_be_are_refused(make, said):
    with pytest.raises(da.ModelError, match=said):
        make()


def test_a_law_on_a_joint_that_is_not_there():
    s = slider()
    s.add_law("stop", da.Stop("y", upper=1.0))
    with pytest.raises(da.ModelError, match='law "stop": there is no joint'):
        s.build()


def test_a_stop_needs_a_coordinate():
    s = da.System("ball")
    s.add_body("ball", da.sphere(mass=1.0, radius=0.1))
    s.add_joint("J", da.Spherical(), "ground", "ball")
    s.add_law("stop", da.Stop("J.wx", upper=1.0))
    with pytest.raises(da.ModelError, match="no place to stop at"):
        s.build()


def test_a_run_that_begins_beyond_a_stop_is_refused():
    with pytest.raises(da.SimulationError, match="violated at the start"):
        pendulum(upper=0.3).build().simulate(1.0, initial={"A": 0.5})


def test_what_does_not_know_laws_says_so():
    m = pendulum().build()
    with pytest.raises(da.ModelError, match="does not take laws into account"):
        m.equilibria()
    with pytest.raises(da.SimulationError, match="creep"):
        m.simulate(1.0, stabilise="none")
    assert m.without_laws().equilibrium() is not None


def test_a_motion_without_laws_has_no_contacts():
    motion = slider().build().simulate(0.1)
    with pytest.raises(da.SimulationError, match="without laws"):
        _ = motion.contacts


def test_a_radius_that_is_no_number_is_refused():
    with pytest.raises(da.ArgumentError, match="radius must be numbers"):
        da.Balls(("a",), radius=len)
    with pytest.raises(da.DalembertError, match="OneWay: on must be"):
        da.OneWay("a", on=[0.0, 0.0])
