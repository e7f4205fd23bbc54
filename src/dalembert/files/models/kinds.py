"""Kinds of values in a model file: how each is read, written, and described to editors."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from dalembert.errors import ModelError
from dalembert.files.expressions import Formula, written
from dalembert.files.models.place import Entry
from dalembert.files.models.scope import Scope
from dalembert.parts.fields import Function
from dalembert.parts.forces.points import Point
from dalembert.parts.names import nearest
from dalembert.trace import Scalar
from dalembert.vectors import ZERO

Schema = dict[str, Any]
Plain: TypeAlias = "bool | float | str | list[Plain] | dict[str, Plain] | None"
"""Plain data, as a model file holds them."""


class Kind(Protocol):
    """One kind of value."""

    def read(self, entry: Entry, scope: Scope) -> Any: ...

    def write(self, value: Any, where: str) -> Plain:
        """As plain data: numbers, texts, lists, dicts."""

    def schema(self) -> Schema:
        """JSON Schema."""


def is_zero(x: Any) -> bool:
    """Exactly 0, with its sign: what may be left out."""
    return type(x) is float and x == 0.0 and math.copysign(1.0, x) > 0.0


def _word(entry: Entry, what: str) -> str:
    """A text, which may look like a whole number."""
    if isinstance(entry.value, float) and abs(entry.value) < 1e15 and entry.value == int(entry.value):
        return str(int(entry.value))
    return entry.text(what)


@dataclass(frozen=True)
class Text:
    """A text."""

    def read(self, entry: Entry, scope: Scope) -> str:
        return entry.text()

    def write(self, value: Any, where: str) -> Plain:
        return str(value)

    def schema(self) -> Schema:
        return {"type": "string"}


class NameKind(Text):
    """A name, which may look like a number."""

    def read(self, entry: Entry, scope: Scope) -> str:
        return _word(entry, "a name")

    def schema(self) -> Schema:
        return {"type": ["string", "integer"]}


@dataclass(frozen=True)
class Choice:
    """One of some words: of a few, or of those that are registered."""

    words: Collection[str]

    def read(self, entry: Entry, scope: Scope) -> str:
        word = _word(entry, f"one of {', '.join(self.words)}")
        if word not in self.words:
            raise entry.error(f"{word!r} is not known here; {nearest(word, self.words, 'choose one of')}")
        return word

    def write(self, value: Any, where: str) -> Plain:
        return str(value)

    def schema(self) -> Schema:
        return {"enum": [*self.words, *(int(word) for word in self.words if word.isdigit())]}


@dataclass(frozen=True)
class NumberKind:
    """A number, or an expression of parameters."""

    def read(self, entry: Entry, scope: Scope) -> Scalar:
        return scope.number(entry)

    def write(self, value: Any, where: str) -> Plain:
        return written(value, where)

    def schema(self) -> Schema:
        return {"$ref": "#/$defs/number"}


@dataclass(frozen=True)
class PlainNumber:
    """A number, or an expression of constants such as 30*deg."""

    def read(self, entry: Entry, scope: Scope) -> float:
        return scope.plain(entry)

    def write(self, value: Any, where: str) -> Plain:
        return float(value)

    def schema(self) -> Schema:
        return {"$ref": "#/$defs/number"}


class WholeNumber(PlainNumber):
    """A whole number."""

    def read(self, entry: Entry, scope: Scope) -> int:
        if not isinstance(entry.value, float) or not abs(entry.value) < 1e9 or entry.value != int(entry.value):
            raise entry.error("a whole number is expected here")
        return int(entry.value)

    def write(self, value: Any, where: str) -> Plain:
        return int(value)

    def schema(self) -> Schema:
        return {"type": "integer"}


@dataclass(frozen=True)
class Flag:
    """True or false."""

    def read(self, entry: Entry, scope: Scope) -> bool:
        if not isinstance(entry.value, bool):
            raise entry.error(f"true or false is expected here, not {entry.kind}")
        return entry.value

    def write(self, value: Any, where: str) -> Plain:
        return bool(value)

    def schema(self) -> Schema:
        return {"type": "boolean"}


@dataclass(frozen=True)
class ListKind:
    """`count` values of one kind in a list (0: any number)."""

    item: Kind
    count: int

    def read(self, entry: Entry, scope: Scope) -> list[Any]:
        what = f"a list of {self.count} numbers" if self.count else "a list"
        items = entry.list(what)
        if self.count and len(items) != self.count:
            raise entry.error(f"{what} is expected here, not of {len(items)}")
        return [self.item.read(x, scope) for x in items]

    def write(self, value: Any, where: str) -> Plain:
        return [self.item.write(x, where) for x in value]

    def schema(self) -> Schema:
        limits = {"minItems": self.count, "maxItems": self.count} if self.count else {}
        return {"type": "array", "items": self.item.schema(), **limits}


VECTOR = ListKind(NumberKind(), 3)
AXIS = ListKind(PlainNumber(), 3)
MATRIX = ListKind(VECTOR, 3)


@dataclass(frozen=True)
class Named:
    """A mapping from names to values of one kind."""

    item: Kind

    def read(self, entry: Entry, scope: Scope) -> dict[str, Any]:
        return {name: self.item.read(x, scope) for name, x in entry.mapping().items()}

    def write(self, value: Any, where: str) -> Plain:
        return {name: self.item.write(x, f"{where}: {name}") for name, x in value.items()}

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self.item.schema()}


@dataclass(frozen=True)
class ParameterKind:
    """A number, or a number with the range it may be set in: {value: 0.4, min: 0.2, max: 0.6}."""

    def read(self, entry: Entry, scope: Scope) -> dict[str, float]:
        """The value, and whatever is said of its range."""
        if not isinstance(entry.value, dict):
            return {"value": scope.plain(entry)}
        fields = entry.mapping("a number, or a value with min and max")
        entry.known(PARAMETER_FIELDS)
        if "value" not in fields:
            raise entry.error("a parameter with a range needs its value: {value: 0.4, min: 0.2, max: 0.6}")
        return {name: scope.plain(x) for name, x in fields.items()}

    def write(self, value: Any, where: str) -> Plain:
        said: dict[str, Plain] = {name: float(x) for name, x in value.items() if x is not None}
        return said if len(said) > 1 else said["value"]

    def schema(self) -> Schema:
        number = PlainNumber().schema()
        ranged = {"type": "object", "properties": dict.fromkeys(PARAMETER_FIELDS, number), "required": ["value"],
                  "additionalProperties": False}  # fmt: skip
        return {"anyOf": [number, ranged]}


PARAMETER_FIELDS = ("value", "min", "max")
"""What may be said of a parameter."""


@dataclass(frozen=True)
class OneOrMany:
    """A number, or a list of them."""

    def read(self, entry: Entry, scope: Scope) -> float | list[float]:
        return ListKind(PlainNumber(), 0).read(entry, scope) if isinstance(entry.value, list) else scope.plain(entry)

    def write(self, value: Any, where: str) -> Plain:
        rows: list[Plain] = np.asarray(value, dtype=float).tolist()
        return rows

    def schema(self) -> Schema:
        number = PlainNumber().schema()
        return {"anyOf": [number, {"type": "array", "items": number}]}


@dataclass(frozen=True)
class Either:
    """A mapping of one kind, or something else of another."""

    mapping: Kind
    otherwise: Kind

    def read(self, entry: Entry, scope: Scope) -> Any:
        return (self.mapping if isinstance(entry.value, dict) else self.otherwise).read(entry, scope)

    def write(self, value: Any, where: str) -> Plain:
        simple = isinstance(value, (str, float, int, list, np.ndarray))
        return (self.otherwise if simple else self.mapping).write(value, where)

    def schema(self) -> Schema:
        return {"anyOf": [self.otherwise.schema(), self.mapping.schema()]}


NUMBERS = ListKind(PlainNumber(), 0)


@dataclass(frozen=True)
class RowsKind:
    """Rows of plain numbers, or the numbers of one row."""

    def read(self, entry: Entry, scope: Scope) -> list[Any]:
        rows = entry.list("a list of numbers, or of rows of numbers,")
        nested = bool(rows) and isinstance(rows[0].value, list)
        return (ListKind(NUMBERS, 0) if nested else NUMBERS).read(entry, scope)

    def write(self, value: Any, where: str) -> Plain:
        rows: list[Plain] = np.asarray(value, dtype=float).tolist()
        return rows

    def schema(self) -> Schema:
        return {"anyOf": [NUMBERS.schema(), ListKind(NUMBERS, 0).schema()]}


@dataclass(frozen=True)
class Inertia:
    """Three principal moments, or a 3 × 3 matrix."""

    def read(self, entry: Entry, scope: Scope) -> list[Any]:
        rows = entry.list("three moments, or three rows of three numbers,")
        matrix = bool(rows) and isinstance(rows[0].value, list)
        return (MATRIX if matrix else VECTOR).read(entry, scope)

    def write(self, value: Any, where: str) -> Plain:
        rows = np.asarray(value, dtype=object)
        flat = rows.ndim == 1
        if not flat and all(
            type(rows[i, j]) is float and rows[i, j] == 0.0 for i in range(3) for j in range(3) if i != j
        ):
            rows, flat = np.diag(rows), True
        return (VECTOR if flat else MATRIX).write(rows, where)

    def schema(self) -> Schema:
        return {"anyOf": [VECTOR.schema(), MATRIX.schema()]}


@dataclass(frozen=True)
class PointKind:
    """A point of a body: its name (the origin), [name, [x, y, z]], [name, node] of an elastic body (or
    [name, node, [x, y, z]] in the node's axes), or a named frame.
    """

    def read(self, entry: Entry, scope: Scope) -> Point:
        if isinstance(entry.value, list):
            items = entry.list()
            if len(items) not in (2, 3):
                raise entry.error(
                    "a point is a body's name, [name, [x, y, z]], [name, node] or [name, node, [x, y, z]]"
                )
            if len(items) == 3 or isinstance(items[1].value, str):
                at: Any = VECTOR.read(items[2], scope) if len(items) == 3 else ZERO
                return Point(NameKind().read(items[0], scope), at, items[1].text("a node's name"))
            place: Any = VECTOR.read(items[1], scope)
            return Point(NameKind().read(items[0], scope), place)
        name = NameKind().read(entry, scope)
        if name in scope.frames and name not in scope.bodies and name != "ground":
            body, frame = scope.frames[name]
            return Point(body, frame.position, frame.node)
        return Point(name)

    def write(self, value: Any, where: str) -> Plain:
        at: Any = VECTOR.write(value.at, where)
        if value.node is not None:
            return [value.body, value.node] if all(map(is_zero, at)) else [value.body, value.node, at]
        return value.body if all(map(is_zero, at)) else [value.body, at]

    def schema(self) -> Schema:
        on_it = {"anyOf": [VECTOR.schema(), Text().schema()]}
        pair = {"type": "array", "prefixItems": [NameKind().schema(), on_it], "minItems": 2, "maxItems": 2}
        by_node = [NameKind().schema(), Text().schema(), VECTOR.schema()]
        beside = {"type": "array", "prefixItems": by_node, "minItems": 3, "maxItems": 3}
        return {"anyOf": [NameKind().schema(), pair, beside]}


@dataclass(frozen=True)
class FunctionKind:
    """A function of time, state or other arguments, as an expression; or numbers, where they will do."""

    function: Function

    def read(self, entry: Entry, scope: Scope) -> Any:
        f = self.function
        single = f.size == 1 or (f.size == 0 and not isinstance(entry.value, list))
        entries = [entry] if single else entry.list(f"a list of {f.size or 'some'} numbers or expressions")
        if f.size > 1 and len(entries) != f.size:
            raise entry.error(f"a list of {f.size} numbers or expressions is expected here, not of {len(entries)}")
        return scope.function(entries, f.arguments, single, f.constant)

    def write(self, value: Any, where: str) -> Plain:
        if isinstance(value, Formula):
            data = [_tidy(text) for text in value.texts]
            return data[0] if value.single else data
        if callable(value):
            raise ModelError(
                f"{where} is a Python function of more than time, coordinates and speeds, and a model file cannot hold it; "
                'write it as an expression, such as "-k*q.A", or keep the model in Python'
            )
        return written(value, where) if self.function.size == 1 else [written(x, where) for x in value]

    def schema(self) -> Schema:
        number = {"$ref": "#/$defs/expression"}
        if self.function.size == 1:
            return number
        row = ListKind(NumberKind(), self.function.size).schema() | {"items": number}
        return row if self.function.size else {"anyOf": [number, row]}


def _tidy(text: str) -> Any:
    """Numbers among a function's texts as numbers."""
    try:
        value = float(text)
    except ValueError:
        return text
    return value if repr(value) == text else text
