"""A freedom that moves no mass has no equation of motion, and is named; a massless body elsewhere does no harm."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from tests.system.wrong import pendulum, refused


def test_a_massless_body_at_the_end_is_named():
    s = pendulum()
    s.add_body("pointer")
    s.add_joint("swivel", da.Revolute(), "rod", "pointer", at_parent=(1, 0, 0))
    with refused('"swivel"', "moves no mass", '"pointer"', "prescribe"):
        s.build()


def test_a_thin_rod_cannot_float_because_its_spin_is_undetermined():
    s = da.System()
    s.add_body("needle", da.rod(1.0, 1.0))
    s.add_joint("float", da.Free(), "ground", "needle")
    with refused('"wx"', '"float"', '"needle"', "mass and inertia"):
        s.build()


def test_a_particle_on_a_hinge_through_it_is_undetermined():
    s = da.System()
    s.add_body("bead", da.particle(1.0))
    s.add_joint("pin", da.Revolute(), "ground", "bead")
    with refused('"pin"', '"bead"', "undetermined"):
        s.build()


def test_a_massless_body_that_carries_mass_moves_like_any_other():
    s = pendulum()
    s.add_body("link")
    s.add_body("bob", da.sphere(1.0, 0.1))
    s.add_joint("hook", da.Revolute(), "rod", "link", at_parent=(1, 0, 0))
    s.add_joint("glue", da.Weld(), "link", "bob", at_parent=(1, 0, 0))
    assert s.build().n_u == 2


def test_what_is_prescribed_needs_no_mass():
    s = pendulum()
    s.add_body("pointer")
    s.add_joint("swivel", da.Revolute(), "rod", "pointer", prescribed=lambda t: t)
    s.add_external("ship", position=lambda t: (t, 0, 0))
    assert s.build().n_u == 1


@pytest.mark.parametrize(("name", "value"), [("mass", 0.0), ("length", 0.0)])
def test_values_at_which_a_freedom_moves_no_mass_are_refused(name, value):
    """At build, and wherever values come in later."""
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    s.add_body("rod", da.rod(s.parameter("mass", 1.0), s.parameter("length", 1.0)))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    m = s.build()
    for ask in (
        lambda: m.with_parameters(**{name: value}),
        lambda: m.forward_dynamics([0.3], [0.0], parameters={name: value}),
        lambda: m.forward_dynamics([[0.3], [0.4]], [[0.0], [0.0]], parameters={name: [1.0, value]}),
        lambda: m.solve([0.3], [0.0], parameters={name: value}),
        lambda: m.simulate(1.0, parameters={name: value}),
        lambda: m.root_locus(name, [value, 1.0]),
    ):
        with pytest.raises(da.ModelError, match=r"moves no mass|length"):
            ask()
    assert np.isfinite(m.with_parameters(**{name: 2.0}).forward_dynamics([0.3], [0.0])).all()
