"""Baumgarte's terms act in every formulation that has a place for them; where there is none, that is said."""

import numpy as np
import pytest

import dalembert as da
from dalembert.formulations import FORMULATIONS

GAINS = da.Baumgarte(20.0, 400.0)


def four_bar():
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    for name, length in {"crank": 1.0, "coupler": 2.0, "rocker": 1.5}.items():
        s.add_body(name, da.box(1.0, (length, 0.1, 0.1), com=(length / 2, 0, 0)))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(1, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(2, 0, 0))
    s.add_joint("D", da.Revolute(), "rocker", "ground", at_parent=(1.5, 0, 0), at_child=(2.2, 0, 0))
    return s.build()


@pytest.fixture(scope="module")
def m():
    return four_bar()


def run(m, formulation, stabilise):
    options = {"method": "rk4", "step": 0.02, "output": 0.02, "formulation": formulation, "stabilise": stabilise}
    return m.simulate(0.6, {"A": 1.0}, {"A": -2.0}, **options)


@pytest.mark.parametrize("name", [n for n in FORMULATIONS if FORMULATIONS[n].refusal(four_bar()) is None])
def test_the_terms_act_or_are_refused_in_words(m, name):
    if name in ("kane_minimal", "dalembert"):
        with pytest.raises(da.FormulationError, match=r"Baumgarte.*projection"):
            run(m, name, GAINS)
        return
    drifting, kept, usual = (run(m, *how).q[-1] for how in ((name, "none"), (name, GAINS), ("kane", GAINS)))
    assert np.abs(kept - drifting).max() > 5e-5
    np.testing.assert_allclose(kept, usual, atol=1e-6 if name not in ("momentum", "hamilton") else 1e-4)


def test_every_option_is_recorded(m):
    for given, recorded in [(GAINS, {"alpha": 20.0, "beta": 400.0}), ("projection", "projection"), ("none", "none")]:
        options = m.simulate(0.01, {"A": 1.0}, stabilise=given, max_steps=500).record["options"]
        assert options["stabilise"] == recorded and options["max_steps"] == 500
    many = m.simulate_many([{"A": 1.0}, {"A": 1.1}], 0.01)
    assert many.record["options"]["stabilise"] == "projection"


def test_a_record_with_gains_survives_a_file(m, tmp_path):
    motion = m.simulate(0.01, {"A": 1.0}, stabilise=GAINS)
    motion.save(tmp_path / "x.nc")
    assert da.load_motion(tmp_path / "x.nc").record["options"]["stabilise"] == {"alpha": 20.0, "beta": 400.0}
