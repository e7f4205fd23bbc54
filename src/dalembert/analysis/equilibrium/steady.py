"""A mechanism in equilibrium at many values of parameters and speeds, compiled once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.equilibrium.find_equilibrium import found_from, searches
from dalembert.analysis.linear.linearisation import Linearisation
from dalembert.analysis.linear.linearise import Linearised
from dalembert.errors import ModelError
from dalembert.mechanism import Mechanism

if TYPE_CHECKING:
    from dalembert.aliases import JointValues


class SteadyMotions:
    """`names` are parameters, or speeds that are kept constant; equilibria are followed from value to value."""

    def __init__(
        self, m: Mechanism, names: Sequence[str], initial: JointValues | None, speeds: Mapping[str, Any] | None,
        find: Mapping[str, Any] | None, hold: Sequence[str], t: float,
    ):  # fmt: skip
        for name in names:
            if name not in m.parameters and name not in m.speeds:
                raise ModelError(
                    f'"{name}" is neither a parameter ({", ".join(m.parameters) or "there are none"}) nor a speed '
                    f"({', '.join(m.speeds[:12])}{', …' if m.n_u > 12 else ''})"
                )
        self.m, self.names, self.initial, self.find, self.t = m, list(names), initial, find, t
        self.speeds = {**(speeds or {}), **{name: 0.0 for name in names if name in m.speeds}}
        self.searches = searches(m, self.speeds, find, hold, t)
        self.small_motions = Linearised(m, (), {})
        self._last: np.ndarray | None = None
        self._unsteady = False

    def at(self, *values: float) -> Linearisation:
        """Small motions about the equilibrium at these values of the names."""
        given = dict(zip(self.names, map(float, values)))
        parameters = {k: v for k, v in given.items() if k in self.m.parameters}
        speeds = self.speeds | {k: v for k, v in given.items() if k in self.m.speeds}
        every = [search.with_values(parameters) for search in self.searches]
        start = self.initial if self._last is None else self._last
        found = found_from(self.m, every, start, speeds, self.find, 1, 0)
        self._last = found.q
        return self.small_motions.at(found.q, found.u, self.t, found.tau, parameters)

    def eigenvalues(self, *values: float) -> np.ndarray:
        """As many as states: zero for displacements that nothing depends on. Values are examined until one is unsteady and says so."""
        lin = self.at(*values)
        if not self._unsteady:
            _ = lin.eigenvalues  # warns
            self._unsteady = not lin.steady
        return _padded(lin)

    def roots(self, *values: float) -> np.ndarray:
        """The eigenvalues between values that were examined."""
        return _padded(self.at(*values))


def _padded(lin: Linearisation) -> np.ndarray:
    return np.concatenate([lin.roots, np.zeros(len(lin.A) - len(lin.roots))])
