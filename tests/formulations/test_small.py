"""Partial linearisation: small deformations, arbitrary rotation. Exact equations, truncated; source C's Fig. 7 in its own variables."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import dalembert as da
from dalembert.formulations import FORMULATIONS
from dalembert.formulations.partial_linearisation import Truncation
from dalembert.kinematics import totals
from dalembert.trace import depends_on, evaluate, gradient, jacobian, symbol, tracing
from tests.elastic.test_formulations import spacecraft

VALUES = {"M": 4.4, "m": 0.7, "L": 1.3, "r": 0.4, "k": 5.0, "I1": 9.0, "I2": 1.1, "I3": 8.6}


def three_bodies() -> da.Mechanism:
    """C's Fig. 7: M of the whole, rods of mass m and length 2L hinged at r, J of a rod about its hinge, I1, I2, I3 of the whole."""
    s = da.System("three bodies")
    M, m, L, r, k, I1, I2, I3 = (s.parameter(name, value) for name, value in VALUES.items())
    J = s.parameter("J", 4 * VALUES["m"] * VALUES["L"] ** 2 / 3)
    rods = 2 * (m * r * r + 2 * m * r * L + J)
    s.add_body("hub", mass=M - 2 * m, inertia=(I1 - rods, I2, I3 - rods))
    s.add_joint("attitude", da.Free(), "ground", "hub")
    for i, side in ((1, 1.0), (2, -1.0)):
        s.add_body(f"rod{i}", mass=m, com=(0, side * L, 0), inertia=(J - m * L * L, 0.0, J - m * L * L))
        s.add_joint(f"gamma{i}", da.Revolute((1, 0, 0)), "hub", f"rod{i}", at_parent=(0, side * r, 0))
        s.add_force(f"spring{i}", da.JointSpring(f"gamma{i}", stiffness=k))
    return s.build()


def source_c(w, gamma, rates):
    """[C 259] as A u̇ = f in (ω̇, γ̈₁, γ̈₂), keyed in from the source; its 259e is the mirror of 259d, as symmetry demands."""
    M, m, L, r, k, I1, I2, I3 = VALUES.values()
    R, J = m * L / M, 4 * m * L**2 / 3
    S = J + M * R * r
    (w1, w2, w3), g, dg = w, sum(gamma), sum(rates)
    A = np.array(
        [
            [I1, 0, 0, S, S],
            [0, I2, -S * g, 0, 0],
            [0, -S * g, I3, 0, 0],
            [S, 0, 0, J - M * R**2, M * R**2],
            [S, 0, 0, M * R**2, J - M * R**2],
        ]
    )
    own = J * (w2**2 - w3**2) - M * R**2 * (w1**2 + w2**2) - M * R * r * (w1**2 + w3**2) - k
    other = M * R**2 * (w1**2 + w2**2)
    f = [
        (I2 - I3) * w2 * w3 + S * (w2**2 - w3**2) * g,
        (I3 - I1) * w3 * w1 - S * w1 * w2 * g,
        (I1 - I2) * w1 * w2 + 2 * S * w2 * dg + S * w1 * w3 * g,
        -S * w2 * w3 + own * gamma[0] + other * gamma[1],
        -S * w2 * w3 + own * gamma[1] + other * gamma[0],
    ]
    return A, np.array(f)


def state(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    attitude = rng.normal(size=4)
    q = np.concatenate([attitude / np.linalg.norm(attitude), rng.normal(size=3), rng.uniform(-1, 1, 2)])
    return q, rng.uniform(-2, 2, 8)


@pytest.mark.parametrize("seed", range(5))
def test_the_three_body_satellite_is_source_cs(seed: int) -> None:
    """[C 259] by Kane about the mass centre, matrix by matrix; the mass centre moves by itself."""
    q, u = state(seed)
    e = three_bodies().equations("system_root", small=["gamma1", "gamma2"]).evaluate(q, u)
    A, f = source_c(u[:3], q[-2:], u[-2:])
    keep = [0, 1, 2, 6, 7]
    assert np.abs(e.A[np.ix_(keep, keep)] - A).max() <= 1e-12 and np.abs(e.f[keep] - f).max() <= 1e-12
    assert np.array_equal(e.A[3:6, 3:6], VALUES["M"] * np.eye(3)) and not e.A[3:6, keep].any() and not e.f[3:6].any()


def test_sixty_lines_are_enough() -> None:
    """Fig. 7 by Kane about the mass centre, in C's variables: as short as the source, which drops attitude and translation."""
    text = three_bodies().equations("system_root", small=["gamma1", "gamma2"]).text()
    assert len(text.splitlines()) <= 60
    assert "to first degree in gamma1, gamma2" in text
    assert "A[u_gamma1, u_hub.wx] = J + m*L*r" in text and "A[u_hub.wx, u_hub.wx] = I1" in text
    assert "f_applied[u_gamma1] = -k*q_gamma1" in text


def test_kinetic_energy_exact_and_to_second_degree() -> None:
    """[C 299] and [C 300], with the mass centre at rest."""
    m = three_bodies()
    M, mass, L, r, _, I1, I2, I3 = VALUES.values()
    R, J = mass * L / M, 4 * mass * L**2 / 3
    for seed in range(5):
        q, u = state(seed)
        u[3:6] = 0.0
        (w1, w2, w3), (g1, g2), (d1, d2) = u[:3], q[-2:], u[-2:]
        s1, s2, c1, c2 = np.sin(g1), np.sin(g2), np.cos(g1), np.cos(g2)
        both, MRR, MRr = c1 * c2 + s1 * s2, M * R**2, M * R * r
        exact = (
            0.5 * (I1 * w1**2 + I2 * w2**2 + I3 * w3**2)
            + 0.5 * (J - MRR) * (d1**2 + d2**2)
            + MRR * d1 * d2 * both
            + w1 * ((d1 + d2) * J + d1 * MRr * c1 + d2 * MRr * c2)
            - w1 * MRR * ((d1 * s1 - d2 * s2) * (s1 - s2) + (d1 * c1 - d2 * c2) * (c1 - c2))
            - MRR * (w1**2 * (1 - both) + 0.5 * (w3 * (c1 - c2) - w2 * (s1 - s2)) ** 2)
            - MRr * (2 - c1 - c2) * (w1**2 + w3**2)
            + 0.5 * J * (s1**2 + s2**2) * (w2**2 - w3**2)
            - w2 * w3 * (J * (s1 * c1 + s2 * c2) + MRr * (s1 + s2))
        )
        second = (
            0.5 * (I1 * w1**2 + I2 * w2**2 + I3 * w3**2)
            + 0.5 * (J - MRR) * (d1**2 + d2**2)
            + MRR * d1 * d2
            + (J + MRr) * (d1 + d2) * w1
            - 0.5 * MRR * (g1 - g2) ** 2 * (w1**2 + w2**2)
            - 0.5 * MRr * (g1**2 + g2**2) * (w1**2 + w3**2)
            - MRr * (g1 + g2) * w2 * w3
            + 0.5 * J * (g1**2 + g2**2) * (w2**2 - w3**2)
            - J * (g1 + g2) * w2 * w3
        )
        for small, expected in (((), exact), (("gamma1", "gamma2"), second)):
            eq = m.equations("system_root", small=small)
            values = m.parameter_values | dict(zip(eq.q, q)) | dict(zip(eq.u, u)) | {symbol("t"): 0.0}
            assert evaluate([eq.kinetic_energy], values)[0] == pytest.approx(expected, rel=1e-12)
            V = 0.5 * VALUES["k"] * (g1**2 + g2**2)
            assert evaluate([eq.potential_energy], values)[0] == pytest.approx(V, rel=1e-12)


@pytest.mark.parametrize("name", ["kane", "system_root", "system_tisserand", "boltzmann_hamel", "composite_body"])
def test_it_is_the_first_degree_of_the_exact_equations(name: str) -> None:
    """Booms bend slightly, hub and gimbal move as they like."""
    m = spacecraft()
    eq = m.equations(name, small=["boom1", "boom2", "root2"])
    assert eq.exact is not None and eq.small is not None
    q, u, udot = m.somewhere(np.random.default_rng(1), 0.4), *np.random.default_rng(2).normal(size=(2, m.n_u))
    s = m.state(q, u)
    places = [at for at, _ in eq.small.nominal], list(eq.small.speeds)
    w = FORMULATIONS[name].formulation_speeds(s)
    # compared in the formulation's own speeds, which both evaluate from the same state
    e = eq.evaluate(q, u)
    values = dict(zip(eq.q, q)) | dict(zip(eq.u, w)) | {symbol("t"): 0.0}

    def exact(scale: float) -> np.ndarray:
        known = dict(values)
        known |= {eq.q[at]: scale * q[at] for at in places[0]} | {eq.u[at]: scale * w[at] for at in places[1]}
        A, f = evaluate([eq.exact.A, eq.exact.f], known)
        ud = np.array(udot)
        ud[places[1]] *= scale
        return np.asarray(A, dtype=float) @ ud - np.asarray(f, dtype=float)

    h = 1e-4
    expected = exact(0.0) + (exact(h) - exact(-h)) / (2 * h)
    assert np.allclose(e.A @ udot - e.f, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())
    assert not np.allclose(e.A, e.A.T)  # q times a small acceleration is gone, q times a large one is not


def test_parts_add_up_and_solving_takes_no_symmetry_for_granted() -> None:
    m = spacecraft()
    eq = m.equations("kane", small=["boom1", "boom2"])
    q, u = m.somewhere(np.random.default_rng(3), 0.2), np.linspace(-1, 1, m.n_u)
    values = dict(zip(eq.q, q)) | dict(zip(eq.u, u)) | {symbol("t"): 0.0}
    parts = evaluate([eq.velocity_terms + eq.gravity + eq.applied, eq.f], values)
    assert np.allclose(np.asarray(parts[0], dtype=float), np.asarray(parts[1], dtype=float), rtol=1e-10)
    e = eq.evaluate(q, u)
    assert np.allclose(eq.solve(q, u).udot, np.linalg.solve(e.A, e.f), rtol=1e-8)
    with pytest.raises(da.FormulationError, match="not symmetric"):
        eq.solve(q, u, constraints="range_space")
    again = pickle.loads(pickle.dumps(eq))
    assert again.small == eq.small and np.allclose(again.evaluate(q, u).A, e.A)
    assert "mass matrix, where it is not 0" in three_dimensional().text()
    assert "A^{T}" not in three_dimensional().latex().splitlines()[1]


def three_dimensional():
    """A hub with a boom that bends both ways: q_z q̈_y is gone, q_z ω̇_x is not."""
    s = da.System("hub with a boom")
    s.add_body("hub", da.box(2.0, (1.0, 1.2, 0.8)))
    s.add_joint("free", da.Spherical(), "ground", "hub")
    boom = da.beam(2.0, E=7e10, rho=2700.0, A=1e-4, Iy=2e-9, Iz=3e-9, modes={"y": 1, "z": 1}, elements=4)
    s.add_body("boom", elastic=boom)
    s.add_joint("weld", da.Weld(), "hub", "boom", at_parent=(0.5, 0, 0), at_child="root")
    return s.build().equations("kane", small=["boom"])


def test_machine_code_of_one_state_and_many() -> None:
    eq = three_dimensional()
    compiled = eq.compiled()
    rng = np.random.default_rng(4)
    q = np.column_stack([rng.normal(size=(5, 4)), 0.01 * rng.normal(size=(5, 2))])
    q[:, :4] /= np.linalg.norm(q[:, :4], axis=1)[:, None]
    u = rng.normal(size=(5, 5))
    many = compiled(q, u)
    qdot, udot = compiled.rates(q, u)
    for k in range(5):
        e, one = eq.evaluate(q[k], u[k]), compiled(q[k], u[k])
        assert np.allclose(one.A, e.A, rtol=1e-13, atol=1e-13) and np.allclose(one.f, e.f, rtol=1e-13, atol=1e-10)
        assert np.allclose(many.A[k], one.A, rtol=1e-13, atol=1e-13)
        assert np.allclose(udot[k], np.linalg.solve(e.A, e.f), rtol=1e-9, atol=1e-9)
        assert np.allclose(qdot[k], eq.mechanism.state(q[k], u[k]).rates, rtol=1e-12)


def test_about_other_values_and_with_loops() -> None:
    """A double pendulum near a given fold, and a constraint, whose rows are linear too."""
    s = da.System("fold", gravity=(0, -9.81, 0))
    s.add_body("upper", da.rod(1.0, 0.5))
    s.add_body("lower", da.rod(1.0, 0.5))
    s.add_joint("A", da.Revolute(), "ground", "upper")
    s.add_joint("B", da.Revolute(), "upper", "lower", at_parent=(0.5, 0, 0))
    s.add_constraint("rail", da.OnPlane(("lower", (0.5, 0, 0)), "ground", (0, 1, 0)))
    m = s.build()
    eq = m.equations("kane", small={"B": 0.7})
    q, u = [0.3, 0.7], [0.5, 0.0]
    exact, near = m.equations("kane").evaluate(q, u), eq.evaluate(q, u)
    assert np.allclose(near.A, exact.A) and np.allclose(near.f, exact.f) and np.allclose(near.B, exact.B)
    off = []
    for d in (2e-3, 1e-3):
        exact, near = (x.evaluate([0.3, 0.7 + d], [0.5, d]) for x in (m.equations("kane"), eq))
        off.append([np.abs(getattr(near, part) - getattr(exact, part)).max() for part in ("f", "B", "gamma")])
    assert np.allclose(np.divide(*off), 4.0, rtol=0.01)  # what is left out is of second degree
    assert "to first degree in B" in eq.text()
    assert np.allclose(eq.compiled().rates(q, u)[1], eq.solve(q, u).udot)


def test_what_cannot_be_small_is_said() -> None:
    m = three_bodies()
    for name in ("hamilton", "newton_euler"):
        with pytest.raises(da.FormulationError, match="not small where gamma1"):
            m.equations(name, small=["gamma1"])
    with pytest.raises(da.ModelError, match="'gamma3'"):
        m.equations("kane", small=["gamma3"])
    with pytest.raises(da.FormulationError, match="no nominal value"):
        m.equations("kane", small={"gamma1": [1.0, 2.0]})
    s = da.System("driven")
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_body("tip", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "rod", prescribed=lambda t: t)
    s.add_joint("B", da.Revolute(), "rod", "tip", at_parent=(1, 0, 0))
    with pytest.raises(da.FormulationError, match="moves as prescribed"):
        s.build().equations("kane", small=["A"])
    assert "to first degree in B" in s.build().equations("kane", small="B").text()


# -- C's warning ------------------------------------------------------------------------------------------------------------
def test_linearising_too_early_loses_terms_of_first_degree() -> None:
    """C: in T one must not linearise prematurely. Of degree 1, T has lost what centrifugal forces do to the rods in T,γ."""
    m = three_bodies()
    eq = m.equations("system_root", small=["gamma1", "gamma2"])
    small = [*eq.q[-2:], *eq.u[-2:]]
    with tracing():
        T = eq.kinetic_energy
        early = Truncation(dict.fromkeys(small, 0.0)).up_to(T, 1)
        right, wrong = (gradient(gradient(x, [eq.q[-1]])[0], [eq.q[-1]])[0] for x in (T, early))
    assert wrong == 0.0
    q, u = state(1)
    values = m.parameter_values | dict(zip(eq.q, q)) | dict(zip(eq.u, u))
    moved, still = (source_c(u[:3], [0.0, gamma], [0.0, 0.0])[1][4] for gamma in (1.0, 0.0))
    assert evaluate([right], values)[0] == pytest.approx(moved - still + VALUES["k"], rel=1e-12)


def test_velocities_linear_in_the_rates_are_not_enough_either() -> None:
    """Cut in γ and γ̇ alike [C 272], a velocity gives partial velocities without γ, which those of [C 273] have."""
    s = three_bodies().symbolic_state()
    with tracing():
        exact = s.velocity(("rod1", (0, 1, 0)))
        small = dict.fromkeys([*s.coordinates[-2:], *s.speeds[-2:]], 0.0)
        late = Truncation(small).up_to(jacobian(exact, [s.speeds[-2]]), 1)
        early = jacobian(Truncation(small).up_to(exact, 1), [s.speeds[-2]])
    assert depends_on(late, [s.coordinates[-2]]) and not depends_on(early, [s.coordinates[-2]])


def test_h_of_the_state_is_not_touched() -> None:
    """The mechanism's own quantities stay exact: small is a property of the equations that are written."""
    m = three_bodies()
    q, u = state(2)
    before = totals.kinetic_energy(m.state(q, u))
    m.equations("system_root", small=["gamma1", "gamma2"]).text()
    assert totals.kinetic_energy(m.state(q, u)) == before


# -- marched ----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("by", ["system_root", "kane", "composite_body"])
def test_equations_of_first_degree_are_marched(by: str) -> None:
    """What is left out is of second degree: half the deformation, a quarter of the difference."""
    m = three_bodies()
    off = []
    for size in (2e-2, 1e-2):
        start = {"gamma1": size, "gamma2": -0.4 * size}
        speeds = {"attitude.wz": 0.9, "gamma2": 0.5 * size}
        runs = [
            m.simulate(2.0, start, speeds, rtol=1e-11, output=1.0, formulation=form)
            for form in ("kane", da.SmallDeformations(["gamma1", "gamma2"], by=by))
        ]
        off.append(np.abs(runs[0].q - runs[1].q).max())
    assert 2.5 < off[0] / off[1] < 6.0 and off[1] < 1e-3


def test_accelerations_are_those_of_the_written_equations() -> None:
    m, names = three_bodies(), ["gamma1", "gamma2"]
    for seed, by in enumerate(("kane", "system_root")):
        eq, (q, u) = m.equations(by, small=names), state(seed)
        expected = eq.method.udot(m.state(q, u), eq.solve(q, u).udot)
        found = m.solve(q, u, formulation=da.SmallDeformations(names, by=by)).udot
        assert np.allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
        other = m.solve(q, u, formulation=da.SmallDeformations("gamma1", by=by)).udot
        assert not np.allclose(other, expected, rtol=1e-6)  # other things are small there, and other code is run
    text = m.equations(da.SmallDeformations(names, by="kane")).text()
    assert text == m.equations("kane", small=names).text()


def test_what_cannot_be_marched_is_said() -> None:
    s = da.System("rail")
    s.add_body("rod", da.box(1.0, (1.0, 0.1, 0.1), com=(0.5, 0, 0)))
    s.add_joint("A", da.Free(), "ground", "rod")
    s.add_constraint("rail", da.OnPlane(("rod", (1.0, 0, 0)), "ground", (0, 1, 0)))
    with pytest.raises(da.FormulationError, match="without loops and constraints"):
        s.build().simulate(1.0, formulation=da.SmallDeformations("A"))
    with pytest.raises(da.FormulationError, match="there is no formulation 'kan'"):
        three_bodies().simulate(1.0, formulation=da.SmallDeformations("gamma1", by="kan"))
    with pytest.raises(da.ModelError, match="SmallDeformations: small must name"):
        da.SmallDeformations([])
    with pytest.raises(da.ModelError, match="'gamma3'"):
        three_bodies().simulate(1.0, formulation=da.SmallDeformations("gamma3"))
