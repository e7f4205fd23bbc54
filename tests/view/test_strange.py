"""Pages of strange models: hostile names, very many bodies, no shapes, no motion."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.motion.motion import Motion
from dalembert.trace.text.mathml import mathml
from dalembert.view.about import equations
from dalembert.view.drawing.scene import scene
from dalembert.view.shown_samples import thinned
from tests.view.conftest import Watched

HOSTILE = '</script><img src=x onerror="window.hacked=1"><svg/onload=window.hacked=1>{{data}} & "\' \\'


def test_names_are_text_and_nothing_else(browser, tmp_path):
    s = da.System(HOSTILE, gravity=(0, 0, -9.81))
    s.add_body("<img>&amp;", da.rod(1.0, 1.0))
    s.add_joint("<script>alert(1)<", da.Revolute((0, 1, 0)), "ground", "<img>&amp;")
    event = da.Event(lambda state: state.q["<script>alert(1)<"] - 1.0, name=HOSTILE)
    motion = s.build().simulate(2.0, events=[event])
    watched = Watched(browser, f"file://{motion.page(tmp_path / 'x.html')}#t=0")
    for key in "1234":
        watched.page.keyboard.press(key)
        watched.pictures(1)
    watched.page.click('[data-layer="names"]')
    assert watched("window.hacked === undefined && document.images.length === 0")
    assert watched.page.inner_text("#name") == HOSTILE and watched.page.title() == HOSTILE
    assert watched.page.inner_text("#labels") == "<img>&amp;"
    assert watched.page.locator(".topology .node title").nth(1).text_content() == "<img>&amp;"
    watched.assert_quiet()
    watched.page.close()


def test_five_hundred_bodies_and_ten_thousand_samples(browser, tmp_path):
    """The file stays within 30 MB, opens, plays and is scrubbed."""
    n = 500
    s = da.System("tree of 500", gravity=(0, 0, -9.81))
    for i in range(n):
        s.add_body(f"b{i}", da.rod(0.1, 0.2, axis=(0, 0, -1)))
        parent, place = ("ground", (0.0, 0.0, 0.0)) if i == 0 else (f"b{(i - 1) // 2}", (0.0, 0.0, -0.2))
        s.add_joint(f"j{i}", da.Revolute((0, 1, 0) if i % 2 else (1, 0, 0)), parent, f"b{i}", at_parent=place)
    m = s.build()
    t = np.linspace(0.0, 10.0, 10_001)
    waves = 0.3 * np.sin(np.outer(t, 1.0 + np.arange(n) / n))
    zero, record = np.zeros((len(t), n)), {"model": m.name, "version": "", "options": {}, "parameters": {}}
    names = tuple(b.name for b in m.bodies)
    motion = Motion(t, waves, zero, m.coordinates, m.speeds, ("rad",) * n, ("rad/s",) * n, names, zero, (), record, m)
    before = time.perf_counter()
    written = motion.page(tmp_path / "big.html")
    assert time.perf_counter() - before < 60.0
    assert written.stat().st_size < 30e6
    watched = Watched(browser, f"file://{written}#t=0")
    kept = watched("dalembert.data.t.length")
    assert 500 < kept < 10_000 and f"{kept} of 10001 samples" in watched.page.inner_text("#plots")
    watched("dalembert.clock.seek(5.0)")
    watched.pictures(1)
    tip = watched("dalembert.stage.poses.point(500, [0, 0, 0]).add(dalembert.stage.poses.origin).toArray()")
    assert np.allclose(tip, m.body_motion(waves[5000]).position[499], atol=1e-3)
    watched.page.click("#play")
    watched.until("dalembert.clock.now > 5.0")
    watched.assert_quiet()
    watched.page.close()


def test_one_sample_is_shown_standing_still(browser, tree_motion, tmp_path):
    single = thinned(tree_motion, budget=0)
    assert len(single) == 2
    watched = Watched(browser, f"file://{single.page(tmp_path / 'two.html')}", width=500, height=400)
    watched.pictures()
    watched.assert_quiet()
    watched.page.close()


def test_without_webgl_the_rest_works(browser, loop_page):
    page = browser.new_page(viewport={"width": 900, "height": 480})
    page.add_init_script(
        "HTMLCanvasElement.prototype.getContext = (own => function (kind, ...more) {"
        " return kind.startsWith('webgl') ? null : own.call(this, kind, ...more); })(HTMLCanvasElement.prototype.getContext)"
    )
    problems: list[str] = []
    page.on("pageerror", lambda problem: problems.append(str(problem)))
    page.goto(f"file://{loop_page}#t=1")
    page.locator(".legend b").first.wait_for()
    assert page.locator("#no-webgl").is_visible() and problems == []
    page.keyboard.press("ArrowRight")
    assert page.evaluate("dalembert.clock.now") > 1.0
    page.close()


def test_samples_that_are_not_finite_are_left_out(tree_motion, tmp_path):
    q = tree_motion.q.copy()
    q[60:] = np.nan
    broken = replace(tree_motion, q=q)
    assert len(thinned(broken, budget=10**9)) == 60
    assert broken.page(tmp_path / "x.html").exists()


def test_a_motion_without_its_mechanism_says_so(loop_motion, tmp_path):
    loop_motion.save(tmp_path / "m.nc")
    with pytest.raises(da.DalembertError, match="without its mechanism"):
        da.load_motion(tmp_path / "m.nc").page(tmp_path / "x.html")
    assert not (tmp_path / "x.html").exists()


def test_a_page_is_written_whole_or_not_at_all(loop_motion, tmp_path):
    with pytest.raises(da.DalembertError, match="could not be written"):
        loop_motion.page(tmp_path / "no" / "such" / "place.html")


def test_an_unknown_trace_or_joint_is_named(tree_motion, tmp_path):
    with pytest.raises(da.DalembertError, match="'uper'"):
        tree_motion.page(tmp_path / "x.html", traces=["uper"])
    with pytest.raises(da.DalembertError, match="'Z'"):
        tree_motion.page(tmp_path / "x.html", reactions=["Z"])


def test_what_is_far_from_the_origin_is_drawn_as_near_it(tmp_path, browser):
    """A block in orbit: what the graphics card is given, seven digits long, is measured from a point near the block."""
    s = da.System("far")
    s.add_body("hub", da.box(1.0, (1, 1.2, 1.4)), shapes=[da.shapes.Box((1, 1.2, 1.4))])
    s.add_joint("orbit", da.Free(), "ground", "hub")
    start, speeds = {"orbit": [1, 0, 0, 0, 6.9e6, 0, 0]}, {"orbit": [0.1, 0.2, 0.3, 0, 7500.0, 0]}
    motion = s.build().simulate(10.0, start, speeds)
    for t in (0.0, 8.0):
        shown = Watched(browser, f"file://{motion.page(tmp_path / 'far.html')}#t={t}")
        shown.pictures(2)
        given = shown("dalembert.stage.solids.flatMap(s => Array.from(s.mesh.instanceMatrix.array))")
        assert np.abs(given).max() < 10.0
        target = shown("dalembert.stage.eye.controls.target.clone().add(dalembert.stage.poses.origin).toArray()")
        k = int(np.argmin(np.abs(motion.t - t)))
        assert np.linalg.norm(np.array(target) - motion.position("hub")[k]) < 1.0
        drawn = shown("dalembert.stage.poses.point(1, [0, 0, 0]).add(dalembert.stage.poses.origin).toArray()")
        assert np.allclose(drawn, motion.position("hub")[k], rtol=1e-13)
        shown.assert_quiet()
        shown.page.close()


def test_rotors_behind_gears_do_not_hide_the_robot(tmp_path):
    """Their inertia is that of no solid of the robot's size, so nothing is drawn for them."""
    path = tmp_path / "arm.xml"
    path.write_text(
        """<mujoco><worldbody><body name="b" pos="0 0 1"><joint name="j" axis="0 1 0" armature="0.1"/>
        <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.03"/></body></worldbody></mujoco>"""
    )
    s = da.load_mjcf(path).system
    s.add_body("j_rotor", mass=1e-7, inertia=(0.05, 0.05, 0.1))
    s.add_joint("r", da.Revolute(), "ground", "j_rotor")
    s.add_constraint("gear", da.Coupling({"r": 1.0, "j": -1.0}))
    m = s.build().numeric
    poses = m.body_motion(m.reference)
    view = scene(m, poses.rotation[None], poses.position[None])
    rotor = m.number_of["j_rotor"]
    assert view.parts[rotor] == [] and view.parts[m.number_of["b"]]
    assert view.radius < 1.0 and len([p for p in view.parts[0] if p.layer == "ground"]) == 1


def test_equations_have_no_commands_in_them_and_keep_words_apart():
    assert "quad" not in re.sub("<[^>]*>", "", mathml(r"a, \quad b \qquad c"))
    s = da.System("two")
    mass, length = s.parameter("mass", 1.0), s.parameter("length", 2.0)
    s.add_body("rod", da.rod(mass, length))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    text = re.sub("<mspace[^>]*>", " ", equations(s.build())["html"])
    assert "quad" not in text
    assert "masslength" not in re.sub("<[^>]*>", "", text) and "lengthcos" not in re.sub("<[^>]*>", "", text)


def test_a_lone_body_without_form_is_drawn_whatever_its_inertia(browser, tmp_path):
    s = da.System("slider")
    s.add_body("m", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "m")
    path = s.build().simulate(0.2, speeds={"x": 1.0}).page(tmp_path / "x.html")
    watched = Watched(browser, f"file://{path}")
    assert watched("dalembert.data.bodies[1].parts.some(p => p.layer === 'bodies')")
    watched.assert_quiet()
    watched.page.close()
