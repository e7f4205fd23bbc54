"""The recursions for partial velocities and their rates [E 11–34] equal differentiation of the velocities."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tests.kinematics.traced import Traced
from tests.mechanisms import eight_body_tree, random_state, random_tree, seeds


def velocities(s):
    """ω and v of every body's origin."""
    return [x for k in range(1, s.mechanism.n_bodies + 1) for x in (s.velocities[k].w, s.velocities[k].v)]


def stacked(m, partials):
    """Ω and V of all bodies as one matrix over all speeds."""
    out = np.zeros((6 * m.n_bodies, m.n_u))
    for k in range(1, m.n_bodies + 1):
        columns = list(m.path_columns[k])
        out[6 * k - 6 : 6 * k - 3, columns] = partials[k].W
        out[6 * k - 3 : 6 * k, columns] = partials[k].V
    return out


def flat(rates):
    return np.array([x for r in rates[1:] for x in (*r.w, *r.v)], dtype=float)


def largest(a):
    return np.abs(a).max(initial=0.0)


def assert_recursions_differentiate(m, rng):
    at = random_state(m, rng)
    s, traced = m.state(*at), Traced(m, velocities)
    V, V_rate = stacked(m, s.partials), stacked(m, s.partial_rates)
    assert largest(V - traced.by_speeds(at)) <= 1e-12 * max(1.0, largest(V))
    assert largest(V_rate - traced.by_speeds_rate(at)) <= 1e-12 * max(1.0, largest(V_rate))
    udot = rng.uniform(-1, 1, m.n_u)
    still, moved = traced.rate(at, np.zeros(m.n_u)), traced.rate(at, udot)
    scale = max(1.0, largest(moved))
    assert largest(flat(s.bias_accelerations) - still) <= 1e-12 * scale
    assert largest(flat(s.accelerations(udot)) - moved) <= 1e-12 * scale
    assert largest(flat(s.accelerations(udot)) - flat(s.bias_accelerations) - V @ udot) <= 1e-12 * scale
    return s, at, V, V_rate


def test_eight_body_tree_with_48_speeds():
    """Source E's own example: parents (0, 1, 2, 1, 2, 1, 1, 7), every joint with six freedoms."""
    rng = np.random.default_rng(4)
    m = eight_body_tree(rng).build()
    assert m.n_u == 48 and m.parent == (0, 1, 2, 1, 2, 1, 1, 7)
    s, (_, u, _), V, V_rate = assert_recursions_differentiate(m, rng)
    assert largest(V @ u - flat(s.velocities)) <= 1e-12 * largest(V)  # ω = Ω u, v = V u: nothing is prescribed
    assert largest(V_rate @ u - flat(s.bias_accelerations)) <= 1e-12 * largest(V_rate)  # α = Ω̇ u where u̇ = 0


@settings(max_examples=examples(30), deadline=None)
@given(seeds, st.integers(1, 8), st.sampled_from(["euler_parameters", "angles"]))
def test_any_tree(seed, n, orientation):
    """All joints, from both ends, with and without prescribed motion."""
    rng = np.random.default_rng(seed)
    assert_recursions_differentiate(
        random_tree(rng, n, forces=False, prescribed=True, orientation=orientation).build(), rng
    )


@settings(max_examples=examples(30), deadline=None)
@given(seeds, st.integers(1, 8))
def test_velocities_split_into_free_and_prescribed_parts(seed, n):
    """v = V u + v_t, where v_t is the velocity at u = 0 and depends on time alone."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, forces=False, prescribed=True).build()
    q, u, t = random_state(m, rng)
    V = stacked(m, m.state(q, u, t).partials)
    given_by_time = flat(m.state(q, np.zeros(m.n_u), t).velocities)
    expected = V @ u + given_by_time
    assert largest(flat(m.state(q, u, t).velocities) - expected) <= 1e-12 * max(1.0, largest(expected))


@settings(max_examples=examples(30), deadline=None)
@given(seeds, st.integers(1, 8))
def test_bias_accelerations_are_partial_rates_times_speeds(seed, n):
    """α = Ω u̇ + Ω̇ u where nothing is prescribed, likewise a."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, forces=False).build()
    q, u, t = random_state(m, rng)
    s = m.state(q, u, t)
    bias = flat(s.bias_accelerations)
    assert largest(stacked(m, s.partial_rates) @ u - bias) <= 1e-12 * max(1.0, largest(bias))
