"""What methods say of themselves is what they compute, and what their sources print."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.errors import FormulationError
from dalembert.formulations import FORMULATIONS
from dalembert.formulations.absolute.barycentric import augmented
from dalembert.formulations.tree.planar_chain import chain
from dalembert.kinematics import totals
from dalembert.kinematics.loads import generalized, loads
from dalembert.trace import Expr, evaluate, free_symbols
from dalembert.trace.text.latex_sentence import sentence_in_latex
from dalembert.vectors import skew
from tests.formulations.test_written import crane
from tests.mechanisms import planar_pendulum, random_state, random_tree


def rhombus() -> da.Mechanism:
    """Source A's triple pendulum with its tip fixed [A 35–47]."""
    return da.load("examples/rhombic_linkage.yaml")


def assembled(m: da.Mechanism, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q, u = m.assemble(m.admissible(m.somewhere(rng, 0.2)), None)
    return q, u


MODELS = ["four_bar", "rolling_sphere", "satellite", "double_pendulum", "flexible_satellite", "spin_up_beam"]


@pytest.mark.parametrize("model", MODELS)
def test_every_method_explains_itself_in_symbols_and_in_numbers(model):
    m = da.load(f"examples/{model}.yaml")
    q, u = m.assemble(dict(m.plan.initial) or None, dict(m.plan.speeds) or None)
    names = [n for n in FORMULATIONS if FORMULATIONS[n].refusal(m) is None]
    if model == "flexible_satellite":
        names = ["kane", "boltzmann_hamel", "composite_body", "newton_euler", "barycentric", "hooker"]
    names += list(METHODS) if m.constraint_rows else []
    for name in names:
        symbolic, numbers = m.explain(name), m.explain(name, q, u)
        assert {"qdot", "A", "f"} <= set(numbers.names)
        assert symbolic.symbolic and not numbers.symbolic, name
        assert set(symbolic.names) <= set(numbers.names)
        expected = m.equations(name if name in FORMULATIONS else "kane").evaluate(q, u)
        assert np.allclose(numbers["A"], expected.A, rtol=1e-12, atol=1e-12 * np.abs(expected.A).max()), name
        assert name in repr(numbers) and m.name in numbers.text()


@pytest.mark.parametrize(
    "name", ["kane", "path_matrix", "barycentric", "hooker", "newton_euler", "lagrange", "hamilton", "gauss"]
)
def test_explanations_are_well_formed_latex_and_html(name, katex):
    m = planar_pendulum(2).build()
    x, numbers = m.explain(name), m.explain(name, [0.3, 0.4], [0.5, -0.6])
    assert numbers.latex().isascii() and katex(numbers.latex()) == ""
    assert ET.fromstring(f"<root>{numbers.html()}</root>").findall(".//math")
    assert x.latex().isascii() and katex(x.latex()) == ""
    assert ET.fromstring(f"<root>{x.html()}</root>").findall(".//math")
    assert x._repr_latex_() == f"$$\n{x.latex()}\n$$" and x._repr_html_() == x.html()
    assert x.page().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("name", METHODS)
def test_methods_with_constraints_are_well_formed(name, katex):
    m = rhombus()
    for x in (m.explain(name), m.explain(name, *assembled(m))):
        assert katex(x.latex()) == "" and x.latex().isascii()
        ET.fromstring(f"<root>{x.html()}</root>")


def test_sentences_become_latex():
    assert sentence_in_latex("A u̇ = ω̇ × Bᵀ [A 15–17]") == (
        r"\text{A }\dot{u}\text{ = }\dot{\omega}\text{ }\times \text{ B}^{T}\text{ [A 15--17]}"
    )


def test_unknown_names_are_refused_with_the_nearest():
    m = planar_pendulum(2).build()
    with pytest.raises(FormulationError, match="did you mean 'zero_eigenvalues'"):
        m.explain("zero_eigenvalue")
    with pytest.raises(FormulationError, match="have none"):
        m.explain("svd")
    with pytest.raises(FormulationError, match="closes a loop"):
        rhombus().explain("path_matrix")
    with pytest.raises(FormulationError, match="choose one of"):
        m.explain("kane")["nonsense"]
    with pytest.raises(FormulationError, match="does not occur"):
        m.explain("kane").where({"nonsense": 1.0})


# -- A ---------------------------------------------------------------------------------------------------------------------
def test_zero_eigenvalues_are_those_of_the_theorem():
    m = rhombus()
    q, u = assembled(m)
    x = m.explain("zero_eigenvalues", q, u)
    S, T, Z, D = x["S"], x["T"], x["Z"], x["D"]
    assert np.allclose(S, x["B"].T @ x["B"]) and np.allclose(T.T @ S @ T, np.diag(x["Lambda"]), atol=1e-12)
    assert np.all(np.diff(x["Lambda"]) <= 1e-12) and np.allclose(T.T @ T, np.eye(3), atol=1e-14)
    assert Z.shape == (3, 1) and np.abs(x["B"] @ Z).max() < 1e-12 and np.abs(D[:, 2]).max() < 1e-12
    assert np.allclose(x["C"] @ x["udot"], x["right"], atol=1e-9)
    assert np.allclose(x["udot"], m.explain("augmented", q, u)["udot"], atol=1e-9)


def test_symbolic_null_space_is_one_everywhere():
    """In symbols Z comes by elimination; it spans what the eigenvectors span."""
    m = rhombus()
    symbolic = m.explain("zero_eigenvalues")
    q, u = assembled(m, 3)
    numbers = m.explain("zero_eigenvalues", q, u)
    values = {f"q_{n}": v for n, v in zip(m.coordinates, q)} | {f"u_{n}": v for n, v in zip(m.speeds, u)}
    values |= {str(s.name): float(v) for s, v in m.parameter_values.items()}
    known = {s.name for s in free_symbols([x.value for x in symbolic.quantities])}
    Z = symbolic.where({k: v for k, v in values.items() if k in known})["Z"]
    assert Z.dtype == float and np.linalg.matrix_rank(np.hstack([Z, numbers["Z"]]), tol=1e-9) == 1


def test_the_rhombus_is_contracted_in_symbols():
    """[A 41–47]: where θ₂ = π/2 − θ₁ and θ₃ = π/2 + θ₁, S, Z and the contracted equation are those that the source prints."""
    m = rhombus()
    x = m.explain("zero_eigenvalues")
    first = x.symbol("q_A1")
    linkage = x.where({"q_A2": -first, "q_A3": first + np.pi})  # the gallery's angles begin at the horizontal
    Z = np.asarray(linkage["Z"], dtype=float)[:, 0]
    assert np.array_equal(Z / Z[0], [1.0, -1.0, 1.0])
    q, u = np.array([-0.9, 0.9, np.pi - 0.9]), np.array([0.4, -0.4, 0.4])
    numbers = m.explain("zero_eigenvalues", q, u)
    values = m.parameter_values | {x.symbol(f"u_{n}"): v for n, v in zip(m.speeds, u)} | {first: q[0]}
    for name in ("S", "ZTf"):
        found = np.asarray(evaluate(linkage[name], values), dtype=float)
        scale = Z[0] / numbers["Z"][0, 0] if name == "ZTf" else 1.0
        assert np.allclose(found, scale * numbers[name], atol=1e-12), name
    assert linkage.only("S", "Z").names == ("S", "Z")


# -- B ---------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(4))
def test_barycentric_vectors_are_minus_L_T2_mu(seed):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 5).build()
    if FORMULATIONS["barycentric"].refusal(m):
        pytest.skip("elastic or weightless")
    q, u, t = random_state(m, rng)
    x, bodies = m.explain("barycentric", q, u, t), augmented(m.state(q, u, t))
    assert np.array_equal(np.round(x["T"] @ x["S"]), np.eye(m.n_bodies + 1))
    for name in (n for n in x.names if n == "D" or n.startswith("D_")):
        D, rows = x[name], x.quantity(name)
        for i, k in np.ndindex(len(rows.rows) // 3, len(rows.columns)):
            a, b = (m.number_of[n] for n in (rows.rows[3 * i].rpartition(".")[0], rows.columns[k]))
            if a and b:
                assert np.allclose(D[3 * i : 3 * i + 3, k], bodies.d(a, b), atol=1e-12), (name, a, b)


def test_the_system_matrix_is_made_of_barycentric_vectors():
    m = da.load("examples/satellite.yaml")
    rng = np.random.default_rng(5)
    q, u, t = random_state(m, rng)
    x = m.explain("barycentric", q, u)
    D, masses = x["D"], [float(b.mass) for b in m.numeric.bodies]
    d = [[D[3 * i : 3 * i + 3, k] for k in range(3)] for i in range(3)]
    assert np.allclose(x["K"][:3, 3:6], sum(masses) * skew(d[0][1]) @ skew(d[1][0]), atol=1e-12)
    own = sum(mass * skew(d[0][k]) @ skew(d[0][k]) for k, mass in enumerate(masses))
    R = m.state(q, u, t).poses[1].R
    assert np.allclose(x["K"][:3, :3], R @ m.numeric.bodies[0].inertia @ R.T - own, atol=1e-12)


# -- C ---------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(3))
def test_energies_add_up_and_the_hamiltonian_is_the_energy(seed):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 3).build()
    q, u, t = random_state(m, rng)
    s = m.state(q, u, t)
    T = totals.kinetic_energy(s)
    x, h = m.explain("lagrange", q, u, t), m.explain("hamilton", q, u, t)
    assert x["T2"] + x["T1"] + x["T0"] == pytest.approx(T, rel=1e-10)
    assert np.allclose(h["H_p"], s.rates, atol=1e-9)
    assert h["H"] == pytest.approx(x["T2"] - x["T0"] + x["V"], rel=1e-9)


# -- D ---------------------------------------------------------------------------------------------------------------------
def test_terms_of_each_equation_add_up_to_it():
    m = crane(False)
    q, u = [0.2, -1.1, 0.6], [0.3, 0.5, -0.4]
    x = m.explain("path_matrix", q, u)
    s = m.state(q, u)
    Q = chain(m).relative.T @ generalized(s, loads(s, gravity=False))
    for k, name in enumerate(m.speeds):
        assert x[f"terms_{name}"].sum() == pytest.approx(Q[k], abs=1e-9)
    assert x["T_v"] + x["T_u"] + x["T_phi"] == pytest.approx(totals.kinetic_energy(s), rel=1e-12)
    assert np.array_equal(x["M"], (x["P"] * x["m"]) @ x["P"].T)


def test_path_matrix_energies_on_random_chains():
    rng = np.random.default_rng(2)
    m = planar_pendulum(4).build()
    q, u = rng.normal(size=4), rng.normal(size=4)
    x, s = m.explain("path_matrix", q, u), m.state(q, u)
    assert x["T_v"] + x["T_u"] + x["T_phi"] == pytest.approx(totals.kinetic_energy(s), rel=1e-12)
    zero = m.explain("path_matrix", np.zeros(4), u)["V"] - totals.potential_energy(m.state(np.zeros(4), u))
    assert x["V"] - totals.potential_energy(s) == pytest.approx(float(zero), abs=1e-10)


# -- E ---------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(3))
def test_partial_velocities_give_the_velocities_and_their_rates_the_accelerations(seed):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 4).build()
    q, u, t = random_state(m, rng)
    x, s = m.explain("kane", q, u, t), m.state(q, u, t)
    y, rates = m.explain("dalembert", q, u, t), s.rates
    independent = [m.coordinates.index(n) for n in y.quantity("T").columns]
    for k, body in enumerate(m.bodies, start=1):
        R, w = s.poses[k].R, s.velocities[k].w
        assert np.allclose(x[f"W_{body.name}"] @ u, R.T @ w, atol=1e-11)
        assert np.allclose(y[f"W_{body.name}"] @ rates[independent], R.T @ w, atol=1e-11)
        bias = s.bias_accelerations[k].w  # α where u̇ = 0, of which E takes the components in body axes
        assert np.allclose(x[f"Wdot_{body.name}"] @ u, R.T @ bias, atol=1e-10)
        if not body.modes:
            v = s.velocities[k].v + np.cross(w, s.com_arms[k - 1])
            a = (
                s.bias_accelerations[k].v
                + np.cross(bias, s.com_arms[k - 1])
                + np.cross(w, np.cross(w, s.com_arms[k - 1]))
            )
            assert np.allclose(x[f"V_{body.name}"] @ u, R.T @ v, atol=1e-11)
            assert np.allclose(x[f"Vdot_{body.name}"] @ u + np.cross(R.T @ w, R.T @ v), R.T @ a, atol=1e-9)


# -- rendering -------------------------------------------------------------------------------------------------------------
def test_where_puts_expressions_in():
    m = rhombus()
    x = m.explain("zero_eigenvalues")
    first = m.coordinates[0]
    fixed = x.where({f"q_{n}": 0.3 for n in m.coordinates[1:]})
    left = {s.name for s in free_symbols(fixed["S"])}
    assert f"q_{first}" in left and not any(f"q_{n}" in left for n in m.coordinates[1:])
    assert type(fixed["S"][0, 0]) is Expr


def test_plain_data_holds_texts_and_numbers():
    m = planar_pendulum(2).build()
    assert isinstance(m.explain("kane").to_dict()["quantities"]["A"]["value"][0][0], str)
    assert m.explain("kane", [0.1, 0.2]).to_dict()["quantities"]["A"]["value"][0][0] > 0.0


def test_equations_show_themselves_in_a_notebook(katex):
    eq = planar_pendulum(2).build().equations("kane")
    assert katex(eq._repr_latex_().removeprefix("$$\n").removesuffix("\n$$")) == ""
    assert ET.fromstring(f"<root>{eq._repr_html_()}</root>").findall(".//math")
    many = planar_pendulum(40).build().equations("kane")
    assert many._repr_latex_() is None and many._repr_html_() is None
