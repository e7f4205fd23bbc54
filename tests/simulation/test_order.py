"""Every registered integrator converges at the order it states, on a tree and, if it keeps constraints, on a loop."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import dalembert as da
from benchmarks.loop_models import four_bar
from dalembert.simulation.integrators.integrator import INTEGRATORS
from tests.mechanisms import planar_pendulum
from tests.simulation.test_loops import BARS

STARTS = np.linspace(0.0, 1.0, 4)
"""Motions differ in how they begin, as the errors of a single one may cancel."""


TIGHT = np.linspace(5.0, 10.0, 11)
"""Tolerances, as powers of ten: below, steps are few and limited by much else; above, rounding begins."""


def tree(x: float) -> dict[str, Any]:
    """How a double pendulum begins."""
    return {"initial": [0.4 + x, -0.3], "speeds": [0.5, 1.0 - x]}


def loop(x: float) -> dict[str, Any]:
    """How a crank-rocker begins, away from singular poses."""
    return {"initial": {"A": 0.3 + x}, "speeds": {"A": 3.0 + x}}


Start = Callable[[float], dict[str, Any]]
MODELS: dict[Start, da.Mechanism] = {tree: planar_pendulum(2).build(), loop: four_bar(*BARS)}


@cache
def ends(start: Start, **options: Any) -> tuple[np.ndarray, float]:
    """(q, u) of all motions after a second, and the steps that one took on average."""
    motions = [MODELS[start].simulate(1.0, output=[1.0], **start(x), **options) for x in STARTS]
    return np.array([[*m.q[-1], *m.u[-1]] for m in motions]), float(np.mean([m.record["steps"] for m in motions]))


def measured_order(name: str, start: Start) -> float:
    """The slope of error over steps, both logarithmic: with shorter steps, or with tolerances that ask for them."""
    settings: list[dict[str, float]] = [{"step": 1.0 / n} for n in (100, 200, 400, 800)]
    if INTEGRATORS[name].adaptive:
        settings = [{"rtol": 10.0**-k, "atol": 10.0**-k} for k in TIGHT]
    exact = ends(start, rtol=1e-13)[0]
    found = [ends(start, method=name, **s) for s in settings]
    errors = [np.log(np.abs(y - exact).max(axis=1)).mean() for y, _ in found]
    return float(-np.polyfit(np.log([n for _, n in found]), errors, 1)[0])


CASES = [
    (name, start) for name, x in INTEGRATORS.items() for start in (tree, loop) if start is tree or x.keeps_constraints
]


@pytest.mark.parametrize("name, start", CASES, ids=[f"{name}-{start.__name__}" for name, start in CASES])
def test_it_converges_at_the_order_it_states(name: str, start: Start) -> None:
    order, integrator = measured_order(name, start), INTEGRATORS[name]
    # with few long steps a high order is not yet seen alone: terms of still higher order fall faster
    least, most = (0.85, 1.4) if integrator.adaptive else (0.9, 1.1)
    assert least * integrator.order < order < most * integrator.order, order
