"""A function to be written in some language: array arguments holding the symbols, named intermediates, array results."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.errors import TraceError
from dalembert.trace.expr import Expr
from dalembert.trace.graph import free_symbols, ordered
from dalembert.trace.ops import SYMBOL, Op
from dalembert.trace.table import TableOp
from dalembert.trace.text.intermediates import Intermediates, program
from dalembert.trace.text.notation import Notation

_GREEK_NAMES = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi
    omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
"""
GREEK = dict(zip("αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ", _GREEK_NAMES.split(), strict=True))
"""Greek letters and their names."""

MARKS = {"\u0307": "dot", "\u0308": "ddot", "\u0302": "hat", "\u0303": "tilde", "\u0304": "bar"}
"""Combining accents and their names, as in u̇."""

_C = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while main
    and asm bitand bitor bool catch class compl delete explicit export false friend mutable namespace new not operator or
    private protected public template this throw true try typename using virtual xor
"""
_MACROS = """
    NAN INFINITY HUGE_VAL HUGE_VALF HUGE_VALL FP_NAN FP_INFINITE FP_ZERO FP_SUBNORMAL FP_NORMAL FP_ILOGB0 FP_ILOGBNAN
    FP_FAST_FMA MATH_ERRNO MATH_ERREXCEPT math_errhandling M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI
    M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 unix linux i386
"""
_FUNCTIONS = """
    abs fabs sign sign_of sqrt cbrt exp log sin cos tan asin acos atan atan2 sinh cosh tanh pow floor fmod
    min max min_of max_of fmin fmax minimum maximum inf nan float np math numpy samples
"""
RESERVED = frozenset([*keyword.kwlist, *keyword.softkwlist, *_C.split(), *_MACROS.split(), *_FUNCTIONS.split()])
"""Words that mean something in the text of some language; one set for all, so that a symbol is called the same in each."""


def is_safe(name: str) -> bool:
    """Whether the name can stand as it is in C and in Python."""
    return name.isascii() and name.isidentifier() and name[0] != "_" and name not in RESERVED


def safe_identifiers(names: Iterable[str], taken: Collection[str] = ()) -> dict[str, str]:
    """An identifier of its own for every name: itself where that is safe, else the nearest spelling, numbered if need be."""
    names = list(dict.fromkeys(names))
    result = {name: name for name in names if is_safe(name) and name not in taken}
    used = {*taken, *result}
    for name in names:
        if name not in result:
            stem = _identifier(name)
            identifier, k = stem, 1
            while identifier in used or not is_safe(identifier):
                k += 1
                identifier = f"{stem}_{k}"
            result[name] = identifier
            used.add(identifier)
    return result


def _identifier(name: str) -> str:
    """The name in ASCII letters, digits and underscores, beginning with a letter."""
    letters = []
    for c in unicodedata.normalize("NFD", name):
        word = GREEK.get(c) or MARKS.get(c) or ("prime" if c in "'′" else c)
        letters.append(word if word.isascii() and word.replace("_", "a").isalnum() else "_")
    found = "".join(letters)
    return found if found[:1].isalpha() else f"s{found}"


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


def tables_among(operations: Collection[Op]) -> list[TableOp]:
    """In the order of their names, each content once."""
    found = {op.name: op for op in operations if isinstance(op, TableOp)}
    return [found[name] for name in sorted(found)]
