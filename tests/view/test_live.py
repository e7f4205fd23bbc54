"""The page that simulates, in a real browser: it marches what Python marches, and says in Python's words what cannot be assembled."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import LoopError, SimulationError
from dalembert.files.gallery import files
from dalembert.files.models import load_system
from dalembert.view.live.live_model import refusal
from tests.view.conftest import LivePage, Watched


def assert_same_rows(found: np.ndarray, motion, within: float) -> None:
    expected = np.hstack([motion.q, motion.u, motion.z])
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= within * max(1.0, np.abs(expected).max())


@pytest.fixture(scope="module")
def four_bar() -> da.Mechanism:
    return da.load(files()["four_bar"])


@pytest.fixture(scope="module")
def shown(browser, four_bar, tmp_path_factory):
    motion = four_bar.simulate(2.0, output=0.02)
    watched = LivePage(browser, motion.page(tmp_path_factory.mktemp("live") / "x.html", live=True))
    yield watched
    watched.assert_quiet()
    watched.page.close()


def test_it_marches_what_python_marches(shown, four_bar) -> None:
    shown.march()
    assert_same_rows(shown.rows(four_bar), four_bar.simulate(2.0, output=0.02), 1e-10)


@pytest.mark.parametrize("parameters", [{"crank": 0.2}, {"coupler": 1.3, "rocker": 0.8}, {"base": 1.2, "crank": 0.3}])
def test_other_parameters_give_pythons_motion_with_all_that_is_shown(shown, four_bar, parameters) -> None:
    shown.set(**parameters)
    assert shown.words == ""
    motion = four_bar.simulate(2.0, output=0.02, parameters=parameters)
    assert_same_rows(shown.rows(four_bar), motion, 1e-9)
    place = shown.numbers("dalembert.data.position").reshape(len(motion), 3, 3)
    np.testing.assert_allclose(place, motion.body_motion().position, atol=1e-9)
    energy = shown.numbers("dalembert.charts.charts.find(c => c.key === 'energy').values", "Float32Array").reshape(
        -1, 3
    )
    np.testing.assert_allclose(energy[:, 2], motion.energy().total, rtol=1e-5)
    for i, name in enumerate("ABDC"):
        force = shown.numbers("dalembert.data.reactions.force", "Float32Array").reshape(len(motion), 4, 3)[:, i]
        told = motion.reaction(name).force
        np.testing.assert_allclose(force, told, atol=2e-5 * np.abs(told).max(), err_msg=name)
    swing = shown.numbers("dalembert.charts.charts.find(c => c.title === 'Outputs (deg)').values", "Float32Array")
    np.testing.assert_allclose(swing, motion.outputs()["swing"], rtol=1e-5)
    gap = shown.numbers("dalembert.charts.charts.find(c => c.key === 'gap').values", "Float32Array")
    assert gap.max() <= 1e-12
    shown.page.click("#reset")
    shown.march()


def test_initial_values_and_speeds_are_kept(shown, four_bar) -> None:
    shown.set(**{"A": -1.0, "A'": 2.5, "gravity": 3.0, "duration": 1.0})
    rows = shown.rows(four_bar)
    assert rows[0, 0] == -1.0 and rows[0, 3] == 2.5
    assert shown("dalembert.clock.last") == 1.0 and len(rows) == 51
    light = load_system(files()["four_bar"])
    light.gravity = (0, -3.0, 0)
    motion = light.build().simulate(1.0, initial={"A": -1.0}, speeds={"A": 2.5}, output=0.02)
    assert_same_rows(rows, motion, 1e-9)
    shown.page.click("#reset")
    shown.march()


def test_after_every_slider_has_been_to_both_ends_the_motion_is_the_first_bit_for_bit(shown, four_bar) -> None:
    shown.march()
    first = shown.rows(four_bar).copy()
    for slider in shown("dalembert.live.live.sliders"):
        for value in (slider["min"], slider["max"], slider["value"]):
            shown.set(**{slider["name"]: value})
    again = shown.rows(four_bar)
    assert np.array_equal(first.view(np.int64), again.view(np.int64))


@pytest.mark.parametrize("parameters", [{"base": 9.0}, {"coupler": 0.2, "rocker": 0.2}])
def test_what_cannot_be_assembled_is_said_in_pythons_words_and_the_last_motion_stays(
    shown, four_bar, parameters
) -> None:
    shown.set(crank=0.3)
    before = shown.rows(four_bar).copy()
    shown.set(crank=0.4, **parameters)
    with pytest.raises(LoopError) as problem:
        four_bar.simulate(2.0, parameters=parameters)
    words = str(problem.value)
    assert shown.words == words[0].upper() + words[1:]
    assert np.array_equal(shown.rows(four_bar), before)
    shown.page.click("#reset")
    shown.march()
    assert shown.words == ""


def test_what_is_drawn_follows_lengths(shown) -> None:
    lengths = (
        "dalembert.data.bodies[1].parts.filter(p => p.kind === 'cylinder' && p.layer === 'bodies').map(p => p.size[2])"
    )
    assert shown(lengths) == [pytest.approx(0.4)]
    shown.set(crank=0.25)
    assert shown(lengths) == [pytest.approx(0.25)]
    joint = shown("dalembert.data.joints.find(j => j.name === 'D').at")
    shown.set(crank=0.4)
    assert shown(lengths) == [pytest.approx(0.4)] and joint is not None


@pytest.mark.parametrize("name", ["bricard", "rolling_disc", "flexible_slider_crank", "imported_robot"])
def test_other_kinds_of_models_march_as_in_python(browser, tmp_path, name: str) -> None:
    """Rows chosen anew on the way, rolling, elastic bodies by an implicit method, constraints between joints."""
    m = da.load(files()[name])
    span = min(1.0, m.plan.duration)
    by = {"method": "moreau", "step": 1e-3} if m.laws else {}  # a page marches laws by time stepping
    motion = m.simulate(span, output=span / 50, **by)
    watched = LivePage(browser, motion.page(tmp_path / "x.html", live=True))
    watched.march()
    assert_same_rows(watched.rows(m), motion, 1e-9)
    watched.assert_quiet()
    watched.page.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", list(files()))
def test_every_model_of_the_gallery_marches_as_in_python_and_comes_back(browser, tmp_path, name: str) -> None:
    m = da.load(files()[name])
    span = min(1.0, m.plan.duration)
    motion = m.simulate(span, output=span / 100)
    if refusal(motion):
        pytest.skip(refusal(motion))
    if m.laws:
        motion = m.simulate(span, output=span / 100, method="moreau", step=1e-3)
    path = motion.page(tmp_path / "x.html", live=True)
    assert path.stat().st_size < 2_500_000
    watched = LivePage(browser, path)
    watched.march()
    first = watched.rows(m).copy()
    assert_same_rows(first, motion, 5e-9 if name == "double_pendulum" else 1e-9)  # chaotic
    for slider in watched("dalembert.live.live.sliders"):
        for value in (slider["min"], slider["max"], slider["value"]):
            if slider["name"] != "duration":
                watched.set(**{slider["name"]: value})
    assert np.array_equal(first.view(np.int64), watched.rows(m).view(np.int64))
    watched.assert_quiet()
    watched.page.close()


def pendulum() -> da.System:
    s = da.System("pendulum", gravity=(0, 0, -9.81))
    s.add_body("bob", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    s.add_joint("pivot", da.Revolute((0, 1, 0)), "ground", "bob")
    return s


def test_a_terminal_event_ends_the_motion_there(browser, tmp_path) -> None:
    s = pendulum()
    s.events["lowest"] = da.Event(lambda s: s.joint_q[0][0], terminal=True)
    m = s.build()
    motion = m.simulate(5.0, initial={"pivot": 1.0}, output=0.05)
    watched = LivePage(browser, motion.page(tmp_path / "x.html", live=True))
    watched.march()
    assert_same_rows(watched.rows(m), motion, 1e-9)
    assert watched("dalembert.clock.last") == pytest.approx(motion.t[-1], abs=1e-9)
    assert watched("dalembert.transport.events[0][0]") == "lowest"
    watched.page.close()


def test_without_webassembly_it_plays_back_and_says_so(browser, tmp_path) -> None:
    path = pendulum().build().simulate(1.0, initial={"pivot": 1.0}).page(tmp_path / "x.html", live=True)
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script("delete globalThis.WebAssembly")
    page.goto(f"file://{path}#t=0.5")
    page.evaluate("dalembert.ready.then(() => null)")
    assert page.evaluate("dalembert.live === null && dalembert.clock.now === 0.5")
    assert page.inner_text("#said") == "This page plays back only: this browser has no WebAssembly."
    context.close()


def test_the_policy_allows_webassembly_and_nothing_else(tmp_path) -> None:
    motion = pendulum().build().simulate(1.0, initial={"pivot": 1.0})

    def policy(**how) -> str:
        text = motion.page(tmp_path / "x.html", **how).read_text()
        return text.partition('Content-Security-Policy" content="')[2].partition('"')[0]

    assert policy(live=True) == policy().replace("; style-src", " 'wasm-unsafe-eval'; style-src")


def test_what_cannot_run_in_a_page_is_refused_in_words(tmp_path) -> None:
    s = pendulum()
    s.add_force("wind", da.Load("bob", force=lambda s: (np.sign(float(s.t)), 0, 0)))
    own = s.build().simulate(0.1)
    controlled = pendulum().build().simulate(0.1, control=lambda s: {"pivot": 1.0}, control_rate=100)
    plain = pendulum().build().simulate(0.1)
    acting = pendulum()
    acting.events["lowest"] = da.Event(
        lambda s: s.joint_q[0][0], action=da.JointImpulse("pivot", lambda s: float(s.q["pivot"]))
    )
    acted = acting.build().simulate(0.1)
    ended = pendulum().build().simulate(0.1, until={"late": lambda s: s.t - 0.05})
    for motion, words in (
        (own, "plain Python function"),
        (controlled, "controller in Python"),
        (acted, '"lowest" acts by a plain Python function'),
        (ended, '"late", given to simulate'),
    ):
        with pytest.raises(SimulationError, match=words):
            motion.page(tmp_path / "x.html", live=True)
    with pytest.raises(SimulationError, match="say live=True"):
        plain.page(tmp_path / "x.html", sliders=["gravity"])
    with pytest.raises(SimulationError, match="did you mean 'gravity'"):
        plain.page(tmp_path / "x.html", live=True, sliders=["gravityy"])
    with pytest.raises(SimulationError, match="from a number to a larger one"):
        plain.page(tmp_path / "x.html", live=True, sliders=[("gravity", 3, 2)])


def test_where_it_can_only_play_back_the_page_says_why(browser, tmp_path) -> None:
    s = pendulum()
    s.add_force("wind", da.Load("bob", force=lambda s: (np.sign(float(s.t)), 0, 0)))
    path = s.build().simulate(0.1).page(tmp_path / "x.html", live=None)
    watched = Watched(browser, f"file://{path}#t=0")
    assert watched.page.inner_text("#said").startswith(
        'This page plays back only: Force "wind" is a plain Python function'
    )
    assert watched("dalembert.live === null && !document.querySelector('.slider')")
    watched.assert_quiet()
    watched.page.close()


# -- real time ----------------------------------------------------------------------------------------------------------------
def over_body(page: LivePage, body: int) -> list[float]:
    """Where on the screen the first solid of a body is."""
    return page.page.evaluate(
        "k => { const s = dalembert.stage; s.refresh(); s.draw();"
        " const part = dalembert.data.bodies[k].parts.find(p => p.layer === 'bodies');"
        " const v = s.poses.point(k, part.at).project(s.eye.camera), b = s.canvas.getBoundingClientRect();"
        " return [b.left + (v.x + 1) / 2 * b.width, b.top + (1 - v.y) / 2 * b.height]; }",
        body,
    )


def test_in_real_time_a_body_is_dragged_and_loops_stay_closed(browser, four_bar, tmp_path) -> None:
    motion = four_bar.simulate(1.0, output=0.02)
    shown = LivePage(browser, motion.page(tmp_path / "x.html", live=True), width=900, height=600)
    shown.page.click("#tool-live")
    shown.until("dalembert.live.realTime.history.count > 5")
    shown("dalembert.live.realTime.pause(false)")
    free = shown("dalembert.live.realTime.t")
    x, y = over_body(shown, 1)
    shown.page.mouse.move(x, y)
    shown.page.mouse.down()
    assert shown("dalembert.live.hand.grip.body") == 1
    for k in range(12):
        shown.page.mouse.move(x + 10 * k, y - 8 * k)
        shown.pictures(2)
    assert "pulled with" in shown.page.inner_text("#pulled")
    assert shown("dalembert.live.march.machine.input('hand')[0]") == 1
    shown.page.mouse.up()
    assert shown("Array.from(dalembert.live.march.machine.input('hand'))") == [0.0] * 9
    shown.page.keyboard.down("ArrowUp")
    shown.pictures(5)
    assert shown("dalembert.live.march.machine.input('x')[0]") > 0
    shown.page.keyboard.up("ArrowUp")
    assert shown("dalembert.live.march.machine.input('x')[0]") == 0
    assert shown("dalembert.live.realTime.t") > free
    while shown("dalembert.live.realTime.t") < 10.0:  # in steps, as fast as they go
        shown("(() => { for (let i = 0; i < 50; i++) dalembert.live.realTime.advanceBy(1 / 60); })()")
    at = shown("dalembert.charts.charts.findIndex(c => c.key === 'gap')")
    gaps = shown.numbers(f"dalembert.live.realTime.history.motion().charts[{at}]", "Float32Array")
    assert len(gaps) > 300 and gaps.max() <= 1e-12
    assert shown.words == ""
    shown.page.click("#tool-live")
    assert shown("dalembert.clock.last") >= 10.0  # what happened is the motion now
    shown.assert_quiet()
    shown.page.close()


def test_a_finger_drags_a_body_and_moves_a_slider_on_a_phone(browser, four_bar, tmp_path) -> None:
    motion = four_bar.simulate(1.0, output=0.02)
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    shown = LivePage(browser, motion.page(tmp_path / "x.html", live=True), context=phone)
    assert shown("document.documentElement.scrollWidth") <= 390  # nothing sticks out
    shown.page.tap("#tool-live")
    shown.until("dalembert.live.realTime.on && dalembert.live.realTime.history.count > 2")
    shown("dalembert.live.realTime.pause(false)")
    shown("window.scrollTo(0, 0)")
    x, y = over_body(shown, 1)
    finger = shown.page.context.new_cdp_session(shown.page)

    def touch(kind: str, *at: float) -> None:
        points = [{"x": at[0], "y": at[1]}] if at else []
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", x, y)
    shown.until("dalembert.live.hand.grip?.body === 1")
    for k in range(1, 9):
        touch("touchMove", x + 6 * k, y - 5 * k)
        shown.pictures(1)
    assert "pulled with" in shown.page.inner_text("#pulled")
    touch("touchEnd")
    shown.until("dalembert.live.hand.grip === null")
    shown.page.tap("#tool-live")
    shown.page.locator("#slider-crank").scroll_into_view_if_needed()
    box = shown.page.locator("#slider-crank").bounding_box()
    shown.page.touchscreen.tap(box["x"] + 0.2 * box["width"], box["y"] + 0.5 * box["height"])
    shown.until("dalembert.live.values.parameters[0] < 0.35")
    shown.assert_quiet()
    shown.page.context.close()


def test_without_a_hand_real_time_is_the_motion(browser, four_bar, tmp_path) -> None:
    motion = four_bar.simulate(1.0, output=0.02)
    shown = LivePage(browser, motion.page(tmp_path / "x.html", live=True))
    shown("(() => { const r = dalembert.live.realTime; r.switch(true); r.pause(false);"
          " for (let k = 1; k <= 50; k++) r.advanceBy(k / 50 - r.t); r.switch(false); })()")  # fmt: skip
    times = shown.numbers("dalembert.live.motion.t")
    rows = shown.rows(four_bar)
    last = four_bar.simulate(1.0, output=[0.5, 1.0])
    assert times[-1] == pytest.approx(1.0)
    np.testing.assert_allclose(rows[-1], np.hstack([last.q[-1], last.u[-1]]), atol=1e-9)
    shown.page.close()


def test_the_scene_is_filmed(browser, four_bar, tmp_path) -> None:
    shown = LivePage(browser, four_bar.simulate(1.0, output=0.02).page(tmp_path / "x.html", live=True))
    shown.page.click("#tool-live")
    shown.page.click("#tool-record")
    assert shown.page.inner_text("#tool-record") == "Stop"
    shown.until("dalembert.live.tools.video.chunks.reduce((sum, x) => sum + x.size, 0) > 2000")
    with shown.page.expect_download() as given:
        shown.page.click("#tool-record")
    film = given.value.path().read_bytes()
    assert given.value.suggested_filename == "four-bar.webm"
    assert film[:4] == b"\x1a\x45\xdf\xa3" and b"webm" in film[:64]  # EBML, of kind webm
    shown.assert_quiet()
    shown.page.close()


def test_motions_are_kept_shared_and_taken_away(browser, four_bar, tmp_path) -> None:
    motion = four_bar.simulate(1.0, output=0.02)
    path = motion.page(tmp_path / "x.html", live=True)
    shown = LivePage(browser, path)
    shown.page.click("#tool-keep")
    shown.set(crank=0.25)
    assert shown("dalembert.stage.ghosts.length") == 1 and shown("dalembert.charts.charts[0].ghosts.length") == 1
    shown("dalembert.clock.seek(0.5)")
    shown.pictures()
    assert "Δ" in shown.page.locator(".legend").first.inner_text()
    shown.page.click("#tool-share")
    address = shown("location.hash")
    assert "crank" in address and "0.25" in address
    with shown.page.expect_download() as given:
        shown.page.click("#tool-csv")
    table = given.value.path().read_text().splitlines()
    assert table[0].startswith('"t","A","B","D","A\'"') and len(table) == 52
    assert [float(x) for x in table[1].split(",")[1:7]] == shown.rows(four_bar)[0].tolist()
    with shown.page.expect_download() as given:
        shown.page.click("#tool-json")
    data = json.loads(given.value.path().read_text())
    assert data["parameters"]["crank"] == 0.25 and data["q"]["A"] == shown.rows(four_bar)[:, 0].tolist()
    rows = shown.rows(four_bar).copy()
    other = Watched(browser, f"file://{path}{address}")
    other("dalembert.ready.then(() => null)")
    other.until("dalembert.live.motion !== null")
    assert other("dalembert.live.values.parameters[0]") == 0.25
    assert other("Array.from(dalembert.live.motion.rows)") == rows.ravel().tolist()
    shown.page.click("#tool-clear")
    assert shown("dalembert.stage.ghosts.length") == 0
    other.page.close()
    shown.page.close()
