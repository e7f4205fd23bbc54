"""Claims about memory: what is computed of a mechanism goes with it."""

from __future__ import annotations

import gc
import weakref

import pytest

from benchmarks.agreement import examine
from tests.invariance.cases import LUMPED, drawn


@pytest.mark.parametrize("kind", ["loops", "rolling", "elastic tree", *LUMPED])
def test_a_mechanism_is_forgotten_after_all_formulations_and_methods(kind):
    case = drawn(kind, 3, small=True)
    assert not examine(case).faults
    left = [weakref.ref(case.mechanism), weakref.ref(case.mechanism.numeric)]
    del case
    gc.collect()
    assert [ref() for ref in left] == [None, None]
