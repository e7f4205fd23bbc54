"""A slice of the gate: random mechanisms of every kind, all formulations with all constraint methods, no disagreement without words."""

from __future__ import annotations

import pytest

from benchmarks.agreement import examine, examined
from tests.invariance.cases import KINDS, LUMPED, drawn


def test_all_formulations_with_all_methods_agree_or_refuse_in_words():
    for number in range(len(KINDS) + len(LUMPED)):
        tally = examined(number)
        assert not tally.faults, tally.faults
        assert tally.pairs["agreed"] >= 8


@pytest.mark.parametrize(("kind", "seed"), [("loops", 5), ("redundant loops", 4)])
def test_those_that_once_disagreed(kind, seed):
    """Loops between welded bodies, whose rows are nothing; rows that nearly depend on each other."""
    tally = examine(drawn(kind, seed))
    assert not tally.faults, tally.faults


def test_the_penalty_in_machine_code_is_as_near_as_on_numbers():
    """Of rows that are said twice machine code takes one: a penalty half as stiff, and still an approximation of the same motion."""
    tally = examine(drawn("loops", 2475, small=True), compiled=True)
    assert not tally.faults, tally.faults
