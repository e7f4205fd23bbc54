"""Many forces of one kind share their code and keep their own constants and places."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.kernels.tree import articulated
from dalembert.kernels.tree.sweep_kernel import SweepKernel
from dalembert.kinematics import totals
from dalembert.trace import symbol
from tests.kernels.support import agree, reference


def net(rng: np.random.Generator, n: int) -> da.Mechanism:
    """Branching hinges under springs between bodies and to the ground, joint springs, a wind and a spring with a parameter."""
    s = da.System("net", gravity=(0.3, 0, -9.81))
    k = s.parameter("k", 7.0)
    for i in range(n):
        s.add_body(f"b{i}", mass=rng.uniform(0.5, 2.0), com=tuple(rng.normal(size=3) * 0.1), inertia=(0.1, 0.12, 0.15))
        parent, axis = f"b{rng.integers(i)}" if i else "ground", rng.normal(size=3)
        hinge = da.Revolute(tuple(axis / np.linalg.norm(axis)))
        s.add_joint(f"j{i}", hinge, parent, f"b{i}", at_parent=tuple(rng.normal(size=3)))
        s.add_force(f"turn{i}", da.JointSpring(f"j{i}", stiffness=rng.uniform(1, 9), damping=rng.uniform(0.1, 1)))
        other = f"b{rng.integers(i)}" if i and rng.random() < 0.5 else "ground"
        ends = [(f"b{i}", tuple(rng.normal(size=3))), (other, tuple(rng.normal(size=3)))]
        s.add_force(f"line{i}", da.Spring(*ends, stiffness=rng.uniform(1, 9), damping=0.3, length=rng.uniform(0.1, 2)))
    s.add_force("wind", da.Load(("b3", (0.1, 0, 0)), force=lambda state: (da.sin(state.t), 0.0, state.u["j1"])))
    s.add_force("chosen", da.Spring(("b2", (0, 0, 1)), "ground", stiffness=k, length=0.4))
    return s.build()


@pytest.fixture(scope="module")
def made() -> tuple[da.Mechanism, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    m = net(rng, 24)
    return m, rng.normal(size=(6, m.n_q)), rng.normal(size=(6, m.n_u))


def test_springs_of_one_kind_are_one_piece_of_code(made):
    m, _, _ = made
    classes = SweepKernel(m, articulated.ALGORITHM).parts.forces.classes
    assert sum(c.count for c in classes) == len(m.forces)
    assert len(classes) <= len(m.forces) // 4  # what differs is which numbers of a frame are 0 or ±1


def resisting(joint: str, factor: float):
    return lambda state: state.u[joint] * state.q[joint] * -factor


def test_what_was_named_before_does_not_matter():
    """Sums and products stand in the order in which their symbols were first seen in the process."""
    for i in (7, 2, 9):
        symbol(f"u_turn_{i}"), symbol(f"q_turn_{i}")
    s = da.System("named", gravity=(0, 0, -9.81))
    for i in range(12):
        s.add_body(f"b{i}", da.box(1.0, (0.1, 0.2, 0.3)))
        s.add_joint(
            f"turn_{i}", da.Revolute((1, 0, 0)), f"b{i - 1}" if i else "ground", f"b{i}", at_parent=(0, 0, -0.3)
        )
        s.add_force(f"motor{i}", da.Motor(f"turn_{i}", resisting(f"turn_{i}", 2.0 + i)))
    m = s.build()
    assert len(SweepKernel(m, articulated.ALGORITHM).parts.forces.classes) == 1
    q, u = np.linspace(-1, 1, 12), np.linspace(2, 1, 12)
    assert agree(m.forward_dynamics(q, u), reference(m, q, u, np.zeros(12), 0.0).udot)


def test_each_keeps_its_own_constants_and_places(made):
    m, q, u = made
    found = m.forward_dynamics(q, u, t=0.7, parameters={"k": 3.0})
    other, none = m.with_parameters(k=3.0), np.zeros(m.n_u)
    assert agree(found, np.array([reference(other, x, y, none, 0.7).udot for x, y in zip(q, u)]))


def test_their_energy_is_the_sum_of_all(made):
    m, q, u = made
    states = [m.state(x, y) for x, y in zip(q, u)]
    assert agree(m.energies(q, u), np.array([(totals.kinetic_energy(s), totals.potential_energy(s)) for s in states]))


def test_derivatives_go_through_them(made):
    m, q, u = made
    d = m.forward_dynamics_derivatives(q[0], u[0], t=0.7)
    h, columns = 1e-6, range(0, m.n_u, 5)
    for i in columns:
        step = np.eye(m.n_u)[i] * h
        slope = (m.forward_dynamics(q[0] + step, u[0], t=0.7) - m.forward_dynamics(q[0] - step, u[0], t=0.7)) / (2 * h)
        assert d.q[:, i] == pytest.approx(slope, rel=1e-5, abs=1e-4 * abs(slope).max())
    raised, lowered = (m.forward_dynamics(q[0], u[0], t=0.7, parameters={"k": 7.0 + x}) for x in (h, -h))
    assert d.parameters[:, 0] == pytest.approx((raised - lowered) / (2 * h), rel=1e-5, abs=1e-6)


def test_sampled_forces_keep_their_own_samples():
    """Tables are operations of their own: alike in structure, not in what they hold."""
    s = da.System("sampled", gravity=(0, 0, -9.81))
    tables = [da.Table([0.0, 0.5, 1.0, 2.0], [1.0 + i, -2.0, 3.7 * i, 4.0]) for i in range(12)]
    for i in range(12):
        s.add_body(f"b{i}", da.box(1.0 + 0.1 * i, (0.1, 0.2, 0.3)))
        s.add_joint(f"j{i}", da.Revolute((0, 1, 0)), f"b{i - 1}" if i else "ground", f"b{i}", at_parent=(0.1, 0, 0.2))
        s.add_force(f"motor{i}", da.Motor(f"j{i}", lambda state, k=i: 2.5 * tables[k](state.t)))
    m = s.build()
    q, u = np.linspace(-1, 1, 12), np.linspace(1, 2, 12)
    assert agree(m.forward_dynamics(q, u, t=0.7), reference(m, q, u, np.zeros(12), 0.7).udot)
