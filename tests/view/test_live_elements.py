"""Pages that march elements: motors and controllers, continuous and sampled, with laws and without, as Python marches them."""

from __future__ import annotations

import json

import numpy as np

import dalembert as da
from tests.view.conftest import LivePage


def arm(period: float | None = None, stop: bool = False) -> da.Mechanism:
    """An arm whose motor is controlled; the controller in continuous time, or sampled."""
    s = da.System("arm", gravity=(0, -9.81, 0))
    s.add_body("rod", da.rod(mass=0.5, length=s.parameter("length", 0.6, min=0.4, max=0.8)))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "rod")
    pid = da.PID(s.parameter("gain", 10.0), 4.0, 0.2, period=period)
    s.add_element("pid", pid, reference=s.parameter("wanted", 1.0), measured=lambda s: s.q["A"])
    s.add_element("motor", da.DCMotor("A", resistance=1.0, inductance=0.01, constant=0.5), voltage="pid.output")
    s.add_output("torque", lambda s: s.signal("motor.torque"))
    if stop:
        s.add_law("stop", da.Stop("A", upper=0.7, restitution=0.3))
    return s.build()


def rows(motion: da.simulation.motion.Motion) -> np.ndarray:
    return np.hstack([motion.q, motion.u, motion.z])


def chart(page: LivePage, title: str) -> np.ndarray:
    return page.numbers(f"dalembert.charts.charts.find(c => c.title === {json.dumps(title)}).values", "Float32Array")


def check(page: LivePage, motion: da.simulation.motion.Motion) -> None:
    """Rows, states, outputs and energy are those of a motion."""
    expected = rows(motion)
    assert page.words == ""
    np.testing.assert_allclose(page.rows(motion.mechanism), expected, atol=1e-9 * max(1.0, np.abs(expected).max()))
    np.testing.assert_allclose(chart(page, "Outputs"), motion.outputs()["torque"], rtol=1e-5, atol=1e-5)
    at = motion.states.index("motor.current")
    units = [i for i, unit in enumerate(motion.state_units) if unit == motion.state_units[at]]
    shown = chart(page, f"States of elements ({motion.state_units[at]})").reshape(len(motion), -1)
    np.testing.assert_allclose(shown, motion.z[:, units], rtol=1e-5, atol=1e-5)
    total = chart(page, "Energy (J)").reshape(len(motion), 3)[:, 2]
    np.testing.assert_allclose(total, motion.energy().total, rtol=1e-5, atol=1e-5)


def test_motors_and_controllers_march_in_a_page(browser, tmp_path) -> None:
    for period in (None, 0.03):
        m = arm(period)
        options = {"initial": {"A": -0.5, "motor.current": 0.5}, "output": 0.01}
        page = LivePage(browser, m.simulate(1.0, **options).page(tmp_path / "x.html", live=True))
        page.march()
        first = page.rows(m).copy()
        check(page, m.simulate(1.0, **options))
        page.set(gain=8.0, length=0.7)
        check(page, m.simulate(1.0, parameters={"gain": 8.0, "length": 0.7}, **options))
        page.set(gain=10.0, length=0.6, **{"motor.current": -2.0})
        check(page, m.simulate(1.0, initial={"A": -0.5, "motor.current": -2.0}, output=0.01))
        page.set(**{"motor.current": 0.5})
        assert np.array_equal(first.view(np.int64), page.rows(m).view(np.int64))
        page.assert_quiet()
        page.page.close()


def test_in_real_time_controllers_are_sampled_on_as_in_the_motion(browser, tmp_path) -> None:
    m = arm(0.03)
    motion = m.simulate(1.0, initial={"A": -0.5}, output=0.01)
    page = LivePage(browser, motion.page(tmp_path / "x.html", live=True))
    page.march()
    for begin in (0.0, 0.4, 0.45):  # between samples, and at one
        page.page.evaluate(
            "t => { const { live, clock } = dalembert, r = live.realTime; live.marchAtOnce(); clock.play(false); clock.seek(t);"
            " r.switch(true); r.pause(false); while (r.t < 1 - 1e-9) r.advanceBy(Math.min(1 / 60, 1 - r.t)); }",
            begin,
        )
        last = page.numbers("dalembert.live.march.state")
        page("dalembert.live.realTime.switch(false)")
        np.testing.assert_allclose(last, rows(motion)[-1], atol=1e-8)
    page.assert_quiet()
    page.page.close()


def test_elements_are_stepped_with_laws(browser, tmp_path) -> None:
    for period in (None, 0.03):
        m = arm(period, stop=True)
        motion = m.simulate(1.0, initial={"A": -0.5}, output=0.01, method="moreau", step=1e-3)
        page = LivePage(browser, motion.page(tmp_path / "x.html", live=True))
        page.march()
        check(page, motion)
        page.set(wanted=2.0)
        other = m.simulate(
            1.0, initial={"A": -0.5}, output=0.01, method="moreau", step=1e-3, parameters={"wanted": 2.0}
        )
        check(page, other)
        assert abs(other.q[-1, 0] - 0.7) <= 1e-6  # pressed against the stop
        page.assert_quiet()
        page.page.close()
