"""Ways of solving A u̇ + Bᵀλ = f together with B u̇ = γ. To add one: write its file and add it here.

Every method returns the accelerations and the multipliers; where rows of B depend on each other the accelerations are still unique, and
the multipliers are those of least norm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dalembert.constraints import (
    augmented,
    null_space_qr,
    partition,
    penalty,
    proximal,
    range_space,
    sparse_augmented,
    svd,
    zero_eigenvalues,
)
from dalembert.constraints.solution import Solution
from dalembert.errors import FormulationError

METHODS: dict[str, Callable[[Any], Solution]] = {
    "augmented": augmented.solve,
    "sparse_augmented": sparse_augmented.solve,
    "range_space": range_space.solve,
    "zero_eigenvalues": zero_eigenvalues.solve,
    "null_space_qr": null_space_qr.solve,
    "svd": svd.solve,
    "partition": partition.solve,
    "penalty": penalty.solve,
    "proximal": proximal.solve,
}


def method(name: str) -> Callable[[Any], Solution]:
    """The method of this name."""
    if name not in METHODS:
        raise FormulationError(f"there is no constraint method {name!r}; choose one of {', '.join(METHODS)}")
    return METHODS[name]


__all__ = ["METHODS", "Solution", "method"]
