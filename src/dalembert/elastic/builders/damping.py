"""Damping of an elastic body: Rayleigh's, or a ratio for every mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.elastic.body import ElasticBody
from dalembert.elastic.builders.data import array, computed, not_negative
from dalembert.errors import ModelError


@computed
def rayleigh(body: ElasticBody, mass: float = 0.0, stiffness: float = 0.0) -> ElasticBody:
    """De = mass · Me + stiffness · Ke."""
    mass, stiffness = not_negative(mass, "rayleigh: mass"), not_negative(stiffness, "rayleigh: stiffness")
    return body.damped(mass * body.Me + stiffness * body.Ke)


@computed
def modal(body: ElasticBody, ratios: Any) -> ElasticBody:
    """De with the given part of critical damping in every natural mode, lowest first; one number for all."""
    from scipy.linalg import eigh

    several = (isinstance(ratios, Sequence) and not isinstance(ratios, str)) or np.shape(ratios) != ()
    given = array(ratios, (None,) if several else (), "modal damping: ratios")
    if given.shape not in ((), (body.n,)) or not np.all(given >= 0.0):
        raise ModelError(f"modal damping: give one ratio, or {body.n} of them, none negative; not {ratios!r}")
    squares, V = eigh(body.Ke, body.Me)
    weighed = body.Me @ V
    return body.damped(weighed * (2.0 * given * np.sqrt(np.maximum(squares, 0.0))) @ weighed.T)
