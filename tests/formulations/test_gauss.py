"""Claims about Gauss's principle: the true accelerations are those of least constraint."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.formulations import FORMULATIONS
from dalembert.formulations.absolute import gauss, newton_euler
from dalembert.formulations.tree import kane
from tests.constraints.loops import random_loops
from tests.effort import examples
from tests.formulations.test_absolute import body_accelerations, well_posed
from tests.invariance.cases import drawn
from tests.mechanisms import random_state, random_tree, seeds


@settings(max_examples=examples(12), deadline=None)
@given(seeds, st.integers(2, 5), st.booleans())
def test_no_admissible_acceleration_has_less_constraint(seed, n, closed):
    """Z at Kane's accelerations against Z at others that obey the joints and the loops: larger by ½ δᵀAδ exactly."""
    rng = np.random.default_rng(seed)
    if closed:
        m, q, u, t = random_loops(rng, n, 1)
    else:
        m = random_tree(rng, n, prescribed=True).build()
        q, u, t = random_state(m, rng)
    s = m.state(q, u, t)
    e = kane.equations(s)
    assume(m.n_u and well_posed(e))
    true = METHODS["svd"](e).udot
    least = gauss.constraint(s, true)
    free = np.eye(m.n_u) - np.linalg.pinv(e.B, rcond=1e-9) @ e.B
    for _ in range(5):
        delta = free @ rng.normal(size=m.n_u)
        more = gauss.constraint(s, true + delta)
        expected = 0.5 * delta @ e.A @ delta
        assert abs(more - least - expected) <= 1e-9 * max(1.0, abs(least), expected)
        assert expected == 0.0 or more > least or np.abs(delta).max() < 1e-7


def test_the_whole_constraint_is_a_weighted_distance():
    """With its constant part Z is ½‖r̈ − M⁻¹F‖²_M + ½‖ω̇ − I⁻¹(…)‖²_I [B 39], never negative."""
    from dalembert.formulations.absolute.separate_bodies import Bodies

    rng = np.random.default_rng(1)
    m = random_tree(rng, 4).build()
    s = m.state(*random_state(m, rng))
    b = Bodies(s)
    constant = 0.5 * b.right @ b.inverse_inertia @ b.right
    for _ in range(3):
        udot = rng.normal(size=m.n_u)
        whole = gauss.constraint(s, udot) + constant
        off = _accelerations(s, udot) - b.inverse_inertia @ b.right
        assert np.isclose(whole, 0.5 * off @ b.inertia @ off, rtol=1e-10)
        assert whole >= 0.0


def _accelerations(s, udot) -> np.ndarray:
    places, turns = [], []
    for k, a in enumerate(s.accelerations(udot)[1:], start=1):
        arm, w = s.com_arms[k - 1], s.velocities[k].w
        places.append(a.v + np.cross(a.w, arm) + np.cross(w, np.cross(w, arm)))
        turns.append(a.w)
    return np.concatenate([*places, *turns])


def test_penalty_gives_way_in_inverse_proportion_to_its_stiffness():
    rng = np.random.default_rng(2)
    m = random_tree(rng, 3).build()
    s = m.state(*random_state(m, rng))
    exact = body_accelerations(s, METHODS["svd"](kane.equations(s)).udot)
    errors = []
    for stiffness in (1e3, 1e4, 1e5):
        e = m.equations(da.GaussPenalty(rho=stiffness)).evaluate(s.coordinates, s.speeds, s.t)
        udot = FORMULATIONS["gauss_penalty"].udot(s, np.linalg.solve(e.A, e.f))
        errors.append(np.abs(body_accelerations(s, udot) - exact).max())
    assert np.isclose(errors[0] / errors[1], 10.0, rtol=0.1) and np.isclose(errors[1] / errors[2], 10.0, rtol=0.1)


@settings(max_examples=examples(8), deadline=None)
@given(seeds, st.integers(2, 4))
def test_penalty_returns_its_forces(seed, n):
    """ρ W (H ẇ − h) against the multipliers of Kane's equations, by machine code, and against the hinge forces of Newton and Euler."""
    rng = np.random.default_rng(seed)
    m, q, u, t = random_loops(rng, n, 1)
    s = m.state(q, u, t)
    exact = kane.equations(s)
    assume(m.n_u and well_posed(exact) and len(exact.B) <= METHODS["svd"](exact).rank)
    expected = METHODS["svd"](exact).lam
    found = m.solve(q, u, t=t, formulation="gauss_penalty")
    assert np.abs(found.lam - expected).max() <= 1e-4 * max(1.0, np.abs(expected).max())
    rough = m.solve(q, u, t=t, formulation=da.GaussPenalty(rho=1e3))
    assert np.abs(rough.lam - expected).max() >= np.abs(found.lam - expected).max()
    penalty, own = FORMULATIONS["gauss_penalty"], newton_euler.equations(s)
    hinges = newton_euler.reactions(s, METHODS["augmented"](own).lam)
    e = penalty.equations(s)
    given_way = penalty.reactions(s, np.linalg.solve(e.A, e.f))
    scale = max(1.0, np.abs(hinges).max())
    assert np.abs(np.array(given_way) - np.array(hinges)).max() <= 1e-4 * scale


def test_stiffness_is_kept_apart_recorded_and_refused(tmp_path):
    rng = np.random.default_rng(7)
    m, q, u, t = random_loops(rng, 3, 1)
    soft, usual, stiff = (
        m.solve(q, u, t=t, formulation=x).udot
        for x in (da.GaussPenalty(1e2), "gauss_penalty", da.GaussPenalty(rho=1e8))
    )
    assert np.array_equal(usual, stiff) and np.abs(usual - soft).max() > 1e-6 * np.abs(usual).max()
    run = m.simulate(0.01, q, u, start=t, formulation=da.GaussPenalty(1e5), stabilise="none")
    assert run.record["options"]["formulation"] == {"type": "gauss_penalty", "rho": 1e5}
    run.save(tmp_path / "x.nc")
    assert da.load_motion(tmp_path / "x.nc").record["options"]["formulation"]["rho"] == 1e5
    with pytest.raises(da.ModelError, match="GaussPenalty: rho"):
        da.GaussPenalty(rho=-1.0)


def test_gauss_has_the_matrix_of_kane():
    rng = np.random.default_rng(3)
    m = random_tree(rng, 5, prescribed=True).build()
    s = m.state(*random_state(m, rng))
    one, two = kane.equations(s), FORMULATIONS["gauss"].equations(s)
    assert np.allclose(one.A, two.A, atol=1e-12) and np.allclose(one.f, two.f, atol=1e-11)


@settings(max_examples=examples(10), deadline=None)
@given(st.sampled_from([1089, 1468, 1597]) | st.integers(0, 3000), st.sampled_from([1e6, 1e8, 1e11]))
def test_what_rounding_takes_from_the_penalty_is_said(seed, rho):
    """Light modes on heavy bodies: three digits are there, or a warning."""
    case = drawn("elastic tree", seed, small=True)
    m, form = case.mechanism, da.GaussPenalty(rho)
    s = m.numeric.state(case.q, case.u, case.t)
    exact = body_accelerations(s, METHODS["range_space"](kane.equations(s)).udot)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = body_accelerations(s, m.solve(case.q, case.u, t=case.t, formulation=form).udot)
    off = np.abs(found - exact).max() / max(1.0, np.abs(exact).max())
    assert off <= 1e-3 or any(issubclass(w.category, da.RoundingWarning) for w in told)
    event(f"warned: {any(issubclass(w.category, da.RoundingWarning) for w in told)}")
