"""A formulation as kernels know it: by name, with its choice of speeds settled, and the symbols of its speeds w."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations import FORMULATIONS, Formulation, suitable
from dalembert.formulations.formulation import settled
from dalembert.formulations.tree.independent_speeds import InIndependentSpeeds
from dalembert.mechanism import Mechanism
from dalembert.mechanism.formulation_settings import FormulationSettings
from dalembert.trace import symbol, symbols, tracing


def formulation_named(m: Mechanism, said: str | FormulationSettings, poses: Any = ()) -> Formulation:
    """The formulation of this name, or with these settings, if it can write this mechanism's equations; a choice of speeds is settled,
    at poses if given."""
    return settled(suitable(m, said), m, poses)


def settled_choice(form: Formulation, m: Mechanism) -> tuple[Any, ...]:
    """What code depends on of a formulation: itself, or its kind, the choice of speeds that is settled and the decay of gaps; and
    parameters' values.

    By these some formulations look for bodies without inertia; Kane's equations never do.
    """
    values = () if form is FORMULATIONS["kane"] else tuple(m.parameters.values())
    if not isinstance(form, InIndependentSpeeds):
        return form, None, values
    return type(form), form.choice, form.decay, values


def uses_mechanism_speeds(m: Mechanism, form: Formulation) -> bool:
    """Whether w is u."""
    if len(form.speeds(m)) != m.n_u:
        return False
    with tracing():
        w = formulation_speed_symbols(form, m)
        u = form.state(m, symbol("t"), symbols("q_", m.coordinates), w).speeds
        return all(a is b for a, b in zip(u, w))


def formulation_speed_symbols(form: Formulation, m: Mechanism) -> np.ndarray:
    """Symbols of w."""
    return symbols("#w.", range(len(form.speeds(m))))
