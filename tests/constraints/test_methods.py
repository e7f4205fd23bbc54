"""Claims about solving with constraints: all methods give one motion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dalembert as da
from benchmarks.loop_models import rhombic_linkage
from dalembert.constraints import METHODS, method
from dalembert.formulations.equations import Equations
from dalembert.formulations.tree import kane
from dalembert.kinematics.constraint_rows import constraint_rows
from tests.constraints.loops import random_loops
from tests.constraints.penalised import penalised, rounding
from tests.effort import examples
from tests.mechanisms import seeds

EXACT = [name for name in METHODS if name != "penalty"]


@settings(max_examples=examples(40), deadline=None)
@given(seeds, st.integers(2, 7), st.integers(1, 2), st.booleans())
def test_all_methods_agree_on_random_loops(seed, n, n_loops, doubled):
    """On u̇ and on the forces Bᵀλ, redundant rows or not; the multipliers themselves are the shortest."""
    rng = np.random.default_rng(seed)
    m, q, u, t = random_loops(rng, n, n_loops, doubled=doubled)
    e = kane.equations(m.state(q, u, t))
    assume(m.n_u and _well_posed(e))
    first = METHODS["svd"](e)
    scale = max(1.0, np.abs(first.udot).max(), np.abs(np.linalg.solve(e.A, e.f)).max())
    assert np.abs(e.B @ first.udot - e.gamma).max() <= 1e-9 * scale * max(1.0, np.abs(e.B).max())
    for name in EXACT:
        other = METHODS[name](e)
        assert np.abs(other.udot - first.udot).max() <= 1e-9 * scale, name
        force = np.abs(e.A).max() * scale + np.abs(e.f).max()
        assert np.abs(e.A @ other.udot + e.B.T @ other.lam - e.f).max() <= 1e-8 * force, name
        assert other.rank == first.rank, name
    assert np.abs(METHODS["penalty"](e).udot - first.udot).max() <= 1e-4 * scale


@settings(max_examples=examples(12), deadline=None)
@given(seeds, st.integers(2, 5), st.booleans())
def test_no_method_hangs_on_the_units_of_the_speeds(seed, n, doubled):
    """Radians beside micrometres or kilometres: columns six orders of magnitude apart, the same u̇ and the same rank."""
    rng = np.random.default_rng(seed)
    m, q, u, t = random_loops(rng, n, 1, doubled=doubled)
    e = kane.equations(m.state(q, u, t))
    assume(m.n_u and _well_posed(e))
    first = METHODS["svd"](e)
    scale = max(1.0, np.abs(first.udot).max(), np.abs(np.linalg.solve(e.A, e.f)).max())
    for name in EXACT:
        found, D = in_other_units(e, rng)
        other = METHODS[name](found)
        assert np.abs(D * other.udot - first.udot).max() <= 1e-9 * scale and other.rank == first.rank, name


def in_other_units(e: Equations, rng: np.random.Generator) -> tuple[Equations, np.ndarray]:
    """The equations in speeds w = D⁻¹u, and D."""
    D = 10.0 ** rng.choice([-6.0, -3.0, 0.0, 3.0, 6.0], len(e.f))
    return Equations(D[:, None] * e.A * D, D * e.f, e.B * D, e.gamma), D


@pytest.mark.parametrize("seed", [9244852, 323])
def test_the_proximal_method_is_exact_to_rounding(seed):
    """Its stiffness, 10⁵, does not come back as 10⁵ times the rounding."""
    m, q, u, t = random_loops(np.random.default_rng(seed), 5, 1, doubled=True)
    e = kane.equations(m.state(q, u, t))
    expected = METHODS["svd"](e).udot
    assert np.abs(METHODS["proximal"](e).udot - expected).max() <= 1e-12 * np.abs(np.linalg.solve(e.A, e.f)).max()


def _well_posed(e) -> bool:
    """Neither locked by contradictory accelerations nor next to a singular pose, where no method could say more."""
    sigma = np.linalg.svd(e.B, compute_uv=False)
    rank = int(np.sum(sigma > 1e-9 * sigma[0])) if len(sigma) else 0
    return rank > 0 and sigma[rank - 1] > 1e-2 * sigma[0]


@settings(max_examples=examples(15), deadline=None)
@given(seeds, st.integers(2, 6))
def test_a_doubled_joint_changes_no_motion(seed, n):
    single = random_loops(np.random.default_rng(seed), n, 1)
    double = random_loops(np.random.default_rng(seed), n, 1, doubled=True)
    results = []
    for m, q, u, t in (single, double):
        e = kane.equations(m.state(q, u, t))
        assume(m.n_u and _well_posed(e))
        results.append((METHODS["range_space"](e), e))
    (a, ea), (b, eb) = results
    assert np.allclose(a.udot, b.udot, rtol=1e-8, atol=1e-8 * max(1.0, np.abs(a.udot).max()))
    assert a.rank == b.rank and len(eb.gamma) == 2 * len(ea.gamma)


@pytest.mark.parametrize("name", EXACT)
def test_the_rhombic_linkage_is_a_pendulum(name):
    """[A 35–47]: θ̈₁ + (6 g / 5 ℓ) sin θ₁ = 0, θ₁ from the vertical; B is 2 of 5 rows, one zero eigenvalue."""
    m = rhombic_linkage(length=0.7).mechanism
    for theta in (0.3, 1.1, -0.8):
        first = theta - np.pi / 2  # rod 1 hangs at θ from the vertical; rods 1 and 3 stay parallel, rod 2 horizontal
        q = np.array([first, -first, first - np.pi])
        state = m.state(q, np.zeros(3))
        assert np.abs(constraint_rows(state).g).max() < 1e-14
        solution = method(name)(kane.equations(state))
        assert solution.rank == 2
        assert solution.udot[0] == pytest.approx(-6 * 9.81 / (5 * 0.7) * np.sin(theta), rel=1e-10)


def test_forward_dynamics_obeys_loops_one_state_or_many():
    m = rhombic_linkage().mechanism
    first = np.array([0.3, 1.1]) - np.pi / 2
    q = np.stack([first, -first, first - np.pi], axis=1)
    udot = m.forward_dynamics(q, np.zeros(3))
    assert udot.shape == (2, 3)
    assert np.allclose(udot[:, 0], -6 * 9.81 / 5 * np.sin([0.3, 1.1]), rtol=1e-10)
    assert np.allclose(m.forward_dynamics(q[1], np.zeros(3)), udot[1], rtol=1e-12)
    with pytest.raises(da.FormulationError, match="tip"):
        m.inverse_dynamics(q[0], np.zeros(3), np.zeros(3))


def test_an_unknown_method_lists_the_known():
    with pytest.raises(da.FormulationError, match="range_space"):
        method("magic")


@settings(max_examples=examples(30), deadline=None)
@given(seeds, st.integers(3, 8), st.floats(2.0, 8.0))
def test_rows_that_nearly_depend_cost_digits_once_not_twice(seed, n, digits):
    """Two rows 10^−digits apart: u̇ keeps 15 − digits digits by methods that form neither B A⁻¹Bᵀ nor BᵀB [B A-3..A-12]; both count."""
    e, udot = nearly_dependent(np.random.default_rng(seed), n, 10.0**-digits)
    for name in (
        "range_space",
        "range_space_svd",
        "null_space_qr",
        "svd",
        "augmented",
        "sparse_augmented",
        "partition",
    ):
        found = METHODS[name](e)
        assert found.rank == len(e.B), name
        assert np.abs(found.udot - udot).max() <= 1e-12 * 10.0**digits * np.abs(udot).max(), name


@settings(max_examples=examples(30), deadline=None)
@given(seeds, st.integers(3, 6), st.floats(2.0, 18.0))
def test_rows_however_near_dependence_break_no_method(seed, n, digits):
    """No bare LinAlgError, nothing but numbers, and the rows obeyed as far as they can be told apart."""
    e, udot = nearly_dependent(np.random.default_rng(seed), n, 10.0**-digits)
    for name in METHODS:
        found = METHODS[name](e)
        assert np.isfinite(found.udot).all() and np.isfinite(found.lam).all(), name
        assert np.abs(e.B @ found.udot - e.gamma).max() <= 1e-3 * np.abs(udot).max() * np.abs(e.B).max(), name


def nearly_dependent(rng: np.random.Generator, n: int, apart: float) -> tuple[Equations, np.ndarray]:
    """Equations whose last row differs from the first by a small part, made from a solution."""
    X = rng.normal(size=(n, n))
    A = X @ X.T + n * np.eye(n)
    B = rng.normal(size=(2, n))
    across = np.linalg.qr(np.vstack([B, rng.normal(size=n)]).T)[0][:, 2]
    B = np.vstack([B, B[0] + apart * np.linalg.norm(B[0]) * across])
    udot = rng.normal(size=n)
    return Equations(A, A @ udot + B.T @ rng.normal(size=len(B)), B, B @ udot), udot


@pytest.mark.parametrize("seed", range(6))
def test_the_penalty_is_as_far_off_as_it_says(seed):
    """(B A⁻¹Bᵀ + 1/k) λ = B A⁻¹f − γ says what it gives, rows that nearly depend on each other or not; the rest is rounding."""
    rng = np.random.default_rng(seed)
    n, rows = 7, 4
    G, B = rng.normal(size=(n, n)), rng.normal(size=(rows, n))
    B[1] = B[0] + 10.0 ** -rng.uniform(1, 5) * B[1]
    e = Equations(G @ G.T + np.eye(n), rng.normal(size=n), B, rng.normal(size=rows))
    found, closed = METHODS["penalty"](e), penalised(e)
    assert (np.abs(found.udot - closed.udot) <= rounding(e) + 1e-11 * np.abs(closed.udot).max()).all()
