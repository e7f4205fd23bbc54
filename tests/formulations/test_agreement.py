"""All formulations give one motion: the same accelerations and reactions, on any tree, any loop, any rolling system."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.formulations.tree import kane
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.vectors import across, turn
from tests.constraints.loops import consistent, random_loops, rolling_system
from tests.effort import examples
from tests.formulations.analytic import ANALYTIC
from tests.mechanisms import add_forces, matter, random_state, random_tree, seeds, unit

orientations = st.sampled_from(["angles", "euler_parameters"])
TOLERANCE = 1e-9


def body_accelerations(s, udot):
    return np.concatenate([x for a in s.accelerations(udot)[1:] for x in (a.w, a.v)])


def check_agreement(m, q, u, t, names=ANALYTIC):
    """Every formulation that takes the mechanism, from its own speeds back to the bodies, against Kane's."""
    s = m.state(q, u, t)
    assume(m.n_u)
    by_kane = kane.equations(s)
    reference = METHODS["svd"](by_kane)
    expected = body_accelerations(s, reference.udot)
    reactions, rows = by_kane.B.T @ reference.lam, len(by_kane.gamma)
    size = max(1.0, np.abs(by_kane.f).max(), np.abs(by_kane.A @ reference.udot).max())
    for name in names:
        formulation = ANALYTIC[name]
        if formulation.refusal(m) is not None:
            continue
        own = formulation.state(s.mechanism, s.t, s.coordinates, formulation.formulation_speeds(s))
        assert np.abs(own.speeds - s.speeds).max() <= 1e-9 * max(1.0, np.abs(u).max()), name
        e = formulation.equations(own)
        solved = METHODS["svd"](e)
        found = body_accelerations(s, formulation.udot(own, solved.udot))
        assert np.abs(found - expected).max() <= TOLERANCE * max(1.0, np.abs(expected).max()), name
        if rows and len(e.gamma):
            found = by_kane.B.T @ solved.lam[-rows:]  # the mechanism's own rows come last
            assert np.abs(found - reactions).max() <= 1e-8 * size, name


def well_posed(m, q, u, t):
    B = constraint_rows(m.state(q, u, t)).B
    sizes = np.linalg.svd(B, compute_uv=False)
    rank = int(np.sum(sizes > 1e-9 * sizes.max(initial=0.0)))
    return m.n_u > 0 and (not len(B) or (rank > 0 and sizes[rank - 1] > 1e-2 * sizes[0]))


@settings(max_examples=examples(10), deadline=None)
@given(seeds, st.integers(1, 3), orientations)
def test_on_random_trees(seed, n, orientation):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, prescribed=True, orientation=orientation).build()
    check_agreement(m, *random_state(m, rng))


@settings(max_examples=examples(8), deadline=None)
@given(seeds, st.integers(2, 3), st.booleans())
@example(23, 2, False)  # closes far from its reference only
def test_on_random_loops_redundant_or_not(seed, n, doubled):
    m, q, u, t = random_loops(np.random.default_rng(seed), n, 1, doubled=doubled)
    if well_posed(m, q, u, t):
        check_agreement(m, q, u, t)


def rolling(rng, orientation):
    m = rolling_system(rng, orientation).build()
    q, u, t = random_state(m, rng)
    q, _ = m.assemble(q, t=t)
    return m, q, consistent(m, q, u, t), t


@settings(max_examples=examples(8), deadline=None)
@given(seeds, orientations)
def test_on_rolling_systems(seed, orientation):
    try:
        m, q, u, t = rolling(np.random.default_rng(seed), orientation)
    except da.LoopError:
        return  # the wheel was asked to stand where it cannot
    if well_posed(m, q, u, t):
        check_agreement(m, q, u, t)


def planar_chain(rng, n):
    """Hinges of both senses, slides, tables and welds in one plane, branching."""
    s = da.System("planar chain", gravity=rng.normal(size=3) * 5)
    normal = unit(rng)
    x, y = across(np.array(normal))

    def place():
        return da.Frame(rng.uniform(-0.5, 0.5, 3), turn(np.array(normal), rng.uniform(-3, 3)))

    for i in range(n):
        angle = rng.uniform(0, 6)
        kinds = [
            da.Revolute(normal),
            da.Revolute(tuple(-c for c in normal)),
            da.Prismatic(tuple(np.cos(angle) * x + np.sin(angle) * y)),
            da.Planar(normal),
            da.Weld(),
        ]
        s.add_body(f"b{i}", matter(rng))
        parent = ["ground", *(f"b{j}" for j in range(i))][rng.integers(i + 1)]
        s.add_joint(f"j{i}", kinds[rng.integers(5)], parent, f"b{i}", place(), place())
    add_forces(s, rng)
    return s.build()


@settings(max_examples=examples(25), deadline=None)
@given(seeds, st.integers(1, 6))
def test_path_matrix_equals_kane_on_planar_chains(seed, n):
    rng = np.random.default_rng(seed)
    m = planar_chain(rng, n)
    assert ANALYTIC["path_matrix"].refusal(m) is None
    check_agreement(m, *random_state(m, rng), names=["path_matrix"])


@settings(max_examples=examples(8), deadline=None)
@given(seeds, st.sampled_from(list(ANALYTIC)))
def test_floats_and_traces_agree(seed, name):
    """The same equations from the same function, over numbers and over symbols."""
    rng = np.random.default_rng(seed)
    m = planar_chain(rng, 3) if name == "path_matrix" else random_tree(rng, 2, prescribed=True).build()
    assume(m.n_u)
    q, u, t = random_state(m, rng)
    s = m.state(q, u, t)
    written = m.equations(name)
    formulation, traced = written.method, written.evaluate(q, u, t)
    on_floats = formulation.equations(formulation.state(s.mechanism, t, q, formulation.formulation_speeds(s)))
    for part in ("A", "f", "B", "gamma"):
        a, b = getattr(on_floats, part), getattr(traced, part)
        assert np.abs(a - b).max(initial=0.0) <= 1e-10 * max(1.0, np.abs(a).max(initial=0.0)), (name, part)


def test_forces_that_cannot_be_traced_work_on_numbers():
    """Energies are traced; forces are only called."""
    s = da.System("opaque", gravity=(0, -9.81, 0))
    s.add_body("rod", da.rod(1.0, 0.5))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    s.add_force("motor", da.Motor("A", lambda s: math.sin(float(s.t)) if s.u["A"] > 0 else 0.3))
    m = s.build()
    check_agreement(m, np.array([0.3]), np.array([0.7]), 0.4)


def test_the_path_matrix_refuses_a_plane_that_a_parameter_turns():
    """It reads the plane once: with another value of the parameter it would be the plane of the first."""
    s = da.System("incline", gravity=(0, 0, -9.81))
    angle = s.parameter("angle", 0.0)
    c, sine = da.cos(angle), da.sin(angle)
    s.add_body("block", mass=1.0)
    s.add_joint(
        "x", da.Prismatic((1, 0, 0)), "ground", "block", da.Frame((0, 0, 0), [[c, 0, sine], [0, 1, 0], [-sine, 0, c]])
    )
    m = s.build()
    assert m.with_parameters(angle=0.5).solve([0.0], [0.0]).udot[0] == pytest.approx(9.81 * np.sin(0.5))
    with pytest.raises(da.FormulationError, match='joint "x" points depends on parameter "angle"'):
        m.solve([0.0], [0.0], formulation="path_matrix", parameters={"angle": 0.5})
