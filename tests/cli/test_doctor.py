"""`dalembert doctor` tells the machine, and says so where compiled code and the interpreter differ."""

from __future__ import annotations

import os

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.self_test import self_test
from dalembert.cli.commands import doctor
from dalembert.trace.native import executable


def four_bar() -> da.System:
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    for name, length in (("crank", 0.4), ("coupler", 1.0), ("rocker", 0.9)):
        s.add_body(name, da.rod(mass=1.0, length=length))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(0.4, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(1, 0, 0), at_child=(0.9, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(1, 0, 0))
    s.simulation = {"duration": 0.5}
    return s


def test_it_tells_the_machine_and_what_to_send(dalembert, monkeypatch):
    monkeypatch.setattr(doctor, "MODELS", ("pendulum",))
    ran = dalembert("doctor", "--json")
    assert ran.code == 0
    told = ran.data
    assert told["dalembert"] == da.__version__ and told["packages"]["numpy"] == np.__version__
    assert list(told["targets"]) == [t.name for t in executable()]
    checks = told["self-test"]["checks"]
    assert {c["target"] for c in checks} == set(told["targets"]) and all(c["passed"] for c in checks)
    assert "bug report" in dalembert("doctor", "--no-test").out


def test_a_wrong_kernel_fails_it(dalembert, monkeypatch):
    monkeypatch.setattr(doctor, "MODELS", ("pendulum",))
    right = da.Mechanism.mass_matrix
    monkeypatch.setattr(da.Mechanism, "mass_matrix", lambda *given: right(*given) * (1 + 1e-6))
    ran = dalembert("doctor")
    assert ran.code == 1
    assert "FAILED: pendulum, host, mass matrix" in ran.out and "accelerations" not in ran.out


@pytest.mark.parametrize("answer", [np.nan, np.inf])
def test_no_number_is_no_agreement(monkeypatch, answer):
    monkeypatch.setattr(da.Mechanism, "smooth_dynamics", lambda m, q, *rest: np.full(np.shape(q), answer))
    found = self_test({"four-bar": four_bar}, ["host"], 1.0)
    assert {c.quantity for c in found.failures} == {"accelerations, many states", "accelerations, one state"}


def test_what_is_raised_is_a_finding_and_nothing_compared_is_no_success():
    def broken() -> da.System:
        raise RuntimeError("the compiler is broken")

    found = self_test({"broken": broken}, ["host"], 1.0)
    assert not found.passed and "the compiler is broken" in found.failures[0].problem
    assert not self_test({}, ["host"], 1.0).passed


def test_models_without_time_are_told_and_the_cache_is_left_as_it_was(dalembert, monkeypatch):
    monkeypatch.setattr(doctor, "MODELS", ("pendulum", "four_bar"))
    monkeypatch.setenv("DALEMBERT_CACHE_DIR", "somewhere")
    ran = dalembert("doctor", "--seconds", "0", "--json")
    assert ran.data["self-test"]["models left out"] == ["four_bar"]
    assert os.environ["DALEMBERT_CACHE_DIR"] == "somewhere"
