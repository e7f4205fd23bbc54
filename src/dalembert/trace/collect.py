"""Small expressions multiplied out and collected, for people: what cancels is gone, and what is 1 by structure is 1.

Two forms: `Waves`, where products of sines and cosines become sines and cosines of sums, so that cos a cos b + sin a sin b is found
to be cos(a − b); and `Powers`, polynomials in sines and cosines of single angles, where sin² is 1 − cos². The one suits chains in a
plane, the other turns about several axes. Both know relations among symbols, such as that of Euler parameters, by which a square can be
replaced. Roots, quotients by sums, choices and the like are kept as they are, with collected arguments. They are forms to be read:
coefficients within rounding of a small fraction become it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dalembert.trace import ops
from dalembert.trace.expr import Expr, Scalar
from dalembert.trace.factors import Powers as Monomial
from dalembert.trace.factors import Rank, Sum, Term, written
from dalembert.trace.graph import ordered, rebuild
from dalembert.trace.scalar_functions import cos, sin
from dalembert.trace.text.intermediates import Lengths

MOST_TERMS = 60
"""An expression of more terms is not easier to read than the computation it came from."""
MOST_PRODUCTS = 400
ROUNDING = 1e-13
"""Part of the largest coefficient below which a sum of them is zero."""

Angle = tuple[tuple[Expr, float], ...]
"""A sum of multiples of atoms."""


class TooLong(Exception):
    """The collected form would be too long to be read."""


class Collector:
    """Sums of all nodes of a graph. `relations` are expressions that are zero, each with the square of a symbol of its own."""

    def __init__(self, relations: Iterable[Any] = (), rank: Rank | None = None, length: Lengths | None = None):
        self._rank, self._length = rank, length or Lengths()
        self._sums: dict[Expr, Sum | None] = {}
        """None where it would be too long."""
        self._squares: dict[Expr, Sum] = {}
        for relation in relations:
            self._squares.update([_solved(self.of(relation))])
        self._sums.clear()  # what was collected before the relations were known

    def of(self, e: Any) -> Sum:
        """The sum that an expression is; `TooLong` where that is no help."""
        if type(e) is not Expr:
            return number(e)
        for x in ordered(e):
            if x not in self._sums:
                try:
                    self._sums[x] = self._sum_of(x)
                except TooLong:
                    self._sums[x] = None
        return self._known(e)

    def _known(self, x: Any) -> Sum:
        found = self._sums[x] if type(x) is Expr else number(x)
        if found is None:
            raise TooLong
        return found

    def written(self, e: Scalar) -> Scalar:
        """The expression, collected."""
        return written(self.finished(self.of(e)), self._rank, self._length) if type(e) is Expr else e

    def only_symbols(self, e: Expr) -> bool:
        """Whether the sum is one of powers of symbols, as every other form would have it."""
        return all(x.op is ops.SYMBOL for term in self.of(e) for x, _ in term)

    def finished(self, total: Sum) -> Sum:
        return total

    def _sum_of(self, e: Expr) -> Sum:
        if e.op is ops.SYMBOL:
            return atom(e)
        given = [self._known(a) for a in e.args]
        if e.op is ops.ADD:
            return added(given[0], given[1], 1.0)
        if e.op is ops.SUB:
            return added(given[0], given[1], -1.0)
        if e.op is ops.NEG:
            return added({}, given[0], -1.0)
        if e.op is ops.MUL:
            return self.multiplied(given[0], given[1])
        if e.op is ops.DIV:
            return self.multiplied(given[0], self._inverse(given[1]))
        if e.op in (ops.SIN, ops.COS):
            angle, quarters = _angle(given[0])
            if angle is not None:
                kind, sign = _turned(e.op.name, quarters)
                return added({}, self.wave(angle, kind), sign)
        return atom(rebuild(e.op, [written(x, None) for x in given]))

    def multiplied(self, a: Sum, b: Sum) -> Sum:
        if len(a) * len(b) > MOST_PRODUCTS:
            raise TooLong
        out: Sum = {}
        for x, (c, p) in a.items():
            for y, (d, q) in b.items():
                for term, k in self.product(x, y):
                    _add(out, term, k * c * d, abs(k) * p * q)
        return kept(out)

    def product(self, x: Term, y: Term) -> Iterable[tuple[Term, float]]:
        """The product of two terms, as terms with factors."""
        return self.reduced(_times(x, y))

    def reduced(self, term: Term) -> Iterable[tuple[Term, float]]:
        """A term with the squares that are known put in."""
        for at, (x, k) in enumerate(term):
            square = self.square(x) if k >= 2 else None
            if square is not None:
                rest = _times(term[:at] + term[at + 1 :], ((x, k - 2),) if k > 2 else ())
                for other, (c, _) in square.items():
                    for made, d in self.reduced(_times(rest, other)):
                        yield made, c * d
                return
        yield term, 1.0

    def square(self, x: Expr) -> Sum | None:
        """What the square of an atom is."""
        return self._squares.get(x)

    def wave(self, angle: Angle, kind: str) -> Sum:
        raise NotImplementedError

    def _inverse(self, total: Sum) -> Sum:
        """1 / sum: powers where it is one monomial, else an atom; what divides by nothing is left as it is."""
        if not total:
            raise TooLong
        if len(total) == 1:
            term, (c, _) = next(iter(total.items()))
            return {tuple((s, -k) for s, k in term): (1.0 / c, abs(1.0 / c))}
        whole = written(total, None)
        return atom(1.0 / whole) if type(whole) is Expr else number(1.0 / whole)


class Waves(Collector):
    """Products of sines and cosines as sines and cosines of sums: at most one in each term."""

    def __init__(self, relations: Iterable[Any] = (), rank: Rank | None = None, length: Lengths | None = None):
        self._angles: dict[Expr, Angle] = {}
        self._waves: dict[tuple[Angle, str], Sum] = {}
        super().__init__(relations, rank, length)

    def wave(self, angle: Angle, kind: str) -> Sum:
        if (angle, kind) not in self._waves:
            self._waves[angle, kind] = self._new_wave(angle, kind)
        return self._waves[angle, kind]

    def _new_wave(self, angle: Angle, kind: str) -> Sum:
        """cos or sin of the angle, whose first multiple is made positive."""
        sign = 1.0
        if angle and angle[0][1] < 0.0:
            angle, sign = tuple((s, -k) for s, k in angle), 1.0 if kind == "cos" else -1.0
        if not angle:
            return number(1.0 if kind == "cos" else 0.0)
        made = (cos if kind == "cos" else sin)(_written_angle(angle))
        self._angles[made] = angle
        return {((made, 1),): (sign, 1.0)}

    def product(self, x: Term, y: Term) -> Iterable[tuple[Term, float]]:
        """2 cos x cos y = cos(x − y) + cos(x + y), and so on."""
        term = _times(x, y)
        waves = [(s, k) for s, k in term if k > 0 and s in self._angles]
        if sum(k for _, k in waves) < 2:
            yield from self.reduced(term)
            return
        first, second = (waves[0][0], waves[0][0]) if waves[0][1] > 1 else (waves[0][0], waves[1][0])
        rest = _times(term, ((first, -1),), ((second, -1),))
        if second.op is ops.COS:
            first, second = second, first
        signs = {("cos", "cos"): (0.5, 0.5), ("sin", "sin"): (0.5, -0.5), ("cos", "sin"): (-0.5, 0.5)}
        kind = "cos" if first.op is second.op else "sin"
        for turn, sign in zip((-1.0, 1.0), signs[first.op.name, second.op.name]):
            angle = _combined(self._angles[first], self._angles[second], turn)
            for other, (c, _) in self.wave(angle, kind).items():
                for made, d in self.product(rest, other):
                    yield made, sign * c * d


class Powers(Collector):
    """Polynomials in sines and cosines of single angles, without squares of sines but where they stand for 1 − cos²."""

    def wave(self, angle: Angle, kind: str) -> Sum:
        """Sums of angles by the addition theorems."""
        if len(angle) > 1:
            first, rest = angle[:1], angle[1:]
            c, s = "cos", "sin"
            other = s if kind == c else c
            one = self.multiplied(self.wave(first, c), self.wave(rest, kind))
            two = self.multiplied(self.wave(first, s), self.wave(rest, other))
            return added(one, two, -1.0 if kind == c else 1.0)
        if not angle:
            return number(1.0 if kind == "cos" else 0.0)
        sign = -1.0 if angle[0][1] < 0.0 and kind == "sin" else 1.0
        made = (cos if kind == "cos" else sin)(_written_angle(((angle[0][0], abs(angle[0][1])),)))
        return {((made, 1),): (sign, 1.0)}

    def square(self, x: Expr) -> Sum | None:
        if x.op is ops.SIN:
            return added(number(1.0), {((cos(x.args[0]), 2),): (1.0, 1.0)}, -1.0)
        return super().square(x)

    def finished(self, total: Sum) -> Sum:
        """Sum with k − k cos² as k sin² again."""
        out = dict(total)
        for term, (c, size) in total.items():
            for x, k in term:
                if k < 2 or x.op is not ops.COS or term not in out:
                    continue
                base = _times(term, ((x, -2),))
                if base in out and abs(out[base][0] + c) <= ROUNDING * size:
                    out.pop(term)
                    made = _times(base, ((sin(x.args[0]), 2),))
                    _add(out, made, *out.pop(base))
                    break
        return kept(out)


def collected(
    outputs: Any, form: type[Collector] = Waves, relations: Iterable[Any] = (), rank: Rank | None = None
) -> Any | None:
    """The outputs (nested sequences and arrays) in collected form; None where that is too long."""
    try:
        collector = form(relations, rank)
        return _like(outputs, collector.written)
    except TooLong:
        return None


def _like(outputs: Any, form: Any) -> Any:
    if isinstance(outputs, np.ndarray):
        made = np.empty(outputs.shape, dtype=object)
        made.ravel()[:] = [form(x) for x in outputs.ravel()]
        return made
    return [_like(x, form) for x in outputs] if isinstance(outputs, (list, tuple)) else form(outputs)


# -- sums ------------------------------------------------------------------------------------------------------------------
def number(x: float) -> Sum:
    return {(): (float(x), abs(float(x)))} if x else {}


def atom(x: Any) -> Sum:
    return {((x, 1),): (1.0, 1.0)} if type(x) is Expr else number(x)


def added(a: Sum, b: Sum, sign: float) -> Sum:
    out = dict(a)
    for term, (c, size) in b.items():
        _add(out, term, sign * c, size)
    return kept(out)


def _add(out: Sum, term: Term, c: float, size: float) -> None:
    before, scale = out.get(term, (0.0, 0.0))
    out[term] = (before + c, scale + size)


def kept(out: Sum) -> Sum:
    """Without what cancels."""
    out = {term: (c, size) for term, (c, size) in out.items() if abs(c) > ROUNDING * size}
    if len(out) > MOST_TERMS:
        raise TooLong
    return out


def _times(*terms: Monomial) -> Term:
    powers: dict[Expr, int] = {}
    for term in terms:
        for x, k in term:
            powers[x] = powers.get(x, 0) + k
    return tuple(sorted(((x, k) for x, k in powers.items() if k), key=lambda p: p[0].serial))


def _combined(x: Angle, y: Angle, sign: float) -> Angle:
    total = dict(x)
    for s, k in y:
        total[s] = total.get(s, 0.0) + sign * k
    return tuple(sorted(((s, k) for s, k in total.items() if abs(k) > ROUNDING), key=lambda p: p[0].serial))


def _angle(total: Sum) -> tuple[Angle | None, int]:
    """A sum that is linear in atoms, and the quarter turns beside; None where it is no such sum."""
    linear = [(term[0][0], c) for term, (c, _) in total.items() if len(term) == 1 and term[0][1] == 1]
    turned = total.get((), (0.0, 0.0))[0] / (0.5 * np.pi)
    quarters = round(turned)
    if len(linear) + (() in total) < len(total) or abs(turned - quarters) > ROUNDING * max(1.0, abs(turned)):
        return None, 0
    return tuple(sorted(linear, key=lambda p: p[0].serial)), quarters


def _turned(kind: str, quarters: int) -> tuple[str, float]:
    """What sin or cos becomes by quarter turns, and its sign."""
    at = (quarters + (0 if kind == "sin" else 1)) % 4
    return ("sin", "cos")[at % 2], 1.0 if at < 2 else -1.0


def _written_angle(angle: Angle) -> Any:
    return written({((s, 1),): (k, abs(k)) for s, k in angle}, None, in_order=True)


def _solved(relation: Sum) -> tuple[Expr, Sum]:
    """A relation solved for the first square of a symbol in it."""
    for term, (c, _) in relation.items():
        if len(term) == 1 and term[0][1] == 2:
            rest = {other: (-d / c, abs(d / c)) for other, (d, _) in relation.items() if other != term}
            return term[0][0], rest
    raise ValueError("a relation has the square of a symbol by itself")
