"""Claims about redundancy: what is over-constrained is named, what moves is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dalembert as da
from benchmarks.loop_models import bricard, four_bar, rhombic_linkage
from dalembert.constraints.assembly.assemble import assemble
from dalembert.constraints.diagnosis.diagnose import diagnose
from tests.constraints.loops import closed_system
from tests.effort import examples
from tests.mechanisms import seeds


def test_planar_four_bar_has_one_freedom_and_three_idle_rows():
    """Grübler: 6·3 − 4·5 = −2; the three spatial rows of the closing hinge say nothing."""
    m = four_bar(1.0, 2.5, 1.7, 2.0)
    d = diagnose(m, assemble(m, np.array([0.5, 0.0, 0.0]), fixed=[0]))
    assert (d.mobility, d.grubler, d.rank, d.redundant) == (1, -2, 2, 3)
    known = {r.resists for r in d.rows if r.determined}
    assert known == {"shifting along x", "shifting along y"}
    assert set(d.freedoms[0].joints) == {"A", "B", "D"}
    assert '"C" is over-constrained' in str(d) and "1 freedom" in str(d)


def test_bricard_moves_against_grubler():
    """BENCHMARKS A04: Grübler says 0; it has 1 freedom, and none of the closing hinge's five reactions is determined."""
    m = bricard().mechanism
    d = diagnose(m, assemble(m, m.reference))
    assert (d.mobility, d.grubler, d.rank) == (1, 0, 4)
    assert not any(r.determined for r in d.rows)
    assert len(d.independent) == 4
    assert set(d.freedoms[0].joints) == {"J1", "J2", "J3", "J4", "J5"}


def test_a_tree_has_nothing_to_complain_about():
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    s.add_body("a", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "a")
    d = diagnose(s.build(), np.zeros(1))
    assert d.mobility == 1 and d.redundant == 0 and "freedom" in str(d)


def test_a_locked_mechanism_is_called_locked():
    """A triangle of rods on the ground."""
    s = da.System("truss")
    s.add_body("a", da.rod(1.0, 1.0))
    s.add_body("b", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "a")
    s.add_joint("B", da.Revolute(), "ground", "b", at_parent=(1, 0, 0))
    s.add_joint("C", da.Revolute(), "a", "b", at_parent=(1, 0, 0), at_child=(1, 0, 0))
    m = s.build()
    d = diagnose(m, assemble(m, np.array([1.0, 2.0])))
    assert d.mobility == 0 and "locked" in str(d)


@pytest.mark.parametrize("length", [0.5, 2.0])
def test_the_verdict_does_not_depend_on_units(length):
    m = rhombic_linkage(length=length).mechanism
    d = diagnose(m, assemble(m, np.array([-1.0, 1.0, -1.0 - np.pi])))
    assert (d.rank, d.mobility) == (2, 1)


def test_doubled_joint_is_redundant_in_both_copies():
    s = da.System("door")
    s.add_body("door", da.box(10.0, (1.0, 0.05, 2.0), com=(0.5, 0, 1.0)))
    s.add_joint("low", da.Revolute((0, 0, 1)), "ground", "door")
    s.add_joint("high", da.Revolute((0, 0, 1)), "ground", "door", at_parent=(0, 0, 2), at_child=(0, 0, 2))
    m = s.build()
    d = diagnose(m, m.reference)
    assert d.mobility == 1 and d.redundant == 5


@settings(max_examples=examples(12), deadline=None)
@given(seeds, st.integers(2, 4), st.booleans(), st.sampled_from([1e3, 1e6, 1e12, 1e18]))
def test_what_moves_does_not_hang_on_how_heavy_a_body_is(seed, n, doubled, times):
    """Where inertias lie too far apart to tell, that is said."""
    rng = np.random.default_rng(seed)
    s, q, _, t = closed_system(rng, n, 1, forces=False, doubled=doubled)
    assume(s.build().n_u)
    said = []
    for k in (1.0, times):
        b = s.bodies["b0"]
        s.bodies["b0"] = replace(b, mass=k * b.mass, inertia=k * b.inertia)
        try:
            d = s.build().diagnose(q, t=t)
        except da.StateError as problem:
            assert (times > 1e6 and "so far apart" in str(problem)) or "without moving any mass" in str(problem)
        else:
            said.append((d.mobility, d.rank, d.redundant, d.shaky, len(d.freedoms)))
    assert said[0] == said[-1] and said[0][0] == said[0][4]
