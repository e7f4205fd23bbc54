"""Choosing modes: effective masses against closed forms, truncation that changes nothing else, and a study of how many are enough."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli.app import app
from dalembert.elastic import buckens, participation, truncated
from dalembert.elastic.inertia import Deformed

from .particles import lumps

BEAM = dict(E=7e10, rho=2700.0, A=1e-4, Iy=2e-9, Iz=3e-9)


def test_effective_masses_of_a_clamped_beam() -> None:
    """4 (σ/βL)² of the mass: 61.3, 18.8, 6.5, 3.3 %."""
    found = participation(da.beam(2.0, **BEAM, modes={"y": 4}, static=False, elements=32))
    assert found.parts[:, 1] == pytest.approx([0.6131, 0.1883, 0.0647, 0.0331], abs=2e-4)
    assert np.abs(found.parts[:, [0, 2, 3, 4]]).max() < 1e-12
    assert found.parts[0, 5] == pytest.approx(0.9707, abs=2e-4)  # about z, of m L²/3


def test_all_modes_together_have_all_that_can_move() -> None:
    """Of a chain of nodal bodies with all its modes, the mass but for the fixed body's; along each axis and about it."""
    K = np.zeros((18, 18))
    for i in (0, 1):
        d = np.zeros((6, 18))
        d[:, 6 * i : 6 * i + 6], d[:, 6 * i + 6 : 6 * i + 12] = np.eye(6), -np.eye(6)
        d[0:3, 6 * i + 3 : 6 * i + 6] = np.array([[0, 0, 0], [0, 0, 1], [0, -1, 0]])  # a rigid turn strains nothing
        K += d.T @ np.diag([5.0, 6.0, 7.0, 1.0, 2.0, 3.0]) @ d
    bodies = [da.box(m, (0.3, 0.2, 0.4)) for m in (5.0, 1.0, 2.0)]
    body = da.elastic.nodal_bodies([[0, 0, 0], [1, 0, 0], [2, 0, 0]], bodies, K, modes=12, fixed=0, nodes={})
    assert participation(body).effective[:, :3].sum(axis=0) == pytest.approx([3.0] * 3, rel=1e-9)
    moving = 1.0 + 2.0 * 4.0  # m x², of the bodies that move
    own = sum(np.diag(b.inertia) for b in bodies[1:])
    assert participation(body).effective[:, 3:].sum(axis=0) == pytest.approx(
        own + np.array([0.0, moving, moving]), rel=1e-9
    )


def test_a_free_frame_excites_nothing_and_says_so() -> None:
    made = buckens(da.beam(2.0, **BEAM, modes={"y": 2}, support="free"))
    assert np.abs(participation(made).parts).max() < 1e-9 and "attached to a node" in str(participation(made))


def test_fewer_modes_are_the_others_kept_at_zero() -> None:
    rng = np.random.default_rng(1)
    body = lumps(rng, 3).body(rng, second_order=True)
    fewer = truncated(body, ["mode1", "mode3"])
    q, qd, w = rng.normal(size=2), rng.normal(size=2), rng.normal(size=3)
    whole, part = Deformed(body, np.array([q[0], 0.0, q[1]])), Deformed(fewer, q)
    assert np.allclose(part.J, whole.J) and np.allclose(part.c, whole.c) and np.allclose(part.Cr, whole.Cr[[0, 2]])
    assert np.allclose(part.bias(w, qd)[2], whole.bias(w, np.array([qd[0], 0.0, qd[1]]))[2][[0, 2]])
    assert fewer.modes == ("mode1", "mode3") and fewer.nodes["n0"].Phi.shape == (3, 2)
    with pytest.raises(da.ModelError, match="no mode 'mode9'"):
        truncated(body, ["mode9"])
    with pytest.raises(da.ModelError, match="5 modes are wanted of a body that has 3"):
        truncated(body, 5)


def craft() -> da.System:
    s = da.System("craft")
    s.add_body("hub", da.box(5.0, (0.4, 0.4, 0.4)))
    s.add_joint("shaft", da.Revolute(), "ground", "hub")
    s.add_body("arm", elastic=da.beam(2.0, **BEAM, modes={"y": 4}, elements=8))
    s.add_joint("root", da.Weld(), "hub", "arm", at_parent=(0.2, 0, 0), at_child="root")
    s.initial = {"arm": [0.0, 0.0, 0.0, 0.0]}
    return s


def test_a_study_of_how_many_are_enough() -> None:
    study = craft().truncation_study()
    assert study.counts == (1, 2, 3, 4) and np.isnan(study.values[0, 1:]).all()
    first = study.values[:, 0]
    assert all(a >= b for a, b in pairwise(first))  # fewer modes are stiffer
    assert study.enough(0.5) <= study.enough(0.01) <= 4
    assert "from " in str(study) and len(str(study).splitlines()) == 2 + 4 + 3
    tip = craft().truncation_study([1, 4], lambda m: [b.data.frequencies[0] for b in m.bodies if b.modes])
    assert tip.names == ("measure 1",) and tip.errors[0, 0] < 0.05
    assert list(study.to_dict()) == ["modes", "f1, Hz", "f2, Hz", "f3, Hz", "f4, Hz"]
    with pytest.raises(da.ModelError, match="from 0 to 4"):
        craft().truncation_study([7])
    with pytest.raises(da.ModelError, match='"hub" is no elastic body'):
        craft().truncation_study(bodies=["hub"])


def test_the_plot_has_a_curve_for_each_measure() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    ax = craft().truncation_study([2, 3, 4]).plot()
    assert len(ax.lines) == 4 and ax.get_yscale() == "log"


def test_the_command_tells_and_draws(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    path = tmp_path / "craft.yaml"
    craft().save(path)
    picture = tmp_path / "study.png"
    told = CliRunner().invoke(app, ["modes", str(path), "--study", "-o", str(picture)])
    assert told.exit_code == 0, told.output
    assert "effective mass" in told.output and "within 1 %" in told.output and picture.stat().st_size > 1000
    as_json = CliRunner().invoke(app, ["modes", str(path), "--json"])
    assert list(json.loads(as_json.output)["bodies"]) == ["arm"]
    wrong = CliRunner().invoke(app, ["modes", "four_bar"])
    assert wrong.exit_code != 0
