"""The index of a gallery: a card for every model, its thumbnail moving, its page behind it."""

from __future__ import annotations

import base64

import numpy as np
import pytest

import dalembert as da
from dalembert.view import GalleryEntry, gallery
from dalembert.view.drawing.thumbnail import thumbnail
from dalembert.view.drawing.wires import deflections, wire
from tests.view.conftest import Watched

PICTURE = "document.querySelectorAll('canvas')[{}].toDataURL()"


@pytest.fixture(scope="module")
def index(loop_motion, tree_motion, tmp_path_factory):
    entries = [GalleryEntry("four_bar", "one <loop>", loop_motion), GalleryEntry("pendulums", "no loop", tree_motion)]
    return gallery(iter(entries), tmp_path_factory.mktemp("gallery") / "new" / "folder")


def test_every_model_has_a_moving_thumbnail_and_a_page(browser, index):
    watched = Watched(browser, f"file://{index}")
    cards = watched.page.locator("main a")
    assert [c.get_attribute("href") for c in cards.all()] == ["four_bar.html", "pendulums.html"]
    assert all((index.parent / c.get_attribute("href")).stat().st_size > 100_000 for c in cards.all())
    assert "one <loop>" in cards.first.inner_text() and "3 bodies, 1 loop" in cards.first.inner_text()
    watched.until("dalembert.cards.every(c => c.drawing.now > 0)")
    for i in range(2):
        before = watched(PICTURE.format(i))
        watched.until(f"{PICTURE.format(i)} !== '{before}'")
    watched.page.fill("#find", "pendul")
    assert [c.is_visible() for c in cards.all()] == [False, True]
    watched.page.click("#theme")
    assert watched("document.documentElement.dataset.theme") == "dark"
    watched.assert_quiet()
    watched.page.close()


def test_elastic_bodies_bend_in_their_thumbnails():
    """Straight pieces are left out; the points drawn are displaced as in the motion, enlarged so that it is seen."""
    s = da.System("blade", gravity=(0, -9.81, 0))
    s.add_body("blade", elastic=da.beam(2.0, E=2e9, rho=2000.0, A=1e-4, Iy=2e-9, Iz=2e-9, modes={"y": 2}))
    s.add_joint("root", da.Revolute(), "ground", "blade", at_child="root")
    motion = s.build().simulate(0.5, output=0.05)
    drawing = thumbnail(motion)
    ((body, _, edges, points),) = drawing["wires"]
    assert body == 1 and len(edges) == points["shape"][1] - 1 and not drawing["solids"]
    drawn = np.frombuffer(base64.b64decode(points["base64"]), dtype="float32").reshape(points["shape"])
    w = wire(1, motion.mechanism.bodies[0])
    assert np.allclose(drawn, w.points + drawing["bending"] * deflections(motion, w), atol=1e-5)
    assert np.ptp(drawn[:, -1, 1]) > 0.02


def test_the_index_is_small(index):
    assert index.stat().st_size < 200_000


@pytest.mark.parametrize("name", ["a/b", "index", "..", ""])
def test_names_that_are_no_file_names_are_refused(name, tree_motion, tmp_path):
    with pytest.raises(da.DalembertError, match="cannot name a page"):
        gallery([GalleryEntry(name, "", tree_motion)], tmp_path)
