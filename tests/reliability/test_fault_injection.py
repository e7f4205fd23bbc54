"""A slice of the gate: a fault of the machine leaves the right answer or a sentence, and no half file."""

from __future__ import annotations

import pytest

from benchmarks.fault_injection import ALL, Injections

QUICK = [
    "killed while an entry of the cache is moved in",
    "cache with flipped bits",
    "cache with entries of another model under these names",
    "two processes on one cold cache",
    "interrupted while it marches",
]


@pytest.fixture(scope="module")
def injections():
    made = Injections(seed=1)
    yield made
    made.close()


@pytest.mark.parametrize("name", QUICK)
def test_faults_do_no_harm(injections, name):
    assert ALL[name](injections) in ("right", "announced")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ALL if name not in QUICK])
def test_other_faults_do_no_harm(injections, name):
    assert ALL[name](injections) in ("right", "announced")
