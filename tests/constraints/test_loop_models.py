"""Claims about the reference mechanisms: closed as they stand, as mobile as they should be, and moving off as is known."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.loop_models import LOOPS, andrews_squeezer, flyball_governor, n_four_bar
from dalembert.constraints.diagnosis.diagnose import diagnose
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.initial import initial_state

FREEDOMS = {"Stewart platform": 6, "six bodies": 15}
"""All others have one."""


@pytest.mark.parametrize("name", LOOPS)
def test_reference_loops_are_closed_and_have_their_freedoms(name):
    m, initial, speeds, _ = LOOPS[name]()
    q, _ = initial_state(m, initial, speeds, 0.0)
    assert np.abs(constraint_rows(m.state(q)).g).max() < 1e-15
    assert diagnose(m, q).mobility == FREEDOMS.get(name, 1)


def test_andrews_squeezer_moves_off_as_published():
    """A03: q̈ at the start."""
    m, initial, speeds, _ = andrews_squeezer()
    udot = m.forward_dynamics(*initial_state(m, initial, speeds, 0.0))
    assert udot[:2] == pytest.approx([14222.4439199541139, -10666.8329399655854], rel=1e-12)
    assert np.abs(udot[2:]).max() < 1e-9


@pytest.mark.parametrize("n", [1, 3])
def test_n_four_bar_falls_as_one_pendulum(n):
    """A02: ((n + 1)/3 + n) θ̈ = −((n + 1)/2 + n) g cos θ."""
    m, _, _, _ = n_four_bar(n)
    theta = 0.7
    q = np.array([theta if name.startswith("A") else -theta for name in m.coordinates])
    wanted = -((n + 1) / 2 + n) * 9.81 * np.cos(theta) / ((n + 1) / 3 + n)
    udot = m.forward_dynamics(q, np.zeros(m.n_u))
    assert udot[[name.startswith("A") for name in m.speeds]] == pytest.approx(wanted, rel=1e-12)


def test_the_governor_starts_with_its_springs_at_rest():
    """A05: only gravity and the spin act at first; the slider falls freely."""
    m, initial, speeds, _ = flyball_governor()
    udot = m.forward_dynamics(*initial_state(m, initial, speeds, 0.0))
    assert dict(zip(m.speeds, udot))["slide"] == pytest.approx(-9.81, rel=1e-9)
