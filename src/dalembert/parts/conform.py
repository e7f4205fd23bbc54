"""What forces, constraints and outputs are made of, checked as they are made: every field by the kind of value that its type names."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import cache, partial
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from dalembert.errors import ModelError
from dalembert.parts.fields import Function, Help, Holds
from dalembert.parts.names import text
from dalembert.parts.numbers import number, numbers, plain_number, positive, whole_number


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


Check = Callable[[Any, str], Any]
"""(what was given, where) → the value in its proper form, or a ModelError."""


class Described:
    """A base for dataclasses whose fields say by types of `fields.py` what they hold; those of other types are left as they are."""

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for name, check in checks_of(kind).items():
            object.__setattr__(self, name, check(getattr(self, name), f"{kind.__name__}: {name}"))


@cache
def checks_of(cls: type) -> dict[str, Check]:
    """For every field whose type says what it holds."""
    if not dataclasses.is_dataclass(cls):
        return {}
    try:
        hints = get_type_hints(cls, include_extras=True)
    except NameError:  # types known only where a user's own class was written
        return {}
    found = {
        f.name: (_check_of(field_type(hints[f.name])), f.default is None) for f in dataclasses.fields(cls) if f.init
    }
    return {
        name: partial(_optional, check) if optional else check
        for name, (check, optional) in found.items()
        if check is not None
    }


@cache
def marks_of(cls: type) -> dict[str, Holds | Function]:
    """For every field whose type says it, what it holds."""
    if not checks_of(cls):
        return {}
    hints = get_type_hints(cls, include_extras=True)
    found = {name: field_type(hints[name]) for name in checks_of(cls)}
    return {name: kind.mark for name, kind in found.items() if isinstance(kind, Marked)}


def _check_of(kind: FieldType | None) -> Check | None:
    match kind:
        case Marked(Holds() as mark):
            return _check_of_mark(mark)
        case Marked(Function() as mark):
            return partial(_function, mark)
        case OneOf(words):
            return partial(_one_of, words)
        case ByName(item) if (check := _check_of(item)) is not None:
            return partial(_by_name, check)
        case Several(item) if (check := _check_of(item)) is not None:
            return partial(_several, check)
        case Plain(cls) if cls is str:
            return text
    return None


def _check_of_mark(mark: Holds) -> Check | None:
    from dalembert.parts.forces.points import point
    from dalembert.parts.frames import as_frame
    from dalembert.parts.joints.axis import unit

    known: dict[str, Check] = {
        "number": positive if mark.positive else number, "plain number": partial(plain_number, above_zero=mark.positive),
        "count": whole_number, "vector": lambda x, where: numbers(x, (3,), where), "axis": unit, "point": point,
        "frame": as_frame, "body": text, "joint": text, "integrator": text, "constraint method": text,
    }  # fmt: skip
    return mark.check or known.get(mark.what)


def _optional(check: Check, given: Any, where: str) -> Any:
    return None if given is None else check(given, where)


def _function(kind: Function, given: Any, where: str) -> Any:
    if callable(given):
        return given
    of = {"s": "of the state", "t": "of time"}.get(kind.arguments[0], f"of {' and '.join(kind.arguments)}")
    if not kind.constant:
        raise ModelError(f"{where} must be a function {of}, lambda {', '.join(kind.arguments)}: …, not {given!r}")
    try:
        return number(given, where) if kind.size == 1 else numbers(given, (kind.size,), where)
    except ModelError as problem:
        raise ModelError(f"{problem}; or give a function {of}") from None


def _one_of(choices: tuple[Any, ...], given: Any, where: str) -> Any:
    if given not in choices:
        raise ModelError(f"{where}={given!r} is not known; choose {' or '.join(map(_quoted, choices))}")
    return given


def _quoted(choice: Any) -> str:
    return f'"{choice}"' if isinstance(choice, str) else repr(choice)


def _by_name(check: Check, given: Any, where: str) -> dict[str, Any]:
    if not isinstance(given, Mapping) or not given:
        raise ModelError(f'{where} must name at least one value, {{"name": value}}, not {given!r}')
    return {text(name, f"{where}: {name!r}"): check(value, f"{where} of {name}") for name, value in given.items()}


def _several(check: Check, given: Any, where: str) -> tuple[Any, ...]:
    if isinstance(given, str) or (
        not isinstance(given, Sequence | types.GeneratorType) and not hasattr(given, "__len__")
    ):
        raise ModelError(f"{where} must be several values, not {given!r}")
    made = tuple(check(value, where) for value in given)
    if not made:
        raise ModelError(f"{where} must hold at least one value")
    return made
