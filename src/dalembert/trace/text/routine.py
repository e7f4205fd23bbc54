"""A function to be written in some language: array arguments holding the symbols, named intermediates, array results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.errors import TraceError
from dalembert.trace.expr import Expr
from dalembert.trace.graph import free_symbols, ordered
from dalembert.trace.ops import SYMBOL, Op
from dalembert.trace.text.identifiers import is_safe, safe_identifiers
from dalembert.trace.text.intermediates import Intermediates, program
from dalembert.trace.text.notation import Notation

Inputs = Mapping[str, Expr | Sequence[Expr]]
"""Argument name → the symbols it holds, or one symbol for a plain number."""

Outputs = Mapping[str, Any]
"""Result name → array (of any shape) of expressions and floats."""


@dataclass(frozen=True)
class Place:
    """Where a symbol comes from: an argument that is a number (index None), or an element of an array argument."""

    symbol: Expr
    identifier: str
    argument: str
    index: int | None

    @property
    def remark(self) -> str:
        """What the symbol is really called, where its identifier differs."""
        return "" if self.symbol.name == self.identifier else repr(self.symbol.name)


@dataclass(frozen=True)
class Routine:
    """All names are settled: `names` gives the identifier of every symbol in use and of every named intermediate."""

    name: str
    inputs: dict[str, Expr | tuple[Expr, ...]]
    outputs: dict[str, np.ndarray]
    places: tuple[Place, ...]
    program: Intermediates
    names: dict[Expr, str]

    @property
    def arguments(self) -> list[tuple[str, bool]]:
        """Every argument, and whether it is an array."""
        return [(name, type(symbols) is not Expr) for name, symbols in self.inputs.items()]

    @property
    def operations(self) -> set[Op]:
        """The operations it uses."""
        return {e.op for e in ordered(self.program.outputs)}

    def assignments(self, notation: Notation) -> Iterator[tuple[str, Expr, str]]:
        """Every named intermediate in evaluation order: name, value, its text."""
        write = notation.writer(self.names)
        return ((name, e, notation.define(e, write).text) for name, e in self.program.assignments)

    def elements(self, output: str, notation: Notation) -> Iterator[tuple[tuple[int, ...], str]]:
        """Every element of an output, row by row: index, text."""
        write = notation.writer(self.names)
        return ((index, write(x).text) for index, x in np.ndenumerate(self.outputs[output]))


def routine(name: str, inputs: Inputs, outputs: Outputs) -> Routine:
    """The function `name(inputs) → outputs`, checked."""
    given = {k: v if isinstance(v, Expr) else tuple(v) for k, v in inputs.items()}
    results = {k: as_scalars(v) for k, v in outputs.items()}
    _check_names(name, [*given, *results])
    needed = set(free_symbols(list(results.values())))
    places = _places(given)
    _check_complete(name, needed - places.keys())
    used = {s: place for s, place in places.items() if s in needed}
    local = safe_identifiers((s.name for s, (_, index) in used.items() if index is not None), {*given, *results})
    read = tuple(Place(s, x if k is None else local[s.name], x, k) for s, (x, k) in used.items())
    names = {p.symbol: p.identifier for p in read}
    steps = program(list(results.values()), taken={*given, *results, *names.values()})
    return Routine(name, given, results, read, steps, names | steps.names)


def as_scalars(values: Any) -> np.ndarray:
    """An array of Expr and plain floats."""
    array = np.asarray(values, dtype=object)
    made = np.empty(array.shape, dtype=object)
    made.ravel()[:] = [x if type(x) is Expr else float(x) for x in array.ravel()]
    return made


def _places(inputs: Mapping[str, Expr | tuple[Expr, ...]]) -> dict[Expr, tuple[str, int | None]]:
    """Argument and index of each symbol."""
    place: dict[Expr, tuple[str, int | None]] = {}
    for argument, symbols in inputs.items():
        found = [(None, symbols)] if isinstance(symbols, Expr) else enumerate(symbols)
        for k, s in found:
            if type(s) is not Expr or s.op is not SYMBOL:
                raise TraceError(f"argument {argument!r} holds {s!r}; only symbols can be arguments")
            if s in place:
                raise TraceError(f"the symbol {s.name!r} stands in {place[s][0]!r} and again in {argument!r}")
            place[s] = (argument, k)
    return place


def _check_names(function: str, arguments: list[str]) -> None:
    for name in [function, *arguments]:
        if not is_safe(name):
            raise TraceError(f"{name!r} cannot name a function or argument in C and Python; choose a plain word")
        if arguments.count(name) > 1:
            raise TraceError(f"{name!r} names both an input and an output of {function}; choose another name for one")


def _check_complete(function: str, missing: set[Expr]) -> None:
    if missing:
        names = ", ".join(sorted(s.name for s in missing))
        raise TraceError(f"{function} depends on {names}, not among its inputs; add them to an argument")
