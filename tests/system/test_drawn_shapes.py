"""Shapes: what is drawn, and the mass that follows from a density."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.system.bodies import matter_of

NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)


def test_a_capsule_weighs_what_its_volume_says():
    """By quadrature over its profile: discs of radius r(z)."""
    r, l = 0.3, 0.8
    pieces = [(-0.5 * l - r, -0.5 * l), (-0.5 * l, 0.5 * l), (0.5 * l, 0.5 * l + r)]
    volume = along = across = 0.0
    for a, b in pieces:
        z, w = 0.5 * (a + b) + 0.5 * (b - a) * NODES, 0.5 * (b - a) * WEIGHTS
        rho2 = r * r - np.clip(np.abs(z) - 0.5 * l, 0.0, None) ** 2
        disc = np.pi * rho2
        volume, along = volume + w @ disc, along + w @ (0.5 * disc * rho2)
        across += w @ (disc * (0.25 * rho2 + z * z))
    capsule = da.shapes.Capsule(r, l, density=2.0)
    m = matter_of([capsule])
    assert m is not None
    assert np.isclose(m.mass, 2.0 * volume, rtol=1e-12)
    assert np.allclose(m.inertia, 2.0 * np.diag([across, across, along]), rtol=1e-12)


def test_heavy_shapes_make_the_body():
    s = da.System()
    turned = da.Frame((0, 0, 1), da.turn(np.array([1.0, 0, 0]), np.pi / 2))
    s.add_body("b", shapes=[da.shapes.Box((1, 2, 3), density=2.0), da.shapes.Cylinder(0.1, 1.0, mass=3.0, at=turned)])
    upright = da.cylinder(3.0, 0.1, 1.0, axis=(0, -1, 0), com=(0, 0, 1))
    expected = da.box(12.0, (1, 2, 3)) + upright
    made = s.bodies["b"]
    assert np.isclose(made.mass, expected.mass)
    assert np.allclose(made.com, expected.com)
    assert np.allclose(made.inertia, expected.inertia)


def test_functions_of_matter_are_drawn_where_they_are():
    whole = da.rod(1.0, 2.0, com=(0, 0, 0)) + da.sphere(1.0, 0.5).moved((1, 0, 0))
    first, second = whole.shapes
    assert np.allclose(first.at.position, (-1, 0, 0))
    assert np.allclose(second.at.position, (1, 0, 0))


def test_a_mechanism_knows_its_shapes_with_numbers_for_parameters():
    s = da.System()
    l = s.parameter("l", 2.0)
    s.add_body("rod", da.rod(1.0, l))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    s.add_shape("ground", da.shapes.Line([(0, 0, 0), (l, 0, 0)]))
    m = s.build().numeric
    assert m.shapes["rod"][0].length == 2.0
    assert m.shapes["ground"][0].points.tolist() == [[0, 0, 0], [2, 0, 0]]


def test_mass_and_heavy_shapes_contradict_each_other():
    s = da.System()
    with pytest.raises(da.ModelError, match="one or the other"):
        s.add_body("b", mass=1.0, shapes=[da.shapes.Box((1, 1, 1), density=1.0)])
    with pytest.raises(da.ModelError, match="colour"):
        da.shapes.Box((1, 1, 1), colour="rgb(1,2,3)")
