"""The methods by which equations of motion are written. To add one: write its file and add it here."""

from __future__ import annotations

from typing import Any

from dalembert.errors import FormulationError
from dalembert.formulations import (
    boltzmann_hamel,
    dalembert,
    hamilton,
    kane,
    kane_minimal,
    lagrange,
    momentum,
    path_matrix,
)
from dalembert.formulations.absolute import (
    barycentric,
    forces,
    gauss,
    gauss_penalty,
    hooker,
    newton_euler,
    rotations,
    rotations_forces,
)
from dalembert.formulations.equations import Equations
from dalembert.formulations.formulation import Formulation
from dalembert.formulations.recursive import ArticulatedBody, CompositeBody, RecursiveNewtonEuler
from dalembert.formulations.written import WrittenEquations
from dalembert.trace import tracing

FORMULATIONS: dict[str, Formulation] = {
    "kane": kane,
    "kane_minimal": kane_minimal,
    "dalembert": dalembert,
    "lagrange": lagrange,
    "boltzmann_hamel": boltzmann_hamel,
    "momentum": momentum,
    "hamilton": hamilton,
    "path_matrix": path_matrix,
    "recursive_newton_euler": RecursiveNewtonEuler(),
    "composite_body": CompositeBody(),
    "articulated_body": ArticulatedBody(),
    "newton_euler": newton_euler,
    "newton_euler_forces": forces,
    "newton_euler_rotations_forces": rotations_forces,
    "newton_euler_rotations": rotations,
    "barycentric": barycentric,
    "hooker": hooker,
    "gauss": gauss,
    "gauss_penalty": gauss_penalty,
}


def write(m: Any, formulation: str, parameters: str) -> WrittenEquations:
    """Trace a formulation over symbols."""
    if formulation not in FORMULATIONS:
        raise FormulationError(f"there is no formulation {formulation!r}; choose one of {', '.join(FORMULATIONS)}")
    why = FORMULATIONS[formulation].refusal(m)
    if why is not None:
        raise FormulationError(f'mechanism "{m.name}" has no equations by {formulation!r}: {why}')
    with tracing():
        m = m.symbolic_state(parameters).mechanism
        return WrittenEquations.traced(formulation, FORMULATIONS[formulation], m)


__all__ = ["FORMULATIONS", "Equations", "Formulation", "WrittenEquations", "write"]
