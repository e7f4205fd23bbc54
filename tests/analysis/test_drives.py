"""Forces that a prescribed motion needs, with loops: put into forward dynamics they give the motion back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from benchmarks.loop_models import four_bar, open_pose
from dalembert.analysis.comparison.consistent import consistent_states
from dalembert.constraints.methods.svd import solve
from dalembert.files import gallery
from dalembert.formulations.tree import kane
from tests.constraints.loops import random_loops
from tests.effort import examples


def motion(m, states, seed=0):
    """(q, u, u̇, t): at each state, a random acceleration that keeps the loops closed."""
    rng, rates = np.random.default_rng(seed), []
    for s in states:
        e = kane.equations(s)
        own = solve(e).udot
        Z = np.eye(m.n_u) - np.linalg.pinv(e.B, rcond=1e-9) @ e.B if len(e.B) else np.eye(m.n_u)
        rates.append(own + Z @ (rng.normal(size=m.n_u) * (1.0 + np.abs(own).max(initial=0.0))))
    return (*(np.array([getattr(s, x) for s in states]) for x in ("coordinates", "speeds")), np.array(rates),
            np.array([s.t for s in states]))  # fmt: skip


def returned(m, q, u, udot, t, **asked):
    """The largest difference between u̇ and what forward dynamics makes of the drives."""
    found = m.drives(q, u, udot, t=t, **asked)
    again = m.forward_dynamics(q, u, found.tau, t)
    return np.abs(again - udot).max() / (1.0 + np.abs(udot).max())


@pytest.mark.parametrize("name", gallery.names())
def test_forward_dynamics_undoes_inverse_dynamics_on_every_mechanism_of_the_gallery(name):
    m = da.load(gallery.files()[name]).without_laws()  # random states would go through them
    start = m.assemble(m.plan.initial or None, m.plan.speeds or None)[0]
    assert returned(m, *motion(m, consistent_states(m, 8, start=start))) < 1e-10


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 2), st.booleans())
def test_forward_dynamics_undoes_inverse_dynamics_on_random_loops(seed, n, n_loops, doubled):
    m, q, u, t = random_loops(np.random.default_rng(seed), n, n_loops, doubled=doubled)
    if m.n_u:
        e = kane.equations(m.state(q, u, t))
        sigma = np.linalg.svd(np.linalg.solve(np.linalg.cholesky(e.A), e.B.T), compute_uv=False)
        kept = sigma[sigma > 1e-9 * sigma.max()]
        if len(kept) and kept[-1] > 1e-4 * kept[0]:
            q, u, udot, times = motion(m, [m.state(q, u, t)])
            tau = m.drives(q, u, udot, t=times).tau[0]
            again = solve(replace(e, f=e.f + tau)).udot  # without compiling each of them
            assert np.abs(again - udot[0]).max() < 1e-10 * (1.0 + np.abs(udot).max())


@pytest.fixture(scope="module")
def crank_rocker():
    m = four_bar(0.4, 1.0, 0.9, 1.0)
    angles = np.linspace(0.3, 5.0, 9)
    states = [m.state(*m.assemble(open_pose(0.4, 1.0, 0.9, 1.0, a), {"A": 2.0})) for a in angles]
    return m, motion(m, states)


def test_any_one_actuator_is_enough_for_one_freedom_and_its_force_is_unique(crank_rocker):
    m, (q, u, udot, t) = crank_rocker
    for joint in "ABD":
        found = m.drives(q, u, udot, [joint], t=t)
        assert found.unique and found.determined.all() and "unique" in str(found)
        assert np.abs(m.forward_dynamics(q, u, found.tau) - udot).max() < 1e-10 * np.abs(udot).max()


def test_power_of_one_actuator_is_that_of_any_other(crank_rocker):
    m, (q, u, udot, t) = crank_rocker
    power = [m.drives(q, u, udot, [j], t=t)[j] * u[:, m.speeds.index(j)] for j in "ABD"]
    assert np.allclose(power[0], power[1], rtol=1e-9) and np.allclose(power[0], power[2], rtol=1e-9)


def test_of_too_many_actuators_the_least_are_taken(crank_rocker):
    m, (q, u, udot, t) = crank_rocker
    one, three = m.drives(q, u, udot, ["A"], t=t), m.drives(q, u, udot, t=t)
    assert three.surplus == 2 and not three.determined.any() and "least sum of squares" in str(three)
    # minimum norm for one freedom with velocity ratios r = u / u_A: τ = r (τ_A) / r·r
    ratio = u / u[:, :1]
    assert np.allclose(three.forces, ratio * one["A"][:, None] / np.sum(ratio**2, axis=1, keepdims=True), rtol=1e-9)
    weights = {"A": 1.0, "B": 4.0, "D": 0.5}
    weighed, w = m.drives(q, u, udot, weights=weights, t=t), np.array([weights[n] for n in m.speeds])
    expected = ratio / w * one["A"][:, None] / np.sum(ratio**2 / w, axis=1, keepdims=True)
    assert np.allclose(weighed.forces, expected, rtol=1e-9) and "weighted" in str(weighed)


def test_one_state_and_many_agree(crank_rocker):
    m, (q, u, udot, t) = crank_rocker
    alone = m.drives(q[3], u[3], udot[3], ["A"])
    assert alone.forces.shape == (1,) and alone.tau.shape == (m.n_u,)
    assert np.allclose(alone.forces, m.drives(q, u, udot, ["A"], t=t).forces[3], rtol=1e-10)


def test_what_nothing_drives_is_named():
    m = da.load(gallery.files()["double_pendulum"])
    q, u, udot = np.array([0.3, -0.2]), np.zeros(2), np.array([1.0, -4.0])
    with pytest.raises(da.DriveError, match=f'nothing drives joint "{m.joints[1].name}"'):
        m.drives(q, u, udot, [m.joints[0].name])


def test_a_motion_that_opens_a_loop_is_refused(crank_rocker):
    m, (q, u, udot, t) = crank_rocker
    with pytest.raises(da.StateError, match='accelerations udot do not keep "C"'):
        m.drives(q, u, udot + np.array([1.0, 0, 0]), t=t)
    with pytest.raises(da.StateError, match='coordinates q do not close "C"'):
        m.drives(q + 0.1, u, udot, t=t)
    with pytest.raises(da.DriveError, match='"C" closes a loop'):
        m.drives(q, u, udot, ["C"])
    with pytest.raises(da.DriveError, match="positive"):
        m.drives(q, u, udot, weights={"A": -1.0})


def test_over_actuation_splits_into_what_is_unique_and_what_is_not():
    """Two arms on the ground, one of them closed into a four-bar: only the closed one's forces can be shared out."""
    s = da.System("two", gravity=(0, -9.81, 0))
    for name, length in (("crank", 0.4), ("coupler", 1.0), ("rocker", 0.9), ("arm", 0.5)):
        s.add_body(name, da.rod(1.0, length))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(0.4, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(1.0, 0, 0), at_child=(0.9, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(1.0, 0, 0))
    s.add_joint("E", da.Revolute(), "ground", "arm", at_parent=(3.0, 0, 0))
    m = s.build(cut=["C"])
    q, u = m.assemble({"A": 1.0}, {"A": 0.0, "E": 1.0})
    udot = m.forward_dynamics(q, u)
    found = m.drives(q, u, udot, ["A", "D", "E"])
    assert dict(zip(found.actuated, found.determined)) == {"A": False, "D": False, "E": True}
    assert np.abs(found.forces).max() < 1e-9  # the motion it has by itself needs nothing


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_a_linkage_of_any_size_that_does_not_close_is_refused(size):
    m = four_bar(*(size * x for x in (0.4, 1.0, 0.9, 1.0)))
    q, u = m.assemble({"A": 0.5}, {"A": 1.0})
    udot = m.forward_dynamics(q, u)
    assert m.drives(q, u, udot, actuated=["A"]).unique
    for wrong in ((q + 1e-3, u, udot), (q, u + 1e-3, udot), (q, u, udot + 1e-3 * np.abs(udot).max())):
        with pytest.raises(da.StateError, match="do not"):
            m.drives(*wrong, actuated=["A"])
