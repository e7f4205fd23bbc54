"""Claims about constraint rows: exact derivatives of the residual, for every joint and every constraint."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings

import dalembert as da
from dalembert.kinematics.constraint_rows import Differentiated, closure, constraint_rows
from dalembert.mechanism.row_table import RowKind
from dalembert.parts.constraints import JointClosure
from dalembert.trace import directional, evaluate, jacobian, symbol, tracing
from tests.constraints.loops import random_loops, rolling_system
from tests.effort import examples
from tests.mechanisms import frame, joint, random_state, random_tree, seeds, unit


def any_constraint(rng, m):
    """A constraint of a random kind between random bodies."""
    names = ["ground", *(b.name for b in m.bodies)]
    a, b = (str(x) for x in rng.choice(names, 2, replace=False))
    here, there = (a, rng.uniform(-1, 1, 3)), (b, rng.uniform(-1, 1, 3))
    return [
        JointClosure(joint(rng), a, b, frame(rng), frame(rng)),
        da.Distance(here, there, 0.7),
        da.OnLine(here, there, unit(rng)),
        da.OnPlane(here, there, unit(rng)),
        da.RollingBall(here, 0.3, there, unit(rng)),
        da.RollingDisc(here, 0.3, there, unit(rng), unit(rng)),
        da.KnifeEdge(here, unit(rng), b),
        da.Relation(position=lambda s: s.position(here) @ s.position(there) - s.t, speed=lambda s: s.velocity(here)[0]),
    ][rng.integers(8)]


@settings(max_examples=examples(40), deadline=None)
@given(seeds)
def test_rows_are_the_derivatives_of_the_residual(seed):
    """B, b and γ equal differentiation of g (or of φ) through the whole mechanism; on numbers and traced."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 4, forces=False, prescribed=bool(seed % 2)).build()
    assume(m.n_u)
    c = any_constraint(rng, m)
    q, u, t = random_state(m, rng)
    rows = Differentiated(m, c).rows(m.state(q, u, t))
    with tracing():
        s = m.symbolic_state()
        along = {symbol("t"): 1.0} | dict(zip(s.coordinates, s.rates))
        g, slip = (np.asarray(part(s), dtype=object) for part in (c.residual, c.velocity))
        phi = np.concatenate([directional(g, along), slip])
        expected = [g, phi, jacobian(phi, list(s.speeds)), directional(phi, along)]
        traced = Differentiated(m, c).rows(s)
        values = {symbol("t"): t} | dict(zip(s.coordinates, q)) | dict(zip(s.speeds, u))
        g0, phi0, B0, rate0 = (np.asarray(evaluate(x, values), dtype=float).reshape(np.shape(x)) for x in expected)
        B1, gamma1 = (
            np.asarray(evaluate(x, values), dtype=float).reshape(np.shape(x)) for x in (traced.B, traced.gamma)
        )
    scale = 1.0 + np.abs(rate0).max(initial=0.0) + np.abs(B0).max(initial=0.0)
    assert np.allclose(rows.g[: len(g)], g0, rtol=0, atol=1e-12 * scale)
    assert not rows.g[len(g) :].any()
    holonomic, nonholonomic = RowKind.HOLONOMIC, RowKind.NONHOLONOMIC
    assert Differentiated(m, c).kinds == (holonomic,) * len(g) + (nonholonomic,) * len(slip)
    for B, gamma in ((rows.B, rows.gamma), (B1, gamma1)):
        assert np.allclose(B, B0, rtol=0, atol=1e-11 * scale)
        assert np.allclose(-gamma, rate0, rtol=0, atol=1e-10 * scale)
    assert np.allclose(rows.B @ u - rows.b, phi0, rtol=0, atol=1e-11 * scale)


@settings(max_examples=examples(40), deadline=None)
@given(seeds)
def test_a_joint_closes_where_it_can_reach(seed):
    """The residual vanishes at every pose of the joint, and blocks exactly what the joint does not move."""
    rng = np.random.default_rng(seed)
    kind = joint(rng)
    q = np.asarray(kind.admissible(kind.reference + rng.uniform(-1, 1, kind.n_q)), dtype=float)
    g = kind.closure(kind.rotation(q), kind.translation(q))
    if isinstance(kind, da.Prismatic | da.Weld):
        assert len(g) == 6 - kind.n_u
    assert np.abs(g).max(initial=0.0) < 1e-12


def test_gears_and_drives_act_on_coordinates():
    s = da.System("gears")
    for name in "ab":
        s.add_body(name, da.cylinder(1.0, 0.1, 0.02))
        s.add_joint(name.upper(), da.Revolute(), "ground", name)
    s.add_constraint("mesh", da.Coupling({"A": 1.0, "B": 2.5}, offset=0.1))
    s.add_constraint("motor", da.Drive("A", lambda t: 0.2 * t * t))
    m = s.build()
    rows = [d.rows(m.state([0.3, -0.08], [0.4, 0.0], t=1.0)) for d in m.constraint_rows.values()]
    assert np.allclose(rows[0].B, [[1.0, 2.5]]) and np.allclose(rows[0].g, 0.3 - 2.5 * 0.08 - 0.1)
    assert np.allclose(rows[1].B, [[1.0, 0.0]]) and np.allclose([rows[1].b[0], rows[1].gamma[0]], [0.4, 0.4])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: da.Distance("a", "b", 0.0), "positive"),
        (lambda: da.OnLine("a", "b", (0, 0, 2)), "not 1"),
        (lambda: da.Relation(), "position="),
        (lambda: da.RollingBall("a", -1.0), "positive"),
    ],
)
def test_wrong_constraints_are_refused_in_words(make, words):
    with pytest.raises(da.ModelError, match=words):
        make()


def test_constraints_must_name_what_exists():
    s = da.System("x")
    s.add_body("a", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "a")
    s.add_constraint("tie", da.Distance("a", "bb", 1.0))
    with pytest.raises(da.ModelError, match="bb"):
        s.build()
    s.constraints.clear()
    s.add_constraint("gear", da.Coupling({"A": 1.0, "Q": 2.0}))
    with pytest.raises(da.ModelError, match="Q"):
        s.build()


@settings(max_examples=examples(15))
@given(seeds)
def test_the_table_has_every_row_once_in_the_order_in_which_they_are_computed(seed):
    rng = np.random.default_rng(seed)
    m = rolling_system(rng, "euler_parameters").build() if seed % 2 else random_loops(rng, 3, 2)[0]
    g, B = closure(m.state(m.reference, np.zeros(m.n_u)))
    assert len(m.rows) == len(g) == len(B) == len(m.rows.owners) == len(m.rows.holonomic)
    assert [k for name in m.constraint_rows for k in m.rows.of_owner(name)] == list(range(len(m.rows)))
    for name, d in m.constraint_rows.items():
        places = m.rows.of_owner(name)
        assert [m.rows[k].kind for k in places] == list(d.kinds)
        assert [(m.rows[k].owner, m.rows[k].place) for k in places] == [(name, i) for i in range(len(places))]
    assert not g[~m.rows.holonomic].any() and m.rows.active.all()


def test_a_tree_has_no_rows_and_speeds_are_told_from_coordinates():
    assert not len(random_tree(np.random.default_rng(1), 3).build().rows)
    s = da.System("skate")
    s.add_body("blade", da.box(1.0, (0.3, 0.1, 0.1)))
    s.add_joint("float", da.Free(), "ground", "blade")
    s.add_constraint("floor", da.OnPlane("blade", "ground", (0, 0, 1)))
    s.add_constraint("edge", da.KnifeEdge("blade", (0, 1, 0), "ground"))
    m = s.build()
    assert m.rows.owners == ("floor", "edge") and m.rows.holonomic.tolist() == [True, False]
    assert m.rows.condition(1) == "its condition" and not len(m.rows.of_owner("nobody"))
    assert len(constraint_rows(m.state(m.reference, np.zeros(m.n_u))).g) == len(m.rows)
