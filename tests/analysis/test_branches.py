"""All assembly modes of a mechanism are listed, with how sure that is."""

import pickle

import numpy as np
import pytest

import dalembert as da
from benchmarks.loop_models import four_bar
from dalembert.analysis.linkage.assembly_modes import Branches


def triangles(n):
    """n pairs of bars, each closed at a pin on the ground: two modes for each, 2ⁿ together."""
    s = da.System("triangles")
    for k in range(n):
        s.add_body(f"a{k}", da.rod(1.0, 1.0))
        s.add_body(f"b{k}", da.rod(1.0, 1.2))
        s.add_joint(f"A{k}", da.Revolute(), "ground", f"a{k}", at_parent=(0, 0, k))
        s.add_joint(f"B{k}", da.Revolute(), f"a{k}", f"b{k}", at_parent=(1, 0, 0))
        s.add_joint(f"C{k}", da.Revolute(), f"b{k}", "ground", at_parent=(1.2, 0, 0), at_child=(1.4, 0.2, k))
    return s.build()


def test_a_four_bar_has_two_modes_and_that_is_sure():
    found = four_bar(1.0, 2.5, 1.7, 2.0).branches({"A": 0.7})
    assert len(found) == 2 and found.sure and found.missing == 0.0
    assert sum(found.found) <= found.starts and "Each was found at least" in str(found)
    again = pickle.loads(pickle.dumps(found))
    assert again.found == found.found and all(np.array_equal(a, b) for a, b in zip(found, again))


def test_starts_are_drawn_until_none_is_missing():
    found = triangles(6).branches()
    assert len(found) == 64 and found.sure and found.starts > 120


def test_what_was_seldom_found_is_reported():
    doubtful = Branches([np.zeros(1), np.ones(1)], [30, 1], 120)
    assert not doubtful.sure and doubtful.missing == pytest.approx(1 / 31)
    assert "1 of them was found fewer than 4 times from 120 starts" in str(doubtful) and "found once" in str(doubtful)


def test_where_nothing_was_found_nothing_is_sure():
    none = Branches([], [], 1920)
    assert not none.sure and "0 assembly modes" in str(none) and "None of 1920 starts" in str(none)


def test_a_share_is_given_only_where_there_is_one():
    twice = str(Branches([np.zeros(1)], [2], 120))
    assert "others may be missing." in twice and "%" not in twice


def test_a_tree_has_one_mode():
    s = da.System("tree")
    s.add_body("a", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "a")
    found = s.build().branches({"A": 0.3})
    assert len(found) == 1 and found.sure and "1 assembly mode" in str(found)
