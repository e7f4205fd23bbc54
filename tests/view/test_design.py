"""The design view of a page: what it draws of a linkage is what Python computes of it, at whatever the sliders say."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.files.gallery import files
from dalembert.kinematics.constraint_rows import constraint_rows
from tests.view.conftest import LivePage

LENGTHS = {"crank": 0.5, "coupler": 0.55}
"""With these the shortest and the longest link are together longer than the others: no link turns round."""


@pytest.fixture(scope="module")
def four_bar() -> da.Mechanism:
    return da.load(files()["four_bar"])


@pytest.fixture(scope="module")
def shown(browser, four_bar, tmp_path_factory):
    motion = four_bar.simulate(1.0, output=0.02)
    page = LivePage(browser, motion.page(tmp_path_factory.mktemp("design") / "x.html", live=True))
    page.page.click("#tab-design")
    page.until("!dalembert.live.design.stale")
    yield page
    page.assert_quiet()
    page.page.close()


def at_sliders(page: LivePage, **values: float) -> None:
    page.set(**values)
    page.until("!dalembert.live.design.stale && !dalembert.live.under && !dalembert.live.asked")


def test_a_crank_that_turns_round_has_no_dead_point(shown, four_bar) -> None:
    assert shown.page.inner_text("#design .note").startswith("A goes all the way round")
    values = shown.numbers("dalembert.live.design.swept.values")
    assert np.ptp(values) == pytest.approx(2 * np.pi, abs=0.1)
    gap = shown.numbers("dalembert.live.design.curves.x").reshape(-1, 3)
    assert np.abs(gap[0] - gap[-1]).max() < 1e-6  # the curve is closed


def test_dead_points_angles_and_curves_are_those_of_sweep(shown, four_bar) -> None:
    at_sliders(shown, **LENGTHS)
    m = four_bar.with_parameters(**LENGTHS)
    start = {"A": float(four_bar.simulate(0.1).q[0, 0])}
    expected = []
    for way in (3.0, -3.0):
        found = m.sweep("A", np.linspace(start["A"], way, 60))
        expected += [x.value for x in found.dead_points]
    dead = shown("dalembert.live.design.swept.dead.map(d => d.value)")
    np.testing.assert_allclose(sorted(dead), sorted(expected), atol=1e-9)
    poses = shown.numbers("dalembert.live.design.swept.poses.flatMap(p => [...p.q])").reshape(-1, m.n_q)
    still = np.zeros(m.n_u)
    assert max(np.abs(constraint_rows(m.numeric.state(q, still)).g.astype(float)).max() for q in poses[::20]) < 1e-12
    angle = shown.numbers("dalembert.live.design.angle.y")
    for k in range(0, len(poses), 25):
        (told,) = m.sweep("A", [poses[k, 0]], initial=poses[k]).transmission.values()
        assert angle[k] == pytest.approx(np.degrees(told[0]), abs=1e-6)
    x = shown.numbers("dalembert.live.design.curves.x").reshape(len(poses), -1)
    body, at = shown("[dalembert.data.traces[1].body, dalembert.data.traces[1].at]")
    places = np.array([m.state(q, np.zeros(m.n_u)).position((m.bodies[body - 1].name, tuple(at))) for q in poses[::30]])
    np.testing.assert_allclose(x[::30, 1], places[:, 0].astype(float), atol=1e-6)
    shown.page.click("#reset")
    shown.march()


def test_a_snap_begins_the_motion_at_a_dead_point_and_reset_brings_back_the_first(shown, four_bar) -> None:
    shown.march()
    first = shown.rows(four_bar).copy()
    at_sliders(shown, **{**LENGTHS, "A'": 0.0})
    value = shown("dalembert.live.design.swept.dead[0].value")
    shown.page.locator(".snaps button").first.click()
    shown.until(f"dalembert.live.motion.rows[0] === {value!r}")
    assert shown.words == ""
    assert float(shown.page.input_value("[aria-label='A, rad']")) == pytest.approx(value, rel=1e-5)
    pose = shown.rows(four_bar)[0, : four_bar.n_q].copy()
    shown.page.click("#tool-share")
    address = shown("location.hash")
    assert "pose" in address
    shown.page.click("#reset")
    shown.march()
    assert np.array_equal(first.view(np.int64), shown.rows(four_bar).view(np.int64))
    other = LivePage(shown.page.context.browser, f"{shown('location.pathname')}", fragment=address)
    other.until("dalembert.live.motion !== null")
    assert np.array_equal(other.rows(four_bar)[0, : four_bar.n_q], pose)
    other.page.close()


def test_polygons_and_hodographs_are_those_of_the_motion(shown, four_bar) -> None:
    at_sliders(shown, crank=0.3)
    m = four_bar.with_parameters(crank=0.3)
    motion = four_bar.simulate(1.0, output=0.02, parameters={"crank": 0.3})
    shown("dalembert.clock.seek(0.5)")
    found = {p["name"]: p for p in shown("dalembert.live.design.ofJoints(25)")}
    s = m.numeric.state(motion.q[25], motion.u[25], 0.5)
    udot = m.forward_dynamics(motion.q[25], motion.u[25], t=0.5)
    at = ("crank", (0.3, 0.0, 0.0))
    np.testing.assert_allclose(found["B"]["velocity"], np.array(s.velocity(at), dtype=float)[:2], atol=1e-8)
    np.testing.assert_allclose(
        found["B"]["acceleration"], np.array(s.acceleration(at, udot), dtype=float)[:2], rtol=1e-7, atol=1e-6
    )
    assert found["A"]["velocity"] == pytest.approx([0.0, 0.0], abs=1e-12)
    names = shown("dalembert.live.design.forces.names")
    x = shown.numbers("dalembert.live.design.forces.x").reshape(len(motion), len(names))
    told = motion.reaction("D").force[:, 0]
    np.testing.assert_allclose(x[:, names.index("D")], told, atol=2e-5 * np.abs(told).max())
    shown("(() => { const r = dalembert.live.realTime; r.switch(true); r.pause(false); r.advanceBy(0.1); })()")
    now = shown.numbers("dalembert.live.march.state")
    expected = float(-0.3 * np.sin(now[0]) * now[3])
    shown.until("Math.abs(dalembert.live.design.velocity.points.find(p => p.name === 'B')?.x"
                f" - ({expected!r})) < 1e-9")  # fmt: skip
    shown("dalembert.live.realTime.switch(false)")
    shown.page.click("#reset")
    shown.march()


def test_what_cannot_be_swept_says_why(browser, tmp_path) -> None:
    m = da.load(files()["double_pendulum"])
    page = LivePage(browser, m.simulate(0.5, output=0.05).page(tmp_path / "x.html", live=True))
    page.page.click("#tab-design")
    page.until("!dalembert.live.design.stale")
    assert "no closed loop" in page.page.inner_text("#design")
    page.assert_quiet()
    page.page.close()
