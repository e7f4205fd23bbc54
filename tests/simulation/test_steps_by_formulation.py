"""Steps are asked for by the motion, not by the speeds in which it is written: singular choices of rows are met in all of them."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.formulations import FORMULATIONS
from dalembert.kernels.rhs.formulation_rhs import FormulationRightHandSide
from dalembert.kernels.rhs.right_hand_side import RowsToKeep

ABSOLUTE = ["hooker", "barycentric", "newton_euler", "newton_euler_rotations", "newton_euler_root"]


def bricard() -> da.Mechanism:
    return da.load("examples/bricard.yaml")


@pytest.mark.parametrize("formulation", [*ABSOLUTE, "momentum"])
def test_a_redundant_loop_takes_as_many_steps_in_other_speeds(formulation: str) -> None:
    """Four of Bricard's five rows are kept; at some poses they are dependent though the motion is not singular there."""
    m = bricard()
    kane = m.simulate(10.0, rtol=1e-6, output=1.0)
    other = m.simulate(10.0, rtol=1e-6, output=1.0, formulation=formulation, constraints="sparse_augmented")
    assert other.record["steps"] <= 2 * kane.record["steps"]
    assert np.abs(other.q - kane.q).max() <= 1e-4


def test_speeds_of_separate_parts_are_measured_apart() -> None:
    """Two four-bars in one system: every velocity of a body belongs to the part whose joints move it."""
    s = da.System("two")
    for k, size in ((1, 1.0), (2, 100.0)):
        parent = "ground"
        for i, length in enumerate((1.0, 2.0)):
            s.add_body(f"bar{k}{i}", da.rod(1.0, length * size))
            s.add_joint(f"J{k}{i}", da.Revolute(), parent, f"bar{k}{i}", at_parent=(0 if i == 0 else size, 0, 0))
            parent = f"bar{k}{i}"
        s.add_constraint(f"rail{k}", da.OnPlane((parent, (2 * size, 0, 0)), "ground", (0, 1, 0)))
    m = s.build()
    assert len(m.parts) == 2
    form = FORMULATIONS["newton_euler"]
    found = FormulationRightHandSide(m, form, "sparse_augmented", RowsToKeep((0, 1))).parts_of_speeds
    expected = [int(name.startswith("bar2")) for name in form.speeds(m)]
    moving = [i for i, name in enumerate(form.speeds(m)) if name.rpartition(".")[2] in ("wz", "vx", "vy")]
    assert [found[i] for i in moving] in ([expected[i] for i in moving], [1 - expected[i] for i in moving])
