"""The index of a gallery: a card for every model, its thumbnail moving, its page behind it."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.view import Entry, gallery
from tests.view.conftest import Watched

PICTURE = "document.querySelectorAll('canvas')[{}].toDataURL()"


@pytest.fixture(scope="module")
def index(loop_motion, tree_motion, tmp_path_factory):
    entries = [Entry("four_bar", "one <loop>", loop_motion), Entry("pendulums", "no loop", tree_motion)]
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


def test_the_index_is_small(index):
    assert index.stat().st_size < 200_000


@pytest.mark.parametrize("name", ["a/b", "index", "..", ""])
def test_names_that_are_no_file_names_are_refused(name, tree_motion, tmp_path):
    with pytest.raises(da.DalembertError, match="cannot name a page"):
        gallery([Entry(name, "", tree_motion)], tmp_path)
