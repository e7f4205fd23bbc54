"""What must hold at every output of any mechanism with laws: complementarity, the friction cone, dissipation, the energy balance."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.kinematics.law_mode import ElementState
from dalembert.kinematics.law_rows import law_rows

from .models import slider_crank
from .random_laws import random_system

PENETRATION, BALANCE, FORCE = 1e-12, 1e-8, 1e-7
"""Gap below zero, m; energy out of balance and forces of the wrong sign, by the largest."""


def check(m: da.Mechanism, motion: da.Motion) -> None:
    """All that laws promise, at every sample."""
    energy = motion.energy()
    scale = max(1.0, float(np.abs(energy.kinetic).max()))
    assert np.ptp(energy.balance) < BALANCE * scale
    assert np.diff(energy.lost).min() > -BALANCE * scale
    h, table = motion.history, m.law_table
    largest = max(1.0, float(np.abs(h.force).max()))
    for i, e in enumerate(table.elements):
        if e.normal is not None:
            gap, force = h.gap[:, e.normal], h.force[:, e.normal]
            assert gap.min() > -PENETRATION
            assert force.min() > -FORCE * largest
            assert np.abs(gap * force).max() < 1e-9 * largest  # open, or without force
        stuck = h.state[:, i] == ElementState.STICK
        if e.tangents and stuck.any():
            assert np.abs(h.slip[np.ix_(stuck, list(e.tangents))]).max() < 1e-11
    _check_cones(m, motion, largest)


def _check_cones(m: da.Mechanism, motion: da.Motion, largest: float) -> None:
    """Friction within the cone of its gap's force, and against the slip."""
    h = motion.history
    for e in m.law_table.elements:
        law = m.numeric.laws[e.law]
        if e.normal is None or not e.tangents or not isinstance(law, da.Contact):
            continue
        friction, slip = h.force[:, list(e.tangents)], h.slip[:, list(e.tangents)]
        bound = (law.mu if law.mu_static is None else law.mu_static) * h.force[:, e.normal]
        assert (np.linalg.norm(friction, axis=1) <= bound + FORCE * largest).all()
        assert np.einsum("ki,ki->k", friction, slip).max() <= FORCE * largest


def check_accelerations(m: da.Mechanism, motion: da.Motion) -> None:
    """A u̇ = f + Jᵀp: the motion's own accelerations with the laws' forces on it, against the equations."""
    for k in (0, len(motion) // 2, len(motion) - 1):
        state = m.state(motion.q[k], motion.u[k], motion.t[k])
        exerted = np.asarray(law_rows(state).B, dtype=float).T @ motion.history.force[k]
        own = m.smooth_dynamics(motion.q[k], motion.u[k], exerted, motion.t[k])
        assert motion.udot()[k] == pytest.approx(own, abs=1e-8 * max(1.0, np.abs(own).max()))


@pytest.mark.parametrize(
    ("loops", "seed"),
    [(0, 0), (1, 100), *(pytest.param(k, s, marks=pytest.mark.slow) for k in (0, 1) for s in range(10, 20))],
)
def test_random_mechanisms_obey_their_laws(loops, seed):
    s, q, u = random_system(np.random.default_rng(seed), loops)
    m = s.build()
    motion = m.simulate(0.6, q, u, max_events=2000)
    check(m, motion)
    check_accelerations(m, motion)


@pytest.fixture(scope="module")
def cut_in_turn() -> dict[str, da.Mechanism]:
    """A slider-crank with friction and stops in joints of its loop, closed at each of them."""
    s = slider_crank()
    s.add_law("pin", da.JointFriction("P", mu=0.1, radius=0.02))
    s.add_law("reach", da.Stop("P", lower=-3.3, upper=1.0, restitution=0.4))
    return {cut: s.build(cut=[cut]) for cut in ("P", "Q", "guide")}


@pytest.mark.parametrize("seed", range(4))
def test_the_motion_does_not_hang_on_which_joint_is_cut(cut_in_turn, seed):
    """Stops and friction work alike in joints of the tree and in joints that close a loop."""
    rng = np.random.default_rng(seed)
    angle, rate = rng.uniform(0.8, 2.5), rng.uniform(-9, 9)
    psi = np.arcsin(-0.3 * np.sin(angle) / 0.8)
    pose = {"O": angle, "P": psi - angle, "Q": -psi, "guide": 0.3 * np.cos(angle) + 0.8 * np.cos(psi)}
    ends = []
    for cut, m in cut_in_turn.items():
        motion = m.simulate(0.8, initial={k: x for k, x in pose.items() if k != cut}, speeds={"O": rate})
        check(m, motion)
        ends.append((motion["O"][-1], len(motion.modes), [x.t for x in motion.impacts]))
    for end in ends[1:]:
        assert end[0] == pytest.approx(ends[0][0], abs=1e-8)
        assert end[1] == ends[0][1]
        assert end[2] == pytest.approx(ends[0][2], abs=1e-8)
