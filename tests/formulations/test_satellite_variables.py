"""C's Fig. 7 in C's variables: the velocity of the mass centre and ω₁, ω₂, ω₃ with γ̇₁, γ̇₂ [C 264], or with η̇₁, η̇₂ [C 262–263].

The exact equations are keyed in from C's position vectors (269) and coefficient vectors (266)–(268), those for small deformations
from C (259) and (263).
"""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.kinematics import totals
from tests.formulations.test_satellite import CENTRAL, M0, L, k, m, r, source_c

M = M0 + 2 * m
R = m * L / M
ETA = {"eta1": lambda s: s.q["hinge1"] + s.q["hinge2"], "eta2": lambda s: s.q["hinge1"] - s.q["hinge2"]}


def of_mass_centre(i: int):
    return lambda s: totals.linear_momentum(s)[i] / totals.mass(s)


def satellite(eta: bool = False, drop: tuple[str, ...] = ()) -> da.Mechanism:
    s = da.System("satellite")
    s.add_body("hub", mass=M0, inertia=CENTRAL)
    s.add_joint("float", da.Free(), "ground", "hub")
    for i, side in ((1, 1.0), (2, -1.0)):
        s.add_body(f"rod{i}", da.rod(m, 2 * L, axis=(0, side, 0)))
        s.add_joint(f"hinge{i}", da.Revolute((1, 0, 0)), "hub", f"rod{i}", at_parent=(0, side * r, 0))
        s.add_force(f"spring{i}", da.JointSpring(f"hinge{i}", stiffness=k))
    if eta:
        s.choose_coordinates(ETA, drop)
    velocity = {f"v{'xyz'[i]}": of_mass_centre(i) for i in range(3)}
    s.choose_speeds(velocity, instead_of=["float.vx", "float.vy", "float.vz"])
    return s.build()


def exact(w, gamma, rates):
    """A u̇ = f in (ω̇, γ̈₁, γ̈₂) by C (266): f_k + f_k* = 0, components along the hub's axes."""
    e1 = np.array([1.0, 0.0, 0.0])

    def along(angle):  # b₂ of a rod, and its first and second derivative in its angle
        c, s = np.cos(angle), np.sin(angle)
        return np.array([0, c, s]), np.array([0, -s, c]), np.array([0, -c, -s])

    b, d, dd = zip(*(along(x) for x in gamma))
    hinge = r * np.array([0.0, 1.0, 0.0])
    places = [  # C (269): from the mass centre, and how each rod's angle moves them
        (M0, R * (b[1] - b[0]), [-R * d[0], R * d[1]], [-R * dd[0], R * dd[1]]),
        (m, hinge + (L - R) * b[0] + R * b[1], [(L - R) * d[0], R * d[1]], [(L - R) * dd[0], R * dd[1]]),
        (m, -hinge - R * b[0] - (L - R) * b[1], [-R * d[0], -(L - R) * d[1]], [-R * dd[0], -(L - R) * dd[1]]),
    ]
    rod = m * (2 * L) ** 2 / 12.0
    inertias = [np.diag(CENTRAL), *(rod * (np.eye(3) - np.outer(x, x)) for x in b)]
    A, f = np.zeros((5, 5)), np.array([0, 0, 0, -k * gamma[0], -k * gamma[1]])
    for j, ((mass, p, first, second), inertia) in enumerate(zip(places, inertias)):
        V = np.column_stack([np.cross(e, p) for e in np.eye(3)] + first)
        moved = first[0] * rates[0] + first[1] * rates[1]
        drift = (
            np.cross(w, np.cross(w, p)) + 2 * np.cross(w, moved) + second[0] * rates[0] ** 2 + second[1] * rates[1] ** 2
        )
        turns = np.hstack([np.eye(3), np.zeros((3, 2))])
        spin, turning = np.array(w), np.zeros(3)
        if j:
            turns[:, 2 + j] = e1
            spin, turning = w + rates[j - 1] * e1, rates[j - 1] * np.cross(w, e1)
        A += mass * V.T @ V + turns.T @ inertia @ turns
        f -= mass * V.T @ drift + turns.T @ (inertia @ turning + np.cross(spin, inertia @ spin))
    return A, f


def random_motion(seed: int):
    rng = np.random.default_rng(seed)
    e = rng.normal(size=4)
    return (
        e / np.linalg.norm(e),
        rng.uniform(-2, 2, 3),
        rng.uniform(-1, 1, 2),
        rng.uniform(-1, 1, 2),
        rng.normal(size=3),
    )


@pytest.mark.parametrize("formulation", ["kane", "boltzmann_hamel", "composite_body"])
@pytest.mark.parametrize("seed", range(4))
def test_the_exact_equations_of_c_stand_alone(seed, formulation):
    """In the mass centre's velocity the translation parts from the rest: five equations are left, those of C (266)."""
    e, w, gamma, rates, v = random_motion(seed)
    mech = satellite()
    assert mech.speeds == ("float.wx", "float.wy", "float.wz", "vx", "vy", "vz", "hinge1", "hinge2")
    found = mech.equations(formulation).evaluate([*e, 0.1, 0.2, 0.3, *gamma], [*w, *v, *rates])
    kept, moving = [0, 1, 2, 6, 7], [3, 4, 5]
    A, f = exact(w, gamma, rates)
    assert np.abs(found.A[np.ix_(kept, moving)]).max() <= 1e-12 and np.abs(found.f[moving]).max() <= 1e-12
    assert np.allclose(found.A[np.ix_(moving, moving)], M * np.eye(3), atol=1e-12)
    assert np.abs(found.A[np.ix_(kept, kept)] - A).max() <= 1e-12
    assert np.abs(found.f[kept] - f).max() <= 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_sums_and_differences_of_the_angles(seed):
    """γ = ½ (η₁ ± η₂) [C 262]: the exact equations are those of C along (½, ½) and (½, −½)."""
    e, w, gamma, rates, v = random_motion(seed)
    mech = satellite(eta=True)
    T = np.eye(5)
    T[3:, 3:] = [[0.5, 0.5], [0.5, -0.5]]
    A, f = exact(w, gamma, rates)
    eta, eta_rates = np.linalg.inv(T[3:, 3:]) @ gamma, np.linalg.inv(T[3:, 3:]) @ rates
    found = mech.equations("kane").evaluate([*e, 0.1, 0.2, 0.3, *eta], [*w, *v, *eta_rates])
    kept = [0, 1, 2, 6, 7]
    assert np.abs(found.A[np.ix_(kept, kept)] - T.T @ A @ T).max() <= 1e-12
    assert np.abs(found.f[kept] - T.T @ f).max() <= 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_small_deformations_are_c_259_and_263(seed):
    """Written by the package in C's variables with `small=`, equal to C's formulas (259) and (263)."""
    e, w, gamma, rates, v = random_motion(seed)
    A, f = source_c(w, gamma, rates)
    kept = [0, 1, 2, 6, 7]
    found = satellite().equations("kane", small=["hinge1", "hinge2"]).evaluate([*e, 0, 0, 0, *gamma], [*w, *v, *rates])
    assert np.abs(found.A[np.ix_(kept, kept)] - A).max() <= 1e-12 and np.abs(found.f[kept] - f).max() <= 1e-12
    J, S = 4 * m * L**2 / 3, 4 * m * L**2 / 3 + M * R * r
    rods = 2 * (m * L**2 / 3 + m * (r + L) ** 2)
    I1, I2, I3 = CENTRAL + np.array([rods, 0.0, rods])
    (w1, w2, w3), eta, eta1_rate = w, [sum(gamma), gamma[0] - gamma[1]], sum(rates)
    own = J * (w2**2 - w3**2) - M * R * r * (w1**2 + w3**2) - k
    A = np.array(
        [
            [I1, 0, 0, S, 0],
            [0, I2, -S * eta[0], 0, 0],
            [0, -S * eta[0], I3, 0, 0],
            [2 * S, 0, 0, J, 0],
            [0, 0, 0, 0, J - 2 * M * R**2],
        ]
    )
    f = np.array(
        [
            (I2 - I3) * w2 * w3 + S * (w2**2 - w3**2) * eta[0],
            (I3 - I1) * w3 * w1 - S * w1 * w2 * eta[0],
            (I1 - I2) * w1 * w2 + 2 * S * w2 * eta1_rate + S * w1 * w3 * eta[0],
            -2 * S * w2 * w3 + own * eta[0],
            (own - 2 * M * R**2 * (w1**2 + w2**2)) * eta[1],
        ]
    )
    both = [*w, *v, sum(rates), rates[0] - rates[1]]
    found = satellite(eta=True).equations("kane", small=["eta1", "eta2"]).evaluate([*e, 0, 0, 0, *eta], both)
    weight = np.array([1.0, 1.0, 1.0, 2.0, 2.0])  # C takes the sum and the difference, the package half of them
    assert np.abs(weight[:, None] * found.A[np.ix_(kept, kept)] - A).max() <= 1e-12
    assert np.abs(weight * found.f[kept] - f).max() <= 1e-12


def test_the_irrelevant_coordinate_is_dropped():
    """C (263a–d): seven equations instead of eight, and the rotation is that of the whole system where η₂ = 0."""
    e, w, _, _, v = random_motion(7)
    whole, reduced = satellite(eta=True), satellite(eta=True, drop=("eta2",))
    assert len(whole.equations("kane").f) == 8 and len(reduced.equations("kane").f) == 7
    small = {"eta1": 0.0}
    q, u = [*e, 0, 0, 0, 0.3], [*w, *v, 0.2]
    a = reduced.equations("kane", small=small).evaluate(q, u)
    b = whole.equations("kane", small=["eta1", "eta2"]).evaluate([*q, 0.0], [*u, 0.0])
    assert np.allclose(a.A, b.A[:7, :7], atol=1e-12) and np.allclose(a.f, b.f[:7], atol=1e-12)
    assert np.allclose(b.A[7, :7], 0.0, atol=1e-12) and abs(b.f[7]) <= 1e-12
