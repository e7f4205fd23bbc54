"""Pages in a browser without a screen, and motions to show in them."""

from __future__ import annotations

import base64
import time
from pathlib import Path

import numpy as np
import pytest

import dalembert as da


class Watched:
    """A page, with what it said and what it asked the world for."""

    def __init__(
        self,
        browser,
        address: str,
        width: int = 900,
        height: int = 480,
        scheme: str = "light",
        context: dict | None = None,
    ):
        look = {"viewport": {"width": width, "height": height}, "color_scheme": scheme} | (context or {})
        self.page = browser.new_context(**look).new_page() if context else browser.new_page(**look)
        self.page.set_default_timeout(60_000)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda problem: self.said.append(str(problem)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(address)
        self.until("window.dalembert !== undefined")

    def __call__(self, script: str):
        return self.page.evaluate(script)

    def until(self, condition: str, seconds: float = 60.0) -> None:
        """Waits; asked from outside, because the page's own policy forbids it to evaluate text."""
        end = time.monotonic() + seconds
        while not self(condition):
            assert time.monotonic() < end, f"never came true: {condition}"
            time.sleep(0.05)

    def pictures(self, count: int = 3) -> None:
        """Waits until this many more pictures have been drawn."""
        self.page.evaluate(
            "n => new Promise(done => { const next = () => (n-- > 0 ? requestAnimationFrame(next) : done()); next(); })",
            count,
        )

    def assert_quiet(self) -> None:
        assert self.said == []
        assert len(self.asked) == 1 and self.asked[0].startswith("file://")


class LivePage(Watched):
    """A page that has come to life."""

    def __init__(self, browser, path, fragment: str = "#t=0", **look):
        super().__init__(browser, f"file://{path}{fragment}", **look)
        self("dalembert.ready.then(() => null)")
        assert self("dalembert.live !== null"), self.page.inner_text("#said")

    def march(self) -> None:
        """As if a slider had been moved to where it is."""
        self.page.evaluate(
            "() => new Promise(done => { const live = dalembert.live; live.onMotion(done); live.ask();"
            " const look = () => (document.getElementById('said').hidden ? requestAnimationFrame(look) : done());"
            " requestAnimationFrame(() => requestAnimationFrame(look)); })"
        )

    def set(self, **values: float) -> None:
        """Sliders by name."""
        self.page.evaluate(
            "values => { const { panel } = dalembert.live; for (const [name, value] of Object.entries(values))"
            " panel.set(panel.sliders.find(s => s.name === name), value, false); }",
            values,
        )
        self.march()

    def numbers(self, script: str, kind: str = "Float64Array") -> np.ndarray:
        """An array of the page, bit for bit."""
        text = self.page.evaluate(
            f"() => {{ const x = {kind}.from({script}); const b = new Uint8Array(x.buffer); let s = '';"
            " for (let i = 0; i < b.length; i += 8192) s += String.fromCharCode(...b.subarray(i, i + 8192)); return btoa(s); }"
        )
        return np.frombuffer(base64.b64decode(text), dtype="<f8" if kind == "Float64Array" else "<f4")

    def rows(self, m: da.Mechanism) -> np.ndarray:
        return self.numbers("dalembert.live.motion.rows").reshape(-1, m.n_q + m.n_u + m.n_z)

    @property
    def words(self) -> str:
        """What the page says of a march that it could not make."""
        return self.page.inner_text("#said")


def four_bar() -> da.Mechanism:
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    for name, length in (("crank", 1.0), ("coupler", 2.5), ("rocker", 1.7)):
        s.add_body(name, da.rod(mass=1.0, length=length))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(1.0, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(2.5, 0, 0), at_child=(1.7, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(2.0, 0, 0))
    return s.build()


@pytest.fixture(scope="session")
def loop_motion() -> da.simulation.motion.Motion:
    return four_bar().simulate(4.0, initial={"A": 0.7}, output=0.02)


@pytest.fixture(scope="session")
def loop_page(loop_motion, tmp_path_factory) -> Path:
    return loop_motion.page(tmp_path_factory.mktemp("pages") / "four_bar.html")


@pytest.fixture(scope="session")
def tree_motion():
    """A double pendulum in space with a floating body beside it: no loop, so that reactions are known."""
    s = da.System("two pendulums", gravity=(0, 0, -9.81))
    s.add_body("upper", da.rod(1.0, 1.0, axis=(0, 0, -1)))
    s.add_body("lower", mass=1.0, com=(0, 0.1, -0.4), inertia=(0.05, 0.04, 0.02))
    s.add_joint("A", da.Revolute((0, 1, 0)), "ground", "upper")
    s.add_joint("B", da.Universal((1, 0, 0), (0, 1, 0)), "upper", "lower", at_parent=(0, 0, -1))
    return s.build().simulate(2.0, initial={"A": 1.0}, output=0.02)
