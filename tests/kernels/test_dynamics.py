"""Compiled dynamics equal the float interpreter and Kane's equations on any tree, state by state and in batches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.recursive.algorithms import Tree, articulated, composite, newton_euler
from tests.effort import examples
from tests.kernels.support import agree, random_states, reference
from tests.mechanisms import random_tree, seeds

pytestmark = pytest.mark.usefixtures("driver")
COUNT = 11
"""States in a batch: not a multiple of any lane count."""


@settings(max_examples=examples(6), deadline=None)
@given(seed=seeds, n=st.integers(1, 7))
def test_random_trees_of_all_joints_with_forces_and_prescribed_motion(seed, n):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, prescribed=True).build()
    q, u, tau, t = random_states(m, rng, COUNT)
    forward = m.forward_dynamics(q, u, tau, t)
    inverse = m.inverse_dynamics(q, u, forward, t)
    mass = m.mass_matrix(q, t)
    for k in range(COUNT):
        tree = Tree(m.state(q[k], u[k], t[k]))
        assert agree(forward[k], articulated(tree, tau[k]))
        assert agree(inverse[k], newton_euler(tree, forward[k]), reference(m, q[k], u[k], tau[k], t[k]).force_scale)
        assert agree(mass[k], composite(tree))
    for k in range(3):
        e = reference(m, q[k], u[k], tau[k], t[k])
        one = m.forward_dynamics(q[k], u[k], tau[k], t[k])
        assert agree(one, e.udot) and agree(forward[k], e.udot)
        assert agree(m.inverse_dynamics(q[k], u[k], one, t[k]), tau[k], e.force_scale)
        assert agree(inverse[k], tau[k], e.force_scale)
        assert agree(m.mass_matrix(q[k], t[k]), e.A) and agree(mass[k], e.A)


@settings(max_examples=examples(3), deadline=None)
@given(seed=seeds)
def test_rotations_by_three_angles(seed):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 5, floating=True, orientation="angles").build()
    q, u, tau, t = random_states(m, rng, 2)
    both = m.forward_dynamics(q, u, tau, t)
    for k in range(2):
        e = reference(m, q[k], u[k], tau[k], t[k])
        assert agree(m.forward_dynamics(q[k], u[k], tau[k], t[k]), e.udot) and agree(both[k], e.udot)
