"""Kernels count on nothing that was in their working memory before: kernels that follow one another may share it."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from tests.mechanisms import random_state, random_tree


def fresh_and_dirty(kernel, q, u, x):
    """The results of the kernel's code on memory full of zeros, and full of nan."""
    made = []
    for filling in (0.0, np.nan):
        for lanes in (1, kernel.lanes):
            work = kernel.work(lanes)
            work[:] = filling
            given = [np.zeros(1), q, u, x if kernel.n_extra else np.zeros(0), np.zeros(0)]
            steps = [rows.shape[1] if rows.ndim == 2 else 0 for rows in given]
            y = np.empty((len(q), kernel.n_output))
            kernel.library(lanes).batch(len(q), *given, *steps, y, work)
            made.append(y)
    return made


@pytest.mark.parametrize("seed", range(8))
def test_forces_on_some_of_a_joints_speeds(seed):
    """What no force writes is nothing, not what lay there."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 9 + seed % 3, prescribed=bool(seed % 2)).build()
    states = [random_state(m, rng) for _ in range(11)]
    q, u = (np.array([s[i] for s in states]) for i in range(2))
    x = rng.normal(size=u.shape)
    for name in ("forward_dynamics", "inverse_dynamics", "state_rates", "mass_matrix"):
        first, *others = fresh_and_dirty(getattr(m.kernels, name), q, u, x)
        for other in others:
            np.testing.assert_allclose(other, first, rtol=1e-7, atol=1e-9 * (1.0 + np.abs(first).max()))


def test_derivatives_are_the_same_when_asked_again():
    s = da.System("arm", gravity=(1, 2, -9.81))
    parent = "ground"
    for i in range(9):
        kind = da.Cylindrical((0, 0, 1)) if i == 2 else da.Revolute((0, 1, 0))
        s.add_body(f"b{i}", mass=1.0, com=(0.1, 0.2, 0.1), inertia=(0.1, 0.12, 0.13))
        s.add_joint(f"j{i}", kind, parent, f"b{i}", at_parent=(0.1, 0.2, 0.3))
        parent = f"b{i}"
    s.add_force("motor", da.Motor("j2", 2.0, coordinate="angle"))
    m = s.build()
    q, u = np.random.default_rng(0).uniform(-1, 1, (2, m.n_u))
    first, second = (m.forward_dynamics_derivatives(q, u).q for _ in range(2))
    np.testing.assert_array_equal(first, second)
    many = m.forward_dynamics_derivatives(np.tile(q, (12, 1)), u).q
    np.testing.assert_allclose(many, np.broadcast_to(first, many.shape), rtol=1e-9, atol=1e-9)
