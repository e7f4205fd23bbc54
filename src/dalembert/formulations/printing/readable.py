"""Expressions of a mechanism as people write them: the shortest form of each, and names for what the long ones share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.mechanism import Mechanism
from dalembert.trace import Expr, count_operations, free_symbols, ops, ordered, substitute, symbol, symbols, tracing
from dalembert.trace.canonical import Canonical
from dalembert.trace.collect import Collector, Powers, TooLong, Waves
from dalembert.trace.expr import unshared_symbol
from dalembert.trace.graph import rebuild
from dalembert.trace.text.elements import element_texts
from dalembert.trace.text.intermediates import WORTH, Intermediates, Lengths, for_readers, whole
from dalembert.trace.text.notation import Notation
from dalembert.trace.text.plain import PLAIN

MOST_OPERATIONS, MOST_IN_LINES = 1200, 4000
"""Operations beyond which whole elements, and lines, are not multiplied out."""
LONGEST = (80, 500)
"""Characters of an element up to which it is written without names: some are tried."""


@dataclass(frozen=True)
class Algebra:
    """What is known of a mechanism's symbols: which are constant, which are speeds, and which expressions are zero."""

    constants: frozenset[Expr] = frozenset()
    speeds: frozenset[Expr] = frozenset()
    relations: tuple[Any, ...] = field(default=())
    order: tuple[Expr, ...] = ()
    """Symbols in the order in which they are printed; others come after them, by name."""

    def over(self, anew: Canonical) -> Algebra:
        """The same of symbols made anew."""
        constants, speeds = (
            frozenset(anew.anew[s] for s in x if s in anew.anew) for x in (self.constants, self.speeds)
        )
        return Algebra(constants, speeds, tuple(anew(list(self.relations))))

    def rank(self, x: Expr) -> int:
        """How soon a factor is taken out: speeds, then what else moves, then constants."""
        return 0 if x in self.speeds else 2 if x in self.constants else 1

    @staticmethod
    def of(m: Mechanism, speeds: Iterable[Expr] = ()) -> Algebra:
        """Parameters are constant, and the joints' coordinates obey their conditions."""
        coordinates = symbols("q_", m.coordinates)
        q, relations = m.joint_coordinates(coordinates), []
        for j in m.in_joint_variables.joints:
            if j.columns and len(j.columns) < j.joint.n_q:
                own = np.array([q[at] for at in j.q_at if at is not None], dtype=object)
                relations += list(j.joint.condition(own))
        constants, w = tuple(symbol(n) for n in m.parameters), tuple(speeds)
        order = (*constants, symbol("t"), *coordinates, *w)
        return Algebra(frozenset(constants), frozenset(w), tuple(relations), order)


TURNS = 2
"""How often lines are shortened: what is gone from one line may leave another."""
NO_ALGEBRA = Algebra()


@dataclass(frozen=True, eq=False)
class Texts:
    """Named intermediates in evaluation order, and arrays of texts by name."""

    assigned: list[tuple[str, str]]
    tables: dict[str, np.ndarray]

    @property
    def cost(self) -> int:
        """Characters to be read, and what names take to be remembered."""
        texts = [*(t for _, t in self.assigned), *(t for x in self.tables.values() for t in x.ravel())]
        return sum(map(len, texts)) + WORTH * len(self.assigned)


@dataclass(frozen=True, eq=False)
class Readable:
    """Arrays by name, some elements in the shortest form there is, the others as they were traced, to be written with names."""

    short: dict[str, np.ndarray]
    long: dict[str, np.ndarray]
    """0 where the other has the element."""
    is_long: dict[str, np.ndarray]
    taken: tuple[str, ...]
    symbols: Mapping[Expr, Expr]
    """What its symbols stand for."""

    @cached_property
    def plain(self) -> Texts:
        """All elements in plain text."""
        return self.texts(PLAIN)

    def texts(self, notation: Notation, name: Callable[[str], str] = str) -> Texts:
        """All elements written in a notation."""
        assigned, of_long = element_texts(self.long, self._naming, notation, name)
        _, of_short = element_texts(self.short, whole, notation, name)
        return Texts(assigned, {key: np.where(self.is_long[key], of_long[key], of_short[key]) for key in self.short})

    def _naming(self, outputs: Any, taken: Collection[str]) -> Intermediates:
        used = {s.name for x in self.short.values() for s in free_symbols(x)}
        return for_readers(outputs, {*taken, *self.taken, *used})

    @property
    def values(self) -> dict[str, np.ndarray]:
        """The expressions, from either."""
        found = {key: np.where(self.is_long[key], self.long[key], self.short[key]) for key in self.short}
        return dict(zip(found, substitute(list(found.values()), self.symbols)))


def readable(values: Mapping[str, np.ndarray], algebra: Algebra = NO_ALGEBRA, taken: Iterable[str] = ()) -> Readable:
    """The form in which arrays of expressions are read most easily; never longer than as they were traced, by `Texts.cost`."""
    arrays = [np.asarray(x, dtype=object) for x in values.values()]
    with tracing():  # traced one by one, they share nothing yet
        anew = Canonical([arrays, list(algebra.relations)], algebra.order)
        traced, algebra = dict(zip(values, anew(arrays))), algebra.over(anew)
        names, total = tuple(taken), count_operations(list(traced.values())).total
        split = partial(_split, taken=names, symbols=anew.back)
        forms = [split(traced)]
        shortest, names_of_lines = _Shortest(algebra), _NamesOfLines()
        if total <= MOST_OPERATIONS:
            forms.append(split({key: _each(x, shortest) for key, x in traced.items()}))
            forms += [split(traced, shortest, longest) for longest in LONGEST]
        if total <= MOST_IN_LINES:
            lines = traced
            for _ in range(TURNS):
                lines = _line_by_line(lines, shortest, names_of_lines)
            forms.append(split(lines))
            if total <= MOST_OPERATIONS:
                forms += [split(lines, shortest, longest) for longest in LONGEST]
    return min(reversed(forms), key=lambda x: x.plain.cost)


class _Shortest:
    """The shortest of an element's forms."""

    def __init__(self, algebra: Algebra):
        self.length = Lengths()
        self._forms: list[Collector] = [form(algebra.relations, algebra.rank, self.length) for form in (Waves, Powers)]
        self._found: dict[Expr, Any] = {}

    def __call__(self, e: Any) -> Any:
        if type(e) is not Expr:
            return e
        if e not in self._found:
            self._found[e] = self._shortest(e)
        return self._found[e]

    def _shortest(self, e: Expr) -> Any:
        found = []
        for form in self._forms:
            try:
                found.append(form.written(e))
                if form.only_symbols(e):
                    break
            except TooLong:
                continue
        return min((*found, e), key=self.length)


class _NamesOfLines(dict[str, Expr]):
    """Symbols that stand for lines: the same ones at every turn, so that a line that did not change is known."""

    def __missing__(self, name: str) -> Expr:
        self[name] = unshared_symbol(f"#{name}")
        return self[name]


def _line_by_line(
    values: Mapping[str, np.ndarray], form: Callable[[Any], Any], names: _NamesOfLines
) -> dict[str, np.ndarray]:
    """Every line of the text in its shortest form, with the names of other lines as symbols."""
    arrays = list(values.values())
    named = {e: names[name] for name, e in for_readers(arrays).assignments}
    over_names: dict[Expr, Any] = {}
    real: dict[Expr, Any] = {}
    for e in ordered(arrays):
        made = e if e.op is ops.SYMBOL else rebuild(e.op, [over_names[a] if type(a) is Expr else a for a in e.args])
        if e in named:
            real[named[e]] = substitute(form(made), real)
            made = named[e]
        over_names[e] = made
    put = [_each(x, lambda e: substitute(form(over_names[e]), real) if type(e) is Expr else e) for x in arrays]
    return dict(zip(values, put))


def _split(
    values: Mapping[str, np.ndarray],
    form: Callable[[Any], Any] | None = None,
    longest: int = 0,
    *,
    taken: tuple[str, ...] = (),
    symbols: Mapping[Expr, Expr] = MappingProxyType({}),
) -> Readable:
    """Elements in a form, if one is given and makes them short; the others to be written with names."""
    length, short, long, is_long = Lengths(), {}, {}, {}
    for key, x in values.items():
        made = x if form is None else _each(x, form)
        lengthy = [type(e) is Expr and (not longest or length(e) > longest) for e in made.ravel()]
        is_long[key] = np.array(lengthy, dtype=bool).reshape(x.shape)
        short[key], long[key] = np.where(is_long[key], 0.0, made), np.where(is_long[key], x, 0.0)
    return Readable(short, long, is_long, taken, symbols)


def _each(values: np.ndarray, form: Callable[[Any], Any]) -> np.ndarray:
    made = np.empty(values.shape, dtype=object)
    made.ravel()[:] = [form(e) for e in values.ravel()]
    return made
