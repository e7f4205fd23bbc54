"""Estimates, sensitivities and charts of answers that are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import dalembert as da
from dalembert.studies.percentiles import level, level_gradient
from tests.studies.models import four_bar, pendulum

A, B = 7.0, 0.1


def still(function, **vary) -> da.Study:
    """A study of a function of the inputs alone, asked of a motion of which nothing moves."""
    s = da.System("still")
    for name in vary:
        s.parameter(name, 0.5)
    s.add_body("bob", da.particle(1.0))
    s.add_joint("A", da.Prismatic(), "ground", "bob")
    s.add_output("y", lambda s: function(s.mechanism.parameters) if not s.traced else function(_symbols(s, vary)))
    return s.build()


def _symbols(s, names):
    from dalembert.trace import symbol

    return {name: symbol(name) for name in names}


def ishigami(p):
    """Ishigami and Homma (1990): f = sin x₁ + a sin² x₂ + b x₃⁴ sin x₁."""
    return da.sin(p["x1"]) + A * da.sin(p["x2"]) ** 2 + B * p["x3"] ** 4 * da.sin(p["x1"])


def test_sobol_indices_of_ishigami_s_function():
    ends = {name: (-np.pi, np.pi) for name in ("x1", "x2", "x3")}
    m = still(ishigami, **ends)
    study = da.Study(m, ends, ["end y"], 5 * 1024, design="saltelli", duration=0.1, seed=2,
                     options=da.SimulationOptions(step=0.1, output=0.1))  # fmt: skip
    found = study.run().sobol("end y")
    V = A**2 / 8 + B * np.pi**4 / 5 + B**2 * np.pi**8 / 18 + 0.5
    V1, V2, V13 = 0.5 * (1 + B * np.pi**4 / 5) ** 2, A**2 / 8, B**2 * np.pi**8 * 8 / 225
    assert np.allclose(found.first_order, [V1 / V, V2 / V, 0.0], atol=0.03)
    assert np.allclose(found.total_order, [(V1 + V13) / V, V2 / V, V13 / V], atol=0.04)
    assert found.points == 1024 and "x2" in str(found)


def test_estimates_are_those_of_the_numbers():
    study = da.Study(pendulum(), {"l": "±10%"}, ["end A", "series A at 0, 0.2"], 400, duration=0.2, initial={"A": 1.0},
                     options=da.SimulationOptions(output=0.05))  # fmt: skip
    found = study.run()
    told, x = found.summary(0.9), found["end A"]
    low, high = stats.t.interval(0.9, len(x) - 1, x.mean(), stats.sem(x))
    assert np.isclose(told.mean[0], x.mean()) and np.allclose(
        [told.mean[0] - told.half_width[0], told.mean[0] + told.half_width[0]], [low, high]
    )
    assert np.allclose(told.percentiles[0], np.percentile(x, (5, 50, 95))) and told.largest_run[0] == x.argmax()
    assert np.allclose(found.percentiles("series A at 0, 0.2")[:, -1], told.percentiles[0])
    settled = found.convergence("end A")
    assert (
        settled.runs[-1] == 400
        and np.isclose(settled.mean[-1], x.mean())
        and (np.diff(settled.half_width[-3:]) < 0).all()
    )
    worst = found.outliers("end A", 3)
    off = np.abs(x - np.median(x))
    assert set(worst.tolist()) == set(np.argsort(-off)[:3].tolist())
    assert np.isclose(found.motion(int(worst[0]))["A"][-1], x[worst[0]])
    assert found.to_dict()["run"] == list(range(400))


def test_first_derivatives_give_the_deviations_of_small_tolerances():
    """Beside the runs themselves: through loops, their assembly, and extremes between samples."""
    study = da.Study(
        four_bar(), {"crank": "±0.3%", "rocker": "±0.3%", "A'": "2±0.01"}, ["max D", "mean B'", "range D", "rms D'", "p60 D"],
        128, design="sobol", duration=2.0, initial={"A": 1.0}, options=da.SimulationOptions(output=0.02, rtol=1e-9),
    )  # fmt: skip
    found = study.run()
    linear = found.linear()
    deviations = [found[name].std() for name in linear.names]
    assert np.allclose(linear.deviation, deviations, rtol=0.03), (linear.names, linear.deviation / deviations)
    assert np.allclose(linear.share.sum(axis=1), 1.0)


def test_charts_are_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    study = da.Study(pendulum(), {"l": "±10%"}, ["end A", "series A"], 50, duration=0.2, initial={"A": 1.0},
                     options=da.SimulationOptions(output=0.05))  # fmt: skip
    found = study.run()
    bars = found.plot().axes[0].patches
    assert sum(x.get_height() for x in bars) == 50
    assert len(found.scatter_matrix().axes) == 4
    (line,) = found.fan("series A").axes[0].lines
    assert np.allclose(line.get_ydata(), np.median(found["series A"], axis=0))
    with pytest.raises(da.ArgumentError, match="is a series"):
        found.plot("series A")
    with pytest.raises(da.ArgumentError, match="is no series"):
        found.fan("end A")
    with pytest.raises(da.ArgumentError, match='need design="saltelli"'):
        found.sobol("end A")


def test_percentiles_are_levels_over_time():
    """Of t² half of the time is below 1/4, and of a sine a third below −1/2; samples need not be evenly spaced, nor many."""
    t = np.sort(np.random.default_rng(3).uniform(0.0, 1.0, 4000))
    t[[0, -1]] = 0.0, 1.0
    y = np.stack([t**2, np.sin(2 * np.pi * t)])[:, :, None]
    assert np.allclose(level(t, y, 50.0)[:, 0], [0.25, 0.0], atol=1e-5)
    assert abs(level(t, y, 100.0 / 3.0)[1, 0] + 0.5) < 1e-5
    assert np.allclose(level(t, y, 100.0)[:, 0], y.max(axis=(1, 2))) and np.allclose(level(t, y, 0.0), y.min(axis=1))
    held = np.array([1.0, 1.0, 1.0, 3.0, 3.0])
    assert np.allclose(level(np.arange(5.0), held[None, :, None], 40.0), 1.0)
    value, gradient = level_gradient(t, 2.0 * t**2, (t**2)[:, None], 50.0)  # of c t², by c
    assert abs(value - 0.5) < 1e-5 and abs(gradient[0] - 0.25) < 1e-5
