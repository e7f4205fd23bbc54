"""The symmetric three-body satellite of source C: its equations by several methods, linearised by their trace, equal [C 259].

A free central body carries two equal thin rods of length 2L and mass m, hinged about axes along x at distance r on either side of
the system's mass centre, each held by a rotary spring k. Deformations γ and γ̇ are small, the rotation ω is not.
"""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.formulations import FORMULATIONS
from dalembert.trace import directional, evaluate, jacobian, symbol, tracing

m, L, r, k = 0.7, 1.3, 0.4, 5.0
CENTRAL = np.array([2.0, 1.1, 1.6])
M0 = 3.0


def satellite() -> da.Mechanism:
    """Speeds: ω in body axes, velocity of the central mass centre in world axes, γ̇₁, γ̇₂."""
    s = da.System("satellite")
    s.add_body("hub", mass=M0, inertia=CENTRAL)
    s.add_joint("float", da.Free(), "ground", "hub")
    for i, side in ((1, 1.0), (2, -1.0)):
        s.add_body(f"rod{i}", da.rod(m, 2 * L, axis=(0, side, 0)))
        s.add_joint(f"hinge{i}", da.Revolute((1, 0, 0)), "hub", f"rod{i}", at_parent=(0, side * r, 0))
        s.add_force(f"spring{i}", da.JointSpring(f"hinge{i}", stiffness=k))
    return s.build()


def admissible(s, formulation):
    """A and f of a formulation on the motions the joints admit: ZᵀAZ and Zᵀ(f − AŻu), w = Z u [B 40]; multipliers do no work."""
    e, w = formulation.equations(s), formulation.formulation_speeds(s)
    Z = jacobian(w, list(s.speeds))
    bias = directional(w, dict(zip(s.coordinates, s.rates)))
    return Z.T @ e.A @ Z, Z.T @ (e.f - e.A @ bias)


def linearised(q, w, gamma, rates, formulation="kane"):
    """A and f without the translation, to first order in γ and γ̇ at an orientation q: (A₀, A₁, f₀ + f₁)."""
    mech = satellite()
    with tracing():
        s = mech.symbolic_state()
        A, f = admissible(s, FORMULATIONS[formulation])
        small = {symbol("q_hinge1"): gamma[0], symbol("q_hinge2"): gamma[1]}
        small |= {symbol("u_hinge1"): rates[0], symbol("u_hinge2"): rates[1]}
        first = [directional(x, small) for x in (A, f)]
    nominal = {symbol("t"): 0.0} | dict(zip(s.coordinates, [*q, 0.1, 0.2, 0.3, 0.0, 0.0]))
    nominal |= dict(zip(s.speeds, [*w, 0.4, 0.5, 0.6, 0.0, 0.0]))
    A0, f0, A1, f1 = (np.asarray(x, dtype=float) for x in evaluate([A, f, *first], nominal))
    return _without_translation(A0, f0, A1, f1)


def _without_translation(A0, f0, A1, f1):
    """Schur complement in the velocity, expanded to first order; its block of A is M·1, exactly."""
    v, keep = [3, 4, 5], [0, 1, 2, 6, 7]
    M = A0[3, 3]
    assert np.allclose(A0[np.ix_(v, v)], M * np.eye(3)) and np.allclose(A1[np.ix_(v, v)], 0.0)
    X0, X1 = A0[np.ix_(keep, v)], A1[np.ix_(keep, v)]
    S0 = A0[np.ix_(keep, keep)] - X0 @ X0.T / M
    S1 = A1[np.ix_(keep, keep)] - (X1 @ X0.T + X0 @ X1.T) / M
    g0 = f0[keep] - X0 @ f0[v] / M
    g1 = f1[keep] - (X1 @ f0[v] + X0 @ f1[v]) / M
    return S0, S1, g0 + g1


def source_c(w, gamma, rates):
    """[C 259] as A u̇ = f in (ω̇, γ̈₁, γ̈₂); 259e is the mirror of 259d, as symmetry demands."""
    M = M0 + 2 * m
    R, J = m * L / M, 4 * m * L**2 / 3
    S = J + M * R * r
    rods = 2 * (m * L**2 / 3 + m * (r + L) ** 2)
    I1, I2, I3 = CENTRAL + np.array([rods, 0.0, rods])
    w1, w2, w3 = w
    g, dg = sum(gamma), sum(rates)
    MRR, MRr = M * R**2, M * R * r
    A = np.array(
        [
            [I1, 0, 0, S, S],
            [0, I2, -S * g, 0, 0],
            [0, -S * g, I3, 0, 0],
            [S, 0, 0, J - MRR, MRR],
            [S, 0, 0, MRR, J - MRR],
        ]
    )
    own = J * (w2**2 - w3**2) - MRR * (w1**2 + w2**2) - MRr * (w1**2 + w3**2) - k
    other = MRR * (w1**2 + w2**2)
    f = [
        (I2 - I3) * w2 * w3 + S * (w2**2 - w3**2) * g,
        (I3 - I1) * w3 * w1 - S * w1 * w2 * g,
        (I1 - I2) * w1 * w2 + 2 * S * w2 * dg + S * w1 * w3 * g,
        -S * w2 * w3 + own * gamma[0] + other * gamma[1],
        -S * w2 * w3 + own * gamma[1] + other * gamma[0],
    ]
    return A, np.array(f)


CASES = [(seed, name) for seed in range(10) for name in ("kane", "boltzmann_hamel")]
CASES += [(seed, name) for seed in (0, 1) for name in ("newton_euler", "barycentric", "hooker", "gauss")]


@pytest.mark.parametrize("seed, formulation", CASES)
def test_satellite_equals_source_c(seed, formulation):
    rng = np.random.default_rng(seed)
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    w, gamma, rates = rng.uniform(-2, 2, 3), rng.uniform(-1, 1, 2), rng.uniform(-1, 1, 2)
    S0, S1, f = linearised(q, w, gamma, rates, formulation)
    A_c, f_c = source_c(w, gamma, rates)
    # Rotation's accelerations are not small, so A keeps γ in their columns; γ times γ̈ is of second order.
    A = S0.copy()
    A[:, :3] += S1[:, :3]
    assert np.abs(A - A_c).max() <= 1e-10
    assert np.abs(f - f_c).max() <= 1e-10


def test_the_sum_and_difference_of_the_deformations_part():
    """[C 263]: η₂ = γ₁ − γ₂ has an equation of its own, which the rotation enters only through its coefficients."""
    w, gamma, rates = np.array([0.3, -0.8, 1.1]), np.array([0.2, -0.5]), np.array([0.1, 0.4])
    S0, S1, f = linearised([1.0, 0.0, 0.0, 0.0], w, gamma, rates)
    difference = S0[3] + S1[3] - S0[4] - S1[4]
    assert np.abs(difference[:3]).max() <= 1e-12
    _, _, mirrored = linearised([1.0, 0.0, 0.0, 0.0], w, gamma[::-1], rates)
    assert np.isclose(f[3] - f[4], -(mirrored[3] - mirrored[4]), atol=1e-12)
