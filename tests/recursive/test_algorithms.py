"""The recursive algorithms say what Kane's equations say, on any tree."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.formulations.tree import kane
from dalembert.recursive.algorithms import Tree, articulated, composite, newton_euler
from tests.effort import examples
from tests.mechanisms import eight_body_tree, random_state, random_tree, seeds

sizes = st.integers(1, 12)
EXACT = 1e-10
"""Relative difference allowed between two ways of computing one thing."""


def largest(x: np.ndarray) -> float:
    return float(np.abs(x).max(initial=0.0))


class Sample:
    """A random tree in a random state, with Kane's A and f and some further generalized forces τ."""

    def __init__(self, seed: int, n: int) -> None:
        rng = np.random.default_rng(seed)
        self.m = random_tree(rng, n, prescribed=True).build()
        self.state = self.m.state(*random_state(self.m, rng))
        e = kane.equations(self.state)
        self.A, self.f, self.tau = e.A, e.f, rng.normal(size=self.m.n_u)
        self.udot = np.linalg.solve(e.A, e.f + self.tau) if self.m.n_u else np.zeros(0)
        self.tree = Tree(self.state)

    @property
    def force_scale(self) -> float:
        """Of the terms whose difference inverse dynamics returns."""
        return 1.0 + largest(self.f) + largest(np.abs(self.A) @ np.abs(self.udot))


@settings(max_examples=examples(60), deadline=None)
@given(seeds, sizes)
def test_articulated_bodies_accelerate_as_kane_says(seed, n):
    x = Sample(seed, n)
    assert largest(articulated(x.tree, x.tau) - x.udot) <= EXACT * max(1.0, largest(x.udot))


@settings(max_examples=examples(60), deadline=None)
@given(seeds, sizes)
def test_newton_euler_inverts_kane_and_articulated_bodies(seed, n):
    x = Sample(seed, n)
    assert largest(newton_euler(x.tree, x.udot) - x.tau) <= EXACT * x.force_scale
    assert largest(newton_euler(x.tree, articulated(x.tree, x.tau)) - x.tau) <= EXACT * x.force_scale


@settings(max_examples=examples(60), deadline=None)
@given(seeds, sizes)
def test_newton_euler_is_kane_at_any_acceleration(seed, n):
    """τ = A u̇ − f, also where no motion under the mechanism's own forces has that u̇."""
    x = Sample(seed, n)
    udot = np.random.default_rng(seed).normal(size=x.m.n_u)
    assert largest(newton_euler(x.tree, udot) - (x.A @ udot - x.f)) <= EXACT * x.force_scale


@settings(max_examples=examples(60), deadline=None)
@given(seeds, sizes)
def test_composite_bodies_give_kanes_mass_matrix(seed, n):
    x = Sample(seed, n)
    A = composite(x.tree)
    assert A.shape == x.A.shape and (A == A.T).all()
    assert largest(A - x.A) <= EXACT * largest(x.A)


@settings(max_examples=examples(15), deadline=None)
@given(seeds)
def test_three_angles_and_three_translations_everywhere(seed):
    """Source E's eight-body tree: 48 freedoms, three-angle rotations, branching."""
    rng = np.random.default_rng(seed)
    m = eight_body_tree(rng).build()
    s = m.state(*random_state(m, rng))
    e, tree = kane.equations(s), Tree(s)
    udot = np.linalg.solve(e.A, e.f)
    assert largest(articulated(tree, np.zeros(48)) - udot) <= EXACT * largest(udot)
    assert largest(composite(tree) - e.A) <= EXACT * largest(e.A)


def test_gravity_alone_makes_everything_fall_alike():
    """Free bodies side by side, at rest: u̇ = (0, g), whatever their matter."""
    rng = np.random.default_rng(3)
    s = da.System("falling", gravity=(1.0, -2.0, 3.0))
    for k in range(4):
        s.add_body(f"b{k}", mass=1.0 + k, com=rng.normal(size=3), inertia=(1.0, 1.1, 1.2))
        s.add_joint(f"float{k}", da.Free(), "ground", f"b{k}")
    m = s.build()
    udot = articulated(Tree(m.state()), np.zeros(m.n_u))
    assert np.allclose(udot.reshape(4, 6), [0, 0, 0, 1, -2, 3], rtol=0, atol=1e-13)


def test_a_mechanism_without_freedoms_has_nothing_to_solve():
    s = da.System("fixed", gravity=(0, 0, -9.81))
    s.add_body("pillar", da.box(1.0, (1, 1, 1)))
    s.add_body("arm", da.box(1.0, (1, 1, 1)))
    s.add_joint("base", da.Weld(), "ground", "pillar")
    s.add_joint("turntable", da.Revolute(), "pillar", "arm", prescribed=lambda t: da.sin(t))
    tree = Tree(s.build().state(t=0.4))
    assert articulated(tree, np.zeros(0)).shape == newton_euler(tree, np.zeros(0)).shape == (0,)
    assert composite(tree).shape == (0, 0)
