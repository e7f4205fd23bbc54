"""The same verdict and the same motion, however a mechanism is said: by other names, in another order, other units, elsewhere.

`DALEMBERT_INVARIANCE=n` asks n mechanisms of every kind in every way, in machine code as well; without it, a slice of them.
"""

from __future__ import annotations

import os

import pytest

from tests.invariance.answers import compiled, differences, quick, reference
from tests.invariance.cases import KINDS, drawn
from tests.invariance.known import known
from tests.invariance.transformations import TRANSFORMATIONS, said_anew

MANY = int(os.environ.get("DALEMBERT_INVARIANCE", "0"))
WAYS = list(TRANSFORMATIONS)
SLICE = [(kind, how) for i, kind in enumerate(KINDS) for how in [WAYS[i % len(WAYS)]]]
"""A kind and a way each, so that all kinds and all ways are met."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(max(1, MANY)))
def test_verdicts_and_accelerations_do_not_hang_on_how_it_is_said(kind: str, seed: int) -> None:
    """Every way at once, on numbers."""
    case = drawn(kind, seed)
    before = reference(case, quick)
    found = {}
    for how in WAYS:
        anew = said_anew(case, how)
        if anew is not None:
            off = differences(before, quick(anew), how)
            if off and not known(kind, how):
                found[how] = off
    assert not found, f"{case}: {found}"


@pytest.mark.parametrize(("kind", "how"), [(k, h) for k in KINDS for h in WAYS] if MANY else SLICE)
def test_motion_reactions_and_events_do_not_hang_on_how_it_is_said(kind: str, how: str) -> None:
    """In machine code, over a short motion."""
    if reason := known(kind, how):
        pytest.xfail(reason)
    for seed in range(max(1, MANY)):
        case = drawn(kind, seed)
        anew = said_anew(case, how)
        if anew is not None:
            found = differences(reference(case, compiled), compiled(anew), how)
            assert not found, f"{case}, {how}: {found}"
