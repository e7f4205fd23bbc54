"""Formulas of what joints transmit in one state give what is computed over all samples of a motion."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.files.gallery import files
from dalembert.motion.joint_wrenches import joint_wrenches


@pytest.mark.parametrize(
    "name", ["four_bar", "double_pendulum", "flexible_slider_crank", "stewart_platform", "rolling_disc"]
)
def test_they_are_those_of_the_motion(name: str) -> None:
    m = da.load(files()[name])
    motion = m.simulate(0.3, output=0.1)
    joints = [*(j.name for j in m.joints), *(c.name for c in m.cuts)]
    x = motion.samples
    lam = x.solved.lam if m.constraint_rows else np.zeros((len(motion), 0))
    for k in (0, 3):
        s = m.state(motion.q[k], motion.u[k], motion.t[k])
        found = joint_wrenches(s, joints, motion.udot()[k], lam[k])
        for joint, wrench in zip(joints, found):
            told = motion.reaction(joint)
            expected = np.concatenate([told.force[k], told.torque[k]])
            size = 1e-9 + np.abs(expected).max()
            np.testing.assert_allclose(np.array(wrench, dtype=float), expected, atol=1e-8 * size, err_msg=joint)
