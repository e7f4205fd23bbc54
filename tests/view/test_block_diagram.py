"""The block diagram of elements: every connection is drawn once, from the block that has the signal to the input that reads it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import dalembert as da
from dalembert.files.gallery import files
from dalembert.view.drawing.block_diagram import block_diagram
from dalembert.view.drawing.signal_flow import SignalWire, signal_flow
from dalembert.view.signal_series import signal_charts

SVG = "{http://www.w3.org/2000/svg}"


def drive() -> da.System:
    """A controlled motor, with a filter that reads back what comes later, and an input made of several signals."""
    s = da.System("drive")
    s.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.02))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "wheel")
    s.add_element("pid", da.PID(2.0, 1.0, period=0.01), reference="filter.output", measured=lambda s: s.u["A"])
    s.add_element(
        "motor",
        da.DCMotor("A", 1.0, 0.01, 0.5),
        voltage=lambda s: s.signal("pid.output") + 2 * s.signal("filter.output"),
    )
    s.add_element("filter", da.LowPass(0.1), input="motor.torque")
    s.add_force("drag", da.Motor("A", lambda s: -0.1 * s.signal("filter.output")))
    return s


def test_wires_are_the_connections() -> None:
    blocks, wires = signal_flow(drive().build())
    assert [b.name for b in blocks] == ["pid", "motor", "filter", "drag"]
    assert set(wires) == {
        SignalWire("filter", "output", "pid", "reference"),
        SignalWire("pid", "output", "motor", "voltage"),
        SignalWire("filter", "output", "motor", "voltage"),
        SignalWire("motor", "torque", "filter", "input"),
        SignalWire("filter", "output", "drag", ""),
    }
    by_name = {b.name: b for b in blocks}
    assert by_name["motor"].acts == by_name["drag"].acts == "A" and by_name["pid"].sampled
    assert "measured" in by_name["pid"].inputs and not by_name["filter"].inputs["input"]


def _boxes(tree: ET.Element) -> list[tuple[float, float, float, float]]:
    every = [r for g in tree.iter(f"{SVG}g") if "block" in g.get("class", "").split() for r in g.findall(f"{SVG}rect")]
    return [tuple(float(r.get(k, "")) for k in ("x", "y", "width", "height")) for r in every]  # type: ignore[misc]


def _check(m: da.Mechanism) -> None:
    blocks, wires = signal_flow(m)
    tree = ET.fromstring(block_diagram(m))
    boxes = _boxes(tree)
    assert len(boxes) == len(blocks)
    for i, (x, y, w, h) in enumerate(boxes):
        for a, b, c, d in boxes[i + 1 :]:
            assert x + w <= a or a + c <= x or y + h <= b or b + d <= y, "blocks overlap"
    lines = [g for g in tree.iter(f"{SVG}g") if g.get("class") == "wire"]
    assert len(lines) == len(wires)
    runs: dict[float, set[str]] = {}
    for g in lines:
        told = g.findtext(f"{SVG}title") or ""
        path = [float(n) for n in re.findall(r"-?\d+\.\d", g.findall(f"{SVG}path")[0].get("d", ""))]
        xs = np.array(path[::2])
        for x in xs[1:-1]:
            runs.setdefault(float(x), set()).add(told.split(" → ")[0])
            assert not any(a < x < a + w for a, _, w, _ in boxes), "a line rises through a column of blocks"
    assert all(len(signals) == 1 for signals in runs.values()), "lines of two signals run on each other"


def test_blocks_and_lines_keep_apart() -> None:
    _check(drive().build())


@pytest.mark.parametrize("name", ["press", "cart_pendulum", "car", "excavator", "dual_spin_satellite", "belt_drive"])
def test_gallery_models_have_their_diagram(name: str) -> None:
    _check(da.load(files()[name]))


@pytest.mark.parametrize("seed", range(5))
def test_random_networks_keep_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    s = da.System("net")
    s.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.02))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "wheel")
    n = int(rng.integers(3, 12))
    for k in range(n):
        other = int(rng.integers(n))
        s.add_element(f"e{k}", da.LowPass(0.1), input=f"e{other}.output" if rng.random() < 0.8 else float(rng.random()))
    _check(s.build())


def test_outputs_of_elements_are_plotted_by_unit() -> None:
    motion = drive().build().simulate(0.1, output=0.01)
    charts = {c.unit: c for c in signal_charts(motion)}
    assert charts["N m"].names == ("motor.torque",) and "pid.output" in charts[""].names
    wanted = motion.evaluate(lambda s: s.signal("motor.torque"))
    assert np.array_equal(charts["N m"].values[:, 0], wanted)
    plain = da.load(files()["pendulum"]).simulate(duration=0.1)
    assert not signal_charts(plain) and not block_diagram(plain.mechanism)


def test_forces_in_plain_python_do_not_stop_a_page(tmp_path) -> None:
    s = drive()
    s.add_force("wind", da.Load("wheel", force=lambda s: (np.sign(float(s.t)), 0, 0)))
    m = s.build()
    assert [b.name for b in signal_flow(m)[0]] == ["pid", "motor", "filter", "drag"]
    assert (m.simulate(0.02).page(tmp_path / "x.html", live=None)).exists()
