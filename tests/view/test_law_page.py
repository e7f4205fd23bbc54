"""Laws on the page: marks on the axis of time, forces, gaps and states over it; also of a motion of which a part is shown."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.view.law_series import law_charts, marks
from dalembert.view.page import page_data
from dalembert.view.shown_samples import restricted

from ..laws.models import thrown_ball


@pytest.fixture(scope="module")
def motion():
    return thrown_ball().build().simulate(6.0, {"J.y": 1.0}, {"J.x": 10.0})


def test_impacts_and_changes_of_mode_are_marked(motion):
    found = marks(motion)
    assert [name for name, _ in found if name == "floor is hit"] == ["floor is hit"] * len(motion.impacts)
    assert ("floor: stick", motion.modes[-1].t) in found
    assert [t for _, t in found] == sorted(t for _, t in found)


def test_forces_gaps_and_states_are_plotted(motion):
    found = {c.key: c for c in law_charts(motion)}
    assert found["law_gap"].values[:, 0] == pytest.approx(motion.contacts["floor"].gap[:, 0])
    assert found["law_force"].names == ("floor presses", "floor friction")
    assert set(np.unique(found["law_state"].values)) <= {1.0, 2.0, 3.0}


def test_a_part_of_the_samples_keeps_its_own_forces(motion):
    chosen = np.arange(0, len(motion), 7)
    part = restricted(motion, chosen)
    assert part.contacts["floor"].normal == pytest.approx(motion.contacts["floor"].normal[chosen])
    assert part.energy().balance == pytest.approx(motion.energy().balance[chosen])
    assert len(part.impacts) == len(motion.impacts)


def test_the_page_has_them(motion):
    made = page_data(motion, None, None, 200_000)
    assert any(name == "floor is hit" for name, _ in made["events"])
    assert {"law_force", "law_gap", "law_state"} <= {c["key"] for c in made["charts"]}
