"""Sines and cosines ahead of the sweeps: the same accelerations, whatever the joints' phases."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.kernels.tree import articulated, recursive_newton_euler
from dalembert.kernels.tree.sweep_kernel import SweepKernel
from dalembert.recursive.algorithms import Tree
from dalembert.recursive.algorithms import articulated as by_articulated_bodies
from tests.mechanisms import random_state, random_tree


def chain(n: int, seed: int = 0) -> da.Mechanism:
    """Hinges about x, y, z in turn, in any frames."""
    rng = np.random.default_rng(seed)
    s = da.System("chain")
    for i in range(n):
        s.add_body(f"b{i}", da.MassProperties(1.0, rng.normal(size=3) * 0.1, np.eye(3) * 0.1))
        axis = np.eye(3)[i % 3]
        at = da.Frame(rng.normal(size=3) * 0.2) if i % 2 else da.Frame((0.3, 0.0, 0.0))
        s.add_joint(f"j{i}", da.Revolute(axis), "ground" if i == 0 else f"b{i - 1}", f"b{i}", at_parent=at)
    return s.build()


@pytest.mark.parametrize("n", [8, 9, 11, 13])
def test_any_number_of_angles_is_taken(n):
    """One call takes several, so the last ones are not all there."""
    m = chain(n)
    rng = np.random.default_rng(1)
    q, u, tau = rng.uniform(-3, 3, (3, 19, n))
    expected = [by_articulated_bodies(Tree(m.state(a, b)), c) for a, b, c in zip(q, u, tau)]
    np.testing.assert_allclose(m.forward_dynamics(q, u, tau), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose([m.forward_dynamics(*x) for x in zip(q, u, tau)], expected, rtol=1e-9, atol=1e-9)


def test_angles_too_large_for_the_polynomials():
    m = chain(9)
    q, u = np.full((6, 9), 0.3), np.full((6, 9), 0.1)
    q[2, 4] = 3.0e7
    udot = m.forward_dynamics(q, u)
    expected = by_articulated_bodies(Tree(m.state(q[2], u[2])), np.zeros(9))
    np.testing.assert_allclose(udot[2], expected, rtol=1e-9)
    np.testing.assert_allclose(udot[[0, 1, 3, 4, 5]], np.tile(udot[0], (5, 1)), rtol=1e-12)


def test_links_that_differ_only_in_their_phase_share_their_code():
    """A quarter turn between one hinge and the next makes no class of its own."""
    s = da.System("quarters")
    for i in range(12):
        s.add_body(f"b{i}", da.MassProperties(1.0, (0.1, 0.02, 0.03), np.diag([0.1, 0.2, 0.3])))
        quarter = da.Frame((0.3, 0.0, 0.0), np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
        at = quarter if i % 3 == 1 else da.Frame((0.3, 0.0, 0.0))
        s.add_joint(f"j{i}", da.Revolute((0, 0, 1)), "ground" if i == 0 else f"b{i - 1}", f"b{i}", at_parent=at)
    m = s.build()
    kernel = SweepKernel(m, articulated.ALGORITHM)
    assert len(kernel.classes.classes) < len(SweepKernel(m, articulated.ALGORITHM, lasting=True).classes.classes)
    rng = np.random.default_rng(2)
    q, u = rng.normal(size=(2, 12))
    expected = by_articulated_bodies(Tree(m.state(q, u)), np.zeros(12))
    np.testing.assert_allclose(m.forward_dynamics(q, u), expected, rtol=1e-10, atol=1e-10)


def test_memory_is_used_again():
    """What children hand inward takes two places in a chain, however long."""
    for algorithm in (articulated.ALGORITHM, recursive_newton_euler.ALGORITHM):
        short, long = (SweepKernel(chain(n), algorithm) for n in (10, 20))
        assert short._handed_places[2] == long._handed_places[2] == 2 * short.handed.size
        assert long.places["end"] < SweepKernel(chain(20), algorithm, lasting=True).places["end"]


def test_branches_hand_inward_side_by_side():
    rng = np.random.default_rng(5)
    for seed in range(12):
        m = random_tree(np.random.default_rng(seed), 14).build()
        q, u, t = random_state(m, rng)
        expected = by_articulated_bodies(Tree(m.state(q, u, t)), np.zeros(m.n_u))
        found = m.forward_dynamics(q, u, t=t)
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8 * (1 + np.abs(expected).max(initial=0.0)))
