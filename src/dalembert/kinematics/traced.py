"""Functions of (t, q, q̇) that need derivatives: traced once per mechanism, evaluated in any state.

On a numeric state the graph is walked, and after a few times compiled to Python; on a traced one it is substituted.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np

from dalembert.framed import short_axes
from dalembert.kinematics import totals
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.trace import (
    Expr,
    Nodes,
    NumericFunction,
    count_operations,
    gradient,
    substitute,
    symbol,
    symbols,
    tracing,
)

Make = Callable[[Mechanism, Expr, np.ndarray, np.ndarray], Any]
"""(mechanism, t, q, rates) → an object with expressions as attributes; q and rates are symbols, to differentiate in them."""


WORTH_TRYING = 50_000
"""Operations up to which a computation is traced in short axes as well: beyond, world axes take fewer."""

T = TypeVar("T")


def shortest(make: Callable[[], T], outputs: Callable[[T], Any]) -> T:
    """What is traced, in world axes or in short ones, whichever takes fewer operations for its outputs."""
    with short_axes(False):
        made = make()
    most = count_operations(outputs(made)).total
    if most > WORTH_TRYING:
        return made
    with short_axes():
        short = make()
    return short if count_operations(outputs(short)).total < most else made


def moves_in_short_axes(m: Mechanism) -> bool:
    """Whether the momenta of a mechanism take fewer operations in short axes. All its energies are then taken in these: where
    coordinates obey a condition, slopes across it hang on how an energy is written, and must belong to one and the same.

    What a mechanism has in place of its joints' variables is taken in the world's axes."""
    if m.variables is not None:
        return False

    def momenta() -> np.ndarray:
        u = symbols("u_", m.speeds)
        return gradient(totals.kinetic_energy(State(m, symbol("t"), symbols("q_", m.coordinates), u)), list(u))

    with tracing():
        with short_axes(False):
            plain = count_operations(momenta()).total
        with short_axes():
            return count_operations(momenta()).total < plain


class TracedSource:
    """What `make` computes of every mechanism, each attribute traced when it is first asked for, what they share once.

    `rate_names` names the last argument of `make`, whatever it stands for (q̇, or the speeds u).
    """

    def __init__(self, make: Make, rate_names: Callable[[Mechanism], tuple[str, ...]] = lambda m: m.coordinates):
        self._make, self._rate_names = make, rate_names

    def on_symbols(self, m: Mechanism) -> _OnSymbols:
        """The expressions of a mechanism, kept with it."""
        return m.view(self._traced)

    def _traced(self, m: Mechanism) -> _OnSymbols:
        return _OnSymbols(m, self._make, self._rate_names(m))

    def functions(self, *names: str) -> TracedFunctions:
        """These attributes, as one function."""
        return TracedFunctions(self, names)


class TracedFunctions:
    """Attributes of a source, evaluated together."""

    def __init__(self, source: TracedSource, names: tuple[str, ...]):
        self._source, self._names = source, names

    def __call__(self, s: State, rates: Any) -> SimpleNamespace:
        """The values at a state's time and coordinates, with these rates."""
        return self._source.on_symbols(s.mechanism).group(self._names).at(s.t, s.coordinates, rates, s.traced)


class _OnSymbols:
    """One mechanism's expressions; all are made in one table of nodes."""

    def __init__(self, m: Mechanism, make: Make, rate_names: tuple[str, ...]):
        self.t, self.q = symbol("t"), symbols("q_", m.coordinates)
        self.rates = symbols("rate.", rate_names)
        self.parameters = {symbol(name): value for name, value in m.parameters.items()}
        self._nodes, self._short = Nodes(), m.view(moves_in_short_axes)
        self._groups: dict[tuple[str, ...], _Group] = {}
        with tracing(self._nodes), short_axes(self._short):
            self._made = make(m, self.t, self.q, self.rates)

    def group(self, names: tuple[str, ...]) -> _Group:
        if names not in self._groups:
            with tracing(self._nodes), short_axes(self._short):
                self._groups[names] = _Group(self, {name: getattr(self._made, name) for name in names})
        return self._groups[names]


class _Group:
    def __init__(self, of: _OnSymbols, values: dict[str, Any]):
        self._of, self._values = of, values
        inputs: dict[str, Any] = {"t": of.t, "q": list(of.q), "rates": list(of.rates), "P": list(of.parameters)}
        self._on_numbers = NumericFunction({k: v for k, v in inputs.items() if v != []}, values)

    def at(self, t: Any, q: Any, rates: Any, traced: bool) -> SimpleNamespace:
        if traced:
            known = {self._of.t: t} | dict(zip(self._of.q, q)) | dict(zip(self._of.rates, rates))
            found = substitute(list(self._values.values()), known)
        else:
            given = [list(q), list(rates), list(self._of.parameters.values())]
            found = self._on_numbers(t, *(x for x in given if x))
        return SimpleNamespace(**dict(zip(self._values, found)))
