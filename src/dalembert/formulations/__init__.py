"""The methods by which equations of motion are written. To add one: write its file and add it here."""

from __future__ import annotations

from typing import Any

from dalembert.errors import FormulationError
from dalembert.formulations.equations import Equations
from dalembert.formulations.formulation import Formulation, settled
from dalembert.formulations.written import WrittenEquations
from dalembert.registry import Registry
from dalembert.system.names import nearest
from dalembert.trace import tracing

_HERE, _ABSOLUTE, _RECURSIVE = (
    "dalembert.formulations",
    "dalembert.formulations.absolute",
    "dalembert.formulations.recursive",
)

FORMULATIONS: Registry[Formulation] = Registry(
    {
        "kane": f"{_HERE}.kane",
        "kane_minimal": f"{_HERE}.kane_minimal:KaneMinimal",
        "tisserand": f"{_HERE}.tisserand",
        "dalembert": f"{_HERE}.dalembert:DAlembert",
        "lagrange": f"{_HERE}.lagrange",
        "boltzmann_hamel": f"{_HERE}.boltzmann_hamel",
        "momentum": f"{_HERE}.momentum",
        "hamilton": f"{_HERE}.hamilton",
        "path_matrix": f"{_HERE}.path_matrix",
        "recursive_newton_euler": f"{_RECURSIVE}:RecursiveNewtonEuler",
        "composite_body": f"{_RECURSIVE}:CompositeBody",
        "articulated_body": f"{_RECURSIVE}:ArticulatedBody",
        "newton_euler": f"{_ABSOLUTE}.newton_euler",
        "newton_euler_nodal": f"{_ABSOLUTE}.nodal",
        "newton_euler_forces": f"{_ABSOLUTE}.forces",
        "newton_euler_rotations_forces": f"{_ABSOLUTE}.rotations_forces",
        "newton_euler_rotations": f"{_ABSOLUTE}.rotations",
        "barycentric": f"{_ABSOLUTE}.barycentric",
        "hooker": f"{_ABSOLUTE}.hooker",
        "gauss": f"{_ABSOLUTE}.gauss",
        "gauss_penalty": f"{_ABSOLUTE}.gauss_penalty",
    }
)
"""Imported when first asked for."""


def write(m: Any, formulation: str, parameters: str) -> WrittenEquations:
    """Trace a formulation over symbols."""
    form = suitable(m, formulation)
    with tracing():
        m = m.symbolic_state(parameters).mechanism
        return WrittenEquations.traced(formulation, settled(form, m), m)


def suitable(m: Any, name: str) -> Formulation:
    """The formulation of this name, if it can write this mechanism's equations."""
    check_known(name)
    why = FORMULATIONS[name].refusal(m)
    if why is not None:
        raise FormulationError(f'mechanism "{m.name}" has no equations by {name!r}: {why}')
    return FORMULATIONS[name]


def check_known(name: str) -> None:
    """There is a formulation of this name."""
    if name not in FORMULATIONS:
        raise FormulationError(f"there is no formulation {name!r}; {nearest(name, FORMULATIONS, 'choose one of')}")


__all__ = ["FORMULATIONS", "Equations", "Formulation", "WrittenEquations", "check_known", "suitable", "write"]
