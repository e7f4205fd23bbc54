"""Rows of constraints keep their digits wherever in the world a mechanism stands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.kinematics.constraint_rows import constraint_rows

FAR = np.array([6e5, -7e5, 4e5])
CONSTRAINTS = {
    "a joint": None,
    "Distance": da.Distance(("slide", (0.1, 0.0, 0.2)), ("rod", (0.5, 0.1, 0.0)), 0.7),
    "OnLine": da.OnLine(("rod", (0.5, 0.1, 0.0)), ("slide", (0.1, 0.0, 0.2)), (0.6, 0.0, 0.8)),
    "OnPlane": da.OnPlane(("rod", (0.5, 0.1, 0.0)), ("slide", (0.1, 0.0, 0.2)), (0.6, 0.0, 0.8)),
    "RollingBall": da.RollingBall(("rod", (0.5, 0.1, 0.0)), 0.2, "slide", (0.0, 0.6, 0.8)),
    "RollingDisc": da.RollingDisc(("rod", (0.5, 0.1, 0.0)), 0.2, "slide", (0.0, 0.6, 0.8)),
}


def standing(at: Any, constraint: da.Constraint | None) -> da.Mechanism:
    s = da.System("far off")
    s.add_body("slide", da.rod(1.0, 0.5))
    s.add_body("rod", da.rod(1.0, 0.7))
    s.add_joint("S", da.Prismatic((0.8, 0.6, 0.0)), "ground", "slide", at)
    s.add_joint("B", da.Spherical("angles"), "slide", "rod", (0.3, 0.0, 0.1), (-0.2, 0.0, 0.0))
    if constraint is None:
        s.add_joint("P", da.Cylindrical((0.0, 1.0, 0.0)), "slide", "rod", (0.1, 0.2, 0.0), (0.3, 0.1, 0.0))
        s.cut = ("P",)
    else:
        s.add_constraint("C", constraint)
    return s.build()


@pytest.mark.parametrize("constraint", CONSTRAINTS.values(), ids=CONSTRAINTS)
def test_rows_are_those_of_the_mechanism_at_home(constraint: da.Constraint | None) -> None:
    q, u = np.array([0.37, 0.4, -0.3, 0.8]), np.array([0.5, -0.2, 0.3, 0.7])
    near, far = (constraint_rows(standing(at, constraint).state(q, u)) for at in (np.zeros(3), FAR))
    for name in ("g", "B", "b", "gamma"):
        assert getattr(far, name) == pytest.approx(getattr(near, name), abs=1e-13, nan_ok=True), name


def test_relations_and_what_derives_from_others_see_the_world() -> None:
    """They may look at places themselves, not only at differences of them."""

    class Higher(da.OnPlane):
        def residual(self, s: Any) -> Any:
            return np.array([s.position(self.follower)[2]])

    relation = da.Relation(position=lambda s: s.position("rod")[2])
    for constraint in (relation, Higher("rod", "ground")):
        m = standing(FAR, constraint)
        s = m.state(np.zeros(4), np.zeros(4))
        assert constraint_rows(s).g == pytest.approx([s.position("rod")[2]])
