"""Ways of solving A u̇ + Bᵀλ = f together with B u̇ = γ. To add one: write its file and add it here.

Every method returns the accelerations and the multipliers; where rows of B depend on each other the accelerations are still unique, and
the multipliers are those of least norm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dalembert.constraints.methods.solution import Solution
from dalembert.errors import FormulationError
from dalembert.parts.names import nearest
from dalembert.registry import Registry

if TYPE_CHECKING:
    from dalembert.constraints.methods.compiled import Emit
    from dalembert.constraints.methods.explained import ConstrainedEquations
    from dalembert.formulations.printing.quantity import Quantity

MODULES = (
    "augmented",
    "sparse_augmented",
    "range_space",
    "range_space_svd",
    "zero_eigenvalues",
    "null_space_qr",
    "svd",
    "partition",
    "penalty",
    "proximal",
)
"""Imported when first asked for."""

METHODS: Registry[Callable[[Any], Solution]] = Registry({name: f"{__name__}.methods.{name}:solve" for name in MODULES})
"""On numbers, at one state."""

COMPILED: Registry[Emit] = Registry({name: f"{__name__}.methods.{name}:emit" for name in MODULES})
"""The same in machine code (see `methods/compiled.py`)."""

EXPLAIN: Registry[Callable[[ConstrainedEquations], list[Quantity]]] = Registry(
    {name: f"{__name__}.methods.{name}:explain" for name in MODULES}
)
"""The matrices of a method by name, in symbols or in numbers."""


def method(name: str) -> Callable[[Any], Solution]:
    """The method of this name."""
    check_constraint_method(name)
    return METHODS[name]


def check_constraint_method(name: str) -> None:
    """There is a method of this name."""
    if name not in METHODS:
        raise FormulationError(f"there is no constraint method {name!r}; {nearest(name, METHODS, 'choose one of')}")


__all__ = ["COMPILED", "EXPLAIN", "METHODS", "Solution", "check_constraint_method", "method"]
