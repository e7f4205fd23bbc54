"""Limits of stability are found in few looks, wherever they lie."""

import numpy as np
import pytest

from dalembert.analysis.stability.locus import Locus


@pytest.mark.parametrize("limit", [0.0, 1e-300, 0.3, -0.7])
def test_a_limit_at_zero_takes_no_longer_than_elsewhere(limit):
    """Growth begins as a square root, from motions that neither grew nor fell."""
    looks = []

    def at(value):
        looks.append(value)
        growth = np.sqrt(max(value - limit, 0.0))
        return np.array([growth + 2.0j, growth - 2.0j])

    values = np.array([-1.0, 1.0])
    found = Locus("c", values, np.array([at(v) for v in values]), at).stability_limits()
    assert [c.value for c in found] == pytest.approx([limit], abs=1e-10)
    assert len(looks) < 120
