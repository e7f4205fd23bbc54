"""Sampled data as a function: `Table(times, values)` is a traced function of one variable, with derivatives.

It is a piecewise polynomial, p(x) = Σ cₖ (x − xᵢ)ᵏ between the breaks xᵢ and xᵢ₊₁. Each table is an operation of the graph of its own,
named after its content.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import TraceError
from dalembert.trace.expr import Expr, node
from dalembert.trace.ops import Op
from dalembert.trace.spline import not_a_knot, periodic

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike

_FAR = 1e300
"""Time to which the first and last value extend."""


class Column(NamedTuple):
    """A column of a table, and how expressions of model files call it."""

    table: Table
    call: str


@dataclass(frozen=True, eq=False, repr=False)
class TableOp(Op):
    """The operation: breaks (n + 1) and coefficients (order + 1, n), highest power first. Outside the breaks it is nan."""

    breaks: np.ndarray
    coefficients: np.ndarray
    column: Column | None = None
    """Column of a table that it is; None for derivatives."""

    def __reduce__(self) -> Any:
        """Rebuilt by the table whose column it is, or by its content."""
        if self.column is None:
            return table_op, (self.breaks, self.coefficients)
        return _op_of, (self.column.table, self.column.call)

    @cached_property
    def derivative(self) -> TableOp:
        order = len(self.coefficients) - 1
        powers = np.arange(order, 0, -1)[:, None]
        return table_op(self.breaks, self.coefficients[:-1] * powers if order else np.zeros_like(self.coefficients))


def table_op(breaks: np.ndarray, coefficients: np.ndarray, column: Column | None = None) -> TableOp:
    """The operation with this content, and of a column of this name: there is one of them."""
    arrays = [np.ascontiguousarray(x, dtype=float) for x in (breaks, coefficients)]
    content = b"".join(repr(x.shape).encode() + x.tobytes() for x in arrays)
    name = f"table_{hashlib.sha256(content).hexdigest()[:32]}"
    key = (name, None if column is None else column.call)
    found = _known.get(key)
    if found is None:
        value = partial(polynomial, breaks, coefficients)
        found = _known[key] = TableOp(name, "other", value, breaks, coefficients, column)
    return found


_known: WeakValueDictionary[tuple[str, str | None], TableOp] = WeakValueDictionary()


def polynomial(breaks: np.ndarray, coefficients: np.ndarray, x: ArrayLike) -> float | np.ndarray:
    """Value of the polynomial at a number or at an array of them."""
    at = np.asarray(x, dtype=float)
    i = np.clip(np.searchsorted(breaks, at, side="right") - 1, 0, len(breaks) - 2)
    total = np.zeros_like(at)
    for row in coefficients:
        total = total * (at - breaks[i]) + row[i]
    total = np.where((at >= breaks[0]) & (at <= breaks[-1]), total, np.nan)
    return total if isinstance(x, np.ndarray) else float(total)


class Table:
    """A function through samples: `table = da.Table(times, values)`, then `lambda s: table(s.t)` in a force, or `prescribed=table`.

    `kind` is "cubic" (a spline with two continuous derivatives, as prescribed motion needs), "linear", or "previous" (each value is
    kept until the next). With several columns of values it gives an array; `names` are those of the columns. Outside the samples it
    has no value: a call there is an error, a simulation stops. `outside="hold"` keeps the first and last value instead, "repeat" begins
    anew, for what is periodic: the last sample is the first again.
    """

    def __init__(
        self,
        times: ArrayLike,
        values: ArrayLike,
        kind: str = "cubic",
        outside: str = "nan",
        *,
        name: str | None = None,
        names: Sequence[str] = (),
    ):
        x, y = _numbers(times, "times"), _numbers(values, "values")
        fewest = 4 if kind == "cubic" else 2
        if not isinstance(kind, str) or kind not in _KINDS:
            raise TraceError(f"Table: kind={kind!r} is not known; choose one of {', '.join(map(repr, _KINDS))}")
        if outside not in ("nan", "hold", "repeat"):
            raise TraceError(f'Table: outside={outside!r} is not known; choose "nan", "hold" or "repeat"')
        if x.ndim != 1 or y.ndim not in (1, 2) or len(x) != len(y):
            raise TraceError(
                f"Table: {x.shape} times and {y.shape} values do not belong together; give a value (or a row) per time"
            )
        if len(x) < fewest:
            raise TraceError(f"Table: kind={kind!r} needs at least {fewest} samples, not {len(x)}")
        if not (np.isfinite(x).all() and np.isfinite(y).all()) or np.any(np.diff(x) <= 0.0):
            raise TraceError("Table: times must increase, and all numbers must be finite")
        if outside == "repeat" and kind != "previous" and not np.array_equal(y[0], y[-1]):
            raise TraceError(
                'Table: outside="repeat" needs the last value to be the first again, as a new round begins with it'
            )
        columns = [y] if y.ndim == 1 else list(y.T)
        make = periodic if (kind, outside) == ("cubic", "repeat") else _KINDS[kind]
        with np.errstate(all="ignore"):
            made = [make(x, column) for column in columns]
        if not all(np.isfinite(c).all() for c in made):
            raise TraceError(
                "Table: its numbers are so large, or its times so near to each other, that slopes overflow"
            )
        extended = [_extended(x, c, column) if outside == "hold" else (x, c) for c, column in zip(made, columns)]
        self.times, self.values, self.kind, self.outside = x, y, kind, outside
        self.name = name or f"table_{hashlib.sha256(x.tobytes() + y.tobytes() + kind.encode()).hexdigest()[:12]}"
        """In model files."""
        self.names = _names(names, columns) if y.ndim == 2 else ()
        """Names of the columns, where there are several."""
        self.file: Any = None
        """The file the samples came from, as the model that holds them names it."""
        calls = [f"{self.name}.{n}" for n in self.names] if y.ndim == 2 else [self.name]
        self._ops = [table_op(*part, Column(self, call)) for part, call in zip(extended, calls)]
        self._single = y.ndim == 1
        for array in (x, y):
            array.flags.writeable = False

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], kind: str = "cubic", outside: str = "nan", *, name: str | None = None
    ) -> Table:
        """Read a file of comma-separated numbers: times in the first column, values in the others, in a first line their names."""
        from dalembert.trace.csv_samples import read_samples

        samples = read_samples(path)
        values = samples.values[:, 0] if samples.values.shape[1] == 1 else samples.values
        return cls(samples.times, values, kind, outside, name=name, names=samples.names)

    def __reduce__(self) -> tuple[Any, ...]:
        return _table, (self.times, self.values, self.kind, self.outside, self.name, self.names, self.file)

    def named(self, name: str) -> Table:
        """The same under another name."""
        return _table(self.times, self.values, self.kind, self.outside, name, self.names, self.file)

    @property
    def functions(self) -> dict[str, Callable[[Any], Any]]:
        """Columns as expressions of model files call them."""
        return {op.column.call: partial(self._at, op) for op in self._ops if op.column is not None}

    def _at(self, op: TableOp, x: Any) -> Any:
        """The value of a column; of a periodic one within its first round."""
        if self.outside == "repeat":
            first, round_ = float(self.times[0]), float(self.times[-1] - self.times[0])
            x = first + ((x - first) % round_)
        return _apply(op, x)

    def __call__(self, x: Any) -> Any:
        if type(x) is not Expr:
            self._check_inside(_numbers(x, "what it is called with"))
        values = [self._at(op, x) for op in self._ops]
        return values[0] if self._single else np.array(values)

    def _check_inside(self, x: np.ndarray) -> None:
        first, last = self.times[0], self.times[-1]
        if self.outside != "nan" or np.all((x >= first) & (x <= last)):
            return
        out = np.ravel(x)[np.argmax(np.ravel((x < first) | (x > last) | np.isnan(x)))]
        raise TraceError(
            f'Table: {out:g} is outside its samples, {first:g} … {last:g}; give outside="hold" to keep the first and last value there'
        )


def _numbers(given: Any, what: str) -> np.ndarray:
    try:
        return np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise TraceError(f"Table: {what} must be numbers, not {given!r}") from None


def _apply(op: TableOp, x: Any) -> Any:
    return node(op, x) if type(x) is Expr else op.value(x)


def _names(given: Sequence[str], columns: Sequence[Any]) -> tuple[str, ...]:
    """Names of the columns; 1, 2, … where nobody named them."""
    names = tuple(given) or tuple(str(k + 1) for k in range(len(columns)))
    if len(names) != len(columns) or len(set(names)) != len(names) or not all(re.fullmatch(r"\w+", n) for n in names):
        raise TraceError(
            f"Table: {len(columns)} columns need as many different names of letters, digits and _, not {', '.join(map(repr, names))}"
        )
    return names


def _linear(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.array([np.diff(y) / np.diff(x), y[:-1]])


def _previous(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return y[None, :-1]


_KINDS = {"cubic": not_a_knot, "linear": _linear, "previous": _previous}


def _extended(x: np.ndarray, c: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two further pieces on which the first and the last value hold."""
    before, after = np.zeros((len(c), 1)), np.zeros((len(c), 1))
    before[-1], after[-1] = y[0], y[-1]
    return np.concatenate([[-_FAR], x, [_FAR]]), np.hstack([before, c, after])


def _table(times: Any, values: Any, kind: str, outside: str, name: str, names: Sequence[str], file: Any) -> Table:
    made = Table(times, values, kind, outside, name=name, names=names)
    made.file = file
    return made


def _op_of(table: Table, call: str) -> TableOp:
    """The operation of the column that is called so."""
    return next(op for op in table._ops if op.column is not None and op.column.call == call)
