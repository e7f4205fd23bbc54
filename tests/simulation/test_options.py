"""`SimulationOptions` is the one statement of a simulation's options: everything else that names them says the same."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import get_type_hints

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.app import app
from dalembert.cli.simulation_options import flag
from dalembert.mechanism import mechanism
from dalembert.mechanism.simulation_options import options
from tests.simulation.models import pendulum

FIELDS = {f.name: f for f in dataclasses.fields(da.SimulationOptions)}
HINTS = get_type_hints(da.SimulationOptions)


def keywords(method) -> dict[str, inspect.Parameter]:
    return {name: p for name, p in inspect.signature(method).parameters.items() if p.kind is p.KEYWORD_ONLY}


@pytest.mark.parametrize("method", [da.Mechanism.simulate, da.Mechanism.simulate_many], ids=lambda f: f.__name__)
def test_the_signature_has_every_field_with_its_type_and_default_in_order(method):
    wanted = [name for name, x in options().items() if x.many or method.__name__ == "simulate"]
    found = keywords(method)
    assert list(found)[: len(wanted) + 1] == [*wanted, "options"]
    for name in wanted:
        assert found[name].default is FIELDS[name].default is None
        assert eval(found[name].annotation, vars(mechanism)) == HINTS[name], name


def test_keywords_and_one_value_are_the_same():
    m = pendulum()
    one = m.simulate(1.0, {"A": 0.3}, rtol=1e-7, output=0.25, start=0.5)
    said = m.simulate(1.0, {"A": 0.3}, options=da.SimulationOptions(rtol=1e-7, output=0.25, start=0.5))
    both = m.simulate(1.0, {"A": 0.3}, rtol=1e-7, options=da.SimulationOptions(output=0.25, start=0.5))
    for other in (said, both):
        assert np.array_equal(one.q, other.q) and one.record["options"] == other.record["options"]
    many = m.simulate_many([[0.3]], 1.0, options=da.SimulationOptions(rtol=1e-7, output=0.25))
    assert np.array_equal(many[0].q, m.simulate_many([[0.3]], 1.0, rtol=1e-7, output=0.25)[0].q)


def test_an_option_is_said_once():
    m = pendulum()
    with pytest.raises(da.SimulationError, match="rtol stands in options= and as a keyword"):
        m.simulate(1.0, rtol=1e-8, options=da.SimulationOptions(rtol=1e-9))
    with pytest.raises(da.SimulationError, match=r"options must be a da\.SimulationOptions"):
        m.simulate(1.0, options={"rtol": 1e-9})
    with pytest.raises(da.SimulationError, match="simulate_many does not take stabilise"):
        m.simulate_many([[0.1]], 1.0, options=da.SimulationOptions(stabilise="none"))


WRONG = {
    "method": 3, "step": 0.0, "rtol": -1e-9, "atol": [1e-9, -1.0], "max_step": "a", "output": [1.0, 0.5], "start": float("nan"),
    "max_steps": 2.5, "stabilise": "glue", "constraints": [], "formulation": 1, "assemble": "no",
    "max_events": 1.5, "theta": 0.0, "restitution": "bounce",
}  # fmt: skip


@pytest.mark.parametrize("name", FIELDS)
def test_every_option_is_checked_where_it_is_said(name):
    with pytest.raises(da.SimulationError, match=name):
        da.SimulationOptions(**{name: WRONG[name]})
    with pytest.raises(da.SimulationError, match=name):
        pendulum().simulate(1.0, **{name: WRONG[name]})
    s = da.System("empty")
    s.add_body("b", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "b")
    s.simulation = {name: WRONG[name]}
    with pytest.raises(da.ModelError, match=f"simulation: {name}"):
        s.build()


def test_who_names_an_integrator_or_a_step_chooses_tolerances_too():
    plan = da.SimulationOptions(rtol=1e-6, atol=1e-9, max_step=0.1, output=0.5, formulation="lagrange")
    assert da.SimulationOptions(step=0.1).completed(plan) == da.SimulationOptions(
        step=0.1, output=0.5, formulation="lagrange"
    )
    assert da.SimulationOptions(output=0.1).completed(plan) == dataclasses.replace(plan, output=0.1)


def test_options_are_values():
    one = da.SimulationOptions(atol=[1e-9, 1e-8], stabilise=da.Baumgarte(10.0, 25.0))
    for other in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert other == one and not other.atol.flags.writeable
    assert one != da.SimulationOptions(atol=[1e-9, 1e-7]) and one != 3
    assert repr(da.SimulationOptions(rtol=1e-9, method="radau")) == "SimulationOptions(method='radau', rtol=1e-09)"


def test_records_name_the_options_of_their_integrator():
    m = pendulum()
    adaptive = set(m.simulate(0.1).record["options"])
    fixed = set(m.simulate(0.1, step=0.01).record["options"])
    beside = {"end", "control_rate"}
    assert adaptive == set(FIELDS) - {"output", "step", "theta"} | beside
    assert fixed == set(FIELDS) - {"output", "rtol", "atol", "max_step", "theta"} | beside


def test_a_checkpoint_goes_on_with_more_steps(tmp_path, monkeypatch):
    monkeypatch.setattr("dalembert.simulation.march.run.CHECKPOINT_EVERY", 0.0)
    m, file = pendulum(), tmp_path / "run.ckpt"
    with pytest.raises(da.SimulationError, match="steps were made"):
        m.simulate(5.0, {"A": 0.3}, step=1e-3, max_steps=1000, checkpoint=file)
    gone_on = m.simulate(5.0, {"A": 0.3}, step=1e-3, resume=file)
    assert np.array_equal(gone_on.q, m.simulate(5.0, {"A": 0.3}, step=1e-3).q)


def test_the_command_line_has_every_option():
    import typer

    command = typer.main.get_command(app).commands["simulate"]
    flags = {name for p in command.params for name in p.opts}
    assert {flag(name, option) for name, option in options().items()} <= flags
