"""Compiled once per model and machine; never shared between models that differ."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.kernels.catalogue import Catalogue
from dalembert.trace.native import cache, cache_directory, cached
from tests.effort import examples

WORKER = """
import sys
import numpy as np
from dalembert.trace.native import Module
from tests.mechanisms import planar_pendulum, random_tree

compiled, compile = [], Module.compile
Module.compile = lambda module: compiled.append(module) or compile(module)
results = []
for m in (planar_pendulum(2).build(), random_tree(np.random.default_rng(5), 12, forces=False).build()):
    q, u = m.reference, np.full(m.n_u, 0.3)
    results += [m.forward_dynamics(q, u), m.forward_dynamics([q, q, q], u), m.mass_matrix(q), m.energies(q, u)]
    results += [m.point_jacobian(m.bodies[-1].name, q)]
print(len(compiled), *(float(x).hex() for r in results for x in r.ravel()))
"""


def work(directory: Path) -> tuple[int, list[str]]:
    """What a fresh process compiles and finds."""
    root = Path(__file__).parents[2]
    environment = os.environ | {
        "DALEMBERT_CACHE_DIR": str(directory),
        "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)]),
    }
    done = subprocess.run([sys.executable, "-c", WORKER], env=environment, capture_output=True, text=True, check=True)
    count, *values = done.stdout.split()
    return int(count), values


def test_a_second_process_compiles_nothing(tmp_path):
    first, found = work(tmp_path)
    again, same = work(tmp_path)
    assert first == len(list(tmp_path.glob("*.kernel"))) > 0
    assert again == 0 and found == same


def test_a_damaged_entry_is_compiled_again(tmp_path):
    _, found = work(tmp_path)
    victim = sorted(tmp_path.glob("*.kernel"))[0]
    victim.write_bytes(victim.read_bytes()[:-7])
    assert work(tmp_path) == (1, found)


def test_these_tests_leave_no_code_behind():
    assert cache_directory() is None


# -- addresses ---------------------------------------------------------------------------------------------------------------
NUMBERS = {
    "mass": 1.0, "com": 0.3, "inertia": 0.2, "product of inertia": 0.01, "place on parent": 0.7, "angle on parent": 0.4,
    "place on child": 0.5, "gravity": 9.81, "pitch": 0.2, "angle of axis": 0.6, "stiffness": 8.0, "rest length": 0.3,
    "point on body": 0.9, "load": 2.0, "in the force's function": 1.5, "in the law": 0.8, "damping": 0.1,
}  # fmt: skip
CHOICES: dict[str, list[Any]] = {
    "joint": [da.Revolute(), da.Prismatic((0, 0, 1)), da.Screw((0, 0, 1), pitch=0.7), da.Revolute((0, 0, -1))],
    "ball": [da.Spherical(), da.Spherical("angles")],
    "law": [lambda a, t: da.sin(a * t), lambda a, t: da.cos(a * t), lambda a, t: a * t, None],
    "force": [lambda a, s: da.sin(a * s.q["A"]), lambda a, s: da.sin(a * s.u["A"]), lambda a, s: da.sin(a * s.t)],
    "load": ["world", "body"],
    "parent": ["one", "ground"],
    "end": ["forward", "backward"],
    "parameter": [None, "k"],
    "loaded body": ["one", "two"],
}


def described(numbers: dict[str, float], choice: dict[str, Any]) -> da.Mechanism:
    """Three bodies in which each of the numbers and choices means something."""
    x = numbers
    s = da.System("keyed", gravity=(0, 0, -x["gravity"]))
    inertia = np.diag([x["inertia"], 0.25, 0.3])
    inertia[0, 1] = inertia[1, 0] = x["product of inertia"]
    s.add_body("one", mass=x["mass"], com=(0, x["com"], 0), inertia=inertia)
    s.add_body("two", da.box(1.0, (1, 2, 3)))
    s.add_body("three", da.box(2.0, (1, 1, 2)))
    turned = da.turn(np.array([1.0, 0.0, 0.0]), x["angle on parent"])
    s.add_joint("A", choice["joint"], "ground", "one", da.Frame((x["place on parent"], 0, 0), turned))
    ends = (choice["parent"], "two") if choice["end"] == "forward" else ("two", choice["parent"])
    s.add_joint("B", choice["ball"], *ends, at_child=(0, x["place on child"], 0))
    law = choice["law"]
    motion = None if law is None else lambda t: law(x["in the law"], t)
    axis = (np.cos(x["angle of axis"]), np.sin(x["angle of axis"]), 0.0)
    s.add_joint("C", da.Screw(axis, pitch=x["pitch"]), "two", "three", prescribed=motion)
    stiffness = x["stiffness"] if choice["parameter"] is None else s.parameter(choice["parameter"], x["stiffness"])
    s.add_force(
        "spring",
        da.Spring(("three", (x["point on body"], 0, 0)), "ground", stiffness=stiffness, length=x["rest length"]),
    )
    s.add_force("damper", da.JointSpring("A", damping=x["damping"]))
    s.add_force("load", da.Load((choice["loaded body"], (0.2, 0.1, 0.3)), force=(x["load"], 0, 0), axes=choice["load"]))
    s.add_force("motor", da.Motor("A", lambda s: choice["force"](x["in the force's function"], s)))
    return s.build()


KERNELS = ("forward_dynamics", "inverse_dynamics", "mass_matrix", "body_motion", "rates", "energies")


def code(m: da.Mechanism) -> tuple[str, ...]:
    """The addresses of the mechanism's kernels."""
    return tuple(getattr(Catalogue(m), name).module(1).address for name in KERNELS)


def key(numbers: dict[str, float] | None = None, choice: dict[str, Any] | None = None) -> tuple[str, ...]:
    first = {name: options[0] for name, options in CHOICES.items()}
    return code(described(NUMBERS | (numbers or {}), first | (choice or {})))


def test_equal_descriptions_have_equal_code():
    assert key() == key()


@settings(max_examples=examples(40), deadline=None)
@given(st.sampled_from(sorted(NUMBERS)), st.floats(1e-12, 1e-1), st.booleans())
def test_no_number_is_too_small_a_difference(name, change, up):
    assert key({name: NUMBERS[name] * (1.0 + change if up else 1.0 - change)}) != key()


@pytest.mark.parametrize("name", CHOICES)
def test_joints_laws_forces_and_connections_are_told_apart(name):
    keys = [key(choice={name: option}) for option in CHOICES[name]]
    assert len(set(keys)) == len(keys)


def test_the_value_of_a_parameter_is_an_input_and_not_part_of_the_code():
    assert key({"stiffness": 8.0}, {"parameter": "k"}) == key({"stiffness": 9.0}, {"parameter": "k"})
    assert key({"stiffness": 8.0}, {"parameter": None}) != key({"stiffness": 9.0}, {"parameter": None})


@pytest.mark.parametrize("change", ["order of parameters", "order of bodies"])
def test_the_order_of_inputs_and_outputs_matters(change):
    def made(swap: bool) -> tuple[str, ...]:
        s = da.System("ordered", gravity=(0, -9.81, 0))
        names = ["a", "b"][:: -1 if swap and change == "order of parameters" else 1]
        values = {name: s.parameter(name, 1.0) for name in names}
        bodies = ["one", "two"][:: -1 if swap and change == "order of bodies" else 1]
        for body in bodies:
            s.add_body(body, mass=values["a" if body == "one" else "b"], com=(1, 0, 0), inertia=(1, 1, 1))
            s.add_joint(f"on_{body}", da.Revolute(), "ground", body)
        return code(s.build())

    assert made(False) != made(True)


def test_kernels_of_one_mechanism_do_not_share_code(monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []
    monkeypatch.setattr(cache, "cached", lambda module: asked.append(module.address) or cached(module))
    m = described(NUMBERS, {name: options[0] for name, options in CHOICES.items()})
    q, u = m.reference, np.zeros(m.n_u)
    for states in (q, np.array([q, q])):
        m.forward_dynamics(states, u), m.inverse_dynamics(states, u, u), m.mass_matrix(states)
        m.energies(states, u), m.body_motion(states), m.kernels.rates(states)
        m.point_jacobian("one", states), m.point_jacobian(("one", (1, 0, 0)), states), m.point_jacobian("two", states)
    assert len(asked) == len(set(asked)) == 18
