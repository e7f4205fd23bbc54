"""The widget of a notebook: a real anywidget, whose values and the page's sliders follow each other."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import SimulationError
from dalembert.files.gallery import files
from tests.view.conftest import Watched

MODEL = """state => { const heard = {};
  window.model = { get: (k) => state[k], on: (e, f) => (heard[e] ??= new Set()).add(f), off: (e, f) => heard[e]?.delete(f),
    set(k, v) { if (JSON.stringify(state[k]) === JSON.stringify(v)) return; state[k] = v; this.changed = { ...this.changed, [k]: v };
      for (const f of heard[`change:${k}`] ?? []) f(); },
    save_changes() { if (this.changed) toPython(JSON.stringify(this.changed)); this.changed = null; } }; }"""
RENDER = """async (source) => { const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const widget = (await import(address)).default; window.tidy = widget.render({ model, el: document.body }); }"""


@pytest.fixture(scope="module")
def four_bar() -> da.Mechanism:
    return da.load(files()["four_bar"])


@pytest.fixture
def widget(four_bar):
    return four_bar.simulate(1.0, output=0.02).widget()


class Notebook:
    """What a notebook does: the widget's messages go to a model in the browser, and the model's changes back."""

    def __init__(self, browser, widget: Any):
        self.page = browser.new_page(viewport={"width": 1000, "height": 700})
        self.said: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda problem: self.said.append(str(problem)))
        self.page.expose_function("toPython", lambda text: widget.set_state(json.loads(text)))
        self.page.goto("about:blank")
        self.page.evaluate(MODEL, {key: value for key, value in widget.get_state().items() if key != "layout"})
        widget.comm.publish_msg = self.to_browser
        self.page.evaluate(RENDER, widget._esm)
        self.frame = next(f for f in self.page.frames if f != self.page.main_frame)

    def to_browser(self, kind: str, data: dict[str, Any], **_: Any) -> None:
        if data and data.get("method") == "update":
            self.page.evaluate(
                "state => { for (const [k, v] of Object.entries(state)) model.set(k, v); model.changed = null; }",
                data["state"],
            )

    def until(self, condition: str) -> None:
        Watched.until(self, condition)  # type: ignore[arg-type]

    def __call__(self, script: str) -> Any:
        return self.frame.evaluate(script)


def heard(shown, holds) -> None:
    """Wait until Python has heard of it, some seconds at most."""
    for _ in range(200):
        if holds():
            return
        shown.page.wait_for_timeout(50)


def test_values_go_both_ways(browser, widget, four_bar) -> None:
    shown = Notebook(browser, widget)
    shown.until("window.dalembert?.live?.link?.asked === true")
    widget.values = {"crank": 0.25}  # Python to page
    shown.until("dalembert.live.motion !== null && !dalembert.live.under && !dalembert.live.asked")
    assert shown("dalembert.live.values.parameters[0]") == 0.25
    assert widget.values["crank"] == 0.25 and widget.values["coupler"] == 1.0  # what was not said stayed
    rows = np.array(shown("Array.from(dalembert.live.motion.rows)")).reshape(-1, 6)
    motion = widget.simulate()
    np.testing.assert_allclose(rows, np.hstack([motion.q, motion.u]), atol=1e-9)
    shown(
        "(() => { const s = document.getElementById('slider-base'); s.value = 1.2; s.dispatchEvent(new Event('input')); })()"
    )
    shown.until("JSON.parse(dalembert.live.link.sent || '{}').values?.base > 1.15")
    heard(shown, lambda: widget.values["base"] > 1.15)
    assert widget.values["base"] == pytest.approx(1.2, abs=0.01)  # page to Python
    assert widget.values["crank"] == 0.25
    widget.values = {"base": 9.0}
    shown.until("!document.getElementById('said').hidden && dalembert.live.link.sent.includes('9')")
    heard(shown, lambda: "cannot be closed" in widget.said)
    assert "cannot be closed" in widget.said
    widget.time = 0.5
    shown.until("dalembert.clock.now === 0.5")
    assert shown.said == []
    shown.page.close()


def test_python_marches_what_the_sliders_say(widget, four_bar) -> None:
    widget.values = {"crank": 0.3, "gravity": 3.0, "A": 0.9, "A'": 2.0, "duration": 0.5}
    motion = widget.simulate()
    assert motion.t[-1] == 0.5 and motion.q[0, 0] == 0.9 and motion.u[0, 0] == 2.0
    again = four_bar.simulate(0.5, initial={"A": 0.9}, speeds={"A": 2.0}, parameters={"crank": 0.3}, output=0.02)
    assert np.abs(motion.q[-1] - again.q[-1]).max() > 1e-3  # gravity is another
    widget.values = {"gravity": 9.81}
    np.testing.assert_allclose(widget.simulate().q, again.q, atol=1e-9)


def test_values_that_say_nothing_are_refused_in_words(widget) -> None:
    with pytest.raises(SimulationError, match='no slider "cranc"; did you mean'):
        widget.values = {"cranc": 0.3}
    with pytest.raises(SimulationError, match="finite number"):
        widget.values = {"crank": float("nan")}
    assert widget.values["crank"] == 0.4
