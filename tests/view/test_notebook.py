"""What a notebook shows: the page in a frame that can do nothing but draw; outside of notebooks nothing changes."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import dalembert as da
from tests.view.conftest import four_bar


def test_a_motion_is_a_working_page_in_a_frame(browser, tree_motion, tmp_path):
    holder = tmp_path / "notebook.html"
    holder.write_text(f"<!doctype html><meta charset=utf-8>{tree_motion._repr_html_()}", encoding="utf-8")
    page = browser.new_page(viewport={"width": 1000, "height": 700})
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda problem: said.append(str(problem)))
    page.goto(f"file://{holder}")
    inside = page.frame_locator("iframe")
    inside.locator("#play").wait_for()
    assert inside.locator("#name").inner_text() == "two pendulums"
    inside.locator(".legend b").first.wait_for()
    assert said == []
    page.close()


def test_its_size_is_bounded(tree_motion):
    assert len(tree_motion._repr_html_()) < 4_000_000


def test_a_motion_without_a_mechanism_prints_its_line(loop_motion, tmp_path):
    loop_motion.save(tmp_path / "m.nc")
    loaded = da.load_motion(tmp_path / "m.nc")
    assert loaded._repr_html_() is None and "four-bar" in repr(loaded)


def test_a_mechanism_is_a_sentence_and_its_graph():
    shown = four_bar()._repr_html_()
    found = ET.fromstring(f"<div>{shown}</div>")
    assert "3 bodies, 4 joints" in "".join(found.find("p").itertext())
    assert len([g for g in found.iter() if g.get("data-joint")]) == 4


def test_a_hostile_name_is_text_in_a_notebook():
    s = da.System('<img src=x onerror="alert(1)">')
    s.add_body("<img>", da.sphere(1.0, 0.1))
    s.add_joint("<b>", da.Free(), "ground", "<img>")
    assert "<img" not in s.build()._repr_html_()
