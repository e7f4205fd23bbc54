"""The source documents' own examples, by the formulations the sources use."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from benchmarks.loop_models import rhombic_linkage
from dalembert.constraints import METHODS
from dalembert.formulations.momenta import hamilton
from dalembert.formulations.tree import path_matrix
from dalembert.formulations.tree.lagrangian import structure
from dalembert.kinematics import totals
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.trace import directional, evaluate, gradient, symbol, tracing
from tests.formulations.analytic import ANALYTIC
from tests.mechanisms import random_state, random_tree

ALL = list(ANALYTIC)
WITH_LOOPS = [name for name in ALL if name not in ("path_matrix", "articulated_body")]


def accelerations(m, name, q, u, t=0.0):
    s, formulation = m.state(q, u, t), ANALYTIC[name]
    own = formulation.state(s.mechanism, s.t, s.coordinates, formulation.formulation_speeds(s))
    return formulation.udot(own, METHODS["svd"](formulation.equations(own)).udot)


# -- the rolling sphere [C 215–258] -----------------------------------------------------------------------------------------
def rolling_sphere(orientation="angles", radius=0.3):
    s = da.System("rolling sphere", gravity=(0, 0, -9.81))
    s.add_body("sphere", da.sphere(2.0, radius))
    s.add_joint("free", da.Free(orientation), "ground", "sphere")
    s.add_constraint("floor", da.RollingBall("sphere", radius=radius))
    return s.build()


def test_the_rolling_sphere_takes_nine_equations_by_kane_and_fifteen_by_the_others():
    """[C summary]; d'Alembert's form for simply constrained systems is a special case of Kane's, as C remarks."""
    m = rolling_sphere()
    counts = {name: ANALYTIC[name].first_order(m) for name in WITH_LOOPS}
    minimal = {"kane_minimal": 9, "dalembert": 9}
    assert counts == {name: 15 for name in WITH_LOOPS} | minimal
    for name in minimal:
        assert len(m.equations(name).u) == 3 and len(m.equations(name).gamma) == 0


@pytest.mark.parametrize("name", WITH_LOOPS)
@pytest.mark.parametrize("orientation", ["angles", "euler_parameters"])
def test_the_rolling_sphere_keeps_its_spin(name, orientation):
    """ω̇ = 0 in inertial axes: the angular acceleration vanishes, and the centre's acceleration with it."""
    m = rolling_sphere(orientation)
    rng = np.random.default_rng(1)
    q, u, _ = random_state(m, rng)
    q, _ = m.assemble(q)
    rows = constraint_rows(m.state(q, u))
    u = u - np.linalg.lstsq(rows.B, rows.B @ u, rcond=None)[0]
    s = m.state(q, u)
    a = s.accelerations(accelerations(m, name, q, u))[1]
    assert np.abs(a.w).max() <= 1e-10 and np.abs(a.v).max() <= 1e-10


# -- the rhombic linkage [A 35–47] ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", WITH_LOOPS)
def test_the_rhombic_linkage_is_one_pendulum(name):
    """θ̈₁ = −(6g/5ℓ) sin θ₁, with θ₁ from the downward vertical."""
    length = 0.7
    m = rhombic_linkage(length).mechanism
    theta, rate = 0.6, 0.8
    q1 = theta - np.pi / 2
    # rods 1 and 3 stay parallel, rod 2 stays horizontal
    q, u = np.array([q1, -q1, q1 + np.pi]), np.array([rate, -rate, rate])
    assert np.abs(constraint_rows(m.state(q, u)).g).max() <= 1e-12
    found = accelerations(m, name, q, u)
    assert found[0] == pytest.approx(-6 * 9.81 / (5 * length) * np.sin(theta), rel=1e-10)


# -- the four-link robot [D 5.42] -------------------------------------------------------------------------------------------
def robot():
    """Links 1 → 2 → {3, 4}; link 1 turns on a carriage that slides upwards (ε₁ = π/2). Joints lie at the mass centres' ends."""
    s = da.System("four-link robot", gravity=(0.0, -9.81, 0.0))
    s.add_body("carriage", mass=0.0)
    s.add_joint("x1", da.Prismatic((0, 1, 0)), "ground", "carriage")
    parent, at = {1: "carriage", 2: "link1", 3: "link2", 4: "link2"}, {1: 0.0}
    for k in (1, 2, 3, 4):
        m, c, J = (
            s.parameter(f"m{k}", 1.0 + 0.3 * k),
            s.parameter(f"c{k}", 0.2 + 0.1 * k),
            s.parameter(f"J{k}", 0.9 + 0.2 * k),
        )
        if k > 1:
            at[k] = s.parameter(f"r{k}", 0.5 + 0.1 * k)
        s.add_body(f"link{k}", mass=m, com=(c, 0, 0), inertia=(0.1, J - m * c * c, J - m * c * c))
        s.add_joint(f"phi{k}", da.Revolute(), parent[k], f"link{k}", at_parent=(at[k], 0, 0))
    return s.build()


def test_the_robot_by_path_matrix_equals_kane():
    m = robot()
    rng = np.random.default_rng(4)
    q, u = rng.uniform(-1, 1, m.n_q), rng.uniform(-1, 1, m.n_u)
    expected = accelerations(m, "kane", q, u)
    assert np.allclose(accelerations(m, "path_matrix", q, u), expected, rtol=1e-11, atol=1e-11)


def test_the_robots_equations_are_source_ds():
    """[D 5.90–5.94] term by term, in x₁ and the absolute angles; hats are unit vectors along r, c, and c turned by 90°."""
    m = robot()
    rng = np.random.default_rng(5)
    q, w = rng.uniform(-1, 1, 5), rng.uniform(-1, 1, 5)
    e = path_matrix.equations(path_matrix.state(m.numeric, 0.0, q, w))
    p = m.parameters
    m1, m2, m3, m4 = (p[f"m{k}"] for k in (1, 2, 3, 4))
    c = {k: p[f"c{k}"] for k in (1, 2, 3, 4)}
    r = {k: p[f"r{k}"] for k in (2, 3, 4)}
    M1, M2 = m1 + m2 + m3 + m4, m2 + m3 + m4
    phi = {1: q[1], 2: q[1] + q[2], 3: q[1] + q[2] + q[3], 4: q[1] + q[2] + q[4]}

    def along(k):
        return np.array([np.cos(phi[k]), np.sin(phi[k])])

    def turned(k):
        return np.array([-np.sin(phi[k]), np.cos(phi[k])])

    x, g = np.array([0.0, 1.0]), np.array([0.0, -9.81])
    coupling = m2 * c[2] + m3 * r[3] + m4 * r[4]  # of link 2 with what carries it
    A = np.zeros((5, 5))
    A[0] = [
        M1,
        (M2 * r[2] + m1 * c[1]) * x @ turned(1),
        coupling * x @ turned(2),
        m3 * c[3] * x @ turned(3),
        m4 * c[4] * x @ turned(4),
    ]
    A[1, 1:] = [
        p["J1"] + M2 * r[2] ** 2,
        coupling * r[2] * along(1) @ along(2),
        m3 * r[2] * c[3] * along(1) @ along(3),
        m4 * r[2] * c[4] * along(1) @ along(4),
    ]
    A[2, 2:] = [
        p["J2"] + m3 * r[3] ** 2 + m4 * r[4] ** 2,
        m3 * r[3] * c[3] * along(2) @ along(3),
        m4 * r[4] * c[4] * along(2) @ along(4),
    ]
    A[3, 3], A[4, 4] = p["J3"], p["J4"]
    A = np.triu(A) + np.triu(A, 1).T
    assert np.abs(e.A - A).max() <= 1e-12
    squares = w**2
    f = [
        M1 * g @ x
        + x @ ((M2 * r[2] + m1 * c[1]) * along(1) * squares[1] + coupling * along(2) * squares[2])
        + x @ (m3 * c[3] * along(3) * squares[3] + m4 * c[4] * along(4) * squares[4]),
        (M2 * r[2] + m1 * c[1]) * g @ turned(1)
        + r[2] * turned(1) @ (coupling * along(2) * squares[2])
        + r[2] * turned(1) @ (m3 * c[3] * along(3) * squares[3] + m4 * c[4] * along(4) * squares[4]),
        coupling * g @ turned(2)
        + turned(2) @ (coupling * r[2] * along(1) * squares[1])
        + turned(2) @ (m3 * r[3] * c[3] * along(3) * squares[3] + m4 * r[4] * c[4] * along(4) * squares[4]),
        m3 * c[3] * turned(3) @ (g + r[2] * along(1) * squares[1] + r[3] * along(2) * squares[2]),
        m4 * c[4] * turned(4) @ (g + r[2] * along(1) * squares[1] + r[4] * along(2) * squares[2]),
    ]
    assert np.abs(e.f - f).max() <= 1e-12


def test_each_equation_of_the_path_matrix_stands_alone():
    m = robot()
    s = m.state([0.1, 0.2, 0.3, 0.4, 0.5], [1.0, -1.0, 0.5, 0.3, 0.2])
    e = path_matrix.equations(s)
    coefficients, rest = path_matrix.equation(s, 3)
    assert sorted(coefficients) == [0, 1, 2, 3]
    assert np.allclose([coefficients.get(j, 0.0) for j in range(5)], e.A[3]) and np.isclose(rest, e.f[3])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda s: s.add_joint("loop", da.Revolute(), "b", "ground", at_parent=(1, 0, 0), at_child=(1, 1, 0)),
            "closes",
        ),
        (lambda s: s.add_constraint("rod", da.Distance("b", "ground", 1.0)), '"rod" constrains it'),
        (lambda s: _hang(s, da.Revolute((1, 0, 0))), '"extra" moves out of the plane'),
        (lambda s: _hang(s, da.Screw((0, 0, 1), pitch=0.1)), '"extra" moves out of the plane'),
        (lambda s: _hang(s, da.Revolute(), prescribed=lambda t: t), '"extra" has prescribed motion'),
    ],
)
def test_the_path_matrix_says_why_it_refuses(change, words):
    s = da.System("chain", gravity=(0, -9.81, 0))
    s.add_body("a", da.rod(1.0, 1.0))
    s.add_body("b", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "a")
    s.add_joint("B", da.Revolute(), "a", "b", at_parent=(1, 0, 0))
    assert path_matrix.refusal(s.build()) is None
    change(s)
    with pytest.raises(da.FormulationError, match=words):
        s.build().equations("path_matrix")


def _hang(s, kind, **law):
    s.add_body("c", da.rod(1.0, 1.0, axis=(0, 1, 0)))
    s.add_joint("extra", kind, "b", "c", **law)


# -- the structure of Lagrange's and Hamilton's equations [C 105–110, 156] ---------------------------------------------------
@pytest.mark.parametrize("seed", [3, 5])
def test_lagranges_structure(seed):
    """T = ½q̇ᵀMq̇ + Γᵀq̇ + T₀, and [C 109] is Lagrange's equation."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 4, prescribed=True, conservative=True, orientation="angles").build().numeric
    q, u, t = random_state(m, rng)
    s = m.state(q, u, t)
    with tracing():
        own = structure(m)
        pieces = [own.T, own.M, own.Gamma, own.T0, own.G, own.J]
        pieces += [directional(own.M, {own.t: 1.0}), directional(own.Gamma, {own.t: 1.0})]
        pieces += [gradient(own.T0, list(own.q)), gradient(own.V, list(own.q))]
    values = {symbol("t"): t} | dict(zip(own.q, q)) | dict(zip(own.rates, s.rates))
    T, M, Gamma, T0, G, J, M_t, Gamma_t, T0_q, V_q = evaluate(pieces, values)
    v = s.rates
    assert pytest.approx(0.5 * v @ M @ v + Gamma @ v + T0, rel=1e-12) == T
    assert pytest.approx(totals.kinetic_energy(s), rel=1e-12) == T
    assert np.abs(G + G.T).max(initial=0.0) == 0.0
    e = ANALYTIC["lagrange"].equations(s)
    left = M_t @ v + Gamma_t + G @ v + np.einsum("abc,b,c->a", J, v, v)
    assert np.allclose(e.f, -V_q + T0_q - left, rtol=1e-10, atol=1e-10)
    assert np.abs(Gamma).max() > 0  # something is prescribed, or the test shows little


def test_the_hamiltonian_is_the_energy_where_nothing_is_prescribed():
    rng = np.random.default_rng(2)
    m = random_tree(rng, 3, conservative=True, orientation="euler_parameters").build()
    s = m.state(*random_state(m, rng))
    assert hamilton.hamiltonian(s) == pytest.approx(totals.kinetic_energy(s) + totals.potential_energy(s), rel=1e-12)


def test_hamiltons_equations_are_canonical():
    """q̇ = ∂H/∂p and ṗ = −∂H/∂q, by finite differences of H itself."""
    rng = np.random.default_rng(5)
    m = random_tree(rng, 3, conservative=True, orientation="angles").build().numeric
    q, u, t = random_state(m, rng)
    p = hamilton.formulation_speeds(m.state(q, u, t))

    def H(x):
        return hamilton.hamiltonian(hamilton.state(m, t, x[: m.n_q], x[m.n_q :]))

    x, h = np.concatenate([q, p]), 1e-6
    slope = np.array([(H(x + h * unit) - H(x - h * unit)) / (2 * h) for unit in np.eye(len(x))])
    s = hamilton.state(m, t, q, p)
    pdot = hamilton.equations(s)
    assert np.array_equal(pdot.A, np.eye(m.n_q))
    assert np.allclose(s.rates, slope[m.n_q :], rtol=1e-6, atol=1e-6 * np.abs(slope).max())
    assert np.allclose(pdot.f, -slope[: m.n_q], rtol=1e-6, atol=1e-6 * np.abs(slope).max())


def test_compiled_after_a_few_evaluations_is_the_same():
    rng = np.random.default_rng(8)
    m = random_tree(rng, 2).build()
    q, u, t = random_state(m, rng)
    results = [ANALYTIC["lagrange"].equations(m.state(q, u, t)).f for _ in range(12)]
    assert np.allclose(results[0], results[-1], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["kane_minimal", "dalembert"])
def test_written_speeds_stay_the_same_where_others_are_chosen(name):
    """On numbers the independent speeds are chosen anew where the usual ones are poor; what is written keeps the usual ones."""
    m, formulation = rolling_sphere("euler_parameters"), ANALYTIC[name]
    rng = np.random.default_rng(0)
    chosen = set()
    written = m.equations(name)
    for k in range(4):
        q, u, _ = random_state(m, rng)
        q[:4] = np.roll([1.0, 1e-4, 1e-4, 1e-4], k)
        q, _ = m.assemble(m.admissible(q))
        rows = constraint_rows(m.state(q, u))
        u = u - np.linalg.lstsq(rows.B, rows.B @ u, rcond=None)[0]
        s = m.state(q, u)
        chosen.add(formulation.reduction(s).choice.independent)
        e = written.evaluate(q, u)
        found = np.linalg.solve(e.A, e.f)
        usual = list(written.method.choice.independent)
        expected = accelerations(m, "kane", q, u) if name == "kane_minimal" else _second_rates(m, q, u)
        assert np.allclose(found, expected[usual], rtol=1e-6, atol=1e-6)
    assert len(chosen) > 1 or name == "kane_minimal"


def _second_rates(m, q, u):
    """q̈ by Lagrange's equations."""
    return METHODS["svd"](ANALYTIC["lagrange"].equations(m.state(q, u))).udot
