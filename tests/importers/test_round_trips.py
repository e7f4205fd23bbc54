"""An imported robot can be saved as a model file; read again it is the same mechanism."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from tests.importers.robots import write
from tests.importers.test_damaged_files import MJCF, URDF

EXAMPLE = (Path(__file__).parents[2] / "examples" / "robot.urdf").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "text"), [("r.urdf", URDF), ("arm.urdf", EXAMPLE), ("m.xml", MJCF)], ids=["urdf", "arm", "mjcf"]
)
def test_saved_robots_are_the_same_mechanism(tmp_path, name, text):
    write(tmp_path, "other.xml", "<mujocoinclude/>")
    imported = da.load_robot(write(tmp_path, name, text))
    imported.system.save(tmp_path / "robot.yaml")
    first, again = imported.build(), da.load(tmp_path / "robot.yaml")
    assert again.coordinates == first.coordinates and again.parameters == first.parameters
    assert [c.name for c in again.cuts] == [c.name for c in first.cuts] == list(imported.system.cut)
    assert [len(b.shapes) for b in again.bodies] == [len(b.shapes) for b in first.bodies]
    rng = np.random.default_rng(1)
    q, u = first.admissible(first.reference + rng.uniform(-0.5, 0.5, first.n_q)), rng.uniform(-1, 1, first.n_u)
    one, two = first.state(q, u), again.state(q, u)
    for a, b in zip(one.poses, two.poses, strict=True):
        assert np.array_equal(a.R, b.R) and np.array_equal(a.p, b.p)
    assert np.array_equal(first.mass_matrix(q), again.mass_matrix(q))
    assert dict(again.plan.initial) == imported.system.initial
