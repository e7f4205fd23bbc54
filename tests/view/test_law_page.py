"""Laws on the page: marks on the axis of time, forces, gaps and states over it; also of a motion of which a part is shown."""

from __future__ import annotations

import base64

import numpy as np
import pytest

import dalembert as da
from dalembert.view.contact_arrows import contact_arrows
from dalembert.view.law_series import law_charts, marks
from dalembert.view.page import page_data
from dalembert.view.shown_samples import restricted

from ..laws.models import G, thrown_ball


def decoded(packed):
    return np.frombuffer(base64.b64decode(packed["base64"]), "<f8" if packed["type"] == "float64" else "<f4")


@pytest.fixture(scope="module")
def motion():
    return thrown_ball().build().simulate(6.0, {"J.y": 1.0}, {"J.x": 10.0})


def test_impacts_and_changes_of_mode_are_marked(motion):
    found = marks(motion)
    assert [name for name, _, kind in found if kind == "hit"] == ["floor is hit"] * len(motion.impacts)
    assert ("floor: stick", motion.modes[-1].t, "mode") in found
    assert [t for _, t, _ in found] == sorted(t for _, t, _ in found)


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
    assert any(name == "floor is hit" for name, *_ in made["events"])
    assert {"law_force", "law_gap", "law_state"} <= {c["key"] for c in made["charts"]}


def test_contacts_are_drawn_where_they_touch_with_the_force_on_what_moves(motion):
    arrows, m = contact_arrows(motion, motion.mechanism.numeric), motion.mechanism
    at, force = (decoded(arrows[name]).reshape(len(motion), 1, 3) for name in ("at", "force"))
    assert arrows["names"] == ["floor"]
    assert at[:, 0] == pytest.approx(motion.position("ball"), abs=1e-12)
    closed = motion.contacts["floor"].normal[:, 0] > 0.0
    slides = closed & (motion["J.x'"] > 0.1)
    assert closed.any() and slides.any()
    assert force[closed, 0, 1] == pytest.approx(G) and not force[~closed].any()
    assert force[slides, 0, 0] == pytest.approx(-0.2 * G)
    assert [t for t, _ in arrows["hits"]] == [x.t for x in motion.impacts] and m.n_bodies == 1


def test_arrows_show_the_force_on_the_body_that_moves_whichever_is_named_first():
    pull = {}
    for turned in (False, True):
        s = da.System("ball", gravity=(0, 0, -G))
        s.add_body("ball", da.sphere(mass=1.0, radius=0.1))
        s.add_joint("J", da.Free(), "ground", "ball")
        surfaces = [da.surfaces.sphere("ball", 0.1), da.surfaces.plane()]
        s.add_law("floor", da.PairContact(*(reversed(surfaces) if turned else surfaces), mu=0.5))
        s.add_body("bob", mass=1.0, inertia=(1, 1, 1))
        s.add_joint("z", da.Prismatic((0, 0, 1)), "ground", "bob")
        ends = ("ground", "bob") if turned else ("bob", "ground")
        s.add_law("rope", da.Rope(*ends, length=1.0))
        moved = s.build().simulate(0.2, {"J.z": 0.1, "z": -1.0}, {"J.vx": 3.0})
        pull[turned] = decoded(contact_arrows(moved, moved.mechanism.numeric)["force"]).reshape(len(moved), 2, 3)[0]
    for forces in pull.values():
        assert forces == pytest.approx(np.array([[-0.5 * G, 0, G], [0, 0, G]]), abs=1e-5)
