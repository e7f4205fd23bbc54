"""The page as a reader meets it, in a real browser: it plays, it is scrubbed, it listens to keys, it asks nobody for anything."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from tests.view.conftest import Watched


@pytest.fixture(scope="module")
def shown(browser, loop_page):
    """Paused at its start; the tests share it and leave it paused."""
    watched = Watched(browser, f"file://{loop_page}#t=0")
    yield watched
    watched.assert_quiet()
    watched.page.close()


COLOURS = """async png => {
    const picture = await createImageBitmap(await (await fetch("data:image/png;base64," + png)).blob());
    const pen = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
    pen.drawImage(picture, 0, 0);
    const p = pen.getImageData(0, 0, picture.width, picture.height).data;
    const seen = new Set(), of = [0, 0, 0];
    for (let i = 0; i < p.length; i += 4) {
        const [r, g, b] = [p[i], p[i + 1], p[i + 2]];
        seen.add((r << 16) | (g << 8) | b);
        of[0] += b > r + 60 && b > g + 30;
        of[1] += r > b + 60 && g > b + 30;
        of[2] += g > r + 40 && g > b + 15;
    }
    return [seen.size, ...of];
}"""
"""How many colours a picture has, and how many of its pixels are blue, orange and green."""


def crank_angle(shown: Watched) -> float:
    """Of the crank as it is drawn."""
    x, y = shown("(() => { const e = dalembert.stage.poses.matrices[1].elements; return [e[0], e[1]]; })()")
    return float(np.arctan2(y, x))


def cursor_part(shown: Watched) -> float:
    """Where the cursor of the first plot stands, as a part of the plot's width."""
    return shown(
        "(() => { const c = dalembert.charts.charts[0]; const at = new DOMMatrix(getComputedStyle(c.cursor).transform).e;"
        " return (at - 52) / (c.box.clientWidth - 60); })()"
    )


def test_it_plays_and_pauses(shown):
    shown.page.click("#play")
    assert shown.page.get_attribute("#play", "aria-label") == "Pause"
    shown.until("dalembert.clock.now > 0.2")
    shown.page.click("#play")
    now = shown("dalembert.clock.now")
    shown.pictures()
    assert shown("dalembert.clock.now") == now and shown.page.get_attribute("#play", "aria-label") == "Play"


def test_scrubbing_moves_bodies_and_the_cursor_of_the_plots(shown, loop_motion):
    for sample in (40, 150):
        t = float(loop_motion.t[sample])
        shown.page.fill("#scrub", str(t))
        shown.pictures()
        turned = crank_angle(shown) - loop_motion["A"][sample]
        assert abs(np.sin(0.5 * turned)) < 1e-6
        assert cursor_part(shown) == pytest.approx(t / loop_motion.t[-1], abs=1e-3)
        assert f"{t:.3f}" in shown.page.inner_text("#time")


def test_a_plot_is_a_place_to_seek(shown):
    box = shown.page.locator(".plot").first.bounding_box()
    shown.page.mouse.click(box["x"] + 52 + 0.25 * (box["width"] - 60), box["y"] + 40)
    shown.pictures()
    assert shown("dalembert.clock.now") == pytest.approx(1.0, abs=0.02)
    assert cursor_part(shown) == pytest.approx(0.25, abs=0.01)


def test_between_samples_bodies_move_evenly(shown, loop_motion):
    shown("dalembert.clock.seek(1.01)")
    shown.pictures()
    halfway = 0.5 * (loop_motion["A"][50] + loop_motion["A"][51])
    assert abs(np.sin(0.5 * (crank_angle(shown) - halfway))) < 1e-5


def test_keys(shown, loop_motion):
    press = shown.page.keyboard.press
    press("Home")
    assert shown("dalembert.clock.now") == 0.0
    press("ArrowRight")
    press("Shift+ArrowRight")
    assert shown("dalembert.clock.now") == loop_motion.t[11]
    press("ArrowLeft")
    assert shown("dalembert.clock.now") == loop_motion.t[10]
    press("End")
    assert shown("dalembert.clock.now") == loop_motion.t[-1]
    speed = shown("dalembert.clock.speed")
    press("+")
    assert shown("dalembert.clock.speed") == 2 * speed
    press("-")
    assert shown("dalembert.clock.speed") == speed
    press("l")
    assert shown.page.get_attribute("#loop", "aria-pressed") == "false"
    press("l")
    press("Space")
    assert shown("dalembert.clock.playing") is True
    press("Space")
    assert shown("dalembert.clock.playing") is False


def test_tabs_show_graph_equations_and_inspection(shown):
    for key, panel, says in (("2", "#graph", "coupler"), ("3", "#equations", "Kane"), ("4", "#model", "1 freedom")):
        shown.page.keyboard.press(key)
        assert says in shown.page.locator(panel).text_content()
        assert [p.is_visible() for p in shown.page.locator("[role=tabpanel]").all()].count(True) == 1
    assert shown.page.locator("#equations math mtable").count() > 0
    assert shown.page.locator(".topology .edge.cut").get_attribute("data-joint") == "C"
    shown.page.keyboard.press("1")


def test_a_body_is_chosen_in_the_graph_and_in_the_scene(shown):
    shown.page.keyboard.press("2")
    shown.page.click('.topology [data-body="2"]')
    assert shown.page.inner_text("#chosen") in ("coupler", "rocker") and shown("dalembert.stage.chosen") == 2
    shown.page.click('.topology [data-body="2"]')
    assert shown("dalembert.stage.chosen") is None
    shown.page.keyboard.press("1")


def test_layers_are_switched(shown):
    axes = shown.page.locator('#layers [data-layer="axes"]')
    assert axes.get_attribute("aria-pressed") == "false"
    axes.click()
    assert shown("dalembert.stage.solids.filter(s => s.layer === 'axes').every(s => s.mesh.visible)") is True
    axes.click()


def test_dark_and_light(shown):
    sky = "getComputedStyle(document.body).backgroundColor"
    light = shown(sky)
    shown.page.click("#theme")
    assert shown("document.documentElement.dataset.theme") == "dark" and shown(sky) != light
    shown.page.keyboard.press("t")
    assert shown(sky) == light


def test_the_picture_is_not_blank(browser, shown):
    """Hundreds of colours in the scene, the bodies' own among them."""
    shown("dalembert.clock.seek(1.0)")
    shown.pictures()
    picture = base64.b64encode(shown.page.locator("#stage").screenshot()).decode()
    blank = browser.new_page()
    colours, blue, orange, green = blank.evaluate(COLOURS, picture)
    blank.close()
    assert colours > 300 and min(blue, orange, green) > 50


def test_on_a_phone_nothing_is_wider_than_the_screen_and_dark_is_heeded(browser, loop_page):
    phone = Watched(browser, f"file://{loop_page}#t=1", width=390, height=800, scheme="dark")
    assert phone("document.documentElement.dataset.theme") == "dark"
    assert phone("document.documentElement.scrollWidth") <= 390
    assert all(
        phone.page.locator(f"#{name}").bounding_box()["width"] > 0 for name in ("scene", "scrub", "play", "tabs")
    )
    phone.assert_quiet()
    phone.page.close()


def test_it_starts_by_itself(browser, loop_page):
    watched = Watched(browser, f"file://{loop_page}", width=500, height=400)
    watched.until("dalembert.clock.now > 0")
    watched.assert_quiet()
    watched.page.close()
