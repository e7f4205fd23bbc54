"""A point guided on a curve: in the tree by every formulation, closing a loop, from a table, in files, in the page."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.formulations import FORMULATIONS

g = 9.81


def bead(curve, **more) -> da.Mechanism:
    s = da.System("bead", gravity=(0, -g, 0))
    s.add_body("bead", da.particle(0.7))
    s.add_joint("wire", da.CurvedSlide(curve, **more), "ground", "bead")
    return s.build()


def test_a_bead_on_a_cycloid_keeps_time():
    """Huygens: on x = a(θ + sin θ), y = −a(1 + cos θ) … the period, 2π √(4a/g), does not depend on the swing."""
    a = 0.3
    m = bead(lambda x: (a * (x + da.sin(x)), -a * (1.0 + da.cos(x)), 0.0 * x))
    period = 2.0 * np.pi * np.sqrt(4.0 * a / g)
    for start in (0.1, 1.0, 2.5):
        motion = m.simulate(period, initial={"wire": start}, output=period / 4, rtol=1e-11)
        assert abs(motion["wire"][-1] - start) < 1e-7
        assert np.ptp(motion.energy().total) < 1e-9


def test_the_equation_on_a_curve_is_the_textbooks():
    """(1 + f′²) ẍ + f′ f″ ẋ² + g f′ = 0 on y = f(x)."""
    m = bead(lambda x: (x, 0.4 * x**2, 0.0 * x))
    x, v = 0.3, -1.2
    first, second = 0.8 * x, 0.8
    expected = -(first * second * v**2 + g * first) / (1.0 + first**2)
    assert np.isclose(m.forward_dynamics([x], [v])[0], expected, rtol=1e-13)


def planar_chain() -> da.Mechanism:
    """Body 1 slides on a curve and turns; body 2 slides along a curve of body 1 and turns [D Fig. 5.38]."""
    s = da.System("curved slides", gravity=(0, -g, 0))
    s.add_body("one", da.box(1.0, (0.5, 0.3, 0.2), com=(0.2, 0.1, 0)))
    s.add_joint("A", da.CurvedSlide(lambda x: (x, 0.2 * da.sin(3.0 * x), 0.0 * x), "pin"), "ground", "one")
    s.add_body("two", da.box(0.6, (0.2, 0.3, 0.2), com=(0.1, 0, 0)))
    way = da.CurvedSlide(lambda x: (0.3 * da.cos(x), 0.2 * da.sin(x), 0.0 * x), "pin")
    s.add_joint("B", way, "one", "two", at_parent=(0.1, 0.2, 0))
    s.add_body("three", da.rod(0.5, 0.4))
    s.add_joint("C", da.Prismatic((0.6, 0.8, 0)), "two", "three", at_parent=(0.2, 0, 0))
    return s.build()


@pytest.mark.parametrize("name", FORMULATIONS)
def test_every_formulation_agrees_on_curved_slides(name):
    m, rng = planar_chain(), np.random.default_rng(1)
    q, u = rng.uniform(-1, 1, m.n_q), rng.uniform(-2, 2, m.n_u)
    why = FORMULATIONS[name].refusal(m)
    if why is not None:
        assert "float" in why or "has no mass, or no inertia" in why or "every body is rigid" in why, why
        return
    expected = m.forward_dynamics(q, u)
    tolerance = 1e-6 if name == "gauss_penalty" else 1e-11
    assert np.abs(m.solve(q, u, formulation=name).udot - expected).max() <= tolerance * np.abs(expected).max()


def test_the_path_matrix_says_rightly_what_it_does_not_take():
    s = da.System("space curve")
    s.add_body("a", da.box(1.0, (0.1, 0.2, 0.3)))
    s.add_joint("A", da.Revolute(), "ground", "a")
    s.add_body("b", da.particle(1.0))
    curve = da.CurvedSlide(lambda x: (x, da.sin(x), da.select(x > 5.0, (x - 5.0) ** 3, 0.0)), ends=(-8.0, 8.0))
    s.add_joint("B", curve, "a", "b")
    assert 'joint "B" moves out of the plane' in str(FORMULATIONS["path_matrix"].refusal(s.build()))
    s = da.System("screw")
    s.add_body("a", da.box(1.0, (0.1, 0.2, 0.3)))
    s.add_joint("A", da.Screw((0, 0, 1)), "ground", "a")
    assert 'joint "A" moves out of the plane' in str(FORMULATIONS["path_matrix"].refusal(s.build()))


# -- closing a loop ---------------------------------------------------------------------------------------------------------
def slotted(curve, cut: str, **more) -> da.Mechanism:
    """A crank whose tip runs in a curved slot of the ground; its pivot slides."""
    s = da.System("slotted crank", gravity=(0, -g, 0))
    s.add_body("slide", da.box(0.5, (0.1, 0.1, 0.1)))
    s.add_joint("S", da.Prismatic((1, 0, 0)), "ground", "slide")
    s.add_body("crank", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "slide", "crank")
    s.add_joint("slot", da.CurvedSlide(curve, "pin", **more), "ground", "crank", at_child=(1, 0, 0))
    return s.build(cut=[cut])


def wave(x):
    return (x, 0.3 + 0.2 * da.sin(2.0 * x), 0.0 * x)


@pytest.mark.parametrize("constraints", ["range_space", "augmented", "svd"])
def test_a_loop_cut_at_the_curve_moves_as_one_cut_elsewhere(constraints):
    at_curve = slotted(wave, "slot", ends=(-3.0, 3.0))
    elsewhere = slotted(wave, "A", ends=(-3.0, 3.0))
    assert at_curve.mobility == elsewhere.mobility == 1
    q, u = at_curve.assemble({"S": 0.1}, {"S": 0.5})
    tip = at_curve.state(q, u).position(("crank", (1, 0, 0)))
    assert np.isclose(tip[1], 0.3 + 0.2 * np.sin(2.0 * tip[0]), atol=1e-12)
    there, _ = elsewhere.assemble({"S": q[0], "slot.slide": tip[0]}, None)
    there[elsewhere.coordinates.index("slot.angle")] = q[1]
    there, v = elsewhere.assemble(there, None)
    v = elsewhere.assemble(dict(zip(elsewhere.coordinates, there)), {"S": 0.5})[1]
    first, second = at_curve.state(q, u), elsewhere.state(there, v)
    assert np.allclose(first.position("crank"), second.position("crank"), atol=1e-9)
    a = at_curve.forward_dynamics(q, u, constraints=constraints)
    b = elsewhere.forward_dynamics(there, v, constraints=constraints)
    assert np.isclose(a[0], b[elsewhere.speeds.index("S")], rtol=1e-8)
    motion = at_curve.simulate(0.5, {"S": 0.1}, {"S": 0.5}, output=0.05)
    other = elsewhere.simulate(0.5, dict(zip(elsewhere.coordinates, there)), {"S": 0.5}, output=0.05)
    assert np.allclose(motion.position("crank"), other.position("crank"), atol=1e-6)
    assert np.allclose(motion.reaction("slot").force, other.reaction("slot").force, atol=1e-4)


def test_a_curve_through_points_closes_a_loop_and_ends_where_they_end():
    x = np.linspace(-3.0, 3.0, 61)
    points = np.column_stack([x, 0.3 + 0.2 * np.sin(2.0 * x), 0.0 * x])
    m = slotted(points, "slot")
    q, _ = m.assemble({"S": 0.1})
    tip = m.state(q).position(("crank", (1, 0, 0)))
    assert np.isclose(tip[1], 0.3 + 0.2 * np.sin(2.0 * tip[0]), atol=1e-4)
    free = bead(points)
    with pytest.raises(da.StateError, match='joint "wire": its curve has no point at -1'):
        free.state([-1.0])


def test_a_curve_without_ends_is_not_cut():
    """And where it must be, the error says what to do."""
    s = da.System("two beads on two wires")
    s.add_body("a", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "a")
    s.add_joint("B", da.CurvedSlide(wave, "pin"), "ground", "a", at_child=(1, 0, 0))
    assert [c.name for c in s.build().cuts] == ["A"]
    with pytest.raises(da.ModelError, match="closes a loop must know from where to where its curve goes"):
        s.build(cut=["B"]).assemble()


def test_a_ball_on_a_space_curve_leaves_two_rows():
    s = da.System("roller coaster", gravity=(0, 0, -g))
    s.add_body("car", da.box(1.0, (0.3, 0.2, 0.1)))
    s.add_joint("float", da.Free(), "ground", "car")
    helix = da.CurvedSlide(lambda x: (da.cos(x), da.sin(x), 0.2 * x), "ball", ends=(-3.0, 3.0))
    s.add_joint("rail", helix, "ground", "car", at_child=(0.05, 0.0, -0.05))
    loop, tree = s.build(cut=["rail"]), s.build(cut=["float"])
    assert len(loop.rows) == 2 and len(tree.rows) == 0
    x, e, slide, spin = 0.7, np.array([0.9, 0.1, -0.3, 0.2]), 1.3, np.array([0.4, -1.0, 0.7])
    e /= np.linalg.norm(e)
    s = tree.state([x, *e], [slide, *spin])
    u = [*spin, *s.velocity("car")]
    q = [*e, *s.position("car")]
    assert np.allclose(
        loop.forward_dynamics(q, u)[:3], tree.forward_dynamics(s.coordinates, s.speeds)[1:], atol=1e-9, rtol=1e-9
    )


# -- said wrongly, files, page ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "given, why",
    [
        (lambda x: (x, x), "must give three numbers"),
        (lambda x: (1.0, 2.0, 3.0), "one point, not a curve"),
        ([[0, 0, 0], [1, 0, 0], [1, 1, 0]], "at least 4 points"),
        ([[0, 0, 0], [0, 0, 0], [1, 1, 0], [2, 0, 0]], "same point twice"),
        (lambda x: __import__("math").sin(x), "function of one variable"),
        (3.0, "must give three numbers"),
    ],
)
def test_a_curve_said_wrongly_is_refused(given, why):
    with pytest.raises(da.ModelError, match=why):
        da.CurvedSlide(given)


def test_wrong_words_and_ends_are_refused():
    with pytest.raises(da.ModelError, match='choose "none", "pin" or "ball"'):
        da.CurvedSlide(wave, turns="hinge")
    with pytest.raises(da.ModelError, match="two numbers, the lower first"):
        da.CurvedSlide(wave, ends=(1.0, 0.0))
    with pytest.raises(da.StateError, match="has no direction at 0"):
        bead(lambda x: (x**2, x**3, 0.0 * x)).state([0.0])


def test_curves_are_written_and_read(tmp_path):
    s = da.System("curves", gravity=(0, -g, 0))
    a = s.parameter("a", 0.4)
    track = s.add_table(
        "track", da.Table([0, 1, 2, 3], [[0, 0, 0], [1, 1, 0], [2, 0, 0], [3, -1, 0]], names=("x", "y", "z"))
    )
    for i, curve in enumerate((lambda x: (x, a * x**2, 0.0), track, [[0, 0, 0], [1, 0, 0], [1, 1, 0], [2, 0, 3]])):
        s.add_body(f"b{i}", da.particle(1.0))
        s.add_joint(f"j{i}", da.CurvedSlide(curve, ends=(-1.0, 2.0) if i == 0 else None), "ground", f"b{i}")
    s.save(tmp_path / "curves.yaml")
    m, again = s.build(), da.load(tmp_path / "curves.yaml")
    assert again.kernels.fingerprint == m.kernels.fingerprint
    q, u = [0.3, 1.2, 0.7], [1.0, -2.0, 0.5]
    assert np.array_equal(again.forward_dynamics(q, u), m.forward_dynamics(q, u))
    assert not np.array_equal(m.with_parameters(a=0.5).forward_dynamics(q, u), m.forward_dynamics(q, u))
    (tmp_path / "wrong.yaml").write_text((tmp_path / "curves.yaml").read_text().replace("curve: [x,", "curve: [y,"))
    with pytest.raises(da.ModelFileError, match="there is no parameter or variable 'y'"):
        da.load(tmp_path / "wrong.yaml")


def test_the_page_draws_the_curve_on_its_body():
    from dalembert.view.drawing.scene import scene

    m = slotted(wave, "slot", ends=(-3.0, 3.0))
    motion = m.simulate(0.1, {"S": 0.1})
    poses = motion.body_motion()
    found = [p for p in scene(m.numeric, poses.rotation, poses.position).parts[0] if p.colour == "slide"]
    places = np.array([p.position for p in found])
    assert len(found) > 20 and np.ptp(places[:, 0]) > 5.0 and np.ptp(places[:, 1]) < 0.45


def test_a_translation_is_a_free_particle():
    """[C 1–20]: m r̈ = F, and no turn."""
    s = da.System("particle", gravity=(0, 0, -g))
    s.add_body("p", da.particle(2.0))
    s.add_joint("at", da.Translation(), "ground", "p")
    s.add_force("spring", da.Spring("p", "ground", stiffness=8.0))
    m = s.build()
    assert m.coordinates == ("at.x", "at.y", "at.z")
    q, u = np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, 3.0])
    assert np.allclose(m.forward_dynamics(q, u), -4.0 * q + [0, 0, -g], atol=1e-14)
    assert m.equations("lagrange").A.shape == (3, 3)
