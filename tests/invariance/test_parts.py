"""A mechanism is what it is alone, whatever stands beside it: each connected part is measured by its own length."""

from __future__ import annotations

import os

import pytest

from dalembert.constraints import METHODS
from tests.invariance.beside import APPROXIMATE, beside
from tests.invariance.cases import KINDS

MANY = int(os.environ.get("DALEMBERT_INVARIANCE", "0"))
SIZES = (1e-6, 1e-3, 1e3, 1e6)
EXACT = [name for name in METHODS if name not in APPROXIMATE]
NAMES = [kind for kind in KINDS if kind != "prescribed tree"]  # at another time it is another mechanism


def _pairs(asked: str) -> list[tuple[str, str, int, float]]:
    """Every kind beside another, each with a size; many times over for a long run, a third of them where CI is set."""
    shift = {"numbers": 5, "motion": 3}[asked]
    every = [
        (kind, NAMES[(i + shift + seed) % len(NAMES)], seed, SIZES[(i + seed) % len(SIZES)])
        for seed in range(max(1, MANY))
        for i, kind in enumerate(NAMES)
    ]
    fewer = {"numbers": 1, "motion": 3}[asked] * (3 if os.environ.get("CI") else 1)
    return every if MANY else every[::fewer]


@pytest.mark.parametrize(("first", "second", "seed", "size"), _pairs("numbers"))
def test_verdicts_and_accelerations_are_those_of_each_alone(first: str, second: str, seed: int, size: float) -> None:
    x = beside(first, second, seed, size)
    assert len(x.mechanism.parts) >= 2
    assert not [*x.verdicts(), *x.assembly(), *x.accelerations()], (first, second, size)


@pytest.mark.parametrize(("first", "second", "seed", "size"), _pairs("motion"))
def test_motions_and_equilibria_are_those_of_each_alone(first: str, second: str, seed: int, size: float) -> None:
    x = beside(first, second, seed, size)
    by = EXACT[(NAMES.index(first) + seed) % len(EXACT)]
    assert not [*x.compiled(by), *x.motion(), *x.equilibrium()], (first, second, size)
