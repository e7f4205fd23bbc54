"""Pages that march laws: what hits, rubs and rests, by time stepping inside the page, as Python steps it."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import SimulationError
from tests.view.conftest import LivePage


def pendulum() -> da.System:
    """It falls onto a stop and rubs in its joint."""
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    length = s.parameter("length", 1.0, min=0.5, max=2.0)
    s.add_body("rod", da.rod(mass=1.0, length=length))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "rod")
    s.add_law("stop", da.Stop("A", upper=-1.2, restitution=0.6))
    s.add_law("dry", da.JointFriction("A", force=0.3))
    return s


def slider_crank() -> da.System:
    """A loop whose slider rubs in its guide."""
    s = da.System("slider-crank", gravity=(0, -9.81, 0))
    s.add_body("crank", da.rod(mass=1.0, length=0.3))
    s.add_body("rod", da.rod(mass=1.0, length=0.9))
    s.add_body("block", mass=1.0, inertia=(0.01, 0.01, 0.01))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "crank")
    s.add_joint("B", da.Revolute((0, 0, 1)), "crank", "rod", at_parent=(0.3, 0, 0))
    s.add_joint("C", da.Revolute((0, 0, 1)), "rod", "block", at_parent=(0.9, 0, 0))
    s.add_joint("guide", da.Prismatic((1, 0, 0)), "ground", "block")
    s.add_law("dry", da.JointFriction("guide", force=2.0))
    return s


def rows_of(page: LivePage, m: da.Mechanism) -> np.ndarray:
    page.march()
    assert page.words == ""
    return page.rows(m)


def test_a_page_steps_over_impacts_and_friction_as_python_does(browser, tmp_path) -> None:
    m = pendulum().build()
    motion = m.simulate(2.0, initial={"A": -2.5}, method="moreau", step=1e-3, output=0.02)
    page = LivePage(browser, motion.page(tmp_path / "x.html", live=True))
    first = rows_of(page, m).copy()
    np.testing.assert_allclose(first, np.hstack([motion.q, motion.u]), atol=1e-9)
    page.set(length=0.7)
    other = m.simulate(2.0, initial={"A": -2.5}, method="moreau", step=1e-3, output=0.02, parameters={"length": 0.7})
    np.testing.assert_allclose(page.rows(m), np.hstack([other.q, other.u]), atol=1e-9)
    page.set(length=1.0)
    assert np.array_equal(first.view(np.int64), page.rows(m).view(np.int64))
    page.set(A=-1.0)  # beyond the stop
    with pytest.raises(SimulationError) as problem:
        m.simulate(2.0, initial={"A": -1.0}, method="moreau", step=1e-3)
    words = str(problem.value)
    assert page.words == words[0].upper() + words[1:]
    page.page.click("#reset")
    page.march()
    page.page.click("#tool-live")
    page.until("dalembert.live.realTime.on")
    page("(() => { const r = dalembert.live.realTime; r.pause(false);"
         " r.pull(1, [0.5, 0, 0], [1, 0, 0], dalembert.live.hand.stiffness, dalembert.live.hand.damping);"
         " for (let k = 0; k < 120; k++) r.advanceBy(1 / 60); })()")  # fmt: skip
    angle = page("dalembert.live.march.state[0]")
    assert angle == pytest.approx(-1.2, abs=1e-6)  # pulled against the stop, and no farther
    page.assert_quiet()
    page.page.close()


def test_a_motion_from_event_to_event_is_stepped_in_its_page_and_the_page_says_so(browser, tmp_path) -> None:
    m = slider_crank().build()
    motion = m.simulate(1.0, initial={"A": 0.9}, output=0.02)
    page = LivePage(browser, motion.page(tmp_path / "x.html", live=None))
    assert "marches by moreau" in page.page.inner_text("#marched")
    assert "events of its laws located one by one" in page.page.inner_text("#marched")
    rows = rows_of(page, m)
    step = page("dalembert.live.live.options.step")
    stepped = m.simulate(1.0, initial={"A": 0.9}, method="moreau", step=step, output=0.02)
    np.testing.assert_allclose(rows, np.hstack([stepped.q, stepped.u]), atol=1e-9)
    assert np.abs(rows[:, : m.n_q] - motion.q).max() < 5e-3  # of first order in the step
    page.assert_quiet()
    page.page.close()


def test_events_act_in_a_page(browser, tmp_path) -> None:
    """A law is switched on, a parameter is set and a blow is given; what is shown knows the parameter of its time."""
    s = pendulum()
    drag = s.parameter("drag", 0.0)
    s.add_force("drag", da.JointSpring("A", 0.0, drag))
    s.add_output("drag", lambda s: drag * s.u["A"])
    s.add_law("late", da.Stop("A", lower=-2.4, restitution=0.2, on=False))
    s.add_event(
        "fallen", da.Event(lambda s: s.q["A"] + 1.5, 1, action=[da.SetParameter("drag", 0.4), da.Switch("late")])
    )
    s.add_event(
        "kick", da.Event(lambda s: s.t - 0.503, 1, action=da.JointImpulse("A", lambda s: -0.5 - 0.1 * s.u["A"]))
    )
    s.add_event("again", da.Event(lambda s: s.t - 0.5034, 1, action=da.JointImpulse("A", 0.3)))
    m = s.build()
    options = {"initial": {"A": -2.2}, "method": "moreau", "step": 1e-3, "output": 0.02}
    motion = m.simulate(2.0, **options)
    assert len(motion.record["parameter_changes"]) >= 1 and motion.q.min() > -2.41
    page = LivePage(browser, motion.page(tmp_path / "x.html", live=True))
    first = rows_of(page, m).copy()
    np.testing.assert_allclose(first, np.hstack([motion.q, motion.u]), atol=1e-9)
    shown = page.numbers("dalembert.charts.charts.find(c => c.title === 'Outputs').values", "Float32Array")
    np.testing.assert_allclose(shown, motion.outputs()["drag"], atol=1e-6)
    page.set(length=0.7)
    other = m.simulate(2.0, parameters={"length": 0.7}, **options)
    np.testing.assert_allclose(page.rows(m), np.hstack([other.q, other.u]), atol=1e-9)
    page.set(length=1.0)
    assert np.array_equal(first.view(np.int64), page.rows(m).view(np.int64))
    page.assert_quiet()
    page.page.close()


def test_a_latch_holds_in_a_page_what_is_there(browser, tmp_path) -> None:
    """Two crafts in a plane, where half of what the latch holds says nothing; and a latch that is on from the start."""
    s = da.System("docking")
    for name, mass in (("station", 400.0), ("craft", 100.0)):
        s.add_body(name, da.box(mass=mass, size=(1.0, 0.8, 0.8)))
        s.add_joint(name[0].upper(), da.Planar((0, 0, 1)), "ground", name)
    s.add_law("ports", da.Latch(a=("station", (-0.5, 0, 0)), b=("craft", (0.5, 0, 0)), rigid=True, on=False))
    near = lambda s: s.position(("station", (-0.5, 0, 0)))[0] - s.position(("craft", (0.5, 0, 0)))[0] - 0.001  # noqa: E731
    s.add_event("meet", da.Event(near, -1, action=da.Switch("ports")))
    m = s.build()
    given = {"initial": {"C.x": -2.0, "C.y": 0.02}, "speeds": {"C.x": 0.8, "C.angle": 0.01, "S.angle": -0.005}}
    options = given | {"method": "moreau", "step": 1e-3, "output": 0.05}
    motion, exact = m.simulate(2.5, **options), m.simulate(2.5, **given, output=0.05)
    assert np.abs(motion.q - exact.q).max() < 2e-3 and np.abs(motion.u[-1] - exact.u[-1]).max() < 1e-4
    page = LivePage(browser, motion.page(tmp_path / "x.html", live=True))
    first = rows_of(page, m).copy()
    np.testing.assert_allclose(first, np.hstack([motion.q, motion.u]), atol=1e-9)
    page.set(**{"C.x": -1.8})
    other = m.simulate(2.5, **(options | {"initial": {"C.x": -1.8, "C.y": 0.02}}))
    np.testing.assert_allclose(page.rows(m), np.hstack([other.q, other.u]), atol=1e-9)
    page.set(**{"C.x": -2.0})
    assert np.array_equal(first.view(np.int64), page.rows(m).view(np.int64))
    page.assert_quiet()
    page.page.close()


def test_a_page_that_marches_shows_forces_gaps_and_states_of_laws(browser, tmp_path) -> None:
    """A ball that bounces and rolls, and a bob on a rope, with other friction than the motion that was played back."""
    s = da.System("ball", gravity=(0, 0, -9.81))
    mu = s.parameter("mu", 0.0, min=0.0, max=0.5)
    s.add_body("ball", da.sphere(mass=1.0, radius=0.1))
    s.add_joint("J", da.Free(), "ground", "ball")
    s.add_law("floor", da.PairContact(da.surfaces.sphere("ball", 0.1), da.surfaces.plane(), mu=mu))
    s.add_body("bob", mass=0.5, inertia=(0.1, 0.1, 0.1))
    s.add_joint("z", da.Prismatic((0, 0, 1)), "ground", "bob")
    s.add_law("rope", da.Rope("bob", ("ground", (0, 0, 1)), length=1.2))
    m, options = s.build(), {"method": "moreau", "step": 1e-3, "output": 0.02}
    start = {"initial": {"J.z": 0.15}, "speeds": {"J.vx": 1.0}}
    page = LivePage(browser, m.simulate(0.5, **start, **options).page(tmp_path / "x.html", live=True))
    page.march()
    page.set(mu=0.3)
    other = m.simulate(0.5, parameters={"mu": 0.3}, **start, **options)
    floor, rope = other.contacts["floor"], other.contacts["rope"]
    assert floor.normal.any() and floor.friction.any() and rope.normal.any()

    def shown(title: str, curves: int) -> np.ndarray:
        values = page.numbers(
            f"dalembert.charts.charts.find(c => c.title.startsWith('{title}')).values", "Float32Array"
        )
        return values.reshape(-1, curves)

    pressed = np.column_stack([floor.normal, np.linalg.norm(floor.friction, axis=1), rope.normal])
    np.testing.assert_allclose(shown("Forces of laws", 3), pressed, atol=1e-4)
    np.testing.assert_allclose(shown("Gaps of laws", 2), np.column_stack([floor.gap, rope.gap]), atol=1e-7)
    assert shown("States of laws", 2)[-1].tolist() == other.history.state[-1].tolist()
    force = page.numbers("dalembert.stage.contacts.force", "Float32Array").reshape(-1, 2, 3)
    at = page.numbers("dalembert.stage.contacts.at", "Float64Array").reshape(-1, 2, 3)
    np.testing.assert_allclose(force[:, 0, 2], floor.normal[:, 0], atol=1e-4)
    np.testing.assert_allclose(force[:, 1, 2], rope.normal[:, 0], atol=1e-4)
    np.testing.assert_allclose(np.hypot(force[:, 0, 0], force[:, 0, 1]), pressed[:, 1], atol=1e-4)
    np.testing.assert_allclose(at[:, 0, :2], other.position("ball")[:, :2], atol=1e-9)
    page.assert_quiet()
    page.page.close()
