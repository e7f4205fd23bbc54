"""[C 117] for source C's three-body satellite spinning about each principal axis: every matrix against [C 259], and its stability."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.vectors import skew
from tests.formulations.test_satellite import CENTRAL, M0, L, k, m, r, satellite

M = M0 + 2 * m
R, J = m * L / M, 4 * m * L**2 / 3
S = J + M * R * r
RODS = 2 * (m * L**2 / 3 + m * (r + L) ** 2)
I = CENTRAL + np.array([RODS, 0.0, RODS])
KEPT = ("float.wx", "float.wy", "float.wz", "hinge1", "hinge2")


def source_c(spin):
    """M⁰, G⁰ and κ of (θ, γ) about ω = spin, from [C 259] with δω = θ̇ + ω × θ; κ is less the springs' k."""
    w1, w2, w3 = spin
    sums = np.array([1.0, 1.0])
    mass = np.zeros((5, 5))
    mass[:3, :3] = np.diag(I)
    mass[0, 3:] = mass[3:, 0] = S
    mass[3:, 3:] = M * R**2 * np.array([[-1, 1], [1, -1]]) + J * np.eye(2)
    # f of [C 259] to first order: in δω, in γ̇ and in γ
    on_w, on_rate, on_gamma = np.zeros((5, 3)), np.zeros((5, 2)), np.zeros((5, 2))
    on_w[0] = (I[1] - I[2]) * np.array([0, w3, w2])
    on_w[1] = (I[2] - I[0]) * np.array([w3, 0, w1])
    on_w[2] = (I[0] - I[1]) * np.array([w2, w1, 0])
    on_w[3] = on_w[4] = -S * np.array([0, w3, w2])
    on_rate[2] = 2 * S * w2 * sums
    on_gamma[0] = S * (w2**2 - w3**2) * sums
    on_gamma[1] = -S * w1 * w2 * sums
    on_gamma[2] = S * w1 * w3 * sums
    own = J * (w2**2 - w3**2) - M * R**2 * (w1**2 + w2**2) - M * R * r * (w1**2 + w3**2)
    on_gamma[3:] = own * np.eye(2) + M * R**2 * (w1**2 + w2**2) * np.array([[0, 1], [1, 0]])
    W = skew(np.array(spin))
    turn = np.zeros((5, 5))
    turn[:3, :3] = W
    # M(ẍ + turn ẋ) = on_w (θ̇ + Wθ) + on_rate γ̇ + on_gamma γ
    velocity = mass @ turn - np.hstack([on_w, on_rate])
    stiffness = -np.hstack([on_w @ W, on_gamma])
    return mass, velocity, -stiffness


def without_translation(lin):
    """The hub's velocity eliminated: ẍ = −M_tt⁻¹(M_tr ξ̈ + C_tr ξ̇ + K_tr ξ)."""
    keep = [lin.speeds.index(name) for name in KEPT]
    move = [i for i in range(8) if i not in keep]
    X = lin.mass[np.ix_(keep, move)] @ np.linalg.inv(lin.mass[np.ix_(move, move)])
    assert np.allclose(lin.stiffness[:, move], 0) and np.allclose(lin.velocity_matrix[:, move], 0)
    every = (lin.mass, lin.velocity_matrix, lin.stiffness, lin.structural)
    return [x[np.ix_(keep, keep)] - X @ x[np.ix_(move, keep)] for x in every]


@pytest.fixture(scope="module")
def built():
    return satellite()


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_matrices_are_those_of_the_source(built, axis):
    spin = 1.3 * np.eye(3)[axis]
    lin = built.linearise(None, [*spin, 0, 0, 0, 0, 0])
    mass, velocity, stiffness, structural = without_translation(lin)
    M0_, G0, kappa = source_c(spin)
    springs = np.diag([0, 0, 0, k, k])
    assert np.allclose(mass, M0_, rtol=0, atol=1e-10)
    assert np.allclose(velocity, G0, rtol=0, atol=1e-10)
    assert np.allclose(velocity, -velocity.T, rtol=0, atol=1e-10)
    assert np.allclose(structural, springs, rtol=0, atol=1e-10)
    assert np.allclose(structural - stiffness, kappa, rtol=0, atol=1e-10)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("rate", [0.3, 1.3, 4.0])
def test_stability_is_that_of_the_source(built, axis, rate):
    """Roots of det(M⁰λ² + G⁰λ + k − κ) say the same as the model."""
    spin = rate * np.eye(3)[axis]
    lin = built.linearise(None, [*spin, 0, 0, 0, 0, 0])
    mass, velocity, kappa = source_c(spin)
    K = np.diag([0, 0, 0, k, k]) - kappa
    A = np.block([[np.zeros((5, 5)), np.eye(5)], [-np.linalg.solve(mass, K), -np.linalg.solve(mass, velocity)]])
    growth = np.linalg.eigvals(A).real.max()
    assert lin.stable == (growth < 1e-6)
    assert abs(lin.growth - growth) < 1e-6


def test_major_and_minor_axes_are_stable_when_stiff(built):
    """Euler's rule for slow spin about each axis: only the middle moment of inertia is unstable."""
    middle = int(np.argsort(I)[1])
    for axis in range(3):
        lin = built.linearise(None, [*(0.05 * np.eye(3)[axis]), 0, 0, 0, 0, 0])
        assert lin.stable == (axis != middle)
