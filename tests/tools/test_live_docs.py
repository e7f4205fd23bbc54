"""Models in the documentation are made from its own text, and are alive in a browser."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from tests.view.conftest import Watched
from tools import live_docs

DOCS = Path(__file__).parents[2] / "docs"


def test_a_reader_of_closed_loops_moves_the_four_bar_of_the_text(browser, tmp_path) -> None:
    text = (DOCS / "constraints.md").read_text(encoding="utf-8")
    first = text[: live_docs.MARK.search(text).end() + 1]
    page = SimpleNamespace(
        file=SimpleNamespace(src_uri="constraints.md", dest_uri="constraints/index.html"), title="Closed loops"
    )
    made = live_docs.on_page_markdown(first, page, None, None)
    assert '<iframe class="live" src="../live/constraints-swing.html"' in made and "<!-- live" not in made
    live_docs.on_post_build(SimpleNamespace(site_dir=str(tmp_path)))
    holder = tmp_path / "constraints" / "index.html"
    holder.parent.mkdir()
    holder.write_text(
        f"<!doctype html><title>x</title><body>{made[made.index('<iframe') :].replace('loading', 'data-x')}",
        encoding="utf-8",
    )
    opened = browser.new_page(viewport={"width": 800, "height": 900})
    opened.goto(f"file://{holder}")
    frame = next(f for f in opened.frames if f != opened.main_frame)
    Watched.until(_Asking(frame), "window.dalembert?.live !== undefined && dalembert.live !== null")
    frame.evaluate("dalembert.live.realTime.switch(true)")
    assert frame.evaluate("dalembert.data.bodies.map(b => b.name)") == ["ground", "crank", "coupler", "rocker"]
    opened.close()


class _Asking:
    """What `Watched.until` asks."""

    def __init__(self, frame) -> None:
        self.frame = frame

    def __call__(self, script: str):
        return self.frame.evaluate(script)


def test_documents_without_marks_stay_as_they_are() -> None:
    text = (DOCS / "index.md").read_text(encoding="utf-8").replace("<!-- live: motion -->", "")
    assert live_docs.on_page_markdown(text, None, None, None) == text
