"""Claims about verdicts: they do not depend on units or sizes, nor on digits that a file has lost."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.constraints.assembly.assemble import displaced, off_at
from dalembert.constraints.diagnosis.diagnose import diagnose
from tests.constraints.loops import random_loops
from tests.effort import examples
from tests.linkages import (
    MEGAMETRE,
    METRE,
    MICROMETRE,
    MILLIMETRE,
    bennett,
    bricard,
    coordinates_in,
    in_units,
    rounded_bricard,
    seven_hinges,
    taut_chain,
)
from tests.mechanisms import seeds

UNITS = (MILLIMETRE, MICROMETRE, MEGAMETRE)


def verdict(d) -> tuple:
    return d.mobility, d.rank, d.redundant, d.shaky, d.rank_here, [r.determined for r in d.rows]


@pytest.mark.parametrize("units", [METRE, *UNITS])
@pytest.mark.parametrize(("make", "freedoms", "rank"), [(bricard, 1, 4), (bennett, 1, 2), (seven_hinges, 1, 5)])
def test_a_linkage_is_judged_alike_at_every_size(make, freedoms, rank, units):
    m = in_units(make(), units)
    q, _ = m.assemble()
    d = diagnose(m, q)
    assert (d.mobility, d.rank, d.shaky) == (freedoms, rank, False)
    np.testing.assert_allclose(q, make().assemble()[0], atol=1e-9)


@pytest.mark.parametrize("size", [1e-4, pytest.param(1e-6, marks=pytest.mark.slow)])
def test_a_loop_drawn_closed_starts_as_drawn(size):
    """However small it is, and however its gravity shrinks with it."""
    m = in_units(seven_hinges(), (size, 1.0, 1.0))
    motion = m.simulate(0.2, output=0.1, rtol=1e-6)
    np.testing.assert_allclose(motion.q[0], 0.0, atol=1e-12)
    np.testing.assert_allclose(motion.q[-1], seven_hinges().simulate(0.2, output=0.1, rtol=1e-6).q[-1], atol=1e-6)


@settings(max_examples=examples(6), deadline=None)
@given(seeds, st.integers(3, 5), st.integers(1, 2), st.booleans())
def test_random_loops_are_judged_alike_in_every_unit(seed, n, n_loops, doubled):
    rng = np.random.default_rng(seed)
    m, q, _, t = random_loops(rng, n, n_loops, doubled=doubled, forces=False)
    assume(m.n_u)
    pushed = displaced(m, q, 0.03 * rng.normal(size=m.n_u), t)
    first = verdict(diagnose(m, q, t))
    closed = m.assemble(pushed, t=t)[0]
    for units in UNITS:
        other = in_units(m, units)
        assert verdict(diagnose(other, coordinates_in(m, q, units), t)) == first
        found = other.assemble(coordinates_in(m, pushed, units), t=t)[0]
        np.testing.assert_allclose(found / coordinates_in(m, np.ones(m.n_q), units), closed, atol=1e-9)


@pytest.mark.parametrize("slack", [1e-2, 1e-5, 1e-7])
def test_a_taut_chain_with_a_little_play_is_not_locked(slack):
    d = taut_chain(slack).diagnose()
    assert (d.mobility, d.shaky) == (1, False)


@pytest.mark.parametrize("short", [0.0, 1e-9])
def test_a_chain_without_play_is_shaky(short):
    with pytest.warns(da.AssemblyWarning) if short else nullcontext():
        d = taut_chain(-short).diagnose()
    assert d.mobility == 0 and d.shaky


# -- numbers with few digits ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("digits", [6, 8])
def test_a_redundant_loop_with_few_digits_counts_as_closed_and_says_so(digits):
    """Strictly, six hinges whose places are off in the last digit cannot move at all."""
    m = rounded_bricard(digits)
    with pytest.warns(da.AssemblyWarning, match="redundant rows agree to .* of its size only"):
        q, _ = m.assemble()
    assert 1e-12 < off_at(m, q, 0.0) < 10.0**-digits
    d = diagnose(m, q)
    assert (d.mobility, d.rank) == (1, 4) and "agree to" in str(d)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::dalembert.AssemblyWarning")
def test_a_redundant_loop_with_few_digits_moves_as_the_exact_one():
    motion, exact = (m.simulate(1.0, output=0.5) for m in (rounded_bricard(8), bricard()))
    np.testing.assert_allclose(motion.q[-1], exact.q[-1], atol=1e-6)


def test_given_values_that_almost_close_are_moved_and_it_is_said():
    m = bricard()
    exact = dict(zip(m.coordinates, m.assemble({"J0": 0.3})[0], strict=True))
    rough = {name: x + 2e-4 * (-1) ** i for i, (name, x) in enumerate(exact.items())}
    with pytest.warns(da.AssemblyWarning, match="do not quite close"):
        q, _ = m.assemble(rough)
    assert off_at(m, q, 0.0) < 1e-12
    np.testing.assert_allclose(q, list(exact.values()), atol=1e-3)
    with pytest.raises(da.LoopError, match="cannot all be kept"):
        m.assemble({name: x + 0.1 * (-1) ** i for i, (name, x) in enumerate(exact.items())})


@pytest.mark.parametrize("error", [1e-7, 1e-5])
def test_all_methods_agree_where_coordinates_have_few_digits(error):
    """To the size of the error; rows that depend on each other do not quite do so in such a pose."""
    m = bricard()
    u, off = np.zeros(5), np.random.default_rng(0).normal(size=5)
    q = m.assemble({"J0": 0.4})[0]
    right = m.solve(q, u)
    np.testing.assert_allclose(m.forward_dynamics(q + error * off, u), right.udot, atol=20 * error)
    for method in ("range_space", "svd", "augmented", "null_space_qr", "partition"):
        found = m.solve(q + error * off, u, constraints=method)
        assert found.rank == 4
        np.testing.assert_allclose(found.udot, right.udot, atol=20 * error)
        np.testing.assert_allclose(found.lam, right.lam, atol=1e3 * error)


def test_accelerations_and_solutions_refuse_the_same_states():
    m = bricard()
    q = m.assemble({"J0": 0.4})[0]
    for error in (2e-4, 3e-3, 0.1):
        said = []
        for ask in (m.forward_dynamics, m.solve):
            try:
                ask(q + error * np.array([1.0, -1.0, 0.5, 1.0, -0.5]), np.zeros(5))
                said.append("")
            except da.StateError as problem:
                said.append(str(problem))
        assert said[0] == said[1] and bool(said[0]) == (error > 1e-3)


# -- elastic bodies ---------------------------------------------------------------------------------------------------
def elastic_four_bar(modes: int, units=METRE) -> da.Mechanism:
    length, mass, time = units
    s = da.System("elastic four-bar", gravity=(0, -9.81 * length / time**2, 0))
    made = {"E": 2e9 * mass / length / time**2, "rho": 2000.0 * mass / length**3, "A": 4e-4 * length**2}
    for name, side in (("crank", 0.4), ("coupler", 1.0), ("rocker", 0.9)):
        I = 1.3e-8 * length**4
        s.add_body(name, elastic=da.beam(side * length, Iy=I, Iz=I, modes={"y": modes}, **made))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent="tip")
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent="tip", at_child="tip")
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(length, 0, 0))
    return s.build()


@pytest.mark.parametrize("units", [METRE, MILLIMETRE])
@pytest.mark.parametrize("modes", [4, pytest.param(6, marks=pytest.mark.slow)])
def test_a_four_bar_of_elastic_beams_moves_whatever_its_modes(modes, units):
    d = elastic_four_bar(modes, units).diagnose({"A": 1.0})
    assert d.mobility == 1 + 3 * modes and not d.shaky


@pytest.mark.parametrize(("root", "freedoms"), [(da.Weld(), 2), pytest.param(da.Revolute(), 3, marks=pytest.mark.slow)])
def test_a_beam_held_at_both_ends_still_bends(root, freedoms):
    s = da.System("held at both ends", gravity=(0, -9.81, 0))
    s.add_body("beam", elastic=da.beam(2.0, E=2e11, rho=7800.0, A=4e-4, Iy=1.3e-8, Iz=1.3e-8, modes={"y": 3}))
    s.add_joint("root", root, "ground", "beam")
    s.add_constraint("tip", da.OnPlane(("beam", "tip"), ("ground", (2, 0, 0)), (0, 1, 0)))
    m = s.build()
    assert m.diagnose().mobility == freedoms
    motion = m.simulate(0.02, output=0.01)
    energy = motion.energy()
    assert np.ptp(energy.total) < 1e-8 * energy.kinetic.max()


@pytest.mark.parametrize("away", [1e3, 1e5, 1e6, 7e6])
def test_a_loop_on_a_free_body_runs_wherever_it_floats(away: float) -> None:
    """All speeds given: rows across the plane of the linkage are rounding there, and ask for nothing."""
    ends = []
    for y in (0.0, away):
        s = da.System("craft")
        s.add_body("hub", da.box(100.0, (1, 1.2, 0.8)))
        s.add_joint("F", da.Free(), "ground", "hub")
        for name, length in (("crank", 0.4), ("coupler", 1.0), ("rocker", 0.9)):
            s.add_body(name, da.rod(1.0, length))
        s.add_joint("A", da.Revolute(), "hub", "crank")
        s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(0.4, 0, 0))
        s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(1, 0, 0), at_child=(0.9, 0, 0))
        s.add_joint("D", da.Revolute(), "hub", "rocker", at_parent=(1, 0, 0))
        m = s.build()
        ends.append(m.assemble({"A": 1.0, "F.y": y}, {"A": 3.0, "F": [0.1, 0.2, 0.3, 0, 0, 0]})[1])
    assert np.abs(ends[1] - ends[0]).max() <= 1e-15 * away + 1e-12


def test_a_mechanism_without_speeds_has_consistent_ones() -> None:
    s = da.System("welded")
    s.add_body("b", da.sphere(1.0, 0.1))
    s.add_joint("W", da.Weld(), "ground", "b")
    assert len(s.build().assemble()[1]) == 0
