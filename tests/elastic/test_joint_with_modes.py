"""The joint that carries an elastic body: its rates against differences of its pose, on moving nodes with frames of their own."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings

from dalembert.elastic.joint_with_modes import JointWithModes
from dalembert.elastic.node import Node
from dalembert.elastic.node_motion import NodeMotion
from tests.effort import examples

from ..mechanisms import frame, joint, seeds


def node(rng: np.random.Generator, n: int) -> Node:
    """Any node: moving, turning, to second order."""
    G, Gam = rng.normal(size=(2, n, n, 3))
    Phi, Psi = rng.normal(size=(2, 3, n))
    return Node.of(rng.normal(size=3), Phi, Psi, G + np.swapaxes(G, 0, 1), Gam + np.swapaxes(Gam, 0, 1))


@settings(max_examples=examples(30), deadline=None)
@given(seeds, st.integers(1, 3))
def test_rates_are_those_of_the_pose(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    made = JointWithModes(joint(rng), node(rng, n), frame(rng), tuple("abc"[:n]))
    q = made.admissible(made.reference + rng.uniform(-0.3, 0.3, made.n_q))
    u, h = rng.normal(size=made.n_u), 1e-6
    after, before = (made.admissible(q + s * h * np.asarray(made.rates(q, u))) for s in (1.0, -1.0))
    R, dR = made.rotation(q), (made.rotation(after) - made.rotation(before)) / (2 * h)
    w = R.T @ dR
    turning = np.array([w[2, 1], w[0, 2], w[1, 0]])
    assert np.abs(made.turning(q) @ u - turning).max() < 1e-7 * (1 + np.abs(turning).max())
    slide = (made.translation(after) - made.translation(before)) / (2 * h)
    assert np.abs(made.sliding(q) @ u - slide).max() < 1e-7 * (1 + np.abs(slide).max())
    for value, rate in ((made.turning, made.turning_rate), (made.sliding, made.sliding_rate)):
        change = (value(after) - value(before)) / (2 * h)
        assert np.abs(rate(q, u) - change).max() < 1e-6 * (1 + np.abs(change).max())
    back = made.speeds_from_rates(q, made.rates(q, u))
    assert np.abs(back - u).max() < 1e-12


@settings(max_examples=examples(20), deadline=None)
@given(seeds)
def test_node_turns_are_rotations(seed: int) -> None:
    rng = np.random.default_rng(seed)
    at = NodeMotion(node(rng, 2), rng.uniform(-0.5, 0.5, 2))
    assert np.abs(at.R.T @ at.R - np.eye(3)).max() < 1e-14
    assert np.linalg.det(at.R) > 0.0
