"""The parts of a page that need no browser: text, graph, skeleton, frames."""

from __future__ import annotations

import posixpath
import re
import xml.etree.ElementTree as ET
from pathlib import Path, PurePosixPath

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.motion.quaternions import quaternions
from dalembert.trace.text.latex_atoms import name_in_latex
from dalembert.trace.text.mathml import mathml
from dalembert.vectors import turn
from dalembert.view.bundle import asset
from dalembert.view.drawing.scene import scene
from dalembert.view.drawing.topology_svg import layout, topology_svg
from dalembert.view.encode import json_for_html
from dalembert.view.page import MODULES
from dalembert.view.shown_samples import thinned
from tests.effort import examples
from tests.mechanisms import seeds, unit
from tests.view.conftest import four_bar


def words(markup: str) -> str:
    return "".join(ET.fromstring(markup).itertext())


def test_mathml_of_what_latex_says():
    assert words(mathml(r"\frac{1}{2} m \dot{q}_{A}^{2} - \sqrt{x}")) == "12mq˙A2−x"
    table = ET.fromstring(mathml(r"\left[\begin{array}{cc} a & b \\ c & d \end{array}\right]"))
    assert len(table.findall(".//mtr")) == 2 and len(table.findall(".//mtd")) == 4
    cases = mathml(r"\begin{cases} x & \text{if } x < 1 \\ 1 & \text{otherwise} \end{cases}")
    assert "otherwise" in words(cases.replace("&#xa0;", " "))


@given(st.text(max_size=20))
def test_every_name_is_well_formed_mathml(name):
    """Whatever a body is called, its symbol is markup that closes; control characters alone are no XML."""
    text = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]", "", name)
    assert ET.fromstring(mathml(name_in_latex(f"q_{text}"))).tag == "math"


def test_the_equations_of_a_loop_are_well_formed():
    written = mathml(four_bar().equations("kane").latex())
    assert len(ET.fromstring(written).findall(".//mtable")) >= 5


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=40))
def test_in_the_graph_no_two_bodies_stand_on_one_place(raw):
    parent = tuple(x % (k + 1) for k, x in enumerate(raw))
    places = layout(parent)
    assert len(set(places)) == len(places)
    assert all(places[k][1] > places[p][1] for k, p in enumerate(parent, start=1))


def test_the_graph_marks_the_cut_joint():
    drawing = ET.fromstring(topology_svg(four_bar()))
    joints = {g.get("data-joint"): g.get("class") for g in drawing.iter() if g.get("data-joint")}
    assert joints == {"A": "edge tree", "B": "edge tree", "C": "edge cut", "D": "edge tree"}


@settings(max_examples=examples(20))
@given(seeds)
def test_quaternions_turn_without_jumps(seed):
    rng = np.random.default_rng(seed)
    axis, angles = np.array(unit(rng)), np.linspace(0.0, 12.0, 400)
    q = quaternions(np.array([turn(axis, a) for a in angles])[:, None])[:, 0]
    expected = np.concatenate([np.outer(np.sin(0.5 * angles), axis), np.cos(0.5 * angles)[:, None]], axis=1)
    assert np.abs(q * np.sign(q[0, 3]) - expected).max() < 1e-9


def test_a_body_without_shapes_is_bars_from_joint_to_joint():
    s = da.System()
    s.add_body("plain", mass=1.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1))
    s.add_body("tip", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    s.add_joint("A", da.Revolute(), "ground", "plain")
    s.add_joint("B", da.Revolute(), "plain", "tip", at_parent=(1.0, 0.5, 0))
    m = s.build()
    seen = scene(m, np.tile(np.eye(3), (1, 2, 1, 1)), np.array([[[0.0, 0, 0], [1.0, 0.5, 0]]]))
    (first,) = [
        p for p in seen.parts[1] if p.kind == "cylinder" and p.layer == "bodies" and p.size[0] == seen.thickness
    ]
    half = 0.5 * first.size[2] * first.rotation[:, 2]
    assert np.allclose(first.position - half, 0.0) and np.allclose(first.position + half, (1.0, 0.5, 0))
    (second,) = [p for p in seen.parts[2] if p.kind == "cylinder" and p.layer == "bodies"]
    assert np.isclose(second.size[2], 0.5)


def test_a_floating_body_is_the_block_of_its_inertia():
    s = da.System()
    given_ = da.box(3.0, (0.2, 0.5, 1.1), com=(0.1, 0, 0))
    s.add_body("b", mass=given_.mass, com=given_.com, inertia=given_.inertia)
    s.add_joint("float", da.Free(), "ground", "b")
    seen = scene(s.build(), np.eye(3)[None, None], np.zeros((1, 1, 3)))
    (block,) = [p for p in seen.parts[1] if p.kind == "box"]
    assert np.allclose(np.abs(block.rotation @ np.diag(block.size) @ block.rotation.T).diagonal(), (0.2, 0.5, 1.1))


def test_thinning_keeps_both_ends(loop_motion):
    some = thinned(loop_motion, budget=4000)
    assert 2 < len(some) < len(loop_motion)
    assert some.t[0] == loop_motion.t[0] and some.t[-1] == loop_motion.t[-1]
    assert np.array_equal(some.q[1], loop_motion.q[np.flatnonzero(loop_motion.t == some.t[1])[0]])


@given(st.text())
def test_json_in_html_holds_no_markup(text):
    assert not set("<>&") & set(json_for_html({text: text}))


def test_modules_are_bundled_in_the_order_of_their_imports():
    for i, name in enumerate(MODULES):
        folder = PurePosixPath(name).parent
        found = re.findall(r'from "([./\w]+)\.js"', asset(f"js/{name}.js"))
        wanted = {posixpath.normpath(str(folder / one)) for one in found}
        assert wanted <= set(MODULES[:i]), name


def test_no_two_modules_use_one_name():
    """They are joined into one, so that names at their top level are all in one place."""
    names = [
        x
        for m in MODULES
        for x in re.findall(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", asset(f"js/{m}.js"), re.M)
    ]
    assert len(names) == len(set(names)), sorted({x for x in names if names.count(x) > 1})


def test_every_script_is_in_the_page():
    folder = Path(da.__file__).parent / "view" / "assets" / "js"
    found = {f.relative_to(folder).with_suffix("").as_posix() for f in folder.rglob("*.js")}
    assert found - {"gallery", "widget"} == set(MODULES)


@pytest.mark.parametrize("name", ["three.LICENSE.txt"])
def test_what_others_wrote_comes_with_its_licence(name):
    assert "MIT License" in asset(f"vendor/{name}")
