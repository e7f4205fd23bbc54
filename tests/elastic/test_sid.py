"""SID files: what is written is read again, and gives the same equations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.elastic import read_sid, write_sid
from dalembert.elastic.inertia import Deformed
from dalembert.elastic.sid import matrices

from .particles import lumps


def test_round_trip_gives_the_same_equations(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    body = lumps(rng, 3).body(rng, second_order=True)
    write_sid(body, tmp_path / "body.SID_FEM")
    read = read_sid(tmp_path / "body.SID_FEM")
    q, qd, w, v = 0.1 * rng.normal(size=3), rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
    for a, b in ((Deformed(body, q), Deformed(read, q)),):
        assert np.abs(a.mass_matrix() - b.mass_matrix()).max() < 1e-13
        assert np.abs(np.concatenate(a.bias(w, qd)) - np.concatenate(b.bias(w, qd))).max() < 1e-12
        assert np.abs(np.concatenate(a.momenta(w, v, qd)) - np.concatenate(b.momenta(w, v, qd))).max() < 1e-12
    assert read.m == body.m and np.array_equal(read.Ke, body.Ke) and list(read.nodes) == list(body.nodes)
    for name, node in body.nodes.items():
        for part in ("r", "Phi", "Psi", "G", "Gam"):
            assert np.array_equal(getattr(node, part), getattr(read.nodes[name], part))


def test_gyroscopic_matrices_are_those_of_the_equations() -> None:
    """Gr and Ge multiply q̇ω in the turning and the modal equations at q = 0; Oe the products of ω."""
    rng = np.random.default_rng(4)
    body = lumps(rng, 2).body(rng, second_order=True)
    t = matrices(body)
    w, qd = rng.normal(size=3), rng.normal(size=2)
    still = Deformed(body, np.zeros(2))
    turning, _, modal = still.bias(w, qd)
    J = t["J"].M0
    second = still.bias(np.zeros(3), qd)[0]
    Gr = sum(qd[k] * t["Gr"].M0[:, 3 * k : 3 * k + 3] @ w for k in range(2))
    assert turning == pytest.approx(np.cross(w, J @ w) + Gr + second, abs=1e-12)
    Ge = sum(qd[k] * t["Ge"].M0[:, 3 * k : 3 * k + 3] @ w for k in range(2))
    products = np.array([w[0] ** 2, w[1] ** 2, w[2] ** 2, w[0] * w[1], w[1] * w[2], w[0] * w[2]])
    assert modal == pytest.approx(t["Oe"].M0 @ products + Ge, abs=1e-12)


def test_what_is_no_sid_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    path.write_text("mass = 1.0\n")
    with pytest.raises(da.ModelError, match='it has no line "nelastq'):
        read_sid(path)
