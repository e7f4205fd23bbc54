"""Inertial parameters regrouped toward the base: fewer on every hinge's link, and the same equations of motion."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.recursive.algorithms import Tree, articulated, composite, newton_euler
from dalembert.recursive.grouping import grouped
from dalembert.recursive.links import Link, links
from tests.effort import examples
from tests.mechanisms import random_state, random_tree, seeds


@settings(deadline=None, max_examples=examples(80))
@given(seeds, st.integers(1, 10))
def test_the_equations_of_motion_stay_the_same(seed, n):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, prescribed=True).build()
    s = m.state(*random_state(m, rng))
    as_it_is, moved = Tree(s), Tree(s, grouped(links(m)))
    for of in (composite, lambda tree: newton_euler(tree, udot), lambda tree: articulated(tree, tau)):
        udot, tau = rng.normal(size=(2, m.n_u))
        expected = of(as_it_is)
        np.testing.assert_allclose(of(moved), expected, rtol=0, atol=1e-9 * (1.0 + np.abs(expected).max(initial=0.0)))


def hinged(first: da.Joint, mass: object = 3.0) -> tuple[Link, ...]:
    s = da.System()
    s.add_body("A", da.MassProperties(2.0, (0.1, 0.2, 0.3), np.diag([1.0, 1.5, 1.2])))
    s.add_body("B", da.MassProperties(mass, (0.0, 0.0, 0.0), np.diag([0.1, 0.2, 0.25])))
    s.add_joint("a", first, "ground", "A")
    s.add_joint("b", da.Revolute((0, 0, 1)), "A", "B", at_parent=da.Frame((0.5, 0.0, 0.0)))
    return links(s.build())


def test_a_hinged_link_is_left_without_mass_moment_along_the_axis_and_one_of_those_across():
    for link in grouped(hinged(da.Revolute((0.0, 0.6, 0.8)))):
        I = link.inertia
        assert I.m == I.h[2] == I.I[1, 1] == 0.0
        assert I.I[2, 2] > 0.0


def test_a_free_body_takes_the_mass_of_what_is_hinged_to_it():
    base, _ = grouped(hinged(da.Free()))
    assert base.inertia.m == 5.0
    np.testing.assert_allclose(base.inertia.h, [0.2 + 1.5, 0.4, 0.6], atol=1e-14)


def test_a_body_with_a_parameter_keeps_what_it_has():
    s = da.System()
    m = s.parameter("m", 1.5)
    s.add_body("A", da.MassProperties(m, (0.1, 0.2, 0.3), np.diag([1.0, 1.5, 1.2])))
    s.add_joint("a", da.Revolute((0, 0, 1)), "ground", "A")
    (link,) = links(s.build())
    assert grouped((link,)) == (link,)
