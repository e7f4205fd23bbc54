"""The numbers in the page are the motion's, to the single precision they are stored in."""

from __future__ import annotations

import base64
import json
import re

import numpy as np
import pytest

from tests.view.conftest import Watched

SINGLE = 2.0**-23


def held(address) -> dict:
    """The data of a page as it is written."""
    text = address.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])


def numbers(packed: dict) -> np.ndarray:
    kinds = {"float32": "<f4", "float64": "<f8"}
    return np.frombuffer(base64.b64decode(packed["base64"]), kinds[packed["type"]]).reshape(packed["shape"])


def charts(data: dict) -> dict[str, np.ndarray]:
    return {chart["key"]: numbers(chart["values"]) for chart in data["charts"]}


def assert_single(found, expected) -> None:
    assert found.shape == expected.shape
    assert np.all(np.abs(found - expected) <= SINGLE * np.abs(expected) + 1e-45)


def test_of_a_closed_loop(loop_motion, loop_page):
    data = held(loop_page)
    bodies, energy, plots = loop_motion.body_motion(), loop_motion.energy(), charts(data)
    assert np.array_equal(numbers(data["t"]), loop_motion.t)
    assert_single(numbers(data["position"]), bodies.position)
    assert_single(plots["q:rad"], loop_motion.q)
    assert_single(plots["u:rad/s"], loop_motion.u)
    assert_single(plots["energy"], np.stack([energy.kinetic, energy.potential, energy.total], 1))
    assert_single(plots["energy_change"][:, 0], energy.total - energy.total[0])
    gap = loop_motion.position(("coupler", (2.5, 0, 0))) - loop_motion.position(("rocker", (1.7, 0, 0)))
    assert np.allclose(plots["gap"][:, 0], np.linalg.norm(gap, axis=1), atol=1e-14)


def test_of_reactions(loop_motion, loop_page):
    data = held(loop_page)
    assert sorted(data["reactions"]["joints"]) == ["A", "B", "C", "D"] and "unique" in data["reactions"]["note"]
    for i, name in enumerate(data["reactions"]["joints"]):
        wrench = loop_motion.reaction(name)
        assert_single(numbers(data["reactions"]["force"])[:, i], wrench.force)
        assert_single(numbers(data["reactions"]["torque"])[:, i], wrench.torque)


def test_quaternions_turn_as_the_rotations_do(tree_motion, tmp_path):
    data = held(tree_motion.page(tmp_path / "tree.html", reactions=[]))
    x, y, z, w = np.moveaxis(numbers(data["quaternion"]).astype(float), -1, 0)
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    assert np.abs(np.moveaxis(R, (0, 1), (-2, -1)) - tree_motion.body_motion().rotation).max() < 1e-6


def test_the_browser_reads_what_was_written(browser, tree_motion, tmp_path):
    """As JavaScript sees them, and as the legend prints them at a time between the samples."""
    watched = Watched(browser, f"file://{tree_motion.page(tmp_path / 'tree.html')}#t=0.51")
    found = np.array(watched("Array.from(dalembert.data.charts.find(c => c.key === 'q:rad').values)"))
    assert_single(found.reshape(tree_motion.q.shape), tree_motion.q)
    place = np.array(watched("Array.from(dalembert.data.position)")).reshape(len(tree_motion), 2, 3)
    assert_single(place, tree_motion.body_motion().position)
    sizes = np.array(watched("Array.from(dalembert.charts.charts.find(c => c.key === 'force').values)")).reshape(-1, 2)
    assert np.allclose(sizes[:, 0], np.linalg.norm(tree_motion.reaction("A").force, axis=1), rtol=1e-6)
    watched.pictures()
    read = watched.page.locator(".legend b").first.text_content().replace("−", "-")
    assert float(read) == pytest.approx(0.5 * (tree_motion["A"][25] + tree_motion["A"][26]), abs=6e-5)
    watched.assert_quiet()
    watched.page.close()
