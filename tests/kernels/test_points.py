"""Point Jacobians in machine code."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from tests.kernels.support import agree, random_states
from tests.mechanisms import random_tree


@pytest.mark.parametrize("seed", range(3))
def test_point_jacobians_equal_the_states(seed):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 5, prescribed=True).build()
    q, u, _, t = random_states(m, rng, 5)
    for at in ("b0", ("b4", (0.1, -0.2, 0.3))):
        J = m.point_jacobian(at, q, t)
        assert J.shape == (5, 6, m.n_u)
        for k in range(5):
            expected = np.vstack(m.state(q[k], u[k], t[k]).jacobian(at))
            assert agree(J[k], expected) and agree(m.point_jacobian(at, q[k], t[k]), expected)


def test_a_jacobian_times_the_speeds_is_the_velocity():
    rng = np.random.default_rng(5)
    m = random_tree(rng, 6).build()
    q, u, _, t = random_states(m, rng, 1)
    at = da.Point("b3", np.array([0.3, 0.1, -0.4]))
    s = m.state(q[0], u[0], t[0])
    assert agree(m.point_jacobian(at, q[0], t[0]) @ u[0], np.concatenate([s.angular_velocity("b3"), s.velocity(at)]))


def test_points_of_one_body_are_told_apart():
    m = random_tree(np.random.default_rng(1), 2, forces=False).build()
    q = m.reference
    near, far = (m.point_jacobian(("b0", (x, 0.0, 0.0)), q) for x in (0.0, 1.0))
    assert not np.array_equal(near, far)


def test_the_ground_does_not_move():
    m = random_tree(np.random.default_rng(1), 2, forces=False).build()
    assert (m.point_jacobian(("ground", (1.0, 2.0, 3.0)), m.reference) == np.zeros((6, m.n_u))).all()


def test_an_unknown_body_is_named():
    m = random_tree(np.random.default_rng(1), 2, forces=False).build()
    with pytest.raises(da.ModelError, match="b9"):
        m.point_jacobian("b9", m.reference)
