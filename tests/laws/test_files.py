"""Laws in model files, and what they did in motion files."""

from __future__ import annotations

import numpy as np

import dalembert as da

from .models import pendulum


def test_laws_are_written_and_read(tmp_path):
    s = pendulum()
    s.add_law(
        "dry",
        da.JointFriction("A", force=s.parameter("M", 0.2), static_force=0.3, stribeck=0.1, viscous=0.01, on=False),
    )
    s.save(tmp_path / "pendulum.yaml")
    m, back = s.build(), da.load(tmp_path / "pendulum.yaml")
    assert back.kernels.fingerprint == m.kernels.fingerprint
    assert not back.laws["dry"].on


def test_a_law_is_part_of_the_fingerprint():
    prints = {pendulum(restitution=e).build().kernels.fingerprint for e in (0.1, 0.2)}
    assert len(prints) == 2


def test_what_laws_did_is_kept_in_a_file(tmp_path):
    m = pendulum().build()
    motion = m.simulate(3.0, initial={"A": -1.0})
    motion.save(tmp_path / "motion.nc")
    back = da.load_motion(tmp_path / "motion.nc", m)
    assert [x.t for x in back.impacts] == [x.t for x in motion.impacts]
    assert [str(x) for x in back.modes] == [str(x) for x in motion.modes]
    assert np.array_equal(back.contacts["stop"].gap, motion.contacts["stop"].gap)
    assert np.array_equal(back.energy().balance, motion.energy().balance)
