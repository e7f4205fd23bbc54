"""Whatever is asked, in whatever order, each answer comes from the code of just that question.

Everything found, on disk, in the process or with the mechanism, is written and compiled anew and compared with what was found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.analysis.sensitivity.constraint_variation import compiled
from dalembert.trace.native import cache
from tests.constraints.loops import random_loops
from tests.effort import examples

Question = Callable[[da.Mechanism, np.ndarray, np.ndarray], Any]


def four_bar() -> da.Mechanism:
    """A four-bar with parameters in its lengths, masses and forces."""
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    length, k = s.parameter("length", 1.0), s.parameter("k", 2.0)
    s.add_body("crank", da.rod(1.0, 0.4))
    s.add_body("coupler", mass=s.parameter("mass", 0.7), com=(length / 2, 0, 0), inertia=(0.01, 0.1, 0.1))
    s.add_body("rocker", da.rod(1.0, 0.9))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(0.4, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(length, 0, 0), at_child=(0.9, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(1, 0, 0))
    s.add_force("spring", da.JointSpring("A", stiffness=k))
    return s.build(cut=["C"])


def run(**options: Any) -> Question:
    return lambda m, q, u: m.simulate(0.05, {"A": 1.0}, {"A": 2.0}, output=3, **options)


QUESTIONS: dict[str, Question] = {
    "forward_dynamics": lambda m, q, u: m.forward_dynamics(q, u),
    "batch": lambda m, q, u: m.forward_dynamics(np.array([q, q, q]), u),
    "by null space": lambda m, q, u: m.forward_dynamics(q, u, constraints="null_space_qr"),
    "solve": lambda m, q, u: m.solve(q, u),
    "solve by Lagrange": lambda m, q, u: m.solve(q, u, formulation="lagrange", constraints="augmented"),
    "solve in independent speeds": lambda m, q, u: m.solve(q, u, formulation="kane_minimal"),
    "mass matrix": lambda m, q, u: m.mass_matrix(q),
    "jacobian": lambda m, q, u: m.point_jacobian(("coupler", (0.1, 0.2, 0)), q),
    "another jacobian": lambda m, q, u: m.point_jacobian("coupler", q),
    "run": run(),
    "run by RK4": run(method="rk4", step=0.01),
    "run by Radau": run(method="radau"),
    "run to an event": run(until=lambda s: s.q["A"] - 1.05),
    "run to another event": run(until=lambda s: s.q["A"] - 1.06),
    "run with Baumgarte": run(stabilise="baumgarte"),
    "run with other gains": run(stabilise=da.Baumgarte(10.0, 30.0)),
    "run by Lagrange": run(formulation="lagrange", constraints="svd"),
    "run by partition": run(constraints="partition"),
    "many runs": lambda m, q, u: m.simulate_many([q, q], 0.05, speeds=[u, u], output=3),
    "linearise": lambda m, q, u: m.linearise(q, u),
    "quantity": lambda m, q, u: m.simulate(0.05, q, u, output=9).evaluate(lambda s: s.q["A"] * s.u["B"]),
    "another quantity": lambda m, q, u: m.simulate(0.05, q, u, output=9).evaluate(lambda s: s.q["B"] * s.u["A"]),
}


@pytest.fixture(autouse=True)
def verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "VERIFY", True)


@settings(max_examples=examples(12), deadline=None)
@given(st.lists(st.sampled_from(sorted(QUESTIONS)), min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_questions_in_any_order(asked, random):
    m = four_bar()
    others = [m, m.with_parameters(length=1.1), m.with_parameters(k=5.0, mass=1.3), four_bar()]
    for name in [*asked, *asked]:
        model = random.choice(others)
        q, u = model.assemble({"A": 1.0}, {"A": 2.0})
        QUESTIONS[name](model, q, u)


@settings(max_examples=examples(6), deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 5))
def test_random_loops(seed, n):
    m, q, u, t = random_loops(np.random.default_rng(seed), n, 1)
    for _ in range(2):
        for constraints in ("range_space", "null_space_qr"):
            m.forward_dynamics(q, u, t=t, constraints=constraints)
        m.mass_matrix(q, t=t), m.energies(q, u, t=t)


def test_a_value_that_brings_a_row_to_life():
    """With k = 0 the second coupling says nothing: other rows are projected on, in memory of another layout."""
    s = da.System("coupled", gravity=(0, -9.81, 0))
    k = s.parameter("k", 1.0)
    for name in "AB":
        s.add_body(name.lower(), da.rod(1.0, 1.0))
        s.add_joint(name, da.Revolute(), "ground", name.lower())
    s.add_constraint("one", da.Coupling({"A": 1.0, "B": -1.0}))
    s.add_constraint("two", da.Coupling({"A": k, "B": -1.0 * k}))
    m = s.build()
    ends = [m.simulate(0.5, parameters={"k": value}).q[-1] for value in (1.0, 0.0, 1.0)]
    assert np.allclose(ends, ends[0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("formulation", ["lagrange", "newton_euler", "gauss_penalty", "hooker"])
def test_values_that_formulations_look_at_are_not_those_of_another(formulation):
    """Which bodies lack inertia, and how large rows are, is decided by the values at hand."""
    exact = 1e-9 if formulation != "gauss_penalty" else 1e-6
    light = four_bar().with_parameters(mass=1e-6)
    q, u = light.assemble({"A": 1.0}, {"A": 2.0})
    light.solve(q, u, formulation=formulation)
    for m in (light.with_parameters(mass=3.0), four_bar().with_parameters(mass=3.0)):
        found, kane = m.solve(q, u, formulation=formulation).udot, m.solve(q, u).udot
        assert np.abs(found - kane).max() <= exact * np.abs(kane).max()


def test_kernels_of_one_formula_and_other_sizes():
    m = four_bar()
    kernels = [compiled(m, n, lambda s, _: [s.coordinates[0] + 7.0]) for n in (0, 2, 0)]
    assert [float(k(np.zeros(m.n_q))[0]) for k in kernels] == [7.0] * 3
