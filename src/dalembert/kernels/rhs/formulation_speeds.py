"""A formulation as kernels know it: by name, with its choice of speeds settled, and the symbols of its speeds w."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations import FORMULATIONS, Formulation, suitable
from dalembert.formulations.formulation import settled
from dalembert.mechanism import Mechanism
from dalembert.trace import symbol, symbols, tracing


def formulation_named(m: Mechanism, name: str, poses: Any = ()) -> Formulation:
    """The formulation of this name, if it can write this mechanism's equations; a choice of speeds is settled, at poses if given."""
    return settled(suitable(m, name), m, poses)


def settled_choice(form: Formulation, m: Mechanism) -> tuple[Any, ...]:
    """What code depends on of a formulation: itself, or its kind and the choice of speeds that is settled; and parameters' values.

    By these some formulations look for bodies without inertia; Kane's equations never do.
    """
    choice = getattr(form, "choice", None)
    values = () if form is FORMULATIONS["kane"] else tuple(m.parameters.values())
    return (form, None, values) if choice is None else (type(form), choice, values)


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
