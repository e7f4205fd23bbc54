"""Changes of the floating frame: conditions met, moments as if the body had been made so, and nothing else changed."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.elastic import ElasticBody, attached, beam, buckens, principal
from dalembert.elastic.inertia import Deformed
from dalembert.elastic.node_motion import NodeMotion
from dalembert.elastic.tensors import axial

from .beams import spin_up_beam


@pytest.fixture(scope="module")
def dumbbell() -> ElasticBody:
    """A bar with a rigid body on each end, off the axis: nothing is symmetric."""
    ends = {
        0.0: da.box(2.0, (0.3, 0.5, 0.4), com=(0.0, 0.1, 0.05)),
        3.0: da.box(1.0, (0.2, 0.7, 0.3), com=(0.1, 0, 0.1)),
    }
    return beam(
        3.0, E=7e10, rho=2700.0, A=1e-4, Iy=2e-10, Iz=1e-10, modes={"y": 2, "z": 2, "torsion": 1}, bodies=ends,
        nodes={"middle": 1.5}, elements=12,
    )  # fmt: skip


def test_buckens_conditions(dumbbell: ElasticBody) -> None:
    b = buckens(dumbbell)
    c = b.com
    scale = np.abs(dumbbell.S[1:]).max()
    assert np.abs(b.S[1:]).max() < 1e-12 * scale
    assert np.abs(axial(b.P[0, 1:] - c[:, None] * b.S[1:, None, :])).max() < 1e-12 * scale
    assert np.abs(b.G0).max() < 1e-12 * np.abs(dumbbell.G0).max()
    assert np.abs(axial(b.H)).max() < 1e-11 * np.abs(dumbbell.H).max()


def test_principal_axes_are_kept_to_first_order(dumbbell: ElasticBody) -> None:
    """Products of inertia in the undeformed principal axes grow with the square of the deformation."""
    b = principal(dumbbell)
    V = np.linalg.eigh(b.P[0, 0] - b.m * np.outer(b.com, b.com))[1]
    direction = np.array([1.0, -0.5, 0.7, 0.3, 0.4])
    off = []
    for size in (1e-2, 1e-3):
        at = Deformed(b, size * direction)
        turned = V.T @ (at.P - np.outer(at.c, at.c) / b.m) @ V
        off.append(np.abs(turned - np.diag(np.diag(turned))).max())
    assert off[0] / off[1] == pytest.approx(100.0, rel=0.05)


def test_attached_frame_holds_its_node(dumbbell: ElasticBody) -> None:
    b = attached(buckens(dumbbell), "middle")
    node = b.nodes["middle"]
    assert max(np.abs(x).max() for x in (node.Phi, node.Psi, node.G, node.Gam)) < 1e-12


def test_there_and_back(dumbbell: ElasticBody) -> None:
    back = attached(buckens(dumbbell), "root")
    for name in ("S", "P", "G0", "H"):
        a, b = getattr(dumbbell, name), getattr(back, name)
        assert np.abs(a - b).max() < 2e-10 * np.abs(a).max(), name


@pytest.mark.parametrize("change", [buckens, principal, lambda b: attached(b, "tip")])
def test_a_frame_sees_the_same_body(dumbbell: ElasticBody, change) -> None:
    """Distances between nodes and central moments of inertia agree to the third order of the deformation."""
    other = change(dumbbell)
    direction = np.array([0.6, -0.5, 0.7, 0.3, 0.4])
    errors = []
    for size in (0.02, 0.01):
        q = size * direction
        seen = []
        for b in (dumbbell, other):
            x = [NodeMotion(n, q).x for n in b.nodes.values()]
            R = [NodeMotion(n, q).R for n in b.nodes.values()]
            at = Deformed(b, q)
            central = at.P - np.outer(at.c, at.c) / b.m
            turned = R[0].T @ R[1]
            seen.append([*(np.linalg.norm(a - x[0]) for a in x[1:]), *turned.ravel(), *np.linalg.eigvalsh(central)])
        errors.append(np.abs(np.array(seen[0]) - seen[1]).max())
    assert errors[0] / errors[1] > 7.0


def test_free_modes_are_buckens_modes() -> None:
    free, made = spin_up_beam(support="free"), spin_up_beam()
    assert np.abs(free.S[1:]).max() < 1e-9 and free.frame == "Buckens"
    assert np.abs(buckens(made).S[1:]).max() < 1e-12


def test_equal_moments_are_said() -> None:
    assert "undetermined" in principal(spin_up_beam(support="free")).frame
