"""A solid bar against the beam of the same dimensions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

import dalembert as da
from dalembert.elastic import solid

skfem = pytest.importorskip("skfem")
L, B, H, E, NU, RHO = 2.0, 0.1, 0.12, 7e10, 0.0, 2700.0


@pytest.fixture(scope="module")
def bodies() -> tuple[da.ElasticBody, da.ElasticBody]:
    mesh = skfem.MeshHex.init_tensor(np.linspace(0, L, 13), np.array([-B / 2, B / 2]), np.array([-H / 2, H / 2]))
    ends = {"root": lambda x: np.abs(x[0]) < 1e-9, "tip": lambda x: np.abs(x[0] - L) < 1e-9}
    made = solid(mesh, E=E, nu=NU, rho=RHO, interfaces=ends, modes=6)
    Iy, Iz = B * H**3 / 12.0, H * B**3 / 12.0
    line = da.beam(
        L, E=E, rho=RHO, A=B * H, Iy=Iy, Iz=Iz, G=E / 2, shear=5 / 6, modes={"y": 2, "z": 2}, elements=24, static=False
    )
    return made, line


def test_mass_and_inertia(bodies: tuple[da.ElasticBody, da.ElasticBody]) -> None:
    made, _ = bodies
    assert made.m == pytest.approx(RHO * L * B * H, rel=1e-12)
    assert made.com == pytest.approx([L / 2, 0.0, 0.0], abs=1e-10)
    assert made.inertia == pytest.approx(da.box(made.m, (L, B, H)).inertia, rel=1e-10, abs=1e-9)
    assert made.nodes["root"].fixed or np.abs(made.nodes["root"].Phi).max() < 1e-9


def test_frequencies_of_the_clamped_bar(bodies: tuple[da.ElasticBody, da.ElasticBody]) -> None:
    made, line = bodies
    assert np.sort(made.frequencies)[:2] == pytest.approx(np.sort(line.frequencies)[:2], rel=0.01)


def test_centrifugal_stiffening_is_that_of_the_beam(bodies: tuple[da.ElasticBody, da.ElasticBody]) -> None:
    """The frequencies of bending at a spin about z, from Ke − ω²N, agree within the difference of the two theories."""
    from dalembert.elastic.spin import softening

    spin = 300.0
    found = [
        np.sqrt(eigh(b.Ke - spin**2 * softening(b, np.array([0, 0, 1.0])), b.Me, eigvals_only=True)[:2]) for b in bodies
    ]
    assert found[0] == pytest.approx(found[1], rel=0.015)
    assert found[0][0] > bodies[0].frequencies[0] * 1.02


def test_foreshortening_of_the_tip(bodies: tuple[da.ElasticBody, da.ElasticBody]) -> None:
    """Per squared deflection of the tip in the first mode, nearly 1.16/L for a cantilever's first mode."""
    for body in bodies:
        tip, first = body.nodes["tip"], eigh(body.Ke, body.Me)[1][:, 0]
        across = np.linalg.norm(tip.Phi[1:] @ first)
        assert first @ tip.G[:, :, 0] @ first == pytest.approx(-1.16 / L * across**2, rel=0.04)


def test_what_is_missing_is_told() -> None:
    mesh = skfem.MeshHex.init_tensor(*[np.linspace(0, 1, 2)] * 3)
    with pytest.raises(da.ModelError, match='interface "far" has 0 nodes'):
        solid(mesh, E=1.0, nu=0.3, rho=1.0, interfaces={"far": lambda x: x[0] > 5}, modes=1)
    with pytest.raises(da.ModelError, match=r"MeshTri1? is no solid mesh"):
        solid(skfem.MeshTri(), E=1.0, nu=0.3, rho=1.0, interfaces={}, modes=1)
