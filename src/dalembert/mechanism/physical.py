"""Whether bodies stay physical at other values of the parameters: one value of each, or one for every state of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.mechanism.description import Description
from dalembert.parts.bodies import MassProperties, check_mass_properties
from dalembert.trace import evaluate, symbol
from dalembert.trace.graph import free_symbols

ROUNDING = 1e-9
"""Rounding of principal moments, beside the largest."""


def check_parameters(m: Description, given: Mapping[str, Any], where: str) -> None:
    """Mass and inertia that depend on the given values must be physical at all of them; the first that is not is named."""
    if not given:
        return
    values = {name: np.ravel(np.asarray(x, dtype=float)) for name, x in given.items()}
    for name, numbers in values.items():
        if not np.isfinite(numbers).all():
            raise ModelError(f'{where}: parameter "{name}" must be finite')
    count = max((len(x) for x in values.values()), default=1)
    if not all(len(x) for x in values.values()):
        return  # no states at all
    table = np.stack([np.broadcast_to(x, count) for x in values.values()], axis=1)
    new = np.flatnonzero(
        np.append([True], (table[1:] != table[:-1]).any(axis=1))
    )  # rows like the one before were examined
    values, count = dict(zip(values, table[new].T)), len(new)
    known = {symbol(k): v for k, v in m.parameters.items()} | {symbol(k): x for k, x in values.items()}
    for body in m.bodies:
        entries = [body.mass, *np.ravel(body.inertia)]
        if not {s.name for s in free_symbols(entries)} & set(values):
            continue
        rows = np.stack([np.broadcast_to(np.asarray(x, dtype=float), count) for x in evaluate(entries, known)], axis=1)
        for k in np.flatnonzero(~_physical(rows))[:1]:
            at = ", ".join(f"{name} = {x[k % len(x)]:g}" for name, x in values.items())
            try:
                check_mass_properties(MassProperties(rows[k, 0], np.zeros(3), rows[k, 1:].reshape(3, 3)), body.name)
            except ModelError as problem:
                raise ModelError(f"{where}, with {at}: {problem}") from None
        for k in np.flatnonzero(_without(rows))[:1]:
            m.with_parameters(
                **{name: float(x[k % len(x)]) for name, x in values.items()}
            )  # refuses what moves no mass


def _without(rows: np.ndarray) -> np.ndarray:
    """Where, in mass and inertia (K, 10), there is none of either."""
    gone: np.ndarray = (rows[:, 0] == 0.0) | (rows[:, 1:] == 0.0).all(axis=1)
    return gone


def _physical(rows: np.ndarray) -> np.ndarray:
    """A wide test of mass and inertia (K, 10), whose refusals `check_mass_properties` then examines."""
    mass, inertia = rows[:, 0], rows[:, 1:].reshape(-1, 3, 3)
    scale = np.abs(inertia).max(axis=(1, 2))
    moments = np.linalg.eigvalsh(0.5 * (inertia + inertia.transpose(0, 2, 1)))
    triangle = moments[:, 2] - moments[:, 0] - moments[:, 1] <= ROUNDING * scale
    good: np.ndarray = (mass >= 0.0) & (moments[:, 0] >= -ROUNDING * scale) & triangle & ((mass > 0.0) | (scale == 0.0))
    return good
