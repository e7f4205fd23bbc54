"""Sweeps of four-bars against their geometry: limits, dead points, branch points, transmission angles, coupler curves."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from benchmarks.loop_models import four_bar
from dalembert.files import gallery
from tests.linkages import in_units

CRANK, COUPLER, ROCKER, BASE = BARS = (0.4, 1.0, 0.9, 1.0)


@pytest.fixture(scope="module")
def crank_rocker():
    return four_bar(*BARS)


@pytest.fixture(scope="module")
def turn(crank_rocker):
    """A whole turn of the crank."""
    return crank_rocker.sweep("A", np.linspace(0.0, 2 * np.pi, 73))


def test_the_rocker_turns_back_where_crank_and_coupler_are_in_line(turn):
    """Law of cosines in the triangles of coupler ± crank, rocker and base."""
    reach = [np.arccos((ROCKER**2 + BASE**2 - (COUPLER + s * CRANK) ** 2) / (2 * ROCKER * BASE)) for s in (-1, 1)]
    limits = sorted(abs(x.coordinate) for x in turn.limits if x.joint == "D")
    assert np.allclose(limits, sorted(np.pi - np.array(reach)), atol=1e-9)
    for x in turn.limits:
        if x.joint == "D":
            assert abs(np.sin(x.q[turn.mechanism.coordinates.index("B")])) < 1e-7
    assert turn.complete and not turn.dead_points and not turn.branch_points
    assert "turns back at its largest value" in str(turn)


def test_transmission_angle_is_extreme_where_the_crank_lies_along_the_base(turn):
    angle, crank = turn.transmission["C"], turn.values
    closed = np.arccos(
        (COUPLER**2 + ROCKER**2 - CRANK**2 - BASE**2 + 2 * CRANK * BASE * np.cos(crank)) / (2 * COUPLER * ROCKER)
    )
    assert np.allclose(angle, closed, atol=1e-9)
    assert np.argmin(angle) in (0, 72) and np.argmax(angle) == 36


def test_the_coupler_curve_closes_and_keeps_its_distances(turn, tmp_path):
    curve = turn.trace(("coupler", (COUPLER, 0, 0)))
    assert np.allclose(curve[0], curve[-1], atol=1e-9)
    assert np.allclose(np.linalg.norm(curve - [BASE, 0, 0], axis=1), ROCKER, atol=1e-10)
    turn.save(tmp_path / "curve.csv", {"C": ("coupler", (COUPLER, 0, 0))})
    table = np.genfromtxt(tmp_path / "curve.csv", delimiter=",", names=True, deletechars="")
    assert np.array_equal(table["C.x_[m]"], curve[:, 0]) and np.array_equal(table["A_[rad]"], turn.values)


def test_ratios_are_those_of_the_velocities(turn):
    m = turn.mechanism
    u = m.assemble(turn.q[10], {"A": 1.0})[1]
    assert np.allclose(turn.ratios[10], u, atol=1e-9)


def test_a_rocker_as_input_stops_at_its_dead_points(crank_rocker):
    for s, end in ((1, 0.5), (-1, 3.0)):
        found = crank_rocker.sweep("D", np.linspace(2.0, end, 20))
        reach = np.pi - np.arccos((ROCKER**2 + BASE**2 - (COUPLER + s * CRANK) ** 2) / (2 * ROCKER * BASE))
        assert not found.complete and len(found.values) < 20
        assert found.dead_points[0].value == pytest.approx(reach, abs=1e-9)
        assert found.transmission["C"][-1] < 0.6 or found.transmission["C"][-1] > 2.5


def test_a_change_point_four_bar_goes_straight_on_through_its_branch_points():
    m = four_bar(1.0, 2.0, 1.0, 2.0)
    found = m.sweep("A", np.linspace(0.5, 2 * np.pi + 0.5, 40))
    assert found.complete
    assert np.allclose([x.value for x in found.branch_points], [np.pi, 2 * np.pi], atol=1e-6)
    # it starts as a parallelogram or as an antiparallelogram, and stays what it is
    parallel = np.abs(found.q[:, 0] - found.q[:, m.coordinates.index("D")]) % (2 * np.pi)
    assert np.all(np.minimum(parallel, 2 * np.pi - parallel) < 1e-6)


def test_a_branch_point_at_a_sample_is_found_and_passed():
    m = four_bar(1.0, 2.0, 1.0, 2.0)
    found = m.sweep("A", np.linspace(np.pi / 2, 3 * np.pi / 2, 21))
    assert found.complete and np.allclose([x.value for x in found.branch_points], [np.pi], atol=1e-6)
    assert np.allclose(found.trace("coupler")[:, :2], np.column_stack([np.cos(found.values), np.sin(found.values)]))


def test_a_slider_has_its_stroke_and_transmission_angle():
    m = da.load(gallery.files()["slider_crank"])
    found = m.sweep("shaft", np.linspace(-0.5, 6.0, 66))
    crank, rod = m.parameters["crank"], m.parameters["rod"]
    assert np.allclose(sorted(x.coordinate for x in found.limits if x.joint == "guide"), [rod - crank, rod + crank])
    tilt = np.arcsin(crank * np.sin(found.values) / rod)
    assert np.allclose(np.abs(found.transmission["wrist"] - np.pi / 2), np.abs(tilt), atol=1e-9)


def test_open_chains_follow_by_standing_still_and_open_freedoms_are_named():
    m = da.load(gallery.files()["double_pendulum"])
    found = m.sweep(m.coordinates[0], [0.0, 1.0, 2.0])
    assert np.array_equal(found.q[:, 0], [0.0, 1.0, 2.0]) and not found.q[:, 1].any()
    five = da.System("five-bar", gravity=(0, 0, 0))
    for k, length in enumerate((1.0, 1.0, 1.0, 1.0)):
        five.add_body(f"b{k}", da.rod(1.0, length))
    five.add_joint("A", da.Revolute(), "ground", "b0")
    five.add_joint("B", da.Revolute(), "b0", "b1", at_parent=(1, 0, 0))
    five.add_joint("C", da.Revolute(), "b1", "b2", at_parent=(1, 0, 0), at_child=(1, 0, 0))
    five.add_joint("D", da.Revolute(), "b3", "b2", at_parent=(1, 0, 0))
    five.add_joint("E", da.Revolute(), "ground", "b3", at_parent=(1, 0, 0))
    m = five.build(cut=["C"])
    with pytest.raises(da.LoopError, match="leaves 1 freedom open"):
        m.sweep("A", [2.0, 2.1])
    found = m.sweep("A", np.linspace(2.0, 1.5, 6), {"E": 1.0})
    assert np.allclose(found.q[:, m.coordinates.index("E")], 1.0)
    with pytest.raises(da.StateError, match='"C" closes a loop'):
        m.sweep("C", [0.0])


def scissor_lift(unit: float = 1.0) -> da.Mechanism:
    """Two stages with a table and a cylinder; `unit` is a metre's length, masses stay."""
    s = da.System("scissor lift", gravity=(0, -9.81 * unit, 0))
    half = (unit, 0, 0)
    other = (-unit, 0, 0)
    for name in ("a0", "b0", "a1", "b1"):
        s.add_body(name, da.box(30.0, (2.0 * unit, 0.1 * unit, 0.05 * unit)))
    s.add_joint("pin", da.Revolute(), "ground", "a0", at_child=other)
    for k in "01":
        s.add_joint(f"mid{k}", da.Revolute(), f"a{k}", f"b{k}")
    s.add_constraint("roller", da.OnLine(("b0", half), "ground", axis=(1, 0, 0)))
    s.add_joint("left", da.Revolute(), "b0", "a1", at_parent=other, at_child=other)
    s.add_joint("right", da.Revolute(), "a0", "b1", at_parent=half, at_child=half)
    s.add_body("barrel", da.rod(8.0, 0.8 * unit))
    s.add_body("piston", da.rod(4.0, 0.8 * unit, axis=(-1, 0, 0)))
    s.add_joint("foot", da.Revolute(), "ground", "barrel", at_parent=(0.2 * unit, 0, 0))
    s.add_joint("stroke", da.Prismatic((1, 0, 0)), "barrel", "piston")
    s.add_joint("head", da.Revolute(), "piston", "a0", at_child=(0.5 * unit, 0, 0))
    return s.build()


@pytest.mark.parametrize("unit", [0.01, 1.0, 10.0])
def test_rows_that_keep_their_rank_make_no_branch_points(unit):
    """The lift is singular where its bars stand upright, and nowhere else: the cylinder is then 1.5132746 m long."""
    m = scissor_lift(unit)
    guess = {
        "pin": 0.349,
        "mid0": -0.698,
        "right": -0.698,
        "left": -0.698,
        "mid1": -0.698,
        "foot": 0.4,
        "stroke": 1.31 * unit,
    }
    q = m.assemble(np.array([guess[c] for c in m.coordinates]))[0]
    found = m.sweep("stroke", np.linspace(1.4, 1.56, 6) * unit, initial=q)
    assert found.complete
    assert [x.value / unit for x in found.branch_points] == pytest.approx([np.hypot(1.5, 0.2)], abs=1e-6)


def test_branches_that_cross_several_at_once_are_one_branch_point():
    """Two parallelograms side by side lie flat together: the rows lose two of their rank, and no determinant changes its sign."""
    s = da.System("two parallelograms", gravity=(0, -9.81, 0))
    for k in range(3):
        s.add_body(f"post{k}", da.rod(1.0, 1.0, axis=(0, 1, 0)))
        s.add_joint(f"A{k}", da.Revolute(), "ground", f"post{k}", at_parent=(k, 0, 0))
    for k in range(2):
        s.add_body(f"bar{k}", da.rod(1.0, 1.0))
        s.add_joint(f"B{k}", da.Revolute(), f"post{k}", f"bar{k}", at_parent=(0, 1, 0))
        s.add_joint(f"C{k}", da.Revolute(), f"bar{k}", f"post{k + 1}", at_parent=(1, 0, 0), at_child=(0, 1, 0))
    found = s.build().sweep("A0", np.linspace(0.9, 2.2, 8))
    assert found.complete and [x.value for x in found.branch_points] == pytest.approx([np.pi / 2], abs=1e-6)


SIZES = [1e-6, 1e3]


def as_large(m: da.Mechanism, size: float) -> da.Mechanism:
    return in_units(m, (size, 1.0, 1.0))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("bars", [BARS, (1.0, 2.0, 1.0, 2.0)])
def test_a_four_bar_of_any_size_has_the_same_branch_points_and_angles(bars, size):
    values = np.linspace(0.5, 2 * np.pi + 0.5, 25)
    one, other = (m.sweep("A", values) for m in (four_bar(*bars), four_bar(*(size * x for x in bars))))
    assert other.complete and np.allclose(other.q, one.q, atol=1e-7)
    assert np.allclose(other.transmission["C"], one.transmission["C"], atol=1e-7)
    for kind in ("branch_points", "limits", "dead_points"):
        expected, found = ([(x.joint, x.value, x.coordinate) for x in getattr(s, kind)] for s in (one, other))
        assert [x[0] for x in found] == [x[0] for x in expected]
        assert np.allclose([x[1:] for x in found], [x[1:] for x in expected], atol=1e-6)


@pytest.mark.parametrize("size", SIZES)
def test_a_slider_of_any_size_as_input_stops_at_the_same_dead_point(size):
    """At rod + crank, stretched; the crank's angle on the way does not hang on the size."""
    m = slider_crank()
    scales = np.where([c == "guide" for c in m.coordinates], size, 1.0)
    start, values = m.assemble({"shaft": 2.0})[0], np.linspace(0.9, 1.6, 17)
    one = m.sweep("guide", values, start)
    other = as_large(m, size).sweep("guide", size * values, scales * start)
    assert len(one.values) == len(other.values) < 17
    assert np.allclose(other.q / scales, one.q, atol=1e-7)
    assert other.dead_points[0].value / size == pytest.approx(1.3, abs=1e-9)
    assert [x.joint for x in other.limits] == [x.joint for x in one.limits]


@pytest.mark.parametrize("size", SIZES)
def test_a_slider_of_any_size_turns_back_at_its_ends(size):
    found = as_large(slider_crank(), size).sweep("shaft", np.linspace(-1.0, 6.0, 30))
    assert found.complete and not found.branch_points
    assert np.allclose([(x.value, x.coordinate / size) for x in found.limits], [(0.0, 1.3), (np.pi, 0.7)], atol=1e-7)


def slider_crank() -> da.Mechanism:
    s = da.System("slider-crank", gravity=(0, 0, 0))
    s.add_body("crank", da.rod(1.0, 0.3))
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_body("slider", da.particle(1.0))
    s.add_joint("shaft", da.Revolute(), "ground", "crank")
    s.add_joint("pin", da.Revolute(), "crank", "rod", at_parent=(0.3, 0, 0))
    s.add_joint("guide", da.Prismatic((1, 0, 0)), "ground", "slider")
    s.add_joint("wrist", da.Revolute(), "rod", "slider", at_parent=(1.0, 0, 0))
    return s.build(cut=["wrist"])
