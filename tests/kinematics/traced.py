"""Differentiating a mechanism's motion by its trace: the yardstick for everything the recursions compute."""

from __future__ import annotations

from typing import Any

import numpy as np

import dalembert as da
from dalembert.trace import directional, evaluate, jacobian, symbol, tracing


class Traced:
    """The symbolic motion of a mechanism, to be differentiated and then evaluated at numbers."""

    def __init__(self, m: da.Mechanism, quantity: Any):
        """`quantity(state)` gives a flat list of scalars."""
        with tracing():
            s = m.symbolic_state("numbers")
            self.outputs = np.array([x for part in quantity(s) for x in np.ravel(part)], dtype=object)
            self.q, self.u, self.t = s.coordinates, s.speeds, symbol("t")
            self.rates = dict(zip(self.q, s.rates))

    def values(self, expressions: Any, at: tuple) -> np.ndarray:
        q, u, t = at
        return np.asarray(evaluate(expressions, {self.t: t} | dict(zip(self.q, q)) | dict(zip(self.u, u))), dtype=float)

    def by_speeds(self, at: tuple) -> np.ndarray:
        """∂/∂u."""
        return self.values(self._by_speeds(), at)

    def by_speeds_rate(self, at: tuple) -> np.ndarray:
        """d/dt ∂/∂u."""
        return self.values(directional(self._by_speeds(), {self.t: 1.0} | self.rates), at)

    def rate(self, at: tuple, udot: Any) -> np.ndarray:
        """d/dt, where the free speeds change at the rate u̇."""
        return self.values(directional(self.outputs, {self.t: 1.0} | self.rates | dict(zip(self.u, udot))), at)

    def _by_speeds(self) -> np.ndarray:
        return jacobian(self.outputs, list(self.u))
