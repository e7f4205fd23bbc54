"""Claims about assembly: loops close from partial initial values, or the failure is told in words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dalembert as da
from benchmarks.loop_models import four_bar
from dalembert.constraints.assembly.assemble import assemble, consistent_speeds, displaced
from dalembert.kinematics.constraint_rows import constraint_rows
from tests.constraints.loops import random_loops
from tests.effort import examples
from tests.mechanisms import seeds

BARS = (1.0, 2.5, 1.7)


def test_four_bar_keeps_the_crank_and_finds_both_branches():
    m = four_bar(*BARS, 2.0)
    q = assemble(m, np.array([0.7, 0.0, 0.0]), fixed=[0])
    assert q[0] == 0.7
    found = m.branches({"A": 0.7})
    assert len(found) == 2
    tips = []
    for q in found:
        s = m.state(q)
        tip = s.position(("coupler", (2.5, 0, 0)))
        assert np.allclose(tip, s.position(("rocker", (1.7, 0, 0))), atol=1e-12)
        tips.append(tip[1])
    line = np.array([2.0, 0.0]) - [
        np.cos(0.7),
        np.sin(0.7),
    ]  # open and crossed lie on both sides of crank tip – ground pivot
    sides = [
        np.cross(
            [*line, 0],
            np.append((m.state(q).position(("coupler", (2.5, 0, 0)))[:2] - m.state(q).position("coupler")[:2]), 0),
        )[2]
        for q in found
    ]
    assert sides[0] * sides[1] < 0


def test_branches_of_open_freedoms_are_those_of_one_pose_of_theirs():
    """Three four-bars side by side can each be open or crossed: eight ways, not a list of poses of one motion."""
    s = da.System("three four-bars")
    for k, bars in enumerate(((1.0, 2.5, 1.7, 2.0), (0.4, 1.0, 0.9, 1.0), (0.5, 1.5, 1.2, 1.0))):
        for name, length in zip("abc", bars, strict=False):
            s.add_body(f"{name}{k}", da.rod(1.0, length))
        s.add_joint(f"A{k}", da.Revolute(), "ground", f"a{k}", at_parent=(0, 0, k))
        s.add_joint(f"B{k}", da.Revolute(), f"a{k}", f"b{k}", at_parent=(bars[0], 0, 0))
        s.add_joint(f"C{k}", da.Revolute(), f"b{k}", f"c{k}", at_parent=(bars[1], 0, 0), at_child=(bars[2], 0, 0))
        s.add_joint(f"D{k}", da.Revolute(), "ground", f"c{k}", at_parent=(bars[3], 0, k))
    m = s.build(cut=["C0", "C1", "C2"])
    start = {"A0": 0.7, "A1": 1.0}
    found = np.array(m.branches(start))
    assert len(found) == 8
    cranks = [m.coordinates.index(name) for name in ("A0", "A1", "A2")]
    np.testing.assert_array_equal(found[:, cranks], np.tile([0.7, 1.0, found[0, cranks[2]]], (8, 1)))
    for q in found:
        assert np.abs(constraint_rows(m.state(q)).g).max() < 1e-11


@pytest.mark.parametrize(("coupler", "reached"), [(2.5, True), (2.9, False)])
def test_branches_stay_at_the_reference_where_they_can(coupler, reached):
    """With the crank on the line of the ground pivots, its tip is 1 m from D: 2.5 and 1.7 m reach that, 2.9 and 1.7 m do not."""
    found = four_bar(1.0, coupler, 1.7, 2.0).branches()
    assert len(found) == 2 and found[0][0] == found[1][0]
    assert (found[0][0] == 0.0) == reached


def test_speeds_follow_the_crank():
    m = four_bar(*BARS, 2.0)
    q = assemble(m, np.array([0.7, 0.0, 0.0]), fixed=[0])
    u = consistent_speeds(m, q, np.array([2.0, 0.0, 0.0]), fixed=[0])
    rows = constraint_rows(m.state(q, u))
    assert u[0] == 2.0 and np.abs(rows.B @ u - rows.b).max() < 1e-13


def test_contradicting_speeds_are_refused():
    m = four_bar(*BARS, 2.0)
    q = assemble(m, np.array([0.7, 0.0, 0.0]), fixed=[0])
    with pytest.raises(da.LoopError, match="fewer"):
        consistent_speeds(m, q, np.array([1.0, 1.0, 1.0]), fixed=[0, 1, 2])


def test_an_impossible_loop_names_its_bodies_and_its_gap():
    """The links reach 1 + 2.5 + 1.7 = 5.2 m; the ground link is 6 m, so the gap cannot be less than 0.8 m at the cut."""
    with pytest.raises(da.LoopError, match=r"coupler.*crank.*ground.*rocker.*gap 0\.8 m.*ground is 6 m.*reach 5\.2 m"):
        assemble(four_bar(*BARS, 6.0), np.zeros(3))


@settings(max_examples=examples(15), deadline=None)
@given(seeds, st.integers(3, 6), st.integers(1, 2))
def test_random_loops_close_again_after_a_push(seed, n, n_loops):
    rng = np.random.default_rng(seed)
    m, q, u, t = random_loops(rng, n, n_loops)
    assume(m.n_u)
    pushed = displaced(m, q, 0.05 * rng.normal(size=m.n_u), t)
    closed = assemble(m, pushed, t=t)
    assert np.abs(constraint_rows(m.state(closed, u, t)).g).max(initial=0.0) < 1e-11


def welded_bars(turned: float) -> da.Mechanism:
    """A bar on a hinge, welded to the ground at its far end by a frame that stands turned about z."""
    s = da.System("bars", gravity=(0, -9.81, 0))
    s.add_body("bar", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "bar")
    s.add_joint("W", da.Weld(), "ground", "bar", da.Frame((1, 0, 0), da.turn((0, 0, 1), turned)), (1.0, 0, 0))
    return s.build(cut=["W"])


def test_a_joint_turned_over_does_not_count_as_closed():
    """The sine of half a turn is zero too: the weld's rows vanish there, but the frames do not agree."""
    assert welded_bars(0.0).assemble()[0] == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(da.LoopError, match="half a turn"):
        welded_bars(np.pi).assemble()


def test_a_free_body_finds_the_right_way_round():
    s = da.System("welded")
    s.add_body("body", da.box(1.0, (1, 2, 3)))
    s.add_joint("float", da.Free(), "ground", "body")
    s.add_joint("W", da.Weld(), "ground", "body", (1.0, 0, 0))
    m = s.build(cut=["W"])
    q, _ = m.assemble([0.0, 1.0, 0, 0, 0.3, 0, 0])  # starts half a turn off
    assert np.allclose(m.state(q).rotation("body"), np.eye(3), atol=1e-9)


@given(st.integers(3, 6), st.integers(0, 2**31))
@settings(max_examples=examples(10))
def test_a_chain_closes_exactly_if_no_side_is_longer_than_all_others(n, seed):
    """Rods hinged by balls, the ground the last side: within reach they close, beyond it the longest side is named at once."""
    rng = np.random.default_rng(seed)
    lengths = rng.uniform(0.5, 1.5, n)
    for last, closes in ((0.9 * lengths.sum(), True), (1.1 * lengths.sum(), False)):
        s = da.System("ring")
        before = "ground"
        for k, length in enumerate(lengths):
            s.add_body(f"b{k}", da.cylinder(1.0, 0.1, length, axis=(1, 0, 0)))
            at = (0, 0, 0) if k == 0 else (lengths[k - 1], 0, 0)
            s.add_joint(f"J{k}", da.Spherical(), before, f"b{k}", at_parent=at)
            before = f"b{k}"
        s.add_joint("end", da.Spherical(), before, "ground", at_parent=(lengths[-1], 0, 0), at_child=(0, last, 0))
        m = s.build()
        if closes:
            m.assemble()
        else:
            with pytest.raises(da.LoopError, match=r"in any pose, for from joint to joint ground is"):
                m.assemble()
