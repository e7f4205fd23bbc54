"""Results of analyses in the page: their own tab, with the numbers that Python has."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.finding import Finding, curve
from dalembert.view.findings import findings
from dalembert.view.posed import posed
from tests.view.conftest import Watched, four_bar


@pytest.fixture(scope="module")
def pendulums():
    s = da.System("double pendulum", gravity=(0, -9.81, 0))
    c = s.parameter("c", 0.05)
    for name, parent in (("upper", "ground"), ("lower", "upper")):
        s.add_body(name, mass=1.0, com=(0, -1, 0), inertia=(0, 0, 0))
        s.add_joint(name[0], da.Revolute(), parent, name, at_parent=(0, -1, 0) if parent != "ground" else (0, 0, 0))
    s.add_force("friction", da.JointSpring("u", damping=c))
    s.add_output("tip", da.outputs.Position(("lower", (0, -1, 0))))
    return s.build()


@pytest.fixture(scope="module")
def swept():
    m = four_bar()
    return m, m.sweep("A", np.linspace(0, 2 * np.pi, 25))


def test_a_sweep_in_its_tab(browser, swept, tmp_path):
    m, found = swept
    points = found.trace(("coupler", (1.0, 0.5, 0)))
    page = posed(m, found.q, "sweep").page(tmp_path / "s.html", results=[found, curve("P", points)])
    shown = Watched(browser, f"file://{page}#t=0")
    assert shown.page.get_attribute("#tab-analysis", "aria-selected") == "true"
    assert shown.page.is_visible("#analysis") and not shown.page.is_visible("#plots")
    text = shown.page.inner_text("#analysis")
    assert "turns back at its largest value" in text and "Curve of P" in text
    drawn = shown("dalembert.findings.map(p => [p.title, [...p.x], [...p.y]])")
    by_title = {title: (np.array(x), np.array(y)) for title, x, y in drawn}
    (transmission,) = found.transmission
    assert np.allclose(
        by_title[f"Transmission angle at {transmission} (°)"][1], np.degrees(found.transmission[transmission])
    )
    assert np.allclose(by_title["Way of P (m)"], points[:, :2].T)
    blank = "dalembert.findings.every(p => p.canvas.width > 0 && p.canvas.toDataURL().length > 2000)"
    shown.until(blank)
    shown.page.keyboard.press("1")
    assert shown.page.is_visible("#plots")
    shown.page.keyboard.press("5")
    assert shown.page.is_visible("#analysis")
    shown.assert_quiet()
    shown.page.close()


def test_pages_without_results_have_no_such_tab(browser, loop_page):
    shown = Watched(browser, f"file://{loop_page}#t=0")
    assert not shown.page.is_visible("#tab-analysis")
    shown.page.keyboard.press("5")
    assert shown.page.is_visible("#plots")
    shown.page.close()


def test_every_analysis_has_something_to_tell(pendulums, tmp_path):
    m = pendulums
    e = m.equilibrium({"u": 0.1})
    results = [
        e, e.linearisation, e.linearisation.modes(), m.root_locus("c", [0.0, 0.1, 0.2]), m.stability_map({"c": [0.1, 0.2]}),
        m.sensitivities(0.1, {"u": 0.2}, output=0.05),
        m.drives(e.q, e.u, np.zeros(2)),
    ]  # fmt: skip
    told = findings(results, m)
    assert [f.title for f in told] == [
        "Equilibrium", "Linearisation", "Modes", "Over c", "Stability over c", "Sensitivities", "Drives",
    ]  # fmt: skip
    frequencies = [float(row[1]) for row in told[2].tables[0][1][1:]]
    assert frequencies == pytest.approx(e.linearisation.modes().frequencies, rel=1e-5)
    assert all(isinstance(f, Finding) and (f.text or f.plots) for f in told)
    page = m.simulate(0.1, {"u": 0.2}, output=0.05).page(tmp_path / "x.html", results=results)
    assert page.stat().st_size > 100_000
    with pytest.raises(da.SimulationError, match="results are what analyses return"):
        findings([3], m)


def test_outputs_are_plotted(pendulums):
    from dalembert.view.series import charts

    motion = pendulums.simulate(0.2, {"u": 0.2}, output=0.1)
    made = {c.key: c for c in charts(motion)}["output:tip"]
    assert made.names == ("x", "y", "z") and np.allclose(made.values, motion.outputs()["tip"])
