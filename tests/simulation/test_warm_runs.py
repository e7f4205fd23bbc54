"""A run on a mechanism that has run before, in whatever ways, is to the last bit that of a new one: nothing remembered is another's."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from tests.effort import examples
from tests.kernels.test_verified import four_bar
from tests.simulation.models import chain

LOOP: dict[str, dict[str, Any]] = {
    "usual": {},
    "looser": {"rtol": 1e-6},
    "rk4": {"method": "rk4", "step": 0.01},
    "radau": {"method": "radau"},
    "an event": {"events": [lambda s: s.q["A"] - 1.05]},
    "two events": {"events": [lambda s: s.q["A"] - 1.05, lambda s: s.q["D"]]},
    "ended": {"until": lambda s: s.q["A"] - 1.06},
    "baumgarte": {"stabilise": "baumgarte"},
    "unstabilised": {"stabilise": "none"},
    "svd": {"constraints": "svd"},
    "lagrange": {"formulation": "lagrange"},
    "independent": {"formulation": "kane_minimal"},
    "other length": {"parameters": {"length": 1.1}},
    "controlled": {"control": lambda s: {"A": -s.u["A"]}, "control_rate": 100.0},
}
TREE: dict[str, dict[str, Any]] = {
    name: {k: v for k, v in LOOP[name].items() if k not in ("events", "until")}
    for name in ("usual", "looser", "rk4", "radau", "lagrange")
} | {"midpoint": {"method": "midpoint", "step": 0.01}, "later": {"start": 1.0}}


def bits(m: da.Mechanism, initial: Any, speeds: Any, options: dict[str, Any]) -> list[bytes]:
    x = m.simulate(0.1, initial, speeds, output=0.05, **options)
    return [np.asarray(part).tobytes() for part in (x.t, x.q, x.u, x.forces)] + [repr(x.record["options"]).encode()]


@cache
def new_loop(name: str) -> list[bytes]:
    return bits(four_bar(), {"A": 1.0}, {"A": 2.0}, LOOP[name])


@cache
def new_tree(name: str) -> list[bytes]:
    return bits(chain(4), None, None, TREE[name])


@settings(max_examples=examples(5))
@given(st.lists(st.sampled_from(sorted(LOOP)), min_size=3, max_size=8))
def test_loops_run_as_if_they_had_never_run(names):
    m = four_bar()
    for name in names:
        assert bits(m, {"A": 1.0}, {"A": 2.0}, LOOP[name]) == new_loop(name), name


@settings(max_examples=examples(4))
@given(st.lists(st.sampled_from(sorted(TREE)), min_size=3, max_size=6))
def test_trees_run_as_if_they_had_never_run(names):
    m = chain(4)
    for name in names:
        assert bits(m, None, None, TREE[name]) == new_tree(name), name
