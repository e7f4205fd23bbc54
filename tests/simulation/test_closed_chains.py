"""Claims about closed chains afloat: what nothing outside can change is kept."""

from __future__ import annotations

import numpy as np

from benchmarks.loop_models import six_body_chains
from tests.simulation.free_bodies import imbalance
from tests.simulation.test_loops import energy_error, largest_gap


def test_the_six_bodies_in_closed_chains_keep_energy_and_momenta():
    """[B Fig. 6, 62–64]: two chains of ball joints closed, nothing outside acts: energy and both momenta stay what they are."""
    m, initial, speeds, _ = six_body_chains()
    motion = m.simulate(1.0, initial, speeds, output=0.02, max_steps=500)
    assert largest_gap(motion, every=5) < 1e-12
    assert energy_error(motion) < 1e-10
    momentum = motion.momentum()
    assert np.ptp(momentum.linear, axis=0).max() < 1e-9
    assert np.ptp(momentum.angular, axis=0).max() < 1e-9
    assert imbalance(motion.samples.at([0, 25, 50]), [0, 1, 2]) < 1e-9
