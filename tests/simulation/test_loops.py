"""Claims about marching closed loops: closed to rounding at every output, energy kept, and the closed forms come out."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import dalembert as da
from benchmarks.loop_models import LOOPS, bricard, change_point, crank_rocker, four_bar, n_four_bar, rhombic_linkage
from dalembert.constraints.diagnosis.diagnose import diagnose
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.simulation import constrained_start as held


def largest_gap(motion: da.Motion, every: int = 50) -> float:
    m = motion.mechanism
    return max(
        np.max(np.abs(constraint_rows(m.state(q, u, t)).g))
        for q, u, t in zip(motion.q[::every], motion.u[::every], motion.t[::every])
    )


def energy_error(motion: da.Motion) -> float:
    energy = motion.energy()
    return float(np.ptp(energy.total) / energy.kinetic.max())


BARS = (0.4, 1.0, 0.9, 1.0)


PROBLEMS = LOOPS | {f"{n}-four-bar": lambda n=n: n_four_bar(n) for n in (1, 5, 10)}


@pytest.mark.parametrize("name", PROBLEMS)
def test_loops_stay_closed_and_energy_is_kept(name):
    """One setting, the default, for all: output on a 1 ms grid between the steps, redundant rows or not, through singular poses."""
    m, initial, speeds, duration = PROBLEMS[name]()
    motion = m.simulate(duration, initial, speeds, output=min(1e-3, duration / 100))
    assert largest_gap(motion) < 1e-12
    assert energy_error(motion) < 1e-10


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-8])
def test_loops_are_closed_between_the_steps_at_any_tolerance(rtol):
    """Outputs lie between long steps: they are on the constraints as the steps are."""
    b = bricard()
    motion = b.mechanism.simulate(1.0, b.initial, b.speeds, rtol=rtol, output=1e-3)
    assert largest_gap(motion, 7) < 1e-12


def test_the_change_point_linkage_goes_round_and_round():
    """All bars in line twice a turn; the smooth branch is followed, the same at two tolerances."""
    m, initial, speeds, duration = change_point()
    ends = [m.simulate(duration, initial, speeds, output=duration, rtol=rtol).q[-1] for rtol in (1e-12, 1e-13)]
    assert ends[0][0] > 15 * 2 * np.pi
    assert np.abs(ends[0] - ends[1]).max() < 1e-8


@pytest.mark.parametrize("n", [2, 10])
def test_n_four_bars_fall_as_one_pendulum_through_the_flat_poses(n):
    """A02: θ̈ = −κ cos θ; its energy integral gives the speed at any angle, and all links stay parallel."""
    m, initial, speeds, duration = n_four_bar(n)
    motion = m.simulate(duration, initial, speeds, output=0.01)
    links = [k for k, name in enumerate(m.coordinates) if name.startswith("A")]
    theta, rate = motion.q[:, links[0]], motion.u[:, links[0]]
    kappa = ((n + 1) / 2 + n) * 9.81 / ((n + 1) / 3 + n)
    assert np.abs(rate**2 / 2 + kappa * np.sin(theta) - (0.5 + kappa)).max() < 1e-9
    assert np.abs(motion.q[:, links] - theta[:, None]).max() < 1e-10
    if n == 2:
        assert [np.cos(theta[-1]), np.sin(theta[-1])] == pytest.approx([0.3284581115, 0.9445185382], abs=2e-10)


def test_a_singular_pose_is_not_begun_from():
    m, initial, _, _ = n_four_bar(1)
    with pytest.raises(da.LoopError, match="singular pose"):
        m.simulate(1.0, dict.fromkeys(initial, 0.0), {"A0": 1.0})


def poorest_rows(m: da.Mechanism, poses: np.ndarray, norms: np.ndarray, rank: int) -> tuple[int, ...]:
    """Of the sets of rows that say all in the first pose, the one that says least in its worst."""

    def says(rows: tuple[int, ...], q: np.ndarray) -> float:
        scaled = constraint_rows(m.state(q)).B[list(rows)] / norms[list(rows), None]
        return np.linalg.svd(scaled, compute_uv=False)[-1]

    enough = [rows for rows in combinations(range(len(norms)), rank) if says(rows, poses[0]) > 0.05]
    return min(enough, key=lambda rows: min(says(rows, q) for q in poses))


def test_rows_that_turn_poor_are_exchanged():
    """Held by a set of rows that depends on itself later on, the linkage moves as with the good one: others are chosen on the way."""
    m, initial, speeds, _ = bricard()
    good = m.simulate(4.0, initial, speeds)
    q0 = good.q[0]
    best = diagnose(m, q0)
    poor = replace(best, independent=poorest_rows(m, good.q[::5], best.norms, best.rank))
    held._KNOWN[m] = {None: poor}
    try:
        again = m.simulate(4.0, initial, speeds)
    finally:
        del held._KNOWN[m]
    assert np.abs(again.q - good.q).max() < 1e-8


def test_gaps_decay_with_baumgarte_and_grow_with_nothing():
    m, initial, speeds, _ = crank_rocker()
    gaps = {
        way: largest_gap(m.simulate(5.0, initial, speeds, rtol=1e-8, stabilise=way), every=1)
        for way in ("projection", "baumgarte", "none", da.Baumgarte(200.0, 1e4))
    }
    assert gaps["projection"] < 1e-14
    assert gaps["projection"] < gaps[da.Baumgarte(200.0, 1e4)] < gaps["none"]
    assert gaps["baumgarte"] < 0.1 * gaps["none"] < 1e-5
    with pytest.raises(da.SimulationError, match="stabilise"):
        m.simulate(1.0, initial, speeds, stabilise="glue")


def test_fixed_steps_keep_loops_closed():
    m, initial, speeds, _ = crank_rocker()
    fine, coarse = (m.simulate(2.0, initial, speeds, step=h) for h in (5e-4, 1e-3))
    assert largest_gap(coarse, every=1) < 1e-12
    assert energy_error(coarse) < 1e-7
    exact = m.simulate(2.0, initial, speeds)
    errors = [np.abs(x.q[-1] - exact.q[-1]).max() for x in (fine, coarse)]
    assert 12 < errors[1] / errors[0] < 20


def test_an_interrupted_loop_goes_on_as_if_it_had_not_been():
    m, initial, speeds, _ = crank_rocker()
    whole = m.simulate(3.0, initial, speeds)
    calls = 0

    def stop(s):
        nonlocal calls
        calls += 1
        if calls == 30:
            raise KeyboardInterrupt
        return {}

    part = m.simulate(3.0, initial, speeds, control=stop, control_rate=20.0)
    assert part.record["ended"] == "interrupted" and part.t[-1] < 2.0
    calls = 1000
    rest = m.simulate(3.0, initial, speeds, control=stop, control_rate=20.0, resume=part)
    assert np.abs(rest.q - whole.q).max() < 1e-9


def test_the_rhombic_linkage_swings_as_the_pendulum_it_is():
    """[A 35–47]: θ̈ + (6 g / 5 ℓ) sin θ = 0 from rest at θ₀; θ = 2 asin(k sn(K + ω t, k)), k = sin(θ₀/2)."""
    theta = 0.8
    m, initial, speeds, duration = rhombic_linkage(theta=theta)
    motion = m.simulate(duration, initial, speeds, output=0.1)
    k, rate = np.sin(theta / 2), np.sqrt(6 * 9.81 / 5)
    sn = ellipj(ellipk(k * k) + rate * motion.t, k * k)[0]
    assert np.abs(motion.q[:, 0] + np.pi / 2 - 2 * np.arcsin(k * sn)).max() < 1e-9


def test_given_values_are_kept_and_the_others_solved():
    motion = four_bar(1.0, 2.5, 1.7, 2.0).simulate(0.1, initial={"A": 0.7}, speeds={"A": 2.0})
    assert motion.q[0, 0] == 0.7 and motion.u[0, 0] == 2.0
    assert np.abs(motion.u[0, 1:]).min() > 0.1


def test_a_driven_crank_follows_its_law():
    """No freedom is left, but time moves it: three full turns, the loop closed all the way."""
    motion = four_bar(*BARS, lambda t: 0.3 + 2.0 * np.pi * t).simulate(3.0, rtol=1e-10)
    assert np.abs(motion.q[:, 0] - 0.3 - 2.0 * np.pi * motion.t).max() < 1e-12
    assert largest_gap(motion, every=10) < 1e-12


def test_a_locked_crank_is_said_to_be_locked():
    with pytest.raises(da.LoopError, match="nothing to simulate"):
        four_bar(*BARS, 0.3).simulate(1.0)


def test_methods_that_cannot_keep_to_constraints_say_so():
    m = four_bar(*BARS)
    with pytest.raises(da.SimulationError, match="dop853"):
        m.simulate(1.0, method="midpoint", step=1e-3)
    with pytest.raises(da.SimulationError, match="dop853"):
        m.simulate_many([{"A": 0.1}, {"A": 0.2}], duration=1.0, method="midpoint", step=1e-3)


def test_an_impossible_linkage_is_not_marched():
    with pytest.raises(da.LoopError, match="cannot be closed"):
        four_bar(1.0, 2.5, 1.7, 6.0).simulate(1.0)


@pytest.mark.parametrize("how", [{}, {"step": 1e-3}])
def test_many_loops_at_once_are_the_same_as_one_by_one(how):
    """Adaptive, or a motion per SIMD lane; each is assembled from the angle it is given."""
    m = four_bar(*BARS)
    starts = [{"A": angle} for angle in (0.3, 0.9, 1.7, 2.2, -0.4)]
    together = m.simulate_many(starts, duration=1.0, output=0.25, **how)
    assert not together.problems
    for k, start in enumerate(starts):
        alone = m.simulate(1.0, start, output=0.25, **how)
        assert together.q[k, 0, 0] == start["A"]
        assert np.abs(together.q[k] - alone.q).max() < 1e-11
        assert largest_gap(together[k], every=1) < 1e-12
    with pytest.raises(da.LoopError, match="of the 2 motions one cannot be assembled"):
        four_bar(1.0, 2.5, 1.7, 6.0).simulate_many([{"A": 0.1}, {"A": 0.2}], duration=1.0)
