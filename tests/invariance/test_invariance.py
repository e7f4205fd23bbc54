"""The same verdict and the same motion, however a mechanism is said: by other names, in another order, other units, elsewhere.

`DALEMBERT_INVARIANCE=n` asks n mechanisms of every kind in every way, in machine code as well; without it, a slice of them.
"""

from __future__ import annotations

import os

import pytest

from tests.invariance.answers import compiled, differences, quick, reference
from tests.invariance.cases import KINDS, drawn
from tests.invariance.cases_with_elements import EQUIPPED
from tests.invariance.cases_with_laws import CHOSEN, LAWFUL
from tests.invariance.transformations import TRANSFORMATIONS, said_anew

MANY = int(os.environ.get("DALEMBERT_INVARIANCE", "0"))
ALL = [*KINDS, *LAWFUL, *CHOSEN, *EQUIPPED]
EVERY = [(kind, how) for kind in ALL for how in TRANSFORMATIONS]
SLICE = [
    ("planar ring", "names exchanged"),
    ("URDF", "mm, g, ms"),
    ("tree", "another order"),
    ("shafts", "mm, g, ms"),
    ("sums and differences", "world turned"),
]


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("seed", range(max(1, MANY)))
def test_verdicts_and_accelerations_do_not_hang_on_how_it_is_said(kind: str, seed: int) -> None:
    """On numbers, in every way; in a slice, in every other one."""
    ways = list(TRANSFORMATIONS) if MANY else list(TRANSFORMATIONS)[ALL.index(kind) % 2 :: 2]
    case = drawn(kind, seed)
    before = reference(case, quick)
    found = {}
    for how in ways:
        anew = said_anew(case, how)
        off = differences(before, quick(anew), how) if anew is not None else []
        if off:
            found[how] = off
    assert not found, f"{case}: {found}"


@pytest.mark.parametrize(("kind", "how"), EVERY if MANY else SLICE)
def test_motion_reactions_and_events_do_not_hang_on_how_it_is_said(kind: str, how: str) -> None:
    """In machine code, over a short motion."""
    for seed in range(max(1, MANY)):
        case = drawn(kind, seed)
        anew = said_anew(case, how)
        found = differences(reference(case, compiled), compiled(anew), how) if anew is not None else []
        assert not found, f"{case}, {how}: {found}"
