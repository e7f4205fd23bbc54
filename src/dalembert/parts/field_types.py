"""The type hint of a field, read once: checks (`conform.py`), model files and their schema (`files/models/records.py`) follow it."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from dalembert.parts.fields import Function, Help, Holds


@dataclass(frozen=True)
class Marked:
    """A value whose kind a mark of `fields.py` names."""

    mark: Holds | Function


@dataclass(frozen=True)
class OneOf:
    """One of some words: `Literal["a", "b"]`."""

    words: tuple[Any, ...]


@dataclass(frozen=True)
class ByName:
    """Values of one kind by name: `Mapping[str, …]`."""

    item: FieldType | None


@dataclass(frozen=True)
class Several:
    """Values of one kind, one after the other: `tuple[…, ...]`."""

    item: FieldType | None


@dataclass(frozen=True)
class Nested:
    """A dataclass with fields of its own; `otherwise` is what may stand in its place."""

    cls: type
    otherwise: FieldType | None = None


@dataclass(frozen=True)
class Plain:
    """A text, a number, a whole number, or true or false."""

    cls: type


FieldType = Marked | OneOf | ByName | Several | Nested | Plain


def field_type(hint: Any) -> FieldType | None:
    """What the hint says, None beside it or not; None where it says nothing that is known here."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        marks = [x for x in inner[1:] if isinstance(x, Holds | Function)]
        return Marked(marks[0]) if marks else field_type(inner[0])
    if origin is Literal:
        return OneOf(inner)
    if origin in (Union, types.UnionType):
        return _of_union([x for x in inner if x is not type(None)])
    if origin in (Mapping, dict):
        return ByName(field_type(inner[1]))
    if origin is tuple and inner[1:] == (Ellipsis,):
        return Several(field_type(inner[0]))
    if isinstance(hint, type) and is_dataclass(hint):
        return Nested(hint)
    return Plain(hint) if hint in (str, float, int, bool) else None


def _of_union(choices: list[Any]) -> FieldType | None:
    """One type alone, or a word or a number beside a dataclass."""
    if len(choices) == 1:
        return field_type(choices[0])
    first, second = (field_type(x) for x in choices) if len(choices) == 2 else (None, None)
    return Nested(second.cls, first) if isinstance(second, Nested) else None


def help_of(hint: Any) -> str:
    """The sentence that the hint carries."""
    return (
        next((x.help for x in get_args(hint)[1:] if isinstance(x, Help)), "") if get_origin(hint) is Annotated else ""
    )
