"""Claims about compiled pairs of a formulation and a constraint method."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from benchmarks.loop_models import bricard, rhombic_linkage
from dalembert.constraints import METHODS
from dalembert.constraints.assembly.assemble import assemble, consistent_speeds
from dalembert.errors import SlowForceWarning
from dalembert.formulations import Equations
from dalembert.formulations.tree import kane
from dalembert.kernels.rhs.formulation_kernel import accelerations_kernel
from tests.constraints.penalised import rounding
from tests.simulation.models import pendulum


@pytest.fixture(scope="module")
def linkage():
    m = bricard().mechanism
    q = assemble(m, m.reference)
    return m, q, consistent_speeds(m, q, np.ones(m.n_u))


@pytest.mark.parametrize("name", METHODS)
def test_every_method_gives_accelerations_multipliers_and_rank(linkage, name):
    m, q, u = linkage
    tau = np.linspace(-1.0, 1.0, m.n_u)
    e = kane.equations(m.state(q, u))
    given = Equations(e.A, e.f + tau, e.B, e.gamma)
    expected = METHODS[name](given)
    y = accelerations_kernel(m, "kane", name)(np.stack([q, q]), u, tau)
    assert np.allclose(y[:, : m.n_q], u, atol=1e-15)
    near = 1e-7 + (2.0 * rounding(given) if name == "penalty" else 0.0)  # a penalty multiplies rounding, on both sides
    assert (np.abs(y[:, m.n_q :] - expected.udot) <= near).all()
    assert (np.abs(m.forward_dynamics(q, u, tau, constraints=name) - expected.udot) <= near).all()
    found = m.solve(q, u, tau, constraints=name)
    assert (np.abs(found.udot - expected.udot) <= near).all()
    assert np.allclose(found.lam, expected.lam, rtol=1e-5, atol=1e-5)
    assert found.rank == 4
    written = m.equations("kane").solve(q, u, constraints=name)
    assert np.allclose(written.udot, METHODS[name](e).udot, rtol=1e-6, atol=1e-6) and written.rank == 4


def test_many_states_at_once(linkage):
    m, q, u = linkage
    tau = np.linspace(-1.0, 1.0, m.n_u)
    both = m.solve(np.stack([q, q]), np.stack([u, -u]), tau, constraints="svd")
    assert both.lam.shape == (2, 5) and list(both.rank) == [4, 4]
    assert np.allclose(both.udot[1], m.forward_dynamics(q, -u, tau), rtol=1e-9, atol=1e-9)
    assert np.allclose(m.forward_dynamics(np.stack([q] * 9), u, tau), both.udot[0], rtol=1e-9, atol=1e-9)


def test_a_pose_that_does_not_suit_the_chosen_rows_is_looked_at_by_itself():
    """At the flat pose of the rhombic linkage one more row is dependent: the least-norm answer, as on numbers."""
    m = rhombic_linkage().mechanism
    hanging = np.array([-0.8, 0.8, -0.8 - np.pi])
    flat = np.array([0.0, 0.0, -np.pi])
    assert np.isfinite(m.forward_dynamics(hanging, np.zeros(3))).all()
    both = m.forward_dynamics(np.stack([hanging, flat]), np.zeros(3))
    expected = METHODS["range_space"](kane.equations(m.state(flat, np.zeros(3)))).udot
    assert np.allclose(both[1], expected, rtol=1e-9)
    assert np.allclose(both[0], m.forward_dynamics(hanging, np.zeros(3)), rtol=1e-12)
    assert np.allclose(m.forward_dynamics(flat, np.zeros(3)), expected, rtol=1e-9)


def test_forces_that_cannot_be_traced_act_all_the_same():
    """Two geared rods, one pushed by a plain Python function."""
    s = da.System("geared", gravity=(0, -9.81, 0))
    for name in ("a", "b"):
        s.add_body(name, da.rod(1.0, 1.0))
        s.add_joint(name.upper(), da.Revolute(), "ground", name)
    s.add_constraint("gear", da.Coupling({"A": 1.0, "B": 2.0}))
    q, u = np.array([0.2, -0.1]), np.zeros(2)
    expected = s.build().forward_dynamics(q, u, np.array([math.sin(0.2), 0.0]))
    s.add_force("push", da.Motor("A", lambda s: math.sin(float(s.q["A"]))))
    m = s.build()
    with pytest.warns(SlowForceWarning):
        assert np.allclose(m.forward_dynamics(q, u), expected, rtol=1e-12)
    assert np.allclose(m.solve(q, u, constraints="svd").udot, expected, rtol=1e-12)


def test_without_rows_a_pair_is_the_formulation_alone():
    m = pendulum()
    q, u = np.array([0.7]), np.array([0.2])
    assert accelerations_kernel(m, "kane", "svd")(q, u)[1:] == pytest.approx(m.forward_dynamics(q, u), rel=1e-13)


def test_unknown_names_are_listed():
    m = pendulum()
    with pytest.raises(da.FormulationError, match="range_space"):
        accelerations_kernel(m, "kane", "magic")(m.reference)
    with pytest.raises(da.FormulationError, match="kane"):
        accelerations_kernel(m, "magic")


def test_states_in_which_the_chosen_speeds_are_poor_are_solved_in_others():
    """Euler parameters of a top: the one solved for, chosen in the first state, is zero in the second."""
    s = da.System("top", gravity=(0, 0, -9.81))
    s.add_body("top", da.box(1.0, (0.1, 0.2, 0.3), com=(0.0, 0.1, 0.2)))
    s.add_joint("O", da.Spherical(), "ground", "top")
    m = s.build()
    q, u = np.array([[1.0, 0, 0, 0], [0, 0.6, 0.8, 0], [0.5, 0.5, 0.5, 0.5]]), np.array([0.3, -0.5, 2.0])
    tau = np.array([0.1, 0.2, 0.3])
    found = m.solve(q, u, tau, formulation="dalembert").udot
    assert np.allclose(found, m.solve(q, u, tau).udot, rtol=1e-11, atol=1e-11)
    assert np.allclose(m.solve(q[1], u, tau, formulation="dalembert").udot, found[1], rtol=1e-12, atol=1e-12)
