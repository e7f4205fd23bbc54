"""Random mechanisms with loops, stops, friction and contacts obey their laws, whatever the names, the formulation and the machine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dalembert as da

from ..effort import examples
from .random_laws import random_system
from .test_properties import check, check_accelerations

SHORT = 0.25
"""Seconds: long enough for impacts and slips, too short for chaos to magnify rounding."""
ALIKE = 1e-6
"""Part by which two ways of computing one motion may differ."""

seeds = st.integers(0, 2**32 - 1)


def begun(seed: int, loops: int) -> tuple[da.System, np.ndarray, np.ndarray]:
    """A random system that can move, and where it begins."""
    s, q, u = random_system(np.random.default_rng(seed), loops)
    assume(s.laws and s.build().mobility > 0)
    return s, q, u


def other_names_and_order(s: da.System) -> da.System:
    """The same laws under other names, the last first."""
    laws = list(s.laws.items())
    s.laws.clear()
    for k, (_, law) in enumerate(reversed(laws)):
        s.add_law(f"law{k}", law)
    return s


@settings(max_examples=examples(12), deadline=None)
@given(seeds, st.integers(0, 1))
def test_laws_hold_at_every_output(seed, loops):
    s, q, u = begun(seed, loops)
    m = s.build()
    motion = m.simulate(SHORT, q, u, max_events=2000)
    check(m, motion)
    check_accelerations(m, motion)


@settings(max_examples=examples(12), deadline=None)
@given(seeds, st.integers(0, 1), st.sampled_from(["names", "formulation", "target"]))
def test_the_motion_hangs_on_no_name_formulation_or_machine(seed, loops, what):
    s, q, u = begun(seed, loops)
    first = s.build().simulate(SHORT, q, u)
    if what == "names":
        other = (
            other_names_and_order(random_system(np.random.default_rng(seed), loops)[0]).build().simulate(SHORT, q, u)
        )
    elif what == "formulation":
        other = s.build().simulate(
            SHORT, q, u, formulation="lagrange", constraints="null_space_qr" if loops else "range_space"
        )
    else:
        other = s.build(target="x86-64").simulate(SHORT, q, u)
    size = max(1.0, float(np.abs(first.u).max()))
    assert len(other.impacts) == len(first.impacts)
    assert other.q[-1] == pytest.approx(first.q[-1], abs=ALIKE * size)
    assert other.u[-1] == pytest.approx(first.u[-1], abs=ALIKE * size)
