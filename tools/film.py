"""A film of a page that simulates: a model of the gallery in real time, a link of it dragged about by a hand.

    python tools/film.py jansen_linkage foot docs/images/jansen.gif

The film is made picture by picture, in steps of its own time, so that it looks the same on any machine.
"""

from __future__ import annotations

import io
import math
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import dalembert as da
from dalembert.files.gallery import files

SIZE = {"width": 560, "height": 500}
RATE, SECONDS, COLOURS = 15, 7.0, 128
MOST_BYTES = 2_000_000
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
READY = """dalembert.ready.then(() => { const { stage, live } = dalembert; stage.floor.group.visible = false;
  stage.switchLayer(stage.layers.centres, "centres", false); stage.resize(); stage.eye.fit(); stage.eye.camera.zoom = 1.25;
  stage.eye.camera.updateProjectionMatrix(); live.realTime.switch(true); live.realTime.pause(false); return null; })"""
LOOK = """#side, header, #transport, #eye, #layers { display: none !important; } main { display: block !important; }
  #stage { height: 100vh !important; background: #ffffff !important; } #pulled { font-size: 17px; bottom: 8px; }"""
WHERE = """body => { const s = dalembert.stage; s.refresh(); s.draw();
  const parts = dalembert.data.bodies[body].parts.filter(p => p.layer === 'bodies');
  const v = s.poses.point(body, parts[parts.length - 1].at).project(s.eye.camera), b = s.canvas.getBoundingClientRect();
  return [b.left + (v.x + 1) / 2 * b.width, b.top + (1 - v.y) / 2 * b.height]; }"""
ON = """seconds => { const { live, stage } = dalembert; live.realTime.running = false; live.realTime.advanceBy(seconds);
  stage.refresh(); stage.draw(); }"""


def frames(page: Any, body: int) -> list[bytes]:
    """Pictures: first it runs by itself, then a hand takes it and goes round, then it is let go."""
    count, made = int(RATE * SECONDS), []
    taken, let_go = count // 5, 4 * count // 5
    x = y = 0.0
    for k in range(count):
        if k == taken:
            x, y = page.evaluate(WHERE, body)
            page.mouse.move(x, y)
            page.mouse.down()
        if taken < k < let_go:
            turn = 2.5 * math.pi * (k - taken) / (let_go - taken)
            page.mouse.move(x + 90 * math.sin(turn), y - 70 * (1 - math.cos(turn)))
        if k == let_go:
            page.mouse.up()
        page.evaluate(ON, 1.0 / RATE)
        made.append(page.screenshot())
    return made


def film(model: str, body: str, target: Path) -> None:
    """Write the film; an error where it is too large to be shown in a text."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    m = da.load(files()[model])
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = m.simulate().page(Path(folder) / "x.html", live=True)
        found = shutil.which("chromium") or shutil.which("google-chrome") or playwright.chromium.executable_path
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(f"file://{path}#t=0")
        page.add_style_tag(content=LOOK)
        page.evaluate(READY)
        page.wait_for_timeout(500)
        pictures = [Image.open(io.BytesIO(x)).convert("RGB") for x in frames(page, m.number_of[body])]
        browser.close()
    some = pictures[:: len(pictures) // 8]
    together = Image.new("RGB", (SIZE["width"], SIZE["height"] * len(some)))
    for k, picture in enumerate(some):
        together.paste(picture, (0, k * SIZE["height"]))
    palette = together.quantize(COLOURS, method=Image.Quantize.FASTOCTREE)
    drawn = [x.quantize(palette=palette, dither=Image.Dither.NONE) for x in pictures]
    drawn[0].save(target, save_all=True, append_images=drawn[1:], duration=1000 // RATE, loop=0, optimize=True)
    size = target.stat().st_size
    if size > MOST_BYTES:
        raise SystemExit(f"{target} has {size} bytes; make it shorter or smaller")
    print(f"written: {target}, {len(drawn)} pictures, {size / 1e6:.2f} MB")


if __name__ == "__main__":
    film(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
