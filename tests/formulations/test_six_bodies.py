"""Source B's six-body tree [B Fig 1–3]: floating, hinged at points; its printed matrices, and every elimination."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from benchmarks.loop_models import six_body_chains
from dalembert.analysis.comparison.consistent import consistent_states
from dalembert.formulations import FORMULATIONS
from dalembert.formulations.absolute import barycentric
from dalembert.formulations.absolute.rotations import compliance, incidence
from dalembert.formulations.absolute.separate_bodies import Bodies
from dalembert.kinematics import totals
from dalembert.vectors import skew
from tests.formulations.test_absolute import ELIMINATIONS, largest_difference
from tests.mechanisms import frame, matter, random_state, unit

PARENTS_A = {2: 1, 3: 1, 4: 2, 5: 2, 6: 2}
C_A = np.array(
    [[1, 1, 0, 0, 0], [-1, 0, 1, 1, 1], [0, -1, 0, 0, 0], [0, 0, -1, 0, 0], [0, 0, 0, -1, 0], [0, 0, 0, 0, -1]]
)
"""[B 1], regular labelling."""
PARENTS_B = {5: 1, 4: 1, 6: 4, 2: 4, 3: 4}
"""[B 1], C_b: the arbitrary labelling of the same tree."""
T_2 = -np.array([[0, 1, 0, 1, 1, 1], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]])
"""The last five rows of T [B 25]."""
JOINTS = {
    "ball and socket": [da.Spherical()] * 5,
    "pins, universals and balls": [
        da.Revolute((0, 1, 0)),
        da.Universal(),
        da.Spherical(),
        da.Revolute(),
        da.Universal(),
    ],
}


def six_bodies(joints, parents=PARENTS_A, names=None, seed=5) -> da.Mechanism:
    """Body 1 floats; arcs in the order of the parents. `names` gives bodies of another labelling the matter of these."""
    rng = np.random.default_rng(seed)
    parts = {k: matter(rng) for k in range(1, 7)}
    frames = {k: (frame(rng), frame(rng)) for k in range(2, 7)}
    names = names or {k: k for k in range(1, 7)}
    s = da.System("six bodies", gravity=(0, 0, -9.81))
    for k in range(1, 7):
        s.add_body(f"b{k}", parts[names[k]])
    s.add_joint("float", da.Free(), "ground", "b1")
    for i, (k, parent) in enumerate(parents.items()):
        s.add_joint(f"h{i + 1}", joints[i], f"b{parent}", f"b{k}", *frames[names[k]])
    s.add_force("pull", da.Load("b1", force=(1, 2, 3), torque=(0.1, 0.2, 0.3)))
    return s.build()


@pytest.mark.parametrize("kind", JOINTS)
def test_every_elimination_gives_the_motion_of_the_six_bodies(kind):
    m = six_bodies(JOINTS[kind])
    for seed in range(5):
        s = m.state(*random_state(m, np.random.default_rng(seed)))
        found = largest_difference(s, ELIMINATIONS)
        assert len(found) == len(ELIMINATIONS)
        assert max(found.values()) <= 1e-10, found


def test_the_printed_incidence_matrix_is_the_one_used():
    """B directs arcs from parent to carried with +1 where they leave; here the carried body counts +1."""
    m = six_bodies(JOINTS["ball and socket"])
    assert (incidence(Bodies(m.state())) == -C_A).all()


def test_barycentric_vectors_are_those_of_the_printed_path_matrix():
    """D = −L T₂ μ with μ = E − (1/m) m 1ᵀ [B 26–29] and L_ij = c_ij ℓ_ij, against the augmented bodies; and G = (T₂ μ)ᵀ numerically."""
    m = six_bodies(JOINTS["ball and socket"])
    s = m.state(*random_state(m, np.random.default_rng(1)))
    b, a = Bodies(s), barycentric.augmented(s)
    masses = np.array([body.mass for body in m.bodies])
    mu = np.eye(6) - np.outer(masses, np.ones(6)) / masses.sum()
    L = np.zeros((6, 5, 3))
    for c in b.connections[1:]:
        j = c.child - 2
        L[c.parent - 1, j], L[c.child - 1, j] = c.parent_arm, -c.child_arm
    D = -np.einsum("ijx,jk->ikx", L, T_2 @ mu)
    found = np.array([[a.d(i, k) for k in range(1, 7)] for i in range(1, 7)])
    assert np.abs(found - D).max() <= 1e-14
    assert np.allclose(compliance(b)[1], -(T_2 @ mu).T, atol=1e-14)


def test_hooker_and_margulies_identity():
    """ρ_r = Σ_s D^{sr}: mass centres from the system's by barycentric vectors alone [C 310]."""
    m = six_bodies(JOINTS["pins, universals and balls"])
    s = m.state(*random_state(m, np.random.default_rng(2)))
    a = barycentric.augmented(s)
    for k in range(1, 7):
        place = s.poses[k].p + s.com_arms[k - 1]
        assert np.allclose(place - totals.mass_centre(s), sum(a.d(i, k) for i in range(1, 7)), atol=1e-14)


@pytest.mark.parametrize("grounded", [False, True])
def test_system_matrix_is_the_sum_over_augmented_bodies(grounded):
    """K = I + D̃ M D̃ᵀ [B 29] from its closed form [B 35]; on the ground the barycentres are the inner hinges."""
    m = grounded_six() if grounded else six_bodies(JOINTS["ball and socket"])
    s = m.state(*random_state(m, np.random.default_rng(3)))
    a, n = barycentric.augmented(s), m.n_bodies
    K = np.zeros((3 * n, 3 * n))
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            own = a.bodies.inertias[i - 1] if i == j else 0.0
            spread = sum(m.bodies[k - 1].mass * skew(a.d(i, k)) @ skew(a.d(j, k)) for k in range(1, n + 1))
            K[3 * i - 3 : 3 * i, 3 * j - 3 : 3 * j] = own - spread
    assert np.abs(a.K - K).max() <= 1e-13 * np.abs(K).max()
    assert np.linalg.eigvalsh(a.K).min() > 0
    if grounded:
        for k in range(1, n + 1):
            hinge = s.position(("ground", (0.1, 0.2, 0.3)))
            place = s.poses[k].p + s.com_arms[k - 1]
            assert np.allclose(place - hinge, sum(a.d(i, k) for i in range(1, n + 1)), atol=1e-14)


def grounded_six() -> da.Mechanism:
    rng = np.random.default_rng(7)
    s = da.System("six on the ground", gravity=(0, 0, -9.81))
    for k, parent in {1: 0, **PARENTS_A}.items():
        s.add_body(f"b{k}", matter(rng))
        at = (0.1, 0.2, 0.3) if k == 1 else rng.uniform(-0.5, 0.5, 3)
        joint = da.Spherical() if k % 2 else da.Revolute(unit(rng))
        s.add_joint(f"h{k}", joint, f"b{parent}" if parent else "ground", f"b{k}", at, rng.uniform(-0.5, 0.5, 3))
    return s.build()


def test_augmented_bodies_all_weigh_the_same():
    m = six_bodies(JOINTS["ball and socket"])
    a = barycentric.augmented(m.state())
    total = sum(b.mass for b in m.bodies)
    for i in range(1, 7):
        beyond = sum(m.bodies[k - 1].mass for h in a.hinges[i] for k in h.beyond)
        assert np.isclose(beyond + m.bodies[i - 1].mass, total) and np.isclose(a.mass(i), total)


def test_labelling_changes_no_acceleration():
    """C_a and C_b [B 1] are one system: body 2 of the regular labelling is body 4 of the other, and so on."""
    joints = JOINTS["pins, universals and balls"]
    to_regular = {1: 1, 5: 3, 4: 2, 6: 4, 2: 5, 3: 6}
    one = six_bodies(joints)
    two = six_bodies([joints[1], joints[0], *joints[2:]], PARENTS_B, to_regular)
    q, u, _ = random_state(one, np.random.default_rng(3))
    joint_of = {"float": "float", "h1": "h2", "h2": "h1", "h3": "h3", "h4": "h4", "h5": "h5"}
    s = one.state(q, u)
    values = {joint_of[j.name]: (s.joint_q[k], s.joint_u[k]) for k, j in enumerate(one.joints)}
    other = two.state(*(np.concatenate([values[j.name][part] for j in two.joints]) for part in (0, 1)))
    a, b = (FORMULATIONS["hooker"].equations(x) for x in (s, other))
    udot = [FORMULATIONS["hooker"].udot(x, np.linalg.solve(e.A, e.f)) for x, e in ((s, a), (other, b))]
    for k in range(1, 7):
        there = other.body_number(f"b{next(n for n, r in to_regular.items() if r == k)}")
        mine, theirs = s.accelerations(udot[0])[k], other.accelerations(udot[1])[there]
        assert np.allclose([*mine.w, *mine.v], [*theirs.w, *theirs.v], atol=1e-10)


@pytest.mark.parametrize("kind, freedoms", [("ball and socket", 15), ("pins, universals and balls", 9)])
def test_sizes_are_those_the_source_counts(kind, freedoms):
    """[B 10, 49]: 6n + 3(n − 1) + Σ n'; [51]: 3n + Σ n'; [61]: 3 + Σ n_j; here with three more for the mass centre [C 307]."""
    m = six_bodies(JOINTS[kind])
    s = m.state()
    blocked = 15 - freedoms
    expected = {"newton_euler": (36, 15 + blocked), "barycentric": (21, blocked), "hooker": (6 + freedoms, 0)}
    for name, (unknowns, rows) in expected.items():
        e = FORMULATIONS[name].equations(s)
        assert (len(e.f), len(e.B)) == (unknowns, rows), name


@pytest.mark.parametrize("method", ["svd", "sparse_augmented"])
def test_six_bodies_with_two_cut_hinges_move_alike_by_every_elimination(method):
    """[B Fig 6, 62–73]: seven hinges, two closed chains, the bodies afloat."""
    for s in consistent_states(six_body_chains().mechanism, 2):
        found = largest_difference(s, ELIMINATIONS, method)
        assert len(found) == len(ELIMINATIONS)
        assert max(found.values()) <= 1e-9, found
