"""Every entry that takes coordinates refuses Euler parameters that are not of unit length, with one sentence."""

import warnings

import numpy as np
import pytest

import dalembert as da
from dalembert.formulations import FORMULATIONS

ONE = {
    "state": lambda m, q, u: m.state(q, u),
    "forward_dynamics": lambda m, q, u: m.forward_dynamics(q, u),
    "of a list": lambda m, q, u: m.forward_dynamics(list(q), list(u)),
    "with tau": lambda m, q, u: m.forward_dynamics(q, u, np.zeros(m.n_u)),
    "by svd": lambda m, q, u: m.forward_dynamics(q, u, constraints="svd"),
    "inverse_dynamics": lambda m, q, u: m.inverse_dynamics(q, u, 0.0 * u),
    "mass_matrix": lambda m, q, u: m.mass_matrix(q),
    "body_motion": lambda m, q, u: m.body_motion(q, u),
    "energies": lambda m, q, u: m.energies(q, u),
    "point_jacobian": lambda m, q, u: m.point_jacobian(("x", (1, 0, 0)), q),
    "forward_dynamics_derivatives": lambda m, q, u: m.forward_dynamics_derivatives(q, u),
    "inverse_dynamics_derivatives": lambda m, q, u: m.inverse_dynamics_derivatives(q, u, 0.0 * u),
    "drives": lambda m, q, u: m.drives(q, u, 0.0 * u),
    "equations": lambda m, q, u: m.equations("kane").solve(q, u),
    "simulate": lambda m, q, u: m.simulate(0.01, q, u),
    "simulate_many": lambda m, q, u: m.simulate_many(q[None], 0.01, u[None]),
    "linearise": lambda m, q, u: m.linearise(q, u),
    "equilibrium": lambda m, q, u: m.equilibrium(q),
    "sensitivities": lambda m, q, u: m.sensitivities(0.01, q, u, initial_values=["J.vx'"]),
    "assemble": lambda m, q, u: m.assemble(q, u),
}
WITH_LOOPS = set(ONE) - {"inverse_dynamics", "forward_dynamics_derivatives", "inverse_dynamics_derivatives"}
WITH_LOOPS -= {"sensitivities", "simulate_many", "equilibrium", "assemble"}


def free(loop=False):
    s = da.System("f", gravity=(0, 0, -9.81))
    s.add_body("x", da.box(1.0, (1, 2, 3), com=(0.1, 0.2, 0.3)))
    s.add_joint("J", da.Free(), "ground", "x")
    s.add_force("spring", da.Spring(("x", (1, 0, 0)), "ground", stiffness=5.0))
    if loop:
        s.add_constraint("plane", da.OnPlane("x", "ground", axis=(0, 0, 1)))
    return s.build()


def state(m, length):
    q = m.reference.copy()
    q[m.coordinates.index("J.x")] = 0.3
    q[:4] = np.array([0.5, 0.1, -0.3, 0.2]) / np.sqrt(0.39) * length
    return q, np.zeros(m.n_u)


@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("length", [0.54, 1.00001, np.nan])
def test_it_is_refused_everywhere(loop, length):
    m = free(loop)
    q, u = state(m, length)
    for name in sorted(WITH_LOOPS if loop else ONE):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(da.DalembertError, match=r'joint "J".* have length .*, not 1|finite'):
                ONE[name](m, q, u)
                pytest.fail(name)


def test_it_is_refused_by_every_formulation():
    m = free()
    q, u = state(m, 0.9)
    for name in FORMULATIONS:
        if FORMULATIONS[name].refusal(m) is None:
            with pytest.raises(da.StateError, match=r'joint "J".* have length 0.9, not 1'):
                m.solve(q, u, formulation=name)


@pytest.mark.parametrize("count", [2, 3, 37])
def test_the_state_of_a_batch_is_named(count):
    m = free()
    q, u = state(m, 1.0)
    rows, speeds = np.tile(q, (count, 1)), np.tile(u, (count, 1))
    np.testing.assert_allclose(m.forward_dynamics(rows, speeds), np.tile(m.forward_dynamics(q, u), (count, 1)))
    rows[count - 1, 0] *= 1.1
    with pytest.raises(da.StateError, match=rf"forward_dynamics: state {count - 1}: joint"):
        m.forward_dynamics(rows, speeds)
    with pytest.raises(da.StateError, match=r"joint"):
        m.forward_dynamics(rows[-1], speeds)


def test_rounding_is_let_pass():
    m = free()
    q, u = state(m, 1.0 + 1e-9)
    for ask in ONE.values():
        ask(m, q, u)


def test_elastic_bodies_and_several_joints_are_looked_at():
    s = da.System("two", gravity=(0, 0, -9.81))
    s.add_body("a", da.box(1.0, (1, 2, 3)))
    s.add_joint("A", da.Spherical(), "ground", "a", at_child=(0, 0, 1))
    s.add_body("b", elastic=da.beam(1.0, E=7e10, rho=2700.0, A=1e-4, Iy=2e-9, Iz=3e-9, modes={"y": 1}))
    s.add_joint("B", da.Free(), "ground", "b")
    m = s.build()
    for joint in "AB":
        q = m.reference.copy()
        q[m.coordinates.index(f"{joint}.e0")] = 0.7
        with pytest.raises(da.StateError, match=f'joint "{joint}".* have length 0.7'):
            m.forward_dynamics(q, np.zeros(m.n_u))
