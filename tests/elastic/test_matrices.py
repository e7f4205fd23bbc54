"""Reduced finite-element models: of a beam's own matrices, against the beam; and what is wrong is told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.io import mmwrite
from scipy.sparse import csr_array

import dalembert as da
from dalembert.elastic import FiniteElements, from_matrices, load_matrices
from dalembert.elastic.builders.reduction import craig_bampton, guyan
from dalembert.elastic.builders.straight_beam import _elements

STEEL = dict(E=2.1e11, rho=7850.0, A=4e-4, Iy=1.2e-8, Iz=1.5e-8)


@pytest.fixture(scope="module")
def bar() -> FiniteElements:
    model = _elements(2.0, 24, 2.1e11, 7850.0, 4e-4, 1.2e-8, 1.5e-8, None, None, None, True, {})
    coordinates = np.array([[x, 0.0, 0.0] for x in model.x])
    return FiniteElements(model.mass, model.stiffness, coordinates)


def test_craig_bampton_has_the_free_frequencies(bar: FiniteElements) -> None:
    exact = from_matrices(bar, {"a": [0], "b": [24]}, modes=8, reduction="free")
    reduced = from_matrices(bar, {"a": [0], "b": [24]}, modes=10)
    few = from_matrices(bar, {"a": [0], "b": [24]}, modes=0, reduction="guyan")
    assert np.linalg.norm(reduced.frequencies[:4] / exact.frequencies[:4] - 1.0, np.inf) < 2e-3
    assert 0.01 < few.frequencies[0] / exact.frequencies[0] - 1.0 < 0.3
    assert reduced.frame == "Buckens" and not reduced.stiffened


def test_attached_frame_holds_its_interface(bar: FiniteElements) -> None:
    made = from_matrices(bar, {"a": [0], "b": [24]}, modes=6, frame="a")
    assert max(np.abs(x).max() for x in (made.nodes["a"].Phi, made.nodes["a"].Psi)) < 1e-9
    beam = da.beam(2.0, **STEEL, modes=4, elements=24, stiffening=False)
    assert made.m == pytest.approx(beam.m, rel=1e-12)
    cantilever = np.sort(made.frequencies)[:2]
    assert cantilever == pytest.approx(beam.frequencies[:2], rel=0.02)


def test_guyan_and_craig_bampton_span_the_static_shapes(bar: FiniteElements) -> None:
    fixed = [0, 1, 2, 3, 4, 5, 144, 145, 146, 147, 148, 149]
    F = guyan(bar.K, fixed)
    assert np.abs(F[fixed] - np.eye(12)).max() == 0.0
    inner = np.setdiff1d(np.arange(len(bar.K)), fixed)
    assert np.abs((bar.K @ F)[inner]).max() < 1e-6 * np.abs(bar.K @ F).max()
    assert craig_bampton(bar.M, bar.K, fixed, 3).shape == (150, 15)


def test_files(bar: FiniteElements, tmp_path: Path) -> None:
    np.savez(tmp_path / "bar.npz", M=bar.M, K=bar.K, coordinates=bar.coordinates)
    mmwrite(tmp_path / "M.mtx", csr_array(bar.M))
    mmwrite(tmp_path / "K.mtx", csr_array(bar.K))
    np.savetxt(tmp_path / "nodes.txt", bar.coordinates)
    read = [
        load_matrices(tmp_path / "bar.npz"),
        load_matrices(tmp_path / "M.mtx", tmp_path / "K.mtx", tmp_path / "nodes.txt"),
    ]
    made = [from_matrices(x, {"a": [0], "b": [24]}, modes=4) for x in (bar, *read)]
    for other in made[1:]:
        assert other.frequencies == pytest.approx(made[0].frequencies, rel=1e-6)


def test_wrong_ones_are_told(bar: FiniteElements, tmp_path: Path) -> None:
    with pytest.raises(da.ModelError, match="25 nodes need M and K with 75 or 150 freedoms"):
        FiniteElements(bar.M[:7, :7], bar.K[:7, :7], bar.coordinates)
    with pytest.raises(da.ModelError, match="reduction='exact' is not known"):
        from_matrices(bar, {"a": [0]}, modes=1, reduction="exact")
    np.savez(tmp_path / "bad.npz", M=bar.M)
    with pytest.raises(da.ModelError, match="it has no K, coordinates"):
        load_matrices(tmp_path / "bad.npz")
    with pytest.raises(da.ModelError, match="hold no coordinates"):
        load_matrices(tmp_path / "M.mtx", tmp_path / "K.mtx")
