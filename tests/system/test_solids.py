"""Solids: the mass that follows from a form and a density."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.parts import solids
from dalembert.parts.solids import matter_of

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
    m = matter_of([solids.SolidCapsule(r, l, density=2.0)])
    assert np.isclose(m.mass, 2.0 * volume, rtol=1e-12)
    assert np.allclose(m.inertia, 2.0 * np.diag([across, across, along]), rtol=1e-12)


def test_several_solids_make_one_body():
    turned = da.Frame((0, 0, 1), da.turn(np.array([1.0, 0, 0]), np.pi / 2))
    made = matter_of(
        [solids.SolidBox((1, 2, 3), density=2.0), solids.SolidCylinder(0.1, 1.0, mass=3.0, at=turned, colour="red")]
    )
    expected = da.box(12.0, (1, 2, 3)) + da.cylinder(3.0, 0.1, 1.0, axis=(0, -1, 0), com=(0, 0, 1))
    assert np.isclose(made.mass, expected.mass)
    assert np.allclose(made.com, expected.com)
    assert np.allclose(made.inertia, expected.inertia)
    assert np.allclose(made.shapes[1].at.rotation[:, 2], (0, -1, 0))
    assert made.shapes[1].colour == da.shapes.COLOURS["red"]


def test_a_bar_is_a_rod_or_a_cylinder_between_two_points():
    a, b = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.0, 4.0])
    length = float(np.linalg.norm(b - a))
    axis = (b - a) / length
    thin, thick = (matter_of([solids.SolidBar(a, b, mass=2.0, radius=r)]) for r in (None, 0.1))
    rod, cylinder = da.rod(2.0, length, axis).moved(a), da.cylinder(2.0, 0.1, length, axis, com=0.5 * (a + b))
    for made, expected in ((thin, rod), (thick, cylinder)):
        assert np.allclose(made.com, expected.com) and np.allclose(made.inertia, expected.inertia)
    assert np.isclose(solids.SolidBar(a, b, density=3.0, radius=0.1).weight, 0.03 * np.pi * length)


def test_densities_are_volumes_times_them():
    for solid, volume in (
        (solids.SolidSphere(0.5, density=3.0), np.pi / 6),
        (solids.SolidCylinder(0.5, 2.0, density=3.0), np.pi / 2),
        (solids.SolidRod(2.0, radius=0.1, density=3.0), 0.02 * np.pi),
        (solids.SolidBox((1, 2, 3), density=3.0), 6.0),
    ):
        assert np.isclose(solid.properties().mass, 3.0 * volume)


def test_wrong_solids_are_refused():
    for make, says in (
        (lambda: solids.SolidBox((1, 1, 1)), "mass or its density"),
        (lambda: solids.SolidBox((1, 1, 1), mass=1, density=1), "mass or its density"),
        (lambda: matter_of([solids.SolidRod(1.0, density=1.0)]), "radius"),
        (lambda: matter_of([solids.SolidParticle(density=1.0)]), "no density"),
        (lambda: matter_of([]), "at least one"),
    ):
        with pytest.raises(da.ModelError, match=says):
            make()
