"""The methods by which equations of motion are written. To add one: write its file and add it here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, partial
from typing import Any, cast

import numpy as np

from dalembert.errors import FormulationError
from dalembert.formulations.equations import Equations
from dalembert.formulations.formulation import Formulation, LosesDigits, settled
from dalembert.formulations.in_linear_coordinates import InLinearCoordinates
from dalembert.formulations.in_other_variables import InOtherVariables
from dalembert.formulations.partial_linearisation import SmallCoordinates
from dalembert.formulations.partly_linear import PartlyLinear
from dalembert.formulations.printing.written_equations import WrittenEquations
from dalembert.formulations.with_armature import WithArmature, has_armature
from dalembert.mechanism.formulation_settings import FormulationSettings, SmallDeformations, formulation_name
from dalembert.parts.names import nearest
from dalembert.registry import Registry
from dalembert.trace import tracing

_TREE, _SYSTEM, _MOMENTA, _ABSOLUTE = (
    f"{__name__}.{room}" for room in ("tree", "system_frames", "momenta", "absolute")
)

FORMULATIONS: Registry[Formulation] = Registry(
    {
        "kane": f"{_TREE}.kane",
        "kane_minimal": f"{_TREE}.kane_minimal:KaneMinimal",
        "tisserand": f"{_TREE}.tisserand",
        "system_root": f"{_SYSTEM}.root_axes:RootAxes",
        "system_tisserand": f"{_SYSTEM}.tisserand_axes:TisserandAxes",
        "system_buckens": f"{_SYSTEM}.buckens_axes:BuckensAxes",
        "system_principal": f"{_SYSTEM}.principal_axes:PrincipalAxes",
        "dalembert": f"{_TREE}.dalembert:DAlembert",
        "lagrange": f"{_TREE}.lagrange",
        "boltzmann_hamel": f"{_TREE}.boltzmann_hamel",
        "momentum": f"{_MOMENTA}.momentum",
        "hamilton": f"{_MOMENTA}.hamilton",
        "path_matrix": f"{_TREE}.path_matrix",
        "recursive_newton_euler": f"{_TREE}.recursive_methods:RecursiveNewtonEuler",
        "composite_body": f"{_TREE}.recursive_methods:CompositeBody",
        "articulated_body": f"{_TREE}.recursive_methods:ArticulatedBody",
        "newton_euler": f"{_ABSOLUTE}.newton_euler",
        "newton_euler_nodal": f"{_ABSOLUTE}.nodal",
        "newton_euler_forces": f"{_ABSOLUTE}.newton_euler_forces",
        "newton_euler_rotations_forces": f"{_ABSOLUTE}.rotations_forces",
        "newton_euler_rotations": f"{_ABSOLUTE}.rotations",
        "newton_euler_root": f"{_ABSOLUTE}.root",
        "barycentric": f"{_ABSOLUTE}.barycentric",
        "hooker": f"{_ABSOLUTE}.hooker",
        "gauss": f"{_ABSOLUTE}.gauss",
        "gauss_penalty": f"{_ABSOLUTE}.gauss_penalty:PenalisedGauss",
    }
)
"""Imported when first asked for."""


def write(
    m: Any, formulation: str | FormulationSettings, parameters: str, small: Iterable[str] | Mapping[str, Any] = ()
) -> WrittenEquations:
    """Trace a formulation over symbols, to first degree in the coordinates that are named as small."""
    if isinstance(formulation, SmallDeformations):
        small, formulation = (*formulation.small, *small), formulation.by
    form = suitable(m, formulation)
    named = SmallCoordinates.named(m, small) if small else None
    with tracing():
        m = m.symbolic_state(parameters).mechanism
        made = WrittenEquations.traced(formulation_name(formulation), settled(form, m), m)
        return made if named is None else made.truncated(named)


def suitable(m: Any, said: str | FormulationSettings) -> Formulation:
    """The formulation of this name, or with these settings, if it can write this mechanism's equations."""
    name = formulation_name(said)
    check_known(name)
    form = for_mechanism(m, said)
    why = form.refusal(m)
    if why is not None:
        raise FormulationError(f'mechanism "{m.name}" has no equations by {name!r}: {why}')
    return form


def for_mechanism(m: Any, said: str | FormulationSettings) -> Formulation:
    """The formulation of this name; in the variables that it knows, where the mechanism has others."""
    if isinstance(said, SmallDeformations):
        check_known(said.by)
        return cast(Formulation, PartlyLinear(for_mechanism(m, said.by), said))
    taken = getattr(FORMULATIONS[formulation_name(said)], "takes_variables", "of joints")
    wrapped = has_armature(m) and not getattr(FORMULATIONS[formulation_name(said)], "takes_armature", False)
    if m.variables is None or taken == "all":
        return cast(Formulation, _with_armature(said)) if wrapped else _found(said)
    return cast(Formulation, _in_other_variables(said, taken, wrapped))


@cache
def _with_armature(said: str | FormulationSettings) -> WithArmature:
    return WithArmature(partial(_found, said))


@cache
def _in_other_variables(said: str | FormulationSettings, taken: str, wrapped: bool) -> InOtherVariables:
    found: Any = partial(_in_linear_coordinates if taken == "internal coordinates" else _found, said)
    return InOtherVariables(partial(WithArmature, found) if wrapped else found, taken == "of joints")


def _in_linear_coordinates(said: str | FormulationSettings) -> InLinearCoordinates:
    return InLinearCoordinates(_found(said))


def _found(said: str | FormulationSettings) -> Formulation:
    found: Any = FORMULATIONS[formulation_name(said)]
    return cast(Formulation, found if isinstance(said, str) else found.with_settings(said))


def formulation_named(m: Any, said: str | FormulationSettings, poses: Any = ()) -> Formulation:
    """The formulation of this name, or with these settings, if it can write this mechanism's equations; a choice of speeds is settled,
    at poses if given, and what rounding takes there is said."""
    form = settled(suitable(m, said), m, poses)
    if isinstance(form, LosesDigits):
        for q, t in poses:
            form.warn_of_rounding(form.state(m.numeric, t, q, np.zeros(len(form.speeds(m)))))
    return form


def check_known(name: str) -> None:
    """There is a formulation of this name."""
    if name not in FORMULATIONS:
        raise FormulationError(f"there is no formulation {name!r}; {nearest(name, FORMULATIONS, 'choose one of')}")


__all__ = [
    "FORMULATIONS",
    "Equations",
    "Formulation",
    "WrittenEquations",
    "check_known",
    "for_mechanism",
    "suitable",
    "write",
]
