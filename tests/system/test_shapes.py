"""The mass properties of shapes equal the integrals that define them, taken by quadrature exact for polynomials."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.vectors import across
from tests.effort import examples
from tests.mechanisms import matter, seeds, unit

NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)


def integrated(points, weights, mass):
    """Mass, mass centre and inertia about it of a cloud of points, scaled to the given mass."""
    w = np.asarray(weights) * mass / np.sum(weights)
    com = w @ points / mass
    r = points - com
    return mass, com, np.einsum("i,ij,ij", w, r, r) * np.eye(3) - np.einsum("i,ij,ik", w, r, r)


def assert_same(p: da.MassProperties, expected) -> None:
    for given_, wanted in zip((p.mass, p.com, p.inertia), expected, strict=True):
        assert np.allclose(np.asarray(given_, dtype=float), wanted, rtol=1e-12, atol=1e-13)


lengths = st.floats(0.1, 5.0)


@given(seeds, lengths, lengths)
def test_rod(seed, mass, length):
    axis = np.array(unit(np.random.default_rng(seed)))
    points = np.outer(0.5 * length * (1 + NODES), axis)
    assert_same(da.rod(mass, length, axis), integrated(points, WEIGHTS, mass))
    middle = integrated(points - 0.5 * length * axis, WEIGHTS, mass)
    assert_same(da.rod(mass, length, axis, com=(0, 0, 0)), middle)


@given(lengths, lengths, lengths, lengths)
def test_box(mass, a, b, c):
    x, y, z = np.meshgrid(0.5 * a * NODES, 0.5 * b * NODES, 0.5 * c * NODES, indexing="ij")
    w = np.einsum("i,j,k->ijk", WEIGHTS, WEIGHTS, WEIGHTS)
    points = np.stack([x.ravel() + 1.0, y.ravel(), z.ravel() - 2.0], axis=1)
    assert_same(da.box(mass, (a, b, c), com=(1, 0, -2)), integrated(points, w.ravel(), mass))


@settings(max_examples=examples(40))
@given(seeds, lengths, lengths, lengths)
def test_cylinder(seed, mass, radius, length):
    axis = np.array(unit(np.random.default_rng(seed)))
    e, f = across(axis)
    r, phi, z = np.meshgrid(
        0.5 * radius * (1 + NODES), 2 * np.pi * np.arange(6) / 6, 0.5 * length * NODES, indexing="ij"
    )
    w = np.einsum("i,j,k->ijk", WEIGHTS, np.ones(6), WEIGHTS) * r
    points = (r * np.cos(phi))[..., None] * e + (r * np.sin(phi))[..., None] * f + z[..., None] * axis
    assert_same(da.cylinder(mass, radius, length, axis), integrated(points.reshape(-1, 3), w.ravel(), mass))


@given(lengths, lengths)
def test_sphere(mass, radius):
    r, cosine, phi = np.meshgrid(0.5 * radius * (1 + NODES), NODES, 2 * np.pi * np.arange(6) / 6, indexing="ij")
    w = np.einsum("i,j,k->ijk", WEIGHTS, WEIGHTS, np.ones(6)) * r * r
    rho = r * np.sqrt(1 - cosine**2)
    points = np.stack([rho * np.cos(phi), rho * np.sin(phi), r * cosine], axis=-1).reshape(-1, 3)
    assert_same(da.sphere(mass, radius), integrated(points, w.ravel(), mass))


@given(seeds)
def test_a_sum_of_particles_is_the_sum_over_their_points(seed):
    rng = np.random.default_rng(seed)
    points, masses = rng.normal(size=(7, 3)), rng.uniform(0.1, 2.0, 7)
    whole = da.particle(masses[0], points[0])
    for m, x in zip(masses[1:], points[1:]):
        whole = whole + da.particle(m, x)
    assert_same(whole, integrated(points, masses, masses.sum()))


def test_a_box_is_the_sum_of_its_eight_octants():
    size = np.array([1.0, 2.0, 3.0])
    octants = [da.box(0.5, size / 2).moved(size / 4 * s) for s in np.ndindex(2, 2, 2) for s in [2 * np.array(s) - 1]]
    whole = octants[0]
    for part in octants[1:]:
        whole = whole + part
    expected = da.box(4.0, size)
    assert_same(whole, (expected.mass, expected.com, expected.inertia))


@given(seeds)
def test_moving_matter_moves_its_mass_centre_alone(seed):
    rng = np.random.default_rng(seed)
    p, by = matter(rng), rng.normal(size=3)
    assert_same(p.moved(by), (p.mass, p.com + by, p.inertia))


@pytest.mark.parametrize("make", [da.rod, da.sphere])
def test_shapes_take_named_parameters(make):
    s = da.System()
    m, size = s.parameter("m", 2.0), s.parameter("size", 0.5)
    s.add_body("b", make(m, size))
    s.add_joint("slide", da.Prismatic(), "ground", "b")
    body, expected = s.build().numeric.bodies[0], make(2.0, 0.5)
    assert_same(body, (expected.mass, expected.com, expected.inertia))
