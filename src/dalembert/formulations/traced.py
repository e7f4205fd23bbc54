"""Functions of (t, q, q̇) that need derivatives: traced once per mechanism, evaluated in any state.

On a numeric state the graph is walked, and after a few times compiled to Python; on a traced one it is substituted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from types import SimpleNamespace
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from dalembert.framed import short_axes
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.trace import Expr, count_operations, evaluate, substitute, symbol, symbols, tracing
from dalembert.trace.text import python_function

WORTH_COMPILING = 10
"""Evaluations after which writing and compiling a function costs less than walking the graph again and again."""

Make = Callable[[Mechanism, Expr, np.ndarray, np.ndarray], dict[str, Any]]
"""(mechanism, t, q, rates) → named expressions; q and rates are symbols, so that one can differentiate in them."""


WORTH_TRYING = 50_000
"""Operations up to which a computation is traced in short axes as well: beyond, world axes take fewer."""

T = TypeVar("T")


def shortest(make: Callable[[], T], outputs: Callable[[T], Any]) -> T:
    """What is traced, in world axes or in short ones, whichever takes fewer operations for its outputs."""
    made = make()
    most = count_operations(outputs(made)).total
    if most > WORTH_TRYING:
        return made
    with short_axes():
        short = make()
    return short if count_operations(outputs(short)).total < most else made


class TracedFunctions:
    """What `make` computes; `rate_names` names its last argument, whatever it stands for (q̇, or the speeds u)."""

    def __init__(self, make: Make, rate_names: Callable[[Mechanism], tuple[str, ...]] = lambda m: m.coordinates):
        self._make, self._rate_names = make, rate_names
        self._known: WeakKeyDictionary[Mechanism, _OnSymbols] = WeakKeyDictionary()

    def on_symbols(self, m: Mechanism) -> _OnSymbols:
        if m not in self._known:
            self._known[m] = _OnSymbols(m, self._make, self._rate_names(m))
        return self._known[m]

    def __call__(self, s: State, rates: Any) -> SimpleNamespace:
        """The values at a state's time and coordinates, with these rates."""
        return self.on_symbols(s.mechanism).at(s.t, s.coordinates, rates, s.traced)


class _OnSymbols:
    def __init__(self, m: Mechanism, make: Make, rate_names: tuple[str, ...]):
        self.t, self.q = symbol("t"), symbols("q_", m.coordinates)
        self.rates = symbols("rate.", rate_names)
        self._parameters = {symbol(name): value for name, value in m.parameters.items()}
        with tracing():
            self.values = shortest(lambda: make(m, self.t, self.q, self.rates), lambda made: list(made.values()))
        self._calls = 0

    def at(self, t: Any, q: Any, rates: Any, traced: bool) -> SimpleNamespace:
        self._calls += not traced
        if traced or self._calls <= WORTH_COMPILING:
            known = {self.t: t} | dict(zip(self.q, q)) | dict(zip(self.rates, rates))
            outputs = list(self.values.values())
            found = substitute(outputs, known) if traced else evaluate(outputs, known | self._parameters)
        else:
            given = [list(q), list(rates), list(self._parameters.values())]
            found = self._compiled(t, *(x for x in given if x))
            found = found if len(self.values) > 1 else (found,)
        return SimpleNamespace(**dict(zip(self.values, found)))

    @cached_property
    def _compiled(self) -> Callable[..., Any]:
        inputs: dict[str, Any] = {
            "t": self.t,
            "q": list(self.q),
            "rates": list(self.rates),
            "P": list(self._parameters),
        }
        return python_function("values", {k: v for k, v in inputs.items() if v != []}, self.values)
