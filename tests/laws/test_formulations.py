"""A motion with laws does not hang on the formulation and the constraint method that give its accelerations."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.formulations import FORMULATIONS

from .models import slider_crank
from .random_laws import random_system

APPROXIMATE = {"penalty": 1e-6, "gauss_penalty": 1e-6}
"""What is exact only nearly, and how nearly here."""
QUICK = {"momentum", "hamilton", "newton_euler_root", "gauss"}
"""Formulations tried where time is short."""


@cache
def crank() -> tuple[da.Mechanism, da.Motion]:
    """A loop with friction by its own guide and a wall, and its motion through a dead centre, an impact and a turn of its load."""
    m = slider_crank().build()
    return m, m.simulate(0.5, initial={"O": 1.0}, speeds={"O": 12.0})


@cache
def tree() -> tuple[da.Mechanism, da.Motion, np.ndarray, np.ndarray]:
    s, q, u = random_system(np.random.default_rng(3), 0)
    m = s.build()
    return m, m.simulate(0.2, q, u), q, u


def _pairs() -> list:
    methods = list(METHODS)
    every = [(f, methods[k % len(methods)]) for k, f in enumerate(FORMULATIONS)]
    return [pytest.param(*x, marks=[] if x[0] in QUICK else pytest.mark.slow) for x in every]


@pytest.mark.parametrize("formulation, constraints", _pairs())
def test_loops_with_laws_move_alike_by_every_formulation(formulation, constraints):
    m, usual = crank()
    try:
        motion = m.simulate(
            0.5, initial={"O": 1.0}, speeds={"O": 12.0}, formulation=formulation, constraints=constraints
        )
    except da.FormulationError as refusal:
        assert "no equations by" in str(refusal) or "chooses independent speeds" in str(refusal)
        return
    near = max(APPROXIMATE.get(formulation, 1e-11), APPROXIMATE.get(constraints, 1e-11))
    assert motion.q == pytest.approx(usual.q, abs=near)
    assert [x.t for x in motion.modes] == pytest.approx([x.t for x in usual.modes], abs=near)
    assert [x.states for x in motion.modes] == [x.states for x in usual.modes]


@pytest.mark.parametrize("formulation", [pytest.param(f, marks=pytest.mark.slow) for f in FORMULATIONS])
def test_trees_with_laws_move_alike_by_every_formulation(formulation):
    m, usual, q, u = tree()
    try:
        motion = m.simulate(0.2, q, u, formulation=formulation)
    except da.FormulationError as refusal:
        assert "no equations by" in str(refusal)
        return
    assert motion.q == pytest.approx(usual.q, abs=APPROXIMATE.get(formulation, 1e-9))
    assert [x.states for x in motion.modes] == [x.states for x in usual.modes]


def test_a_formulation_that_chooses_speeds_is_refused_in_words():
    m, _ = crank()
    with pytest.raises(da.FormulationError, match="at every event of a law"):
        m.simulate(0.5, initial={"O": 1.0}, formulation="kane_minimal")


@pytest.mark.parametrize(
    "formulation, constraints", [("lagrange", "augmented"), ("hamilton", "svd"), ("newton_euler", "null_space_qr")]
)
def test_single_states_are_solved_alike(formulation, constraints):
    m, motion = crank()
    for k in (20, 130, 180):
        found = m.solve(motion.q[k], motion.u[k], None, motion.t[k], formulation=formulation, constraints=constraints)
        assert found.udot == pytest.approx(motion.udot()[k], rel=1e-9, abs=1e-9)
