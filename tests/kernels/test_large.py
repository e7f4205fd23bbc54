"""Models as large as memory: thousands of bodies build, compile and run, in time that grows as their number."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.kinematics import State
from dalembert.recursive.algorithms import Tree, newton_euler
from tests.kernels.support import agree, largest
from tests.mechanisms import frame, matter


def hinges(n: int, kinds: int = 50) -> da.Mechanism:
    """A chain of hinges about x, y and z in turn, of a few dozen different links."""
    rng = np.random.default_rng(1)
    links = [(matter(rng), frame(rng)) for _ in range(kinds)]
    s = da.System(f"{n} hinges", gravity=(0, 0, -9.81))
    for i in range(n):
        body, place = links[i % kinds]
        s.add_body(f"b{i}", body)
        axis = np.eye(3)[i % 3]
        s.add_joint(f"j{i}", da.Revolute(tuple(axis)), f"b{i - 1}" if i else "ground", f"b{i}", at_parent=place)
    return s.build()


@pytest.fixture(scope="module")
def five_thousand(nothing_kept):
    return hinges(5000)


def test_five_thousand_bodies_move_as_newton_and_euler_say(five_thousand):
    """τ of the motion found is what was put in, by the float interpreter, body by body."""
    m = five_thousand
    rng = np.random.default_rng(2)
    q, u, tau = rng.uniform(-1, 1, m.n_q), rng.uniform(-0.1, 0.1, m.n_u), rng.normal(size=m.n_u)
    udot = m.forward_dynamics(q, u, tau)
    static = m.inverse_dynamics(q, u, np.zeros(m.n_u))
    scale = largest(static)  # gravity and turning; the accelerations must balance them
    assert agree(newton_euler(Tree(State(m, 0.0, q, u)), udot), tau, scale)
    assert agree(m.inverse_dynamics(q, u, udot), tau, scale)


def test_a_batch_of_five_thousand_bodies(five_thousand):
    m = five_thousand
    rng = np.random.default_rng(3)
    q, u = rng.uniform(-1, 1, (3, m.n_q)), rng.uniform(-0.1, 0.1, (3, m.n_u))
    batch = m.forward_dynamics(q, u)
    assert all(agree(batch[k], m.forward_dynamics(q[k], u[k])) for k in range(3))


def test_compiling_takes_no_longer_for_more_bodies():
    """A step is compiled once per kind of body: ten times the bodies, not ten times the code."""

    def code(n: int) -> int:
        library = hinges(n).kernels.forward_dynamics.library(1)
        return len(library.code)

    tables = 8 * 40 * 900  # the constants of 900 more bodies
    assert code(1000) - code(100) <= 2 * tables
