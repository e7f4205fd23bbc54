"""Points and frames of bodies: where they are, how fast, how they depend on the speeds."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.trace import symbol
from dalembert.vectors import skew
from tests.effort import examples
from tests.kinematics.traced import Traced
from tests.mechanisms import random_state, random_tree, seeds


def close(a, b, scale=1.0):
    return np.abs(np.asarray(a, dtype=float) - b).max(initial=0.0) <= 1e-12 * max(
        1.0, scale, np.abs(b).max(initial=0.0)
    )


@settings(max_examples=examples(30), deadline=None)
@given(seeds, st.integers(1, 6))
def test_point_velocities_jacobians_and_accelerations_differentiate_positions(seed, n):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, forces=False, prescribed=True).build()
    body, place = m.bodies[rng.integers(n)].name, rng.normal(size=3)
    at, udot = random_state(m, rng), rng.uniform(-1, 1, m.n_u)
    s, point = m.state(*at), da.Point(body, place)
    assert close(s.velocity(point), Traced(m, lambda s: [s.position(point)]).rate(at, udot))
    W, V = s.jacobian((body, place))
    moving = Traced(m, lambda s: [s.angular_velocity(body), s.velocity(point)])
    assert close(np.vstack([W, V]), moving.by_speeds(at))
    assert close(s.acceleration((body, place), udot), moving.rate(at, udot)[3:])


@settings(max_examples=examples(30), deadline=None)
@given(seeds, st.integers(1, 6))
def test_angular_velocity_turns_the_axes(seed, n):
    """Ṙ = ω̃ R for every body."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, forces=False, prescribed=True).build()
    at = random_state(m, rng)
    s = m.state(*at)
    for body in m.bodies:
        rate = Traced(m, lambda s: [s.rotation(body.name)]).rate(at, np.zeros(m.n_u)).reshape(3, 3)
        assert close(rate, skew(s.angular_velocity(body.name)) @ s.rotation(body.name))


@settings(max_examples=examples(30), deadline=None)
@given(seeds, st.integers(1, 8))
def test_every_body_is_a_rigid_body(seed, n):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, forces=False, prescribed=True).build()
    s = m.state(*random_state(m, rng))
    for body in m.bodies:
        R = s.rotation(body.name)
        assert close(R.T @ R, np.eye(3)) and np.linalg.det(R) > 0
        a, b = rng.normal(size=(2, 3))
        assert close(np.linalg.norm(s.position((body.name, a)) - s.position((body.name, b))), np.linalg.norm(a - b))


def test_a_body_is_named_in_three_ways():
    m = random_tree(np.random.default_rng(0), 3, forces=False).build()
    s, name = m.state(), m.bodies[0].name
    assert np.array_equal(s.position(name), s.position((name, (0, 0, 0))))
    assert np.array_equal(s.position(name), s.position(da.Point(name)))
    assert np.array_equal(s.position(("ground", (1, 2, 3))), (1, 2, 3))
    assert np.array_equal(s.velocity(("ground", (1, 2, 3))), np.zeros(3))
    assert not s.jacobian("ground")[1].any()


def test_a_chain_of_two_hinges_is_trigonometry():
    """The elbow and the tip of a planar arm, by hand."""
    s = da.System()
    for i, (parent, at) in enumerate((("ground", (0, 0, 0)), ("arm0", (2, 0, 0)))):
        s.add_body(f"arm{i}", da.rod(1.0, 2.0))
        s.add_joint(f"J{i}", da.Revolute(), parent, f"arm{i}", at_parent=at)
    a, b, wa, wb = 0.3, 0.8, 0.5, -1.1
    state = s.build().state([a, b], [wa, wb])
    tip = ("arm1", (2, 0, 0))
    assert np.allclose(state.position(tip), [2 * np.cos(a) + 2 * np.cos(a + b), 2 * np.sin(a) + 2 * np.sin(a + b), 0])
    along = [-2 * np.sin(a) - 2 * np.sin(a + b), 2 * np.cos(a) + 2 * np.cos(a + b)]
    last = [-2 * np.sin(a + b), 2 * np.cos(a + b)]
    assert np.allclose(state.velocity(tip), [wa * x + wb * y for x, y in zip(along, last)] + [0])
    assert np.allclose(state.jacobian(tip)[1], [[along[0], last[0]], [along[1], last[1]], [0, 0]])


def test_functions_see_joints_by_name():
    s = da.System()
    s.add_body("a", da.rod(1.0, 1.0))
    s.add_body("b", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "a")
    s.add_joint("B", da.Cylindrical(), "a", "b", prescribed={"slide": lambda t: 3.0 * t})
    m = s.build()
    state = m.state([0.1, 0.2], [0.3, 0.4], t=2.0)
    assert state.q["A"] == 0.1 and state.u["A"] == 0.3
    assert state.q["B"].tolist() == [0.2, 6.0] and state.u["B"].tolist() == [0.4, 3.0]
    assert m.symbolic_state().q["A"] is symbol("q_A")
