"""Damping of an elastic body: Rayleigh's, or a ratio for every mode."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.elastic.body import ElasticBody
from dalembert.errors import ModelError


def rayleigh(body: ElasticBody, mass: float = 0.0, stiffness: float = 0.0) -> ElasticBody:
    """De = mass · Me + stiffness · Ke."""
    return body.damped(mass * body.Me + stiffness * body.Ke)


def modal(body: ElasticBody, ratios: Any) -> ElasticBody:
    """De with the given part of critical damping in every natural mode, lowest first; one number for all."""
    from scipy.linalg import eigh

    given = np.broadcast_to(np.asarray(ratios, dtype=float), (body.n,)) if np.ndim(ratios) in (0, 1) else ratios
    if np.shape(given) != (body.n,) or np.any(np.asarray(given) < 0.0):
        raise ModelError(f"modal damping: give one ratio, or {body.n} of them, none negative; not {ratios!r}")
    squares, V = eigh(body.Ke, body.Me)
    weighed = body.Me @ V
    return body.damped(weighed * (2.0 * given * np.sqrt(np.maximum(squares, 0.0))) @ weighed.T)
