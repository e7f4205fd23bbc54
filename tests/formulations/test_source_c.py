"""Source C's printed results, keyed in from the document, against what the package writes, at random states to 1e-12."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.trace import evaluate, substitute, symbols, tracing
from tests.formulations.test_small import VALUES, state, three_bodies

M, I1, I2, I3 = 2.0, 0.5, 0.8, 1.1
FORCE, MOMENT = np.array([0.3, -0.7, 1.1]), np.array([0.4, 0.2, -0.9])
SEEDS = range(4)


# -- single rigid body [C 167–214] --------------------------------------------------------------------------------------------
def rigid_body() -> da.Mechanism:
    """1-2-3 angles θ and R; the force F in inertial axes, the moment M in body axes."""
    s = da.System("rigid body")
    s.add_body("body", mass=M, inertia=(I1, I2, I3))
    s.add_joint("B", da.Free("angles"), "ground", "body")
    s.add_force("F", da.Load("body", force=FORCE))
    s.add_force("M", da.Load("body", torque=MOMENT, axes="body"))
    return s.build()


def angles(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.uniform(-1, 1, 3), rng.normal(size=3)]), rng.uniform(-2, 2, 6)


def mass_matrix(theta: np.ndarray) -> np.ndarray:
    """The lower block of [C 207]."""
    (s2, s3), (c2, c3) = np.sin(theta[1:3]), np.cos(theta[1:3])
    return np.array(
        [
            [I3 * s2**2 + c2**2 * (I1 * c3**2 + I2 * s3**2), (I1 - I2) * c2 * s3 * c3, I3 * s2],
            [(I1 - I2) * c2 * s3 * c3, I1 * s3**2 + I2 * c3**2, 0.0],
            [I3 * s2, 0.0, I3],
        ]
    )


def generalized(theta: np.ndarray) -> np.ndarray:
    """Q₄, Q₅, Q₆ [C 182e]."""
    (s2, s3), (c2, c3), (M1, M2, M3) = np.sin(theta[1:3]), np.cos(theta[1:3]), MOMENT
    return np.array([M1 * c2 * c3 - M2 * c2 * s3 + M3 * s2, M1 * s3 + M2 * c3, M3])


@pytest.mark.parametrize("seed", SEEDS)
def test_lagranges_equations_of_the_rigid_body(seed: int) -> None:
    """[C 183], with [C 207] for A."""
    m = rigid_body()
    q, rates = angles(seed)
    (s2, s3), (c2, c3), (t1, t2, t3) = np.sin(q[1:3]), np.cos(q[1:3]), rates[:3]
    velocity = np.array(
        [
            t2**2 * s2 * s3 * c3 * (I2 - I1)
            + 2 * t1 * t2 * s2 * c2 * (I3 - I1 * c3**2 - I2 * s3**2)
            + t2 * t3 * c2 * (I3 + (I1 - I2) * (c3**2 - s3**2))
            + 2 * t3 * t1 * c2**2 * s3 * c3 * (I2 - I1),
            2 * t2 * t3 * s3 * c3 * (I1 - I2)
            + t3 * t1 * c2 * (-I3 + (I1 - I2) * (c3**2 - s3**2))
            - t1**2 * s2 * c2 * (I3 - I1 * c3**2 - I2 * s3**2),
            t1 * t2 * c2 * (I3 - (I1 - I2) * (c3**2 - s3**2))
            + t1**2 * c2**2 * s3 * c3 * (I1 - I2)
            + t2**2 * s3 * c3 * (I2 - I1),
        ]
    )
    eq = m.equations("lagrange")
    values = dict(zip(eq.q, q)) | dict(zip(eq.u, rates)) | {eq.t: 0.0}
    A, f = (np.asarray(x, dtype=float) for x in evaluate([eq.A, eq.f], values))
    assert np.abs(A[:3, :3] - mass_matrix(q)).max() <= 1e-12 and np.abs(A[3:, 3:] - M * np.eye(3)).max() <= 1e-12
    assert np.abs(f[:3] - (generalized(q) - velocity)).max() <= 1e-12 and np.abs(f[3:] - FORCE).max() <= 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_hamiltons_equations_of_the_rigid_body(seed: int) -> None:
    """[C 212] for H and [C 214]; in 212 the scan's last bracket has s₂c₃ where 211 demands s₂s₃, and 214f lacks a sign of 213."""
    m = rigid_body()
    q, p = angles(seed)
    p4, p5, p6 = p[:3]
    (s2, s3), (c2, c3) = np.sin(q[1:3]), np.cos(q[1:3])
    a, b = p4 * c3 + p5 * c2 * s3 - p6 * s2 * c3, -p4 * s3 + p5 * c2 * c3 + p6 * s2 * s3
    H = (p[3:] @ p[3:]) / (2 * M) + a**2 / (2 * I1 * c2**2) + b**2 / (2 * I2 * c2**2) + p6**2 / (2 * I3)
    qdot = [
        a * c3 / (I1 * c2**2) - b * s3 / (I2 * c2**2),
        a * s3 / (I1 * c2) + b * c3 / (I2 * c2),
        -a * s2 * c3 / (I1 * c2**2) + b * s2 * s3 / (I2 * c2**2) + p6 / I3,
    ]
    own = [
        0.0,
        a * (p5 * s2 * s3 + p6 * c2 * c3) / (I1 * c2**2)
        - a**2 * s2 / (I1 * c2**3)
        - b * (p6 * c2 * s3 - p5 * s2 * c3) / (I2 * c2**2)
        - b**2 * s2 / (I2 * c2**3),
        -a * b / (I1 * c2**2) + b * a / (I2 * c2**2),
    ]
    pdot = generalized(q) + np.array(own)
    eq, explained = m.equations("hamilton"), m.explain("hamilton")
    values = dict(zip(eq.q, q)) | dict(zip(eq.u, p)) | {eq.t: 0.0}
    found = [np.asarray(x, dtype=float) for x in evaluate([eq.qdot, eq.f, explained["H"]], values)]
    assert np.abs(found[0] - [*qdot, *(p[3:] / M)]).max() <= 1e-12 * max(1.0, np.abs(qdot).max())
    assert np.abs(found[1] - [*pdot, *FORCE]).max() <= 1e-12 * max(1.0, np.abs(pdot).max())
    assert float(found[2]) == pytest.approx(H, rel=1e-12)


# -- rolling sphere [C 215–258] -------------------------------------------------------------------------------------------------
RADIUS = 0.3


def sphere() -> da.Mechanism:
    """3-1-3 angles q₄, q₅, q₆ as in Fig. 6."""
    s = da.System("sphere")
    s.add_body("sphere", da.sphere(M, RADIUS))
    s.add_joint("S", da.Free("313"), "ground", "sphere")
    s.add_constraint("floor", da.RollingBall("sphere", radius=RADIUS))
    return s.build()


def rolling(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Angles away from the singularity, and rates."""
    rng = np.random.default_rng(seed)
    return np.array([*rng.uniform(0.4, 1.4, 3), *rng.normal(size=2), RADIUS]), rng.uniform(-2, 2, 6)


@pytest.mark.parametrize("seed", SEEDS)
def test_kane_leaves_three_constants_of_the_rolling_sphere(seed: int) -> None:
    """[C 231]: u̇ = 0; nine equations in all."""
    m = sphere()
    eq = m.equations("kane_minimal")
    assert len(eq.u) == 3 and eq.method.first_order(m) == 9
    q, rates = rolling(seed)
    e = eq.evaluate(q, rates)
    assert np.abs(np.linalg.solve(e.A, e.f)).max() <= 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_lagranges_equations_of_the_rolling_sphere(seed: int) -> None:
    """[C 238]: the masses, what is on the right, and the constraints [C 219]."""
    m = sphere()
    eq, (q, u) = m.equations("lagrange"), rolling(seed)
    I_s = 0.4 * M * RADIUS**2
    (s4, s5), (c4, c5), (u4, u5, u6) = np.sin(q[:2]), np.cos(q[:2]), u[:3]
    values = dict(zip(eq.q, q)) | dict(zip(eq.u, u)) | {eq.t: 0.0}
    A, f, B = (np.asarray(x, dtype=float) for x in evaluate([eq.A, eq.f, eq.B], values))
    assert np.abs(A[:3, :3] - I_s * np.array([[1, 0, c5], [0, 1, 0], [c5, 0, 1]])).max() <= 1e-12
    assert np.abs(f[:3] - I_s * s5 * np.array([u5 * u6, -u4 * u6, u4 * u5])).max() <= 1e-12
    printed = np.array(
        [[0, -RADIUS * s4, RADIUS * c4 * s5, 1, 0, 0], [0, RADIUS * c4, RADIUS * s4 * s5, 0, 1, 0], [0, 0, 0, 0, 0, 1]]
    )
    assert (
        np.linalg.matrix_rank(np.vstack([B, printed]), tol=1e-10) == np.linalg.matrix_rank(B) == 3
    )  # the same rows, in another order


@pytest.mark.parametrize("seed", SEEDS)
def test_the_hamiltonian_of_the_rolling_sphere(seed: int) -> None:
    """[C 255]."""
    m = sphere()
    eq, x, (q, p) = m.equations("hamilton"), m.explain("hamilton"), rolling(seed)
    I_s, s5, c5, (p4, p5, p6) = 0.4 * M * RADIUS**2, np.sin(q[1]), np.cos(q[1]), p[:3]
    H = p[3:] @ p[3:] / (2 * M) + (p4**2 + p5**2 * s5**2 + p6**2 - 2 * p4 * p6 * c5) / (2 * I_s * s5**2)
    values = dict(zip(eq.q, q)) | dict(zip(eq.u, p)) | {eq.t: 0.0}
    assert float(evaluate([x["H"]], values)[0]) == pytest.approx(H, rel=1e-12)


# -- three bodies, in sums and differences [C 262–263] ----------------------------------------------------------------------------
@pytest.mark.parametrize("seed", SEEDS)
def test_sums_and_differences_of_the_deformations(seed: int) -> None:
    """[C 263]: γ = T η put into the written equations, their last two rows replaced by sum and difference; then η₂ stands alone."""
    eq = three_bodies().equations("system_root", small=["gamma1", "gamma2"])
    T = 0.5 * np.array([[1.0, 1.0], [1.0, -1.0]])
    keep = [0, 1, 2, 6, 7]
    change = np.eye(5)
    change[3:, 3:] = T
    with tracing():
        eta, rate = symbols("eta", range(2)), symbols("etadot", range(2))
        known = dict(zip(eq.q[-2:], T @ eta)) | dict(zip(eq.u[-2:], T @ rate))
        A, f = substitute([eq.A[np.ix_(keep, keep)], eq.f[keep]], known)
        rows = np.eye(5)
        rows[3:, 3:] = [[1.0, 1.0], [1.0, -1.0]]
        A, f = rows @ A @ change, rows @ f
    q, u = state(seed)
    (w1, w2, w3), (e1, e2), (d1, d2) = u[:3], q[-2:], u[-2:]
    values = eq.mechanism.parameter_values | dict(zip(eq.u, u)) | dict(zip(eta, (e1, e2))) | dict(zip(rate, (d1, d2)))
    found = [np.asarray(x, dtype=float) for x in evaluate([A, f], values)]
    mass, m, L, r, k, J1, J2, J3 = VALUES.values()
    R, J = m * L / mass, 4 * m * L**2 / 3
    S, MRR, MRr = J + mass * R * r, mass * R**2, mass * R * r
    printed = np.array(
        [
            [J1, 0, 0, S, 0],
            [0, J2, -S * e1, 0, 0],
            [0, -S * e1, J3, 0, 0],
            [2 * S, 0, 0, J, 0],
            [0, 0, 0, 0, J - 2 * MRR],
        ]
    )
    right = [
        (J2 - J3) * w2 * w3 + S * (w2**2 - w3**2) * e1,
        (J3 - J1) * w3 * w1 - S * w1 * w2 * e1,
        (J1 - J2) * w1 * w2 + 2 * S * w2 * d1 + S * w1 * w3 * e1,
        -2 * S * w2 * w3 + (J * (w2**2 - w3**2) - MRr * (w1**2 + w3**2) - k) * e1,
        (J * (w2**2 - w3**2) - 2 * MRR * (w1**2 + w2**2) - MRr * (w1**2 + w3**2) - k) * e2,
    ]
    assert np.abs(found[0] - printed).max() <= 1e-12 and np.abs(found[1] - right).max() <= 1e-12
