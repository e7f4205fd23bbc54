"""Many motions with laws in one call, and what the command line tells of laws."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main

from .models import jack, pendulum


def test_many_motions_with_laws_are_those_of_single_runs():
    m = pendulum().build()
    starts = np.array([[-1.0], [-0.5], [0.1]])
    many = m.simulate_many(starts, 2.0)
    for k, q in enumerate(starts):
        one = m.simulate(2.0, q)
        assert np.array_equal(many.q[k], one.q) and np.array_equal(many.u[k], one.u)
        assert [x.t for x in many[k].impacts] == [x.t for x in one.impacts]
        assert many[k].energy().lost == pytest.approx(one.energy().lost)


def test_parameters_of_laws_differ_from_motion_to_motion():
    many = jack().build().simulate_many(None, 0.2, parameters={"mu": [0.05, 0.06, 0.07, 0.1]})
    moves = many.u[:, -1, 0] != 0.0
    assert moves.tolist() == [True, True, False, False]  # a thread locks itself from mu = 0.0637 on


def test_one_that_fails_does_not_stop_the_others():
    m = pendulum(upper=0.3).build()
    with pytest.warns(da.SimulationWarning, match="1 of 2 motions"):
        many = m.simulate_many([[0.5], [-1.0]], 1.0)
    assert list(many.problems) == [0] and "violated at the start" in many.problems[0]
    assert np.isnan(many.q[0]).all() and np.isfinite(many.q[1]).all()
    assert len(many[1].impacts) == 1


def test_the_command_line_tells_of_laws(tmp_path, capsys):
    system = pendulum()
    system.initial = {"A": -1.0}
    system.save(tmp_path / "pendulum.yaml")
    assert main(["simulate", str(tmp_path / "pendulum.yaml"), "--duration", "3"]) == 0
    said = capsys.readouterr().out
    assert "laws: 3 impacts, 3 changes of mode" in said
    assert "stop             open at the end, 3 impacts, the first at 0.519598337 s" in said
    assert main(["simulate", str(tmp_path / "pendulum.yaml"), "--duration", "3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["laws"]
    assert told["by_law"]["stop"]["impacts"] == 3 and len(told["modes"]) == 4
    assert told["lost"] == pytest.approx(told["by_law"]["stop"]["lost"])
